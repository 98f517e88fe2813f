// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are written from a prepared record.
 *
 * When event.c writes the first event of a site in a sub-buffer, it prepares the record of that
 * site, from which write_prepared() writes all others, with time, thread, name and values filled
 * in. That function is compiled once for each kind of site, so that a record whose values have
 * fixed length is written without a call or a look at a name, and with the slow path in tail
 * position, so that it saves no register.
 *
 * Concurrency: as in event.c.
 */
#include <linux/hardirq.h>

#include "compat.h"
#include "event.h"

/* Longest text in bytes that is copied a word at a time. */
#define TEXT_WORDS	(VTR_STRINGS_MAX_BYTES / FXT_WORD_BYTES)

/* Return the reference of the thread that an event belongs to; see describe_here() in event.c. */
static __always_inline unsigned int find_here(const struct vtr_ring *ring)
{
	u64 key = vtr_writer_key(current);

	if (unlikely(!key))
		key = VTR_THREADS_IDLE(ring->cpu);
	return vtr_threads_find(&ring->threads, key);
}

static __always_inline bool has_room(const struct vtr_ring *ring, u64 offset,
				     unsigned int nr_words)
{
	return vtr_ring_has_hot(ring, offset + (nr_words - VTR_RING_HOT_WORDS) *
					       FXT_WORD_BYTES);
}

static __always_inline bool has_text(const struct vitrine_site *site)
{
	return site->record & VITRINE_RECORD_TEXT;
}

static __always_inline void commit_record(struct vtr_ring *ring, u64 *committed,
					  u64 offset, unsigned int nr_words, u64 now)
{
	ring->other_records++;
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit_hot(committed, offset, nr_words, now);
}

#ifdef VTR_HAS_WORD_ACCESS
/*
 * Copy text a word at a time. The text may change meanwhile, so each word is read once.
 * A word may extend beyond the end of the text into an unmapped page, which reads as
 * zeros (load_unaligned_zeropad()). Text that is empty, long or not ASCII is left to the slow
 * path, which makes it valid UTF-8.
 *
 * Return: length in bytes, 0 if the text is left to the slow path.
 */
static __always_inline u64 put_text(u64 *words, const char *text)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long bytes, zeros, mask;
	unsigned int i;

	if (unlikely(!text))
		return 0;
	for (i = 0; i < TEXT_WORDS; i++) {
		bytes = load_unaligned_zeropad(text + i * FXT_WORD_BYTES);
		/*
		 * Find a byte that is NUL or not ASCII with one test, a variant of the haszero()
		 * trick of Sean Anderson's "Bit Twiddling Hacks".
		 */
		if (((bytes - REPEAT_BYTE(0x01)) | bytes) & REPEAT_BYTE(0x80))
			break;
		words[i] = bytes;
	}
	if (i == TEXT_WORDS || !has_zero(bytes, &zeros, &constants))
		return 0;
	zeros = prep_zero_mask(bytes, zeros, &constants);
	mask = create_zero_mask(zeros);
	bytes &= zero_bytemask(mask);
	if (bytes & REPEAT_BYTE(0x80))
		return 0;
	words[i] = bytes;
	return i * FXT_WORD_BYTES + find_zero(mask);
}

/*
 * Copy a name or message that is not empty, as above, and pad it with zeros. Return false if
 * it is left to the slow path, because it is not ASCII or ends before its length.
 */
static __always_inline bool put_name(u64 *words, const char *name, unsigned int len_bytes)
{
	u64 bytes, wrong = 0, padding = ~0ULL >> 8 * (-len_bytes % FXT_WORD_BYTES);
	const char *last = name + (len_bytes - 1) / FXT_WORD_BYTES * FXT_WORD_BYTES;

	for (; name < last; name += FXT_WORD_BYTES) {
		bytes = load_unaligned_zeropad(name);
		*words++ = bytes;
		wrong |= (bytes - REPEAT_BYTE(0x01)) | bytes;
	}
	bytes = load_unaligned_zeropad(name) & padding;
	*words = bytes;
	bytes |= ~padding & REPEAT_BYTE(0x01);
	wrong |= (bytes - REPEAT_BYTE(0x01)) | bytes;
	return !(wrong & REPEAT_BYTE(0x80));
}
#else
static u64 put_text(u64 *words, const char *text)
{
	return 0;
}

static bool put_name(u64 *words, const char *name, unsigned int len_bytes)
{
	return false;
}
#endif

/* Return what the first word of an argument has beyond that of one whose text is empty. */
static __always_inline u64 text_field(u64 len_bytes, u64 nr_words)
{
	return (FXT_STRING_REF_INLINE | len_bytes) << __builtin_ctzll(FXT_ARG_STRING) |
	       nr_words << __builtin_ctzll(FXT_HEADER_WORDS);
}

/* Variants of write_prepared(): the arguments and the name of the sites that each is for. */
enum variant {
	PLAIN,		/* arguments that are not text, and a constant name */
	TEXT,		/* arguments that are text */
	KEYED,		/* the name, or the argument, is a string with a key */
	/* These have any clock, not only the CPU's counter. */
	ANY,		/* any arguments */
	INLINE,		/* a name that each record contains */
	LOG,		/* a message that each record contains */
};

/*
 * Write the arguments of a record to @end, and add the words of their text to @nr_more.
 * Return false if the event is left to the slow path.
 */
static __always_inline bool put_args(u64 *end, const struct vitrine_arg *args,
				     const struct vtr_site_arg *prepared, enum variant variant,
				     unsigned int nr_args, const u64 *values, u64 *nr_more)
{
	u64 len_bytes, nr_words;
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < nr_args; i++) {
		if (variant != TEXT &&
		    !(variant == ANY && args[i].type == FXT_ARG_STRING_REF)) {
			end = vtr_site_arg_put(&prepared[i], end, values[i]);
			continue;
		}
		len_bytes = put_text(end + 1, (const char *)(unsigned long)values[i]);
		if (unlikely(!len_bytes))
			return false;
		nr_words = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
		*end = prepared[i].word + text_field(len_bytes, nr_words);
		end += 1 + nr_words;
		*nr_more += nr_words;
	}
	return true;
}

/*
 * Write a record with interrupts off. @variant, and mostly @nr_args, are constants. @key is that
 * of @name, or of the argument if there is no name; an inline @name has @len_bytes. Return false
 * if the event is left to the slow path.
 */
static __always_inline bool put_prepared(const struct vitrine_site *site, enum variant variant,
					 const void *key, const char *name, u64 len_bytes,
					 u64 id, unsigned int nr_args, const u64 *values)
{
	u64 header, now, offset, index, keyed, *committed, *next, name_ref = 0;
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	u64 nr_more = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
	const struct vtr_site_record *record;
	bool any_clock = variant >= ANY;
	unsigned int ref, most_words;

	most_words = 3 + nr_more +
		     nr_args * (variant == TEXT || variant == ANY ? 2 + TEXT_WORDS : 2);
	if (unlikely(!vtr_sites_find(&ring->strings.sites,
				     vtr_sites_key(site, !any_clock ||
						   ring->config.clock == VITRINE_CLOCK_COUNTER),
				     &record)))
		return false;
	/* Makes the compiler compute the address once and not for each use. */
	OPTIMIZER_HIDE_VAR(record);
	if (variant == KEYED) {
		index = vtr_strings_find(&ring->strings, key);
		if (unlikely(!index))
			return false;
		keyed = name ? values[0] : index;
		name_ref = name ? index : 0;
		values = &keyed;
	}
	committed = ring->committed;
	offset = *committed;
	if (unlikely(!has_room(ring, offset, most_words)))
		return false;
	next = vtr_ring_at(committed, offset);
	if (variant >= INLINE && len_bytes) {
		if (unlikely(!put_name(next + 2, name, len_bytes)))
			return false;
		name_ref = variant == LOG ? len_bytes : FXT_STRING_REF_INLINE | len_bytes;
	}
	if (unlikely(!put_args(next + 2 + nr_more, site->args, record->args, variant, nr_args,
			       values, &nr_more)))
		return false;
	ref = find_here(ring);
	if (unlikely(!ref))
		return false;
	now = any_clock ? vtr_event_ticks() : vtr_counter_ticks();
	header = record->header | (u64)ref << __builtin_ctzll(variant == LOG ? FXT_LOG_THREAD :
									       FXT_EVENT_THREAD);
	header |= name_ref << __builtin_ctzll(variant == LOG ? FXT_LOG_BYTES : FXT_EVENT_NAME);
	next[0] = header + (nr_more << __builtin_ctzll(FXT_HEADER_WORDS));
	next[1] = now;
	if (site->record & VITRINE_RECORD_BEGAN) {
		/* The begin is unknown, because the CPU did not record then. */
		if (unlikely(!id))
			return false;
		next[1] = clamp(id, ring->config.session_ticks, now);
		id = now;
	}
	/* If the record has no id, the next record overwrites this store. */
	next[record->last + nr_more] = id;
	commit_record(ring, committed, offset, record->nr_words + nr_more, now);
	return true;
}

/* Write a prepared record; see put_prepared(). */
static __always_inline bool write_prepared(const struct vitrine_site *site, enum variant variant,
					   const void *key, const char *name, u64 len_bytes,
					   u64 id, unsigned int nr_args, const u64 *values)
{
	unsigned long flags;

	if (unlikely(in_nmi()))
		return false;
	local_irq_save(flags);
	/* Two ends, so that the result takes no register. */
	if (unlikely(!put_prepared(site, variant, key, name, len_bytes, id, nr_args, values))) {
		local_irq_restore(flags);
		return false;
	}
	local_irq_restore(flags);
	return true;
}

/**
 * vtr_prepared_write_values() - record an event with any clock and arguments
 * @site: constant data of the event, with a name
 * @id: begin time in ticks if @site has VITRINE_RECORD_BEGAN; if it is 0, which means
 *	unknown, nothing is recorded. Else as for vitrine_trace_write0()
 * @values: values of the arguments
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_prepared_write_values(const struct vitrine_site *site, u64 id,
				       const u64 *values)
{
	if (!write_prepared(site, ANY, NULL, NULL, 0, id, site->nr_args, values))
		vtr_event_write(site, site->name, id, NULL, 0, values);
}

static noinline void write_otherwise(const struct vitrine_site *site, u64 id, u64 value0,
				     u64 value1, u64 value2, u64 value3)
{
	const u64 values[] = { value0, value1, value2, value3 };

	vtr_prepared_write_values(site, id, values);
}

static noinline notrace void write_text(const struct vitrine_site *site, u64 id, u64 text)
{
	if (unlikely(!write_prepared(site, TEXT, NULL, NULL, 0, id, 1, &text)))
		write_otherwise(site, id, text, 0, 0, 0);
}

/**
 * vtr_prepared_write_inline() - record an event with a name that each record contains
 * @site: constant data of the event: VITRINE_RECORD_INLINE, and at most one argument,
 *	which is not text
 * @name: name of the event, terminated; it may be freed after the call
 * @len_bytes: length of @name, at most VTR_STRINGS_MAX_BYTES
 * @id: last word of the record, as for vitrine_trace_write0()
 * @value: value of the argument, if there is one
 *
 * Context: any but NMI. Hot.
 */
notrace void vtr_prepared_write_inline(const struct vitrine_site *site,
				       const char *name, unsigned int len_bytes,
				       u64 id, u64 value)
{
	if (unlikely(!write_prepared(site, INLINE, NULL, name, len_bytes, id,
				     site->nr_args, &value)))
		vitrine_trace_write_any(site, name, NULL, 0, id, value);
}

/**
 * vtr_prepared_write_log() - record a message
 * @site: constant data of the message: VITRINE_RECORD_LOG
 * @text: the message, which ends at a NUL before its length
 * @len_bytes: length of @text
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_prepared_write_log(const struct vitrine_site *site, const char *text,
				    size_t len_bytes)
{
	if (unlikely(len_bytes - 1 >= VTR_STRINGS_MAX_BYTES ||
		     !write_prepared(site, LOG, NULL, text, len_bytes, 0, 0, NULL)))
		vitrine_trace_write_any(site, NULL, text, len_bytes, 0);
}

/**
 * vtr_prepared_write_key() - record an event that refers to a string registered before
 * @site: constant data of the event: either it has VITRINE_RECORD_NAMED, and at most one
 *	argument, which is not text; or its argument is of VITRINE_ARG_TYPE_SYMBOL
 * @key: the function, or vtr_strings_key() of @name; the name of either is stored once per
 *	sub-buffer
 * @name: name of the event, which may be freed after the call; NULL if @site has one
 * @id: begin time in ticks if @site has VITRINE_RECORD_BEGAN, else the last word of the
 *	record, as for vitrine_trace_write0()
 * @value: value of the argument, or the function
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_prepared_write_key(const struct vitrine_site *site, const void *key,
				    const char *name, u64 id, u64 value)
{
	if (unlikely(!write_prepared(site, KEYED, key, name, 0, id, 1, &value)))
		vitrine_trace_write_any(site, name ?: site->name, NULL, 0, id, value);
}

/**
 * vitrine_trace_write0() - record an event without arguments
 * @site: constant data of the event, whose category is switched on
 * @id: begin time in ticks if @site has VITRINE_RECORD_BEGAN, else the last word of the
 *	record, if its type has one
 *
 * Called by the macros of <vitrine/trace.h>, as are the functions for one to four
 * arguments.
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vitrine_trace_write0(const struct vitrine_site *site, u64 id)
{
	if (unlikely(!write_prepared(site, PLAIN, NULL, NULL, 0, id, 0, NULL)))
		write_otherwise(site, id, 0, 0, 0, 0);
}
VTR_EXPORT(vitrine_trace_write0);

/**
 * vitrine_trace_write1() - record an event with one argument
 * @site: as for vitrine_trace_write0()
 * @id: as for vitrine_trace_write0()
 * @value0: value of the argument
 *
 * Context: as vitrine_trace_write0().
 */
notrace void vitrine_trace_write1(const struct vitrine_site *site, u64 id,
				  u64 value0)
{
	if (unlikely(has_text(site)))
		write_text(site, id, value0);
	else if (unlikely(!write_prepared(site, PLAIN, NULL, NULL, 0, id, 1, &value0)))
		write_otherwise(site, id, value0, 0, 0, 0);
}
VTR_EXPORT(vitrine_trace_write1);

/**
 * vitrine_trace_write2() - record an event with two arguments
 * @site: as for vitrine_trace_write0()
 * @id: as for vitrine_trace_write0()
 * @value0: value of the first argument
 * @value1: value of the second argument
 *
 * Context: as vitrine_trace_write0().
 */
notrace void vitrine_trace_write2(const struct vitrine_site *site, u64 id,
				  u64 value0, u64 value1)
{
	const u64 values[] = { value0, value1 };

	if (unlikely(has_text(site) ||
		     !write_prepared(site, PLAIN, NULL, NULL, 0, id, 2, values)))
		write_otherwise(site, id, value0, value1, 0, 0);
}
VTR_EXPORT(vitrine_trace_write2);

/**
 * vitrine_trace_write3() - record an event with three arguments
 * @site: as for vitrine_trace_write0()
 * @id: as for vitrine_trace_write0()
 * @value0: value of the first argument
 * @value1: value of the second argument
 * @value2: value of the third argument
 *
 * Context: as vitrine_trace_write0().
 */
notrace void vitrine_trace_write3(const struct vitrine_site *site, u64 id,
				  u64 value0, u64 value1, u64 value2)
{
	const u64 values[] = { value0, value1, value2 };

	if (unlikely(has_text(site) ||
		     !write_prepared(site, PLAIN, NULL, NULL, 0, id, 3, values)))
		write_otherwise(site, id, value0, value1, value2, 0);
}
VTR_EXPORT(vitrine_trace_write3);

/**
 * vitrine_trace_write4() - record an event with four arguments
 * @site: as for vitrine_trace_write0()
 * @id: as for vitrine_trace_write0()
 * @value0: value of the first argument
 * @value1: value of the second argument
 * @value2: value of the third argument
 * @value3: value of the fourth argument
 *
 * Context: as vitrine_trace_write0().
 */
notrace void vitrine_trace_write4(const struct vitrine_site *site, u64 id,
				  u64 value0, u64 value1, u64 value2, u64 value3)
{
	const u64 values[] = { value0, value1, value2, value3 };

	if (unlikely(has_text(site) ||
		     !write_prepared(site, PLAIN, NULL, NULL, 0, id, 4, values)))
		write_otherwise(site, id, value0, value1, value2, value3);
}
VTR_EXPORT(vitrine_trace_write4);
