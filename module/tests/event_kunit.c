// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of event.c and prepared.c: both write the same bytes. Two rings get
 * the same events, one of them through the slow path only. Kernel only.
 */
#include <linux/vmalloc.h>

#include "ring_fixture.h"

#define TEST_SITES	300
#define TEST_NAMES	200	/* more than the string table holds */
#define TEST_ROUNDS	20000
#define TEST_TEXT_BYTES	300
#define TEST_MOST_WORDS	600	/* more than any event here takes */

static DEFINE_VITRINE_CATEGORY(kunit_event);
static DEFINE_VITRINE_CATEGORY(all);

/* A site with everything that it refers to. */
struct random_site {
	struct vitrine_site	site;
	struct vitrine_arg	args[VTR_SITES_MAX_ARGS];
};

/* Two rings, and the events written to both. */
struct pair {
	struct random		random;
	struct vtr_ring		*reference;	/* written by event.c */
	struct vtr_ring		*fast;		/* written by prepared.c as far as possible */
	struct random_site	sites[TEST_SITES];
	char			names[TEST_NAMES][8];	/* of events and arguments */
	char			*text;		/* ends with its page, with no page after it */
	unsigned int		nr_fast;	/* sites prepared for a function of their own */
	unsigned int		nr_prepared;	/* those prepared for the function of all kinds */
};

static u32 below(struct pair *pair, u32 end)
{
	return random_below(&pair->random, end);
}

static const char *random_name(struct pair *pair)
{
	return pair->names[below(pair, TEST_NAMES)];
}

static const unsigned int arg_types[] = {
	FXT_ARG_NULL, FXT_ARG_INT32, FXT_ARG_UINT32, FXT_ARG_INT64,
	FXT_ARG_UINT64, FXT_ARG_DOUBLE, FXT_ARG_STRING_REF, FXT_ARG_POINTER,
	FXT_ARG_KOID, FXT_ARG_BOOL, VITRINE_ARG_TYPE_LITERAL,
};

/* Half of the sites have no text. */
static unsigned int random_type(struct pair *pair, bool text)
{
	unsigned int type;

	do {
		type = arg_types[below(pair, ARRAY_SIZE(arg_types))];
	} while (!text && type == FXT_ARG_STRING_REF);
	return type;
}

/* Sites of the module's own sources: a function, a name that varies, or a message. */
static void make_own_site(struct pair *pair, struct random_site *made)
{
	unsigned int kind = below(pair, 4);

	made->site.nr_args = 1;
	made->args[0].type = VITRINE_ARG_TYPE_SYMBOL;
	if (!kind)
		return;
	made->site.nr_args = below(pair, 2);
	made->args[0].type = FXT_ARG_INT32;
	made->site.name = NULL;
	if (kind == 1) {
		made->site.nr_args = 0;
		made->site.record = VITRINE_RECORD_LOG;
		return;
	}
	made->site.record |= kind == 2 ? VITRINE_RECORD_NAMED : VITRINE_RECORD_INLINE;
}

static void make_site(struct pair *pair, struct random_site *made)
{
	enum fxt_event_type record = below(pair, FXT_EVENT_FLOW_END + 1);
	bool text = below(pair, 2);
	unsigned int i;

	made->site = (struct vitrine_site){
		.category = &vitrine_category_kunit_event,
		.record = record,
		.nr_args = below(pair, VTR_SITES_MAX_ARGS + 1),
		.args = made->args,
		.name = random_name(pair),
	};
	made->args[0].name = random_name(pair);
	if (record == FXT_EVENT_DURATION_COMPLETE ||
	    (record == FXT_EVENT_DURATION_BEGIN && below(pair, 2)))
		made->site.record |= VITRINE_RECORD_BEGAN;
	for (i = 0; i < made->site.nr_args; i++) {
		made->args[i].name = random_name(pair);
		made->args[i].type = random_type(pair, text);
	}
	if (!below(pair, 4))
		make_own_site(pair, made);
	for (i = 0; i < made->site.nr_args; i++)
		if (made->args[i].type == FXT_ARG_STRING_REF)
			made->site.record |= VITRINE_RECORD_TEXT;
}

static u64 random_text(struct pair *pair)
{
	unsigned int len_bytes = below(pair, below(pair, 2) ? 20 : TEST_TEXT_BYTES);
	char *text = pair->text + PAGE_SIZE - len_bytes - 1;
	unsigned int i;

	if (!below(pair, 50))
		return 0;
	for (i = 0; i < len_bytes; i++)
		text[i] = 1 + below(pair, 127);
	if (len_bytes && !below(pair, 10))
		text[below(pair, len_bytes)] = 128 + below(pair, 128);
	text[i] = '\0';
	return (unsigned long)text;
}

static u64 random_value(struct pair *pair, const struct vitrine_arg *arg)
{
	u64 value = random_u64(&pair->random);

	switch (arg->type) {
	case FXT_ARG_BOOL:
		return value & 1;
	case FXT_ARG_STRING_REF:
		return random_text(pair);
	case VITRINE_ARG_TYPE_LITERAL:
		/* A literal is always the same. */
		return (unsigned long)arg->name;
	case VITRINE_ARG_TYPE_SYMBOL:
		return (unsigned long)(value & 1 ? (void *)vtr_event_write :
						   (void *)vtr_clock_ticks);
	default:
		return value;
	}
}

/* A call: which site, with which name, id and values. */
struct call {
	const struct vitrine_site *site;
	const char		*name;
	u64			id;
	u64			values[VTR_SITES_MAX_ARGS];
};

static void write_reference(void *ctx)
{
	const struct call *call = ctx;

	if (call->site->record == VITRINE_RECORD_LOG)
		vitrine_trace_write_any(call->site, NULL, call->name, SIZE_MAX, 0);
	else
		vtr_event_write(call->site, call->name, call->id, NULL, 0, call->values);
}

static void write_fast(void *ctx)
{
	const struct call *call = ctx;
	const struct vitrine_site *site = call->site;
	const char *name = call->name;
	const u64 *values = call->values;
	u64 id = call->id;

	if (site->record == VITRINE_RECORD_LOG)
		return vtr_prepared_write_log(site, name, name ? strlen(name) : 0);
	if (site->record & VITRINE_RECORD_INLINE)
		return vtr_prepared_write_inline(site, name, strlen(name), id, values[0]);
	if (site->record & VITRINE_RECORD_NAMED)
		return vtr_prepared_write_key(site, vtr_strings_key(name), name, id, values[0]);
	if (site->nr_args && site->args[0].type == VITRINE_ARG_TYPE_SYMBOL)
		return vtr_prepared_write_key(site, (void *)values[0], NULL, id, values[0]);
	switch (site->nr_args) {
	case 0:
		return vitrine_trace_write0(site, id);
	case 1:
		return vitrine_trace_write1(site, id, values[0]);
	case 2:
		return vitrine_trace_write2(site, id, values[0], values[1]);
	case 3:
		return vitrine_trace_write3(site, id, values[0], values[1], values[2]);
	case 4:
		return vitrine_trace_write4(site, id, values[0], values[1], values[2], values[3]);
	default:
		return vtr_prepared_write_values(site, id, values);
	}
}

/* Return the record that was written last, and its length. */
static u64 *last_record(const struct vtr_ring *ring, unsigned int *ret_nr_words)
{
	u64 *end = vtr_ring_next(ring), *record = vtr_ring_at(ring->committed, 0);

	for (;;) {
		*ret_nr_words = FIELD_GET(FXT_HEADER_WORDS, record[0]);
		if (!*ret_nr_words || record + *ret_nr_words >= end)
			return record;
		record += *ret_nr_words;
	}
}

/* The time that the record was written at, where it says that; all sub-buffers do. */
static void expect_times(struct kunit *test, const struct vtr_ring *ring,
			 const struct vitrine_site *site, const u64 *record,
			 unsigned int nr_words, u64 before, u64 after)
{
	u64 end = vtr_ring_packet(vtr_ring_at(ring->committed, 0))->end_ticks;

	KUNIT_ASSERT_GE(test, end, before);
	KUNIT_ASSERT_LE(test, end, after);
	if (!(site->record & VITRINE_RECORD_BEGAN))
		KUNIT_ASSERT_EQ(test, record[1], end);
	else if ((site->record & 0xff) == FXT_EVENT_DURATION_COMPLETE)
		KUNIT_ASSERT_EQ(test, record[nr_words - 1], end);
}

static void compare(struct kunit *test, struct pair *pair,
		    const struct vitrine_site *site, u64 before, u64 after)
{
	unsigned int nr_words, nr_reference;
	u64 *reference = last_record(pair->reference, &nr_reference);
	u64 *fast = last_record(pair->fast, &nr_words);
	bool has_begun = site->record & VITRINE_RECORD_BEGAN;

	KUNIT_ASSERT_EQ(test, nr_words, nr_reference);
	expect_times(test, pair->fast, site, fast, nr_words, before, after);
	/* Only the time differs: when it was written, or when it began, and the end. */
	if (!has_begun)
		fast[1] = reference[1];
	else if ((site->record & 0xff) == FXT_EVENT_DURATION_COMPLETE)
		fast[nr_words - 1] = reference[nr_words - 1];
	KUNIT_ASSERT_MEMEQ(test, fast, reference, nr_words * FXT_WORD_BYTES);
	KUNIT_ASSERT_EQ(test, pair->fast->other_records, pair->reference->other_records);
	KUNIT_ASSERT_EQ(test, pair->fast->other_bytes, pair->reference->other_bytes);
}

/* event.c asks for more room than it takes: have both begin sub-buffers together. */
static void make_room(struct pair *pair)
{
	u64 now = vtr_writer_ticks(pair->fast);
	unsigned long flags;

	local_irq_save(flags);
	if (!vtr_ring_has(pair->reference, TEST_MOST_WORDS) ||
	    !vtr_ring_has(pair->fast, TEST_MOST_WORDS)) {
		vtr_writer_reserve_here(pair->reference, 2 * TEST_MOST_WORDS, now, current);
		vtr_writer_reserve_here(pair->fast, 2 * TEST_MOST_WORDS, now, current);
	}
	/* As when a module goes. */
	if (!below(pair, 200)) {
		vtr_strings_forget(&pair->reference->strings);
		vtr_strings_forget(&pair->fast->strings);
	}
	local_irq_restore(flags);
}

static void write_both(struct kunit *test, struct pair *pair, const struct vitrine_site *site)
{
	const struct vtr_sites *sites = &pair->fast->strings.sites;
	const struct vtr_site_record *record;
	struct call call = {
		.site = site,
		.name = site->name ?: random_name(pair),
		.id = below(pair, U32_MAX),
	};
	unsigned int i;
	u64 before;

	/* Of what has begun, a time that both clocks have reached; 0 means that it is not known. */
	if (site->record & VITRINE_RECORD_BEGAN)
		call.id = max(1ULL, min(pair->fast->config.session_ticks + below(pair, 1000),
					vtr_writer_ticks(pair->fast)));
	if (site->record == VITRINE_RECORD_LOG)
		call.name = (const char *)(unsigned long)random_text(pair);
	for (i = 0; i < site->nr_args; i++)
		call.values[i] = random_value(pair, &site->args[i]);
	make_room(pair);
	pair->nr_fast += vtr_sites_find(sites, vtr_sites_key(site, true), &record);
	pair->nr_prepared += vtr_sites_find(sites, vtr_sites_key(site, false), &record);
	with_ring(pair->reference, write_reference, &call);
	before = vtr_writer_ticks(pair->fast);
	with_ring(pair->fast, write_fast, &call);
	compare(test, pair, site, before, vtr_writer_ticks(pair->fast));
}

static struct vtr_ring *make_ring(struct kunit *test, enum vitrine_clock clock)
{
	struct vtr_ring_config config = ring_config(VITRINE_MODE_CIRCULAR, 4);
	struct vtr_ring *ring;
	unsigned long flags;

	config.clock = clock;
	config.subbuf_order = 2;
	config.session_ticks = vtr_clock_ticks(clock);
	ring = vtr_ring_create(0, &config);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	local_irq_save(flags);
	vtr_ring_advance(ring, config.session_ticks + 1000);
	vtr_writer_open_chain(ring, config.session_ticks + 1000, current);
	local_irq_restore(flags);
	return ring;
}

static void write_with(struct kunit *test, enum vitrine_clock clock)
{
	struct pair *pair = vzalloc(sizeof(*pair));
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pair);
	pair->text = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, pair->text);
	pair->random.state = 20261122;
	pair->reference = make_ring(test, clock);
	pair->fast = make_ring(test, clock);
	for (i = 0; i < TEST_NAMES; i++)
		snprintf(pair->names[i], sizeof(pair->names[i]), "n%u", i);
	for (i = 0; i < TEST_SITES; i++)
		make_site(pair, &pair->sites[i]);
	/* One site several times, as it is prepared the first time. */
	for (i = 0; i < TEST_ROUNDS; i += 4) {
		const struct vitrine_site *site = &pair->sites[below(pair, TEST_SITES)].site;

		write_both(test, pair, site);
		write_both(test, pair, site);
		write_both(test, pair, site);
		write_both(test, pair, &pair->sites[i % 8].site);
	}
	kunit_info(test, "clock %u: %u of %u were fast, %u prepared\n", clock, pair->nr_fast,
		   TEST_ROUNDS, pair->nr_prepared);
	if (clock == VITRINE_CLOCK_COUNTER)
		KUNIT_EXPECT_GT(test, pair->nr_fast, TEST_ROUNDS / 2);
	else
		KUNIT_EXPECT_EQ(test, pair->nr_fast, 0);
	KUNIT_EXPECT_GT(test, pair->nr_fast + pair->nr_prepared, TEST_ROUNDS / 2);
	vtr_ring_put(pair->reference);
	vtr_ring_put(pair->fast);
	vfree(pair->text);
	vfree(pair);
}

static void fast_path_writes_what_the_reference_does(struct kunit *test)
{
	write_with(test, VITRINE_CLOCK_COUNTER);
	write_with(test, VITRINE_CLOCK_MONO);
}

static unsigned int nr_seen;

static void see(void)
{
	nr_seen++;
}

/* The trigger "event" must not freeze the rings for an event that is not in them. */
static void lost_event_is_not_seen(struct kunit *test)
{
	static const struct vitrine_site site = {
		VTR_SITE(kunit_event, FXT_EVENT_INSTANT, "lost"),
	};
	struct vtr_ring *ring = make_ring(test, VITRINE_CLOCK_MONO);
	struct call call = { .site = &site, .name = site.name };

	nr_seen = 0;
	vtr_event_watch("kunit_event:lost", see);
	with_ring(ring, write_reference, &call);
	KUNIT_EXPECT_EQ(test, nr_seen, 1);
	vtr_ring_freeze(ring);
	with_ring(ring, write_reference, &call);
	KUNIT_EXPECT_EQ(test, nr_seen, 1);
	vtr_event_unwatch();
	vtr_ring_put(ring);
}

/* A mistake of a driver, which must not panic with panic_on_warn. */
static void a_bad_name_of_a_category_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vitrine_category_register(&vitrine_category_all), -EINVAL);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(lost_event_is_not_seen),
	KUNIT_CASE(fast_path_writes_what_the_reference_does),
	KUNIT_CASE(a_bad_name_of_a_category_is_refused),
	{}
};

VTR_KUNIT_SUITE(event);
