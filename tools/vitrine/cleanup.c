// SPDX-License-Identifier: GPL-2.0
/*
 * Clean up when a signal ends the command: remove temporary files, and name the
 * mapped file that has become shorter (SIGBUS).
 *
 * Everything here runs in signal handlers: async-signal-safe functions only.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "report.h"
#include "temporary.h"

/* Fields of a line of /proc/self/maps before the path. */
#define MAPS_FIELDS	5

#define LINE_BYTES	4096

static void (*remove_of_plugin)(void);
static pid_t child;

/**
 * cleanup_remove() - remove all temporary files, after those of a child
 */
void cleanup_remove(void)
{
	if (child && !kill(child, SIGTERM))
		waitpid(child, NULL, 0);
	vtr_temporaries_remove();
	if (remove_of_plugin)
		remove_of_plugin();
}

static void end(int number)
{
	cleanup_remove();
	/* SA_RESETHAND: on return, the signal is delivered to the default handler. */
	raise(number);
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_ENVIRONMENT);
}

/* Read a line without its newline, truncated to the size of the buffer. */
static bool read_line(int fd, char *line)
{
	size_t len = 0;
	char c;

	while (read(fd, &c, 1) == 1) {
		if (c == '\n') {
			line[len] = '\0';
			return true;
		}
		if (len < LINE_BYTES - 1)
			line[len++] = c < ' ' ? '?' : c;
	}
	return false;
}

static bool has_address(const char *line, uintptr_t address)
{
	char *end;
	uintptr_t first = strtoull(line, &end, 16);

	return *end == '-' && address >= first &&
	       address < strtoull(end + 1, NULL, 16);
}

static const char *path_in(const char *line)
{
	unsigned int i;

	for (i = 0; i < MAPS_FIELDS; i++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return line;
}

/* Print "PATH: " for the file that is mapped at @address. */
static void say_mapped(uintptr_t address)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	static char line[LINE_BYTES];

	while (fd >= 0 && read_line(fd, line)) {
		if (!has_address(line, address))
			continue;
		say(path_in(line));
		say(": ");
		break;
	}
}

static void end_at_lost_page(int number, siginfo_t *info, void *context)
{
	cleanup_remove();
	/* Any code but BUS_ADRERR, a page beyond the end of the file, is a bug of ours. */
	if (info->si_code != BUS_ADRERR) {
		raise(number);
		return;
	}
	say("vitrine: ");
	say_mapped((uintptr_t)info->si_addr);
	say("the file became shorter while it was read; copy it once it is complete\n");
	_exit(EXIT_BAD_INPUT);
}

/**
 * cleanup_of_plugin() - register the cleanup function of a plugin
 * @remove: removes its temporary files; async-signal-safe
 */
void cleanup_of_plugin(void (*remove)(void))
{
	remove_of_plugin = remove;
}

/**
 * cleanup_of_child() - register a child that is to end with the command
 * @pid: its process id, or 0 when it has ended
 */
void cleanup_of_child(pid_t pid)
{
	child = pid;
}

/**
 * cleanup_in_child() - catch the signals of a crash, which the parent reports
 */
void cleanup_in_child(void)
{
	static const int numbers[] = {
		SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV,
	};
	struct sigaction action = {
		.sa_flags = SA_RESETHAND,
		.sa_handler = end,
	};
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

/**
 * cleanup_init() - catch the signals that end the command
 */
void cleanup_init(void)
{
	static const int numbers[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ,
	};
	struct sigaction action = { .sa_flags = SA_RESETHAND }, old;
	size_t i;

	sigfillset(&action.sa_mask);
	action.sa_handler = end;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	action.sa_flags |= SA_SIGINFO;
	action.sa_sigaction = end_at_lost_page;
	sigaction(SIGBUS, &action, NULL);
}
