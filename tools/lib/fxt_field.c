// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse the fields of an FXT record: words, streams, references, arguments. Keep the tables that
 * references refer to, and read the packet headers of sub-buffers.
 *
 * Each fxt_parse_*() parses one field at the front of the cursor and moves the cursor
 * behind it. If it fails it reports why, and the rest of the record is not usable.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base.h"
#include "fxt_field.h"

static uint64_t stream_bytes(uint64_t len_bytes)
{
	return fxt_stream_words(len_bytes) * FXT_WORD_BYTES;
}

/**
 * fxt_fault() - report a fault of the trace
 * @decoder: decoder, whose fault function is called
 * @offset: offset of the word or byte at fault
 * @format: what is wrong
 */
void __attribute__((cold)) fxt_fault(struct fxt_decoder *decoder,
				     uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vtr_report(decoder->fault, decoder->ctx, offset, format, args);
	va_end(args);
}

/**
 * fxt_too_short() - report that a record ends before a field does
 * @cursor: rest of the record
 * @what: name of the field
 *
 * Return: false.
 */
bool __attribute__((cold)) fxt_too_short(struct fxt_cursor *cursor, const char *what)
{
	fxt_fault(cursor->decoder, cursor->at,
		  "%s does not fit: the record at 0x%" PRIx64 " ends at 0x%" PRIx64,
		  what, cursor->record, cursor->end);
	return false;
}

static void check_stream(struct fxt_cursor *cursor, const char *what,
			 uint64_t len_bytes, bool text)
{
	const unsigned char *bytes = cursor->decoder->bytes + cursor->at;
	unsigned int len;
	uint64_t i;

	for (i = 0; text && i < len_bytes; i += len) {
		len = vtr_utf8_sequence(bytes + i, len_bytes - i);
		if (!len) {
			fxt_fault(cursor->decoder, cursor->at + i,
				  "%s is not UTF-8", what);
			break;
		}
	}
	for (i = len_bytes; i < stream_bytes(len_bytes); i++) {
		if (bytes[i]) {
			fxt_fault(cursor->decoder, cursor->at + i,
				  "padding of %s is not zero", what);
			break;
		}
	}
}

/**
 * fxt_parse_stream() - parse a stream of bytes and its padding
 * @cursor: rest of the record
 * @what: name of the field, for faults
 * @len_bytes: length without padding
 * @text: the stream should be UTF-8
 * @ret: the bytes, in place
 *
 * Return: false if the record ends before the stream does.
 */
bool fxt_parse_stream(struct fxt_cursor *cursor, const char *what,
		      uint64_t len_bytes, bool text,
		      struct vitrine_fxt_string *ret)
{
	/* Compared unpadded first: a length near 2^64 would wrap. */
	if (len_bytes > cursor->end - cursor->at ||
	    stream_bytes(len_bytes) > cursor->end - cursor->at)
		return fxt_too_short(cursor, what);
	if (cursor->decoder->thorough)
		check_stream(cursor, what, len_bytes, text);
	ret->bytes = (const char *)cursor->decoder->bytes + cursor->at;
	ret->len_bytes = len_bytes;
	cursor->at += stream_bytes(len_bytes);
	return true;
}

/**
 * fxt_parse_string() - resolve a string reference
 * @cursor: rest of the record, from which an inline string is parsed
 * @what: name of the field, for faults
 * @ref: the reference
 * @ret: the string, in place
 *
 * Return: false if an inline string does not fit, or the table lacks the index.
 */
bool fxt_parse_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_string *ret)
{
	const struct fxt_string_entry *entry;

	if (!ref) {
		*ret = (struct vitrine_fxt_string){ .bytes = "" };
		return true;
	}
	if (ref & FXT_STRING_REF_INLINE) {
		if (cursor->decoder->thorough &&
		    (ref & FXT_STRING_REF_VALUE) > FXT_MAX_STRING_BYTES)
			fxt_fault(cursor->decoder, cursor->at,
				  "%s is longer than %u bytes", what,
				  FXT_MAX_STRING_BYTES);
		return fxt_parse_stream(cursor, what, ref & FXT_STRING_REF_VALUE,
					true, ret);
	}
	entry = fxt_provider_string(cursor->provider, ref);
	if (!entry) {
		fxt_fault(cursor->decoder, cursor->record,
			  "%s: string %u of provider %u is not registered",
			  what, (unsigned int)ref, cursor->provider->id);
		return false;
	}
	ret->bytes = entry->bytes;
	ret->len_bytes = entry->len_bytes;
	return true;
}

/**
 * fxt_parse_thread() - resolve a thread reference
 * @cursor: rest of the record, from which an inline thread is parsed
 * @what: name of the field, for faults
 * @ref: the reference
 * @ret: the thread
 *
 * Return: false if an inline thread does not fit, or the table lacks the index.
 */
bool fxt_parse_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_thread *ret)
{
	const struct fxt_thread_entry *entry;

	if (!ref)
		return fxt_parse_word(cursor, what, &ret->process) &&
		       fxt_parse_word(cursor, what, &ret->thread);
	entry = fxt_provider_thread(cursor->provider, ref);
	if (!entry) {
		fxt_fault(cursor->decoder, cursor->record,
			  "%s: thread %u of provider %u is not registered",
			  what, (unsigned int)ref, cursor->provider->id);
		return false;
	}
	*ret = entry->thread;
	return true;
}

/* Types of arguments: what they hold, and the bits of the header that hold it; 0: a word does. */
static const struct {
	uint8_t class;
	uint64_t mask;
} arg_types[FXT_HEADER_TYPE + 1] = {
	[FXT_ARG_INT32]		= { FXT_CLASS_SIGNED, FXT_ARG_VALUE32 },
	[FXT_ARG_UINT32]	= { FXT_CLASS_UNSIGNED, FXT_ARG_VALUE32 },
	[FXT_ARG_INT64]		= { FXT_CLASS_SIGNED },
	[FXT_ARG_UINT64]	= { FXT_CLASS_UNSIGNED },
	[FXT_ARG_DOUBLE]	= { FXT_CLASS_REAL },
	[FXT_ARG_STRING_REF]	= { FXT_CLASS_TEXT, FXT_ARG_STRING },
	[FXT_ARG_POINTER]	= { FXT_CLASS_ADDRESS },
	[FXT_ARG_KOID]		= { FXT_CLASS_UNSIGNED },
	[FXT_ARG_BOOL]		= { FXT_CLASS_BOOL, FXT_ARG_BOOLEAN },
};

/**
 * fxt_arg_class() - tell what the value of an argument is
 * @type: type of the argument
 *
 * Return: its class; FXT_CLASS_NONE for FXT_ARG_NULL and for unknown types.
 */
enum fxt_class fxt_arg_class(unsigned int type)
{
	return type <= FXT_HEADER_TYPE ? arg_types[type].class : FXT_CLASS_NONE;
}

/**
 * fxt_arg_mask() - tell where the value of an argument is
 * @type: type of the argument, at most FXT_HEADER_TYPE
 *
 * Return: the bits of the header that hold the value or refer to it; 0: a word of its own does.
 */
uint64_t fxt_arg_mask(unsigned int type)
{
	return arg_types[type].mask;
}

static bool parse_value(struct fxt_cursor *cursor, uint64_t header,
			struct vitrine_fxt_arg *ret)
{
	uint64_t mask = fxt_arg_mask(ret->type);
	enum fxt_class class = fxt_arg_class(ret->type);

	if (class == FXT_CLASS_TEXT)
		return fxt_parse_string(cursor, "argument's value",
					FXT_GET(FXT_ARG_STRING, header), &ret->value.string);
	if (class == FXT_CLASS_BOOL)
		ret->value.boolean = FXT_GET(FXT_ARG_BOOLEAN, header);
	else if (mask && class == FXT_CLASS_SIGNED)
		ret->value.int64 = (int32_t)FXT_GET(FXT_ARG_VALUE32, header);
	else if (mask)
		ret->value.uint64 = FXT_GET(FXT_ARG_VALUE32, header);
	else if (class)
		/* int64_t and double have the same bits at the same place. */
		return fxt_parse_word(cursor, "argument's value", &ret->value.uint64);
	else if (ret->type)
		cursor->at = cursor->end;
	return true;
}

static bool parse_arg(struct fxt_cursor *record, struct vitrine_fxt_arg *ret)
{
	struct fxt_cursor arg = *record;
	uint64_t header = 0, words, reserved;

	if (!fxt_parse_word(&arg, "argument", &header))
		return false;
	words = FXT_GET(FXT_HEADER_WORDS, header);
	if (!words) {
		fxt_fault(record->decoder, record->at, "argument size is 0 words");
		return false;
	}
	if (words > (record->end - record->at) / FXT_WORD_BYTES)
		return fxt_too_short(record, "argument");
	arg.end = record->at + words * FXT_WORD_BYTES;
	ret->type = FXT_GET(FXT_HEADER_TYPE, header);
	reserved = header & FXT_ARG_VALUE32 & ~fxt_arg_mask(ret->type);
	if (record->decoder->thorough && ret->type <= FXT_ARG_BOOL && reserved)
		fxt_fault(record->decoder, record->at,
			  "reserved bits 0x%" PRIx64 " of an argument are set", reserved);
	if (!fxt_parse_string(&arg, "argument's name",
			      FXT_GET(FXT_ARG_NAME, header), &ret->name) ||
	    !parse_value(&arg, header, ret))
		return false;
	if (record->decoder->thorough && arg.at != arg.end)
		fxt_fault(record->decoder, arg.at,
			  "argument of %u words has %u left over",
			  (unsigned int)words,
			  (unsigned int)(arg.end - arg.at) / FXT_WORD_BYTES);
	record->at = arg.end;
	return true;
}

/**
 * fxt_parse_args() - parse the arguments of a record
 * @cursor: rest of the record
 * @nr_args: number of arguments, at most FXT_MAX_ARGS
 * @ret: record whose arguments are set
 *
 * Return: false if an argument is malformed.
 */
bool fxt_parse_args(struct fxt_cursor *cursor, unsigned int nr_args,
		    struct vitrine_fxt_record *ret)
{
	unsigned int i;

	for (i = 0; i < nr_args; i++)
		if (!parse_arg(cursor, &ret->args[i]))
			return false;
	ret->nr_args = nr_args;
	return true;
}

/*
 * Providers with their string and thread tables. The file decides how many providers there are
 * and what they register: a table is allocated with its first entry, and the number of providers
 * is limited.
 */

static void tables_free(struct fxt_provider *provider)
{
	unsigned int i;

	for (i = 0; provider->strings && i < FXT_NR_STRINGS / FXT_STRING_CHUNK;
	     i++)
		free(provider->strings[i]);
	free(provider->strings);
	free(provider->threads);
	provider->strings = NULL;
	provider->threads = NULL;
}

/**
 * fxt_provider_forget() - empty the tables of a provider
 * @provider: provider that is introduced again
 */
void fxt_provider_forget(struct fxt_provider *provider)
{
	if (!++provider->epoch) {
		tables_free(provider);
		provider->epoch = 1;
	}
}

/**
 * fxt_provider_begin_subbuf() - begin a sub-buffer of vitrine's
 * @provider: provider of the sub-buffer
 * @cpu: CPU that wrote it, or VITRINE_FXT_NO_CPU
 */
void fxt_provider_begin_subbuf(struct fxt_provider *provider, uint32_t cpu)
{
	provider->cpu = cpu;
	provider->running_known = false;
}

/**
 * fxt_provider_restart() - reset a provider to its state before the first record
 * @provider: provider whose records are read again
 */
void fxt_provider_restart(struct fxt_provider *provider)
{
	fxt_provider_forget(provider);
	fxt_provider_begin_subbuf(provider, VITRINE_FXT_NO_CPU);
	provider->ticks = 0;
	provider->ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
}

/**
 * fxt_provider_set_string() - register a string
 * @provider: provider that registers it
 * @index: 1 to FXT_NR_STRINGS - 1
 * @string: its value, whose bytes are not copied
 *
 * Return: false if there is no memory.
 */
bool fxt_provider_set_string(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_string *string)
{
	struct fxt_string_entry **chunk;

	if (!provider->strings) {
		provider->strings = calloc(FXT_NR_STRINGS / FXT_STRING_CHUNK,
					   sizeof(*provider->strings));
		if (!provider->strings)
			return false;
	}
	chunk = &provider->strings[index / FXT_STRING_CHUNK];
	if (!*chunk) {
		*chunk = calloc(FXT_STRING_CHUNK, sizeof(**chunk));
		if (!*chunk)
			return false;
	}
	(*chunk)[index % FXT_STRING_CHUNK] = (struct fxt_string_entry){
		.bytes = string->bytes,
		.len_bytes = string->len_bytes,
		.epoch = provider->epoch,
	};
	return true;
}

/**
 * fxt_provider_set_thread() - register a thread
 * @provider: provider that registers it
 * @index: 1 to FXT_NR_THREADS - 1
 * @thread: its koids
 *
 * Return: false if there is no memory.
 */
bool fxt_provider_set_thread(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_thread *thread)
{
	if (!provider->threads) {
		provider->threads = calloc(FXT_NR_THREADS,
					   sizeof(*provider->threads));
		if (!provider->threads)
			return false;
	}
	provider->threads[index] = (struct fxt_thread_entry){
		.thread = *thread,
		.epoch = provider->epoch,
	};
	return true;
}

/**
 * fxt_providers_get() - look up a provider, and create it if there is none
 * @providers: the providers
 * @id: provider id
 * @stop: errno value, written on failure only
 *
 * Return: the provider, or NULL without memory (ENOMEM) or if there are
 * FXT_MAX_PROVIDERS others (E2BIG).
 */
struct fxt_provider *fxt_providers_get(struct fxt_providers *providers,
				       uint32_t id, int *stop)
{
	const struct fxt_name *known = fxt_names_find(&providers->by_id, id);
	struct fxt_provider *provider;

	if (known)
		return known->owner;
	if (providers->by_id.nr == FXT_MAX_PROVIDERS) {
		*stop = E2BIG;
		return NULL;
	}
	provider = fxt_names_owned(&providers->by_id, id, sizeof(*provider));
	if (!provider) {
		*stop = ENOMEM;
		return NULL;
	}
	provider->id = id;
	fxt_provider_restart(provider);
	return provider;
}

static void provider_deinit(void *owner)
{
	struct fxt_provider *provider = owner;

	tables_free(provider);
	free(provider->owner);
}

/**
 * fxt_providers_deinit() - free all providers
 * @providers: the providers
 */
void fxt_providers_deinit(struct fxt_providers *providers)
{
	fxt_names_free_owned(&providers->by_id, provider_deinit);
}

/*
 * Packet headers of sub-buffers. A sub-buffer of vitrine begins with a BLOB of type DATA named
 * "vitrine", whose payload is struct vitrine_packet in the byte order of the writer.
 */

static void swap_words(__u64 *words, unsigned int nr)
{
	for (; nr; nr--, words++)
		*words = bswap_64(*words);
}

/* In the header, all words of 64 bits precede those of 32 bits. */
static void swap_packet(struct vitrine_packet *packet)
{
	__u32 *half;

	swap_words(&packet->magic, offsetof(struct vitrine_packet, cpu) / sizeof(__u64));
	for (half = &packet->cpu; half < (__u32 *)(packet + 1); half++)
		*half = bswap_32(*half);
}

/**
 * fxt_packet_read() - read the packet header in a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the header, in our byte order
 *
 * Return: false if the record is not a packet header; @ret is unchanged then.
 */
bool fxt_packet_read(const struct fxt_decoder *decoder,
		     const struct vitrine_fxt_record *record,
		     struct vitrine_packet *ret)
{
	struct vitrine_packet packet;

	if (record->kind != VITRINE_FXT_BLOB ||
	    record->blob.type != FXT_BLOB_TYPE_DATA ||
	    record->blob.payload.len_bytes < sizeof(packet) ||
	    !fxt_string_is(&record->blob.name, VITRINE_PROVIDER_NAME))
		return false;
	memcpy(&packet, record->blob.payload.bytes, sizeof(packet));
	if (decoder->swap)
		swap_packet(&packet);
	/* A CPU that no record can name would be another one: the header is damaged. */
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.cpu >= FXT_MAX_CPUS)
		return false;
	*ret = packet;
	return true;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/**
 * fxt_packet_loss() - count what is missing between two sub-buffers
 * @before: packet header of the first
 * @nr_timed: records with a timestamp in the first
 * @after: packet header of the second, of the same CPU and session
 *
 * Return: the loss; a count is 0 if the headers contradict each other.
 */
struct fxt_loss fxt_packet_loss(const struct vitrine_packet *before,
				uint64_t nr_timed,
				const struct vitrine_packet *after)
{
	return (struct fxt_loss){
		.nr_missing = above(after->records_before,
				    before->records_before + nr_timed),
		.nr_unwritten = above(after->lost_records, before->lost_records),
		.nr_bytes = above(after->bytes_before,
				  before->bytes_before + before->committed_bytes),
		.nr_subbufs = above(after->sequence, before->sequence + 1),
	};
}

/**
 * fxt_clock_pair_read() - read the clock pair in a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the clock pair, in our byte order
 *
 * Return: false if the record is not a clock pair.
 */
bool fxt_clock_pair_read(const struct fxt_decoder *decoder,
			 const struct vitrine_fxt_record *record,
			 struct vitrine_clock_pair *ret)
{
	if (record->kind != VITRINE_FXT_BLOB ||
	    record->blob.type != FXT_BLOB_TYPE_DATA ||
	    record->blob.payload.len_bytes != sizeof(*ret) ||
	    !fxt_string_is(&record->blob.name, VITRINE_CLOCK_BLOB_NAME))
		return false;
	memcpy(ret, record->blob.payload.bytes, sizeof(*ret));
	if (decoder->swap)
		swap_words(&ret->ticks, sizeof(*ret) / sizeof(__u64));
	return true;
}
