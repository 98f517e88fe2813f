// SPDX-License-Identifier: GPL-2.0
/*
 * Record events of ftrace into the trace. An instance of tracefs, which no other tracer
 * uses, has the events enabled; the helper read-tracefs converts them to sub-buffers, which
 * are written among those of the rings.
 *
 * The instance uses the clock of the session. If ftrace does not have it, which is the case
 * for the counter of arm64, the instance uses CLOCK_MONOTONIC and the helper converts it.
 *
 * The restorer removes the instance and the probes at the end, whatever ends the recorder.
 * An instance cannot be removed while the helper has its files open, so the restorer waits
 * until the helper has closed its end of the socket.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "error.h"
#include "events.h"
#include "kernel_events.h"
#include "nearest.h"
#include "probes.h"
#include "ring.h"

/* Longest sub-buffer that the helper writes. */
#define SUBBUF_BYTES	65536

static const struct helper reader = {
	.name = "read-tracefs",
	.library = "libtraceevent",
	.purpose = "recording events of ftrace (-e)",
	.install = "install the package vitrine-tools; to build it, see README",
	.advice = "record fewer events with -e to find out which one it is",
};

/* ---- The instance ------------------------------------------------------- */

/* In the restorer: the recorder has ended, so the helper gets the end of its input. */
static void restore(void *ctx, const char *setting)
{
	const struct kernel_events *events = ctx;
	char byte;

	close(events->control[1]);
	shutdown(events->control[0], SHUT_WR);
	while (read(events->control[0], &byte, 1) > 0)
		;
	tracefs_remove(&events->tracefs);
}

/* Start the process that removes the instance. */
static struct vitrine_error *start_restorer(struct kernel_events *events)
{
	if (restorer_start(&events->restorer, restore, events) ||
	    restorer_announce(&events->restorer, events->tracefs.name)) {
		tracefs_remove(&events->tracefs);
		return vtr_error_os(errno, NULL, "cannot start a process");
	}
	return NULL;
}

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);
	const char *at = words;

	for (; (at = strstr(at, word)); at += len)
		if ((at == words || strchr(" [", at[-1])) && strchr(" ]\n", at[len]))
			return true;
	return false;
}

/* Find the clock of ftrace that is that of the session. */
static const char *clock_name(const char *clocks, unsigned int clock, bool *ret_is_converted)
{
	*ret_is_converted = false;
	switch (clock) {
	case VITRINE_CLOCK_LOCAL:
		return "perf";
	case VITRINE_CLOCK_BOOT:
		return "boot";
	case VITRINE_CLOCK_COUNTER:
		if (has_word(clocks, "x86-tsc"))
			return "x86-tsc";
		*ret_is_converted = true;
		return "mono";
	default:
		return "mono";
	}
}

/* Set the clock of the instance, and tell the helper about the session. */
static struct vitrine_error *set_clock(struct kernel_events *events,
				       const struct vitrine_ring *ring)
{
	char *clocks = tracefs_read(events->tracefs.instance, "trace_clock");
	struct vitrine_error *err;
	uint64_t ticks_per_second;
	bool is_converted;
	unsigned int clock;
	const char *name;

	if (!clocks)
		return tracefs_explain(errno, events->tracefs.instance);
	clock = vtr_ring_clock(ring, &ticks_per_second);
	name = clock_name(clocks, clock, &is_converted);
	free(clocks);
	err = tracefs_write(events->tracefs.instance, "trace_clock", name);
	if (!err)
		dprintf(events->control[0], "%u %" PRIu64 " %u %u\n", clock, ticks_per_second,
			vitrine_ring_session(ring), is_converted);
	return err;
}

/* ---- Events ------------------------------------------------------------- */

/* Explain why a filter was refused; the kernel writes the reason to the file. */
static struct vitrine_error *explain_filter(const char *directory, const char *filter,
					    const char *event)
{
	char *text = tracefs_read(directory, "filter");
	const char *reason = text ? strstr(text, "parse_error: ") : NULL;
	struct vitrine_error *err;

	if (reason)
		reason += strlen("parse_error: ");
	err = vitrine_error_create(EINVAL, NULL, VITRINE_NO_OFFSET,
				   "the fields are in events/SYSTEM/EVENT/format of tracefs",
				   "--filter '%s' for %s: %.*s", filter, event,
				   reason ? (int)strcspn(reason, "\n") : 11,
				   reason ? reason : "not a filter");
	free(text);
	return err;
}

static struct vitrine_error *enable_event(struct kernel_events *events, const char *event,
					  const char *filter)
{
	const char *name = strchr(event, ':') + 1;
	struct vitrine_error *err = NULL;
	char *directory;

	if (asprintf(&directory, "%s/events/%.*s/%s", events->tracefs.instance,
		     (int)(name - 1 - event), event, name) < 0)
		return vtr_error_no_memory();
	if (filter)
		err = tracefs_write(directory, "filter", filter);
	if (err && err->code == EINVAL) {
		vitrine_error_destroy(err);
		err = explain_filter(directory, filter, event);
	}
	if (!err)
		err = tracefs_write(directory, "enable", "1");
	free(directory);
	return err;
}

/* Remember an event for the helper, once. */
static bool remember(struct kernel_events *events, const char *event)
{
	const char *before = events->names ? events->names : "", *found = before;
	const size_t len = strlen(event);
	char *names;

	for (; (found = strstr(found, event)); found += len)
		if ((found == before || found[-1] == '\n') && found[len] == '\n')
			return true;
	if (asprintf(&names, "%s%s\n", before, event) < 0)
		return false;
	free(events->names);
	events->names = names;
	return true;
}

/* Make an error about an event that ftrace does not have. */
static struct vitrine_error *no_event(const struct kernel_event_wish *wish,
				      const struct nearest *nearest)
{
	char advice[NEAREST_BYTES + 64] = "see `vitrine list --events'";
	char system[NEAREST_BYTES], hint[NEAREST_BYTES + 64] = "";

	snprintf(system, sizeof(system), "%.*s", (int)strcspn(wish->event, ":"), wish->event);
	if (events_has_category(system)) {
		snprintf(hint, sizeof(hint),
			 "; %s is also a category of trace/events, recorded as a whole", system);
		snprintf(advice, sizeof(advice), "write `+%s' to trace/events before", system);
	}
	if (nearest->best[0])
		snprintf(advice, sizeof(advice), "the nearest name is \"%s\"", nearest->best);
	return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET, advice,
				    "-e %s: ftrace has no such event%s", wish->event, hint);
}

/* Enable the events that match; there must be one. */
static struct vitrine_error *enable_matching(struct kernel_events *events, char *available,
					     const struct kernel_event_wish *wish)
{
	struct vitrine_error *err = NULL;
	unsigned int nr_found = 0;
	struct nearest nearest;
	char *event, *rest;

	nearest_init(&nearest, wish->event, strlen(wish->event));
	for (event = strtok_r(available, "\n", &rest); !err && event;
	     event = strtok_r(NULL, "\n", &rest)) {
		if (fnmatch(wish->event, event, 0)) {
			nearest_offer(&nearest, event, strlen(event));
			continue;
		}
		nr_found++;
		err = remember(events, event) ? enable_event(events, event, wish->filter) :
						vtr_error_no_memory();
	}
	return err || nr_found ? err : no_event(wish, &nearest);
}

static struct vitrine_error *enable_probe(struct kernel_events *events,
					  const struct kernel_event_wish *wish)
{
	const unsigned int number = 1 + (wish - events->wishes);
	struct vitrine_error *err;
	char *event;

	err = probes_add(&events->tracefs, wish->event, number, &event);
	if (err)
		return err;
	err = remember(events, event) ? enable_event(events, event, wish->filter) :
					vtr_error_no_memory();
	free(event);
	return err;
}

static struct vitrine_error *enable_wish(struct kernel_events *events,
					 const struct kernel_event_wish *wish)
{
	struct vitrine_error *err;
	char *available;

	if (probes_is_probe(wish->event))
		return enable_probe(events, wish);
	available = tracefs_read(events->tracefs.mount, "available_events");
	if (!available)
		return tracefs_explain(errno, events->tracefs.mount);
	err = enable_matching(events, available, wish);
	free(available);
	return err;
}

/**
 * kernel_events_prepare() - create the instance and enable the events in it
 * @events: all zero but the wishes, and descriptors that are -1
 *
 * Nothing is recorded before kernel_events_enable(). What a crash has left behind is
 * removed, even if there are no wishes. Called before the rings are opened, because the
 * restorer must not inherit them.
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_prepare(struct kernel_events *events)
{
	struct vitrine_error *err;
	unsigned int i;

	err = tracefs_open(&events->tracefs);
	if (!err)
		tracefs_clean(&events->tracefs);
	if (!events->nr_wishes) {
		vitrine_error_destroy(err);
		return NULL;
	}
	events->subbuf = malloc(SUBBUF_BYTES);
	if (!err && !events->subbuf)
		err = vtr_error_no_memory();
	if (!err && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, events->control))
		err = vtr_error_os(errno, NULL, "cannot start a process");
	if (!err)
		err = tracefs_create(&events->tracefs);
	if (!err)
		err = start_restorer(events);
	for (i = 0; !err && i < events->nr_wishes; i++)
		err = enable_wish(events, &events->wishes[i]);
	return err;
}

/* ---- The helper --------------------------------------------------------- */

/**
 * kernel_events_start() - start the helper
 * @events: after kernel_events_prepare()
 * @ring: a ring of the session
 *
 * Return: NULL, or an error; then events->data_fd can be waited for, if there are wishes.
 */
struct vitrine_error *kernel_events_start(struct kernel_events *events,
					  const struct vitrine_ring *ring)
{
	struct vitrine_error *err;
	int fds[2];

	if (!events->nr_wishes)
		return NULL;
	err = set_clock(events, ring);
	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return vtr_error_os(errno, NULL, "cannot start a process");
	err = helper_start(&reader, events->tracefs.instance, events->control[1], fds[1],
			   &events->helper);
	close(fds[1]);
	events->data_fd = fds[0];
	if (err)
		return err;
	close(events->control[1]);
	events->control[1] = -1;
	events->is_running = true;
	dprintf(events->control[0], "%s\n", events->names);
	return NULL;
}

/**
 * kernel_events_enable() - begin to record
 * @events: after kernel_events_start()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_enable(struct kernel_events *events)
{
	return events->nr_wishes ?
		       tracefs_write(events->tracefs.instance, "tracing_on", "1") : NULL;
}

/* Return up to which length the sub-buffer can be read; 0: it is malformed. */
static size_t known_len(const struct kernel_events *events)
{
	struct vitrine_packet packet;

	if (events->nr_subbuf < VITRINE_PREAMBLE_BYTES)
		return VITRINE_PREAMBLE_BYTES;
	memcpy(&packet, events->subbuf + VITRINE_PACKET_OFFSET, sizeof(packet));
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.committed_bytes > SUBBUF_BYTES ||
	    packet.committed_bytes < events->nr_subbuf)
		return 0;
	return packet.committed_bytes;
}

static struct vitrine_error *end_helper(struct kernel_events *events)
{
	events->is_running = false;
	return helper_finish(&reader, events->tracefs.instance, &events->helper);
}

/* Read once, and write the sub-buffer if it is complete. Set *@ret_end at the end. */
static struct vitrine_error *read_once(struct kernel_events *events, struct rotation *files,
				       bool *ret_end)
{
	struct vitrine_subbuf subbuf = { .bytes = events->subbuf, .loss.cpu = WINDOW_NO_CPU };
	struct vitrine_error *err;
	ssize_t len;

	do {
		len = read(events->data_fd, events->subbuf + events->nr_subbuf,
			   known_len(events) - events->nr_subbuf);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return vtr_error_os(errno, reader.name, "cannot read from it");
	*ret_end = !len;
	events->nr_subbuf += len;
	if (!known_len(events))
		return vitrine_error_create(EBADMSG, reader.name, VITRINE_NO_OFFSET, NULL,
					    "it wrote a malformed sub-buffer");
	if (events->nr_subbuf < known_len(events))
		return NULL;
	subbuf.len_bytes = events->nr_subbuf;
	err = rotation_append(files, &subbuf);
	events->nr_subbuf = 0;
	return err;
}

/**
 * kernel_events_read() - append what the helper has written, if events->data_fd is readable
 * @events: after kernel_events_start()
 * @files: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_read(struct kernel_events *events, struct rotation *files)
{
	struct vitrine_error *err;
	bool end = false;

	err = read_once(events, files, &end);
	if (err || !end)
		return err;
	err = end_helper(events);
	return err ? err : vitrine_error_create(EPIPE, reader.name, VITRINE_NO_OFFSET, NULL,
						"it ended before the recording did");
}

/**
 * kernel_events_finish() - stop recording, and append the rest
 * @events: after kernel_events_start()
 * @files: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_finish(struct kernel_events *events, struct rotation *files)
{
	struct vitrine_error *err;
	bool end = false;
	char text[64];
	ssize_t len;

	if (!events->is_running)
		return NULL;
	err = tracefs_write(events->tracefs.instance, "tracing_on", "0");
	shutdown(events->control[0], SHUT_WR);
	while (!err && !end)
		err = read_once(events, files, &end);
	if (err)
		return err;
	err = end_helper(events);
	/* The restorer has the other end open, too, so there is no end to wait for. */
	len = recv(events->control[0], text, sizeof(text) - 1, MSG_DONTWAIT);
	text[len < 0 ? 0 : len] = '\0';
	if (!err && sscanf(text, "%" SCNu64 " %" SCNu64, &events->nr_records,
			   &events->nr_lost) != 2)
		return vitrine_error_create(EPIPE, reader.name, VITRINE_NO_OFFSET, NULL,
					    "it did not report how many events were lost");
	return err;
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/**
 * kernel_events_release() - remove the instance and the probes
 * @events: a second call does nothing
 */
void kernel_events_release(struct kernel_events *events)
{
	close_file(&events->data_fd);
	close_file(&events->control[1]);
	if (events->control[0] >= 0)
		shutdown(events->control[0], SHUT_WR);
	if (events->is_running)
		vitrine_error_destroy(end_helper(events));
	restorer_finish(&events->restorer);
	close_file(&events->control[0]);
	tracefs_close(&events->tracefs);
	free(events->subbuf);
	free(events->names);
	events->subbuf = NULL;
	events->names = NULL;
}
