// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Print the properties of a tree: a complete reader, to port to other languages. The kernel edits
 * a tree in place and never waits for a reader: copy one generation of its blocks, which
 * <vitrine/inspect.h> draws, and follow indexes in that copy only. Trust none of them.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vitrine/inspect.h>

#define FIELD(word, mask)	(((word) & (mask)) / ((mask) & -(mask)))
#define TYPE_OF(block)		FIELD((block)[0], INSPECT_W0_TYPE)
#define BYTES_OF(block)	((size_t)INSPECT_MIN_BLOCK_BYTES << FIELD((block)[0], INSPECT_W0_ORDER))

static struct { char *bytes; size_t len; } tree;	/* the copy */

static const __u64 *map(int fd, size_t len)
{
	const __u64 *words = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	struct stat file;	/* has a size unless it is in debugfs */

	if (words == MAP_FAILED || fstat(fd, &file) || (file.st_size && (size_t)file.st_size < len))
		errx(1, "cannot map %zu bytes", len);
	return words;
}

/* Copy the tree. Return false if it was edited meanwhile: the generation is odd, or has changed. */
static bool copy(int fd, const __u64 *head)
{
	__u64 generation = __atomic_load_n(&head[1], __ATOMIC_ACQUIRE);
	const __u64 *words;

	if (generation & 1)
		return false;
	tree.len = __atomic_load_n(&head[2], __ATOMIC_RELAXED) & INSPECT_W2_HEADER_SIZE;
	words = map(fd, tree.len);
	tree.bytes = realloc(tree.bytes, tree.len);
	if (!tree.bytes)
		err(1, "%zu bytes", tree.len);
	memcpy(tree.bytes, words, tree.len);
	munmap((void *)words, tree.len);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&head[1], __ATOMIC_RELAXED) == generation;
}

/* Return the words of a block. All of it is in the copy, wherever @index came from. */
static const __u64 *block(__u64 index)
{
	const __u64 *words = (const void *)tree.bytes;

	if (index >= tree.len / INSPECT_MIN_BLOCK_BYTES ||
	    BYTES_OF(words + 2 * index) > tree.len - index * INSPECT_MIN_BLOCK_BYTES)
		errx(1, "damaged at block %llu", index);
	return words + 2 * index;
}

/* Print a text that knows its length, or @left bytes of a chain of extents. Index 0 is no text. */
static void put_text(__u64 index, __u64 left)
{
	const __u64 *words = block(index);
	unsigned int at = INSPECT_EXTENT_PAYLOAD_OFFSET, byte;

	if (TYPE_OF(words) == INSPECT_NAME)
		left = FIELD(words[0], INSPECT_W0_NAME_LENGTH);
	if (TYPE_OF(words) == INSPECT_STRING_REFERENCE) {
		left = FIELD(words[1], INSPECT_W1_STRREF_LENGTH);
		at = INSPECT_STRREF_PAYLOAD_OFFSET;
	}
	for (; index && left && left <= tree.len; left--) {
		if (at == BYTES_OF(words)) {
			words = block(FIELD(words[0], INSPECT_W0_EXTENT_NEXT));
			at = INSPECT_EXTENT_PAYLOAD_OFFSET;
		}
		byte = ((const unsigned char *)words)[at++];
		printf(byte < ' ' || byte > '~' || byte == '\\' ? "\\x%02x" : "%c", byte);
	}
}

/* Print the path of a value. Return false if a node above it was deleted. */
static bool put_path(__u64 index, unsigned int depth)
{
	const __u64 *words = block(index);
	__u64 parent = FIELD(words[0], INSPECT_W0_VALUE_PARENT);

	if (depth == 64 || (depth && TYPE_OF(words) != INSPECT_NODE_VALUE) ||
	    (parent != INSPECT_ROOT && !put_path(parent, depth + 1)))
		return false;
	printf("%s", parent == INSPECT_ROOT ? "" : "/");
	put_text(FIELD(words[0], INSPECT_W0_VALUE_NAME), 0);
	return true;
}

/* Print the value of a property, or each of an array; a histogram begins with floor and step. */
static void put_values(const __u64 *words)
{
	unsigned int type = TYPE_OF(words), count = 1, at = 8, bytes = 8;
	union { __u64 u; double d; } v = { 0 };

	if (type == INSPECT_ARRAY_VALUE) {
		type = FIELD(words[1], INSPECT_W1_ARRAY_TYPE);
		count = FIELD(words[1], INSPECT_W1_ARRAY_COUNT);
		at = INSPECT_ARRAY_PAYLOAD_OFFSET;
		bytes = type == INSPECT_STRING_REFERENCE ? 4 : 8;
	}
	for (; count && at + bytes <= BYTES_OF(words); count--, at += bytes) {
		memcpy(&v, (const char *)words + at, bytes);
		printf("%s", at > INSPECT_ARRAY_PAYLOAD_OFFSET ? ", " : " = ");
		if (type == INSPECT_BUFFER_VALUE)
			put_text(FIELD(v.u, INSPECT_W1_BUFFER_EXTENT),
				 FIELD(v.u, INSPECT_W1_BUFFER_LENGTH));
		else if (type == INSPECT_LINK_VALUE || type == INSPECT_STRING_REFERENCE)
			put_text(v.u & ~INSPECT_W1_LINK_DISPOSITION, 0);
		else if (type == INSPECT_DOUBLE_VALUE)
			printf("%.17g", v.d);
		else
			printf(type == INSPECT_INT_VALUE ? "%lld" : "%llu", v.u);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	int fd = open(argc == 2 ? argv[1] : "", O_RDONLY), tries = 1000;
	const __u64 *head = map(fd, 3 * sizeof(*head));
	__u64 index, type;

	for (; !copy(fd, head); usleep(100))
		if (!--tries)
			errx(1, "edited all the time: read() the file instead");
	if (FIELD(block(0)[0], INSPECT_W0_HEADER_MAGIC) != INSPECT_MAGIC)
		errx(1, "not a tree");
	for (index = 0; index * INSPECT_MIN_BLOCK_BYTES < tree.len;
	     index += BYTES_OF(block(index)) / INSPECT_MIN_BLOCK_BYTES) {
		type = TYPE_OF(block(index));
		if (((type >= INSPECT_INT_VALUE && type <= INSPECT_BUFFER_VALUE) ||
		     (type >= INSPECT_ARRAY_VALUE && type <= INSPECT_BOOL_VALUE)) &&
		    put_path(index, 0))
			put_values(block(index));
	}
	return 0;
}
