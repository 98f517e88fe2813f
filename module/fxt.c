// SPDX-License-Identifier: GPL-2.0
/*
 * FXT record encoder.
 *
 * Each vtr_fxt_put_*() composes one record in @words, which the caller owns
 * and has made large enough, and returns its length in words. Every byte of a
 * record is written, padding too. Nothing here locks, allocates or logs.
 *
 * "Format" in the comments below is the Fuchsia trace format; our tables of it
 * are in Documentation/fxt.rst.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "fxt.h"

static unsigned int stream_words(unsigned int len_bytes)
{
	return DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
}

/* A stream is padded with zeros to a whole word. Format: "Atoms". */
static unsigned int put_stream(u64 *words, const char *bytes,
			       unsigned int len_bytes)
{
	unsigned int nr_words = stream_words(len_bytes);

	if (nr_words)
		words[nr_words - 1] = 0;
	memcpy(words, bytes, len_bytes);
	return nr_words;
}

static u64 inline_string(unsigned int len_bytes)
{
	return len_bytes ? FXT_STRING_REF_INLINE | len_bytes : 0;
}

/**
 * vtr_fxt_put_provider() - compose a provider info metadata record
 * @words: where to
 * @id: provider id
 * @name: provider's name, at most 255 bytes
 *
 * Context: any. Format: "Provider info metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_provider(u64 *words, u32 id, const char *name)
{
	unsigned int len_bytes = strlen(name);
	unsigned int nr_words = 1 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_METADATA, nr_words) |
		   FIELD_PREP(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_INFO) |
		   FIELD_PREP(FXT_PROVIDER_ID, id) |
		   FIELD_PREP(FXT_PROVIDER_INFO_NAME_BYTES, len_bytes);
	put_stream(words + 1, name, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_initialization() - compose an initialization record
 * @words: where to
 * @ticks_per_second: rate of the timestamps that follow
 *
 * Context: any. Format: "Initialization record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_initialization(u64 *words, u64 ticks_per_second)
{
	words[0] = vtr_fxt_header(FXT_RECORD_INITIALIZATION, 2);
	words[1] = ticks_per_second;
	return 2;
}

/**
 * vtr_fxt_put_blob() - compose the head of a BLOB record of type DATA
 * @words: where to
 * @name: name of the blob; "" for padding
 * @len_bytes: payload, a multiple of 8, which the caller writes behind it
 *
 * Context: any. Format: "BLOB record".
 * Return: words written, payload not included.
 */
unsigned int vtr_fxt_put_blob(u64 *words, const char *name,
			      unsigned int len_bytes)
{
	unsigned int name_bytes = strlen(name);
	unsigned int nr_words = 1 + stream_words(name_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_BLOB,
				  nr_words + stream_words(len_bytes)) |
		   FIELD_PREP(FXT_BLOB_NAME, inline_string(name_bytes)) |
		   FIELD_PREP(FXT_BLOB_BYTES, len_bytes) |
		   FIELD_PREP(FXT_BLOB_TYPE, FXT_BLOB_TYPE_DATA);
	put_stream(words + 1, name, name_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_string() - compose a string record
 * @words: where to
 * @index: string table index, 1 to 0x7fff
 * @string: its value
 *
 * Context: any. Format: "String record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_string(u64 *words, u16 index, const char *string)
{
	unsigned int len_bytes = strlen(string);
	unsigned int nr_words = 1 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_STRING, nr_words) |
		   FIELD_PREP(FXT_STRING_INDEX, index) |
		   FIELD_PREP(FXT_STRING_BYTES, len_bytes);
	put_stream(words + 1, string, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_thread() - compose a thread record
 * @words: where to
 * @ref: thread table index, 1 to 255
 * @process: koid of the process
 * @thread: koid of the thread
 *
 * Context: any. Format: "Thread record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_thread(u64 *words, u8 ref, u64 process, u64 thread)
{
	words[0] = vtr_fxt_header(FXT_RECORD_THREAD, VTR_FXT_THREAD_WORDS) |
		   FIELD_PREP(FXT_THREAD_INDEX, ref);
	words[1] = process;
	words[2] = thread;
	return VTR_FXT_THREAD_WORDS;
}

static unsigned int put_object(u64 *words, u8 object_type, u64 koid,
			       const char *name, unsigned int nr_args)
{
	unsigned int len_bytes = strlen(name);
	unsigned int nr_words = 2 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_KERNEL_OBJECT,
				  nr_words + 2 * nr_args) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_TYPE, object_type) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NAME, inline_string(len_bytes)) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NR_ARGS, nr_args);
	words[1] = koid;
	put_stream(words + 2, name, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_process_name() - compose the kernel object record of a process
 * @words: where to
 * @process: koid of the process
 * @name: its name, at most VTR_FXT_NAME_MAX bytes
 *
 * Context: any. Format: "Kernel object record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_process_name(u64 *words, u64 process,
				      const char *name)
{
	return put_object(words, FXT_OBJECT_TYPE_PROCESS, process, name, 0);
}

/**
 * vtr_fxt_put_thread_name() - compose the kernel object record of a thread
 * @words: where to
 * @process: koid of the process it belongs to
 * @thread: koid of the thread
 * @name: its name, at most VTR_FXT_NAME_MAX bytes
 *
 * Needs string VTR_FXT_STRING_PROCESS to be registered as "process".
 *
 * Context: any. Format: "Kernel object record", "Kernel object id argument".
 * Return: words written.
 */
unsigned int vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
				     const char *name)
{
	unsigned int nr_words;

	nr_words = put_object(words, FXT_OBJECT_TYPE_THREAD, thread, name, 1);
	words[nr_words++] = FIELD_PREP(FXT_HEADER_TYPE, FXT_ARG_KOID) |
			    FIELD_PREP(FXT_HEADER_WORDS, 2) |
			    FIELD_PREP(FXT_ARG_NAME, VTR_FXT_STRING_PROCESS);
	words[nr_words++] = process;
	return nr_words;
}

/* Length of the UTF-8 sequence at @s of at most @left bytes, 0 if it is none. */
static unsigned int utf8_sequence(const u8 *s, unsigned int left)
{
	unsigned int i, len;

	if (s[0] < 0x80)
		return 1;
	/* c0, c1 and f5.. never open a sequence; e0, ed, f0, f4 restrict s[1] */
	len = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
	      s[0] < 0xf5 ? 4 : 0;
	if (!len || len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/**
 * vtr_fxt_clean_name() - make a name out of bytes that may be anything
 * @clean: VTR_FXT_NAME_MAX + 1 bytes for the result
 * @name: bytes that may change while they are read, no longer than @clean
 *	unless a NUL ends them earlier
 *
 * Streams hold UTF-8, but a task's name is whatever bytes somebody set, cut
 * at 15. What is no UTF-8 becomes "?", and so does a name without any byte.
 *
 * Context: any. Format: "Atoms".
 * Return: length of @clean in bytes, at least 1.
 */
unsigned int vtr_fxt_clean_name(char *clean, const char *name)
{
	unsigned int i, len, sequence;

	for (len = 0; len < VTR_FXT_NAME_MAX; len++) {
		clean[len] = READ_ONCE(name[len]);
		if (!clean[len])
			break;
	}
	if (!len)
		clean[len++] = '?';
	clean[len] = '\0';

	for (i = 0; i < len; i += sequence) {
		sequence = utf8_sequence((const u8 *)clean + i, len - i);
		if (!sequence) {
			clean[i] = '?';
			sequence = 1;
		}
	}
	return len;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/fxt_kunit.c"
#endif
