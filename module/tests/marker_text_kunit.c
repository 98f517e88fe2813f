// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of marker_text.c: each kind of marker, and what is refused.
 */
#include "suite.h"

static struct vtr_marker marker;

static int parse_bytes(char *bytes, size_t len)
{
	return vtr_marker_parse(bytes, len, &marker);
}

/* Parse a string; the text that the marker refers to is overwritten by the next call. */
static int parse(const char *string)
{
	static char text[2 * VTR_MARKER_MAX_BYTES];

	strscpy(text, string, sizeof(text));
	return parse_bytes(text, strlen(text));
}

static void expect_marker(struct kunit *test, enum fxt_event_type type, const char *name)
{
	KUNIT_EXPECT_EQ_MSG(test, (int)marker.type, (int)type, "%s", name);
	KUNIT_EXPECT_STREQ(test, marker.name, name);
	KUNIT_EXPECT_EQ_MSG(test, (size_t)marker.len_bytes, strlen(name), "%s", name);
}

static void each_letter_is_an_event(struct kunit *test)
{
	static const struct {
		const char *text;
		enum fxt_event_type type;
		const char *name;
		s64 number;
	} rows[] = {
		{ "B|17|load", FXT_EVENT_DURATION_BEGIN, "load" },
		{ "B||load", FXT_EVENT_DURATION_BEGIN, "load" },
		{ "E", FXT_EVENT_DURATION_END, "" },
		{ "E|", FXT_EVENT_DURATION_END, "" },
		{ "E|17", FXT_EVENT_DURATION_END, "" },
		{ "E|17|", FXT_EVENT_DURATION_END, "" },
		{ "E|17|load", FXT_EVENT_DURATION_END, "load" },
		{ "I|90|here", FXT_EVENT_INSTANT, "here" },
		{ "C|17|queue|-3", FXT_EVENT_COUNTER, "queue", -3 },
		{ "S|17|request|9", FXT_EVENT_ASYNC_BEGIN, "request", 9 },
		{ "F|17|request|9", FXT_EVENT_ASYNC_END, "request", 9 },
		{ "s|17|hop|10", FXT_EVENT_FLOW_BEGIN, "hop", 10 },
		{ "t|17|hop|10", FXT_EVENT_FLOW_STEP, "hop", 10 },
		{ "f|17|hop|10", FXT_EVENT_FLOW_END, "hop", 10 },
		/* Other text is an instant. */
		{ "x", FXT_EVENT_INSTANT, "x" },
		{ "e", FXT_EVENT_INSTANT, "e" },
		{ "hello, world", FXT_EVENT_INSTANT, "hello, world" },
		{ "EB|17|load", FXT_EVENT_INSTANT, "EB|17|load" },
		{ "a b|c", FXT_EVENT_INSTANT, "a b|c" },
		{ " B|17|load", FXT_EVENT_INSTANT, " B|17|load" },
		/* Names may contain separators. Only an empty id is followed by one at once. */
		{ "B|17|a|b|", FXT_EVENT_DURATION_BEGIN, "a|b|" },
		{ "C|17|a|b|5", FXT_EVENT_COUNTER, "a|b", 5 },
		{ "B||17|a", FXT_EVENT_DURATION_BEGIN, "17|a" },
		/* Numbers have limits. */
		{ "C||n|9223372036854775807", FXT_EVENT_COUNTER, "n", S64_MAX },
		{ "C||n|-9223372036854775808", FXT_EVENT_COUNTER, "n", S64_MIN },
		{ "S||n|18446744073709551615", FXT_EVENT_ASYNC_BEGIN, "n", -1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, parse(rows[i].text), 0, "%s", rows[i].text);
		expect_marker(test, rows[i].type, rows[i].name);
		if (rows[i].number)
			KUNIT_EXPECT_EQ(test, marker.number, rows[i].number);
	}
	KUNIT_EXPECT_EQ(test, parse("C||n|-0"), 0);
	KUNIT_EXPECT_EQ(test, marker.number, 0);
}

static void malformed_marker_is_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"", "\n", "\n\n", "B|", "B|17", "B|17|", "B|x|load", "B|-1|load",
		"X|17|load", "||", "E|x", "E|17x", "I|17|", "C|17|queue", "C|17|queue|",
		"C|17||5", "C|17|5", "C|17|queue|5x", "C|17|queue| 5", "C|17|queue|+5",
		"C|17|queue|-", "C|17|queue|0x5", "S|17|request", "s|17|", "G|17|a|b|1",
		/* numbers beyond the limits */
		"C||n|9223372036854775808", "C||n|-9223372036854775809",
		"S||n|18446744073709551616", "S||n|99999999999999999999999",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse(texts[i]), -EINVAL, "%s", texts[i]);
}

static void the_end_of_the_text_is_trimmed(struct kunit *test)
{
	char padded[] = "B|17|load\n\0\n", nul[] = "B|17|\0ad", end[] = "E\0";
	char empty[] = "\0abc";

	KUNIT_EXPECT_EQ(test, parse_bytes(padded, 12), 0);
	KUNIT_EXPECT_STREQ(test, marker.name, "load");
	KUNIT_EXPECT_EQ(test, parse_bytes(nul, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_bytes(empty, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_bytes(end, 2), 0);
	KUNIT_EXPECT_EQ(test, (int)marker.type, FXT_EVENT_DURATION_END);
}

/* A binary marker and its name, which is not terminated, as vtr_marker_write() copies it. */
static int parse_with_number(u8 letter, s64 number, const char *name, size_t len_bytes)
{
	struct vitrine_marker_number binary = { .letter = letter, .number = number };
	static char bytes[2 * VTR_MARKER_MAX_BYTES];

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, &binary, sizeof(binary));
	memcpy(bytes + sizeof(binary), name, len_bytes);
	return parse_bytes(bytes, sizeof(binary) + len_bytes);
}

static void a_binary_marker_has_a_number(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, parse_with_number('C', S64_MIN, "queue", 5), 0);
	expect_marker(test, FXT_EVENT_COUNTER, "queue");
	KUNIT_EXPECT_EQ(test, marker.number, S64_MIN);
	KUNIT_EXPECT_EQ(test, parse_with_number('f', -1, "h", 1), 0);
	expect_marker(test, FXT_EVENT_FLOW_END, "h");
	KUNIT_EXPECT_EQ(test, marker.number, -1);
}

static void an_invalid_binary_marker_is_refused(struct kunit *test)
{
	char name[VTR_MARKER_MAX_BYTES] = "";

	KUNIT_EXPECT_EQ(test, parse_with_number('C', 1, "\0b", 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_with_number('X', 1, "name", 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_with_number('B', 1, "name", 4), -EINVAL);
	memset(name, 'n', sizeof(name));
	KUNIT_EXPECT_EQ(test, parse_with_number('C', 1, name, VTR_MARKER_MAX_BYTES - 10), 0);
	KUNIT_EXPECT_EQ(test, parse_with_number('C', 1, name, VTR_MARKER_MAX_BYTES - 9), -EMSGSIZE);
}

static void long_text_is_refused(struct kunit *test)
{
	char text[VTR_MARKER_MAX_BYTES + 1 + VTR_MARKER_SPARE_BYTES];

	memset(text, 'a', sizeof(text));
	text[VTR_MARKER_MAX_BYTES] = '\n';
	KUNIT_EXPECT_EQ(test, parse_bytes(text, VTR_MARKER_MAX_BYTES + 1), 0);
	KUNIT_EXPECT_EQ(test, marker.len_bytes, (unsigned int)VTR_MARKER_MAX_BYTES);
	text[VTR_MARKER_MAX_BYTES] = 'a';
	KUNIT_EXPECT_EQ(test, parse_bytes(text, VTR_MARKER_MAX_BYTES + 1), -EMSGSIZE);
}

static struct kunit_case marker_text_cases[] = {
	KUNIT_CASE(each_letter_is_an_event),
	KUNIT_CASE(malformed_marker_is_refused),
	KUNIT_CASE(the_end_of_the_text_is_trimmed),
	KUNIT_CASE(a_binary_marker_has_a_number),
	KUNIT_CASE(an_invalid_binary_marker_is_refused),
	KUNIT_CASE(long_text_is_refused),
	{}
};

VTR_KUNIT_SUITE(marker_text);
