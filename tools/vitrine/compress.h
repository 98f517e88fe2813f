/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Zstandard compression of files, if vitrine was built with libzstd.
 */
#ifndef _VITRINE_COMPRESS_H
#define _VITRINE_COMPRESS_H

#include "vitrine.h"

#define ZSTD_SUFFIX	".zst"

struct unpacker;

typedef struct vitrine_error *(*unpacker_receive)(void *ctx, const void *bytes,
						  size_t len_bytes);

void compress_init(void);
bool compress_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *unpacker_create(const char *name, struct unpacker **ret);
struct vitrine_error *unpacker_put(struct unpacker *unpacker,
				   const void *bytes, size_t len_bytes,
				   unpacker_receive unpack, void *ctx);
struct vitrine_error *unpacker_end(struct unpacker *unpacker);
void unpacker_destroy(struct unpacker *unpacker);

#endif /* _VITRINE_COMPRESS_H */
