// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of marker_text.c: each kind of marker, and what is refused.
 */
#include <kunit/test.h>

/* Parse a string; the text that @marker refers to is overwritten by the next call. */
static int parse(const char *string, struct vtr_marker *marker)
{
	static char text[2 * VTR_MARKER_MAX_BYTES];

	strscpy(text, string, sizeof(text));
	return vtr_marker_parse(text, strlen(text), marker);
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
		{ "I|17|here", FXT_EVENT_INSTANT, "here" },
		{ "C|17|queue|-3", FXT_EVENT_COUNTER, "queue", -3 },
		{ "S|17|request|9", FXT_EVENT_ASYNC_BEGIN, "request", 9 },
		{ "F|17|request|9", FXT_EVENT_ASYNC_END, "request", 9 },
		{ "s|17|hop|10", FXT_EVENT_FLOW_BEGIN, "hop", 10 },
		{ "t|17|hop|10", FXT_EVENT_FLOW_STEP, "hop", 10 },
		{ "f|17|hop|10", FXT_EVENT_FLOW_END, "hop", 10 },
	};
	struct vtr_marker marker;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, parse(rows[i].text, &marker), 0, "%s",
				    rows[i].text);
		KUNIT_EXPECT_EQ(test, (int)marker.type, (int)rows[i].type);
		KUNIT_EXPECT_STREQ(test, marker.name, rows[i].name);
		KUNIT_EXPECT_EQ(test, (size_t)marker.len_bytes,
				strlen(rows[i].name));
		if (rows[i].number)
			KUNIT_EXPECT_EQ(test, marker.number, rows[i].number);
	}
}

static void other_text_is_an_instant(struct kunit *test)
{
	static const char * const texts[] = {
		"x", "e", "hello, world", "EB|17|load", "a b|c", " B|17|load",
	};
	struct vtr_marker marker;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		KUNIT_EXPECT_EQ(test, parse(texts[i], &marker), 0);
		KUNIT_EXPECT_EQ(test, (int)marker.type, FXT_EVENT_INSTANT);
		KUNIT_EXPECT_STREQ(test, marker.name, texts[i]);
	}
}

static void names_may_contain_separators(struct kunit *test)
{
	struct vtr_marker marker;

	KUNIT_EXPECT_EQ(test, parse("B|17|a|b|", &marker), 0);
	KUNIT_EXPECT_STREQ(test, marker.name, "a|b|");
	KUNIT_EXPECT_EQ(test, parse("C|17|a|b|5", &marker), 0);
	KUNIT_EXPECT_STREQ(test, marker.name, "a|b");
	KUNIT_EXPECT_EQ(test, marker.number, 5);
	/* Only an empty id is followed by a separator at once. */
	KUNIT_EXPECT_EQ(test, parse("B||17|a", &marker), 0);
	KUNIT_EXPECT_STREQ(test, marker.name, "17|a");
}

static void numbers_have_limits(struct kunit *test)
{
	struct vtr_marker marker;

	KUNIT_EXPECT_EQ(test, parse("C||n|9223372036854775807", &marker), 0);
	KUNIT_EXPECT_EQ(test, marker.number, S64_MAX);
	KUNIT_EXPECT_EQ(test, parse("C||n|-9223372036854775808", &marker), 0);
	KUNIT_EXPECT_EQ(test, marker.number, S64_MIN);
	KUNIT_EXPECT_EQ(test, parse("C||n|9223372036854775808", &marker),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse("C||n|-9223372036854775809", &marker),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse("S||n|18446744073709551615", &marker), 0);
	KUNIT_EXPECT_EQ(test, marker.number, -1);
	KUNIT_EXPECT_EQ(test, parse("S||n|18446744073709551616", &marker),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse("S||n|99999999999999999999999", &marker),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse("C||n|-0", &marker), 0);
	KUNIT_EXPECT_EQ(test, marker.number, 0);
}

static void malformed_marker_is_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"", "\n", "\n\n", "B|", "B|17", "B|17|", "B|x|load", "B|-1|load",
		"X|17|load", "||", "E|x", "E|17x", "I|17|", "C|17|queue", "C|17|queue|",
		"C|17||5", "C|17|5", "C|17|queue|5x", "C|17|queue| 5", "C|17|queue|+5",
		"C|17|queue|-", "C|17|queue|0x5", "S|17|request", "s|17|", "G|17|a|b|1",
	};
	struct vtr_marker marker;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse(texts[i], &marker), -EINVAL,
				    "%s", texts[i]);
}

static void the_end_of_the_text_is_trimmed(struct kunit *test)
{
	char padded[] = "B|17|load\n\0\n", nul[] = "B|17|\0ad", end[] = "E\0";
	char empty[] = "\0abc";
	struct vtr_marker marker;

	KUNIT_EXPECT_EQ(test, vtr_marker_parse(padded, 12, &marker), 0);
	KUNIT_EXPECT_STREQ(test, marker.name, "load");
	KUNIT_EXPECT_EQ(test, vtr_marker_parse(nul, 8, &marker), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_marker_parse(empty, 4, &marker), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_marker_parse(end, 2, &marker), 0);
	KUNIT_EXPECT_EQ(test, (int)marker.type, FXT_EVENT_DURATION_END);
}

/* A binary marker and its name, which is not terminated, as vtr_marker_write() copies it. */
static int parse_bytes(u8 letter, s64 number, const char *name, size_t len_bytes,
		       struct vtr_marker *marker)
{
	struct vitrine_marker_number binary = { .letter = letter, .number = number };
	static char bytes[2 * VTR_MARKER_MAX_BYTES];

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, &binary, sizeof(binary));
	memcpy(bytes + sizeof(binary), name, len_bytes);
	return vtr_marker_parse(bytes, sizeof(binary) + len_bytes, marker);
}

static void a_binary_marker_has_a_number(struct kunit *test)
{
	struct vtr_marker marker;

	KUNIT_EXPECT_EQ(test, parse_bytes('C', S64_MIN, "queue", 5, &marker), 0);
	KUNIT_EXPECT_EQ(test, (int)marker.type, FXT_EVENT_COUNTER);
	KUNIT_EXPECT_EQ(test, marker.number, S64_MIN);
	KUNIT_EXPECT_EQ(test, marker.len_bytes, 5u);
	KUNIT_EXPECT_STREQ(test, marker.name, "queue");
	KUNIT_EXPECT_EQ(test, parse_bytes('f', -1, "h", 1, &marker), 0);
	KUNIT_EXPECT_EQ(test, (int)marker.type, FXT_EVENT_FLOW_END);
	KUNIT_EXPECT_EQ(test, marker.number, -1);
	KUNIT_EXPECT_STREQ(test, marker.name, "h");
}

static void an_invalid_binary_marker_is_refused(struct kunit *test)
{
	char name[VTR_MARKER_MAX_BYTES] = "";
	struct vtr_marker marker;

	KUNIT_EXPECT_EQ(test, parse_bytes('C', 1, "\0b", 2, &marker), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_bytes('X', 1, "name", 4, &marker), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_bytes('B', 1, "name", 4, &marker), -EINVAL);
	memset(name, 'n', sizeof(name));
	KUNIT_EXPECT_EQ(test, parse_bytes('C', 1, name, VTR_MARKER_MAX_BYTES - 10,
					  &marker), 0);
	KUNIT_EXPECT_EQ(test, parse_bytes('C', 1, name, VTR_MARKER_MAX_BYTES - 9,
					  &marker), -EMSGSIZE);
}

static void long_text_is_refused(struct kunit *test)
{
	char text[VTR_MARKER_MAX_BYTES + 1 + VTR_MARKER_SPARE_BYTES];
	struct vtr_marker marker;

	memset(text, 'a', sizeof(text));
	text[VTR_MARKER_MAX_BYTES] = '\n';
	KUNIT_EXPECT_EQ(test,
			vtr_marker_parse(text, VTR_MARKER_MAX_BYTES + 1, &marker),
			0);
	KUNIT_EXPECT_EQ(test, marker.len_bytes,
			(unsigned int)VTR_MARKER_MAX_BYTES);
	text[VTR_MARKER_MAX_BYTES] = 'a';
	KUNIT_EXPECT_EQ(test,
			vtr_marker_parse(text, VTR_MARKER_MAX_BYTES + 1, &marker),
			-EMSGSIZE);
}

static struct kunit_case marker_text_cases[] = {
	KUNIT_CASE(each_letter_is_an_event),
	KUNIT_CASE(other_text_is_an_instant),
	KUNIT_CASE(names_may_contain_separators),
	KUNIT_CASE(numbers_have_limits),
	KUNIT_CASE(malformed_marker_is_refused),
	KUNIT_CASE(the_end_of_the_text_is_trimmed),
	KUNIT_CASE(a_binary_marker_has_a_number),
	KUNIT_CASE(an_invalid_binary_marker_is_refused),
	KUNIT_CASE(long_text_is_refused),
	{}
};

static struct kunit_suite marker_text_suite = {
	.name = "vitrine_marker_text",
	.test_cases = marker_text_cases,
};

kunit_test_suites(&marker_text_suite);
