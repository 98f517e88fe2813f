// SPDX-License-Identifier: GPL-2.0
/*
 * Replace names and texts of a trace by tokens.
 *
 * A token is a keyed hash of the text, SipHash-2-4 by Aumasson and Bernstein. The key is
 * random and is forgotten when the command ends, so nobody can find the text of a token by
 * hashing texts that it might be.
 *
 * One trace is anonymised at a time; the key and the texts are static.
 */
#define _GNU_SOURCE	/* memmem() */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "rewrite.h"

/* "x" and twelve hexadecimal digits: as a thread name, it fits everywhere. */
#define TOKEN_BYTES	13

/* The same text has the same token with the same key. */
static uint64_t key[2];

/* Texts of the record that was processed last. */
static char texts[64U << 10];
static size_t len_texts;

/* ---- Tokens -------------------------------------------------------------- */

static uint64_t rotate(uint64_t word, unsigned int nr_bits)
{
	return word << nr_bits | word >> (64 - nr_bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

static uint64_t sip_hash(const char *bytes, size_t len_bytes)
{
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575ULL,
		key[1] ^ 0x646f72616e646f6dULL,
		key[0] ^ 0x6c7967656e657261ULL,
		key[1] ^ 0x7465646279746573ULL,
	};
	uint64_t word;
	size_t i;

	for (i = 0; len_bytes - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sip_word(v, le64toh(word));
	}
	word = 0;
	if (i < len_bytes)
		memcpy(&word, bytes + i, len_bytes - i);
	sip_word(v, le64toh(word) | (uint64_t)len_bytes << 56);
	v[2] ^= 0xff;
	for (i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/**
 * anonymise_init() - begin with a new key
 */
void anonymise_init(void)
{
	len_texts = 0;
	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		must(vtr_error_os(errno, NULL, "cannot make a random key"));
}

/**
 * anonymise_begin() - begin with another record
 */
void anonymise_begin(void)
{
	len_texts = 0;
}

/* Append text; return false if there is no room. */
static bool append(const char *bytes, size_t len_bytes)
{
	if (len_bytes > sizeof(texts) - len_texts)
		return false;
	memcpy(texts + len_texts, bytes, len_bytes);
	len_texts += len_bytes;
	return true;
}

/* Append the token of a text; nothing for the empty text. */
static bool append_token(const char *bytes, size_t len_bytes)
{
	char token[TOKEN_BYTES + 1];
	uint64_t hash;

	if (!len_bytes)
		return true;
	hash = sip_hash(bytes, len_bytes);
	snprintf(token, sizeof(token), "x%012llx",
		 (unsigned long long)(hash & 0xffffffffffffULL));
	return append(token, TOKEN_BYTES);
}

/* Return what was appended since @begin; nothing of it if there was no room for all. */
static struct vitrine_fxt_string text_since(size_t begin, bool good)
{
	if (!good)
		len_texts = begin;
	return (struct vitrine_fxt_string){ texts + begin, len_texts - begin };
}

/**
 * anonymise_name() - make a token of a text
 * @name: the text
 *
 * Return: the token, valid until anonymise_begin().
 */
struct vitrine_fxt_string anonymise_name(const struct vitrine_fxt_string *name)
{
	size_t begin = len_texts;
	bool good = append_token(name->bytes, name->len_bytes);

	return text_since(begin, good);
}

/* ---- User stacks ----------------------------------------------------------- */

/* Return the length of what precedes "+0x" or "]" in a frame. */
static size_t name_len(const char *frame, size_t len_bytes)
{
	size_t len = len_bytes;

	while (len && frame[len - 1] != '+')
		len--;
	return len ? len - 1 : len_bytes;
}

/*
 * Append a frame: "NAME+0xOFFSET", perhaps with " [FILE]" behind it, "?", which may be followed
 * by an address that is left out, or "...".
 */
static bool append_frame(const char *frame, size_t len_bytes)
{
	const char *file = memmem(frame, len_bytes, " [", 2);
	size_t len = file ? (size_t)(file - frame) : len_bytes, len_name;

	if (*frame == '?' && (len_bytes == 1 || frame[1] == '+'))
		return append(frame, 1);
	if (len_bytes == 3 && !memcmp(frame, "...", 3))
		return append(frame, len_bytes);
	len_name = name_len(frame, len);
	if (!append_token(frame, len_name) || !append(frame + len_name, len - len_name))
		return false;
	if (!file)
		return true;
	file += 2;
	len = frame + len_bytes - file;
	if (len && file[len - 1] == ']')
		len--;
	return append(" [", 2) && append_token(file, len) && append("]", 1);
}

static struct vitrine_fxt_string anonymise_stack(const struct vitrine_fxt_string *stack)
{
	const char *at = stack->bytes, *end = at + stack->len_bytes, *frame;
	size_t begin = len_texts, len;
	bool good = true;

	while (good && (frame = user_stack_piece(&at, end, &len)))
		good = append_frame(frame, len) && (frame + len == end || append(";", 1));
	return text_since(begin, good);
}

/* ---- Records ---------------------------------------------------------------- */

/*
 * Arguments whose texts are the kernel's or vitrine's own words, or names that drivers
 * give; NULL matches any event of the category.
 */
static const struct {
	const char *category;
	const char *event;
	const char *argument;
} public_texts[] = {
	{ "stacks", "blocked", "stack" },
	{ "stacks", "running", "stack" },
	{ "stacks", "blocked", "syscall" },
	{ "stacks", "blocked", "lock" },
	{ "timer", NULL, "function" },
	{ "block", NULL, "disk" },
	{ "vitrine", "frozen", "cause" },
	{ "vitrine", "left_out", "cpus" },
};

static bool is_public(const struct vitrine_fxt_record *record,
		      const struct vitrine_fxt_arg *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(public_texts); i++)
		if (fxt_string_is(&record->event.category, public_texts[i].category) &&
		    (!public_texts[i].event ||
		     fxt_string_is(&record->event.name, public_texts[i].event)) &&
		    fxt_string_is(&arg->name, public_texts[i].argument))
			return true;
	return false;
}

/* Categories of the module whose events have fixed names, or names that drivers give. */
static bool has_public_names(const struct vitrine_fxt_string *category)
{
	return fxt_source_find(category) || fxt_string_is(category, "stacks") ||
	       fxt_string_is(category, "vitrine");
}

static void anonymise_event(struct vitrine_fxt_record *record)
{
	bool is_stack = fxt_string_is(&record->event.category, "stacks");
	struct vitrine_fxt_arg *arg;
	unsigned int i;

	for (i = 0; i < record->nr_args; i++) {
		arg = &record->args[i];
		if (arg->type != FXT_ARG_STRING_REF || is_public(record, arg))
			continue;
		if (is_stack && fxt_string_is(&arg->name, "stack"))
			arg->value.string = anonymise_stack(&arg->value.string);
		else
			arg->value.string = anonymise_name(&arg->value.string);
	}
	if (!has_public_names(&record->event.category))
		record->event.name = anonymise_name(&record->event.name);
}

/**
 * anonymise_record() - replace the texts in a record with a time
 * @record: the record; large BLOBs, whose contents nobody knows, are left as they are
 */
void anonymise_record(struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_EVENT)
		anonymise_event(record);
	else if (record->kind == VITRINE_FXT_LOG)
		record->log.message = anonymise_name(&record->log.message);
}
