// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for a ring, with poll() and epoll: a reader is woken when the watermark of the
 * consumer page is reached, when a trigger freezes the ring, and when the session ends;
 * and not before.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include <vitrine/map.h>

#include "selftest.h"
#include "system.h"

/* Timeout: long enough for any machine, and reached only on a failure. */
#define LIMIT_MS	60000

#define NR_SUBBUFS	16
#define WATERMARK	3

static struct vitrine_ring_consumer *consumer;
static const struct vitrine_ring_producer *producer;
static int ring_fd, trigger_fd;

static uint64_t sequence(void)
{
	return __atomic_load_n(&producer->sequence, __ATOMIC_ACQUIRE);
}

/* Return the result of poll() without waiting. */
static short polled(int fd)
{
	struct pollfd poll_fd = { fd, POLLIN | POLLPRI, 0 };

	poll(&poll_fd, 1, 0);
	return poll_fd.revents;
}

/* ---- a waiting reader ------------------------------------------------------ */

/**
 * struct waiter - a thread that waits for events of a file
 * @thread: the thread
 * @fd: the file
 * @wanted: the events
 * @tid: thread id, set when it is about to wait
 * @events: events that were reported, 0 if none
 */
struct waiter {
	pthread_t thread;
	int fd;
	uint32_t wanted;
	atomic_int tid;
	uint32_t events;
};

static void *wait_for(void *arg)
{
	struct waiter *waiter = arg;
	struct epoll_event event = { .events = waiter->wanted };
	int epoll_fd = epoll_create1(0);

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, waiter->fd, &event))
		return NULL;
	waiter->tid = gettid();
	if (epoll_wait(epoll_fd, &event, 1, LIMIT_MS) == 1)
		waiter->events = event.events;
	close(epoll_fd);
	return NULL;
}

/* Start a waiter. Returns when it sleeps, so that only a wakeup ends its wait. */
static void waiter_start(struct waiter *waiter, int fd, uint32_t wanted)
{
	*waiter = (struct waiter){ .fd = fd, .wanted = wanted };
	if (pthread_create(&waiter->thread, NULL, wait_for, waiter))
		ksft_exit_fail_msg("no thread\n");
	await_sleep(&waiter->tid);
}

static uint32_t waiter_events(struct waiter *waiter)
{
	pthread_join(waiter->thread, NULL);
	return waiter->events;
}

/* ---- A CPU with something to record --------------------------------------- */

static atomic_bool quiet;

static void *switch_often(void *arg)
{
	move_to(0);
	while (!quiet)
		usleep(1);
	return arg;
}

static void test_watermark(void)
{
	struct waiter waiter;
	pthread_t noise;
	uint64_t end, behind;

	consumer->watermark = WATERMARK;
	waiter_start(&waiter, ring_fd, EPOLLIN | EPOLLPRI);
	write_word(TRACE_DIR "enable", "1");
	pthread_create(&noise, NULL, switch_often, NULL);
	ksft_test_result(waiter_events(&waiter) == EPOLLIN,
			 "woken when there is enough: 0x%x\n", waiter.events);
	ksft_test_result(sequence() + 1 >= WATERMARK + 1,
			 "not woken before: %llu sub-buffers are complete\n",
			 (unsigned long long)sequence());
	quiet = true;
	pthread_join(noise, NULL);

	/* Nothing moves any more. */
	write_word(TRACE_DIR "enable", "0");
	end = sequence();
	for (behind = 0; behind <= WATERMARK; behind++) {
		consumer->sequence = end - behind;
		ksft_test_result(polled(ring_fd) == (behind < WATERMARK ? 0 : POLLIN),
				 "%llu of %d complete\n", (unsigned long long)behind, WATERMARK);
	}
	consumer->sequence = end;
}

static void test_frozen(void)
{
	struct waiter ring, trigger;

	ksft_test_result(polled(ring_fd) == 0, "no news yet\n");
	write_word(TRACE_DIR "trigger", "panic");
	ksft_test_result(polled(trigger_fd) & POLLHUP,
			 "trace/trigger: none can fire while nothing is recorded\n");
	/* As many as the ring has, so that nothing else wakes the reader of a slow machine. */
	consumer->watermark = NR_SUBBUFS;
	waiter_start(&ring, ring_fd, EPOLLIN | EPOLLPRI);
	write_word(TRACE_DIR "enable", "1");
	waiter_start(&trigger, trigger_fd, EPOLLPRI);
	write_word(TRACE_DIR "trigger", "now");
	write_word(TRACE_DIR "enable", "0");
	ksft_test_result(waiter_events(&ring) == EPOLLPRI,
			 "woken when the ring is frozen: 0x%x\n", ring.events);
	ksft_test_result(waiter_events(&trigger) == EPOLLPRI,
			 "trace/trigger: woken when one fired: 0x%x\n", trigger.events);
	consumer->watermark = WATERMARK;
	consumer->sequence = sequence();
	ksft_test_result(polled(ring_fd) == POLLPRI, "frozen, nothing to read\n");
	consumer->sequence = sequence() - WATERMARK;
	ksft_test_result(polled(ring_fd) == (POLLIN | POLLPRI), "frozen, and something to read\n");
	consumer->sequence = sequence();
	write_word(TRACE_DIR "trigger", "none");
	ksft_test_result(polled(ring_fd) == 0, "not frozen any more\n");
}

static void test_end(void)
{
	struct waiter waiter;

	waiter_start(&waiter, ring_fd, EPOLLIN | EPOLLPRI);
	write_word(TRACE_DIR "mode", "circular");
	ksft_test_result(waiter_events(&waiter) == EPOLLIN,
			 "woken when the session is over: 0x%x\n", waiter.events);
	ksft_test_result(producer->flags & VITRINE_RING_CLOSED, "the ring is marked as closed\n");
	consumer->sequence = ~0ULL;
	ksft_test_result(polled(ring_fd) == POLLIN, "a closed ring is readable at any position\n");
}

int main(void)
{
	long page = sysconf(_SC_PAGESIZE);

	ksft_print_header();
	load_module("vitrine", "enable=0 mode=streaming buffer_kb=64 subbuf_kb=4");
	ksft_set_plan(2 + WATERMARK + 1 + 7 + 3);
	ring_fd = open(TRACE_DIR "cpu0", O_RDWR);
	trigger_fd = open(TRACE_DIR "trigger", O_RDONLY);
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, ring_fd, page);
	if (consumer == MAP_FAILED || producer == MAP_FAILED)
		ksft_exit_fail_msg("cannot map the ring\n");
	test_watermark();
	test_frozen();
	test_end();
	munmap(consumer, page);
	munmap((void *)producer, page);
	close(trigger_fd);
	close(ring_fd);
	unload_module("vitrine");
	ksft_finished();
}
