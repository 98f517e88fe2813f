// SPDX-License-Identifier: GPL-2.0
/*
 * Extract the trace and the trees from a memory dump of a crashed machine, and print
 * what was found as text or as JSON (Documentation/json.rst).
 *
 * No symbols are needed. A sub-buffer is contiguous, begins on a page and has a
 * packet header; each one found is validated like the archive that it is. The dump
 * may hold copies, and sub-buffers of earlier sessions: the longest valid copy of
 * each sub-buffer of the last session is written. struct vitrine_pages lists the
 * pages of each tree.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "error.h"
#include "grow.h"
#include "input.h"
#include "report.h"
#include "ui/json.h"
#include "dump.h"
#include "recover.h"

/* A tree has at most 2^24 units of 16 bytes: an index has 24 bits. */
#define MAX_TREE_PAGES	65536U
#define MAX_SUBBUF_BYTES (64U << 20)

/* A valid sub-buffer in the dump. */
struct piece {
	struct vitrine_packet packet;
	const unsigned char *bytes;
};

/**
 * struct recover - a recovery in progress
 * @args: the options
 * @input: the file
 * @dump: memory in it
 * @pieces: valid sub-buffers; after choose_pieces(), those of the last session
 * @nr_pieces: number of @pieces
 * @nr_damaged: sub-buffers with a valid header and damaged contents
 * @nr_trees: trees written
 * @nr_broken: trees with missing pages
 * @nr_unwritten: trees that could not be written
 */
struct recover {
	const struct recover_args *args;
	struct input input;
	struct dump dump;
	struct piece *pieces;
	size_t nr_pieces;
	unsigned int nr_damaged;
	unsigned int nr_trees;
	unsigned int nr_broken;
	unsigned int nr_unwritten;
};

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

static struct vitrine_error *add_piece(struct recover *recover,
				       const unsigned char *bytes,
				       const struct vitrine_packet *packet)
{
	size_t nr = recover->nr_pieces;

	if (!is_sound(bytes, packet)) {
		recover->nr_damaged++;
		return NULL;
	}
	if (!GROW(recover->pieces, nr))
		return vtr_error_no_memory();
	recover->pieces[nr].packet = *packet;
	recover->pieces[nr].bytes = bytes;
	recover->nr_pieces++;
	return NULL;
}

static struct vitrine_error *find_pieces(struct recover *recover,
					 const struct dump_segment *segment)
{
	struct vitrine_error *err = NULL;
	struct vitrine_packet packet;
	uint64_t offset;

	/* Sub-buffers begin on the machine's pages, but a segment may begin anywhere. */
	offset = -segment->address % DUMP_PAGE_BYTES;
	for (; !err && offset < segment->len_bytes; offset += DUMP_PAGE_BYTES)
		if (read_packet(segment->bytes + offset,
				segment->len_bytes - offset, &packet))
			err = add_piece(recover, segment->bytes + offset,
					&packet);
	return err;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Sort the last session first, then by CPU and sequence, the longest copy first. */
static int compare_pieces(const void *left, const void *right)
{
	const struct vitrine_packet *a = &((const struct piece *)left)->packet;
	const struct vitrine_packet *b = &((const struct piece *)right)->packet;

	return compare(b->session_realtime_ns, a->session_realtime_ns) ?:
	       compare(b->session, a->session) ?:
	       compare(a->cpu, b->cpu) ?:
	       compare(a->sequence, b->sequence) ?:
	       compare(b->committed_bytes, a->committed_bytes);
}

static bool same_session(const struct vitrine_packet *a,
			 const struct vitrine_packet *b)
{
	return a->session_realtime_ns == b->session_realtime_ns &&
	       a->session == b->session;
}

/* Drop all but the longest copy of each sub-buffer of the last session. */
static void choose_pieces(struct recover *recover)
{
	struct piece *pieces = recover->pieces;
	const struct vitrine_packet *packet, *last;
	size_t i, nr = 0;

	if (recover->nr_pieces)
		qsort(pieces, recover->nr_pieces, sizeof(*pieces),
		      compare_pieces);
	for (i = 0; i < recover->nr_pieces; i++) {
		packet = &pieces[i].packet;
		if (!same_session(packet, &pieces[0].packet))
			break;
		last = nr ? &pieces[nr - 1].packet : NULL;
		if (last && last->cpu == packet->cpu &&
		    last->sequence == packet->sequence)
			continue;
		pieces[nr++] = pieces[i];
	}
	recover->nr_pieces = nr;
}

static struct vitrine_error *write_trace(struct recover *recover)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	size_t i;

	if (!recover->nr_pieces)
		return vitrine_error_create(EBADMSG, recover->input.name,
					    VITRINE_NO_OFFSET,
					    "was vitrine.ko loaded, and is all memory in the dump?",
					    "no trace found");
	err = vitrine_writer_create(recover->args->output, &writer);
	for (i = 0; !err && i < recover->nr_pieces; i++)
		err = vitrine_writer_append(writer, recover->pieces[i].bytes,
					    recover->pieces[i].packet.committed_bytes);
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

/* Copy the pages of a tree together; NULL if one is missing, or memory is. */
static unsigned char *collect(const struct recover *recover,
			      const unsigned char *numbers, uint64_t nr_pages)
{
	unsigned char *bytes = malloc(nr_pages * DUMP_PAGE_BYTES);
	const unsigned char *page;
	uint64_t i, number;

	for (i = 0; bytes && i < nr_pages; i++) {
		memcpy(&number, numbers + i * sizeof(number), sizeof(number));
		page = dump_page(&recover->dump, number);
		if (!page) {
			free(bytes);
			return NULL;
		}
		memcpy(bytes + i * DUMP_PAGE_BYTES, page, DUMP_PAGE_BYTES);
	}
	return bytes;
}

/* Return the size in the tree's header, or 0; later pages are held in reserve. */
static uint64_t tree_bytes(const unsigned char *bytes, uint64_t nr_pages)
{
	uint64_t words[3], len_bytes;

	memcpy(words, bytes, sizeof(words));
	len_bytes = words[2] & INSPECT_W2_HEADER_SIZE;
	if (vitrine_format_detect(bytes, DUMP_PAGE_BYTES) !=
	    VITRINE_FORMAT_INSPECT)
		return 0;
	return len_bytes && len_bytes <= nr_pages * DUMP_PAGE_BYTES ?
	       len_bytes : 0;
}

static struct vitrine_error *save_tree(const struct recover *recover,
				       const char *name,
				       const unsigned char *bytes,
				       uint64_t len_bytes)
{
	struct vitrine_error *err;
	bool is_written;
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/%s" VITRINE_INSPECT_SUFFIX,
		     recover->args->directory, name) < 0)
		return vtr_error_no_memory();
	file = fopen(path, "we");
	is_written = file && fwrite(bytes, len_bytes, 1, file) == 1;
	err = is_written ? NULL : vtr_error_os(errno, path, "cannot write");
	if (file && fclose(file) && !err)
		err = vtr_error_os(errno, path, "cannot write");
	free(path);
	return err;
}

/* @at is where the magic was found, @end where contiguous memory ends. */
static void recover_tree(struct recover *recover, const unsigned char *at,
			 const unsigned char *end)
{
	struct vitrine_error *err;
	struct vitrine_pages pages;
	unsigned char *bytes;
	uint64_t len_bytes;

	if ((size_t)(end - at) < sizeof(pages))
		return;
	memcpy(&pages, at, sizeof(pages));
	at += sizeof(pages);
	if (!is_name(pages.name) || !pages.nr_pages ||
	    pages.nr_pages > MAX_TREE_PAGES ||
	    pages.nr_pages > (size_t)(end - at) / sizeof(pages.numbers[0]))
		return;
	bytes = collect(recover, at, pages.nr_pages);
	len_bytes = bytes ? tree_bytes(bytes, pages.nr_pages) : 0;
	err = len_bytes ? save_tree(recover, pages.name, bytes, len_bytes) :
			  NULL;
	if (!len_bytes) {
		recover->nr_broken++;
	} else if (err) {
		report_error(err);
		recover->nr_unwritten++;
	} else {
		recover->nr_trees++;
	}
	free(bytes);
}

static void find_trees(struct recover *recover,
		       const struct dump_segment *segment)
{
	const unsigned char *end = segment->bytes + segment->len_bytes;
	const unsigned char *at = segment->bytes;
	uint64_t word;

	for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word == VITRINE_PAGES_MAGIC)
			recover_tree(recover, at, end);
	}
}

/* ---- All of it --------------------------------------------------------- */

static struct vitrine_error *recover_all(struct recover *recover)
{
	struct vitrine_error *err;
	unsigned int i;

	err = input_open(&recover->input, recover->args->dump);
	if (!err)
		err = dump_open(recover->input.path, &recover->dump);
	for (i = 0; !err && i < recover->dump.nr_segments; i++) {
		err = find_pieces(recover, &recover->dump.segments[i]);
		if (!err && recover->args->directory)
			find_trees(recover, &recover->dump.segments[i]);
	}
	if (err)
		return err;
	choose_pieces(recover);
	return write_trace(recover);
}

static uint64_t trace_bytes(const struct recover *recover)
{
	uint64_t len_bytes = 0;
	size_t i;

	for (i = 0; i < recover->nr_pieces; i++)
		len_bytes += recover->pieces[i].packet.committed_bytes;
	return len_bytes;
}

/* Return the records that were lost before the last sub-buffer of each CPU. */
static uint64_t lost_records(const struct recover *recover)
{
	const struct piece *pieces = recover->pieces;
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < recover->nr_pieces; i++)
		if (i + 1 == recover->nr_pieces ||
		    pieces[i + 1].packet.cpu != pieces[i].packet.cpu)
			lost += pieces[i].packet.lost_records;
	return lost;
}

/* @err is why no trace was written, or NULL. */
static void print_json(const struct recover *recover,
		       const struct vitrine_error *err)
{
	struct json_writer json;

	json_init(&json, stdout, true);
	json_begin(&json);
	json_key_string(&json, "dump", recover->args->dump);
	if (err) {
		json_key_string(&json, "error", err->message);
	} else {
		json_key_string(&json, "trace", recover->args->output);
		json_key_uint(&json, "session",
			      recover->pieces[0].packet.session);
		json_key_uint(&json, "subbufs", recover->nr_pieces);
		json_key_uint(&json, "size_bytes", trace_bytes(recover));
		json_key_uint(&json, "lost_records", lost_records(recover));
	}
	json_key_uint(&json, "damaged_subbufs", recover->nr_damaged);
	if (recover->args->directory) {
		json_key_uint(&json, "trees", recover->nr_trees);
		json_key_uint(&json, "incomplete_trees", recover->nr_broken);
		json_key_uint(&json, "unwritten_trees", recover->nr_unwritten);
	}
	json_end(&json);
	json_finish(&json);
}

static void print_summary(const struct recover *recover)
{
	fprintf(stderr, "vitrine: %s: %zu sub-buffers of session %u, %" PRIu64 " bytes",
		recover->args->output, recover->nr_pieces,
		recover->pieces[0].packet.session, trace_bytes(recover));
	if (lost_records(recover))
		fprintf(stderr, ", %" PRIu64 " records lost",
			lost_records(recover));
	if (recover->nr_damaged)
		fprintf(stderr, ", %u damaged sub-buffers left out",
			recover->nr_damaged);
	if (recover->args->directory)
		fprintf(stderr, ", %u trees", recover->nr_trees);
	if (recover->nr_broken)
		fprintf(stderr, ", %u trees with missing pages",
			recover->nr_broken);
	if (recover->nr_unwritten)
		fprintf(stderr, ", %u trees not written",
			recover->nr_unwritten);
	fputc('\n', stderr);
}

/**
 * recover_run() - extract the trace and the trees from a dump
 * @args: the options
 *
 * Return: enum exit_code.
 */
int recover_run(const struct recover_args *args)
{
	struct recover recover = { .args = args };
	struct vitrine_error *err;

	err = input_blame(&recover.input, recover_all(&recover));
	if (args->json)
		print_json(&recover, err);
	else if (!err)
		print_summary(&recover);
	free(recover.pieces);
	dump_close(&recover.dump);
	input_close(&recover.input);
	if (err)
		return report_error(err);
	return recover.nr_unwritten ? EXIT_ENVIRONMENT : EXIT_DONE;
}
