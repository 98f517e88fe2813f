// SPDX-License-Identifier: GPL-2.0
/*
 * Note in each file which processes are the recorder and its helpers, and which one is its command,
 * for `vitrine why'. fxt.rst describes these events. They are not in the rings, so no other
 * recording has them.
 */
#include <string.h>
#include <sys/stat.h>

#include <vitrine/map.h>

#include "base.h"
#include "fxt_record.h"
#include "recording.h"

/* Inode of the PID namespace to which the ids in traces belong: PROC_PID_INIT_INO of the kernel. */
#define INIT_PID_NAMESPACE	0xeffffffcU

/* The recorder, two processes that restore settings, the reader of ftrace, and the command. */
#define MAX_NOTES		5

/* Words of an event, whose texts have one or two words, and of what precedes the events. */
#define NOTE_WORDS		8

static struct {
	pid_t pid;
	const char *name;
} notes[MAX_NOTES];
static unsigned int nr_notes;

/**
 * notes_know_pids() - check whether the ids of processes here are those in traces
 *
 * Return: false in another PID namespace than the first one.
 */
bool notes_know_pids(void)
{
	struct stat namespace;

	return stat("/proc/self/ns/pid", &namespace) || namespace.st_ino == INIT_PID_NAMESPACE;
}

/**
 * notes_add() - note a process in each file that begins from now on
 * @pid: the process; 0 or less: there is none
 * @name: "recorder" for one of the recorder's, or "command"
 */
void notes_add(pid_t pid, const char *name)
{
	if (pid <= 0 || nr_notes == MAX_NOTES || !notes_know_pids())
		return;
	notes[nr_notes].pid = pid;
	notes[nr_notes++].name = name;
}

/**
 * notes_append() - write the notes, if there are any
 * @writer: the file
 * @ticks: time of the events
 * @ticks_per_second: rate of the clock
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *notes_append(struct vitrine_writer *writer, uint64_t ticks,
				   uint64_t ticks_per_second)
{
	uint64_t words[NOTE_WORDS * (1 + MAX_NOTES)];
	struct fxt_encoder to = {
		.words = words,
		.size = ARRAY_LEN(words),
		.inline_threads = true,
	};
	struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_EVENT,
		.ticks = ticks,
		.event.category = { VITRINE_PROVIDER_NAME, strlen(VITRINE_PROVIDER_NAME) },
	};
	unsigned int i;

	fxt_encode_magic(&to);
	fxt_encode_provider(&to, VITRINE_FXT_PROVIDER_INFO, FXT_OTHER_PROVIDER, "recorder");
	fxt_encode_initialization(&to, ticks_per_second);
	for (i = 0; i < nr_notes; i++) {
		record.event.thread = (struct vitrine_fxt_thread){ notes[i].pid, notes[i].pid };
		record.event.name =
			(struct vitrine_fxt_string){ notes[i].name, strlen(notes[i].name) };
		fxt_encode(&to, &record);
	}
	return nr_notes ? vitrine_writer_append(writer, words, to.nr * FXT_WORD_BYTES) : NULL;
}
