// SPDX-License-Identifier: GPL-2.0
/*
 * Suites of fxt.c and threads.h: every record against the bytes the format
 * demands, names made of anything, thread references under pressure.
 */
#include <kunit/test.h>

#include "../threads.h"

#define CANARY	0xdeadbeefdeadbeefULL

static void expect_words(struct kunit *test, const u64 *words,
			 unsigned int nr_words, const u64 *wanted,
			 unsigned int nr_wanted)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, nr_words, nr_wanted);
	for (i = 0; i < nr_wanted; i++)
		KUNIT_EXPECT_EQ(test, words[i], wanted[i]);
	KUNIT_EXPECT_EQ(test, words[nr_wanted], CANARY);
}

#define RECORD(name)							\
	u64 name[] = { CANARY, CANARY, CANARY, CANARY, CANARY, CANARY,	\
		       CANARY, CANARY }

static void provider_info_names_the_provider(struct kunit *test)
{
	RECORD(words);
	RECORD(exact);

	expect_words(test, words, vtr_fxt_put_provider(words, 4, "vitrine"),
		     (u64[]){ 0x0070000000410020ULL, 0x00656e6972746976ULL },
		     2);
	/* eight bytes: no padding and no NUL */
	expect_words(test, exact, vtr_fxt_put_provider(exact, 1, "12345678"),
		     (u64[]){ 0x0080000000110020ULL, 0x3837363534333231ULL },
		     2);
}

static void initialization_holds_the_rate(struct kunit *test)
{
	RECORD(words);

	expect_words(test, words,
		     vtr_fxt_put_initialization(words, 1000000000),
		     (u64[]){ 0x21, 1000000000 }, 2);
}

static void string_is_padded_with_zeros(struct kunit *test)
{
	RECORD(words);

	expect_words(test, words, vtr_fxt_put_string(words, 1, "process", 7),
		     (u64[]){ 0x0000000700010022ULL, 0x00737365636f7270ULL },
		     2);
}

static void blob_head_counts_its_payload(struct kunit *test)
{
	RECORD(words);
	RECORD(padding);

	expect_words(test, words, vtr_fxt_put_blob(words, "vitrine", 104),
		     (u64[]){ 0x00010068800700f5ULL, 0x00656e6972746976ULL },
		     2);
	expect_words(test, padding, vtr_fxt_put_blob(padding, "", 16),
		     (u64[]){ 0x0001001000000035ULL }, 1);
}

static void thread_record_registers_both_koids(struct kunit *test)
{
	RECORD(words);

	expect_words(test, words, vtr_fxt_put_thread(words, 255, 10, 11),
		     (u64[]){ 0x0000000000ff0033ULL, 10, 11 }, 3);
}

static void process_name_has_no_argument(struct kunit *test)
{
	RECORD(words);

	expect_words(test, words, vtr_fxt_put_process_name(words, 7, "sh"),
		     (u64[]){ 0x0000008002010037ULL, 7, 0x6873 }, 3);
}

static void thread_name_has_its_process(struct kunit *test)
{
	RECORD(words);

	expect_words(test, words,
		     vtr_fxt_put_thread_name(words, 7, 8, "123456789012345"),
		     (u64[]){ 0x000001800f020067ULL, 8,
			      0x3837363534333231ULL, 0x0035343332313039ULL,
			      0x0000000000010028ULL, 7 }, 6);
}

static void switch_fields_are_in_place(struct kunit *test)
{
	u64 word = vtr_fxt_switch_base(3) | vtr_fxt_incoming(0xab, 120);

	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_TYPE, word), 8);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_WORDS, word), 2);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_CPU, word), 3);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_THREAD, word),
			0xab);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_PRIORITY, word),
			120);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, word), 0);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SCHEDULING_SUBTYPE, word), 0);
}

static void incoming_shifted_is_outgoing(struct kunit *test)
{
	u64 word = vtr_fxt_incoming(0xff, 0xff) >> VTR_FXT_INCOMING_TO_OUTGOING;

	KUNIT_EXPECT_EQ(test, word, FXT_SWITCH_OUTGOING_THREAD |
				    FXT_SWITCH_OUTGOING_PRIORITY);
}

static void only_idle_has_priority_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(120, true), 0);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(-1, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(0, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(1, false), 1);
	KUNIT_EXPECT_EQ(test, vtr_fxt_priority(139, false), 139);
}

static void name_is_made_utf8(struct kunit *test)
{
	static const struct {
		const char *name;
		const char *clean;
	} cases[] = {
		{ "bash",			"bash" },
		{ "",				"?" },
		{ "kworker/u16:3-e-cut-here",	"kworker/u16:3-e" },
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
	char clean[VTR_FXT_NAME_MAX + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, vtr_fxt_clean_name(clean, cases[i].name),
				strlen(cases[i].clean));
		KUNIT_EXPECT_STREQ(test, clean, cases[i].clean);
	}
}

static struct kunit_case fxt_cases[] = {
	KUNIT_CASE(provider_info_names_the_provider),
	KUNIT_CASE(initialization_holds_the_rate),
	KUNIT_CASE(string_is_padded_with_zeros),
	KUNIT_CASE(blob_head_counts_its_payload),
	KUNIT_CASE(thread_record_registers_both_koids),
	KUNIT_CASE(process_name_has_no_argument),
	KUNIT_CASE(thread_name_has_its_process),
	KUNIT_CASE(switch_fields_are_in_place),
	KUNIT_CASE(incoming_shifted_is_outgoing),
	KUNIT_CASE(only_idle_has_priority_zero),
	KUNIT_CASE(name_is_made_utf8),
	{}
};

static struct kunit_suite fxt_suite = {
	.name = "vitrine_fxt",
	.test_cases = fxt_cases,
};

static u64 key_of(u32 pid)
{
	return (u64)pid << 32 | pid;
}

static struct vtr_threads *new_threads(struct kunit *test)
{
	struct vtr_threads *threads = kunit_kzalloc(test, sizeof(*threads),
						    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, threads);
	vtr_threads_forget(threads);
	return threads;
}

static void forgotten_threads_are_not_found(struct kunit *test)
{
	struct vtr_threads *threads = new_threads(test);

	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, 0), 0);
	vtr_threads_add(threads, 0, 0);
	KUNIT_EXPECT_NE(test, vtr_threads_find(threads, 0), 0);
	vtr_threads_forget(threads);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, 0), 0);
}

static void all_references_get_used_but_zero(struct kunit *test)
{
	struct vtr_threads *threads = new_threads(test);
	unsigned int ref, pid;
	bool used[VTR_THREADS_REFS] = {};

	for (pid = 1; pid < VTR_THREADS_REFS; pid++) {
		ref = vtr_threads_add(threads, key_of(pid), 0);
		KUNIT_ASSERT_NE(test, ref, 0);
		KUNIT_ASSERT_LT(test, ref, VTR_THREADS_REFS);
		KUNIT_EXPECT_FALSE(test, used[ref]);
		used[ref] = true;
	}
	for (pid = 1; pid < VTR_THREADS_REFS; pid++)
		KUNIT_EXPECT_NE(test, vtr_threads_find(threads, key_of(pid)),
				0);
}

static void running_thread_keeps_its_reference(struct kunit *test)
{
	struct vtr_threads *threads = new_threads(test);
	unsigned int running, ref, i;

	/* all of one set, which is set 0, the one with three references */
	running = vtr_threads_add(threads, key_of(0), 0);
	for (i = 1; i < 1000; i++) {
		ref = vtr_threads_add(threads, key_of(i * VTR_THREADS_SETS),
				      running);
		KUNIT_ASSERT_NE(test, ref, running);
		KUNIT_ASSERT_NE(test, ref, 0);
		KUNIT_ASSERT_EQ(test, ref,
				vtr_threads_find(threads,
						 key_of(i * VTR_THREADS_SETS)));
		KUNIT_ASSERT_EQ(test, vtr_threads_find(threads, key_of(0)),
				running);
	}
}

static void removed_thread_is_named_again(struct kunit *test)
{
	struct vtr_threads *threads = new_threads(test);

	vtr_threads_add(threads, key_of(9), 0);
	KUNIT_EXPECT_TRUE(test, vtr_threads_name(threads, key_of(9)));
	KUNIT_EXPECT_FALSE(test, vtr_threads_name(threads, key_of(9)));
	vtr_threads_remove(threads, key_of(9));
	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, key_of(9)), 0);
	KUNIT_EXPECT_TRUE(test, vtr_threads_name(threads, key_of(9)));
}

static void process_and_thread_are_named_apart(struct kunit *test)
{
	struct vtr_threads *threads = new_threads(test);
	u32 pid;

	for (pid = 0; pid < 1000; pid++) {
		KUNIT_EXPECT_TRUE(test, vtr_threads_name(threads, key_of(pid)));
		KUNIT_EXPECT_TRUE(test,
				  vtr_threads_name(threads,
						   VTR_THREADS_PROCESS(pid)));
		KUNIT_EXPECT_FALSE(test, vtr_threads_name(threads, key_of(pid)));
		vtr_threads_unname(threads, VTR_THREADS_PROCESS(pid));
		KUNIT_EXPECT_TRUE(test,
				  vtr_threads_name(threads,
						   VTR_THREADS_PROCESS(pid)));
	}
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE(forgotten_threads_are_not_found),
	KUNIT_CASE(all_references_get_used_but_zero),
	KUNIT_CASE(running_thread_keeps_its_reference),
	KUNIT_CASE(removed_thread_is_named_again),
	KUNIT_CASE(process_and_thread_are_named_apart),
	{}
};

static struct kunit_suite threads_suite = {
	.name = "vitrine_threads",
	.test_cases = threads_cases,
};

kunit_test_suites(&fxt_suite, &threads_suite);
