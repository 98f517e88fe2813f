/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a sub-buffer: threads and names, prepared records, strings. Pure; owned by the
 * ring's CPU, interrupts off.
 */
#ifndef _VTR_TABLES_H
#define _VTR_TABLES_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/threads.h>

#include "fxt.h"

/*
 * The thread table of a sub-buffer: a set-associative cache that maps a thread to one of
 * 255 thread references, and the table of names that the sub-buffer contains. Pure; owned
 * by the ring's CPU, interrupts off.
 *
 * References form sets of four: a thread may get any reference of the set that its id
 * selects. The look-up begins with the highest reference of a set, because reference 0
 * means "inline", so set 0 lacks it. In a wide ring, where no record has a reference, the
 * key of reference 0 is that of the last incoming thread, and the rest of the table is
 * empty.
 *
 * With each key, the table has the fields of a switch to that thread, composed, and the
 * priority of the task for which they are right. The hot path compares that priority, and
 * leaves a thread whose priority has changed to the slow path, which composes the fields
 * again. Keys that are looked at first are adjacent, so that few threads with adjacent ids
 * take few cache lines.
 *
 * If more threads take turns than the table has references, least-recently-used
 * replacement would evict each thread just before it runs, and none would be found. So a
 * new thread replaces the most recently assigned reference of a full set, and the other
 * threads of the set keep theirs; one new thread in sixteen replaces one of the others,
 * because threads end.
 *
 * There are many more names than references. They have a table of their own, as
 * large as the number of names that fit into a sub-buffer. It is not cleared when a
 * sub-buffer begins: each entry contains the epoch, that is, the sub-buffer in which it
 * was made. Ids have 22 bits, which leaves room for the epoch in a key.
 */

#define VTR_THREADS_WAYS	4
#define VTR_THREADS_SETS	64
#define VTR_THREADS_REFS	(VTR_THREADS_WAYS * VTR_THREADS_SETS)

/* Key of no thread: thread and process ids are positive. */
#define VTR_THREADS_NOBODY	(~0ULL)

/* Priority of no task: those are -1 to 140. */
#define VTR_THREADS_NO_PRIO	(-2)

/* Position of the composed fields in a switch record. */
#define VTR_THREADS_SHIFT	28

/* One new thread in that many replaces a thread that is not the last one. */
#define VTR_THREADS_TURNS	16

/* Bits that no key uses: ids take 22 of 32 bits each, and the mark of a process one. */
#define VTR_THREADS_EPOCH	0x7fc00000ffc00000ULL
#define VTR_THREADS_ID_BITS	22

/* Key of the name of a process; keys of real threads do not have bit 63. */
#define VTR_THREADS_PROCESS(process)	(1ULL << 63 | (u32)(process))

/* Key of the pseudo thread of an idle CPU. */
#define VTR_THREADS_IDLE(cpu)		(1ULL << 63 | 1ULL << 32 | (u32)(cpu))

/**
 * struct vtr_threads - thread table
 * @keys: process id << 32 | thread id, or VTR_THREADS_NOBODY; see vtr_threads_key()
 * @incoming: for each key, vtr_fxt_incoming() >> VTR_THREADS_SHIFT, and in the lowest byte
 *	the priority of the task, or VTR_THREADS_NO_PRIO
 * @named: pairs of keys of threads and processes whose names are in the sub-buffer, each
 *	with the epoch in which it was named. Of three keys that share a pair, the one
 *	that was named first is dropped, and named again
 * @nr_pairs: number of pairs, a power of two
 * @epoch: epoch of the sub-buffer, in the bits VTR_THREADS_EPOCH; never 0
 * @turn: number of new threads in full sets so far
 */
struct vtr_threads {
	u64		keys[VTR_THREADS_REFS];
	u32		incoming[VTR_THREADS_REFS];
	u64		(*named)[2];
	unsigned int	nr_pairs;
	unsigned int	turn;
	u64		epoch;
};

/**
 * vtr_threads_forget() - empty the table
 * @threads: table of a new sub-buffer
 *
 * Context: the ring's CPU, interrupts off, or before the table is visible to others.
 */
static inline void vtr_threads_forget(struct vtr_threads *threads)
{
	memset(threads->keys, 0xff, sizeof(threads->keys));
	/* Reference 0 has a key in a wide ring only, and fields in none. */
	threads->incoming[0] = (u8)VTR_THREADS_NO_PRIO;
	/* Increment only the bits of the epoch: with all others set, a carry skips them. */
	threads->epoch = ((threads->epoch | ~VTR_THREADS_EPOCH) + 1) &
			 VTR_THREADS_EPOCH;
	if (threads->epoch)
		return;
	/* The epoch wraps after 2^19 sub-buffers: drop entries of the same number. */
	memset(threads->named, 0, threads->nr_pairs * sizeof(*threads->named));
	threads->epoch = 1ULL << VTR_THREADS_ID_BITS;
}

/* Return the index of a reference in @keys and @incoming: by way, and then by set. */
static __always_inline unsigned int vtr_threads_index(unsigned int ref)
{
	return ref % VTR_THREADS_WAYS * VTR_THREADS_SETS + ref / VTR_THREADS_WAYS;
}

/**
 * vtr_threads_key() - return where the key of a reference is
 * @threads: the table
 * @ref: thread reference
 *
 * Context: any.
 * Return: address of the key.
 */
static __always_inline u64 *vtr_threads_key(struct vtr_threads *threads, unsigned int ref)
{
	return &threads->keys[vtr_threads_index(ref)];
}

/**
 * vtr_threads_look_up() - look up a thread
 * @threads: the table
 * @key: key of the thread
 * @ret: receives its element of @incoming
 *
 * Some kernels check the index of each array, which would take more than the rest.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: false if the thread has no reference.
 */
static __always_inline __no_sanitize_undefined bool
vtr_threads_look_up(const struct vtr_threads *threads, u64 key, u64 *ret)
{
	const long last = VTR_THREADS_REFS - VTR_THREADS_SETS;
	long i = key % VTR_THREADS_SETS;

	/* Each makes the compiler add constants to an address, at no cost, and not to this. */
	OPTIMIZER_HIDE_VAR(i);
	if (unlikely(threads->keys[last + i] != key)) {
		OPTIMIZER_HIDE_VAR(i);
		if (threads->keys[last + i - VTR_THREADS_SETS] == key)
			i -= VTR_THREADS_SETS;
		else if (threads->keys[last + i - 2 * VTR_THREADS_SETS] == key)
			i -= 2 * VTR_THREADS_SETS;
		else if (threads->keys[last + i - 3 * VTR_THREADS_SETS] == key)
			i -= 3 * VTR_THREADS_SETS;
		else
			return false;
	}
	OPTIMIZER_HIDE_VAR(i);
	*ret = threads->incoming[last + i];
	return true;
}

/**
 * vtr_threads_find() - look up the reference of a thread
 * @threads: the table
 * @key: key of the thread
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: thread reference, 0 if the thread has none.
 */
static __always_inline unsigned int
vtr_threads_find(const struct vtr_threads *threads, u64 key)
{
	u64 incoming;

	if (!vtr_threads_look_up(threads, key, &incoming))
		return 0;
	return FIELD_GET(FXT_SWITCH_INCOMING_THREAD >> VTR_THREADS_SHIFT, incoming);
}

/* Compose the fields of switches to a thread. */
static __always_inline u32 vtr_threads_composed(unsigned int ref, int prio, u8 priority)
{
	return vtr_fxt_incoming(ref, priority) >> VTR_THREADS_SHIFT | (u8)prio;
}

/**
 * vtr_threads_compose() - compose the fields of switches to a thread again
 * @threads: the table
 * @ref: reference of the thread
 * @prio: priority of the task
 * @priority: vtr_fxt_priority() of it
 *
 * Context: the ring's CPU, interrupts off.
 */
static __always_inline void vtr_threads_compose(struct vtr_threads *threads, unsigned int ref,
						int prio, u8 priority)
{
	threads->incoming[vtr_threads_index(ref)] = vtr_threads_composed(ref, prio, priority);
}

/* Choose the way to replace in a full set. */
static __always_inline unsigned int
vtr_threads_victim(struct vtr_threads *threads, unsigned int set,
		   unsigned int running)
{
	unsigned int turn = threads->turn++, way = 0, first = set * VTR_THREADS_WAYS;

	if (unlikely(turn % VTR_THREADS_TURNS == 0))
		way = turn / VTR_THREADS_TURNS;
	while (unlikely(!(first + way % VTR_THREADS_WAYS) ||
			first + way % VTR_THREADS_WAYS == running))
		way++;
	return way % VTR_THREADS_WAYS;
}

/**
 * vtr_threads_add() - assign a reference to a thread
 * @threads: the table
 * @key: key of a thread that vtr_threads_find() did not find
 * @running: reference that must not be replaced, because the next record needs it, or 0
 * @prio: priority of the task
 * @priority: vtr_fxt_priority() of it
 *
 * Uses a free reference of the set, or else replaces one, mostly the one that was assigned
 * last.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: thread reference, 1 to 255, for which the caller writes a thread record.
 */
static __always_inline unsigned int
vtr_threads_add(struct vtr_threads *threads, u64 key, unsigned int running,
		int prio, u8 priority)
{
	unsigned int set = (u32)key % VTR_THREADS_SETS, way, ref;
	u64 *keys = threads->keys + set;
	u32 *incoming = threads->incoming + set;

	/* In the order in which vtr_threads_look_up() looks at them. */
	if (keys[3 * VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 3;
	else if (keys[2 * VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 2;
	else if (keys[VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 1;
	else if (keys[0] == VTR_THREADS_NOBODY && set)
		way = 0;
	else
		way = vtr_threads_victim(threads, set, running);
	ref = set * VTR_THREADS_WAYS + way;
	keys[way * VTR_THREADS_SETS] = key;
	incoming[way * VTR_THREADS_SETS] = vtr_threads_composed(ref, prio, priority);
	return ref;
}

static __always_inline u64 *vtr_threads_pair(const struct vtr_threads *threads,
					     u64 key)
{
	return threads->named[(u32)key & (threads->nr_pairs - 1)];
}

/**
 * vtr_threads_named() - check whether the sub-buffer contains a name
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 * Return: true if it does; may be false although it does, if the entry was dropped.
 */
static __always_inline bool vtr_threads_named(const struct vtr_threads *threads,
					      u64 key)
{
	const u64 *pair = vtr_threads_pair(threads, key);

	key |= threads->epoch;
	return pair[0] == key || pair[1] == key;
}

/**
 * vtr_threads_name() - note that the sub-buffer contains a name
 * @threads: the table
 * @key: key for which vtr_threads_named() returned false
 *
 * Context: the ring's CPU, interrupts off.
 */
static __always_inline void vtr_threads_name(struct vtr_threads *threads,
					     u64 key)
{
	u64 *pair = vtr_threads_pair(threads, key);

	BUILD_BUG_ON(PID_MAX_LIMIT > 1 << VTR_THREADS_ID_BITS);
	pair[1] = pair[0];
	pair[0] = key | threads->epoch;
}

/**
 * vtr_threads_unname() - make a thread or process be named again
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_threads_unname(struct vtr_threads *threads, u64 key)
{
	u64 *pair = vtr_threads_pair(threads, key);
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (pair[i] == (key | threads->epoch))
			pair[i] = 0;
}

/**
 * vtr_threads_remove() - remove a thread
 * @threads: the table
 * @key: key of a thread that has exited; its id may be reused
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_threads_remove(struct vtr_threads *threads, u64 key)
{
	unsigned int ref = vtr_threads_find(threads, key);

	if (ref)
		*vtr_threads_key(threads, ref) = VTR_THREADS_NOBODY;
	vtr_threads_unname(threads, key);
}

/*
 * The site table of a sub-buffer: a set-associative cache of prepared records, which are
 * records without time, thread and values, indexed by the address of their site. Pure;
 * owned by the ring's CPU, interrupts off.
 *
 * A prepared record refers to strings of the sub-buffer's string table by index. It must
 * be dropped as soon as one of these indices gets another meaning; the string table, which
 * owns this one, does that.
 */

#define VTR_SITES_WAYS		2
#define VTR_SITES_SETS		64
#define VTR_SITES_SLOTS		(VTR_SITES_WAYS * VTR_SITES_SETS)

/* Maximum number of arguments of a prepared record. */
#define VTR_SITES_MAX_ARGS	7

/**
 * struct vtr_site_arg - an argument of a prepared record
 * @word: first word; the value is 0, text is empty
 * @next_mask: all ones if the value is the next word, else 0
 * @mask: position of the value in the upper half of the first word, 0 if it is not there
 * @nr_words: length of the argument, without text
 */
struct vtr_site_arg {
	u64	word;
	u64	next_mask;
	u32	mask;
	u32	nr_words;
};

/**
 * struct vtr_site_record - a prepared record
 * @header: first word; the thread reference is 0, and the length that of a record whose
 *	text is empty
 * @nr_words: this length
 * @last: offset in words of the word after the arguments, which is the id if there is one
 * @args: arguments
 */
struct vtr_site_record {
	u64			header;
	u32			nr_words;
	u32			last;
	struct vtr_site_arg	args[VTR_SITES_MAX_ARGS];
};

/**
 * struct vtr_sites - site table
 * @keys: key of each slot: see vtr_sites_key(), or 0
 * @records: prepared record of each slot
 * @victim: slot of a full set that is replaced next
 */
struct vtr_sites {
	unsigned long		keys[VTR_SITES_SLOTS];
	struct vtr_site_record	records[VTR_SITES_SLOTS];
	unsigned int		victim;
};

/**
 * vtr_site_arg_prepare() - prepare an argument
 * @arg: the argument
 * @word: first word of the argument in a record, without a value or text
 * @mask: position of the value in this word, 0 if it is not there
 *
 * Context: any.
 */
static inline void vtr_site_arg_prepare(struct vtr_site_arg *arg, u64 word,
					u64 mask)
{
	arg->word = word;
	arg->mask = mask >> 32;
	arg->nr_words = FIELD_GET(FXT_HEADER_WORDS, word);
	arg->next_mask = arg->nr_words > 1 ? ~0ULL : 0;
}

/**
 * vtr_site_arg_put() - write an argument that is not text that varies
 * @arg: the argument
 * @next: destination, with room for two words
 * @value: its value
 *
 * Readers may have mapped the destination, so it never contains what is not part of the
 * record, such as the address of a literal, even if the next argument overwrites it.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: end of the argument.
 */
static __always_inline u64 *vtr_site_arg_put(const struct vtr_site_arg *arg,
					     u64 *next, u64 value)
{
	next[0] = arg->word | (u64)((u32)value & arg->mask) << 32;
	next[1] = value & arg->next_mask;
	return next + arg->nr_words;
}

/**
 * vtr_sites_key() - return the key of a site
 * @site: address of the site
 * @counter: the session's clock is the CPU's counter, which is therefore the clock of a
 *	record that is found by such a key
 *
 * Context: any. Hot.
 * Return: the key, never 0.
 */
static __always_inline unsigned long vtr_sites_key(const void *site, bool counter)
{
	return (unsigned long)site + !counter;
}

/* Return the first slot of a key's set. Sites are about 32 bytes apart. */
static __always_inline unsigned long vtr_sites_slot(unsigned long key)
{
	return key / 32 * VTR_SITES_WAYS % VTR_SITES_SLOTS;
}

/**
 * vtr_sites_find() - look up the prepared record of a site
 * @sites: the table
 * @key: return value of vtr_sites_key()
 * @ret: the record, written on success only
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: false if none is prepared.
 */
static __always_inline bool vtr_sites_find(const struct vtr_sites *sites, unsigned long key,
					   const struct vtr_site_record **ret)
{
	unsigned long slot = vtr_sites_slot(key);

	if (unlikely(sites->keys[slot] != key) && sites->keys[++slot] != key)
		return false;
	*ret = &sites->records[slot];
	return true;
}

/**
 * vtr_sites_add() - assign a slot to a site
 * @sites: the table
 * @key: key of the site
 *
 * Uses the slot that the site has, a free slot of its set, or else replaces the others
 * round-robin.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: record of the slot, to be filled in.
 */
static inline struct vtr_site_record *vtr_sites_add(struct vtr_sites *sites,
						    unsigned long key)
{
	unsigned long slot = vtr_sites_slot(key);

	if (sites->keys[slot + 1] == key)
		slot++;
	else if (sites->keys[slot] && sites->keys[slot] != key)
		slot += sites->keys[slot + 1] ? sites->victim++ % VTR_SITES_WAYS :
						1;
	sites->keys[slot] = key;
	return &sites->records[slot];
}

/**
 * vtr_sites_forget() - empty the table
 * @sites: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_sites_forget(struct vtr_sites *sites)
{
	memset(sites->keys, 0, sizeof(sites->keys));
}

/*
 * The string table of a sub-buffer: a set-associative cache that maps the address of a
 * constant string to its index. Pure; owned by the ring's CPU, interrupts off.
 *
 * Indices form sets of four: a string may get any index of the set that its address
 * selects. The strings of one record must not evict each other, so records are numbered, and
 * each index is marked with the record that last used it.
 *
 * Prepared records refer to indices: they are dropped when the table is
 * emptied, and when a string evicts another one.
 */

/* User-mode Linux panics when a word extends into an unmapped page. */
#if defined(CONFIG_DCACHE_WORD_ACCESS) && !defined(CONFIG_UML)
#include <asm/word-at-a-time.h>
#define VTR_HAS_WORD_ACCESS
#endif

#define VTR_STRINGS_WAYS	4
#define VTR_STRINGS_SETS	32
#define VTR_STRINGS_SLOTS	(VTR_STRINGS_WAYS * VTR_STRINGS_SETS)

/* Longest string in the table, and longest piece of text, in bytes. */
#define VTR_STRINGS_MAX_BYTES	255

/**
 * struct vtr_strings - string table
 * @keys: address of each string, by index minus VTR_FXT_STRING_FIRST, or NULL
 * @users: number of the last record that used each index
 * @record: number of the current record
 * @victim: index of a full set that is replaced next
 * @used: the table is not empty
 * @sites: prepared records
 */
struct vtr_strings {
	const void	*keys[VTR_STRINGS_SLOTS];
	u32		users[VTR_STRINGS_SLOTS];
	u32		record;
	unsigned int	victim;
	bool		used;
	struct vtr_sites sites;
};

/**
 * vtr_strings_forget() - empty the table
 * @strings: table of a new sub-buffer, or one that refers to strings that will be freed
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_forget(struct vtr_strings *strings)
{
	if (!strings->used)
		return;
	memset(strings->keys, 0, sizeof(strings->keys));
	vtr_sites_forget(&strings->sites);
	strings->used = false;
}

/**
 * vtr_strings_begin() - begin a record, which uses no index yet
 * @strings: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_begin(struct vtr_strings *strings)
{
	strings->record++;
}

static inline u16 vtr_strings_take(struct vtr_strings *strings,
				   unsigned int slot)
{
	strings->users[slot] = strings->record;
	return VTR_FXT_STRING_FIRST + slot;
}

/* Load a word of text, with zeros after its end. Return true if it contains the end. */
static __always_inline bool vtr_strings_word(const char *text, unsigned long *ret)
{
#ifdef VTR_HAS_WORD_ACCESS
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long zeros;

	*ret = load_unaligned_zeropad(text);
	if (!has_zero(*ret, &zeros, &constants))
		return false;
	zeros = prep_zero_mask(*ret, zeros, &constants);
	*ret &= zero_bytemask(create_zero_mask(zeros));
	return true;
#else
	unsigned int i;

	for (i = 0, *ret = 0; i < sizeof(*ret); i++) {
		if (!text[i])
			return true;
		*ret |= (unsigned long)(u8)text[i] << 8 * i;
	}
	return false;
#endif
}

/**
 * vtr_strings_hashed() - return the key of a string that is identified by a hash
 * @hash: hash of the bytes of the string
 *
 * Context: any.
 * Return: 62 bits of @hash, with a value that no kernel address of x86, arm64 or riscv has.
 */
static __always_inline const void *vtr_strings_hashed(u64 hash)
{
	return (const void *)(unsigned long)(hash >> 2 | 1ULL << 62);
}

/**
 * vtr_strings_key() - return the key of a string that is not constant
 * @text: the string, of which the first VTR_STRINGS_MAX_BYTES matter; NULL is empty
 *
 * The memory of such a string may be reused for another one, so its bytes determine the
 * key. The hash is fast and not secret: it is for names that drivers and the kernel choose.
 * Text that users choose is hashed with a key, in event.c.
 *
 * Context: any. Hot.
 * Return: the key.
 */
static __always_inline const void *vtr_strings_key(const char *text)
{
	unsigned long word, hash = 0;
	unsigned int i = 0;
	bool ends;

	/* For example, a driver may request an interrupt without a name. */
	if (unlikely(!text))
		text = "";
	do {
		ends = vtr_strings_word(text + i, &word);
		hash = (hash ^ word) * GOLDEN_RATIO_64;
		hash ^= hash >> 32;
		i += sizeof(word);
	} while (!ends && i < VTR_STRINGS_MAX_BYTES);
	return vtr_strings_hashed(hash);
}

/* Return the first index of a key's set. Strings are adjacent, so fold their address. */
static inline unsigned int vtr_strings_first(const void *key)
{
	unsigned long address = (unsigned long)key;

	return (address ^ address >> 5 ^ address >> 10) % VTR_STRINGS_SETS *
	       VTR_STRINGS_WAYS;
}

/**
 * vtr_strings_find() - look up a string and mark its index as used
 * @strings: the table
 * @key: address of the string
 *
 * Context: the ring's CPU, interrupts off.
 * Return: the index, 0 if the string has none.
 */
static inline u16 vtr_strings_find(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot;

	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (strings->keys[slot] == key)
			return vtr_strings_take(strings, slot);
	return 0;
}

/**
 * vtr_strings_add() - assign an index to a string and mark it as used
 * @strings: the table
 * @key: address of a string that vtr_strings_find() did not find
 *
 * Uses a free index of the set, or else replaces the others round-robin.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: the index, for which the caller writes a string record; 0 if the current
 *	record uses the whole set, and the string must be inline.
 */
static inline u16 vtr_strings_add(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot, i;

	strings->used = true;
	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (!strings->keys[slot])
			goto found;
	for (i = 0; i < VTR_STRINGS_WAYS; i++) {
		slot = first + strings->victim++ % VTR_STRINGS_WAYS;
		if (strings->users[slot] != strings->record) {
			vtr_sites_forget(&strings->sites);
			goto found;
		}
	}
	return 0;
found:
	strings->keys[slot] = key;
	return vtr_strings_take(strings, slot);
}

#endif /* _VTR_TABLES_H */
