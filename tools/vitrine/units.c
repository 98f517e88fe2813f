// SPDX-License-Identifier: GPL-2.0
/*
 * Parse durations and sizes: 5ms, 2s, 100M.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

/* A unit: its name, and how many nanoseconds or bytes it has. */
struct unit {
	const char *name;
	uint64_t factor;
};

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
