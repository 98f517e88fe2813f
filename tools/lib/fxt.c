// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the records of an FXT archive one after the other.
 *
 * A record that cannot be understood is an error of its own: the next call
 * goes on behind it. Where even its size is of no use, the next call goes on
 * at the next magic record, for there a sub-buffer begins that needs nothing
 * of what was before.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "fxt.h"

#define NSEC_PER_SEC	1000000000ULL

static void keep_first_fault(void *ctx, uint64_t offset, const char *message)
{
	struct vitrine_fxt *fxt = ctx;

	if (fxt->fault_message[0])
		return;
	fxt->fault_offset = offset;
	snprintf(fxt->fault_message, sizeof(fxt->fault_message), "%s", message);
}

/**
 * fxt_init() - begin to read
 * @fxt: reader
 * @bytes: an archive; must stay
 * @len_bytes: its length
 * @path: file it came from, or NULL
 *
 * Return: NULL, or an error with code EPROTONOSUPPORT if it is no archive.
 */
struct vitrine_error *fxt_init(struct vitrine_fxt *fxt, const void *bytes,
			       size_t len_bytes, const char *path)
{
	uint64_t magic = 0;

	if (len_bytes >= sizeof(magic))
		memcpy(&magic, bytes, sizeof(magic));
	if (magic != FXT_MAGIC_RECORD && magic != bswap_64(FXT_MAGIC_RECORD))
		return vitrine_error_create(EPROTONOSUPPORT, path, 0, NULL,
					    "not a Fuchsia trace: no magic number record at the start");
	*fxt = (struct vitrine_fxt){
		.decoder.bytes = bytes,
		.decoder.len_bytes = len_bytes,
		.decoder.swap = magic != FXT_MAGIC_RECORD,
		.decoder.fault = keep_first_fault,
		.decoder.ctx = fxt,
	};
	return NULL;
}

/**
 * fxt_deinit() - end reading
 * @fxt: reader
 */
void fxt_deinit(struct vitrine_fxt *fxt)
{
	fxt_providers_deinit(&fxt->providers);
}

/* Offset of the next magic record behind @offset, or the end of the bytes. */
static uint64_t next_magic(const struct fxt_decoder *decoder, uint64_t offset)
{
	for (offset += FXT_WORD_BYTES;
	     offset < decoder->len_bytes &&
	     decoder->len_bytes - offset >= FXT_WORD_BYTES;
	     offset += FXT_WORD_BYTES)
		if (fxt_word(decoder, offset) == FXT_MAGIC_RECORD)
			return offset;
	return decoder->len_bytes;
}

/* Records before any provider is named belong to provider 0. */
static bool turn_to_provider(struct vitrine_fxt *fxt, uint32_t id)
{
	fxt->provider = fxt_providers_get(&fxt->providers, id,
					  &fxt->decoder.stop);
	return fxt->provider;
}

static enum fxt_result follow_provider(struct vitrine_fxt *fxt)
{
	const struct vitrine_fxt_record *record = &fxt->record;

	if (!turn_to_provider(fxt, record->provider))
		return FXT_STOP;
	if (record->kind == VITRINE_FXT_PROVIDER_INFO) {
		fxt_provider_forget(fxt->provider);
		fxt->provider->introduced = true;
		fxt->provider->name = record->provider_info.name;
	}
	return FXT_OK;
}

static void follow_packet(struct vitrine_fxt *fxt)
{
	struct vitrine_packet packet;

	if (fxt_packet_read(&fxt->decoder, &fxt->record, &packet))
		fxt_provider_begin_subbuf(fxt->provider, packet.cpu);
}

/**
 * fxt_next() - read the next record into fxt->record
 * @fxt: reader
 *
 * Return: FXT_OK, FXT_BAD_RECORD, FXT_BAD_FRAME, FXT_END or FXT_STOP. After
 * a bad frame, fxt->offset is where reading goes on.
 */
enum fxt_result fxt_next(struct vitrine_fxt *fxt)
{
	enum fxt_result result;

	if (fxt->offset >= fxt->decoder.len_bytes)
		return FXT_END;
	if (fxt->decoder.stop ||
	    (!fxt->provider && !turn_to_provider(fxt, 0)))
		return FXT_STOP;
	result = fxt_decode(&fxt->decoder, fxt->provider, fxt->offset,
			    &fxt->record);
	if (result == FXT_STOP)
		return FXT_STOP;
	if (result == FXT_BAD_FRAME) {
		fxt->offset = next_magic(&fxt->decoder, fxt->offset);
		return FXT_BAD_FRAME;
	}
	fxt->offset += fxt->record.nr_words * (uint64_t)FXT_WORD_BYTES;
	if (result != FXT_OK)
		return result;

	switch (fxt->record.kind) {
	case VITRINE_FXT_PROVIDER_INFO:
	case VITRINE_FXT_PROVIDER_SECTION:
		return follow_provider(fxt);
	case VITRINE_FXT_BLOB:
		follow_packet(fxt);
		return FXT_OK;
	default:
		return FXT_OK;
	}
}

/**
 * fxt_stop_error() - what made fxt_next() return FXT_STOP
 * @fxt: reader
 * @path: file it reads, or NULL
 *
 * Return: an error, never NULL.
 */
struct vitrine_error *fxt_stop_error(const struct vitrine_fxt *fxt,
				     const char *path)
{
	if (fxt->decoder.stop == ENOMEM)
		return vtr_error_no_memory();
	return vitrine_error_create(fxt->decoder.stop, path, fxt->record.offset,
				    NULL, "more than %u providers",
				    FXT_MAX_PROVIDERS);
}

/**
 * vitrine_fxt_create() - begin to read the records of an archive
 * @bytes: the archive, in either byte order; must stay until the reader and
 *	all records read are out of use
 * @len_bytes: its length
 * @ret: the reader
 *
 * Return: NULL, or an error: EPROTONOSUPPORT if it is not an archive, ENOMEM.
 */
struct vitrine_error *vitrine_fxt_create(const void *bytes, size_t len_bytes,
					 struct vitrine_fxt **ret)
{
	struct vitrine_fxt *fxt = malloc(sizeof(*fxt));
	struct vitrine_error *err;

	if (!fxt)
		return vtr_error_no_memory();
	err = fxt_init(fxt, bytes, len_bytes, NULL);
	if (err) {
		free(fxt);
		return err;
	}
	*ret = fxt;
	return NULL;
}

/**
 * vitrine_fxt_destroy() - end reading
 * @fxt: reader, or NULL
 */
void vitrine_fxt_destroy(struct vitrine_fxt *fxt)
{
	if (!fxt)
		return;
	fxt_deinit(fxt);
	free(fxt);
}

/**
 * vitrine_fxt_next() - read the next record
 * @fxt: reader
 * @ret: the record, valid until the next call; NULL at the end
 *
 * Return: NULL, or an error. After EBADMSG, a malformed record, the next call
 * goes on behind it; any other error stays.
 */
struct vitrine_error *vitrine_fxt_next(struct vitrine_fxt *fxt,
				       const struct vitrine_fxt_record **ret)
{
	enum fxt_result result;

	fxt->fault_message[0] = '\0';
	result = fxt_next(fxt);
	switch (result) {
	case FXT_OK:
		*ret = &fxt->record;
		return NULL;
	case FXT_END:
		*ret = NULL;
		return NULL;
	case FXT_STOP:
		return fxt_stop_error(fxt, NULL);
	default:
		return vitrine_error_create(EBADMSG, NULL, fxt->fault_offset,
					    NULL, "%s", fxt->fault_message);
	}
}

/**
 * vitrine_fxt_ns() - turn ticks into nanoseconds
 * @ticks: a timestamp
 * @ticks_per_second: rate, not 0
 *
 * Return: the time rounded down, UINT64_MAX if it is later than that.
 */
uint64_t vitrine_fxt_ns(uint64_t ticks, uint64_t ticks_per_second)
{
	__uint128_t ns;

	if (ticks_per_second == NSEC_PER_SEC)
		return ticks;
	ns = (__uint128_t)ticks * NSEC_PER_SEC / ticks_per_second;
	return ns > UINT64_MAX ? UINT64_MAX : ns;
}
