// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine snapshot': save what the flight recorder holds now, or what it holds once a trigger has
 * frozen it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "fxt_file.h"
#include "recording.h"

/**
 * struct snapshot_args - the options of `vitrine snapshot'
 * @output: file to write; "-": standard output; NULL: a name with the time
 * @wait: wait until a trigger freezes the rings
 */
static struct snapshot_args {
	const char *output;
	bool wait;
} args;

/* Larger than any sub-buffer. */
#define MAX_SUBBUF_BYTES	(64U << 20)

/* The file trace.fxt, while it is copied, and its name. */
static FILE *file;
static char *file_path;

/* What is added to its sub-buffers. */
static struct fxt_wakers wakers;

/* A sub-buffer, and the room for it in bytes. */
static uint64_t *words;
static size_t words_size;

static struct vitrine_writer *writer;

/* Make an error of the state in which no trigger can fire. */
static struct vitrine_error *hopeless(const char *line, const char *path)
{
	if (text_after(line, "none"))
		return make_error(EINVAL, path, "write a trigger to it, such as `latency_us=1000'",
				  "no trigger is armed");
	return make_error(EINVAL, path, "write 1 to trace/enable, then wait again",
			  "recording is off: no trigger can fire");
}

static struct vitrine_error *wait_for_trigger(void)
{
	autofree char *path = debugfs_path("trace/trigger");
	struct pollfd trigger = { .fd = open(path, O_RDONLY | O_CLOEXEC), .events = POLLPRI };
	char line[128] = "";

	if (trigger.fd < 0)
		return debugfs_explain(errno, path);
	while (poll(&trigger, 1, -1) < 0)
		if (errno != EINTR)
			return vtr_error_os(errno, path, "cannot wait for a trigger");
	if (read(trigger.fd, line, sizeof(line) - 1) < 0)
		return vtr_error_os(errno, path, "cannot read");
	if (!(trigger.revents & POLLPRI))
		return hopeless(line, path);
	fprintf(stderr, "vitrine: %s", line);
	close(trigger.fd);
	return NULL;
}

/* Read more of a sub-buffer. Return the number of bytes that are there then. */
static size_t read_until(size_t nr_bytes, size_t end)
{
	return nr_bytes + fread((char *)words + nr_bytes, 1, end - nr_bytes, file);
}

/* Copy a sub-buffer, of which the magic record has been read. */
static struct vitrine_error *copy_subbuf(void)
{
	size_t len_bytes = read_until(FXT_WORD_BYTES, VITRINE_PREAMBLE_BYTES);
	const void *bytes = words;
	struct vitrine_error *err = NULL;
	struct vitrine_packet packet;

	/* An archive without records has the magic record alone. */
	if (len_bytes < VITRINE_PREAMBLE_BYTES)
		return vitrine_writer_append(writer, bytes, len_bytes);
	memcpy(&packet, (const char *)bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.committed_bytes % FXT_WORD_BYTES ||
	    packet.committed_bytes < len_bytes || packet.committed_bytes > MAX_SUBBUF_BYTES)
		return make_error(EBADMSG, file_path, NULL, "sub-buffer without a packet header");
	must_have(GROW_BYTES(words, words_size, packet.committed_bytes));
	len_bytes = read_until(len_bytes, packet.committed_bytes);
	bytes = words;
	if (len_bytes == packet.committed_bytes)
		err = fxt_wakers_name(&wakers, &bytes, &len_bytes);
	return err ?: vitrine_writer_append(writer, bytes, len_bytes);
}

/* Copy all sub-buffers, and the records between them, which have one word. */
static struct vitrine_error *copy_all(void)
{
	struct vitrine_error *err = NULL;
	size_t len_bytes;

	must_have(GROW_BYTES(words, words_size, VITRINE_PREAMBLE_BYTES));
	while (!err && (len_bytes = read_until(0, FXT_WORD_BYTES)))
		err = len_bytes == FXT_WORD_BYTES && *words == FXT_MAGIC_RECORD ?
			      copy_subbuf() :
			      vitrine_writer_append(writer, words, len_bytes);
	if (!err && ferror(file))
		err = vtr_error_os(errno, file_path, "cannot read");
	return err;
}

static struct vitrine_error *save(const char *output)
{
	struct vitrine_error *err;

	file_path = debugfs_path("trace/trace.fxt");
	file = fopen(file_path, "re");
	if (!file)
		return debugfs_explain(errno, file_path);
	err = vitrine_writer_create(output, &writer) ?: copy_all() ?:
	      vitrine_writer_commit(writer);
	if (!err)
		print_note(output, "%" PRIu64 " bytes",
			   vitrine_writer_len(writer));
	vitrine_writer_destroy(writer);
	fclose(file);
	return err;
}

/* Save the contents of the flight recorder. Returns enum exit_code. */
static int snapshot_run(void)
{
	struct vitrine_error *err = args.wait ? wait_for_trigger() : NULL;

	err = err ?: save(trace_name(args.output));
	if (!err)
		return EXIT_DONE;
	report_error(err);
	return EXIT_ENVIRONMENT;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write the trace to FILE", .text = &args.output },
	{ "wait", 'w', NULL, "Wait until a trigger freezes the rings", .flag = &args.wait },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.doc = "Save the flight recorder's contents to a file.\n"
	       "\013\"-\" as FILE is standard output. Recording continues. Without -o, the file is\n"
	       "vitrine-YYYYmmdd-HHMMSS.fxt.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine snapshot -o now.fxt\n"
	       "  vitrine snapshot --wait -o late.fxt",
};

int cmd_snapshot(int argc, char **argv)
{
	args = (struct snapshot_args){ 0 };
	options_parse(&line, argc, argv);
	return snapshot_run();
}
