/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publish kernel state as a tree that user space can map and read.
 *
 *	static struct vitrine_tree *tree;
 *	static struct vitrine_uint *resets;
 *
 *	tree = vitrine_tree_create("mydriver", 0);
 *	resets = vitrine_uint_create(vitrine_tree_root(tree), "resets", 0);
 *	...
 *	vitrine_uint_add(resets, 1);
 *	...
 *	vitrine_tree_destroy(tree);
 *	...
 *	VITRINE_IMPORT;
 *
 * User space reads the tree in /sys/kernel/debug/vitrine/inspect/mydriver.inspect.
 *
 * Errors: as with debugfs, a publisher needs no error handling. A function that fails to create
 * something returns NULL, and every function accepts NULL. A failed call leaves the tree unchanged
 * and is counted; the tree "vitrine" shows the number of failed calls of each tree.
 *
 * Context: functions that create or destroy a tree, a lazy tree or a per-CPU value may sleep. All
 * other functions can be called from any context and with any lock held. In NMI context a call on
 * a tree that is being edited is dropped and counted as failed. With preemption disabled, a call
 * allocates nothing: it uses a reserve, which is refilled as soon as interrupts are on. That is
 * 2 KiB, and two pages in a tree that has used as much. A publisher that creates more at once calls
 * vitrine_tree_reserve() before. On PREEMPT_RT, a caller that holds a lock of the page allocator
 * itself must disable preemption, too.
 *
 * Locking: each call is one write section of the tree, with interrupts off; calls on one tree are
 * serialised internally. As with any pointer, the caller must not use a handle after deleting the
 * value or the tree. A node may be deleted before the values below it: readers no longer see these
 * values, and each of their handles can still be updated and deleted.
 *
 * A handle is the address of the value's block, with a type, and takes no memory of its own. Never
 * dereference a handle. Text is copied, and must be UTF-8; see vitrine_text_clean(). Two children
 * of a node may have the same name.
 *
 * Format: Documentation/inspect.rst, "Blocks the module writes", lists the block that each value
 * becomes. A paragraph "Format" below names the section of Fuchsia's "Inspect VMO file format"
 * that defines that block. Each section below describes the functions of a family; functions
 * without a description are for the inline functions and macros.
 */
#ifndef _VITRINE_INSPECT_H
#define _VITRINE_INSPECT_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include <uapi/vitrine/inspect.h>
#include <vitrine/double.h>
#include <vitrine/import.h>

/* Longest name of a tree, node or property in bytes, without the final NUL. */
#define VITRINE_TREE_NAME_MAX	63
#define VITRINE_NAME_MAX	255
/* Longest string or byte-vector value in bytes. */
#define VITRINE_VALUE_MAX	(64U << 10)

struct vitrine_tree;
struct vitrine_lazy;
struct vitrine_node;
struct vitrine_list;
struct vitrine_int_histogram;
struct vitrine_uint_histogram;
struct vitrine_double_histogram;
struct vitrine_string_array;
struct vitrine_health;
struct vitrine_percpu_histogram;
struct device;
struct module;

/**
 * DOC: Trees
 *
 * A tree is one Inspect file, <name>.inspect. It starts with one page and grows as values are
 * created. All functions but the last two may sleep. Format: "HEADER".
 *
 * ``vitrine_tree_create(const char *name, size_t limit_bytes)``
 *	returns a new tree, or NULL. The name has at most VITRINE_TREE_NAME_MAX bytes, no slashes
 *	and no control characters; it is copied. If another tree uses it, the new one gets its
 *	file when that one is destroyed. The limit is rounded up to pages, at most 256 MiB; 0 is
 *	256 KiB. Such a name, or a refused one or limit, is logged, and counted in the tree
 *	"vitrine". A tree that is left when the exit function of the
 *	calling module has run, or its init function has failed, is destroyed and logged.
 *
 * ``vitrine_module_tree_create(const char *name, size_t limit_bytes)``
 *	returns a new tree that need not be destroyed: it is left to the end of the module.
 *
 * ``devm_vitrine_tree_create(struct device *dev, const char *name, size_t limit_bytes)``
 *	returns a new tree that is destroyed, instead of by the caller, when the driver of the
 *	device is unbound or fails to bind. The device is bound or being bound.
 *
 * ``vitrine_tree_destroy(struct vitrine_tree *tree)``
 *	removes a tree, its file and its handles. Open or mapped files keep its last contents.
 *
 * ``vitrine_tree_retain(struct vitrine_tree *tree)``
 *	destroys a tree, but keeps its last contents readable: inspect.rst, "Retained trees".
 *
 * ``vitrine_tree_show_stats(struct vitrine_tree *tree)``
 *	creates the node "fuchsia.inspect.Stats" below the root, with size and usage of the tree
 *	at the time of reading. The caller serialises calls; a second one has no effect.
 *
 * ``vitrine_tree_may_sleep(struct vitrine_node *node)``
 *	lets calls on the tree of this node wait for memory, for a publisher that makes all of
 *	them in task context, such as the fill() of a lazy tree. By default they fail instead.
 *	It is called before the first call that allocates.
 *
 * ``vitrine_tree_reserve(struct vitrine_node *node, size_t len_bytes)``
 *	reserves room, in blocks of at most a page, in the tree of this node. Returns true if
 *	there is room for all of the values that are created next; a failure is counted. The
 *	caller serialises calls on the tree.
 *
 * ``vitrine_tree_root(struct vitrine_tree *tree)``
 *	returns the root node, which cannot be deleted.
 *
 * ``vitrine_tree_nr_failed(struct vitrine_node *node)``
 *	returns the number of creations and updates that failed in the tree of this node.
 */
#define vitrine_tree_create(name, limit_bytes)				\
	vitrine_tree_create_for(THIS_MODULE, name, limit_bytes, false)
#define vitrine_module_tree_create(name, limit_bytes)			\
	vitrine_tree_create_for(THIS_MODULE, name, limit_bytes, true)
struct vitrine_tree *devm_vitrine_tree_create(struct device *dev, const char *name,
					      size_t limit_bytes);

/**
 * DOC: Text
 *
 * ``vitrine_text_clean(char *text, size_t len_bytes)``
 *	replaces each byte that belongs to no valid UTF-8 sequence by "?", and each NUL, too,
 *	which many readers take for the end. Nobody else may change the text meanwhile.
 *	Format: "STRING_REFERENCE"; of the Fuchsia trace format, "Atoms".
 */

/**
 * DOC: Lazy trees
 *
 * A lazy tree takes no memory for values until its file is opened: inspect.rst, "Lazy trees".
 *
 * ``vitrine_lazy_create(name, limit_bytes, timeout_ms, fill, ctx)``
 *	returns a lazy tree, or NULL, as vitrine_tree_create() does. Each open() calls fill(), one
 *	call at a time, for a tree of its own, which is frozen when fill() returns. open() fails
 *	after the timeout, 0 for 1000 ms, or if fill() returns a negative errno. fill() may
 *	sleep. It must not create per-CPU values or lists, nor destroy the lazy tree. What it
 *	allocates with __GFP_ACCOUNT is charged to the memory cgroup of the opener.
 *
 * ``vitrine_lazy_destroy(struct vitrine_lazy *lazy)``
 *	removes a lazy tree and its file, and waits for a fill() that is running. It must not be
 *	called from fill(), nor with a lock held that fill() takes. Lazy trees that a module has
 *	left are destroyed and logged, as trees are.
 */

/**
 * DOC: Batches
 *
 * Readers see all edits of a batch at once, or none. During a batch the caller holds the lock
 * of the tree with interrupts off: it must not sleep, and should be short. Batches of one tree
 * nest; those of several trees are always begun in the same order. As no memory is allocated,
 * creations are limited to the reserve and to what vitrine_tree_reserve() has added. In NMI, a
 * batch has no effect.
 *
 * ``vitrine_batch_begin(struct vitrine_tree *tree)``
 *	begins a batch and returns flags for its end.
 *
 * ``vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags)``
 *	ends a batch.
 */

/* A value to create, which the inline functions below fill in. */
struct vitrine_value {
	u8		type;		/* of its block */
	u8		slot_type;	/* type of the slots of an array or histogram */
	u8		format;		/* format of a buffer or array, disposition of a link */
	bool		is_list;
	bool		is_recorded;	/* deleted with its node, without a handle */
	const char	*name;		/* of a value of vitrine_list_record() */
	unsigned int	count;		/* slots, buckets, or capacity of a list */
	union {
		u64	bits;		/* a number */
		struct {
			const void	*bytes;	/* also the name of a linked tree; copied */
			size_t		len_bytes;
		};
		u64	parameters[3];	/* floor, step and multiplier */
	};
};

/*
 * All functions, which the sections describe: type, name after "vitrine_", parameters and
 * arguments. <vitrine/publisher.h> makes each a static call, for drivers that work without
 * vitrine.
 */
#define VITRINE_FUNCTIONS(X)						\
	X(struct vitrine_tree *, tree_create_for,			\
	  (struct module *owner, const char *name, size_t limit_bytes, bool managed), \
	  (owner, name, limit_bytes, managed))				\
	X(void, tree_destroy, (struct vitrine_tree *tree), (tree))	\
	X(void, tree_retain, (struct vitrine_tree *tree), (tree))	\
	X(struct vitrine_node *, tree_root, (struct vitrine_tree *tree), (tree)) \
	X(void, tree_show_stats, (struct vitrine_tree *tree), (tree))	\
	X(void, tree_may_sleep, (struct vitrine_node *node), (node))	\
	X(bool, tree_reserve, (struct vitrine_node *node, size_t len_bytes), (node, len_bytes)) \
	X(unsigned long, tree_nr_failed, (struct vitrine_node *node), (node)) \
	X(void, text_clean, (char *text, size_t len_bytes), (text, len_bytes)) \
	X(struct vitrine_lazy *, lazy_create,				\
	  (const char *name, size_t limit_bytes, unsigned int timeout_ms, \
	   int (*fill)(struct vitrine_node *root, void *ctx), void *ctx), \
	  (name, limit_bytes, timeout_ms, fill, ctx))			\
	X(void, lazy_destroy, (struct vitrine_lazy *lazy), (lazy))	\
	X(unsigned long, batch_begin, (struct vitrine_tree *tree), (tree)) \
	X(void, batch_end, (struct vitrine_tree *tree, unsigned long flags), (tree, flags)) \
	X(void *, value_create,						\
	  (struct vitrine_node *parent, const char *name, const struct vitrine_value *value), \
	  (parent, name, value))					\
	X(void, value_delete, (void *handle), (handle))			\
	X(void, node_adopt,						\
	  (struct vitrine_node *parent, struct vitrine_node *child), (parent, child)) \
	X(struct vitrine_node *, list_append_values,			\
	  (struct vitrine_list *list, const struct vitrine_value *values, unsigned int nr_values), \
	  (list, values, nr_values))					\
	X(void, number_set, (void *number, u8 type, u64 bits), (number, type, bits)) \
	X(void, number_add, (void *number, u8 type, u64 delta), (number, type, delta)) \
	X(struct vitrine_f64, double_from_ratio, (s64 numerator, u64 denominator), \
	  (numerator, denominator))					\
	X(void, slot_set,						\
	  (void *array, u8 type, unsigned int slot, u64 bits), (array, type, slot, bits)) \
	X(void, slot_add,						\
	  (void *array, u8 type, unsigned int slot, u64 delta), (array, type, slot, delta)) \
	X(void, int_histogram_insert_many,				\
	  (struct vitrine_int_histogram *histogram, s64 value, u64 count), \
	  (histogram, value, count))					\
	X(void, uint_histogram_insert_many,				\
	  (struct vitrine_uint_histogram *histogram, u64 value, u64 count), \
	  (histogram, value, count))					\
	X(void, double_histogram_set,					\
	  (struct vitrine_double_histogram *histogram, unsigned int bucket,	\
	   struct vitrine_f64 count),					\
	  (histogram, bucket, count))					\
	X(void, string_array_set,					\
	  (struct vitrine_string_array *array, unsigned int slot, const char *value), \
	  (array, slot, value))						\
	X(void, buffer_set,						\
	  (void *buffer, const void *bytes, size_t len_bytes), (buffer, bytes, len_bytes)) \
	X(void, health_init,						\
	  (struct vitrine_health *health, struct vitrine_node *parent), (health, parent)) \
	X(void, health_set,						\
	  (struct vitrine_health *health, const char *status, const char *message), \
	  (health, status, message))					\
	X(void *, percpu_create,					\
	  (struct vitrine_node *parent, const char *name, const struct vitrine_value *value), \
	  (parent, name, value))					\
	X(void, percpu_destroy, (void *handle), (handle))		\
	X(void, percpu_histogram_insert,				\
	  (struct vitrine_percpu_histogram *histogram, u64 value), (histogram, value))

#ifndef VITRINE_FUNCTION
#define VITRINE_FUNCTION(type, name, parameters, arguments) type vitrine_##name parameters;
#endif

VITRINE_FUNCTIONS(VITRINE_FUNCTION)

/**
 * DOC: Values
 *
 * A function that creates a value takes the parent node and a name, at most VITRINE_NAME_MAX
 * bytes of UTF-8, which is copied. It returns the handle, or NULL, and the tree counts the
 * failure. A value that is *recorded* in a node has no handle and is deleted with that node.
 *
 * ``vitrine_delete(handle)``
 *	deletes a value of any of the types below, but not the root, a recorded node, a node of a
 *	list, or a per-CPU value. Readers no longer see a node and everything below it. Recorded
 *	values below it, and the nodes of a list, are deleted with it. Values with a handle keep
 *	their memory until they are deleted, too, before or after this call. Format:
 *	"NODE_VALUE", "TOMBSTONE".
 */

/* Not of a tree, nor of a per-CPU value: these have functions of their own. */
#define vitrine_delete(handle)						\
	_Generic((handle),						\
		 struct vitrine_node *: vitrine_value_delete,		\
		 struct vitrine_link *: vitrine_value_delete,		\
		 struct vitrine_list *: vitrine_value_delete,		\
		 struct vitrine_int *: vitrine_value_delete,		\
		 struct vitrine_uint *: vitrine_value_delete,		\
		 struct vitrine_double *: vitrine_value_delete,		\
		 struct vitrine_bool *: vitrine_value_delete,		\
		 struct vitrine_string *: vitrine_value_delete,		\
		 struct vitrine_bytes *: vitrine_value_delete,		\
		 struct vitrine_int_array *: vitrine_value_delete,	\
		 struct vitrine_uint_array *: vitrine_value_delete,	\
		 struct vitrine_double_array *: vitrine_value_delete,	\
		 struct vitrine_string_array *: vitrine_value_delete,	\
		 struct vitrine_int_histogram *: vitrine_value_delete,	\
		 struct vitrine_uint_histogram *: vitrine_value_delete,	\
		 struct vitrine_double_histogram *: vitrine_value_delete)(handle)

/* The first parameters of a function that creates a value. */
#define VITRINE_BELOW	struct vitrine_node *parent, const char *name
#define VITRINE_CREATE(...)						\
	vitrine_value_create(parent, name, &(struct vitrine_value){ __VA_ARGS__ })

#define VITRINE_CREATOR(kind, parameters, ...)				\
struct vitrine_##kind;							\
static inline struct vitrine_##kind *vitrine_##kind##_create parameters	\
{									\
	return VITRINE_CREATE(__VA_ARGS__);				\
}

/* Values that can be recorded, too. */
#define VITRINE_CREATORS(kind, parameters, ...)				\
VITRINE_CREATOR(kind, parameters, __VA_ARGS__)				\
static inline void vitrine_record_##kind parameters			\
{									\
	VITRINE_CREATE(__VA_ARGS__, .is_recorded = true);		\
}

/**
 * DOC: Nodes
 *
 * Readers reject a tree with more than 1024 levels of nodes. Format: "NODE_VALUE".
 *
 * ``struct vitrine_node *vitrine_node_create(parent, name)``
 *	creates a node.
 *
 * ``struct vitrine_node *vitrine_record_node(parent, name)``
 *	records a node, valid until its parent is deleted. It cannot be deleted or adopted.
 *
 * ``vitrine_node_adopt(struct vitrine_node *parent, struct vitrine_node *child)``
 *	moves a node, which is not the root, recorded, or of a list, and everything below it to
 *	another parent of the same tree. Fails if the parent is the child or below it.
 */
VITRINE_CREATOR(node, (VITRINE_BELOW), .type = INSPECT_NODE_VALUE)

static inline struct vitrine_node *vitrine_record_node(VITRINE_BELOW)
{
	return VITRINE_CREATE(.type = INSPECT_NODE_VALUE, .is_recorded = true);
}

/**
 * DOC: Links
 *
 * ``vitrine_link_create(parent, name, const char *tree, enum inspect_link_disposition)``
 *	creates a link to the tree of that name, which need not exist. Readers show its root as a
 *	child (INSPECT_LINK_CHILD), or what is below its root in place of the link
 *	(INSPECT_LINK_INLINE). The format can refer to the name of the other file only in the
 *	first 16 MiB of a tree; if there is no room, the call fails. Format: "LINK_VALUE".
 */
VITRINE_CREATOR(link, (VITRINE_BELOW, const char *tree, enum inspect_link_disposition disposition),
		.type = INSPECT_LINK_VALUE, .format = disposition, .bytes = tree)

/**
 * DOC: Lists
 *
 * A list keeps the most recent nodes, which are named "0", "1", and so on. Format: "NODE_VALUE".
 *
 * ``vitrine_list_create(parent, name, unsigned int capacity)``
 *	creates a list of at most that many nodes, at least 1.
 *
 * ``vitrine_list_append(struct vitrine_list *list)``
 *	returns a new node, which can be neither deleted nor adopted, or NULL; the tree counts
 *	the failure. If the list is full, the same edit deletes its oldest node with all values
 *	recorded in it. If the tree has no room for one more node, that node stays. The caller
 *	serialises calls on the list: others would delete the node while it is filled.
 *
 * ``vitrine_list_record(list, ...)``
 *	appends a node with constants in one edit, which needs no lock. Each is one of
 *	VITRINE_RECORD_INT(name, value), _UINT, _DOUBLE, _BOOL, _STRING(name, text) and
 *	_BYTES(name, bytes, len), and about 8 KiB are possible; one that does not fit is missing,
 *	and the tree counts the failure.
 */
VITRINE_CREATOR(list, (VITRINE_BELOW, unsigned int capacity),
		.type = INSPECT_NODE_VALUE, .is_list = true, .count = capacity)

static inline struct vitrine_node *vitrine_list_append(struct vitrine_list *list)
{
	return vitrine_list_append_values(list, NULL, 0);
}

#define vitrine_list_record(list, ...) do {				\
	const struct vitrine_value __values[] = { __VA_ARGS__ };	\
									\
	vitrine_list_append_values(list, __values, ARRAY_SIZE(__values)); \
} while (0)

#define VITRINE_RECORD(title, block_type, ...)				\
	{ .name = (title), .type = (block_type), .is_recorded = true, __VA_ARGS__ }
#define VITRINE_RECORD_INT(title, value)				\
	VITRINE_RECORD(title, INSPECT_INT_VALUE, .bits = (s64)(value))
#define VITRINE_RECORD_UINT(title, value)				\
	VITRINE_RECORD(title, INSPECT_UINT_VALUE, .bits = (value))
#define VITRINE_RECORD_DOUBLE(title, value)				\
	VITRINE_RECORD(title, INSPECT_DOUBLE_VALUE, .bits = (value).bits)
#define VITRINE_RECORD_BOOL(title, value)				\
	VITRINE_RECORD(title, INSPECT_BOOL_VALUE, .bits = (bool)(value))
#define VITRINE_RECORD_STRING(title, text)				\
	VITRINE_RECORD(title, INSPECT_BUFFER_VALUE, .format = INSPECT_BUFFER_UTF8, \
		       .bytes = (const char *){ (text) })
#define VITRINE_RECORD_BYTES(title, value, len)				\
	VITRINE_RECORD(title, INSPECT_BUFFER_VALUE, .format = INSPECT_BUFFER_BINARY, \
		       .bytes = (value), .len_bytes = (len))

/**
 * DOC: Numbers
 *
 * *TYPE* is ``int`` (s64), ``uint`` (u64), ``double`` (struct vitrine_f64) or ``bool``. As the
 * kernel does not use floating point, a double has the bits of an IEEE 754 binary64. Format:
 * "INT_VALUE", "UINT_VALUE", "DOUBLE_VALUE", "BOOL_VALUE".
 *
 * ``vitrine_TYPE_create(parent, name, value)``, ``vitrine_record_TYPE(parent, name, value)``
 *	create a property (struct vitrine_TYPE \*), or record a constant.
 *
 * ``vitrine_TYPE_set(property, value)``
 *	sets a property.
 *
 * ``vitrine_TYPE_add(property, delta)``, ``vitrine_TYPE_sub(property, delta)``
 *	change an int or uint; the sum wraps.
 *
 * ``vitrine_double_from_ratio(s64 numerator, u64 denominator)``
 *	returns the nearest double, ties rounded to even, for a percentage, a mean or a rate. If
 *	the denominator is 0, it is an infinity with the sign of the numerator, or NaN.
 *
 * ``vitrine_double_from_int(s64 value)``
 *	returns the nearest double.
 *
 * ``vitrine_double_from_bits(u64 bits)``
 *	returns the double with these bits.
 */
static inline struct vitrine_f64 vitrine_double_from_int(s64 value)
{
	return vitrine_double_from_ratio(value, 1);
}

/**
 * DOC: Arrays
 *
 * An array has a fixed number of slots, at most 254 numbers or 255 strings, which are initially
 * 0 or empty. *TYPE* is ``int``, ``uint``, ``double`` or ``string``. Format: "ARRAY_VALUE".
 *
 * ``vitrine_TYPE_array_create(parent, name, unsigned int nr_slots)``
 *	creates an array (struct vitrine_TYPE_array \*).
 *
 * ``vitrine_TYPE_array_set(array, unsigned int slot, value)``
 *	sets a slot, from 0; one beyond the end is counted as a failure. A string has at most
 *	VITRINE_NAME_MAX bytes and is copied; NULL is empty. Equal strings are stored once.
 *
 * ``vitrine_TYPE_array_add(array, unsigned int slot, delta)``, ``vitrine_TYPE_array_sub()``
 *	change a slot of int or uint; the sum wraps.
 */

/**
 * DOC: Histograms
 *
 * A histogram counts values in buckets. *TYPE* is ``int``, ``uint`` or ``double``. Format:
 * "Linear Histogram", "Exponential Histogram".
 *
 * ``vitrine_TYPE_histogram_create(parent, name, floor, step, multiplier, nr_buckets)``
 *	creates a histogram (struct vitrine_TYPE_histogram \*). If the multiplier is
 *	VITRINE_LINEAR (of doubles, vitrine_double_from_int(VITRINE_LINEAR)), bucket i, from 0,
 *	begins at floor + step * i, and at most 250 are
 *	possible. If it is at least 1, bucket 0 begins at the floor and bucket i at
 *	floor + step * multiplier^(i - 1), and at most 249 are possible. Values below the first
 *	and beyond the last bucket are counted separately. The step is above 0, and the end of
 *	the last bucket must be representable in the type.
 *
 * ``vitrine_TYPE_histogram_insert_many(histogram, value, u64 count)``
 *	counts an int or uint several times, ``vitrine_TYPE_histogram_insert(histogram, value)``
 *	once; the sum wraps.
 *
 * ``vitrine_double_histogram_set(histogram, unsigned int bucket, struct vitrine_f64 count)``
 *	stores a count as a double, because the kernel does not compute with doubles. Bucket 0 is
 *	for values below the floor, 1 is the first, and the number of buckets + 1 is for values
 *	beyond the last; one beyond that is counted as a failure.
 */
#define VITRINE_LINEAR	0	/* the multiplier of a linear histogram */

/* The last argument of this and the next two is the member of a number that has its bits. */
#define VITRINE_BUCKETS(block_type, member)				\
	.type = INSPECT_ARRAY_VALUE, .slot_type = block_type,		\
	.format = multiplier member == VITRINE_LINEAR ? INSPECT_ARRAY_LINEAR_HISTOGRAM : \
							INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM, \
	.count = nr_buckets, .parameters = { floor member, step member, multiplier member }

/* Functions of int, uint, double and bool. */
#define VITRINE_NUMBER(kind, c_type, block_type, member)		\
VITRINE_CREATORS(kind, (VITRINE_BELOW, c_type value), .type = block_type, .bits = value member) \
static inline void vitrine_##kind##_set(struct vitrine_##kind *property, c_type value) \
{									\
	vitrine_number_set(property, block_type, value member);		\
}

/* Functions of int, uint and double. */
#define VITRINE_NUMBERS(kind, c_type, block_type, member)		\
VITRINE_NUMBER(kind, c_type, block_type, member)			\
VITRINE_CREATOR(kind##_array, (VITRINE_BELOW, unsigned int nr_slots),	\
		.type = INSPECT_ARRAY_VALUE, .slot_type = block_type, .count = nr_slots) \
static inline void vitrine_##kind##_array_set(struct vitrine_##kind##_array *array, \
					      unsigned int slot, c_type value) \
{									\
	vitrine_slot_set(array, block_type, slot, value member);	\
}									\
VITRINE_CREATOR(kind##_histogram, (VITRINE_BELOW, c_type floor, c_type step, c_type multiplier, \
				   unsigned int nr_buckets), VITRINE_BUCKETS(block_type, member))

/* The sum wraps; in two's complement, int and uint are added and subtracted alike. */
#define VITRINE_SUM(kind, c_type, block_type, verb, sign)		\
static inline void vitrine_##kind##_##verb(struct vitrine_##kind *property, c_type delta) \
{									\
	vitrine_number_add(property, block_type, sign(u64)delta);	\
}									\
static inline void vitrine_##kind##_array_##verb(struct vitrine_##kind##_array *array, \
						 unsigned int slot, c_type delta) \
{									\
	vitrine_slot_add(array, block_type, slot, sign(u64)delta);	\
}

/* Functions of int and uint. */
#define VITRINE_INTEGER(kind, c_type, block_type)			\
VITRINE_NUMBERS(kind, c_type, block_type, )				\
VITRINE_SUM(kind, c_type, block_type, add, +)				\
VITRINE_SUM(kind, c_type, block_type, sub, -)				\
static inline void							\
vitrine_##kind##_histogram_insert(struct vitrine_##kind##_histogram *histogram, c_type value) \
{									\
	vitrine_##kind##_histogram_insert_many(histogram, value, 1);	\
}

VITRINE_INTEGER(int, s64, INSPECT_INT_VALUE)
VITRINE_INTEGER(uint, u64, INSPECT_UINT_VALUE)
VITRINE_NUMBERS(double, struct vitrine_f64, INSPECT_DOUBLE_VALUE, .bits)
VITRINE_NUMBER(bool, bool, INSPECT_BOOL_VALUE, )
VITRINE_CREATOR(string_array, (VITRINE_BELOW, unsigned int nr_slots), .type = INSPECT_ARRAY_VALUE,
		.slot_type = INSPECT_STRING_REFERENCE, .count = nr_slots)

/**
 * DOC: Strings and byte vectors
 *
 * Values have at most VITRINE_VALUE_MAX bytes and are copied. A string ends with NUL; NULL is
 * empty. If a value is too long, or the tree has no room, the old value stays and the failure is
 * counted. Format: "BUFFER_VALUE", "EXTENT".
 *
 * ``vitrine_string_create(parent, name, const char *value)``, ``vitrine_record_string()``
 *	create a property (struct vitrine_string \*), or record a constant.
 *
 * ``vitrine_bytes_create(parent, name, const void *value, size_t len)``, ``vitrine_record_bytes()``
 *	create a property (struct vitrine_bytes \*), or record a constant.
 *
 * ``vitrine_string_set(property, value)``, ``vitrine_bytes_set(property, value, len)``
 *	set a property.
 */
VITRINE_CREATORS(string, (VITRINE_BELOW, const char *value), .type = INSPECT_BUFFER_VALUE,
		 .format = INSPECT_BUFFER_UTF8, .bytes = value)
VITRINE_CREATORS(bytes, (VITRINE_BELOW, const void *value, size_t len),
		 .type = INSPECT_BUFFER_VALUE, .format = INSPECT_BUFFER_BINARY,
		 .bytes = value, .len_bytes = len)

static inline void vitrine_string_set(struct vitrine_string *property, const char *value)
{
	vitrine_buffer_set(property, value, 0);
}

static inline void vitrine_bytes_set(struct vitrine_bytes *property, const void *value,
				     size_t len_bytes)
{
	vitrine_buffer_set(property, value, len_bytes);
}

/* Handles of a health node; @message is NULL if there is none. */
struct vitrine_health {
	struct vitrine_node	*node;
	struct vitrine_string	*status;
	struct vitrine_string	*message;
};

/**
 * DOC: Health
 *
 * The caller serialises calls with the same struct vitrine_health.
 *
 * ``vitrine_health_init(struct vitrine_health *health, struct vitrine_node *parent)``
 *	creates a health node with the status "STARTING_UP", and the CLOCK_MONOTONIC time of this
 *	call in nanoseconds. Tools expect it below the root.
 *
 * ``vitrine_health_starting_up(health, const char *message)``
 *	sets status and message, an explanation in UTF-8 or NULL, in one edit.
 *
 * ``vitrine_health_ok(health)``, ``vitrine_health_unhealthy(health, const char *message)``
 *	do the same.
 *
 * ``vitrine_health_deinit(struct vitrine_health *health)``
 *	deletes a health node; it can be initialised again.
 */
#define vitrine_health_starting_up(health, message)			\
	vitrine_health_set(health, "STARTING_UP", message)
#define vitrine_health_ok(health)		vitrine_health_set(health, "OK", NULL)
#define vitrine_health_unhealthy(health, message)			\
	vitrine_health_set(health, "UNHEALTHY", message)

static inline void vitrine_health_deinit(struct vitrine_health *health)
{
	if (!health)
		return;
	vitrine_delete(health->node);
	vitrine_delete(health->status);
	vitrine_delete(health->message);
	*health = (struct vitrine_health){ 0 };
}

struct vitrine_percpu_uint {
	u64 __percpu *cells;	/* private: the count of each CPU */
};

/**
 * DOC: Per-CPU values
 *
 * Counters and histograms for hot paths: an update writes to a cache line of the current CPU only
 * and takes no lock. The tree shows the sum over all CPUs, which is computed each time the tree is
 * opened or read, and once a second while it is mapped. A node does not delete those below it, but
 * destroying the tree frees all of them: like other handles, they are not used after that. Format:
 * "UINT_VALUE", "Linear Histogram", "Exponential Histogram".
 *
 * ``struct vitrine_percpu_uint *vitrine_percpu_uint_create(parent, name)``
 *	creates a counter. May sleep.
 *
 * ``vitrine_percpu_uint_add(counter, u64 delta)``
 *	adds to a counter; the sum wraps. In NMI, only if this_cpu_add() is NMI-safe.
 *
 * ``vitrine_percpu_histogram_create(parent, name, floor, step, multiplier, nr_buckets)``
 *	creates a histogram of u64, as vitrine_uint_histogram_create() does. May sleep.
 *
 * ``vitrine_percpu_histogram_insert(struct vitrine_percpu_histogram *histogram, u64 value)``
 *	counts a value. In NMI, only if this_cpu_inc() is NMI-safe.
 *
 * ``vitrine_percpu_delete(handle)``
 *	deletes a counter or histogram, of which no update may be in progress, before its tree is
 *	destroyed. May sleep.
 */
#define vitrine_percpu_delete(handle)					\
	_Generic((handle),						\
		 struct vitrine_percpu_uint *: vitrine_percpu_destroy,	\
		 struct vitrine_percpu_histogram *: vitrine_percpu_destroy)(handle)

static inline struct vitrine_percpu_uint *vitrine_percpu_uint_create(VITRINE_BELOW)
{
	return vitrine_percpu_create(parent, name,
				     &(struct vitrine_value){ .type = INSPECT_UINT_VALUE });
}

static __always_inline void
vitrine_percpu_uint_add(struct vitrine_percpu_uint *counter, u64 delta)
{
	if (likely(counter))
		this_cpu_add(*counter->cells, delta);
}

static inline struct vitrine_percpu_histogram *
vitrine_percpu_histogram_create(VITRINE_BELOW, u64 floor, u64 step, u64 multiplier,
				unsigned int nr_buckets)
{
	return vitrine_percpu_create(parent, name, &(struct vitrine_value){
		VITRINE_BUCKETS(INSPECT_UINT_VALUE, )
	});
}

#undef VITRINE_FUNCTION

#endif /* _VITRINE_INSPECT_H */
