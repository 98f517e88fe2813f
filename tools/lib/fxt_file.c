// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read an FXT archive record after record, in file order, and look at a sub-buffer without
 * decoding it.
 *
 * A regular file is mapped; it must not shrink while it is open. A file without a size
 * (a pipe, a file of debugfs) is read to its end.
 *
 * A malformed record is one error: the next call continues behind it. If even its size
 * is not usable, the next call continues at the next magic record, where a sub-buffer
 * begins that does not depend on the bytes before.
 *
 * A reader is used by one thread at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "base.h"
#include "fxt_field.h"
#include "fxt_file.h"

#define READ_BYTES	(1U << 20)

/*
 * The most that one page fault maps: a folio of the page cache, which may be as large as
 * the range of one page table.
 */
#define FAULT_AROUND_BYTES	(2U << 20)

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct scan - position in a sub-buffer
 * @record: the current record
 * @nr_words: its length
 * @header: its first word
 * @end: end of the sub-buffer
 */
struct scan {
	const unsigned char *record;
	uint64_t nr_words;
	uint64_t header;
	const unsigned char *end;
};

/* Words of a wakeup as the module writes it, and of the argument that is added. */
#define WAKEUP_WORDS	3
#define WAKER_WORDS	2

/* Index of the string "waker": the last one, because the module uses the first ones. */
#define WAKER_STRING	(FXT_NR_STRINGS - 1)

/* ---- The bytes --------------------------------------------------------- */

static struct vitrine_error *read_all(int fd, const char *path, struct fxt_file *ret)
{
	size_t room = 0;
	ssize_t len;

	do {
		if (!GROW_BYTES(ret->bytes, room, ret->len_bytes + READ_BYTES))
			return vtr_error_no_memory();
		len = vtr_read_full(fd, ret->bytes + ret->len_bytes, READ_BYTES);
		if (len < 0)
			return vtr_error_os(errno, path, "cannot read");
		ret->len_bytes += len;
	} while (len == READ_BYTES);
	return NULL;
}

static struct vitrine_error *load(int fd, const char *path,
				  struct fxt_file *ret)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return vtr_error_os(errno, path, "cannot read");
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return read_all(fd, path, ret);
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return read_all(fd, path, ret);
	/* A merge reads at several places, each of which moves forwards. */
	madvise(bytes, status.st_size, MADV_SEQUENTIAL);
	ret->bytes = bytes;
	ret->len_bytes = status.st_size;
	ret->mapped = true;
	return NULL;
}

/**
 * fxt_file_close() - unmap or free the bytes of a file
 * @file: file; all zero if it was never opened
 */
void fxt_file_close(struct fxt_file *file)
{
	if (!file->borrowed && file->mapped)
		munmap(file->bytes, file->len_bytes);
	else if (!file->borrowed)
		free(file->bytes);
	*file = (struct fxt_file){ 0 };
}

/**
 * fxt_file_open() - open a file and map or read its bytes
 * @path: the file
 * @ret: its bytes
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *fxt_file_open(const char *path, struct fxt_file *ret)
{
	struct vitrine_error *err;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, path);
	*ret = (struct fxt_file){ 0 };
	err = load(fd, path, ret);
	close(fd);
	if (err)
		fxt_file_close(ret);
	return err;
}

/**
 * fxt_file_release() - release the memory of bytes that were read
 * @file: the file
 * @begin: first byte
 * @end: byte behind the last
 *
 * The bytes stay readable: the next access maps them again. The whole fault-around
 * window of each byte is released, since a page fault maps that much.
 */
void fxt_file_release(const struct fxt_file *file, uint64_t begin,
		      uint64_t end)
{
	if (!file->mapped)
		return;
	begin &= ~(uint64_t)(FAULT_AROUND_BYTES - 1);
	end = (end + FAULT_AROUND_BYTES - 1) & ~(uint64_t)(FAULT_AROUND_BYTES - 1);
	if (end > file->len_bytes)
		end = file->len_bytes;
	madvise(file->bytes + begin, end - begin, MADV_DONTNEED);
}

/* ---- Record after record ----------------------------------------------- */

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
	if (result == FXT_OK && (fxt->record.kind == VITRINE_FXT_PROVIDER_INFO ||
				 fxt->record.kind == VITRINE_FXT_PROVIDER_SECTION))
		return follow_provider(fxt);
	return result;
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

/* ---- Sub-buffers, undecoded -------------------------------------------- */

/*
 * The reader of a ring needs the number of records in each sub-buffer, which the packet
 * header does not hold, and must not spend the time of decoding on it.
 */

/* Move to the next record. Return false at the end, or if its size is not usable. */
static bool scan_next(struct scan *scan)
{
	scan->record += scan->nr_words * FXT_WORD_BYTES;
	if (scan->end - scan->record < FXT_WORD_BYTES)
		return false;
	memcpy(&scan->header, scan->record, sizeof(scan->header));
	scan->nr_words = fxt_header_words(scan->header);
	return scan->nr_words && scan->nr_words <=
	       (uint64_t)(scan->end - scan->record) / FXT_WORD_BYTES;
}

static bool is_timed(uint64_t header)
{
	switch (FXT_GET(FXT_HEADER_TYPE, header)) {
	case FXT_RECORD_EVENT:
	case FXT_RECORD_SCHEDULING:
	case FXT_RECORD_LOG:
		return true;
	case FXT_RECORD_LARGE:
		return !(header & (FXT_LARGE_TYPE | FXT_LARGE_BLOB_FORMAT));
	default:
		return false;
	}
}

static bool is_switch(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING &&
	       FXT_GET(FXT_SCHEDULING_SUBTYPE, header) <=
	       FXT_SCHEDULING_CONTEXT_SWITCH;
}

static bool is_wakeup(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING &&
	       FXT_GET(FXT_SCHEDULING_SUBTYPE, header) ==
	       FXT_SCHEDULING_THREAD_WAKEUP;
}

/**
 * fxt_scan_counts() - count the records of a sub-buffer
 * @bytes: sub-buffer in our byte order
 * @len_bytes: its length
 * @ret: the counts, up to the first record whose size is not usable
 */
void fxt_scan_counts(const void *bytes, size_t len_bytes,
		     struct fxt_counts *ret)
{
	const unsigned char *begin = bytes;
	struct scan scan = { .record = begin, .end = begin + len_bytes };
	struct fxt_counts counts = { 0 };

	while (scan_next(&scan)) {
		counts.timed += is_timed(scan.header);
		counts.switches += is_switch(scan.header);
		counts.wakeups += is_wakeup(scan.header);
	}
	*ret = counts;
}

/**
 * fxt_scan_row_ends() - find the threads that ran at both ends of a sub-buffer
 * @bytes: sub-buffer in our byte order
 * @len_bytes: its length
 * @ret_first: outgoing thread of the first switch
 * @ret_last: incoming thread of the last switch
 *
 * Return: false if the sub-buffer holds no switch.
 */
bool fxt_scan_row_ends(const void *bytes, size_t len_bytes,
		       struct vitrine_fxt_thread *ret_first,
		       struct vitrine_fxt_thread *ret_last)
{
	struct vitrine_fxt fxt = {
		.decoder.bytes = bytes,
		.decoder.len_bytes = len_bytes,
	};
	enum fxt_result result;
	bool found = false;

	while ((result = fxt_next(&fxt)) < FXT_BAD_FRAME) {
		if (result != FXT_OK || fxt.record.kind != VITRINE_FXT_SWITCH)
			continue;
		*ret_last = fxt.record.context_switch.incoming;
		if (!found)
			*ret_first = fxt.record.context_switch.outgoing;
		found = true;
	}
	fxt_deinit(&fxt);
	return found;
}

/* ---- Wakers ------------------------------------------------------------ */

static unsigned int intern_waker(void *ctx, const struct vitrine_fxt_string *string)
{
	return WAKER_STRING;
}

static void put_bytes(struct fxt_encoder *to, const unsigned char *bytes, size_t len_bytes)
{
	memcpy(&to->words[to->nr], bytes, len_bytes);
	to->nr += len_bytes / FXT_WORD_BYTES;
}

/* Copy a sub-buffer to @to, and write to each wakeup the waker of the decoder. */
static void copy_with_wakers(const unsigned char *bytes, size_t len_bytes, struct fxt_encoder *to)
{
	struct vitrine_fxt fxt = {
		.decoder.bytes = bytes,
		.decoder.len_bytes = len_bytes,
	};
	const struct vitrine_fxt_record *record = &fxt.record;
	enum fxt_result result;
	uint64_t from = 0;

	while ((result = fxt_next(&fxt)) < FXT_BAD_FRAME) {
		if (result != FXT_OK || record->kind != VITRINE_FXT_WAKEUP ||
		    record->nr_words != WAKEUP_WORDS || !record->nr_args)
			continue;
		put_bytes(to, bytes + from, record->offset - from);
		if (!to->intern)
			fxt_encode_string(to, WAKER_STRING, &record->args[0].name);
		to->intern = intern_waker;
		fxt_encode(to, record);
		from = fxt.offset;
	}
	fxt_deinit(&fxt);
	put_bytes(to, bytes + from, len_bytes - from);
}

/* Make the packet header agree with what was added to this sub-buffer and those before. */
static void mend_packet(struct fxt_wakers *wakers, struct vitrine_packet *packet,
			uint64_t len_bytes)
{
	if (packet->session != wakers->session || packet->cpu != wakers->cpu)
		wakers->nr_bytes = 0;
	wakers->session = packet->session;
	wakers->cpu = packet->cpu;
	packet->bytes_before += wakers->nr_bytes;
	wakers->nr_bytes += len_bytes - packet->committed_bytes;
	packet->committed_bytes = len_bytes;
	if (packet->subbuf_bytes < len_bytes)
		packet->subbuf_bytes = len_bytes;
}

/**
 * fxt_wakers_name() - add the argument "waker" to the wakeups of a sub-buffer
 * @wakers: what was added to the sub-buffers before; all zero at first
 * @bytes: sub-buffer in our byte order, whose packet header is valid; then the same with
 *	wakers, valid until the next call
 * @len_bytes: its length, a multiple of 8
 *
 * The module does not write the waker, which is the thread that runs on the CPU. Our reader
 * derives it; those of others take the argument, or else the woken thread itself.
 *
 * Return: NULL, or ENOMEM.
 */
struct vitrine_error *fxt_wakers_name(struct fxt_wakers *wakers, const void **bytes,
				      size_t *len_bytes)
{
	struct fxt_encoder to = { .inline_threads = true };
	struct vitrine_packet packet;
	struct fxt_counts counts;

	fxt_scan_counts(*bytes, *len_bytes, &counts);
	if (!GROW_BYTES(wakers->words, wakers->size,
			*len_bytes + (2 + counts.wakeups * WAKER_WORDS) * FXT_WORD_BYTES))
		return vtr_error_no_memory();
	to.words = wakers->words;
	to.size = wakers->size / FXT_WORD_BYTES;
	memcpy(&packet, (const char *)*bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	copy_with_wakers(*bytes, *len_bytes, &to);
	*len_bytes = to.nr * FXT_WORD_BYTES;
	mend_packet(wakers, &packet, *len_bytes);
	memcpy((char *)wakers->words + VITRINE_PACKET_OFFSET, &packet, sizeof(packet));
	*bytes = wakers->words;
	return NULL;
}

/**
 * fxt_wakers_deinit() - free the last result
 * @wakers: the state
 */
void fxt_wakers_deinit(struct fxt_wakers *wakers)
{
	free(wakers->words);
}
