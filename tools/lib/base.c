// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Errors as data, UTF-8, and the first bytes of a file.
 *
 * An error is a code, a path, an offset, a message and advice; only the command prints it. It
 * belongs to the function that received it. The error for lack of memory is constant and
 * shared. All other functions are pure.
 */
#define _GNU_SOURCE	/* vasprintf(), strerror_r() that returns a string */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include <vitrine/fxt.h>
#include <vitrine/inspect.h>

#include "base.h"

/* ---- Errors and faults ------------------------------------------------- */

static const char debugfs_dir[] = "/sys/kernel/debug/";

static struct vitrine_error no_memory = {
	.code = ENOMEM,
	.offset = VITRINE_NO_OFFSET,
	.message = "out of memory",
};

/**
 * vtr_error_no_memory() - the error for a failed allocation
 *
 * Return: an error that may be destroyed like any other.
 */
struct vitrine_error *vtr_error_no_memory(void)
{
	return &no_memory;
}

/**
 * vtr_error_vcreate() - vitrine_error_create() with a va_list
 * @code: errno value
 * @path: file it is about, or NULL
 * @offset: place in that file, or VITRINE_NO_OFFSET
 * @advice: what to do, or NULL
 * @format: what is wrong
 * @args: arguments of @format
 *
 * Return: a new error, never NULL.
 */
struct vitrine_error *vtr_error_vcreate(int code, const char *path,
					uint64_t offset, const char *advice,
					const char *format, va_list args)
{
	struct vitrine_error *err = calloc(1, sizeof(*err));
	char *message = NULL;

	if (!err)
		return vtr_error_no_memory();
	err->code = code;
	err->offset = offset;
	if (vasprintf(&message, format, args) < 0)
		goto err_destroy;
	err->message = message;
	err->path = path ? strdup(path) : NULL;
	err->advice = advice ? strdup(advice) : NULL;
	if ((path && !err->path) || (advice && !err->advice))
		goto err_destroy;
	return err;

err_destroy:
	vitrine_error_destroy(err);
	return vtr_error_no_memory();
}

/**
 * vitrine_error_create() - make an error
 * @code: errno value
 * @path: file it is about, or NULL; copied
 * @offset: place in that file, or VITRINE_NO_OFFSET
 * @advice: what to do, or NULL; copied
 * @format: what is wrong
 *
 * Return: a new error, never NULL: without memory, the error that says so.
 */
struct vitrine_error *vitrine_error_create(int code, const char *path,
					   uint64_t offset, const char *advice,
					   const char *format, ...)
{
	struct vitrine_error *err;
	va_list args;

	va_start(args, format);
	err = vtr_error_vcreate(code, path, offset, advice, format, args);
	va_end(args);
	return err;
}

/**
 * vtr_report() - report a fault of a file, or a note about it
 * @report: receives the message, or NULL
 * @ctx: context of @report
 * @offset: place in the file
 * @format: the fault
 * @args: arguments of @format
 */
void vtr_report(vitrine_fault_fn *report, void *ctx, uint64_t offset,
		const char *format, va_list args)
{
	char message[256];

	if (!report)
		return;
	vsnprintf(message, sizeof(message), format, args);
	report(ctx, offset, message);
}

/**
 * vtr_note() - report a note, which is worth knowing but no fault
 * @report: receives the message, or NULL
 * @offset: place in the file
 * @format: the note
 */
void vtr_note(const struct vitrine_fxt_report *report, uint64_t offset,
	      const char *format, ...)
{
	va_list args;

	if (!report)
		return;
	va_start(args, format);
	vtr_report(report->note, report->ctx, offset, format, args);
	va_end(args);
}

/**
 * vtr_error_os() - make an error from errno
 * @code: errno value
 * @path: file it is about, or NULL
 * @action: what was tried, e.g. "cannot open", or NULL
 *
 * The limit for the length of files is a full disk, ENOSPC: EFBIG is an error of input files.
 *
 * Return: a new error, never NULL.
 */
struct vitrine_error *vtr_error_os(int code, const char *path,
				   const char *action)
{
	char text[128];
	const char *reason = strerror_r(code, text, sizeof(text));

	if (code == EFBIG)
		code = ENOSPC;
	if (!action)
		return vitrine_error_create(code, path, VITRINE_NO_OFFSET, NULL,
					    "%s", reason);
	return vitrine_error_create(code, path, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", action, reason);
}

/* Return advice for a lazy tree, which open() fills; filling may fail. */
static const char *fill_advice(int code)
{
	switch (code) {
	case ETIMEDOUT:
		return "its publisher did not fill it in time; try again later";
	case EBUSY:
		return "its publisher is filling it for another reader; try again later";
	case ELOOP:
		return "its publisher tried to read it while filling it";
	default:
		return NULL;
	}
}

static const char *open_advice(int code, const char *path)
{
	bool in_debugfs = !strncmp(path, debugfs_dir, strlen(debugfs_dir));

	if (code == EACCES)
		return "run as root, or copy the file as root first";
	if (code == EPERM)
		return "the kernel may be locked down: see \"lockdown\" in mmap.rst";
	if (code == ENOENT && in_debugfs)
		return "is debugfs mounted, and the module loaded (`insmod vitrine.ko')?";
	return in_debugfs ? fill_advice(code) : NULL;
}

/**
 * vtr_error_open() - make an error from a failed open()
 * @code: errno value
 * @path: file
 *
 * Return: a new error, never NULL, with advice for the usual causes.
 */
struct vitrine_error *vtr_error_open(int code, const char *path)
{
	char text[128];

	return vitrine_error_create(code, path, VITRINE_NO_OFFSET,
				    open_advice(code, path), "cannot open: %s",
				    strerror_r(code, text, sizeof(text)));
}

/**
 * vitrine_error_destroy() - free an error
 * @err: error, or NULL
 */
void vitrine_error_destroy(struct vitrine_error *err)
{
	if (!err || err == &no_memory)
		return;
	free((char *)err->path);
	free((char *)err->message);
	free((char *)err->advice);
	free(err);
}

/**
 * vitrine_error_print() - print an error as one line
 * @err: error
 * @stream: output stream
 *
 * The line reads "PATH: offset 0x1f40: what is wrong; what to do", parts that
 * the error does not have left out. The caller writes its own name before it.
 */
void vitrine_error_print(const struct vitrine_error *err, FILE *stream)
{
	if (err->path)
		fprintf(stream, "%s: ", err->path);
	if (err->offset != VITRINE_NO_OFFSET)
		fprintf(stream, "offset 0x%" PRIx64 ": ", err->offset);
	fputs(err->message, stream);
	if (err->advice)
		fprintf(stream, "; %s", err->advice);
	fputc('\n', stream);
}

/* ---- UTF-8 ------------------------------------------------------------- */

/*
 * A text may arrive in pieces. Overlong forms, surrogates and code points beyond U+10FFFF are
 * invalid; the second byte of a character shows all three.
 */

static bool begin_character(struct vtr_utf8 *utf8, uint8_t byte)
{
	if (byte < 0x80)
		return true;
	if (byte < 0xc2 || byte > 0xf4)
		return false;
	utf8->nr_missing = 1 + (byte >= 0xe0) + (byte >= 0xf0);
	utf8->lowest = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
	utf8->highest = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
	return true;
}

static bool continue_character(struct vtr_utf8 *utf8, uint8_t byte)
{
	if (byte < utf8->lowest || byte > utf8->highest)
		return false;
	utf8->nr_missing--;
	utf8->lowest = 0x80;
	utf8->highest = 0xbf;
	return true;
}

/**
 * vtr_utf8_add() - look at the next piece of a text
 * @utf8: the text so far
 * @bytes: the piece
 * @len: its length
 */
void vtr_utf8_add(struct vtr_utf8 *utf8, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && !utf8->is_invalid; i++)
		utf8->is_invalid = utf8->nr_missing ?
				   !continue_character(utf8, bytes[i]) :
				   !begin_character(utf8, bytes[i]);
}

/**
 * vtr_utf8_sequence() - measure the first character of a text
 * @bytes: the text
 * @len: its length in bytes, not 0
 *
 * Return: how many bytes the character has, 0 if they are not UTF-8.
 */
unsigned int vtr_utf8_sequence(const uint8_t *bytes, size_t len)
{
	struct vtr_utf8 utf8 = { 0 };
	unsigned int i;

	if (!begin_character(&utf8, bytes[0]))
		return 0;
	for (i = 1; utf8.nr_missing; i++)
		if (i == len || !continue_character(&utf8, bytes[i]))
			return 0;
	return i;
}

/**
 * vtr_utf8_is_valid() - whether a text was UTF-8 throughout
 * @utf8: the text, all pieces of which have been added
 *
 * Return: true if it was, and ends with a character's last byte.
 */
bool vtr_utf8_is_valid(const struct vtr_utf8 *utf8)
{
	return !utf8->is_invalid && !utf8->nr_missing;
}

/**
 * vtr_utf8_decode() - decode the first character of a text
 * @bytes: the text
 * @len: its length in bytes, not 0
 * @ret: the character, written on success only
 *
 * Return: how many bytes the character has, 0 if they are not UTF-8.
 */
unsigned int vtr_utf8_decode(const void *bytes, size_t len, uint32_t *ret)
{
	static const uint8_t lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const uint8_t *at = bytes;
	unsigned int nr = at[0] < 0x80 ? 1 : vtr_utf8_sequence(at, len), i;
	uint32_t c = at[0] & lead_mask[nr];

	for (i = 1; i < nr; i++)
		c = c << 6 | (at[i] & 0x3f);
	if (nr)
		*ret = c;
	return nr;
}

/**
 * vtr_utf8_is_text() - whether a whole text is UTF-8
 * @bytes: the text
 * @len: its length in bytes
 *
 * Return: true if it is.
 */
bool vtr_utf8_is_text(const void *bytes, size_t len)
{
	struct vtr_utf8 utf8 = { 0 };

	vtr_utf8_add(&utf8, bytes, len);
	return vtr_utf8_is_valid(&utf8);
}

/**
 * vtr_utf8_cut() - shorten a text without splitting a character
 * @bytes: the text
 * @len: its length in bytes
 * @max: most bytes to keep
 *
 * Return: how many bytes to keep.
 */
size_t vtr_utf8_cut(const void *bytes, size_t len, size_t max)
{
	const uint8_t *text = bytes;

	if (len <= max)
		return len;
	while (max && (text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

/* ---- Formats of files -------------------------------------------------- */

/**
 * vitrine_format_detect() - detect a format by its magic number
 * @bytes: start of the file
 * @len_bytes: how much of it there is; VITRINE_FORMAT_BYTES are enough
 *
 * Return: the format, VITRINE_FORMAT_UNKNOWN for anything else.
 */
enum vitrine_format vitrine_format_detect(const void *bytes, size_t len_bytes)
{
	uint64_t word;

	if (len_bytes < sizeof(word))
		return VITRINE_FORMAT_UNKNOWN;
	memcpy(&word, bytes, sizeof(word));

	/* FXT comes in its writer's byte order. */
	if (word == FXT_MAGIC_RECORD ||
	    word == __builtin_bswap64(FXT_MAGIC_RECORD))
		return VITRINE_FORMAT_FXT;

	word = le64toh(word);
	if (word >> 32 == INSPECT_MAGIC &&
	    (word & INSPECT_W0_TYPE) >> 8 == INSPECT_HEADER)
		return VITRINE_FORMAT_INSPECT;
	return VITRINE_FORMAT_UNKNOWN;
}

/**
 * vtr_read_full() - read a number of bytes, or up to the end of the file
 * @fd: file
 * @buffer: receives the bytes
 * @len_bytes: how much
 *
 * Return: bytes read, less than @len_bytes only at the end, -1 with errno.
 */
ssize_t vtr_read_full(int fd, void *buffer, size_t len_bytes)
{
	size_t done = 0;

	while (done < len_bytes) {
		ssize_t n = read(fd, (char *)buffer + done, len_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += n;
	}
	return done;
}

/**
 * vitrine_format_of_file() - open a file and tell its format
 * @path: file
 * @ret: the format
 *
 * Return: NULL, or an error if the file cannot be read.
 */
struct vitrine_error *vitrine_format_of_file(const char *path,
					     enum vitrine_format *ret)
{
	struct vitrine_error *err = NULL;
	char bytes[VITRINE_FORMAT_BYTES];
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, path);
	len = vtr_read_full(fd, bytes, sizeof(bytes));
	if (len < 0)
		err = vtr_error_os(errno, path, "cannot read");
	else
		*ret = vitrine_format_detect(bytes, len);
	close(fd);
	return err;
}
