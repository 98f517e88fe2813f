// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read an FXT archive record after record, in file order.
 *
 * A malformed record is one error: the next call continues behind it. If even its size
 * is not usable, the next call continues at the next magic record, where a sub-buffer
 * begins that does not depend on the bytes before.
 *
 * A reader is used by one thread at a time.
 */
#include <errno.h>
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
 * @bytes: archive, not copied
 * @len_bytes: its length
 * @path: its file, or NULL
 *
 * Return: NULL, or an error with code EPROTONOSUPPORT if @bytes is not an archive.
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

/* Return the offset of the next magic record behind @offset, or the end. */
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

/* Records before the first provider record belong to provider 0. */
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

/**
 * fxt_next() - read the next record into fxt->record
 * @fxt: reader
 *
 * Return: FXT_OK, FXT_BAD_RECORD, FXT_BAD_FRAME, FXT_END or FXT_STOP. After
 * a bad frame, fxt->offset is where reading continues.
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
		fxt_packet_follow(&fxt->decoder, fxt->provider, &fxt->record);
		return FXT_OK;
	default:
		return FXT_OK;
	}
}

/**
 * fxt_stop_error() - make an error from FXT_STOP
 * @fxt: reader
 * @path: its file, or NULL
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
 * @bytes: the archive, in either byte order; must stay valid as long as the reader
 *	and the records that were read
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
 * continues behind it; any other error is final.
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
 * vitrine_fxt_ns() - convert ticks to nanoseconds
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
