// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of fxt.c: the bytes of each record as the format defines them, and arbitrary
 * names.
 */

#include "suite.h"

#define CANARY	0xdeadbeefdeadbeefULL

/* Return room for a record, behind which nothing is written. */
static u64 *fresh(void)
{
	static u64 words[10];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = CANARY;
	return words;
}

static void expect_words(struct kunit *test, const char *what, const u64 *words,
			 unsigned int nr_words, const u64 *wanted, unsigned int nr_wanted)
{
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(test, nr_words, nr_wanted, "%s", what);
	for (i = 0; i < nr_wanted; i++)
		KUNIT_EXPECT_EQ_MSG(test, words[i], wanted[i], "word %u of %s", i, what);
	KUNIT_EXPECT_EQ_MSG(test, words[nr_wanted], CANARY, "%s", what);
}

/* Expect that a function, called with room for a record, writes these words. */
#define EXPECT_WORDS(test, put, ...) do {				\
	const u64 wanted_words[] = { __VA_ARGS__ };				\
	u64 *words = fresh();						\
									\
	expect_words(test, #put, words, put, wanted_words, ARRAY_SIZE(wanted_words));	\
} while (0)

static void records_are_as_the_format_says(struct kunit *test)
{
	static const char name[VTR_FXT_NAME_MAX + 1] = "sh";

	EXPECT_WORDS(test, vtr_fxt_put_provider(words, 4, "vitrine"),
		     0x0070000000410020ULL, 0x00656e6972746976ULL);
	/* eight bytes: no padding and no NUL */
	EXPECT_WORDS(test, vtr_fxt_put_provider(words, 1, "12345678"),
		     0x0080000000110020ULL, 0x3837363534333231ULL);
	EXPECT_WORDS(test, vtr_fxt_put_section(words, 4), 0x0000000000420010ULL);
	EXPECT_WORDS(test, vtr_fxt_put_full(words, 4), 0x0000000000430010ULL);
	EXPECT_WORDS(test, vtr_fxt_put_initialization(words, 1000000000), 0x21, 1000000000);
	EXPECT_WORDS(test, vtr_fxt_put_string(words, 1, "process", 7),
		     0x0000000700010022ULL, 0x00737365636f7270ULL);
	EXPECT_WORDS(test, vtr_fxt_put_string(words, 1, "pro\341ess", 7),
		     0x0000000700010022ULL, 0x007373653f6f7270ULL);
	EXPECT_WORDS(test, vtr_fxt_put_blob(words, "vitrine", 104),
		     0x00010068800700f5ULL, 0x00656e6972746976ULL);
	EXPECT_WORDS(test, vtr_fxt_put_blob(words, "", 16), 0x0001001000000035ULL);
	EXPECT_WORDS(test, vtr_fxt_put_thread(words, 255, 10, 11), 0x0000000000ff0033ULL, 10, 11);
	/* The name of a process has no argument; that of a thread has its process. */
	EXPECT_WORDS(test, vtr_fxt_put_process_name(words, 7, name) - words,
		     0x0000008002010037ULL, 7, 0x6873);
	EXPECT_WORDS(test, vtr_fxt_put_thread_name(words, 7, 8, "123456789012345") - words,
		     0x000001800f020067ULL, 8, 0x3837363534333231ULL, 0x0035343332313039ULL,
		     0x0000000000010028ULL, 7);
	EXPECT_WORDS(test, vtr_fxt_put_wakeup(words, vtr_fxt_wakeup_base(300), 99, 17),
		     0x2000001012c00038ULL, 99, 17);
	KUNIT_EXPECT_EQ(test, vtr_fxt_wakeup_in(vtr_fxt_wakeup_base(300),
						FXT_WAKEUP_SOFTIRQ_IN_CALL),
			0x2000004012c00038ULL);
}

static void switch_fields_are_in_place(struct kunit *test)
{
	u64 word = vtr_fxt_switch_base(3) | vtr_fxt_incoming(0xab, 120);

	KUNIT_EXPECT_EQ(test, word, 8 | 2 << 4 | 3 << 16 | 0xabULL << 36 | 120ULL << 52);
	KUNIT_EXPECT_EQ(test, vtr_fxt_incoming(0xff, 0xff) >> VTR_FXT_INCOMING_TO_OUTGOING,
			FXT_SWITCH_OUTGOING_THREAD | FXT_SWITCH_OUTGOING_PRIORITY);
	/* Only idle has the priority 0. */
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(120, true), 0);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(-1, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(0, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(1, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(139, false), 139);
}

static void name_is_made_utf8(struct kunit *test)
{
	static const struct {
		char name[VTR_FXT_NAME_MAX + 1];
		const char *clean;
	} cases[] = {
		{ "bash",			"bash" },
		{ "",				"?" },
		{ "kworker/u16:3-e!",		"kworker/u16:3-e" },
		{ "eight-ch",			"eight-ch" },
		{ "nine-char",			"nine-char" },
		{ "new\0old",			"new" },
		{ "new-name\0old",		"new-name" },
		{ "new-longer\0old\xff",	"new-longer" },
		{ "\0old",			"?" },
		{ "\x01\x7f",			"\x01\x7f" },
		{ "h\xc3\xa9",			"h\xc3\xa9" },
		{ "\xe2\x82\xac",		"\xe2\x82\xac" },
		{ "\xf0\x9f\x98\x80",		"\xf0\x9f\x98\x80" },
		{ "cut\xc3",			"cut?" },
		{ "\xff\xfe",			"??" },
		{ "\xc0\x80",			"??" },
		{ "\xed\xa0\x80",		"???" },
		{ "\xe0\x80\x80",		"???" },
		{ "\xf0\x80\x80\x80",		"????" },
		{ "\xf4\x90\x80\x80",		"????" },
		{ "\xf5\x80\x80\x80",		"????" },
		{ "12345678901234\xc3\xa9",	"12345678901234?" },
	};
	unsigned int i, len, nr_words;
	u64 *end;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 wanted[4] = { 0, 7 }, *words = fresh();

		len = strlen(cases[i].clean);
		nr_words = len > 8 ? 4 : 3;
		wanted[0] = 7 | nr_words << 4 | 1 << 16 |
			    (0x8000ULL | len) << 24;
		memcpy(wanted + 2, cases[i].clean, len);
		end = vtr_fxt_put_process_name(words, 7, cases[i].name);
		expect_words(test, cases[i].clean, words, end - words, wanted, nr_words);
	}
}

static struct vtr_fxt_string text_of(const char *text)
{
	return vtr_fxt_inline(text, strlen(text));
}

static struct vtr_fxt_string entry_of(u16 index)
{
	return (struct vtr_fxt_string){ .ref = index };
}

/* Header [0..3] type, [4..15] words, [16..31] name, [32..63] value. */
static void every_argument_type_is_in_place(struct kunit *test)
{
	static const struct {
		struct vtr_fxt_arg arg;
		unsigned int nr_words;
		u64 words[2];
	} cases[] = {
		{ { FXT_ARG_NULL }, 1, { 0x0000000000070010ULL } },
		{ { FXT_ARG_INT32, {}, { -5 } }, 1, { 0xfffffffb00070011ULL } },
		{ { FXT_ARG_UINT32, {}, { ~0ULL } }, 1, { 0xffffffff00070012ULL } },
		{ { FXT_ARG_INT64, {}, { -5 } }, 2, { 0x70023, 0xfffffffffffffffbULL } },
		{ { FXT_ARG_UINT64, {}, { 1ULL << 63 } }, 2, { 0x70024, 1ULL << 63 } },
		{ { FXT_ARG_DOUBLE, {}, { 0x3ff8000000000000ULL } },
		  2, { 0x70025, 0x3ff8000000000000ULL } },
		{ { FXT_ARG_STRING_REF, {}, { .string = { "hello", 0x8005 } } },
		  2, { 0x0000800500070026ULL, 0x0000006f6c6c6568ULL } },
		{ { FXT_ARG_STRING_REF, {}, { .string = { .ref = 9 } } },
		  1, { 0x0000000900070016ULL } },
		{ { FXT_ARG_POINTER, {}, { 0x1000 } }, 2, { 0x70027, 0x1000 } },
		{ { FXT_ARG_KOID, {}, { 17 } }, 2, { 0x70028, 17 } },
		{ { FXT_ARG_BOOL, {}, { 2 } }, 1, { 0x0000000100070019ULL } },
		{ { FXT_ARG_BOOL, { "name", 0x8004 } }, 2, { 0x0000000080040029ULL, 0x656d616e } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vtr_fxt_arg arg = cases[i].arg;
		u64 *words = fresh();

		if (!arg.name.ref)
			arg.name.ref = 7;
		expect_words(test, "argument", words, put_arg(words, &arg), cases[i].words,
			     cases[i].nr_words);
	}
}

/* [16..19] type, [20..23] arguments, [24..31] thread, category, name. */
static void every_event_type_is_in_place(struct kunit *test)
{
	struct vtr_fxt_event event = {
		.category = entry_of(7),
		.name = entry_of(8),
		.thread = { .ref = 9 },
		.ticks = 99,
		.id = 77,
	};
	unsigned int type, nr_words;

	for (type = FXT_EVENT_INSTANT; type <= FXT_EVENT_FLOW_END; type++) {
		u64 *words = fresh();

		event.type = type;
		nr_words = type == 0 || type == 2 || type == 3 ? 2 : 3;
		expect_words(test, "event", words, vtr_fxt_put_event(words, &event),
			     (u64[]){ 0x0008000709000004ULL | nr_words << 4 |
				      type << 16, 99, 77 }, nr_words);
	}
}

static void event_has_all_inline_in_order(struct kunit *test)
{
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_INT32, { .ref = 7 }, { .value = 1 } },
	};
	const struct vtr_fxt_event event = {
		.type = FXT_EVENT_COUNTER,
		.category = text_of("cat"),
		.name = text_of("na\xffme"),
		.thread = { .process = 10, .thread = 11 },
		.args = args,
		.nr_args = 1,
		.ticks = 99,
		.id = 77,
	};

	EXPECT_WORDS(test, vtr_fxt_put_event(words, &event),
		     0x8005800300110084ULL, 99, 10, 11, 0x746163, 0x000000656d3f616eULL,
		     0x0000000100070011ULL, 77);
	/* header, time and thread are not counted, nor is the last word */
	KUNIT_EXPECT_EQ(test, vtr_fxt_strings_words(&event), 2 + 2);
}

/* Strings without an index need room: names, and values that are strings. */
static void room_for_strings_is_counted(struct kunit *test)
{
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_STRING_REF, text_of("nine char"),
		  { .string = text_of("a text of 19 bytes.") } },
		{ FXT_ARG_UINT64, entry_of(7), { .value = 1ULL << 47 } },
		{ FXT_ARG_STRING_REF, entry_of(7), { .string = entry_of(9) } },
	};
	struct vtr_fxt_event event = {
		.category = entry_of(6),
		.name = text_of("name"),
		.args = args,
		.nr_args = ARRAY_SIZE(args),
	};
	KUNIT_EXPECT_EQ(test, vtr_fxt_strings_words(&event), 1 + (2 + 2 + 3) + 2 + 2);
	event.nr_args = 2;
	KUNIT_EXPECT_EQ(test, vtr_fxt_strings_words(&event), 1 + (2 + 2 + 3) + 2);
	event.nr_args = 0;
	KUNIT_EXPECT_EQ(test, vtr_fxt_strings_words(&event), 1);
}

static unsigned int put_as(enum vtr_fxt_kind kind, u64 *words, struct vtr_fxt_event *event)
{
	event->kind = kind;
	return vtr_fxt_put_event(words, event);
}

static void log_blob_and_objects_are_in_place(struct kunit *test)
{
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_BOOL, { .ref = 7 }, { .value = 1 } },
	};
	/* Inline members, and some with a reference. */
	struct vtr_fxt_event stray = {
		.category = text_of("category"),
		.name = text_of("name"),
		.thread = { .process = 10, .thread = 11 },
		.ticks = 99,
		.payload = "h\xffllo",
		.payload_bytes = 5,
	};
	struct vtr_fxt_event event = {
		.type = 17,
		.category = entry_of(6),
		.name = text_of("na"),
		.thread = { .ref = 9 },
		.args = args,
		.nr_args = 1,
		.ticks = 99,
		.id = 0x1000,
		.payload = "hello, you",
		.payload_bytes = 10,
	};

	EXPECT_WORDS(test, put_as(VTR_FXT_LOG, words, &event),
		     0x00000009000a0049ULL, 99, 0x79202c6f6c6c6568ULL, 0x756f);
	EXPECT_WORDS(test, put_as(VTR_FXT_LOG, words, &stray),
		     0x0000000000050059ULL, 99, 10, 11, 0x6f6c6c3f68ULL);
	EXPECT_WORDS(test, put_as(VTR_FXT_BLOB, words, &event),
		     0x0001000a80020045ULL, 0x616e, 0x79202c6f6c6c6568ULL, 0x756f);
	EXPECT_WORDS(test, put_as(VTR_FXT_USERSPACE_OBJECT, words, &event),
		     0x0000018002090046ULL, 0x1000, 0x616e, 0x0000000100070019ULL);
	EXPECT_WORDS(test, put_as(VTR_FXT_KERNEL_OBJECT, words, &event),
		     0x0000018002110047ULL, 0x1000, 0x616e, 0x0000000100070019ULL);

	/* A large BLOB has a wide size; the second inline string begins after the first. */
	event.name = entry_of(8);
	event.payload_bytes = 5;
	EXPECT_WORDS(test, put_as(VTR_FXT_LARGE_BLOB, words, &event),
		     0x000000000000006fULL, 0x0000009100080006ULL, 99, 0x0000000100070019ULL, 5,
		     0x6f6c6c6568ULL);
	EXPECT_WORDS(test, put_as(VTR_FXT_LARGE_DATA, words, &event),
		     0x000001000000004fULL, 0x0000000000080006ULL, 5, 0x6f6c6c6568ULL);
	stray.payload = "hello";
	EXPECT_WORDS(test, put_as(VTR_FXT_LARGE_BLOB, words, &stray),
		     0x000000000000009fULL, 0x0000000080048008ULL, 0x79726f6765746163ULL,
		     0x656d616e, 99, 10, 11, 5, 0x6f6c6c6568ULL);
	EXPECT_WORDS(test, put_as(VTR_FXT_LARGE_DATA, words, &stray),
		     0x000001000000006fULL, 0x0000000080048008ULL, 0x79726f6765746163ULL,
		     0x656d616e, 5, 0x6f6c6c6568ULL);
}

static struct kunit_case fxt_cases[] = {
	KUNIT_CASE(records_are_as_the_format_says),
	KUNIT_CASE(switch_fields_are_in_place),
	KUNIT_CASE(name_is_made_utf8),
	KUNIT_CASE(every_argument_type_is_in_place),
	KUNIT_CASE(every_event_type_is_in_place),
	KUNIT_CASE(event_has_all_inline_in_order),
	KUNIT_CASE(room_for_strings_is_counted),
	KUNIT_CASE(log_blob_and_objects_are_in_place),
	{}
};

VTR_KUNIT_SUITE(fxt);
