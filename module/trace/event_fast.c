// SPDX-License-Identifier: GPL-2.0
/*
 * The fast path of events: write a prepared record, with time, thread and values filled
 * in.
 *
 * When event.c writes the first event of a site in a sub-buffer, it prepares the record
 * of that site. From then on write_fixed() writes the record if only values of fixed
 * length vary: without a call or a look at a name, and with the slow path in tail
 * position, so that it saves no register. write_text() writes one argument that is text,
 * and put_prepared() any other prepared record, with any clock. event.c writes everything
 * else.
 *
 * A prepared record needs no check of filters: event.c prepares none for a category that
 * has a filter, nor for the event that is watched for, and makes all CPUs drop their
 * prepared records when a filter or a watch begins.
 *
 * Concurrency: as in event.c.
 */
/* For callers the functions are cold; here they are the hot path. */
#define VITRINE_COLD

#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>

#include "counter.h"
#include "event.h"
#include "writer.h"

/* Maximum length of a record of @nr_args arguments, without text. */
#define FIXED_WORDS(nr_args)	(3 + 2 * (nr_args))

/* Longest text in bytes that is copied a word at a time. */
#define TEXT_WORDS	(VTR_STRINGS_MAX_BYTES / FXT_WORD_BYTES)

/* ---- parts of a record ---------------------------------------------------- */

/* Return the reference of the thread that an event belongs to; see describe_here(). */
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

static __always_inline bool is_fixed(const struct vitrine_site *site)
{
	return !(site->record & VITRINE_RECORD_TEXT);
}

static __always_inline bool has_begun(const struct vitrine_site *site)
{
	return site->record & VITRINE_RECORD_BEGAN;
}

static __always_inline u64 begin_ticks(const struct vtr_ring *ring, u64 begin,
				       u64 now)
{
	return clamp(begin, ring->config.session_ticks, now);
}

static __always_inline void commit_record(struct vtr_ring *ring, u64 *committed,
					  u64 offset, u64 header, u64 now)
{
	unsigned int nr_words = FIELD_GET(FXT_HEADER_WORDS, header);

	ring->other_records++;
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit_hot(committed, offset, nr_words, now);
}

#ifdef VTR_HAS_WORD_ACCESS
/*
 * Copy text a word at a time. The text may change meanwhile, so each word is read once.
 * A word may extend beyond the end of the text into an unmapped page, which reads as
 * zeros (load_unaligned_zeropad()). Text that is long or not ASCII is left to event.c,
 * which makes it valid UTF-8.
 *
 * Return: length in bytes, -1 if the text is left to event.c.
 */
static __always_inline int put_text(u64 *words, const char *text)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long bytes, zeros, mask;
	int i;

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
		return -1;
	zeros = prep_zero_mask(bytes, zeros, &constants);
	mask = create_zero_mask(zeros);
	bytes &= zero_bytemask(mask);
	if (bytes & REPEAT_BYTE(0x80))
		return -1;
	words[i] = bytes;
	return i * FXT_WORD_BYTES + find_zero(mask);
}
#else
static int put_text(u64 *words, const char *text)
{
	return -1;
}
#endif

/* Return the fields of the first word of an argument that depend on its text. */
static __always_inline u64 text_field(u64 len_bytes, u64 nr_words)
{
	return (FXT_STRING_REF_INLINE | len_bytes) << __builtin_ctzll(FXT_ARG_STRING) |
	       nr_words << __builtin_ctzll(FXT_HEADER_WORDS);
}

/* ---- prepared records ------------------------------------------------------ */

/* Write an argument. Return its end, or NULL if the event is left to event.c. */
static __always_inline u64 *put_arg(u64 *next, const struct vitrine_site *site,
				    const struct vtr_site_record *record,
				    unsigned int nr, u64 value)
{
	const struct vtr_site_arg *arg = &record->args[nr];
	unsigned int nr_words;
	int len_bytes;

	if (site->args[nr].type != FXT_ARG_STRING_REF)
		return vtr_site_arg_put(arg, next, value);
	len_bytes = put_text(next + 1, (const char *)(unsigned long)value);
	if (unlikely(len_bytes < 0))
		return NULL;
	nr_words = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
	next[0] = arg->word;
	if (len_bytes)
		next[0] += text_field(len_bytes, nr_words);
	return next + 1 + nr_words;
}

/* Write a prepared record. Return false if the event is left to event.c. */
static bool put_prepared(struct vtr_ring *ring, const struct vitrine_site *site,
			 u64 id, const u64 *values)
{
	unsigned int i, ref, most_words = FIXED_WORDS(site->nr_args);
	bool fast = vtr_event_is_fast(site, ring->config.clock);
	const struct vtr_site_record *record;
	u64 header, now, *next, *end;

	if (!is_fixed(site))
		most_words += site->nr_args * TEXT_WORDS;
	record = vtr_sites_find(&ring->strings.sites, vtr_sites_key(site, fast));
	ref = find_here(ring);
	if (!record || !ref || !vtr_ring_has(ring, most_words))
		return false;
	now = vtr_event_ticks();
	next = vtr_ring_next(ring);
	end = next + 2;
	for (i = 0; end && i < site->nr_args; i++)
		end = put_arg(end, site, record, i, values[i]);
	if (!end)
		return false;
	header = record->header & ~FXT_HEADER_WORDS;
	header |= FIELD_PREP(FXT_HEADER_WORDS, end - next + record->nr_last_words);
	next[0] = header | FIELD_PREP(FXT_EVENT_THREAD, ref);
	next[1] = has_begun(site) ? begin_ticks(ring, id, now) : now;
	*end = has_begun(site) ? now : id;
	commit_record(ring, ring->committed, *ring->committed, header, now);
	return true;
}

/*
 * Copy a message and pad it with zeros. Return false if the message is left to event.c,
 * because it is not ASCII or ends before its length.
 */
static __always_inline bool put_message(u64 *words, const char *text,
					unsigned int len_bytes)
{
	unsigned int i, last = len_bytes / FXT_WORD_BYTES;
	u64 bytes, padding = ~0ULL << 8 * (len_bytes % FXT_WORD_BYTES);

	words[last] = 0;
	memcpy(words, text, len_bytes);
	for (i = 0; i <= last; i++) {
		bytes = words[i];
		if (i == last)
			bytes |= padding & REPEAT_BYTE(0x01);
		if (((bytes - REPEAT_BYTE(0x01)) | bytes) & REPEAT_BYTE(0x80))
			return false;
	}
	return true;
}

static bool put_log(struct vtr_ring *ring, const struct vitrine_site *site,
		    const char *text, unsigned int len_bytes)
{
	unsigned int ref, nr_words = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
	const struct vtr_site_record *record;
	u64 now, *next;

	record = vtr_sites_find(&ring->strings.sites,
				vtr_sites_key(site, false));
	ref = find_here(ring);
	/* A message whose length is a multiple of a word is followed by a word of zeros. */
	if (!record || !ref || !vtr_ring_has(ring, FIXED_WORDS(0) + nr_words))
		return false;
	next = vtr_ring_next(ring);
	if (!put_message(next + 2, text, len_bytes))
		return false;
	now = vtr_event_ticks();
	next[0] = record->header | FIELD_PREP(FXT_HEADER_WORDS, 2 + nr_words) |
		  FIELD_PREP(FXT_LOG_BYTES, len_bytes) |
		  FIELD_PREP(FXT_LOG_THREAD, ref);
	next[1] = now;
	commit_record(ring, ring->committed, *ring->committed, next[0], now);
	return true;
}

/* Record a message on the fast path; false if nothing was written. */
static bool write_log(const struct vitrine_site *site, const char *text,
		      size_t len_bytes)
{
	unsigned long flags;
	bool written;

	if (in_nmi() || !text || !len_bytes || len_bytes > VTR_STRINGS_MAX_BYTES)
		return false;
	local_irq_save(flags);
	written = put_log(this_cpu_read(vtr_writer_ring), site, text,
			  len_bytes);
	local_irq_restore(flags);
	return written;
}

/**
 * vitrine_trace_write_bytes() - record an event with bytes, or a message
 * @site: constant data of the event, whose category is switched on
 * @bytes: the bytes, or NULL for none
 * @len_bytes: length of @bytes; a message ends at a NUL before that
 * @...: values of the arguments, u64 each
 *
 * Called by the macros of <vitrine/trace.h>.
 *
 * Context: any. In NMI, counted as lost. Hot for messages.
 */
void vitrine_trace_write_bytes(const struct vitrine_site *site,
			       const void *bytes, size_t len_bytes, ...)
{
	va_list values;

	if (site->record == VITRINE_RECORD_LOG &&
	    write_log(site, bytes, len_bytes))
		return;
	va_start(values, len_bytes);
	vtr_event_write_bytes(site, bytes, len_bytes, values);
	va_end(values);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write_bytes);

/**
 * vtr_event_write_values() - record an event with any clock and arguments
 * @site: constant data of the event, with a name
 * @id: begin time in ticks if @site has VITRINE_RECORD_BEGAN; if it is 0, which means
 *	unknown, nothing is recorded. Else as for vitrine_trace_write0()
 * @values: values of the arguments
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_event_write_values(const struct vitrine_site *site, u64 id,
				    const u64 *values)
{
	unsigned long flags;
	bool written = false;

	/* The begin is unknown, because the CPU did not record then. */
	if (has_begun(site) && !id)
		return;
	if (!in_nmi()) {
		local_irq_save(flags);
		written = put_prepared(this_cpu_read(vtr_writer_ring), site, id,
				       values);
		local_irq_restore(flags);
	}
	if (!written)
		vtr_event_write(site, site->name, id, values);
}

static noinline void write_prepared(const struct vitrine_site *site, u64 id,
				    u64 value0, u64 value1, u64 value2,
				    u64 value3)
{
	const u64 values[] = { value0, value1, value2, value3 };

	vtr_event_write_values(site, id, values);
}

/*
 * Record an event with one argument that is text. The text is written first, directly to
 * its final position: until then few other values occupy registers.
 */
static noinline notrace void write_text(const struct vitrine_site *site, u64 id,
					u64 text)
{
	const struct vtr_site_record *record;
	u64 now, offset, *committed, *next;
	unsigned int ref, nr_words;
	struct vtr_ring *ring;
	unsigned long flags;
	int len_bytes;

	if (unlikely(in_nmi()))
		return write_prepared(site, id, text, 0, 0, 0);
	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	committed = ring->committed;
	offset = *committed;
	if (unlikely(!has_room(ring, offset, FIXED_WORDS(1) + TEXT_WORDS)))
		goto fail;
	next = vtr_ring_at(committed, offset);
	len_bytes = put_text(next + 3, (const char *)(unsigned long)text);
	if (unlikely(len_bytes <= 0))
		goto fail;
	record = vtr_sites_find(&ring->strings.sites, vtr_sites_key(site, true));
	if (unlikely(!record))
		goto fail;
	ref = find_here(ring);
	if (unlikely(!ref))
		goto fail;
	now = vtr_counter_ticks();
	nr_words = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
	next[0] = (record->header | (u64)ref << __builtin_ctzll(FXT_EVENT_THREAD)) +
		  ((u64)nr_words << __builtin_ctzll(FXT_HEADER_WORDS));
	next[1] = now;
	next[2] = record->args[0].word + text_field(len_bytes, nr_words);
	next[3 + nr_words] = id;
	commit_record(ring, committed, offset, next[0], now);
	local_irq_restore(flags);
	return;

fail:
	local_irq_restore(flags);
	write_prepared(site, id, text, 0, 0, 0);
}

static __always_inline u64 load_word(const char *bytes)
{
	u64 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * Copy a name that is not empty a word at a time, and pad it with zeros. Reads up to seven
 * bytes after its end. Return false if the name is left to event.c, as in put_message().
 */
static __always_inline bool put_name(u64 *words, const char *name,
				     unsigned int len_bytes)
{
	unsigned int i, last = (len_bytes - 1) / FXT_WORD_BYTES;
	u64 bytes, padding = ~0ULL >> 8 * (-len_bytes % FXT_WORD_BYTES);

	for (i = 0; i < last; i++) {
		bytes = load_word(name + i * FXT_WORD_BYTES);
		if (((bytes - REPEAT_BYTE(0x01)) | bytes) & REPEAT_BYTE(0x80))
			return false;
		words[i] = bytes;
	}
	bytes = load_word(name + last * FXT_WORD_BYTES) & padding;
	words[last] = bytes;
	bytes |= ~padding & REPEAT_BYTE(0x01);
	return !(((bytes - REPEAT_BYTE(0x01)) | bytes) & REPEAT_BYTE(0x80));
}

/* Write a prepared record with a name that is not in the string table. */
static __always_inline bool put_inline(struct vtr_ring *ring,
				       const struct vitrine_site *site,
				       const char *name, unsigned int len_bytes,
				       u64 id, u64 value)
{
	unsigned int ref, nr_words = DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
	const struct vtr_site_record *record;
	u64 header, now, *next, *end;

	record = vtr_sites_find(&ring->strings.sites,
				vtr_sites_key(site, false));
	ref = find_here(ring);
	if (!record || !ref || !vtr_ring_has(ring, FIXED_WORDS(1) + nr_words))
		return false;
	next = vtr_ring_next(ring);
	header = record->header;
	if (len_bytes) {
		if (!put_name(next + 2, name, len_bytes))
			return false;
		header += (u64)nr_words << __builtin_ctzll(FXT_HEADER_WORDS);
		header |= FIELD_PREP(FXT_EVENT_NAME,
				     FXT_STRING_REF_INLINE | len_bytes);
	}
	now = vtr_event_ticks();
	next[0] = header | FIELD_PREP(FXT_EVENT_THREAD, ref);
	next[1] = now;
	end = next + 2 + nr_words;
	if (site->nr_args)
		end = vtr_site_arg_put(&record->args[0], end, value);
	/* If the record has no last word, the next record overwrites this store. */
	*end = id;
	commit_record(ring, ring->committed, *ring->committed, header, now);
	return true;
}

/**
 * vtr_event_write_inline() - record an event with a name that each record contains
 * @site: constant data of the event: VITRINE_RECORD_INLINE, and at most one argument,
 *	which is not text
 * @name: name of the event, terminated, and seven bytes that can be read; it may be freed
 *	after the call
 * @len_bytes: length of @name, at most VTR_STRINGS_MAX_BYTES
 * @id: last word of the record, as for vitrine_trace_write0()
 * @value: value of the argument, if there is one
 *
 * Context: any but NMI. Hot.
 */
notrace void vtr_event_write_inline(const struct vitrine_site *site,
				    const char *name, unsigned int len_bytes,
				    u64 id, u64 value)
{
	unsigned long flags;
	bool written;

	local_irq_save(flags);
	written = put_inline(this_cpu_read(vtr_writer_ring), site, name,
			     len_bytes, id, value);
	local_irq_restore(flags);
	if (unlikely(!written))
		vtr_event_write(site, name, id, &value);
}

/* ---- prepared records of fixed length --------------------------------------- */

/* Part of an event that is a string registered before, identified by @key. */
enum keyed {
	KEYED_NOTHING,
	KEYED_NAME,
	KEYED_ARG,	/* first argument */
};

/*
 * Write a record whose values have fixed length. @begun: the site is known to have
 * VITRINE_RECORD_BEGAN; otherwise its flags are checked. Return false if nothing was
 * written.
 */
static __always_inline bool write_fixed(const struct vitrine_site *site,
					bool begun, u64 id, enum keyed keyed,
					const void *key, unsigned int nr_args,
					u64 value0, u64 value1, u64 value2,
					u64 value3)
{
	u64 header, now, offset, *committed, *next, *end;
	const struct vtr_site_record *record;
	struct vtr_ring *ring;
	unsigned long flags;
	unsigned int ref;
	u16 index = 0;

	if (unlikely(((begun || has_begun(site)) && !id) || in_nmi()))
		return false;
	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	record = vtr_sites_find(&ring->strings.sites, vtr_sites_key(site, true));
	if (unlikely(!record))
		goto fail;
	if (keyed) {
		index = vtr_strings_find(&ring->strings, key);
		if (unlikely(!index))
			goto fail;
	}
	ref = find_here(ring);
	committed = ring->committed;
	offset = *committed;
	if (unlikely(!ref || !has_room(ring, offset, FIXED_WORDS(nr_args))))
		goto fail;
	now = vtr_counter_ticks();
	next = vtr_ring_at(committed, offset);
	header = record->header | (u64)ref << __builtin_ctzll(FXT_EVENT_THREAD);
	if (keyed == KEYED_NAME)
		header |= (u64)index << __builtin_ctzll(FXT_EVENT_NAME);
	else if (keyed == KEYED_ARG)
		value0 = index;
	next[0] = header;
	next[1] = now;
	if (begun || has_begun(site)) {
		next[1] = begin_ticks(ring, id, now);
		id = now;
	}
	end = next + 2;
	if (nr_args > 0)
		end = vtr_site_arg_put(&record->args[0], end, value0);
	if (nr_args > 1)
		end = vtr_site_arg_put(&record->args[1], end, value1);
	if (nr_args > 2)
		end = vtr_site_arg_put(&record->args[2], end, value2);
	if (nr_args > 3)
		end = vtr_site_arg_put(&record->args[3], end, value3);
	/* If the record has no last word, the next record overwrites this store. */
	*end = id;
	commit_record(ring, committed, offset, record->header, now);
	local_irq_restore(flags);
	return true;

fail:
	local_irq_restore(flags);
	return false;
}

/**
 * vtr_event_write_span() - record a duration that ends now, with one argument
 * @site: constant data of the event: VITRINE_RECORD_BEGAN, and an argument that is not
 *	text
 * @begin: ticks at the begin; if 0, which means unknown, nothing is recorded
 * @value: value of the argument
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_event_write_span(const struct vitrine_site *site, u64 begin,
				  u64 value)
{
	if (unlikely(!write_fixed(site, true, begin, KEYED_NOTHING, NULL, 1,
				  value, 0, 0, 0)))
		write_prepared(site, begin, value, 0, 0, 0);
}

/**
 * vtr_event_write_named() - record an event with a name that varies, with one argument
 * @site: constant data of the event: VITRINE_RECORD_NAMED, and an argument that is not
 *	text
 * @name: name of the event, which may be freed after the call; stored once per sub-buffer
 * @id: begin time in ticks if @site has VITRINE_RECORD_BEGAN, else the last word of the
 *	record, as for vitrine_trace_write0()
 * @value: value of the argument
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_event_write_named(const struct vitrine_site *site,
				   const char *name, u64 id, u64 value)
{
	if (unlikely(!write_fixed(site, false, id, KEYED_NAME,
				  vtr_strings_key(name), 1, value, 0, 0, 0)))
		vtr_event_write(site, name, id, &value);
}

/**
 * vtr_event_write_named0() - record an event with a name that varies, without arguments
 * @site: as for vtr_event_write_named(), without arguments
 * @name: as for vtr_event_write_named()
 * @id: as for vtr_event_write_named()
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_event_write_named0(const struct vitrine_site *site,
				    const char *name, u64 id)
{
	if (unlikely(!write_fixed(site, false, id, KEYED_NAME,
				  vtr_strings_key(name), 0, 0, 0, 0, 0)))
		vtr_event_write(site, name, id, NULL);
}

/**
 * vtr_event_write_symbol() - record an event whose argument is a function
 * @site: constant data of the event, with one argument of VITRINE_ARG_TYPE_SYMBOL
 * @id: as for vtr_event_write_named()
 * @function: the function, whose name is recorded
 *
 * Context: any. In NMI, counted as lost. Hot.
 */
notrace void vtr_event_write_symbol(const struct vitrine_site *site, u64 id,
				    const void *function)
{
	u64 value = (unsigned long)function;

	if (unlikely(!write_fixed(site, false, id, KEYED_ARG, function, 1, 0,
				  0, 0, 0)))
		vtr_event_write(site, site->name, id, &value);
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
	if (unlikely(!write_fixed(site, false, id, KEYED_NOTHING, NULL, 0, 0, 0,
				  0, 0)))
		write_prepared(site, id, 0, 0, 0, 0);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write0);

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
	if (unlikely(!is_fixed(site)))
		write_text(site, id, value0);
	else if (unlikely(!write_fixed(site, false, id, KEYED_NOTHING, NULL, 1,
				       value0, 0, 0, 0)))
		write_prepared(site, id, value0, 0, 0, 0);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write1);

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
	if (unlikely(!is_fixed(site) ||
		     !write_fixed(site, false, id, KEYED_NOTHING, NULL, 2,
				  value0, value1, 0, 0)))
		write_prepared(site, id, value0, value1, 0, 0);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write2);

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
	if (unlikely(!is_fixed(site) ||
		     !write_fixed(site, false, id, KEYED_NOTHING, NULL, 3,
				  value0, value1, value2, 0)))
		write_prepared(site, id, value0, value1, value2, 0);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write3);

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
	if (unlikely(!is_fixed(site) ||
		     !write_fixed(site, false, id, KEYED_NOTHING, NULL, 4,
				  value0, value1, value2, value3)))
		write_prepared(site, id, value0, value1, value2, value3);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write4);

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/event_kunit.c"
#endif
