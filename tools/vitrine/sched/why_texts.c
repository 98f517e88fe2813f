// SPDX-License-Identifier: GPL-2.0
/*
 * Store each text once.
 *
 * A stack is one text, in the form in which the recorder writes it: frames separated by
 * semicolons, outermost first. Offsets into kernel functions are removed, so that all
 * waits in a function count together. Offsets into files of user space stay, because a
 * user-space frame has no function name.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "escape.h"
#include "fxt_record.h"
#include "ui/label.h"
#include "why_texts.h"

/*
 * Stacks beyond these limits become WHY_TEXT_OTHER, and so do other texts, such as names, beyond
 * twice these limits: a trace with many stacks has room for them. FXT strings have up to 32000
 * bytes.
 */
#define MAX_STACKS	(1U << 16)
#define MAX_STACKS_BYTES (8U << 20)
#define MAX_TEXT_BYTES	32000

#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

static uint32_t hash_text(const char *text)
{
	uint64_t hash = FNV_BASIS;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
	return hash ^ hash >> 32;
}

/* ---- Cleaning ----------------------------------------------------------- */

/* Return the length of an offset like "+0x1f" at @at, or 0 if there is none. */
static size_t offset_len(const char *at, const char *end)
{
	const char *digit = at + 3;

	if (end - at < 4 || memcmp(at, "+0x", 3) ||
	    !isxdigit((unsigned char)*digit))
		return 0;
	while (digit < end && isxdigit((unsigned char)*digit))
		digit++;
	return digit - at;
}

/* Check whether a frame ends with the file or module of its function, as "main+0x1f [app]". */
static bool is_function(const char *at, const char *end)
{
	return end - at > 2 && !memcmp(at, " [", 2);
}

static bool has_offsets(enum why_text_kind kind, const char *behind, const char *end)
{
	return kind == WHY_KERNEL_STACK || (kind == WHY_USER_STACK && is_function(behind, end));
}

/* Return the length of what the compiler appends to a function of the kernel, as in ".isra.0". */
static size_t suffix_len(const char *at, const char *end)
{
	const char *behind = at;

	while (*at == '.' && behind < end && !strchr("+; ", *behind))
		behind++;
	return behind - at;
}

/*
 * Copy a text, with "?" for each unprintable character; it does not become longer. The
 * offsets in functions are left out of stacks, but not offsets in files.
 */
static void clean(char *to, const char *bytes, size_t len_bytes, enum why_text_kind kind)
{
	const char *end = bytes + len_bytes;
	size_t len;

	while (bytes < end) {
		len = kind == WHY_KERNEL_STACK ? suffix_len(bytes, end) : 0;
		bytes += len;
		if (len)
			continue;
		len = kind == WHY_TEXT ? 0 : offset_len(bytes, end);
		if (len && has_offsets(kind, bytes + len, end)) {
			bytes += len;
			continue;
		}
		len = printable_len(bytes, end - bytes);
		if (len) {
			memcpy(to, bytes, len);
			to += len;
			bytes += len;
		} else {
			*to++ = '?';
			bytes++;
		}
	}
	*to = '\0';
}

/* ---- The table ----------------------------------------------------------- */

static bool has_text(const void *owner, uint32_t number, const void *text)
{
	const struct why_texts *texts = owner;

	return !strcmp(texts->texts[number], text);
}

/* Append a copy of a text. */
static uint32_t append(struct why_texts *texts, const char *text)
{
	char *copy = strdup(text);

	must_have(copy && GROW(texts->texts, texts->nr));
	texts->texts[texts->nr] = copy;
	return texts->nr++;
}

static uint32_t add_clean(struct why_texts *texts, const char *text, enum why_text_kind kind)
{
	unsigned int times = kind == WHY_TEXT ? 2 : 1;
	size_t len = strlen(text);
	uint32_t *slot;

	while (texts->nr <= WHY_TEXT_OTHER)
		append(texts, "");
	must_have(hash_reserve(&texts->hash, texts->nr));
	slot = hash_find(&texts->hash, hash_text(text), has_text, texts, text);
	if (!*slot) {
		if (texts->nr >= times * MAX_STACKS ||
		    texts->len_bytes + len > times * MAX_STACKS_BYTES)
			return WHY_TEXT_OTHER;
		*slot = append(texts, text);
		texts->len_bytes += len + 1;
	}
	return *slot;
}

static uint32_t add(struct why_texts *texts, const char *bytes, size_t len_bytes,
		    enum why_text_kind kind)
{
	char text[MAX_TEXT_BYTES + 1];

	if (len_bytes > MAX_TEXT_BYTES)
		len_bytes = MAX_TEXT_BYTES;
	clean(text, bytes, len_bytes, kind);
	return text[0] ? add_clean(texts, text, kind) : WHY_TEXT_NONE;
}

/**
 * why_texts_add() - find or store a text
 * @texts: all texts
 * @bytes: the text, not terminated
 * @len_bytes: its length
 *
 * Return: number of the text: WHY_TEXT_NONE if it is empty, WHY_TEXT_OTHER if there is no room.
 */
uint32_t why_texts_add(struct why_texts *texts, const char *bytes, size_t len_bytes)
{
	return add(texts, bytes, len_bytes, WHY_TEXT);
}

/**
 * why_texts_add_stack() - find or store the stack of an event
 * @texts: all texts
 * @record: the event, whose argument "stack" has the frames
 * @kind: WHY_KERNEL_STACK, which is stored without offsets; or WHY_USER_STACK, of which frames
 *	whose function is known are stored so
 *
 * Return: as of why_texts_add(); WHY_TEXT_NONE if there is no stack.
 */
uint32_t why_texts_add_stack(struct why_texts *texts, const struct vitrine_fxt_record *record,
			     enum why_text_kind kind)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "stack");

	if (!arg || arg->type != FXT_ARG_STRING_REF)
		return WHY_TEXT_NONE;
	return add(texts, arg->value.string.bytes, arg->value.string.len_bytes, kind);
}

/**
 * why_text() - return the text with a number
 * @texts: all texts
 * @number: number from why_texts_add()
 *
 * Return: the text, which contains printable characters only.
 */
const char *why_text(const struct why_texts *texts, uint32_t number)
{
	if (number == WHY_TEXT_NONE)
		return "";
	return number == WHY_TEXT_OTHER ? "(others)" : texts->texts[number];
}

/**
 * why_texts_deinit() - free all texts
 * @texts: all texts
 */
void why_texts_deinit(struct why_texts *texts)
{
	uint32_t i;

	for (i = 0; i < texts->nr; i++)
		free(texts->texts[i]);
	free(texts->texts);
	free(texts->hash.slots);
}

/* ---- Frames --------------------------------------------------------------- */

/**
 * why_frame_next() - return the next frame of a stack, outermost first
 * @at: rest of the stack, initially its begin; advanced past the frame
 * @ret_frame: the frame, not terminated
 * @ret_len: length of the frame
 *
 * Return: false if none is left.
 */
bool why_frame_next(const char **at, const char **ret_frame, size_t *ret_len)
{
	*at += strspn(*at, ";");
	if (!**at)
		return false;
	*ret_frame = *at;
	*ret_len = strcspn(*at, ";");
	*at += *ret_len;
	return true;
}

/**
 * why_frame_before() - return the next frame of a stack, innermost first
 * @stack: begin of the stack
 * @end: end of the rest, initially of the stack; moved to the begin of the frame
 * @ret_frame: the frame, not terminated
 * @ret_len: length of the frame
 *
 * Return: false if none is left.
 */
bool why_frame_before(const char *stack, const char **end,
		      const char **ret_frame, size_t *ret_len)
{
	const char *begin, *last = *end;

	while (last > stack && last[-1] == ';')
		last--;
	for (begin = last; begin > stack && begin[-1] != ';'; begin--)
		;
	*end = begin;
	*ret_frame = begin;
	*ret_len = last - begin;
	return last > begin;
}

/**
 * why_frame_name_len() - find the name of the function in a frame
 * @frame: a frame, not terminated
 * @len: length of @frame
 *
 * Return: length of the name, or of the name of the file if the function has none.
 */
size_t why_frame_name_len(const char *frame, size_t len)
{
	const char *at;

	for (at = frame + len; at > frame; at--)
		if (is_function(at, frame + len) || offset_len(at, frame + len))
			return at - frame;
	return len;
}

/**
 * why_frame_is_scheduler() - check for functions of the scheduler
 * @frame: a frame, not terminated
 * @len: length of @frame
 *
 * Every stack of a blocked thread ends with them, so they carry no information.
 *
 * Return: true if the frame is one of them.
 */
bool why_frame_is_scheduler(const char *frame, size_t len)
{
	static const char * const names[] = {
		"__schedule", "schedule", "io_schedule", "schedule_timeout",
		"io_schedule_timeout", "schedule_preempt_disabled",
		"schedule_hrtimeout_range", "schedule_hrtimeout_range_clock",
		"schedule_rtlock", "__switch_to",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (len == strlen(names[i]) && !memcmp(frame, names[i], len))
			return true;
	return false;
}
