// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * String table of a sub-buffer that is being filled.
 *
 * A string of n words takes n + 1 when it is registered, and none when it is used again. Names
 * of events are used again and again; the text of a marker or the path of a file often occurs
 * once. A string is therefore inline where it occurs first in the file, and registered in
 * every sub-buffer that contains it later.
 */
#include <string.h>

#include "fxt_bits.h"
#include "fxt_strings.h"

static uint32_t hash_of(const struct vitrine_fxt_string *string)
{
	uint64_t hash = string->len_bytes, word;
	size_t i;

	for (i = 0; i < string->len_bytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, string->bytes + i,
		       string->len_bytes - i < sizeof(word) ? string->len_bytes - i :
							      sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	/* 0 is the hash of a slot that has seen no string. */
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

static bool is_at(const struct fxt_strings *strings, unsigned int index,
		  const struct fxt_encoder *to, uint32_t hash,
		  const struct vitrine_fxt_string *string)
{
	return strings->entries[index].hash == hash &&
	       strings->entries[index].len_bytes == string->len_bytes &&
	       !memcmp(&to->words[strings->entries[index].at], string->bytes,
		       string->len_bytes);
}

static bool was_seen(struct fxt_strings_seen *seen, uint32_t hash)
{
	uint32_t *slot = &seen->hashes[hash % FXT_STRINGS_SEEN];
	bool was = *slot == hash;

	*slot = hash;
	return was;
}

static unsigned int add(struct fxt_strings *strings, struct fxt_encoder *to,
			uint32_t hash, const struct vitrine_fxt_string *string)
{
	unsigned int index = strings->nr + 1;

	if (strings->nr == FXT_STRINGS_MAX || string->len_bytes > FXT_MAX_STRING_BYTES ||
	    1 + fxt_stream_words(string->len_bytes) > to->size - to->nr)
		return 0;
	strings->entries[index].hash = hash;
	strings->entries[index].at = to->nr + 1;
	strings->entries[index].len_bytes = string->len_bytes;
	strings->nr = index;
	fxt_encode_string(to, index, string);
	return index;
}

/**
 * fxt_strings_intern() - look up a string, and register it if it is worth it
 * @strings: string table of the sub-buffer
 * @seen: strings of the file
 * @to: encoder of the sub-buffer, which gets the string record
 * @string: the string, not empty
 *
 * Return: index of the string, or 0 if it is to be inline.
 */
unsigned int fxt_strings_intern(struct fxt_strings *strings,
				struct fxt_strings_seen *seen,
				struct fxt_encoder *to,
				const struct vitrine_fxt_string *string)
{
	uint32_t hash = hash_of(string);
	uint16_t *slot;

	for (slot = &strings->slots[hash % FXT_STRINGS_SLOTS]; *slot;
	     slot = slot == &strings->slots[FXT_STRINGS_SLOTS - 1] ? strings->slots :
								     slot + 1)
		if (is_at(strings, *slot, to, hash, string))
			return *slot;
	if (!was_seen(seen, hash))
		return 0;
	*slot = add(strings, to, hash, string);
	return *slot;
}
