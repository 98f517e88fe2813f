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
 *
 * User space reads the tree in /sys/kernel/debug/vitrine/inspect/mydriver.inspect.
 *
 * Errors: as with debugfs, a publisher needs no error handling. A function that fails
 * to create something returns NULL, and every function accepts NULL. A failed call
 * leaves the tree unchanged and is counted; the tree "vitrine" shows the number of
 * failed calls of each tree.
 *
 * Context: functions that create or destroy a tree, a lazy tree or a per-CPU value
 * may sleep. All other functions can be called from any context and with any lock
 * held. In NMI context a call on a tree that is being edited is dropped and counted
 * as failed. With preemption disabled, a call allocates nothing: it uses a reserve of two
 * pages, which is refilled as soon as interrupts are on. A publisher that creates more at
 * once calls vitrine_tree_reserve() before. On PREEMPT_RT, a caller that holds a lock of
 * the page allocator itself must disable preemption, too.
 *
 * Locking: each call is one write section of the tree, with interrupts off; calls on
 * one tree are serialised internally. As with any pointer, the caller must not use a
 * handle after deleting the value or the tree. A node may be deleted before the
 * values below it: readers no longer see these values, and each of their handles
 * can still be updated and deleted.
 *
 * A handle is the address of the value's block, with a type, and takes no memory of
 * its own. Never dereference a handle.
 *
 * Text is copied, and must be UTF-8; see vitrine_text_clean(). Two children of a node
 * may have the same name.
 *
 * Format: Documentation/inspect.rst, "Blocks the module writes", lists the block that
 * each value becomes. A paragraph "Format" below names the section of Fuchsia's
 * "Inspect VMO file format" that defines that block.
 */
#ifndef _VITRINE_INSPECT_H
#define _VITRINE_INSPECT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* Longest name of a tree, node or property in bytes, without the final NUL. */
#define VITRINE_TREE_NAME_MAX	63
#define VITRINE_NAME_MAX	255
/* Longest string or byte-vector value in bytes. */
#define VITRINE_VALUE_MAX	(64U << 10)
/* Most levels of nodes in a tree, the root included. */
#define VITRINE_DEPTH_MAX	64

struct vitrine_tree;
struct vitrine_node;
struct vitrine_int;
struct vitrine_uint;
struct vitrine_double;
struct vitrine_bool;
struct vitrine_string;
struct vitrine_bytes;
struct vitrine_int_array;
struct vitrine_uint_array;
struct vitrine_double_array;
struct vitrine_string_array;
struct vitrine_int_histogram;
struct vitrine_uint_histogram;
struct vitrine_double_histogram;
struct vitrine_link;
struct vitrine_list;
struct vitrine_lazy;
struct device;
struct module;

/*
 * Trees
 */

/**
 * vitrine_tree_create() - create a tree, which is one Inspect file
 * @name: tree name, at most VITRINE_TREE_NAME_MAX bytes, without slashes and
 *	control characters; copied. The file is <name>.inspect
 * @limit_bytes: maximum size in bytes, rounded up to pages, at most 256 MiB;
 *	0 for 256 KiB
 *
 * A tree starts with one page and grows as values are created. Each name can be used
 * by one tree at a time. The module that creates a tree destroys it; if it has not when
 * its exit function has run, or its init function has failed, vitrine does so and logs it.
 *
 * Format: "HEADER".
 *
 * Context: task; may sleep.
 * Return: the tree, or NULL. A refused name or size is logged, and counted in the
 *	tree "vitrine".
 */
#define vitrine_tree_create(name, limit_bytes)				\
	vitrine_tree_create_for(THIS_MODULE, name, limit_bytes, false)

/**
 * vitrine_tree_destroy() - remove a tree and its file
 * @tree: the tree, or NULL
 *
 * All handles of the tree become invalid. Files that are already open or mapped keep
 * the last contents of the tree.
 *
 * Context: task; may sleep.
 */
void vitrine_tree_destroy(struct vitrine_tree *tree);

/**
 * vitrine_tree_root() - return the root node of a tree
 * @tree: the tree, or NULL
 *
 * Context: any.
 * Return: the root, which cannot be deleted; NULL if @tree is NULL.
 */
struct vitrine_node *vitrine_tree_root(struct vitrine_tree *tree);

/**
 * vitrine_tree_retain() - destroy a tree but keep its last contents readable
 * @tree: the tree, or NULL
 *
 * A publisher that is about to go away calls this instead of vitrine_tree_destroy().
 * The last contents of the tree remain readable, frozen, as retained/<name>.inspect
 * until they are dropped. A retained tree replaces an older one of the same name. If the
 * module parameters retained_max or retained_kb are exceeded, the oldest retained trees
 * are dropped first; a tree that exceeds retained_kb alone is destroyed. All handles of
 * the tree become invalid.
 *
 * Context: task; may sleep.
 */
void vitrine_tree_retain(struct vitrine_tree *tree);

/**
 * devm_vitrine_tree_create() - create a tree that is destroyed with its device
 * @dev: device that is bound to its driver or being bound
 * @name: tree name, at most VITRINE_TREE_NAME_MAX bytes, without slashes and
 *	control characters; copied. The file is <name>.inspect
 * @limit_bytes: maximum size in bytes, rounded up to pages, at most 256 MiB;
 *	0 for 256 KiB
 *
 * The tree is destroyed when the driver is unbound or fails to bind. The caller must
 * not destroy the tree.
 *
 * Context: task; may sleep.
 * Return: the tree, or NULL. A refused name or size is logged, and counted in the
 *	tree "vitrine".
 */
struct vitrine_tree *devm_vitrine_tree_create(struct device *dev,
					      const char *name,
					      size_t limit_bytes);

/**
 * vitrine_tree_create_for() - create a tree that is destroyed with a module at the latest
 * @owner: module that owns the tree
 * @name: tree name, at most VITRINE_TREE_NAME_MAX bytes, without slashes and
 *	control characters; copied. The file is <name>.inspect
 * @limit_bytes: maximum size in bytes, rounded up to pages, at most 256 MiB;
 *	0 for 256 KiB
 * @managed: @owner need not destroy the tree
 *
 * The tree is destroyed after the exit function of @owner has run, or after its init
 * function has failed, unless the module has destroyed the tree before. If a tree is not
 * @managed, this is logged. Modules use vitrine_tree_create() or
 * vitrine_module_tree_create().
 *
 * Context: task; may sleep.
 * Return: the tree, or NULL. A refused name or size is logged, and counted in the
 *	tree "vitrine".
 */
struct vitrine_tree *vitrine_tree_create_for(struct module *owner,
					     const char *name,
					     size_t limit_bytes, bool managed);

/**
 * vitrine_module_tree_create() - create a tree that is destroyed with this module
 * @name: as for vitrine_tree_create()
 * @limit_bytes: as for vitrine_tree_create()
 *
 * The tree is destroyed after the exit function of the calling module, or after its init
 * function has failed.
 *
 * Context: task; may sleep.
 * Return: as vitrine_tree_create_for().
 */
#define vitrine_module_tree_create(name, limit_bytes)			\
	vitrine_tree_create_for(THIS_MODULE, name, limit_bytes, true)

/**
 * vitrine_tree_show_stats() - publish size and usage of a tree in the tree itself
 * @tree: the tree, or NULL
 *
 * Creates the node "fuchsia.inspect.Stats" below the root. Its values are updated
 * each time the file is opened or read. A second call has no effect.
 *
 * Context: task; may sleep. The caller serialises calls on one tree.
 */
void vitrine_tree_show_stats(struct vitrine_tree *tree);

/**
 * vitrine_tree_may_sleep() - let calls on a tree wait for memory
 * @node: any node of the tree, or NULL
 *
 * By default no call on a tree waits for memory, because it may be made in atomic
 * context; a call fails while memory is short. A publisher that makes all calls on the
 * tree from task context, such as the fill() of a lazy tree, calls this function first.
 *
 * Context: task, before the first call that allocates.
 */
void vitrine_tree_may_sleep(struct vitrine_node *node);

/**
 * vitrine_tree_reserve() - reserve room for values that belong together
 * @node: any node of the tree, or NULL
 * @len_bytes: bytes needed, in blocks of at most a page
 *
 * If this succeeds, the tree has room for all of the values that are created next.
 *
 * Context: task; may sleep. The caller serialises calls on the tree.
 * Return: true; false if @node is NULL, memory is short, or the tree would exceed its
 *	limit. A failure is counted.
 */
bool vitrine_tree_reserve(struct vitrine_node *node, size_t len_bytes);

/**
 * vitrine_tree_nr_failed() - return the number of failed calls on a tree
 * @node: any node of the tree, or NULL
 *
 * Context: any.
 * Return: number of creations and updates that failed; 0 if @node is NULL.
 */
unsigned long vitrine_tree_nr_failed(struct vitrine_node *node);

/**
 * vitrine_text_clean() - replace bytes that are not valid UTF-8
 * @text: text to change in place; nobody else may change it meanwhile
 * @len_bytes: length of @text in bytes
 *
 * Each byte that belongs to no valid UTF-8 sequence becomes "?", and so does each NUL,
 * which many readers take for the end of the text.
 *
 * Format: "STRING_REFERENCE"; of the Fuchsia trace format, "Atoms".
 *
 * Context: any.
 */
void vitrine_text_clean(char *text, size_t len_bytes);

/*
 * Lazy trees
 */

/**
 * vitrine_lazy_create() - create a tree that is filled each time it is opened
 * @name: tree name, at most VITRINE_TREE_NAME_MAX bytes, without slashes and
 *	control characters; copied. The file is <name>.inspect
 * @limit_bytes: maximum size in bytes of each filled tree, as for
 *	vitrine_tree_create()
 * @timeout_ms: longest time that open() waits, in milliseconds; 0 for 1000
 * @fill: creates the values below @root; returns 0 or a negative errno, with which
 *	open() then fails
 * @ctx: argument of @fill
 *
 * A lazy tree takes no memory for values until its file is opened. Each open() calls
 * @fill for a tree that only this open file sees, and which is frozen when @fill
 * returns. All handles that @fill has created are then invalid; therefore @fill must not
 * create per-CPU values or lists.
 *
 * @fill runs in task context, one call at a time. It may sleep, but must not destroy the
 * lazy tree. open() waits while @fill runs for another opener. If @fill takes longer than
 * @timeout_ms, open() fails with -ETIMEDOUT, and later calls of open() fail with -EBUSY
 * until @fill returns. An open() of the same file from within @fill fails with -ELOOP.
 *
 * @fill runs in a worker of the kernel, with its credentials. The memory of the tree, and
 * what @fill allocates with __GFP_ACCOUNT, is charged to the memory cgroup of the opener.
 *
 * Context: task; may sleep.
 * Return: the lazy tree, or NULL. A refused name or size is logged, and counted in
 *	the tree "vitrine".
 */
struct vitrine_lazy *
vitrine_lazy_create(const char *name, size_t limit_bytes,
		    unsigned int timeout_ms,
		    int (*fill)(struct vitrine_node *root, void *ctx),
		    void *ctx);

/**
 * vitrine_lazy_destroy() - remove a lazy tree and its file
 * @lazy: the lazy tree, or NULL
 *
 * A module must destroy its lazy trees before its code is freed. If it has not when its
 * exit function has run, or its init function has failed, vitrine does so and logs it.
 *
 * open() fails with -ENOENT once removal has begun. Files that are already open keep
 * their contents. The function waits for a fill() that is running, however long that
 * takes, because the code of fill() may be unloaded next.
 *
 * Context: task; may sleep. Not from fill(), nor with a lock held that fill() takes.
 */
void vitrine_lazy_destroy(struct vitrine_lazy *lazy);

/*
 * Batches
 */

/**
 * vitrine_batch_begin() - begin edits that readers see all at once
 * @tree: the tree, or NULL
 *
 * Until vitrine_batch_end() the caller holds the lock of the tree with interrupts off:
 * the batch must not sleep, and should be short. Readers see all of its edits or none.
 * Batches of one tree nest; batches of several trees must always be begun in the same
 * order. No memory is allocated inside a batch, so creations are limited to the free
 * space of the tree and about 8 KiB.
 *
 * Context: any. In NMI, a batch has no effect.
 * Return: flags for vitrine_batch_end().
 */
unsigned long vitrine_batch_begin(struct vitrine_tree *tree);

/**
 * vitrine_batch_end() - end a batch
 * @tree: the tree, or NULL
 * @flags: return value of vitrine_batch_begin()
 *
 * Context: that of vitrine_batch_begin().
 */
void vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags);

/*
 * Nodes and links
 */

/**
 * vitrine_node_create() - create a node
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 *
 * Nodes can be nested VITRINE_DEPTH_MAX deep, the root included.
 *
 * Format: "NODE_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_node *vitrine_node_create(struct vitrine_node *parent,
					 const char *name);

/**
 * vitrine_node_delete() - delete a node
 * @node: the node, or NULL; not the root, a recorded node or a node of a list
 *
 * Readers no longer see the node and everything below it. Recorded values below the
 * node are deleted. Values with a handle keep their memory until they are deleted, too,
 * which may be before or after this call.
 *
 * Format: "NODE_VALUE", "TOMBSTONE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_node_delete(struct vitrine_node *node);

/**
 * vitrine_node_adopt() - move a node and everything below it to another parent
 * @parent: new parent node, or NULL
 * @child: node to move, or NULL; of the same tree, and not the root, a recorded node
 *	or a node of a list
 *
 * The call fails if @parent is @child or below it, or if the tree would become deeper
 * than VITRINE_DEPTH_MAX.
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_node_adopt(struct vitrine_node *parent,
			struct vitrine_node *child);

/**
 * vitrine_unique_name() - format a name that no other call returns
 * @name: buffer for the name
 * @size: size of @name in bytes; VITRINE_NAME_MAX + 1 suffices for any name
 * @prefix: beginning of the name, shortened if necessary; NULL is empty
 *
 * The names are "prefix-0", "prefix-1", and so on. All prefixes share one counter.
 *
 * Context: any.
 * Return: @name; NULL if the buffer is too small, which functions that take a name count
 *	as a failure.
 */
const char *vitrine_unique_name(char *name, size_t size, const char *prefix);

/**
 * enum vitrine_disposition - how readers show a link
 * @VITRINE_LINK_CHILD: the root of the other tree is a child of the link's parent, with
 *	the name of the link
 * @VITRINE_LINK_INLINE: the children of the other tree's root are children of the
 *	link's parent
 */
enum vitrine_disposition {
	VITRINE_LINK_CHILD,
	VITRINE_LINK_INLINE,
};

/**
 * vitrine_link_create() - create a link to another tree
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @tree: name of the other tree, which need not exist; copied
 * @disposition: how readers show the link
 *
 * The format can refer to the name of the other tree's file only in the first 16 MiB of
 * a tree. If there is no room, the call fails.
 *
 * Format: "LINK_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_link *vitrine_link_create(struct vitrine_node *parent,
					 const char *name, const char *tree,
					 enum vitrine_disposition disposition);

/**
 * vitrine_link_delete() - delete a link
 * @link: the link, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_link_delete(struct vitrine_link *link);

/*
 * Recorded values have no handle. They belong to their node and are deleted
 * together with it.
 */

/**
 * vitrine_record_node() - record a node
 * @parent: node that the recorded node belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 *
 * The recorded node and the values recorded in it are deleted together with @parent.
 * Until then the handle is valid. A recorded node can be neither deleted nor adopted.
 *
 * Format: "NODE_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_node *vitrine_record_node(struct vitrine_node *parent,
					 const char *name);

/**
 * vitrine_record_int() - record a signed integer
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: the value
 *
 * Format: "INT_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_int(struct vitrine_node *node, const char *name, s64 value);

/**
 * vitrine_record_uint() - record an unsigned integer
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: the value
 *
 * Format: "UINT_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_uint(struct vitrine_node *node, const char *name,
			 u64 value);

/**
 * vitrine_record_double() - record a double
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @bits: the value as IEEE 754 bits
 *
 * Format: "DOUBLE_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_double(struct vitrine_node *node, const char *name,
			   u64 bits);

/**
 * vitrine_record_bool() - record a truth value
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: the value
 *
 * Format: "BOOL_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_bool(struct vitrine_node *node, const char *name,
			 bool value);

/**
 * vitrine_record_string() - record a string
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: at most VITRINE_VALUE_MAX bytes of UTF-8; copied. NULL is empty
 *
 * Format: "BUFFER_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_string(struct vitrine_node *node, const char *name,
			   const char *value);

/**
 * vitrine_record_bytes() - record a byte vector
 * @node: node that the value belongs to, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: the bytes; copied. NULL if @len_bytes is 0
 * @len_bytes: length of @value in bytes, at most VITRINE_VALUE_MAX
 *
 * Format: "BUFFER_VALUE".
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_record_bytes(struct vitrine_node *node, const char *name,
			  const void *value, size_t len_bytes);

/*
 * A list keeps the most recent nodes.
 */

/**
 * vitrine_list_create() - create a list
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @capacity: largest number of nodes in the list, at least 1
 *
 * A list is a node whose children are named "0", "1", and so on.
 *
 * Format: "NODE_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_list *vitrine_list_create(struct vitrine_node *parent,
					 const char *name,
					 unsigned int capacity);

/**
 * vitrine_list_append() - append a node to a list
 * @list: the list, or NULL
 *
 * If the list is full, the same edit deletes its oldest node, together with all values
 * recorded in that node, and the handle of that node becomes invalid. The tree needs room
 * for one node more than the list has; otherwise the call fails and the oldest node stays.
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the node, which can be neither deleted nor adopted, or NULL; the tree counts
 *	the failure.
 */
struct vitrine_node *vitrine_list_append(struct vitrine_list *list);

/**
 * vitrine_list_delete() - delete a list
 * @list: the list, or NULL
 *
 * The nodes of the list and the values recorded in them are deleted, too.
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_list_delete(struct vitrine_list *list);

/**
 * struct vitrine_health - handles of a health node
 * @node: node "fuchsia.inspect.Health", which Fuchsia's tools expect below the root
 * @status: "STARTING_UP", "OK" or "UNHEALTHY"
 * @message: explanation, or NULL if there is none
 *
 * The caller serialises calls with the same structure.
 */
struct vitrine_health {
	struct vitrine_node	*node;
	struct vitrine_string	*status;
	struct vitrine_string	*message;
};

/**
 * vitrine_health_init() - create a health node with status "STARTING_UP"
 * @health: receives the handles, or NULL
 * @parent: parent node, or NULL. Tools expect the root
 *
 * The property "start_timestamp_nanos" is the CLOCK_MONOTONIC time of this call in
 * nanoseconds.
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_health_init(struct vitrine_health *health,
			 struct vitrine_node *parent);

/**
 * vitrine_health_starting_up() - set the status to "STARTING_UP"
 * @health: the health node, or NULL
 * @message: explanation in UTF-8; copied. NULL for none
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_health_starting_up(struct vitrine_health *health,
				const char *message);

/**
 * vitrine_health_ok() - set the status to "OK" and remove the message
 * @health: the health node, or NULL
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_health_ok(struct vitrine_health *health);

/**
 * vitrine_health_unhealthy() - set the status to "UNHEALTHY"
 * @health: the health node, or NULL
 * @message: explanation in UTF-8; copied. NULL for none
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_health_unhealthy(struct vitrine_health *health,
			      const char *message);

/**
 * vitrine_health_deinit() - delete a health node
 * @health: the health node, or NULL; it can be initialised again
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_health_deinit(struct vitrine_health *health);

/*
 * Properties. Sums of integers wrap.
 */

/**
 * vitrine_int_create() - create a signed integer property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: initial value
 *
 * Format: "INT_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_int *vitrine_int_create(struct vitrine_node *parent,
				       const char *name, s64 value);

/**
 * vitrine_int_set() - set a signed integer property
 * @property: the property, or NULL
 * @value: new value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_set(struct vitrine_int *property, s64 value);

/**
 * vitrine_int_add() - add to a signed integer property
 * @property: the property, or NULL
 * @delta: addend; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_add(struct vitrine_int *property, s64 delta);

/**
 * vitrine_int_sub() - subtract from a signed integer property
 * @property: the property, or NULL
 * @delta: subtrahend; the difference wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_sub(struct vitrine_int *property, s64 delta);

/**
 * vitrine_int_delete() - delete a signed integer property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_int_delete(struct vitrine_int *property);

/**
 * vitrine_uint_create() - create an unsigned integer property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: initial value
 *
 * Format: "UINT_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_uint *vitrine_uint_create(struct vitrine_node *parent,
					 const char *name, u64 value);

/**
 * vitrine_uint_set() - set an unsigned integer property
 * @property: the property, or NULL
 * @value: new value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_set(struct vitrine_uint *property, u64 value);

/**
 * vitrine_uint_add() - add to an unsigned integer property
 * @property: the property, or NULL
 * @delta: addend; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_add(struct vitrine_uint *property, u64 delta);

/**
 * vitrine_uint_sub() - subtract from an unsigned integer property
 * @property: the property, or NULL
 * @delta: subtrahend; the difference wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_sub(struct vitrine_uint *property, u64 delta);

/**
 * vitrine_uint_delete() - delete an unsigned integer property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_uint_delete(struct vitrine_uint *property);

/*
 * The kernel does not use floating point, so a double is passed as the bits of an IEEE
 * 754 binary64. Conversions and sums round to nearest, ties to even.
 */

/**
 * vitrine_double_from_int() - convert an integer to a double
 * @value: the integer
 *
 * Context: any.
 * Return: bits of the nearest double, ties rounded to even.
 */
u64 vitrine_double_from_int(s64 value);

/**
 * vitrine_double_from_ratio() - convert a ratio to a double
 * @numerator: the numerator
 * @denominator: the denominator
 *
 * For a percentage, a mean or a rate: vitrine_double_from_ratio(hits, total).
 *
 * Context: any.
 * Return: bits of the nearest double, ties rounded to even. If @denominator is 0, an
 *	infinity with the sign of @numerator, or NaN if both are 0.
 */
u64 vitrine_double_from_ratio(s64 numerator, u64 denominator);

/**
 * vitrine_double_create() - create a double property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @bits: initial value as bits
 *
 * Format: "DOUBLE_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_double *vitrine_double_create(struct vitrine_node *parent,
					     const char *name, u64 bits);

/**
 * vitrine_double_set() - set a double property
 * @property: the property, or NULL
 * @bits: new value as bits
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_set(struct vitrine_double *property, u64 bits);

/**
 * vitrine_double_add() - add to a double property
 * @property: the property, or NULL
 * @bits: addend as bits; the sum is rounded to nearest, ties to even
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_add(struct vitrine_double *property, u64 bits);

/**
 * vitrine_double_sub() - subtract from a double property
 * @property: the property, or NULL
 * @bits: subtrahend as bits; the difference is rounded to nearest, ties to even
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_sub(struct vitrine_double *property, u64 bits);

/**
 * vitrine_double_delete() - delete a double property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_double_delete(struct vitrine_double *property);

/**
 * vitrine_bool_create() - create a truth value property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: initial value
 *
 * Format: "BOOL_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_bool *vitrine_bool_create(struct vitrine_node *parent,
					 const char *name, bool value);

/**
 * vitrine_bool_set() - set a truth value property
 * @property: the property, or NULL
 * @value: new value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_bool_set(struct vitrine_bool *property, bool value);

/**
 * vitrine_bool_delete() - delete a truth value property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_bool_delete(struct vitrine_bool *property);

/**
 * vitrine_string_create() - create a string property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: initial value, at most VITRINE_VALUE_MAX bytes of UTF-8;
 *	copied. NULL is empty
 *
 * Format: "BUFFER_VALUE", "EXTENT".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_string *vitrine_string_create(struct vitrine_node *parent,
					     const char *name,
					     const char *value);

/**
 * vitrine_string_set() - set a string property
 * @property: the property, or NULL
 * @value: new value, at most VITRINE_VALUE_MAX bytes of UTF-8; copied. NULL is empty
 *
 * If @value is too long, or the tree has no room, the old value stays and the failure
 * is counted.
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_string_set(struct vitrine_string *property, const char *value);

/**
 * vitrine_string_delete() - delete a string property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_string_delete(struct vitrine_string *property);

/**
 * vitrine_bytes_create() - create a byte-vector property
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @value: initial value; copied. NULL if @len_bytes is 0
 * @len_bytes: length of @value in bytes, at most VITRINE_VALUE_MAX
 *
 * Format: "BUFFER_VALUE", "EXTENT".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_bytes *vitrine_bytes_create(struct vitrine_node *parent,
					   const char *name, const void *value,
					   size_t len_bytes);

/**
 * vitrine_bytes_set() - set a byte-vector property
 * @property: the property, or NULL
 * @value: new value; copied. NULL if @len_bytes is 0
 * @len_bytes: length of @value in bytes, at most VITRINE_VALUE_MAX
 *
 * If @value is too long, or the tree has no room, the old value stays and the failure
 * is counted.
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_bytes_set(struct vitrine_bytes *property, const void *value,
		       size_t len_bytes);

/**
 * vitrine_bytes_delete() - delete a byte-vector property
 * @property: the property, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_bytes_delete(struct vitrine_bytes *property);

/*
 * An array has a fixed number of slots, at most 254 numbers or 255 strings, which
 * are initially 0 or empty. A double is passed as its bits, as above.
 */

/**
 * vitrine_int_array_create() - create an array of signed integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @count: number of slots, at most 254; initially 0
 *
 * Format: "ARRAY_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_int_array *
vitrine_int_array_create(struct vitrine_node *parent, const char *name,
			 unsigned int count);

/**
 * vitrine_int_array_set() - set one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @value: new value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_array_set(struct vitrine_int_array *array, unsigned int slot,
			   s64 value);

/**
 * vitrine_int_array_add() - add to one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @delta: addend; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_array_add(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta);

/**
 * vitrine_int_array_sub() - subtract from one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @delta: subtrahend; the difference wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_array_sub(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta);

/**
 * vitrine_int_array_delete() - delete an array of signed integers
 * @array: the array, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_int_array_delete(struct vitrine_int_array *array);

/**
 * vitrine_uint_array_create() - create an array of unsigned integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @count: number of slots, at most 254; initially 0
 *
 * Format: "ARRAY_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_uint_array *
vitrine_uint_array_create(struct vitrine_node *parent, const char *name,
			  unsigned int count);

/**
 * vitrine_uint_array_set() - set one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @value: new value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_array_set(struct vitrine_uint_array *array, unsigned int slot,
			    u64 value);

/**
 * vitrine_uint_array_add() - add to one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @delta: addend; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_array_add(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta);

/**
 * vitrine_uint_array_sub() - subtract from one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @delta: subtrahend; the difference wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_array_sub(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta);

/**
 * vitrine_uint_array_delete() - delete an array of unsigned integers
 * @array: the array, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_uint_array_delete(struct vitrine_uint_array *array);

/**
 * vitrine_double_array_create() - create an array of doubles
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @count: number of slots, at most 254; initially 0
 *
 * Format: "ARRAY_VALUE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_double_array *
vitrine_double_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count);

/**
 * vitrine_double_array_set() - set one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @bits: new value as bits
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_array_set(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);

/**
 * vitrine_double_array_add() - add to one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @bits: addend as bits; the sum is rounded to nearest, ties to even
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_array_add(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);

/**
 * vitrine_double_array_sub() - subtract from one slot of an array
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @bits: subtrahend as bits; the difference is rounded to nearest, ties to even
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_array_sub(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);

/**
 * vitrine_double_array_delete() - delete an array of doubles
 * @array: the array, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_double_array_delete(struct vitrine_double_array *array);

/**
 * vitrine_string_array_create() - create an array of strings
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @count: number of slots, at most 255; initially empty
 *
 * Format: "ARRAY_VALUE", "STRING_REFERENCE".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_string_array *
vitrine_string_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count);

/**
 * vitrine_string_array_set() - set one slot of an array of strings
 * @array: the array, or NULL
 * @slot: slot number, from 0; a slot beyond the end is counted as a failure
 * @value: new value, at most VITRINE_NAME_MAX bytes of UTF-8; copied. NULL is empty
 *
 * Equal strings of all arrays and names of a tree are stored once.
 * If @value is too long, or the tree has no room, the old value stays and the failure
 * is counted.
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_string_array_set(struct vitrine_string_array *array,
			      unsigned int slot, const char *value);

/**
 * vitrine_string_array_delete() - delete an array of strings
 * @array: the array, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_string_array_delete(struct vitrine_string_array *array);

/*
 * A histogram counts values in buckets. A linear histogram has at most 250 buckets, an
 * exponential one at most 249; values below the floor and values beyond the last bucket
 * are counted separately. A double is passed as its bits.
 */

/**
 * vitrine_int_linear_create() - create a linear histogram of signed integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, counted from 0, begins at floor + step * i.
 * The upper bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Linear Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_int_histogram *
vitrine_int_linear_create(struct vitrine_node *parent, const char *name,
			  s64 floor, s64 step, unsigned int nr_buckets);

/**
 * vitrine_int_exponential_create() - create an exponential histogram of signed integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of the first bucket, greater than 0
 * @multiplier: factor by which the distance of the upper bound from the floor grows
 *	from bucket to bucket, at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * Bucket 0 begins at the floor, bucket i at floor + step * multiplier^(i - 1). The upper
 * bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Exponential Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_int_histogram *
vitrine_int_exponential_create(struct vitrine_node *parent, const char *name,
			       s64 floor, s64 step, s64 multiplier,
			       unsigned int nr_buckets);

/**
 * vitrine_int_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_histogram_insert(struct vitrine_int_histogram *histogram,
				  s64 value);

/**
 * vitrine_int_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @value: the value
 * @count: number of times; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram,
				       s64 value, u64 count);

/**
 * vitrine_int_histogram_delete() - delete a histogram of signed integers
 * @histogram: the histogram, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_int_histogram_delete(struct vitrine_int_histogram *histogram);

/**
 * vitrine_uint_linear_create() - create a linear histogram of unsigned integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, counted from 0, begins at floor + step * i.
 * The upper bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Linear Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_uint_histogram *
vitrine_uint_linear_create(struct vitrine_node *parent, const char *name,
			   u64 floor, u64 step, unsigned int nr_buckets);

/**
 * vitrine_uint_exponential_create() - create an exponential histogram of unsigned integers
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of the first bucket, greater than 0
 * @multiplier: factor by which the distance of the upper bound from the floor grows
 *	from bucket to bucket, at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * Bucket 0 begins at the floor, bucket i at floor + step * multiplier^(i - 1). The upper
 * bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Exponential Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_uint_histogram *
vitrine_uint_exponential_create(struct vitrine_node *parent, const char *name,
				u64 floor, u64 step, u64 multiplier,
				unsigned int nr_buckets);

/**
 * vitrine_uint_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_histogram_insert(struct vitrine_uint_histogram *histogram,
				   u64 value);

/**
 * vitrine_uint_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @value: the value
 * @count: number of times; the sum wraps
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram,
					u64 value, u64 count);

/**
 * vitrine_uint_histogram_delete() - delete a histogram of unsigned integers
 * @histogram: the histogram, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_uint_histogram_delete(struct vitrine_uint_histogram *histogram);

/**
 * vitrine_double_linear_create() - create a linear histogram of doubles
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket as bits
 * @step: width of each bucket as bits, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, counted from 0, begins at floor + step * i.
 * The upper bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Linear Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_double_histogram *
vitrine_double_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets);

/**
 * vitrine_double_exponential_create() - create an exponential histogram of doubles
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket as bits
 * @step: width of the first bucket as bits, greater than 0
 * @multiplier: factor as bits by which the distance of the upper bound from the floor grows
 *	from bucket to bucket, at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * Bucket 0 begins at the floor, bucket i at floor + step * multiplier^(i - 1). The upper
 * bound of the last bucket must be representable in the type of the values.
 *
 * Format: "Exponential Histogram".
 *
 * Context: any. In NMI, fails if the tree is being edited.
 * Return: the handle, or NULL; the tree counts the failure.
 */
struct vitrine_double_histogram *
vitrine_double_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets);

/**
 * vitrine_double_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @bits: the value as bits; NaN is counted as a failure
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_histogram_insert(struct vitrine_double_histogram *histogram,
				     u64 bits);

/**
 * vitrine_double_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @bits: the value as bits; NaN is counted as a failure
 * @count: number of times; the sum is rounded to nearest, ties to even
 *
 * Context: any. In NMI, dropped and counted if the tree is being edited.
 */
void vitrine_double_histogram_insert_many(struct vitrine_double_histogram *histogram,
					  u64 bits, u64 count);

/**
 * vitrine_double_histogram_delete() - delete a histogram of doubles
 * @histogram: the histogram, or NULL
 *
 * Context: any. In NMI, fails if the tree is being edited.
 */
void vitrine_double_histogram_delete(struct vitrine_double_histogram *histogram);

/*
 * Counters and histograms for hot paths: an update writes to a cache line of the
 * current CPU only and takes no lock. The tree shows the sum over all CPUs, which is
 * computed each time the tree is opened or read, and once a second while it is mapped. Unlike
 * other handles these have memory of their own: the publisher deletes each of them,
 * before or after it destroys the tree.
 */

/**
 * struct vitrine_percpu_uint - a per-CPU counter
 * @cells: the count of each CPU; private
 */
struct vitrine_percpu_uint {
	u64 __percpu *cells;
};

/**
 * vitrine_percpu_uint_create() - create a per-CPU counter
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 *
 * The tree shows the sum over all CPUs as an unsigned integer.
 *
 * Format: "UINT_VALUE".
 *
 * Context: task; may sleep.
 * Return: the counter, or NULL; the tree counts the failure.
 */
struct vitrine_percpu_uint *
vitrine_percpu_uint_create(struct vitrine_node *parent, const char *name);

/**
 * vitrine_percpu_uint_delete() - delete a per-CPU counter
 * @counter: the counter, or NULL; no update may be in progress
 *
 * The tree of the counter may already be destroyed.
 *
 * Context: task; may sleep.
 */
void vitrine_percpu_uint_delete(struct vitrine_percpu_uint *counter);

/**
 * vitrine_percpu_uint_add() - add to the current CPU's part of a counter
 * @counter: the counter, or NULL
 * @delta: addend; the sum wraps
 *
 * Context: any. In NMI, only if this_cpu_add() of the architecture is NMI-safe.
 */
static __always_inline void
vitrine_percpu_uint_add(struct vitrine_percpu_uint *counter, u64 delta)
{
	if (likely(counter))
		this_cpu_add(*counter->cells, delta);
}

struct vitrine_percpu_histogram;

/**
 * vitrine_percpu_linear_create() - create a linear per-CPU histogram
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * The tree shows the sum over all CPUs as vitrine_uint_linear_create() would.
 *
 * Format: "Linear Histogram".
 *
 * Context: task; may sleep.
 * Return: the histogram, or NULL; the tree counts the failure.
 */
struct vitrine_percpu_histogram *
vitrine_percpu_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets);

/**
 * vitrine_percpu_exponential_create() - create an exponential per-CPU histogram
 * @parent: parent node, or NULL
 * @name: at most VITRINE_NAME_MAX bytes of UTF-8; copied
 * @floor: lower bound of the first bucket
 * @step: width of the first bucket, greater than 0
 * @multiplier: factor by which the distance of the upper bound from the floor grows
 *	from bucket to bucket, at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * The tree shows the sum over all CPUs as vitrine_uint_exponential_create() would.
 *
 * Format: "Exponential Histogram".
 *
 * Context: task; may sleep.
 * Return: the histogram, or NULL; the tree counts the failure.
 */
struct vitrine_percpu_histogram *
vitrine_percpu_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets);

/**
 * vitrine_percpu_histogram_insert() - count a value in the current CPU's histogram
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any. In NMI, only if this_cpu_inc() of the architecture is NMI-safe.
 */
void vitrine_percpu_histogram_insert(struct vitrine_percpu_histogram *histogram,
				     u64 value);

/**
 * vitrine_percpu_histogram_delete() - delete a per-CPU histogram
 * @histogram: the histogram, or NULL; no update may be in progress
 *
 * The tree of the histogram may already be destroyed.
 *
 * Context: task; may sleep.
 */
void vitrine_percpu_histogram_delete(struct vitrine_percpu_histogram *histogram);

#endif /* _VITRINE_INSPECT_H */
