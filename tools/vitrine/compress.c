// SPDX-License-Identifier: GPL-2.0
/*
 * Compress the files that are written, and decompress those that are read.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "compress.h"
#include "error.h"
#include "writer.h"

/* RFC 8878, section 3.1: the magic number of a frame, and of frames to skip. */
#define FRAME_MAGIC		0xfd2fb528U
#define SKIPPABLE_MAGIC		0x184d2a50U
#define SKIPPABLE_MASK		0xfffffff0U

/**
 * compress_detect() - find out whether bytes are compressed
 * @bytes: start of the file
 * @len_bytes: how much of it there is
 *
 * Return: true if a frame begins there.
 */
bool compress_detect(const void *bytes, size_t len_bytes)
{
	uint32_t magic;

	if (len_bytes < sizeof(magic))
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	magic = le32toh(magic);
	return magic == FRAME_MAGIC ||
	       (magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC;
}

#ifdef HAVE_ZSTD

/* The level of the program zstd. */
#define LEVEL		3

/* ---- Compression ------------------------------------------------------- */

static struct {
	ZSTD_CCtx *ctx;
	void *bytes;
	size_t room;
} packing;

static struct vitrine_error *begin(const char *path)
{
	if (!packing.ctx)
		packing.ctx = ZSTD_createCCtx();
	if (!packing.ctx)
		return vtr_error_no_memory();
	/* Without a checksum, damaged bytes may decompress to other records. */
	ZSTD_CCtx_setParameter(packing.ctx, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(packing.ctx, ZSTD_c_compressionLevel, LEVEL);
	return NULL;
}

static struct vitrine_error *pack(const void *bytes, size_t len_bytes,
				  const void **ret_bytes, size_t *ret_len_bytes)
{
	size_t room = ZSTD_compressBound(len_bytes), len;

	if (packing.room < room) {
		free(packing.bytes);
		packing.bytes = malloc(room);
		packing.room = packing.bytes ? room : 0;
	}
	if (!packing.bytes)
		return vtr_error_no_memory();
	len = ZSTD_compress2(packing.ctx, packing.bytes, room, bytes, len_bytes);
	/* The output has enough room, so the error can only be lack of memory. */
	if (ZSTD_isError(len))
		return vtr_error_no_memory();
	*ret_bytes = packing.bytes;
	*ret_len_bytes = len;
	return NULL;
}

/* ---- Decompression ----------------------------------------------------- */

/**
 * struct unpacker - a file being decompressed
 * @name: its name in errors
 * @stream: state of libzstd
 * @offset: offset in the file of the bytes that unpacker_put() gets
 * @frame: offset of the last frame that began
 * @nr_unpacked: bytes that it has become so far
 * @pending: it has not ended yet
 * @lost: it is damaged, and the next one has not been found yet
 * @window: with @lost, the last four bytes, as a little-endian number
 * @damage: offset of the first damaged frame
 * @reason: what is wrong with it, or NULL
 * @nr_damaged: number of compressed bytes in damaged frames
 * @room: size of @bytes
 * @bytes: decompressed bytes
 */
struct unpacker {
	const char *name;
	ZSTD_DStream *stream;
	uint64_t offset;
	uint64_t frame;
	uint64_t nr_unpacked;
	bool pending;
	bool lost;
	uint32_t window;
	uint64_t damage;
	const char *reason;
	uint64_t nr_damaged;
	size_t room;
	unsigned char bytes[];
};

/**
 * unpacker_create() - begin to decompress a file
 * @name: its name in errors; must stay valid
 * @ret: the unpacker
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *unpacker_create(const char *name, struct unpacker **ret)
{
	size_t room = ZSTD_DStreamOutSize();
	struct unpacker *unpacker = malloc(sizeof(*unpacker) + room);

	if (!unpacker)
		return vtr_error_no_memory();
	*unpacker = (struct unpacker){
		.name = name,
		.stream = ZSTD_createDStream(),
		.room = room,
	};
	if (!unpacker->stream) {
		free(unpacker);
		return vtr_error_no_memory();
	}
	*ret = unpacker;
	return NULL;
}

/* Give the current frame up. libzstd has rejected what is at @in->pos or behind it. */
static void lose_frame(struct unpacker *unpacker, ZSTD_inBuffer *in,
		       size_t code)
{
	if (!unpacker->reason) {
		unpacker->reason = ZSTD_getErrorName(code);
		unpacker->damage = unpacker->frame;
	}
	unpacker->lost = true;
	unpacker->pending = false;
	unpacker->window = 0;
	/* Do not find this frame again. */
	if (unpacker->offset + in->pos == unpacker->frame && in->pos < in->size)
		in->pos++;
}

/* Move to the next frame, whose magic number is then with libzstd. */
static bool find_frame(struct unpacker *unpacker, ZSTD_inBuffer *in)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	ZSTD_inBuffer begin = { magic, sizeof(magic), 0 };
	ZSTD_outBuffer none = { NULL, 0, 0 };
	const unsigned char *bytes = in->src;

	while (in->pos < in->size) {
		unpacker->window = unpacker->window >> 8 |
				   (uint32_t)bytes[in->pos++] << 24;
		if (unpacker->window != FRAME_MAGIC)
			continue;
		unpacker->lost = false;
		unpacker->nr_damaged += unpacker->offset + in->pos -
					 sizeof(magic) - unpacker->frame;
		unpacker->frame = unpacker->offset + in->pos - sizeof(magic);
		unpacker->nr_unpacked = 0;
		unpacker->pending = true;
		ZSTD_DCtx_reset(unpacker->stream, ZSTD_reset_session_only);
		ZSTD_decompressStream(unpacker->stream, &none, &begin);
		return true;
	}
	return false;
}

/**
 * unpacker_put() - decompress the next bytes of a file
 * @unpacker: unpacker
 * @bytes: the bytes
 * @len_bytes: length of @bytes in bytes
 * @unpack: receives the decompressed bytes; NULL and the number of the last ones that are to
 *	be dropped, where a frame is damaged
 * @ctx: passed to @unpack
 *
 * A damaged frame is dropped as a whole, since it is not known which of its bytes are right;
 * unpacker_end() reports it.
 *
 * Return: NULL, or the error of @unpack.
 */
struct vitrine_error *unpacker_put(struct unpacker *unpacker,
				   const void *bytes, size_t len_bytes,
				   unpacker_receive unpack, void *ctx)
{
	ZSTD_inBuffer in = { bytes, len_bytes, 0 };
	ZSTD_outBuffer out = { unpacker->bytes, unpacker->room, 0 };
	struct vitrine_error *err = NULL;
	size_t hint;

	/* If the output is full, libzstd may hold more of it, even without further input. */
	while (!err && (in.pos < in.size || out.pos == out.size)) {
		out.pos = 0;
		if (unpacker->lost && !find_frame(unpacker, &in))
			break;
		hint = ZSTD_decompressStream(unpacker->stream, &out, &in);
		if (ZSTD_isError(hint)) {
			out.pos = 0;
			lose_frame(unpacker, &in, hint);
			err = unpack(ctx, NULL, unpacker->nr_unpacked);
			continue;
		}
		err = unpack(ctx, unpacker->bytes, out.pos);
		unpacker->nr_unpacked += out.pos;
		unpacker->pending = hint;
		if (!hint) {
			unpacker->frame = unpacker->offset + in.pos;
			unpacker->nr_unpacked = 0;
		}
	}
	unpacker->offset += len_bytes;
	return err;
}

/**
 * unpacker_end() - check that a file was complete
 * @unpacker: unpacker, which has got all bytes of the file
 *
 * Return: NULL, or EBADMSG, which says what is missing.
 */
struct vitrine_error *unpacker_end(struct unpacker *unpacker)
{
	if (unpacker->lost)
		unpacker->nr_damaged += unpacker->offset - unpacker->frame;
	if (unpacker->reason)
		return vitrine_error_create(EBADMSG, unpacker->name, unpacker->damage, NULL,
			"cannot decompress: %s; %" PRIu64 " of %" PRIu64 " bytes are damaged",
			unpacker->reason, unpacker->nr_damaged, unpacker->offset);
	if (!unpacker->pending)
		return NULL;
	return vitrine_error_create(EBADMSG, unpacker->name, unpacker->offset,
				    NULL,
				    "the compressed file is truncated; what follows is missing");
}

/**
 * unpacker_destroy() - end decompression
 * @unpacker: unpacker, or NULL
 */
void unpacker_destroy(struct unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDStream(unpacker->stream);
	free(unpacker);
}

#else /* HAVE_ZSTD */

static struct vitrine_error *unsupported(const char *path)
{
	return vitrine_error_create(ENOTSUP, path, VITRINE_NO_OFFSET,
				    "install libzstd-dev and build vitrine again, or use the program zstd",
				    "this vitrine was built without libzstd");
}

static struct vitrine_error *begin(const char *path)
{
	return unsupported(path);
}

/* begin() and unpacker_create() fail, so these are never called with a file. */
static struct vitrine_error *pack(const void *bytes, size_t len_bytes,
				  const void **ret_bytes, size_t *ret_len_bytes)
{
	return unsupported(NULL);
}

struct vitrine_error *unpacker_create(const char *name, struct unpacker **ret)
{
	return unsupported(name);
}

struct vitrine_error *unpacker_put(struct unpacker *unpacker,
				   const void *bytes, size_t len_bytes,
				   unpacker_receive unpack, void *ctx)
{
	return unsupported(NULL);
}

struct vitrine_error *unpacker_end(struct unpacker *unpacker)
{
	return NULL;
}

void unpacker_destroy(struct unpacker *unpacker)
{
}

#endif /* HAVE_ZSTD */

/**
 * compress_init() - compress files whose names end in ".zst"
 */
void compress_init(void)
{
	static const struct vtr_packer packer = {
		.suffix = ZSTD_SUFFIX,
		.begin = begin,
		.pack = pack,
	};

	vtr_writer_set_packer(&packer);
}
