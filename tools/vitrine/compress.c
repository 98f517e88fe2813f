// SPDX-License-Identifier: GPL-2.0
/*
 * Compress the files that are written, and decompress those that are read.
 */
#include <endian.h>
#include <errno.h>
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
	return packing.ctx ? NULL : vtr_error_no_memory();
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
	len = ZSTD_compressCCtx(packing.ctx, packing.bytes, room, bytes,
				len_bytes, LEVEL);
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
 * @pending: a frame has not ended yet
 * @room: size of @bytes
 * @bytes: decompressed bytes
 */
struct unpacker {
	const char *name;
	ZSTD_DStream *stream;
	bool pending;
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

/**
 * unpacker_put() - decompress the next bytes of a file
 * @unpacker: unpacker
 * @bytes: the bytes
 * @len_bytes: length of @bytes in bytes
 * @unpack: receives the decompressed bytes
 * @ctx: passed to @unpack
 *
 * Return: NULL, or an error: EBADMSG if the file is malformed, or that of @unpack.
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
		hint = ZSTD_decompressStream(unpacker->stream, &out, &in);
		if (ZSTD_isError(hint))
			return vitrine_error_create(EBADMSG, unpacker->name,
						    VITRINE_NO_OFFSET, NULL,
						    "cannot decompress: %s",
						    ZSTD_getErrorName(hint));
		unpacker->pending = hint;
		err = unpack(ctx, unpacker->bytes, out.pos);
	}
	return err;
}

/**
 * unpacker_end() - check that a file is complete
 * @unpacker: unpacker, which has got all bytes of the file
 *
 * Return: NULL, or EBADMSG.
 */
struct vitrine_error *unpacker_end(const struct unpacker *unpacker)
{
	if (!unpacker->pending)
		return NULL;
	return vitrine_error_create(EBADMSG, unpacker->name, VITRINE_NO_OFFSET,
				    "`zstd -dc' extracts the part that is there",
				    "the compressed file is truncated");
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

struct vitrine_error *unpacker_end(const struct unpacker *unpacker)
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
