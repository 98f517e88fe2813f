// SPDX-License-Identifier: GPL-2.0
/*
 * Drain the rings of all CPUs into one file, or into several files, of which the last are kept.
 *
 * Each sub-buffer is an archive of its own and is copied as it is, but for the waker of each
 * wakeup, which is added; records are added where records were lost, and before the first
 * sub-buffer of a file, to tell which processes are the recorder's. When a session ends,
 * its ring is drained to the end and closed; then the same path opens the ring of the next
 * session.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "recording.h"
#include "ring.h"
#include "writer.h"

struct rotation rotation;
struct recorder recorder = { .epoll_fd = -1 };

/* ---- Names ------------------------------------------------------------- */

/**
 * trace_name() - choose the name of a trace
 * @name: name that the user gave, or NULL
 *
 * Return: @name, or else a name with the local time, valid until the next call.
 */
const char *trace_name(const char *name)
{
	static char own[sizeof("vitrine-YYYYYYYYmmdd-HHMMSS.fxt")];
	time_t now = time(NULL);

	strftime(own, sizeof(own), "vitrine-%Y%m%d-%H%M%S.fxt", localtime(&now));
	return name ? name : own;
}

/* ---- Files ------------------------------------------------------------- */

/*
 * Each sub-buffer has its names and its clock, so a file that begins with any sub-buffer is
 * a complete trace. A file has a temporary name until it is complete.
 */

/* Return a pointer to ".fxt" or ".fxt.zst" at the end of a name, or to its end. */
static const char *suffix_of(const char *name)
{
	static const char * const suffixes[] = { ".fxt", ".fxt.zst" };
	size_t len = strlen(name), i;

	for (i = 0; i < ARRAY_LEN(suffixes); i++)
		if (ends_in(name, len, suffixes[i]))
			return name + len - strlen(suffixes[i]);
	return name + len;
}

/* Return the name of a file, to be freed. */
static char *name_of(unsigned int number)
{
	const char *output = rotation.output, *suffix = suffix_of(output);

	if (!rotation.limit_bytes)
		return must_format("%s", output);
	return must_format("%.*s.%06u%s", (int)(suffix - output), output, number, suffix);
}

/**
 * rotation_open() - begin a file; there is no current one
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_open(void)
{
	autofree char *name = name_of(rotation.nr_files + 1);
	struct vitrine_error *err = vitrine_writer_create(name, &rotation.writer);

	if (err)
		return err;
	rotation.nr_files++;
	rotation.is_noted = false;
	return rotation.zstd ? vtr_writer_pack(rotation.writer) : NULL;
}

/* The new file has its name, so at no time are there fewer complete files than wanted. */
static struct vitrine_error *remove_oldest(void)
{
	autofree char *name = NULL;

	if (!rotation.nr_keep || rotation.nr_files <= rotation.nr_keep)
		return NULL;
	name = name_of(rotation.nr_files - rotation.nr_keep);
	return unlink(name) && errno != ENOENT ?
		       vtr_error_os(errno, name, "cannot remove") : NULL;
}

/**
 * rotation_commit() - complete the current file, if there is one
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_commit(void)
{
	return rotation.writer ?
	       vitrine_writer_commit(rotation.writer) ?: remove_oldest() : NULL;
}

/* Begin the next file if the current one is large enough. */
static struct vitrine_error *advance(void)
{
	struct vitrine_error *err;

	if (!rotation.limit_bytes ||
	    vitrine_writer_len(rotation.writer) < rotation.limit_bytes)
		return NULL;
	err = rotation_commit();
	if (err)
		return err;
	rotation.bytes_before += vitrine_writer_len(rotation.writer);
	vitrine_writer_destroy(rotation.writer);
	rotation.writer = NULL;
	return rotation_open();
}

/*
 * Write the notes at the latest time at which a ring begins: of a command, this is before its fork,
 * and no ring seems to lack what was before.
 */
static struct vitrine_error *append_notes(void)
{
	uint64_t ticks = 0, begin_ticks;
	unsigned int i;

	for (i = 0; i < recorder.nr_cpus; i++) {
		if (!recorder.cpus[i].ring)
			continue;
		begin_ticks = vtr_ring_begin_ticks(recorder.cpus[i].ring);
		if (begin_ticks > ticks)
			ticks = begin_ticks;
	}
	rotation.is_noted = ticks;
	return ticks ? notes_append(rotation.writer, ticks, recorder.ticks_per_second) : NULL;
}

/**
 * rotation_append() - write a sub-buffer, and what was lost before it
 * @subbuf: sub-buffer
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_append(const struct vitrine_subbuf *subbuf)
{
	struct vitrine_error *err = advance();

	if (!err && !rotation.is_noted)
		err = append_notes();
	if (!err && subbuf->loss.nr_records)
		err = vitrine_writer_append_loss(rotation.writer, &subbuf->loss);
	return err ?: vitrine_writer_append(rotation.writer, subbuf->bytes, subbuf->len_bytes);
}

/**
 * rotation_len() - return how much has been written
 *
 * Return: bytes of all files, also of those that have been removed.
 */
uint64_t rotation_len(void)
{
	return rotation.bytes_before +
	       (rotation.writer ? vitrine_writer_len(rotation.writer) : 0);
}

/* ---- Rings ------------------------------------------------------------- */

static struct vitrine_error *open_ring(struct recorder_cpu *cpu)
{
	struct epoll_event event = {
		.events = EPOLLIN,
		.data.u64 = cpu - recorder.cpus,
	};
	unsigned int flags = recorder.started ? VITRINE_RING_FROM_START : 0;
	struct vitrine_error *err;

	err = vitrine_ring_create(cpu->path, flags, &cpu->ring);
	if (!err)
		vtr_ring_clock(cpu->ring, &recorder.ticks_per_second);
	/* A ring that cannot be polled (EPERM) is drained once a second, at the tick. */
	if (!err && epoll_ctl(recorder.epoll_fd, EPOLL_CTL_ADD, vitrine_ring_fd(cpu->ring),
			      &event) && errno != EPERM)
		return vtr_error_os(errno, cpu->path, "cannot poll");
	/* The ring does not exist yet, or no longer: try again at the next tick. */
	if (err && recorder.started && (err->code == ENODEV || err->code == ENOENT)) {
		vitrine_error_destroy(err);
		return NULL;
	}
	return err;
}

static bool knows_cpu(unsigned int number)
{
	unsigned int i;

	for (i = 0; i < recorder.nr_cpus; i++)
		if (recorder.cpus[i].number == number)
			return true;
	return false;
}

static struct vitrine_error *add_cpus(void)
{
	autofree char *path = debugfs_path(VITRINE_TRACE_DIR);
	const struct dirent *entry;
	DIR *dir = opendir(path);
	unsigned int number;
	char rest;

	if (!dir && !recorder.started)
		return debugfs_explain(errno, path);
	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "cpu%u%c", &number, &rest) != 1 || knows_cpu(number) ||
		    (recorder.filter && !record_filter_match_cpu(recorder.filter, number)))
			continue;
		must_have(GROW(recorder.cpus, recorder.nr_cpus));
		recorder.cpus[recorder.nr_cpus++] = (struct recorder_cpu){
			.path = must_format("%s/%s", path, entry->d_name),
			.number = number,
			.sequence = VTR_RING_NO_SEQUENCE,
		};
	}
	if (dir)
		closedir(dir);
	return recorder.nr_cpus ? NULL :
	       make_error(ENOENT, path, NULL, "no ring of any CPU found");
}

/**
 * recorder_scan() - find and open new rings
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *recorder_scan(void)
{
	struct vitrine_error *err;
	unsigned int i;

	err = add_cpus();
	for (i = 0; !err && i < recorder.nr_cpus; i++)
		if (!recorder.cpus[i].ring)
			err = open_ring(&recorder.cpus[i]);
	return err;
}

/* Begin each ring again, but not with the sub-buffers that were written the last time. */
static struct vitrine_error *begin_rings(void)
{
	struct vitrine_error *err = NULL;
	struct recorder_cpu *cpu;
	unsigned int i;

	for (i = 0; !err && i < recorder.nr_cpus; i++) {
		cpu = &recorder.cpus[i];
		err = vtr_ring_begin(cpu->ring, &cpu->sequence);
	}
	return err;
}

/**
 * recorder_begin() - leave out what was written before; called after recorder_scan()
 * @flush: lets each CPU begin a new sub-buffer; returns false if it cannot, and the recording
 *	then begins with the sub-buffers being written
 *
 * Return: NULL, or an error of a ring.
 */
struct vitrine_error *recorder_begin(bool (*flush)(void))
{
	struct vitrine_error *err;

	/* In streaming mode, this makes room for a new sub-buffer. */
	err = begin_rings();
	return err || !flush() ? err : begin_rings();
}

static struct vitrine_error *append(struct recorder_cpu *cpu, const struct vitrine_subbuf *subbuf)
{
	struct vitrine_subbuf named = *subbuf;
	struct vitrine_error *err;

	err = fxt_wakers_name(&cpu->wakers, &named.bytes, &named.len_bytes) ?:
	      rotation_append(&named);
	if (err)
		return err;
	recorder.nr_lost += subbuf->nr_lost;
	recorder.nr_switches += subbuf->nr_switches;
	cpu->nr_switches += subbuf->nr_switches;
	cpu->nr_wakeups += subbuf->nr_wakeups;
	cpu->nr_events += subbuf->nr_records - subbuf->nr_switches -
			  subbuf->nr_wakeups;
	if (subbuf->nr_records && !cpu->seen) {
		cpu->seen = true;
		recorder.nr_seen++;
	}
	return NULL;
}

static struct vitrine_error *take_all(struct recorder_cpu *cpu)
{
	const struct vitrine_subbuf *subbuf;
	struct vitrine_error *err;

	do {
		err = vitrine_ring_next(cpu->ring, &subbuf);
		if (!err && subbuf)
			err = append(cpu, subbuf);
	} while (!err && subbuf);
	return err;
}

static struct vitrine_error *finish_ring(struct recorder_cpu *cpu)
{
	struct vitrine_error *err = take_all(cpu);

	if (!recorder.is_over)
		recorder.nr_lost += vitrine_ring_unwritten(cpu->ring);
	/* Closing the ring removes it from the epoll set. */
	vitrine_ring_destroy(cpu->ring);
	cpu->ring = NULL;
	return err;
}

/**
 * recorder_drain() - append the complete sub-buffers of a CPU
 * @index: index of the CPU
 *
 * Return: NULL, or an error of the ring or of writing.
 */
struct vitrine_error *recorder_drain(unsigned int index)
{
	struct recorder_cpu *cpu = &recorder.cpus[index];

	if (!cpu->ring)
		return NULL;
	if (!vitrine_ring_closed(cpu->ring))
		return take_all(cpu);
	vitrine_ring_stop(cpu->ring);
	return finish_ring(cpu) ?: open_ring(cpu);
}

/**
 * recorder_drain_all() - append the complete sub-buffers of all CPUs
 *
 * Return: NULL, or the first error.
 */
struct vitrine_error *recorder_drain_all(void)
{
	struct vitrine_error *err = NULL;
	unsigned int i;

	for (i = 0; !err && i < recorder.nr_cpus; i++)
		err = recorder_drain(i);
	return err;
}

/**
 * recorder_finish() - append everything that has been written so far
 * @flush: called if recording has begun, as for recorder_begin(): the last sub-buffer of each
 *	CPU then tells when recording ended, and how many records were lost until then
 *
 * Return: NULL, or the first error.
 */
struct vitrine_error *recorder_finish(bool (*flush)(void))
{
	const uint64_t magic = FXT_MAGIC_RECORD;
	struct vitrine_error *err;
	unsigned int i;

	/* A session may have ended, or a CPU appeared, since the last drain. */
	err = recorder_drain_all();
	if (!err && recorder.started)
		err = recorder_scan();
	if (recorder.started)
		flush();
	/* Stop all rings at once, so that no CPU is recorded for much longer. */
	for (i = 0; i < recorder.nr_cpus; i++)
		if (recorder.cpus[i].ring)
			vitrine_ring_stop(recorder.cpus[i].ring);
	for (i = 0; !err && i < recorder.nr_cpus; i++)
		if (recorder.cpus[i].ring)
			err = finish_ring(&recorder.cpus[i]);
	/* A trace without records is valid, too: the rings may be frozen. */
	if (!err && vtr_writer_is_empty(rotation.writer))
		err = vitrine_writer_append(rotation.writer, &magic,
					    sizeof(magic));
	return err ?: vtr_writer_flush(rotation.writer);
}

/**
 * recorder_close() - close all rings, until the next recorder_scan()
 */
void recorder_close(void)
{
	unsigned int i;

	for (i = 0; i < recorder.nr_cpus; i++) {
		vitrine_ring_destroy(recorder.cpus[i].ring);
		recorder.cpus[i].ring = NULL;
	}
}

/**
 * recorder_deinit() - close all rings, and the file
 */
void recorder_deinit(void)
{
	unsigned int i;

	recorder_close();
	for (i = 0; i < recorder.nr_cpus; i++) {
		fxt_wakers_deinit(&recorder.cpus[i].wakers);
		free(recorder.cpus[i].path);
	}
	free(recorder.cpus);
	vitrine_writer_destroy(rotation.writer);
	close_file(&recorder.epoll_fd);
}
