// SPDX-License-Identifier: GPL-2.0
/*
 * What all commands share: options and operands, numbers with units, errors and exit codes, the
 * error for what selects nothing, and cleaning up when a signal ends the command.
 *
 * The functions on options, operands and numbers end the program on a usage error.
 */
#define _GNU_SOURCE	/* vasprintf() */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "escape.h"
#include "temporary.h"

/* A unit: its name, and how many nanoseconds or bytes it has. */
struct unit {
	const char *name;
	uint64_t factor;
};

/* Fields of a line of /proc/self/maps before the path. */
#define MAPS_FIELDS	5

#define LINE_BYTES	4096

/* ---- Errors ------------------------------------------------------------ */

/**
 * print_error() - print an error to standard error, as vitrine_error_print() does, but escaped
 * @err: error
 *
 * Return: the exit code for this error.
 */
int print_error(const struct vitrine_error *err)
{
	fflush(stdout);
	fputs("vitrine: ", stderr);
	if (err->path) {
		print_escaped(err->path, stderr);
		fputs(": ", stderr);
	}
	if (err->offset != VITRINE_NO_OFFSET)
		fprintf(stderr, "offset 0x%" PRIx64 ": ", err->offset);
	print_escaped(err->message, stderr);
	if (err->advice) {
		fputs("; ", stderr);
		print_escaped(err->advice, stderr);
	}
	putc('\n', stderr);

	switch (err->code) {
	case EBADMSG:
	case EPROTONOSUPPORT:
	case EFBIG:
	case ENODATA:	/* nothing_selected() */
		return EXIT_BAD_INPUT;
	default:
		return EXIT_ENVIRONMENT;
	}
}

/**
 * report_error() - print an error to standard error and destroy it
 * @err: error
 *
 * Return: the exit code for this error.
 */
int report_error(struct vitrine_error *err)
{
	int status = print_error(err);

	vitrine_error_destroy(err);
	return status;
}

/**
 * must() - end the command if there is an error
 * @err: error, or NULL
 *
 * The error is printed, and temporary files are removed. A command that has changed anything else
 * restores it in a function of atexit(), or returns an error instead.
 */
void must(struct vitrine_error *err)
{
	int status;

	if (!err)
		return;
	status = report_error(err);
	cleanup_remove();
	exit(status);
}

/**
 * must_have() - end the command, as by must(), if there is no memory
 * @memory: true if there is some, as a pointer to it is
 */
void must_have(bool memory)
{
	if (!memory)
		must(vtr_error_no_memory());
}

/**
 * print_note() - print a note to standard error
 * @name: name of the file or command that the note is about
 * @format: as for printf(), without a newline
 */
void print_note(const char *name, const char *format, ...)
{
	autofree char *note = NULL;
	va_list args;

	va_start(args, format);
	must_have(vasprintf(&note, format, args) >= 0);
	va_end(args);
	fputs("vitrine: ", stderr);
	print_escaped(name, stderr);
	fputs(": ", stderr);
	print_escaped(note, stderr);
	putc('\n', stderr);
}

/**
 * must_format() - print into a new string, or end the command if there is no memory
 * @format: as for printf()
 *
 * Return: the string, to be freed.
 */
char *must_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	must_have(vasprintf(&text, format, args) >= 0);
	va_end(args);
	return text;
}

/* ---- Durations and sizes: 5ms, 2s, 100M -------------------------------- */

/* A number without a unit is in seconds. */
static const struct unit durations[] = {
	{ "", NSEC_PER_SEC },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ 0 },
};

/* A number without a unit is in bytes. */
static const struct unit sizes[] = {
	{ "", 1 },
	{ "K", 1ULL << 10 },
	{ "M", 1ULL << 20 },
	{ "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },
	{ 0 },
};

/*
 * A long double has at least the 64 bits of the largest result. It is rounded to the nearest
 * unit, so that decimal fractions are exact.
 */
static bool parse(const char *text, const struct unit *units, uint64_t *ret)
{
	long double number;
	const char *unit = text + strspn(text, "0123456789.");
	char *end;

	/* strtold() accepts signs, exponents and words, too. */
	number = strtold(text, &end);
	if (end == text || end != unit)
		return false;
	for (; units->name; units++)
		if (!strcmp(unit, units->name))
			break;
	if (!units->name)
		return false;
	number = roundl(number * units->factor);
	if (!(number < 0x1p64L))
		return false;
	*ret = number;
	return true;
}

/**
 * units_parse_duration() - parse a duration
 * @text: a number and ns, us, ms, s, min or h; seconds without a unit
 * @ret_ns: nanoseconds, written on success only
 *
 * Return: false if @text is invalid or too long.
 */
bool units_parse_duration(const char *text, uint64_t *ret_ns)
{
	return parse(text, durations, ret_ns);
}

/**
 * units_duration() - parse the duration of an option
 * @arg: argument of the option
 * @min_ns: least duration, a whole number of milliseconds
 * @max_ns: greatest duration, a whole number of hours
 * @state: argp's; an invalid argument ends the program with a message
 *
 * Return: nanoseconds.
 */
uint64_t units_duration(const char *arg, uint64_t min_ns, uint64_t max_ns,
			struct argp_state *state)
{
	uint64_t ns;

	if (!units_parse_duration(arg, &ns) || ns < min_ns || ns > max_ns)
		argp_error(state,
			   "%s is not a duration from %gms to %gh, such as 0.5 (seconds), 5ms or 2min",
			   arg, min_ns / 1e6, max_ns / 3600e9);
	return ns;
}

/**
 * units_size() - parse the size of an option
 * @arg: argument of the option: a number and K, M, G or T; bytes without a unit
 * @min_bytes: least size, a whole number of kilobytes
 * @state: argp's; an invalid argument ends the program with a message
 *
 * Return: bytes.
 */
uint64_t units_size(const char *arg, uint64_t min_bytes,
		    struct argp_state *state)
{
	uint64_t bytes;

	if (!parse(arg, sizes, &bytes) || bytes < min_bytes)
		argp_error(state, "%s is not a size of at least %gK, such as 100M or 1.5G",
			   arg, min_bytes / 1024.0);
	return bytes;
}

/* ---- Options and operands ---------------------------------------------- */

#define MAX_OPTIONS	32

/* Keys of options that have none: this and their index. */
#define KEYS		0x10000

static int key_of(const struct command_line *line, const struct command_option *option)
{
	if (option->key || !option->name)
		return option->key;
	return KEYS + (option - line->options);
}

static bool is_end(const struct command_option *option)
{
	return !option->key && !option->help;
}

static bool set_option(const struct command_line *line, int key, const char *arg)
{
	const struct command_option *option;

	for (option = line->options; !is_end(option); option++) {
		if (key != key_of(line, option))
			continue;
		if (option->flag)
			*option->flag = true;
		else if (option->text)
			*option->text = arg;
		else
			continue;
		return true;
	}
	return false;
}

static void check_line(const struct command_line *line, struct argp_state *state)
{
	const struct command_option *option;

	for (option = line->options; !is_end(option); option++)
		if (option->is_needed && !*option->text)
			argp_error(state, "no %s given; use -%c %s", option->name, option->key,
				   option->arg);
	if (line->check)
		line->check(state);
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	const struct command_line *line = state->input;

	if (set_option(line, key, arg))
		return 0;
	if (key == ARGP_KEY_ARG && line->operand) {
		if (*line->operand)
			argp_error(state, "more than one %s given", line->operand_name);
		*line->operand = arg;
	} else if (key == ARGP_KEY_ARGS && line->operands) {
		*line->operands = state->argv + state->next;
		if (line->nr_operands)
			*line->nr_operands = state->argc - state->next;
	} else if (key == ARGP_KEY_NO_ARGS && line->is_needed) {
		argp_error(state, "no %s given", line->operand_name);
	} else if (key == ARGP_KEY_END) {
		check_line(line, state);
	} else {
		return line->parse ? line->parse(key, arg, state) : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/**
 * options_parse() - parse the arguments of a command
 * @line: its options and operands
 * @argc: number of arguments
 * @argv: arguments; an invalid one ends the program with a message
 */
void options_parse(const struct command_line *line, int argc, char **argv)
{
	struct argp_option options[MAX_OPTIONS + 1] = { 0 };
	const struct argp argp = {
		.options = options,
		.parser = parse_key,
		.args_doc = line->args_doc,
		.doc = line->doc,
	};
	const struct command_option *option = line->options;
	unsigned int i;
	int group = 0;

	for (i = 0; i < MAX_OPTIONS && !is_end(option); i++, option++) {
		/* A heading begins a group. */
		if (!option->name && !option->key)
			group++;
		options[i] = (struct argp_option){
			option->name, key_of(line, option), option->arg, option->flags,
			option->help, group,
		};
	}
	argp_parse(&argp, argc, argv, line->flags, NULL, (void *)line);
}

/**
 * operand_check_output() - refuse to write a file that is to be read
 * @state: state of the argp parser
 * @output: file to write
 * @input: file to read, or NULL
 */
void operand_check_output(struct argp_state *state, const char *output,
			  const char *input)
{
	struct stat out, in;

	if (input && !stat(output, &out) && S_ISREG(out.st_mode) &&
	    !stat(input, &in) && out.st_dev == in.st_dev &&
	    out.st_ino == in.st_ino)
		argp_error(state, "%s: this is the input; give the output another name",
			   output);
}

/* ---- What selects nothing ---------------------------------------------- */

/* Among the names that there are, find the one that differs in the fewest characters. */

/**
 * nearest_init() - begin a search
 * @nearest: search
 * @asked: name that was asked for
 * @len: its length in bytes
 */
void nearest_init(struct nearest *nearest, const char *asked, size_t len)
{
	*nearest = (struct nearest){ 0 };
	snprintf(nearest->asked, sizeof(nearest->asked), "%.*s", (int)len, asked);
	/* A third of the characters may differ, rounded up. */
	nearest->limit = (strlen(nearest->asked) + 2) / 3;
	nearest->distance = nearest->limit + 1;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Return the number of characters to insert, remove or replace to make one name of the other
 * (Levenshtein), in either case.
 */
static size_t distance_of(const char *a, const char *b)
{
	size_t row[NEAREST_BYTES], before, above, i;

	for (i = 0; b[i]; i++)
		row[i] = i + 1;
	for (before = 1; *a; a++, before++) {
		size_t left = before, corner = before - 1;

		for (i = 0; b[i]; i++) {
			above = row[i];
			corner += tolower((unsigned char)*a) != tolower((unsigned char)b[i]);
			left = min(corner, min(above, left) + 1);
			corner = above;
			row[i] = left;
		}
	}
	return i ? row[i - 1] : before - 1;
}

/**
 * nearest_offer() - take the name if it is nearer than all before
 * @nearest: search
 * @name: name that there is
 * @len: its length in bytes
 */
void nearest_offer(struct nearest *nearest, const char *name, size_t len)
{
	char offered[NEAREST_BYTES];
	size_t distance;

	snprintf(offered, sizeof(offered), "%.*s", (int)len, name);
	/* It was there when names were listed, and is gone. */
	if (!strcmp(nearest->asked, offered))
		return;
	distance = distance_of(nearest->asked, offered);
	/* A part of the name is near, too. */
	if (distance > nearest->limit && nearest->asked[0] &&
	    strcasestr(offered, nearest->asked))
		distance = nearest->limit;
	if (distance >= nearest->distance)
		return;
	nearest->distance = distance;
	memcpy(nearest->best, offered, sizeof(offered));
}

/**
 * nothing_selected() - make the error for something that selects nothing
 * @subject: what is searched, or what was asked
 * @nearest: a finished search, whose result the error names; or NULL
 * @advice: what to do if no name is near, or NULL
 * @format: what was asked and what there is, as for printf()
 *
 * Return: an error, ENODATA.
 */
struct vitrine_error *nothing_selected(const char *subject, const struct nearest *nearest,
				       const char *advice, const char *format, ...)
{
	char name[NEAREST_BYTES + 32];
	struct vitrine_error *err;
	va_list args;

	if (nearest && nearest->best[0]) {
		snprintf(name, sizeof(name), "the nearest name is \"%s\"", nearest->best);
		advice = name;
	}
	va_start(args, format);
	err = vtr_error_vcreate(ENODATA, subject, VITRINE_NO_OFFSET, advice, format, args);
	va_end(args);
	return err;
}

/* ---- Cleaning up ------------------------------------------------------- */

/*
 * When a signal ends the command, temporary files are removed, and the mapped file that has
 * become shorter (SIGBUS) is named. Everything here runs in signal handlers:
 * async-signal-safe functions only.
 */

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

/* Clean up at signals, up to 0, unless they are ignored. */
static void catch_signals(const int *numbers)
{
	struct sigaction action = { .sa_flags = SA_RESETHAND, .sa_handler = end }, old;

	sigfillset(&action.sa_mask);
	for (; *numbers; numbers++)
		if (!sigaction(*numbers, NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(*numbers, &action, NULL);
}

/**
 * cleanup_in_child() - catch the signals of a crash, which the parent reports
 */
void cleanup_in_child(void)
{
	static const int numbers[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, 0 };

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	catch_signals(numbers);
}

/**
 * cleanup_init() - catch the signals that end the command
 */
void cleanup_init(void)
{
	static const int numbers[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ, 0
	};
	struct sigaction action = {
		.sa_flags = SA_RESETHAND | SA_SIGINFO,
		.sa_sigaction = end_at_lost_page,
	};

	catch_signals(numbers);
	sigfillset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
