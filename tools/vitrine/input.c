// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a command: those that it reads, which may be pipes or compressed, and those that
 * it writes; and the helper programs that read files for it.
 *
 * A trace is read several times, the first time to detect its format, so a pipe is
 * copied into an anonymous temporary file, and a compressed file is decompressed into one.
 * What is left of a damaged one is read. "-" is standard input.
 */
#define _GNU_SOURCE	/* pipe2(), strsignal(), fopencookie() */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "fxt_field.h"
#include "helpers.h"
#include "temporary.h"
#include "vitrine.h"
#include "command.h"
#include "input.h"
#include "writer.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* Longest path of a helper. */
#define PATH_BYTES	4096

/* Longest error text of a helper. */
#define STATUS_BYTES	1024

/* RFC 8878, section 3.1: the magic number of a frame, and of frames to skip. */
#define FRAME_MAGIC		0xfd2fb528U
#define SKIPPABLE_MAGIC		0x184d2a50U
#define SKIPPABLE_MASK		0xfffffff0U

#define COPY_BYTES	(1U << 20)

/**
 * struct copy - the copy being made, one at a time
 * @input: the file
 * @is_packed: it is decompressed
 * @len_bytes: length of the copy so far
 * @gaps: offsets in the copy where bytes are missing
 * @nr_gaps: number of @gaps
 */
static struct copy {
	const struct input *input;
	bool is_packed;
	uint64_t len_bytes;
	uint64_t *gaps;
	size_t nr_gaps;
} copy;

/* ---- Helper programs --------------------------------------------------- */

/*
 * The command does not depend on the library of a helper, and survives a crash of it on a
 * malformed file. A helper is looked for beside the command, and where it is installed.
 */

static struct vitrine_error *find_program(const struct helper *helper, char path[PATH_BYTES])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_BYTES - 1);
	char *slash;

	path[len < 0 ? 0 : len] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		snprintf(slash + 1, path + PATH_BYTES - slash - 1, "%s", helper->name);
		if (!access(path, X_OK))
			return NULL;
	}
	snprintf(path, PATH_BYTES, "%s/vitrine/%s", LIBEXECDIR, helper->name);
	if (!access(path, X_OK))
		return NULL;
	return make_error(ENOENT, NULL, helper->install, "%s needs the program %s", helper->purpose,
			  path);
}

/**
 * helper_is_installed() - check whether a helper can be started
 * @helper: the helper
 *
 * Return: whether its program exists.
 */
bool helper_is_installed(const struct helper *helper)
{
	char path[PATH_BYTES];
	struct vitrine_error *err = find_program(helper, path);

	vitrine_error_destroy(err);
	return !err;
}

static void run_program(const char *path, const char *name, const char *from,
			int in, int out, int status)
{
	/* @status may have the number of @out, but not the other way round. */
	int fd = dup(status);

	if (in >= 0 && dup2(in, STDIN_FILENO) < 0)
		_exit(EXIT_FAILURE);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(fd, HELPER_STATUS_FD) < 0)
		_exit(EXIT_FAILURE);
	execl(path, name, from, NULL);
	_exit(EXIT_FAILURE);
}

/**
 * helper_start() - start a helper that reads a file
 * @helper: the helper
 * @from: the file
 * @in: descriptor of its standard input; negative: that of this process
 * @out: descriptor that the helper writes its output to
 * @ret: for helper_finish()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *helper_start(const struct helper *helper,
				   const char *from, int in, int out,
				   struct helper_run *ret)
{
	struct vitrine_error *err;
	char path[PATH_BYTES];
	int status[2];

	err = find_program(helper, path);
	if (err)
		return err;
	if (pipe2(status, O_CLOEXEC))
		return vtr_error_os(errno, path, "cannot start it");
	ret->pid = fork();
	if (!ret->pid)
		run_program(path, helper->name, from, in, out, status[1]);
	if (ret->pid < 0) {
		err = vtr_error_os(errno, path, "cannot start it");
		close(status[0]);
	}
	close(status[1]);
	ret->status = status[0];
	return err;
}

/* Make an error of what the helper reported, or of the signal that killed it. */
static struct vitrine_error *failure_of(const struct helper *helper, char *text,
					int status, const char *from)
{
	const char *code = strsep(&text, "\n"), *message = strsep(&text, "\n");
	const char *advice = strsep(&text, "\n");

	if (advice)
		return make_error(atoi(code), from, *advice ? advice : NULL, "%s", message);
	return make_error(EBADMSG, from, helper->advice, "%s cannot read it: %s", helper->library,
			  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) :
						"its program ended without a message");
}

/**
 * helper_finish() - wait until a helper ends
 * @helper: the helper
 * @from: the file that it reads
 * @run: as filled by helper_start()
 *
 * Return: NULL, or the error that the helper reported.
 */
struct vitrine_error *helper_finish(const struct helper *helper,
				    const char *from,
				    const struct helper_run *run)
{
	char text[STATUS_BYTES];
	int status = 0;
	ssize_t len;

	len = vtr_read_full(run->status, text, sizeof(text) - 1);
	close(run->status);
	text[len < 0 ? 0 : len] = '\0';
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? failure_of(helper, text, status, from) : NULL;
}

/* ---- Copies --------------------------------------------------------- */

static struct vitrine_error *copy_error(void)
{
	return make_error(errno, copy.input->name, "set TMPDIR to a directory with room for it",
			  "cannot copy it into a temporary file: %s", strerror(errno));
}

/* Drop the last bytes of the copy; those that follow are missing, too. */
static struct vitrine_error *note_gap(size_t nr_dropped)
{
	copy.len_bytes -= nr_dropped;
	if (ftruncate(copy.input->fd, copy.len_bytes) ||
	    lseek(copy.input->fd, 0, SEEK_END) < 0)
		return copy_error();
	if (copy.nr_gaps && copy.gaps[copy.nr_gaps - 1] == copy.len_bytes)
		return NULL;
	must_have(GROW(copy.gaps, copy.nr_gaps));
	copy.gaps[copy.nr_gaps++] = copy.len_bytes;
	return NULL;
}

/* Append bytes to the copy. */
static struct vitrine_error *write_all(const void *bytes, size_t len_bytes)
{
	const char *at = bytes;
	ssize_t len;

	copy.len_bytes += len_bytes;
	for (; len_bytes; at += len, len_bytes -= len) {
		len = write(copy.input->fd, at, len_bytes);
		if (len < 0 && errno == EINTR)
			len = 0;
		if (len < 0)
			return copy_error();
	}
	return NULL;
}

/* ---- Compression ------------------------------------------------------- */

/* Find out whether bytes are compressed. Returns true if a frame begins there. */
static bool compress_detect(const void *bytes, size_t len_bytes)
{
	uint32_t magic;

	if (len_bytes < sizeof(magic))
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	magic = le32toh(magic);
	return magic == FRAME_MAGIC ||
	       (magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC;
}

#ifdef HAVE_ZSTD

/* The level of the program zstd. */
#define LEVEL		3

/* ---- Compression ------------------------------------------------------- */

static struct {
	ZSTD_CCtx *ctx;
	void *bytes;
	size_t room;
} packing;

static struct vitrine_error *begin(const char *path)
{
	if (!packing.ctx)
		packing.ctx = ZSTD_createCCtx();
	if (!packing.ctx)
		return vtr_error_no_memory();
	/* Without a checksum, damaged bytes may decompress to other records. */
	ZSTD_CCtx_setParameter(packing.ctx, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(packing.ctx, ZSTD_c_compressionLevel, LEVEL);
	return NULL;
}

static struct vitrine_error *pack(const void *bytes, size_t len_bytes,
				  const void **ret_bytes, size_t *ret_len_bytes)
{
	size_t room = ZSTD_compressBound(len_bytes), len;

	if (!GROW_BYTES(packing.bytes, packing.room, room))
		return vtr_error_no_memory();
	len = ZSTD_compress2(packing.ctx, packing.bytes, room, bytes, len_bytes);
	/* The output has enough room, so the error can only be lack of memory. */
	if (ZSTD_isError(len))
		return vtr_error_no_memory();
	*ret_bytes = packing.bytes;
	*ret_len_bytes = len;
	return NULL;
}

/* ---- Decompression ----------------------------------------------------- */

/**
 * struct unpacker - the file being decompressed
 * @stream: state of libzstd
 * @offset: offset in the file of the bytes that unpacker_put() gets
 * @frame: offset of the last frame that began
 * @nr_unpacked: bytes that it has become so far
 * @pending: it has not ended yet
 * @lost: it is damaged, and the next one has not been found yet
 * @window: with @lost, the last four bytes, as a little-endian number
 * @damage: offset of the first damaged frame
 * @reason: what is wrong with it, or NULL
 * @nr_damaged: number of compressed bytes in damaged frames
 */
static struct unpacker {
	ZSTD_DStream *stream;
	uint64_t offset;
	uint64_t frame;
	uint64_t nr_unpacked;
	bool pending;
	bool lost;
	uint32_t window;
	uint64_t damage;
	const char *reason;
	uint64_t nr_damaged;
} unpacker;

/* What libzstd decompresses at once. */
static unsigned char unpacked[1U << 17];

/* Begin to decompress the file. Returns NULL, or an error. */
static struct vitrine_error *unpacker_begin(void)
{
	unpacker = (struct unpacker){ .stream = ZSTD_createDStream() };
	return unpacker.stream ? NULL : vtr_error_no_memory();
}

/* Give the current frame up. libzstd has rejected what is at @in->pos or behind it. */
static void lose_frame(ZSTD_inBuffer *in, size_t code)
{
	if (!unpacker.reason) {
		unpacker.reason = ZSTD_getErrorName(code);
		unpacker.damage = unpacker.frame;
	}
	unpacker.lost = true;
	unpacker.pending = false;
	unpacker.window = 0;
	/* Do not find this frame again. */
	if (unpacker.offset + in->pos == unpacker.frame && in->pos < in->size)
		in->pos++;
}

/* Move to the next frame, whose magic number is then with libzstd. */
static bool find_frame(ZSTD_inBuffer *in)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	ZSTD_inBuffer begin = { magic, sizeof(magic), 0 };
	ZSTD_outBuffer none = { NULL, 0, 0 };
	const unsigned char *bytes = in->src;

	while (in->pos < in->size) {
		unpacker.window = unpacker.window >> 8 |
				   (uint32_t)bytes[in->pos++] << 24;
		if (unpacker.window != FRAME_MAGIC)
			continue;
		unpacker.lost = false;
		unpacker.nr_damaged += unpacker.offset + in->pos -
					 sizeof(magic) - unpacker.frame;
		unpacker.frame = unpacker.offset + in->pos - sizeof(magic);
		unpacker.nr_unpacked = 0;
		unpacker.pending = true;
		ZSTD_DCtx_reset(unpacker.stream, ZSTD_reset_session_only);
		ZSTD_decompressStream(unpacker.stream, &none, &begin);
		return true;
	}
	return false;
}

/*
 * Decompress the next bytes of a file.
 *
 * A damaged frame is dropped as a whole, since it is not known which of its bytes are right;
 * unpacker_end() reports it.
 *
 * Returns NULL, or an error.
 */
static struct vitrine_error *unpacker_put(const void *bytes, size_t len_bytes)
{
	ZSTD_inBuffer in = { bytes, len_bytes, 0 };
	ZSTD_outBuffer out = { unpacked, sizeof(unpacked), 0 };
	struct vitrine_error *err = NULL;
	size_t hint;

	/* If the output is full, libzstd may hold more of it, even without further input. */
	while (!err && (in.pos < in.size || out.pos == out.size)) {
		out.pos = 0;
		if (unpacker.lost && !find_frame(&in))
			break;
		hint = ZSTD_decompressStream(unpacker.stream, &out, &in);
		if (ZSTD_isError(hint)) {
			out.pos = 0;
			lose_frame(&in, hint);
			err = note_gap(unpacker.nr_unpacked);
			continue;
		}
		err = write_all(unpacked, out.pos);
		unpacker.nr_unpacked += out.pos;
		unpacker.pending = hint;
		if (!hint) {
			unpacker.frame = unpacker.offset + in.pos;
			unpacker.nr_unpacked = 0;
		}
	}
	unpacker.offset += len_bytes;
	return err;
}

/* Check that a file was complete. Returns NULL, or EBADMSG, which says what is missing. */
static struct vitrine_error *unpacker_end(void)
{
	if (unpacker.lost)
		unpacker.nr_damaged += unpacker.offset - unpacker.frame;
	if (unpacker.reason)
		return vitrine_error_create(EBADMSG, copy.input->name, unpacker.damage, NULL,
			"cannot decompress: %s; %" PRIu64 " of %" PRIu64 " bytes are damaged",
			unpacker.reason, unpacker.nr_damaged, unpacker.offset);
	if (!unpacker.pending)
		return NULL;
	return vitrine_error_create(EBADMSG, copy.input->name, unpacker.offset,
				    NULL,
				    "the compressed file is truncated; what follows is missing");
}

/* End decompression. */
static void unpacker_destroy(void)
{
	ZSTD_freeDStream(unpacker.stream);
}

#else /* HAVE_ZSTD */

static struct vitrine_error *unsupported(const char *path)
{
	return make_error(ENOTSUP, path,
			  "install libzstd-dev and build vitrine again, or use the program zstd",
			  "this vitrine was built without libzstd");
}

static struct vitrine_error *begin(const char *path)
{
	return unsupported(path);
}

/* begin() and unpacker_begin() fail, so these are never called with a file. */
static struct vitrine_error *pack(const void *bytes, size_t len_bytes,
				  const void **ret_bytes, size_t *ret_len_bytes)
{
	return unsupported(NULL);
}

static struct vitrine_error *unpacker_begin(void)
{
	return unsupported(copy.input->name);
}

static struct vitrine_error *unpacker_put(const void *bytes, size_t len_bytes)
{
	return unsupported(NULL);
}

static struct vitrine_error *unpacker_end(void)
{
	return NULL;
}

static void unpacker_destroy(void)
{
}

#endif /* HAVE_ZSTD */

/**
 * compress_init() - compress files whose names end in ".zst"
 */
void compress_init(void)
{
	static const struct vtr_packer packer = {
		.suffix = ZSTD_SUFFIX,
		.begin = begin,
		.pack = pack,
	};

	vtr_writer_set_packer(&packer);
}

/* ---- Traces of which parts are missing --------------------------------- */

/*
 * What is left is joined so that no record is made of two halves, and none refers to the tables
 * of another part: what is left of a part ends with a whole record, and the next part begins
 * with a magic record. Of any other file, which has no magic records, only the first part
 * stays.
 */

static uint64_t word_at(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static bool is_magic(uint64_t word)
{
	return word == FXT_MAGIC_RECORD || word == htobe64(le64toh(FXT_MAGIC_RECORD));
}

/* Return the end of the last record that is whole. */
static uint64_t whole_end(const unsigned char *bytes, uint64_t begin,
			  uint64_t end)
{
	bool is_swapped;
	uint64_t nr;

	if (end - begin < FXT_WORD_BYTES || !is_magic(word_at(bytes + begin)))
		return end;
	is_swapped = word_at(bytes + begin) != FXT_MAGIC_RECORD;
	while (end - begin >= FXT_WORD_BYTES) {
		nr = word_at(bytes + begin);
		nr = fxt_header_words(is_swapped ? __builtin_bswap64(nr) : nr);
		if (!nr || nr > (end - begin) / FXT_WORD_BYTES)
			break;
		begin += nr * FXT_WORD_BYTES;
	}
	return begin;
}

/* Return the next place of a magic record, or @end. */
static uint64_t find_magic(const unsigned char *bytes, uint64_t begin,
			   uint64_t end)
{
	for (; end - begin >= FXT_WORD_BYTES; begin++)
		if (is_magic(word_at(bytes + begin)))
			return begin;
	return end;
}

/* Return the length of what is left. */
static uint64_t join(unsigned char *bytes, uint64_t len)
{
	uint64_t begin = 0, end, to = 0;
	size_t i;

	for (i = 0; i <= copy.nr_gaps; i++) {
		end = i < copy.nr_gaps ? copy.gaps[i] : len;
		if (begin >= end)
			continue;
		/* The reader reports it if the last part ends within a record. */
		end = i < copy.nr_gaps ? whole_end(bytes, begin, end) : end;
		memmove(bytes + to, bytes + begin, end - begin);
		to += end - begin;
		if (i < copy.nr_gaps)
			begin = find_magic(bytes, copy.gaps[i], len);
	}
	return to;
}

/* Join what is left of a trace. Returns NULL, or an error. */
static struct vitrine_error *rejoin(void)
{
	const char *name = copy.input->name;
	const int fd = copy.input->fd;
	off_t len = lseek(fd, 0, SEEK_END);
	unsigned char *bytes;
	uint64_t left;

	if (!len)
		return NULL;
	bytes = len < 0 ? MAP_FAILED :
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return vtr_error_os(errno, name, "cannot map its copy");
	left = join(bytes, len);
	munmap(bytes, len);
	if (ftruncate(fd, left))
		return vtr_error_os(errno, name, "cannot shorten its copy");
	return NULL;
}

/* ---- Reading ----------------------------------------------------------- */

/* EXIT_BAD_INPUT if something is missing in a file that was opened. */
static int status_of_all = EXIT_DONE;

/* Report what is missing in a compressed file; an error if nothing is left. */
static struct vitrine_error *end_copy(void)
{
	struct vitrine_error *err = copy.is_packed ? unpacker_end() : NULL;

	if (!err || !copy.len_bytes)
		return err;
	status_of_all = worse(status_of_all, report_error(err));
	return copy.nr_gaps ? rejoin() : NULL;
}

/* Return whether the file can be read once only, or is compressed. */
static bool needs_copy(int fd)
{
	struct stat status;
	char magic[4];

	if (fstat(fd, &status))
		return false;
	if (S_ISREG(status.st_mode))
		return compress_detect(magic, pread(fd, magic, sizeof(magic), 0) ==
				   sizeof(magic) ? sizeof(magic) : 0);
	return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) ||
	       S_ISSOCK(status.st_mode);
}

/* Let @input->path name a descriptor, so that children can open it, too. */
static void set_descriptor_path(struct input *input, int fd)
{
	snprintf(input->own_path, sizeof(input->own_path), "/proc/%d/fd/%d",
		 (int)getpid(), fd);
	input->path = input->own_path;
}

/* Copy all bytes of @from into a temporary file. */
static struct vitrine_error *open_copy(struct input *input, int from)
{
	autofree char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err = NULL;
	bool first = true;
	ssize_t len;

	must_have(bytes);
	copy = (struct copy){ .input = input };
	input->fd = vtr_temporary_anonymous();
	if (input->fd < 0)
		return copy_error();
	set_descriptor_path(input, input->fd);
	do {
		len = vtr_read_full(from, bytes, COPY_BYTES);
		if (len < 0) {
			err = vtr_error_os(errno, input->name, "cannot read");
		} else if (first && compress_detect(bytes, len)) {
			copy.is_packed = true;
			err = unpacker_begin();
		}
		first = false;
		if (!err)
			err = copy.is_packed ? unpacker_put(bytes, len) : write_all(bytes, len);
	} while (!err && len);
	err = err ?: end_copy();
	if (copy.is_packed)
		unpacker_destroy();
	free(copy.gaps);
	return err;
}

static struct vitrine_error *open_standard_input(struct input *input)
{
	input->name = "standard input";
	if (needs_copy(STDIN_FILENO))
		return open_copy(input, STDIN_FILENO);
	set_descriptor_path(input, STDIN_FILENO);
	return NULL;
}

/**
 * input_open() - open a file so that it can be read more than once
 * @input: receives the file; the caller calls input_close(), also after an error
 * @name: path of the file, which must stay valid; "-": standard input
 *
 * Regular files, directories and files that cannot be opened are left to the
 * caller, which opens @input->path.
 *
 * Return: NULL, or an error of reading a pipe or a compressed file.
 */
struct vitrine_error *input_open(struct input *input, const char *name)
{
	struct vitrine_error *err = NULL;
	struct stat status;
	int fd;

	*input = (struct input){ .name = name, .path = name, .fd = -1 };
	if (!strcmp(name, "-"))
		return open_standard_input(input);
	if (stat(name, &status) || S_ISDIR(status.st_mode))
		return NULL;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return S_ISREG(status.st_mode) ? NULL :
						 vtr_error_open(errno, name);
	if (needs_copy(fd))
		err = open_copy(input, fd);
	close(fd);
	return err;
}

/**
 * input_status() - find out whether files were damaged
 *
 * Return: EXIT_BAD_INPUT if something is missing in a file that was opened; that has been
 * reported. Otherwise EXIT_DONE.
 */
int input_status(void)
{
	return status_of_all;
}

/**
 * input_close() - close and remove the copy of a pipe or of a compressed file
 * @input: opened, failed to open, or all zero
 */
void input_close(struct input *input)
{
	if (input->path == input->own_path && input->fd >= 0)
		close(input->fd);
	*input = (struct input){ 0 };
}

/**
 * input_blame() - replace the path of a copy in an error by the user's name
 * @input: the file
 * @err: error, perhaps about the copy; or NULL
 *
 * Return: @err with the name of the file.
 */
struct vitrine_error *input_blame(const struct input *input,
				  struct vitrine_error *err)
{
	struct vitrine_error *ret;

	if (!err || !err->path || input->path != input->own_path ||
	    strcmp(err->path, input->path))
		return err;
	ret = vitrine_error_create(err->code, input->name, err->offset,
				   err->advice, "%s", err->message);
	vitrine_error_destroy(err);
	return ret;
}

/**
 * input_copy() - append everything that can be read to a trace
 * @fd: descriptor to read
 * @name: its name in errors
 * @writer: the trace
 *
 * Return: NULL, or an error of reading or writing.
 */
struct vitrine_error *input_copy(int fd, const char *name,
				 struct vitrine_writer *writer)
{
	autofree char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err = NULL;
	ssize_t len;

	must_have(bytes);
	/* Write the bytes of a pipe as they arrive, so that a full disk is noticed at once. */
	do {
		len = read(fd, bytes, COPY_BYTES);
		if (len > 0)
			err = vitrine_writer_append(writer, bytes, len);
		else if (len < 0 && errno != EINTR)
			err = vtr_error_os(errno, name, "cannot read");
	} while (!err && len);
	return err;
}

/* ---- Writing ----------------------------------------------------------- */

/* A file of that name stays as it is until the new one is complete. */

static ssize_t append(void *cookie, const char *bytes, size_t len)
{
	struct output *output = cookie;

	if (!output->err)
		output->err = vitrine_writer_append(output->writer, bytes, len);
	return output->err ? 0 : len;
}

/**
 * output_open() - begin a file
 * @output: receives the stream, and must stay where it is
 * @path: name of the file, or "-" for standard output
 *
 * Return: NULL, or an error of creating the file.
 */
struct vitrine_error *output_open(struct output *output, const char *path)
{
	const cookie_io_functions_t functions = { .write = append };
	struct vitrine_error *err;

	*output = (struct output){ 0 };
	err = vitrine_writer_create(path, &output->writer);
	if (err)
		return err;
	output->stream = fopencookie(output, "w", functions);
	if (output->stream)
		return NULL;
	vitrine_writer_destroy(output->writer);
	return vtr_error_no_memory();
}

/**
 * output_close() - complete a file and give it its name, or remove it
 * @output: opened
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *output_close(struct output *output)
{
	struct vitrine_error *err;
	bool is_flushed = !fclose(output->stream);

	err = output->err;
	if (!err && !is_flushed)
		err = vtr_error_no_memory();
	if (!err)
		err = vitrine_writer_commit(output->writer);
	vitrine_writer_destroy(output->writer);
	return err;
}
