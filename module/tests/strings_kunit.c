// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of strings.c: keys of texts, sets that are full, strings of one record, and
 * prepared records, which must not outlive the strings to which they refer.
 */

#include "suite.h"

#define STRINGS_TEST_SITE	0x1000UL

/* The table of the case. */
static struct vtr_strings *strings;

static int strings_init(struct kunit *test)
{
	strings = zalloc(test, sizeof(*strings));
	return 0;
}

/* Return the @nr-th key, counted from 0, of the set that begins with slot @first. */
static const void *key_of_set(unsigned int first, unsigned int nr)
{
	unsigned long key = 1;

	while (vtr_strings_first((void *)key) != first || nr--)
		key++;
	return (void *)key;
}

/* Give the @nr-th key of a set an index, as a record of its own does. */
static u16 add_alone(unsigned int first, unsigned int nr)
{
	vtr_strings_begin(strings);
	return vtr_strings_add(strings, key_of_set(first, nr));
}

static u16 find_alone(unsigned int first, unsigned int nr)
{
	vtr_strings_begin(strings);
	return vtr_strings_find(strings, key_of_set(first, nr));
}

static bool site_is_known(void)
{
	const struct vtr_site_record *record;

	return vtr_sites_find(&strings->sites, STRINGS_TEST_SITE, &record);
}

static void forgotten_strings_are_not_found(struct kunit *test)
{
	const char *key = "key";
	unsigned int i;
	u16 index;

	KUNIT_EXPECT_EQ(test, vtr_strings_find(strings, key), 0);
	for (i = 0; i < 2; i++) {
		index = vtr_strings_add(strings, key);
		KUNIT_EXPECT_GE(test, index, VTR_FXT_STRING_FIRST);
		KUNIT_EXPECT_EQ(test, vtr_strings_find(strings, key), index);
		KUNIT_EXPECT_TRUE(test, strings->used);
		vtr_strings_forget(strings);
		KUNIT_EXPECT_EQ(test, vtr_strings_find(strings, key), 0);
		/* An empty table is not emptied again at each sub-buffer. */
		KUNIT_EXPECT_FALSE(test, strings->used);
	}
}

/* Each set, and the last one in particular, ends where the next one begins. */
static void set_has_four_indices_of_its_own(struct kunit *test)
{
	bool used[VTR_STRINGS_SLOTS] = {};
	unsigned int first, i, slot;

	for (first = 0; first < VTR_STRINGS_SLOTS; first += VTR_STRINGS_WAYS)
		for (i = 0; i < VTR_STRINGS_WAYS; i++) {
			KUNIT_EXPECT_EQ(test, find_alone(first, i), 0);
			slot = add_alone(first, i) - VTR_FXT_STRING_FIRST;
			KUNIT_ASSERT_GE(test, slot, first);
			KUNIT_ASSERT_LT(test, slot, first + VTR_STRINGS_WAYS);
			KUNIT_EXPECT_FALSE(test, used[slot]);
			used[slot] = true;
		}
	for (first = 0; first < VTR_STRINGS_SLOTS; first += VTR_STRINGS_WAYS) {
		KUNIT_EXPECT_EQ(test, find_alone(first, 4), 0);
		for (i = 0; i < VTR_STRINGS_WAYS; i++)
			KUNIT_EXPECT_NE(test, find_alone(first, i), 0);
	}
}

/* Other sets are empty, but a string that is added there would not be found. */
static void full_set_replaces_its_own_in_turn(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < 3 * VTR_STRINGS_WAYS; i++) {
		KUNIT_EXPECT_NE(test, add_alone(8, i), 0);
		KUNIT_EXPECT_NE(test, find_alone(8, i), 0);
	}
	for (j = 0; j < i; j++)
		KUNIT_EXPECT_EQ(test, !find_alone(8, j), j < 2 * VTR_STRINGS_WAYS);
}

static void fifth_string_of_a_set_is_inline(struct kunit *test)
{
	unsigned int i;

	vtr_strings_begin(strings);
	for (i = 0; i < VTR_STRINGS_WAYS; i++)
		KUNIT_EXPECT_NE(test, vtr_strings_add(strings, key_of_set(0, i)), 0);
	KUNIT_EXPECT_EQ(test, vtr_strings_add(strings, key_of_set(0, 4)), 0);
	for (i = 0; i < VTR_STRINGS_WAYS; i++)
		KUNIT_EXPECT_NE(test, vtr_strings_find(strings, key_of_set(0, i)), 0);
	KUNIT_EXPECT_NE(test, add_alone(0, 4), 0);

	/* A record that found one of the four may replace only the three others. */
	vtr_strings_begin(strings);
	KUNIT_EXPECT_NE(test, vtr_strings_find(strings, key_of_set(0, 4)), 0);
	for (i = 5; i < 8; i++)
		KUNIT_EXPECT_NE(test, vtr_strings_add(strings, key_of_set(0, i)), 0);
	KUNIT_EXPECT_EQ(test, vtr_strings_add(strings, key_of_set(0, 8)), 0);
	KUNIT_EXPECT_NE(test, vtr_strings_find(strings, key_of_set(0, 4)), 0);
}

/* An index that gets another meaning makes prepared records wrong; a new one does not. */
static void replaced_string_takes_the_sites_with_it(struct kunit *test)
{
	unsigned int i;

	vtr_sites_add(&strings->sites, STRINGS_TEST_SITE);
	for (i = 0; i < VTR_STRINGS_WAYS; i++)
		add_alone(0, i);
	KUNIT_EXPECT_TRUE(test, site_is_known());
	add_alone(0, i);
	KUNIT_EXPECT_FALSE(test, site_is_known());
	vtr_sites_add(&strings->sites, STRINGS_TEST_SITE);
	vtr_strings_forget(strings);
	KUNIT_EXPECT_FALSE(test, site_is_known());
}

/* Many strings use all indices: a record must not evict its own strings. */
static void record_keeps_its_own_strings(struct kunit *test)
{
	static const char bytes[4096];
	struct random random = { random_seed(test) };
	const char *keys[17];
	u16 indices[17];
	unsigned int record, i, j, nr_inline = 0;

	for (record = 0; record < 2000; record++) {
		vtr_strings_begin(strings);
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			keys[i] = bytes + random_below(&random, sizeof(bytes));
			indices[i] = vtr_strings_find(strings, keys[i]) ?:
				     vtr_strings_add(strings, keys[i]);
			nr_inline += !indices[i];
		}
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			if (!indices[i])
				continue;
			KUNIT_ASSERT_LT(test, indices[i], VTR_FXT_STRING_FIRST + VTR_STRINGS_SLOTS);
			KUNIT_ASSERT_EQ(test, vtr_strings_find(strings, keys[i]), indices[i]);
			for (j = 0; j < i; j++)
				KUNIT_ASSERT_EQ(test, keys[i] == keys[j], indices[i] == indices[j]);
		}
	}
	/* A record rarely, but sometimes, has more than four strings of one set. */
	KUNIT_EXPECT_GT(test, nr_inline, 0);
	KUNIT_EXPECT_LT(test, nr_inline, 2000 * 17 / 50);
}

#define STRINGS_TEST_BYTES	(VTR_STRINGS_MAX_BYTES + 1 + sizeof(u64))

/* Each of the bytes that matter changes the key, and so does each length. */
static void text_has_a_key_of_its_own(struct kunit *test)
{
	char *text = zalloc(test, STRINGS_TEST_BYTES);
	unsigned int len, i;
	const void *key, *last = NULL;

	for (len = 0; len <= VTR_STRINGS_MAX_BYTES; len++) {
		key = vtr_strings_key(text);
		KUNIT_EXPECT_PTR_NE(test, key, last);
		KUNIT_EXPECT_EQ(test, (unsigned long)key >> 62, 1);
		last = key;
		for (i = 0; i < len; i++) {
			text[i] ^= 0x40;
			KUNIT_EXPECT_PTR_NE(test, vtr_strings_key(text), key);
			text[i] ^= 0x40;
		}
		text[len] = 'a';
	}
}

/* The same text has the same key, wherever it is, and whatever follows it. */
static void key_depends_on_the_text_only(struct kunit *test)
{
	static const char word[] = "not longer";
	char *text = zalloc(test, 2 * STRINGS_TEST_BYTES);
	const void *key = vtr_strings_key(word);
	unsigned int i;

	for (i = 0; i < 2 * sizeof(u64); i++) {
		memset(text, 'x', STRINGS_TEST_BYTES);
		memcpy(text + i, word, sizeof(word));
		KUNIT_EXPECT_PTR_EQ(test, vtr_strings_key(text + i), key);
	}
	/* A text that is longer than the longest string is cut, and cut texts are equal. */
	memset(text, 'x', STRINGS_TEST_BYTES);
	key = vtr_strings_key(text);
	text[VTR_STRINGS_MAX_BYTES + 1] = 'y';
	KUNIT_EXPECT_PTR_EQ(test, vtr_strings_key(text), key);
	/* The order of the words matters: a stack is a list of lines. */
	KUNIT_EXPECT_PTR_NE(test, vtr_strings_key("12345678abcdefgh"),
			    vtr_strings_key("abcdefgh12345678"));
	/* A missing name is empty. */
	KUNIT_EXPECT_PTR_EQ(test, vtr_strings_key(NULL), vtr_strings_key(""));
}

static struct kunit_case strings_cases[] = {
	KUNIT_CASE(forgotten_strings_are_not_found),
	KUNIT_CASE(set_has_four_indices_of_its_own),
	KUNIT_CASE(full_set_replaces_its_own_in_turn),
	KUNIT_CASE(fifth_string_of_a_set_is_inline),
	KUNIT_CASE(replaced_string_takes_the_sites_with_it),
	KUNIT_CASE(record_keeps_its_own_strings),
	KUNIT_CASE(text_has_a_key_of_its_own),
	KUNIT_CASE(key_depends_on_the_text_only),
	{}
};

VTR_KUNIT_SUITE(strings, .init = strings_init);
