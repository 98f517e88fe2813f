// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that are woken up in known ways, for waker.sh.
 *
 *	wakes hog		run for ever, in user space
 *	wakes ROUNDS WAIT...	for each WAIT, run a thread of this name that is woken up
 *				ROUNDS times. Prints "NAME TID SENDER STARTER": its id, that of
 *				the thread that sends what it waits for, or 0, and that of the
 *				thread that started both
 *
 * WAIT is one of
 *
 *	nap			sleep, in a thread of SCHED_FIFO: its timers expire in hardware
 *				interrupts also on PREEMPT_RT
 *	timeout			receive with a timeout what never comes
 *	unix, udp, tcp		receive a byte through a socket
 *	ping			receive replies of 10.0.2.2 to ICMP echo requests, through eth0,
 *				which becomes 10.0.2.15
 *	in-thread, in-...	read the file of the module "contexts"
 *
 * A sender sends when the receiver sleeps, and then spins in user space until it has been woken
 * up, so that an interrupt which arrives meanwhile does not find the sender in a call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "system.h"

/**
 * struct wait - a thread that is woken up, and its sender
 * @name: its name
 * @from: where it receives
 * @to: where the sender sends
 * @sent: what the sender sends
 * @len: length of that in bytes
 * @tid: its thread id, set when it begins
 * @sender: thread id of the sender
 * @nr_received: how often it has received something
 */
struct wait {
	const char	*name;
	int		from, to;
	const void	*sent;
	size_t		len;
	atomic_int	tid;
	atomic_int	sender;
	atomic_ulong	nr_received;
};

static unsigned long nr_rounds;

static int must(int result, const char *what)
{
	if (result < 0)
		err(1, "%s", what);
	return result;
}

/* ---- what they wait for ---------------------------------------------------- */

static struct sockaddr_in address_of(const char *text)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = inet_addr(text),
	};
}

static void bring_up(const char *interface, const char *text)
{
	const struct sockaddr_in address = address_of(text);
	int fd = must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	struct ifreq card = { 0 };

	snprintf(card.ifr_name, IFNAMSIZ, "%s", interface);
	memcpy(&card.ifr_addr, &address, sizeof(address));
	must(ioctl(fd, SIOCSIFADDR, &card), interface);
	must(ioctl(fd, SIOCGIFFLAGS, &card), interface);
	card.ifr_flags |= IFF_UP;
	must(ioctl(fd, SIOCSIFFLAGS, &card), interface);
	close(fd);
}

static void set_timeout(int fd, long us)
{
	const struct timeval time = { us / 1000000, us % 1000000 };

	must(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)), "SO_RCVTIMEO");
}

static int open_bound(int type)
{
	const struct sockaddr_in address = address_of("127.0.0.1");
	int fd = must(socket(AF_INET, type, 0), "socket");

	must(bind(fd, (void *)&address, sizeof(address)), "bind");
	return fd;
}

static void connect_to(int fd, int other)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	must(getsockname(other, (void *)&address, &len), "getsockname");
	must(connect(fd, (void *)&address, len), "connect");
}

static void open_unix(struct wait *wait)
{
	int fds[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), "socketpair");
	wait->from = fds[0];
	wait->to = fds[1];
}

static void open_timeout(struct wait *wait)
{
	open_unix(wait);
	set_timeout(wait->from, 8000);
}

static void open_udp(struct wait *wait)
{
	bring_up("lo", "127.0.0.1");
	wait->from = open_bound(SOCK_DGRAM);
	wait->to = open_bound(SOCK_DGRAM);
	connect_to(wait->to, wait->from);
}

static void open_tcp(struct wait *wait)
{
	int listener, one = 1;

	bring_up("lo", "127.0.0.1");
	listener = open_bound(SOCK_STREAM);
	must(listen(listener, 1), "listen");
	wait->to = open_bound(SOCK_STREAM);
	connect_to(wait->to, listener);
	wait->from = must(accept(listener, NULL, NULL), "accept");
	must(setsockopt(wait->to, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
}

/* The first requests may be lost, because a card is not ready at once. */
static void open_ping(struct wait *wait)
{
	static const struct icmphdr request = { .type = ICMP_ECHO, .checksum = 0xfff7 };
	const struct sockaddr_in address = address_of("10.0.2.2");
	int fd = must(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "socket"), tries = 0;
	char reply[64];

	bring_up("eth0", "10.0.2.15");
	must(connect(fd, (void *)&address, sizeof(address)), "connect");
	set_timeout(fd, 1000000);
	do {
		if (tries++ == 60)
			errx(1, "eth0: no reply");
		send(fd, &request, sizeof(request), 0);
	} while (recv(fd, reply, sizeof(reply), 0) < 0);
	set_timeout(fd, 0);
	wait->from = fd;
	wait->to = fd;
	wait->sent = &request;
	wait->len = sizeof(request);
}

static void open_contexts(struct wait *wait)
{
	static const char path[] = "/sys/kernel/debug/contexts";

	wait->from = must(open(path, O_RDONLY), path);
	wait->to = must(open(path, O_WRONLY), path);
	wait->sent = wait->name;
	wait->len = strlen(wait->name);
}

/* ---- threads --------------------------------------------------------------- */

static void begin(atomic_int *tid, const char *name)
{
	pthread_setname_np(pthread_self(), name);
	*tid = gettid();
}

static void *nap(void *arg)
{
	struct wait *wait = arg;

	begin(&wait->tid, wait->name);
	pin(0);
	for (; wait->nr_received < nr_rounds; wait->nr_received++)
		usleep(2000);
	return NULL;
}

static void *receive(void *arg)
{
	struct wait *wait = arg;
	char bytes[64];

	begin(&wait->tid, wait->name);
	for (; wait->nr_received < nr_rounds; wait->nr_received++) {
		if (read(wait->from, bytes, sizeof(bytes)) < 0 && errno != EAGAIN)
			err(1, "%s", wait->name);
	}
	return NULL;
}

static void *transmit(void *arg)
{
	struct wait *wait = arg;
	unsigned long i;

	begin(&wait->sender, "sender");
	for (i = 0; i < nr_rounds; i++) {
		await_sleep(&wait->tid);
		must(write(wait->to, wait->sent, wait->len), wait->name);
		while (wait->nr_received <= i)
			;
	}
	return NULL;
}

static const struct {
	const char *name;
	void (*open)(struct wait *wait);
	void *(*run)(void *wait);
	void *(*send)(void *wait);
} waits[] = {
	{ "nap", open_unix, nap, NULL },
	{ "timeout", open_timeout, receive, NULL },
	{ "unix", open_unix, receive, transmit },
	{ "udp", open_udp, receive, transmit },
	{ "tcp", open_tcp, receive, transmit },
	{ "ping", open_ping, receive, transmit },
	{ "in-thread", open_contexts, receive, transmit },
	{ "in-hardirq", open_contexts, receive, transmit },
	{ "in-softirq", open_contexts, receive, transmit },
	{ "in-call", open_contexts, receive, transmit },
	{ "in-ksoftirqd", open_contexts, receive, transmit },
};

static void run(const char *name)
{
	struct wait wait = { .name = name, .sent = "x", .len = 1 };
	pthread_t receiver, sender;
	unsigned int i = 0;

	while (strcmp(waits[i].name, name)) {
		if (++i == sizeof(waits) / sizeof(*waits))
			errx(2, "%s: no such wait", name);
	}
	waits[i].open(&wait);
	if (pthread_create(&receiver, NULL, waits[i].run, &wait) ||
	    (waits[i].send && pthread_create(&sender, NULL, waits[i].send, &wait)))
		errx(1, "%s: cannot create its threads", name);
	pthread_join(receiver, NULL);
	if (waits[i].send)
		pthread_join(sender, NULL);
	printf("%s %d %d %d\n", name, wait.tid, wait.sender, gettid());
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 2 && !strcmp(argv[1], "hog")) {
		pthread_setname_np(pthread_self(), "hog");
		for (;;)
			;
	}
	if (argc < 3)
		errx(2, "hog | ROUNDS WAIT...");
	nr_rounds = strtoul(argv[1], NULL, 0);
	/* A thread that waits for a page of the program is woken up once more. */
	must(mlockall(MCL_CURRENT), "mlockall");
	for (i = 2; i < argc; i++)
		run(argv[i]);
	return 0;
}
