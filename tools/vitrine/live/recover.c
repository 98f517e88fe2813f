// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine recover': extract the trace and the trees from a memory dump of a crashed machine, and
 * print what was found as text or as JSON (Documentation/json.rst).
 *
 * No symbols are needed. A sub-buffer is contiguous, begins on a page and has a
 * packet header; each one found is validated like the archive that it is. The dump
 * may hold copies, and sub-buffers of earlier sessions: the longest valid copy of
 * each sub-buffer of the last session is written. struct vitrine_pages lists the
 * pages of each tree.
 */
#define _GNU_SOURCE	/* SEEK_DATA */
#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "input.h"
#include "temporary.h"
#include "ui/json.h"
#include "vitrine.h"
#include "recording.h"

/* The page size on x86, which is assumed. */
#define DUMP_PAGE_BYTES	4096U

/**
 * struct dump_segment - memory that is contiguous in the file
 * @address: physical address of its first byte
 * @len_bytes: its length
 * @bytes: the bytes
 */
struct dump_segment {
	uint64_t address;
	uint64_t len_bytes;
	const unsigned char *bytes;
};

/* The mapped dump, and all memory in it, by address. */
static const unsigned char *dump_bytes;
static uint64_t dump_len;
static struct dump_segment *segments;
static unsigned int nr_segments;

/* A longer hole in a raw dump is not memory. */
#define MAX_HOLE_BYTES	(64U << 20)

/**
 * struct recover_args - the options of `vitrine recover'
 * @dump: the dump; "-": standard input
 * @output: trace to write; "-": standard output
 * @directory: where to write trees, or NULL to leave them out
 * @json: print JSON
 */
static struct recover_args {
	const char *dump;
	const char *output;
	const char *directory;
	bool json;
} args;

/* A tree has at most 2^24 units of 16 bytes: an index has 24 bits. */
#define MAX_TREE_PAGES	65536U
#define MAX_SUBBUF_BYTES (64U << 20)

/* A valid sub-buffer in the dump. */
struct piece {
	struct vitrine_packet packet;
	const unsigned char *bytes;
};

/* The file. */
static struct input input;

/* Valid sub-buffers; after choose_pieces(), those of the last session, their bytes and losses. */
static struct piece *pieces;
static size_t nr_pieces;
static uint64_t trace_bytes, nr_lost;

/* Sub-buffers with a valid header and damaged contents. */
static unsigned int nr_damaged;

/* Trees that were written, that miss pages, and that could not be written. */
static unsigned int nr_trees, nr_broken, nr_unwritten;

/* ---- Compressed dumps of makedumpfile ---------------------------------- */

/*
 * A helper program with libkdumpfile writes their memory into a temporary file, with holes where
 * the machine has none.
 */

static const struct helper reader = {
	.name = "read-kdump",
	.library = "libkdumpfile",
	.purpose = "a compressed dump",
	.install = "install the package vitrine-tools; to build it, libkdumpfile-dev",
	.advice = "it may be truncated; try to open it with `crash'",
};

static bool kdump_detect(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       (!memcmp(magic, "KDUMP   ", sizeof(magic)) ||
		!memcmp(magic, "DISKDUMP", sizeof(magic)));
}

/* Expand a compressed dump: replace its descriptor. Returns NULL, or an error. */
static struct vitrine_error *kdump_expand(const char *path, int *fd)
{
	struct helper_run run;

	close(*fd);
	*fd = vtr_temporary_anonymous();
	if (*fd < 0)
		return vtr_error_os(errno, path, "cannot create a temporary file for its memory");
	return helper_start(&reader, path, -1, *fd, &run) ?: helper_finish(&reader, path, &run);
}

/* ---- Dumps ------------------------------------------------------------- */

/*
 * A memory dump is raw from address 0 on, as written by QEMU's pmemsave; an ELF core,
 * as written by dump-guest-memory or read from /proc/vmcore; or compressed, as
 * written by makedumpfile. Nothing in the file is trusted.
 */

static struct vitrine_error *map_file(const char *path, int fd)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return vtr_error_os(errno, path, "cannot open");
	if (!S_ISREG(status.st_mode) || status.st_size < DUMP_PAGE_BYTES)
		return make_error(EBADMSG, path, NULL, "the dump contains no page of memory");
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return vtr_error_os(errno, path, "cannot map");
	dump_bytes = bytes;
	dump_len = status.st_size;
	return NULL;
}

/* Add a segment. */
static void add_segment(uint64_t address, uint64_t offset, uint64_t len_bytes)
{
	if (offset >= dump_len)
		return;
	if (len_bytes > dump_len - offset)
		len_bytes = dump_len - offset;
	must_have(GROW(segments, nr_segments));
	segments[nr_segments++] = (struct dump_segment){
		.address = address,
		.len_bytes = len_bytes,
		.bytes = dump_bytes + offset,
	};
}

/* Add the memory from address 0 on; short holes in the file read as 0. */
static void add_memory(int fd)
{
	off_t begin = lseek(fd, 0, SEEK_DATA), end, next;

	for (; begin >= 0; begin = next) {
		next = begin;
		do {
			end = lseek(fd, next, SEEK_HOLE);
			next = lseek(fd, end, SEEK_DATA);
		} while (next >= 0 && next - end <= MAX_HOLE_BYTES);
		add_segment(begin, begin, end - begin);
	}
}

/* With too many segments for the header, the first section has their number. */
static uint64_t nr_programs(const Elf64_Ehdr *header)
{
	Elf64_Shdr section;

	if (header->e_phnum != PN_XNUM)
		return header->e_phnum;
	if (header->e_shoff > dump_len - sizeof(section))
		return 0;
	memcpy(&section, dump_bytes + header->e_shoff, sizeof(section));
	return section.sh_info;
}

static void add_core(const Elf64_Ehdr *header)
{
	uint64_t i, nr = nr_programs(header);
	Elf64_Phdr program;

	for (i = 0; i < nr; i++) {
		memcpy(&program,
		       dump_bytes + header->e_phoff + i * sizeof(program),
		       sizeof(program));
		if (program.p_type == PT_LOAD && program.p_filesz)
			add_segment(program.p_paddr, program.p_offset, program.p_filesz);
	}
}

static bool is_core(Elf64_Ehdr *ret)
{
	memcpy(ret, dump_bytes, sizeof(*ret));
	return !memcmp(ret->e_ident, ELFMAG, SELFMAG) &&
	       ret->e_ident[EI_CLASS] == ELFCLASS64 &&
	       ret->e_ident[EI_DATA] == ELFDATA2LSB &&
	       ret->e_type == ET_CORE &&
	       ret->e_phentsize == sizeof(Elf64_Phdr) &&
	       ret->e_phoff < dump_len &&
	       nr_programs(ret) <= (dump_len - ret->e_phoff) /
					 sizeof(Elf64_Phdr);
}

static int compare_segments(const void *left, const void *right)
{
	const struct dump_segment *a = left, *b = right;

	return number_order(a->address, b->address);
}

static void find_segments(int fd)
{
	Elf64_Ehdr header;

	if (is_core(&header))
		add_core(&header);
	else
		add_memory(fd);
	SORT(segments, nr_segments, compare_segments);
}

/* Open a dump. Returns NULL, or an error of opening or mapping, EBADMSG, ENOMEM. */
static struct vitrine_error *dump_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct vitrine_error *err;

	if (fd < 0)
		return vtr_error_os(errno, path, "cannot open");
	err = (kdump_detect(fd) ? kdump_expand(path, &fd) : NULL) ?: map_file(path, fd);
	if (!err)
		find_segments(fd);
	close_file(&fd);
	return err;
}

/* Close a dump. */
static void dump_close(void)
{
	if (dump_bytes)
		munmap((void *)dump_bytes, dump_len);
	free(segments);
}

static int compare_address(const void *key, const void *element)
{
	const struct dump_segment *segment = element;
	const uint64_t address = *(const uint64_t *)key;

	return address < segment->address ? -1 : address - segment->address >= segment->len_bytes;
}

/*
 * Find a page of the machine's memory. Returns its bytes, or NULL if the dump does not have
 * it.
 */
static const unsigned char *dump_page(uint64_t number)
{
	const struct dump_segment *segment;
	uint64_t address, offset;

	if (__builtin_mul_overflow(number, DUMP_PAGE_BYTES, &address))
		return NULL;
	segment = bsearch(&address, segments, nr_segments, sizeof(*segment),
			  compare_address);
	if (!segment)
		return NULL;
	offset = address - segment->address;
	return segment->len_bytes - offset < DUMP_PAGE_BYTES ? NULL : segment->bytes + offset;
}

/* ---- Sub-buffers ------------------------------------------------------- */

/* Read a packet header; return false if no sub-buffer begins at @bytes. */
static bool read_packet(const unsigned char *bytes, uint64_t len_bytes,
			struct vitrine_packet *ret)
{
	if (len_bytes < VITRINE_PREAMBLE_BYTES)
		return false;
	memcpy(ret, bytes + VITRINE_PACKET_OFFSET, sizeof(*ret));
	return ret->magic == VITRINE_PACKET_MAGIC &&
	       ret->subbuf_bytes <= MAX_SUBBUF_BYTES &&
	       ret->committed_bytes >= VITRINE_PREAMBLE_BYTES &&
	       ret->committed_bytes <= ret->subbuf_bytes &&
	       ret->committed_bytes <= len_bytes;
}

static bool is_sound(const unsigned char *bytes,
		     const struct vitrine_packet *packet)
{
	const struct vitrine_fxt_report report = { 0 };
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;

	err = vitrine_fxt_check_bytes(bytes, packet->committed_bytes, &report,
				      &summary);
	vitrine_error_destroy(err);
	return !err && !summary.nr_faults && summary.nr_subbufs == 1;
}

static void add_piece(const unsigned char *bytes, const struct vitrine_packet *packet)
{
	if (!is_sound(bytes, packet)) {
		nr_damaged++;
		return;
	}
	must_have(GROW(pieces, nr_pieces));
	pieces[nr_pieces++] = (struct piece){ *packet, bytes };
}

static void find_pieces(const struct dump_segment *segment)
{
	struct vitrine_packet packet;
	uint64_t offset;

	/* Sub-buffers begin on the machine's pages, but a segment may begin anywhere. */
	offset = -segment->address % DUMP_PAGE_BYTES;
	for (; offset < segment->len_bytes; offset += DUMP_PAGE_BYTES)
		if (read_packet(segment->bytes + offset,
				segment->len_bytes - offset, &packet))
			add_piece(segment->bytes + offset, &packet);
}

/* Sort the last session first. */
static int compare_sessions(const struct vitrine_packet *a, const struct vitrine_packet *b)
{
	return number_order(b->session_realtime_ns, a->session_realtime_ns) ?:
	       number_order(b->session, a->session);
}

/* Sort by session, then by CPU and sequence, the longest copy first. */
static int compare_pieces(const void *left, const void *right)
{
	const struct vitrine_packet *a = &((const struct piece *)left)->packet;
	const struct vitrine_packet *b = &((const struct piece *)right)->packet;

	return compare_sessions(a, b) ?: number_order(a->cpu, b->cpu) ?:
	       number_order(a->sequence, b->sequence) ?:
	       number_order(b->committed_bytes, a->committed_bytes);
}

/* Drop all but the longest copy of each sub-buffer of the last session. */
static void choose_pieces(void)
{
	const struct vitrine_packet *packet, *last;
	size_t i, nr = 0;

	SORT(pieces, nr_pieces, compare_pieces);
	for (i = 0; i < nr_pieces; i++) {
		packet = &pieces[i].packet;
		if (compare_sessions(packet, &pieces[0].packet))
			break;
		last = nr ? &pieces[nr - 1].packet : NULL;
		if (last && last->cpu == packet->cpu) {
			if (last->sequence == packet->sequence)
				continue;
			nr_lost -= last->lost_records;
		}
		trace_bytes += packet->committed_bytes;
		/* Each CPU has what was lost before its last sub-buffer. */
		nr_lost += packet->lost_records;
		pieces[nr++] = pieces[i];
	}
	nr_pieces = nr;
}

static struct vitrine_error *write_trace(void)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	size_t i;

	if (!nr_pieces)
		return make_error(EBADMSG, input.name,
				  "was vitrine.ko loaded, and is all memory in the dump?",
				  "no trace found");
	err = vitrine_writer_create(args.output, &writer);
	for (i = 0; !err && i < nr_pieces; i++)
		err = vitrine_writer_append(writer, pieces[i].bytes,
					    pieces[i].packet.committed_bytes);
	if (!err)
		err = vitrine_writer_commit(writer);
	vitrine_writer_destroy(writer);
	return err;
}

/* ---- Trees ------------------------------------------------------------- */

static bool is_name(const char *name)
{
	size_t i, len = strnlen(name, VITRINE_PAGES_NAME_BYTES);

	if (!len || len == VITRINE_PAGES_NAME_BYTES || name[0] == '.')
		return false;
	for (i = 0; i < len; i++)
		if ((unsigned char)name[i] <= ' ' || name[i] == '/' ||
		    (unsigned char)name[i] >= 0x7f)
			return false;
	return true;
}

/* Return page @index of a tree, or NULL if the dump does not have it. */
static const unsigned char *tree_page(const unsigned char *numbers, uint64_t index)
{
	uint64_t number;

	memcpy(&number, numbers + index * sizeof(number), sizeof(number));
	return dump_page(number);
}

/*
 * Return the size in the tree's header, or 0 if the header is not valid or a page is missing;
 * pages beyond the size are held in reserve.
 */
static uint64_t tree_bytes(const unsigned char *numbers, uint64_t nr_pages)
{
	const unsigned char *first = tree_page(numbers, 0);
	uint64_t i, words[3], len_bytes;

	if (!first || vitrine_format_detect(first, DUMP_PAGE_BYTES) != VITRINE_FORMAT_INSPECT)
		return 0;
	memcpy(words, first, sizeof(words));
	len_bytes = words[2] & INSPECT_W2_HEADER_SIZE;
	if (len_bytes > nr_pages * DUMP_PAGE_BYTES)
		return 0;
	for (i = 1; i < nr_pages; i++)
		if (!tree_page(numbers, i))
			return 0;
	return len_bytes;
}

/* Write the pages one by one, because a malformed dump may name one page many times. */
static struct vitrine_error *save_tree(const char *name, const unsigned char *numbers,
				       uint64_t len_bytes)
{
	autofree char *path = must_format("%s/%s" VITRINE_INSPECT_SUFFIX, args.directory, name);
	FILE *file = fopen(path, "we");
	struct vitrine_error *err;
	bool is_written = file;
	uint64_t i, len;

	for (i = 0; is_written && len_bytes; i++, len_bytes -= len) {
		len = len_bytes < DUMP_PAGE_BYTES ? len_bytes : DUMP_PAGE_BYTES;
		is_written = fwrite(tree_page(numbers, i), len, 1, file) == 1;
	}
	err = is_written ? NULL : vtr_error_os(errno, path, "cannot write");
	if (file && fclose(file) && !err)
		err = vtr_error_os(errno, path, "cannot write");
	return err;
}

/* @at is where the magic was found, @end where contiguous memory ends. */
static void recover_tree(const unsigned char *at, const unsigned char *end)
{
	struct vitrine_error *err;
	struct vitrine_pages pages;
	uint64_t len_bytes;

	if ((size_t)(end - at) < sizeof(pages))
		return;
	memcpy(&pages, at, sizeof(pages));
	at += sizeof(pages);
	if (!is_name(pages.name) || !pages.nr_pages ||
	    pages.nr_pages > MAX_TREE_PAGES ||
	    pages.nr_pages > (size_t)(end - at) / sizeof(pages.numbers[0]))
		return;
	len_bytes = tree_bytes(at, pages.nr_pages);
	if (!len_bytes) {
		nr_broken++;
		return;
	}
	err = save_tree(pages.name, at, len_bytes);
	if (err) {
		report_error(err);
		nr_unwritten++;
	} else {
		nr_trees++;
	}
}

static void find_trees(const struct dump_segment *segment)
{
	const unsigned char *end = segment->bytes + segment->len_bytes;
	const unsigned char *at = segment->bytes;
	uint64_t word;

	for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word == VITRINE_PAGES_MAGIC)
			recover_tree(at, end);
	}
}

/* ---- All of it --------------------------------------------------------- */

static struct vitrine_error *recover_all(void)
{
	struct vitrine_error *err;
	unsigned int i;

	err = input_open(&input, args.dump) ?: dump_open(input.path);
	if (err)
		return err;
	for (i = 0; i < nr_segments; i++) {
		find_pieces(&segments[i]);
		if (args.directory)
			find_trees(&segments[i]);
	}
	choose_pieces();
	return write_trace();
}

/* @err is why no trace was written, or NULL. */
static void print_json(const struct vitrine_error *err)
{
	json_init(true);
	json_begin();
	json_key_string("dump", args.dump);
	if (err) {
		json_key_string("error", err->message);
	} else {
		json_key_string("trace", args.output);
		json_key_uint("session", pieces[0].packet.session);
		json_key_uint("subbufs", nr_pieces);
		json_key_uint("size_bytes", trace_bytes);
		json_key_uint("lost_records", nr_lost);
	}
	json_key_uint("damaged_subbufs", nr_damaged);
	if (args.directory) {
		json_key_uint("trees", nr_trees);
		json_key_uint("incomplete_trees", nr_broken);
		json_key_uint("unwritten_trees", nr_unwritten);
	}
	json_end();
	json_finish();
}

static void print_summary(void)
{
	fprintf(stderr, "vitrine: %s: %zu sub-buffers of session %u, %" PRIu64 " bytes",
		args.output, nr_pieces,
		pieces[0].packet.session, trace_bytes);
	if (nr_lost)
		fprintf(stderr, ", %" PRIu64 " records lost",
			nr_lost);
	if (nr_damaged)
		fprintf(stderr, ", %u damaged sub-buffers left out",
			nr_damaged);
	if (args.directory)
		fprintf(stderr, ", %u trees", nr_trees);
	if (nr_broken)
		fprintf(stderr, ", %u trees with missing pages",
			nr_broken);
	if (nr_unwritten)
		fprintf(stderr, ", %u trees not written",
			nr_unwritten);
	fputc('\n', stderr);
}

/* Extract the trace and the trees from a dump. Returns enum exit_code. */
static int recover_run(void)
{
	struct vitrine_error *err;

	err = input_blame(&input, recover_all());
	if (args.json)
		print_json(err);
	else if (!err)
		print_summary();
	free(pieces);
	dump_close();
	input_close(&input);
	if (err)
		return report_error(err);
	return nr_unwritten ? EXIT_ENVIRONMENT : EXIT_DONE;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write the trace to FILE", .text = &args.output,
	  .is_needed = true },
	{ "directory", 'd', "DIR", "Write each tree to DIR/NAME.inspect", .text = &args.directory },
	{ "json", 'j', NULL, "Print a summary as JSON", .flag = &args.json },
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	if (args.json && !strcmp(args.output, "-"))
		argp_error(state, "the trace and JSON cannot both go to standard output");
}

static const struct command_line line = {
	.options = options,
	.check = check_args,
	.operand = &args.dump,
	.operand_name = "DUMP",
	.is_needed = true,
	.args_doc = "DUMP",
	.doc = "Extract the trace and the trees from a memory dump.\n"
	       "\013DUMP is raw memory from address 0 on, an ELF core, or a compressed dump of\n"
	       "makedumpfile; \"-\" is standard input.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine recover /proc/vmcore -o last.fxt\n"
	       "  vitrine recover dump.elf -o last.fxt -d trees",
};

int cmd_recover(int argc, char **argv)
{
	args = (struct recover_args){ 0 };
	options_parse(&line, argc, argv);
	return recover_run();
}
