// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the tree of a snapshot, put linked trees into it, and free it.
 *
 * The scan of inspect.c validates the whole file first. The code in this file therefore trusts
 * all sizes and indices of blocks.
 *
 * The time to build a tree is linear in the size of the file, except for two sorts. The
 * first sorts all names and assigns a rank to each, so that long names are compared once. The
 * second sorts the siblings of each node by these ranks. Blocks are visited in the order of the
 * file, which suits the cache.
 *
 * A tree is used by one thread while it is built and while links are followed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "base.h"
#include "inspect.h"
#include "value.h"

#define MAX_CHAIN	16	/* links that lead from one tree to the next */
#define MAX_LINKS	1024	/* links in total */

/**
 * struct walk - state while all links of a tree are followed
 * @directory: path that begins with the directory of all files
 * @directory_len: length of the directory with its slash, 0 for the working directory
 * @chain: names of the files on the way from the first tree to the current one
 * @nr_chain: number of @chain in use
 * @nr_links: number of links so far, followed or not
 * @nr_bytes: total size of the linked trees
 * @err: ENOMEM, which ends the walk, or NULL
 */
struct walk {
	const char *directory;
	size_t directory_len;
	const char *chain[MAX_CHAIN + 1];
	unsigned int nr_chain;
	unsigned int nr_links;
	uint64_t nr_bytes;
	struct vitrine_error *err;
};

/* ---- Texts ------------------------------------------------------------- */

/*
 * Return the @len bytes that begin at @offset in block @index. If they go on in extents, the
 * arena gets a copy of all.
 */
static const char *load_bytes(const struct vtr_scan *scan, struct vitrine_hierarchy *hierarchy,
			      uint32_t index, uint32_t offset, uint32_t len)
{
	char *copy = hierarchy->arena + hierarchy->arena_used;
	uint32_t done = 0, n;

	if (len <= vtr_block_bytes(scan, index) - offset)
		return (const char *)scan->bytes + vtr_offset(index) + offset;
	for (; done < len; done += n) {
		n = vtr_block_bytes(scan, index) - offset;
		if (n > len - done)
			n = len - done;
		memcpy(copy + done, scan->bytes + vtr_offset(index) + offset, n);
		/* A STRING_REFERENCE has the next extent in the same bits. */
		index = vtr_bits(scan, index, 0, INSPECT_W0_EXTENT_NEXT);
		offset = INSPECT_EXTENT_PAYLOAD_OFFSET;
	}
	hierarchy->arena_used += len;
	return copy;
}

static void load_texts(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy)
{
	uint32_t index = 0;
	int type;

	while ((type = vtr_next_block(scan, &index)) >= 0) {
		struct vtr_text *text = &hierarchy->texts[hierarchy->nr_texts];

		if (type != INSPECT_NAME && type != INSPECT_STRING_REFERENCE)
			continue;
		hierarchy->number[index] = ++hierarchy->nr_texts;
		text->len = type == INSPECT_NAME ?
			    vtr_bits(scan, index, 0, INSPECT_W0_NAME_LENGTH) :
			    vtr_bits(scan, index, 1, INSPECT_W1_STRREF_LENGTH);
		text->bytes = load_bytes(scan, hierarchy, index,
					 type == INSPECT_NAME ? INSPECT_NAME_PAYLOAD_OFFSET :
					 INSPECT_STRREF_PAYLOAD_OFFSET, text->len);
	}
}

static int compare_texts(const void *a, const void *b)
{
	return vtr_text_compare(*(const struct vtr_text * const *)a,
				*(const struct vtr_text * const *)b);
}

static bool rank_names(struct vitrine_hierarchy *hierarchy)
{
	struct vtr_text **sorted = calloc(hierarchy->nr_texts + 1UL,
					  sizeof(*sorted));
	uint32_t i, nr = 0, rank = 0;

	if (!sorted)
		return false;
	for (i = 0; i < hierarchy->nr_texts; i++)
		if (hierarchy->texts[i].is_name)
			sorted[nr++] = &hierarchy->texts[i];
	qsort(sorted, nr, sizeof(*sorted), compare_texts);
	for (i = 0; i < nr; i++) {
		if (i && compare_texts(&sorted[i - 1], &sorted[i]))
			rank++;
		sorted[i]->rank = rank;
	}
	free(sorted);
	return true;
}

static struct vtr_text *text_at(const struct vitrine_hierarchy *hierarchy,
				uint32_t index)
{
	return &hierarchy->texts[hierarchy->number[index] - 1];
}

/* ---- Values ------------------------------------------------------------ */

static const struct vtr_text root_name = { .bytes = "root", .len = 4 };

static void value_set_text(struct vitrine_value *value, uint32_t index)
{
	const struct vtr_text *text = text_at(value->hierarchy, index);

	value->bytes = text->bytes;
	value->len = text->len;
}

static void load_buffer(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy,
			struct vitrine_value *value)
{
	unsigned int format = vtr_field(value->word, INSPECT_W1_BUFFER_FORMAT);
	uint32_t index = vtr_field(value->word, INSPECT_W1_BUFFER_EXTENT);

	if (format == INSPECT_BUFFER_BINARY)
		value->type = VITRINE_BYTES;
	if (format == INSPECT_BUFFER_STRING_REFERENCE) {
		value_set_text(value, index);
		return;
	}
	value->len = vtr_field(value->word, INSPECT_W1_BUFFER_LENGTH);
	value->bytes = value->len ? load_bytes(scan, hierarchy, index,
					       INSPECT_EXTENT_PAYLOAD_OFFSET, value->len) : "";
}

static void load_value(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *value, int type)
{
	value->word = vtr_word(scan, value->index, 1);
	value->type = vtr_block_types[type].type;
	switch (type) {
	case INSPECT_BUFFER_VALUE:
		load_buffer(scan, hierarchy, value);
		break;
	case INSPECT_LINK_VALUE:
		hierarchy->has_links = true;
		value_set_text(value, vtr_field(value->word,
						INSPECT_W1_LINK_CONTENT));
		break;
	}
}

static void load_root(struct vitrine_hierarchy *hierarchy)
{
	struct vitrine_value *root = &hierarchy->values[hierarchy->nr_values++];

	hierarchy->number[INSPECT_ROOT] = hierarchy->nr_values;
	root->hierarchy = hierarchy;
	root->index = INSPECT_ROOT;
	root->name = &root_name;
	root->type = VITRINE_NODE;
}

static void load_values(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy)
{
	uint32_t index = 0;
	int type;

	load_root(hierarchy);
	while ((type = vtr_next_block(scan, &index)) >= 0) {
		struct vitrine_value *value;
		struct vtr_text *name;

		if (!vtr_block_types[type].is_value)
			continue;
		name = text_at(hierarchy, vtr_bits(scan, index, 0, INSPECT_W0_VALUE_NAME));
		name->is_name = true;
		value = &hierarchy->values[hierarchy->nr_values++];
		hierarchy->number[index] = hierarchy->nr_values;
		value->hierarchy = hierarchy;
		value->index = index;
		value->name = name;
		load_value(scan, hierarchy, value, type);
	}
}

/* ---- Links between values ---------------------------------------------- */

/* Compare siblings by name. Those of one file need not be compared byte by byte. */
static int compare_names(const struct vitrine_value *a, const struct vitrine_value *b)
{
	if (a->hierarchy != b->hierarchy)
		return vtr_text_compare(a->name, b->name);
	return (a->name->rank > b->name->rank) - (a->name->rank < b->name->rank);
}

/* Take @nr values from the front of a list. Return them sorted; equal names keep their order. */
static struct vitrine_value *take_sorted(struct vitrine_value **list, size_t nr)
{
	struct vitrine_value *left, *right, *sorted, **least, **end = &sorted;

	if (nr == 1) {
		sorted = *list;
		*list = sorted->next;
		sorted->next = NULL;
		return sorted;
	}
	left = take_sorted(list, nr / 2);
	right = take_sorted(list, nr - nr / 2);
	for (; left && right; end = &(*end)->next) {
		least = compare_names(left, right) > 0 ? &right : &left;
		*end = *least;
		*least = (*least)->next;
	}
	*end = left ? left : right;
	return sorted;
}

/* Sort siblings by name, and number those of the same name. */
static void sort_siblings(struct vitrine_value **first)
{
	struct vitrine_value *value, *unsorted = *first;
	unsigned int ordinal = 0;
	size_t nr = 0;

	for (value = unsorted; value; value = value->next)
		nr++;
	*first = take_sorted(&unsorted, nr);
	for (value = *first; value; value = value->next) {
		value->ordinal = ordinal;
		ordinal = value->next && !compare_names(value, value->next) ? ordinal + 1 : 0;
	}
}

/* Prepend a value to the children of its parent. */
static void link_value(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *value)
{
	uint32_t index = vtr_bits(scan, value->index, 0, INSPECT_W0_VALUE_PARENT);

	/* Children of a TOMBSTONE are not part of the tree. */
	if (!hierarchy->number[index])
		return;
	value->parent = &hierarchy->values[hierarchy->number[index] - 1];
	value->next = value->parent->first_child;
	value->parent->first_child = value;
}

/* Link all values to their parents, except the first value, which is the root. */
static void link_values(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy)
{
	uint32_t i;

	for (i = hierarchy->nr_values; --i > 0;)
		link_value(scan, hierarchy, &hierarchy->values[i]);
	for (i = 0; i < hierarchy->nr_values; i++)
		if (hierarchy->values[i].first_child)
			sort_siblings(&hierarchy->values[i].first_child);
}

/*
 * Find the root, which is index 0. In older files, the only child of index 0 is a node
 * "root", which contains all other values; this node is the root then.
 */
static struct vitrine_value *find_root(struct vitrine_hierarchy *hierarchy)
{
	struct vitrine_value *root = hierarchy->values;
	struct vitrine_value *child = root->first_child;

	if (!child || child->next || child->type != VITRINE_NODE ||
	    !vtr_value_is_named(child, root_name.bytes))
		return root;
	child->parent = NULL;
	return child;
}

/*
 * Return a value of @first, its siblings and their descendants that is deeper than @nr_levels,
 * which is also the depth of the recursion.
 */
static const struct vitrine_value *find_deeper(const struct vitrine_value *first,
					       unsigned int nr_levels)
{
	const struct vitrine_value *found = NULL;

	for (; first && !found; first = first->next)
		found = nr_levels ? find_deeper(first->first_child, nr_levels - 1) : first;
	return found;
}

static struct vitrine_error *check_depth(const struct vitrine_hierarchy *hierarchy,
					 const char *path)
{
	const struct vitrine_value *deep = find_deeper(hierarchy->first, VITRINE_MAX_DEPTH);

	return deep ? vitrine_error_create(EBADMSG, path, vitrine_value_offset(deep), NULL,
					   "the tree is more than %d levels deep",
					   VITRINE_MAX_DEPTH) : NULL;
}

/* ---- Creation and destruction ------------------------------------------ */

static bool allocate(const struct vtr_scan *scan,
		     struct vitrine_hierarchy *hierarchy)
{
	hierarchy->number = calloc(scan->nr_units, sizeof(*hierarchy->number));
	/* One more, for the root. */
	hierarchy->values = calloc(scan->nr_values + 1UL,
				   sizeof(*hierarchy->values));
	/* One more, because calloc(0) may return NULL. */
	hierarchy->texts = calloc(scan->nr_texts + 1UL,
				  sizeof(*hierarchy->texts));
	hierarchy->arena = malloc(scan->chained_bytes + 1);
	return hierarchy->number && hierarchy->values && hierarchy->texts &&
	       hierarchy->arena;
}

static struct vitrine_error *build(const struct vtr_scan *scan,
				   struct vitrine_hierarchy **ret)
{
	struct vitrine_hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
	struct vitrine_error *err;

	if (!hierarchy)
		return vtr_error_no_memory();
	hierarchy->bytes = scan->bytes;
	hierarchy->version = scan->version;
	err = vtr_error_no_memory();
	if (!allocate(scan, hierarchy))
		goto err_destroy;
	load_texts(scan, hierarchy);
	load_values(scan, hierarchy);
	if (!rank_names(hierarchy))
		goto err_destroy;
	link_values(scan, hierarchy);
	hierarchy->first = find_root(hierarchy);
	err = check_depth(hierarchy, scan->path);
	if (err)
		goto err_destroy;
	*ret = hierarchy;
	return NULL;

err_destroy:
	vitrine_hierarchy_destroy(hierarchy);
	return err;
}

/**
 * vitrine_hierarchy_create() - validate a snapshot and build its tree
 * @snapshot: snapshot; must outlive the hierarchy and must not be refreshed meanwhile
 * @ret: the hierarchy
 *
 * Faults with which the file is readable are ignored; vitrine_inspect_check() reports them.
 *
 * Return: NULL, or an error: EBADMSG, with the offset, if the file is not readable,
 * EPROTONOSUPPORT for an unknown version, ENOMEM.
 */
struct vitrine_error *
vitrine_hierarchy_create(const struct vitrine_snapshot *snapshot,
			 struct vitrine_hierarchy **ret)
{
	struct vtr_scan scan = { .path = vitrine_snapshot_path(snapshot) };
	struct vitrine_error *err;
	const void *bytes;
	size_t len;

	bytes = vitrine_snapshot_bytes(snapshot, &len);
	err = vtr_scan_init(&scan, bytes, len);
	if (err)
		return err;
	err = build(&scan, ret);
	vtr_scan_deinit(&scan);
	return err;
}

/* Free a linked tree. */
static void vtr_linked_destroy(struct vtr_linked *linked)
{
	vitrine_hierarchy_destroy(linked->hierarchy);
	vitrine_snapshot_destroy(linked->snapshot);
	free(linked);
}

/* Free the linked trees and errors of vitrine_hierarchy_follow_links(). */
static void links_destroy(struct vitrine_hierarchy *hierarchy)
{
	struct vtr_linked *linked, *next;
	unsigned int i;

	for (linked = hierarchy->linked; linked; linked = next) {
		next = linked->next;
		vtr_linked_destroy(linked);
	}
	for (i = 0; i < hierarchy->nr_link_errors; i++)
		vitrine_error_destroy(hierarchy->link_errors[i]);
	free(hierarchy->link_errors);
}

/**
 * vitrine_hierarchy_destroy() - free a hierarchy and all its values
 * @hierarchy: hierarchy, or NULL
 */
void vitrine_hierarchy_destroy(struct vitrine_hierarchy *hierarchy)
{
	if (!hierarchy)
		return;
	links_destroy(hierarchy);
	free(hierarchy->number);
	free(hierarchy->values);
	free(hierarchy->texts);
	free(hierarchy->arena);
	free(hierarchy);
}

/**
 * vitrine_hierarchy_version() - return the version of the Inspect format
 * @hierarchy: hierarchy
 *
 * Return: 0, 1 or 2.
 */
unsigned int vitrine_hierarchy_version(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->version;
}

/**
 * vitrine_hierarchy_first() - return the root of a tree
 * @hierarchy: hierarchy
 *
 * Return: the root, a node that is always called "root"; NULL if a filter has dropped all
 * values.
 */
const struct vitrine_value *
vitrine_hierarchy_first(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->first;
}

/* ---- Linked trees ------------------------------------------------------ */

/*
 * The content of a link is the name of a file in the directory of the file that holds the
 * link. Trees are read once for each link and not shared between links, because a lazy
 * tree may differ between two reads. The tree that holds the links owns the linked trees.
 *
 * The publisher of a link is not trusted: the number of links, the length of a chain of
 * links, the depth of the tree and its bytes are bounded, and only regular files of the
 * one directory are opened. A link that cannot be followed stays a link, with the reason.
 */

static void follow_all(struct walk *walk, struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *parent, unsigned int level);

/* ---- Names of files ---------------------------------------------------- */

/* Check for a file name without a directory and with the suffix of Inspect files. */
static bool is_tree_file(const char *name, size_t len)
{
	return ends_in(name, len, VITRINE_INSPECT_SUFFIX) && name[0] != '.' &&
	       !memchr(name, '/', len) && !memchr(name, 0, len);
}

static char *path_of_link(const struct walk *walk,
			  const struct vitrine_value *link)
{
	char *path = malloc(walk->directory_len + link->len + 1);

	if (!path)
		return NULL;
	memcpy(path, walk->directory, walk->directory_len);
	memcpy(path + walk->directory_len, link->bytes, link->len);
	path[walk->directory_len + link->len] = '\0';
	return path;
}

static struct vitrine_error *refuse(int code, const char *path,
				    const char *message)
{
	return vitrine_error_create(code, path, VITRINE_NO_OFFSET, NULL, "%s",
				    message);
}

static struct vitrine_error *check_chain(const struct walk *walk,
					 const char *path)
{
	const char *name = path + walk->directory_len;
	unsigned int i;

	for (i = 0; i < walk->nr_chain; i++)
		if (!strcmp(walk->chain[i], name))
			return refuse(ELOOP, path,
				      "the links lead in a circle");
	if (walk->nr_chain > MAX_CHAIN)
		return refuse(ELOOP, path,
			      "more than 16 links one behind the other");
	return NULL;
}

/* Accept only regular files, because open() of a FIFO would block. */
static struct vitrine_error *check_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ?
			refuse(errno, path, "there is no such tree") :
			vtr_error_open(errno, path);
	if (!S_ISREG(st.st_mode))
		return refuse(EINVAL, path, "not a regular file");
	return NULL;
}

static struct vitrine_error *read_linked(struct walk *walk, const char *path,
					 struct vtr_linked *linked)
{
	struct vitrine_source *source = NULL;
	struct vitrine_error *err;
	size_t len = 0;

	err = vitrine_source_create(path, 0, &source);
	if (!err)
		err = vitrine_snapshot_create(source, &linked->snapshot);
	vitrine_source_destroy(source);
	if (err)
		return err;
	vitrine_snapshot_bytes(linked->snapshot, &len);
	walk->nr_bytes += len;
	if (walk->nr_bytes > INSPECT_MAX_FILE_BYTES)
		return refuse(EFBIG, path,
			      "all linked trees together are more than 256 MiB");
	return vitrine_hierarchy_create(linked->snapshot, &linked->hierarchy);
}

/* ---- Reading linked trees ---------------------------------------------- */

/* Read a tree and follow its links. Its top level will be at @level of the whole tree. */
static struct vitrine_error *load_linked(struct walk *walk, const char *path,
					 unsigned int level,
					 struct vtr_linked *linked)
{
	struct vitrine_error *err;

	err = check_chain(walk, path);
	if (!err)
		err = check_regular(path);
	if (!err)
		err = read_linked(walk, path, linked);
	if (err)
		return err;
	walk->chain[walk->nr_chain++] = path + walk->directory_len;
	follow_all(walk, linked->hierarchy, NULL, 1);
	walk->nr_chain--;
	if (find_deeper(linked->hierarchy->first->first_child, VITRINE_MAX_DEPTH + 1 - level))
		return refuse(EBADMSG, path,
			      "with this tree the whole is more than 1024 levels deep");
	return NULL;
}

/* Open the tree that @link leads to. Return an error if the link cannot be followed. */
static struct vitrine_error *open_link(struct walk *walk,
				       struct vitrine_hierarchy *hierarchy,
				       const struct vitrine_value *link,
				       unsigned int level,
				       struct vtr_linked **ret)
{
	struct vtr_linked *linked;
	struct vitrine_error *err;
	char *path;

	if (!is_tree_file(link->bytes, link->len))
		return refuse(EINVAL, NULL, "the link names no tree");
	linked = calloc(1, sizeof(*linked));
	path = path_of_link(walk, link);
	if (linked && path)
		err = load_linked(walk, path, level, linked);
	else
		err = vtr_error_no_memory();
	free(path);
	if (err) {
		if (linked)
			vtr_linked_destroy(linked);
		return err;
	}
	linked->next = hierarchy->linked;
	hierarchy->linked = linked;
	*ret = linked;
	return NULL;
}

/* ---- Errors of links --------------------------------------------------- */

/* Store the error of a link; takes ownership of @err. */
static void note_error(struct walk *walk, struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *link, struct vitrine_error *err)
{
	if (GROW(hierarchy->link_errors, hierarchy->nr_link_errors)) {
		hierarchy->link_errors[hierarchy->nr_link_errors++] = err;
		link->link_error = hierarchy->nr_link_errors;
		if (err->code != ENOMEM)
			return;
		err = NULL;
	}
	vitrine_error_destroy(err);
	if (!walk->err)
		walk->err = vtr_error_no_memory();
}

/* Store the error of a link beyond the limit; all such links share one error. */
static void note_too_many(struct walk *walk, struct vitrine_hierarchy *hierarchy,
			  struct vitrine_value *link)
{
	if (hierarchy->too_many_links)
		link->link_error = hierarchy->too_many_links;
	else
		note_error(walk, hierarchy, link,
			   refuse(EMLINK, NULL, "more than 1024 links"));
	hierarchy->too_many_links = link->link_error;
}

/* ---- Splicing ---------------------------------------------------------- */

static void set_parent(struct vitrine_value *first, struct vitrine_value *parent)
{
	for (; first; first = first->next)
		first->parent = parent;
}

/* Follow one link. If it is inline, return the values to be added to its parent. */
static struct vitrine_value *follow(struct walk *walk,
				    struct vitrine_hierarchy *hierarchy,
				    struct vitrine_value *link,
				    unsigned int level)
{
	bool is_inline = vitrine_value_disposition(link) == INSPECT_LINK_INLINE;
	struct vtr_linked *linked = NULL;
	struct vitrine_value *content;
	struct vitrine_error *err;

	if (walk->nr_links >= MAX_LINKS) {
		note_too_many(walk, hierarchy, link);
		return NULL;
	}
	walk->nr_links++;
	err = open_link(walk, hierarchy, link, is_inline ? level : level + 1,
			&linked);
	if (err) {
		note_error(walk, hierarchy, link, err);
		return NULL;
	}
	content = linked->hierarchy->first->first_child;
	set_parent(content, is_inline ? link->parent : link);
	link->type = VITRINE_NODE;
	link->first_child = is_inline ? NULL : content;
	return is_inline ? content : NULL;
}

/*
 * Follow all links among the descendants of @parent, whose children are at @level; NULL
 * stands for the top of the tree. The depth of the recursion is at most
 * VITRINE_MAX_DEPTH.
 */
static void follow_all(struct walk *walk, struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *parent, unsigned int level)
{
	struct vitrine_value **first = parent ? &parent->first_child :
						&hierarchy->first;
	struct vitrine_value **at = first, *inlined = NULL, **end = &inlined;

	while (*at && !walk->err) {
		struct vitrine_value *value = *at;
		bool is_inline;

		if (value->type == VITRINE_NODE)
			follow_all(walk, hierarchy, value, level + 1);
		is_inline = value->type == VITRINE_LINK &&
			vitrine_value_disposition(value) == INSPECT_LINK_INLINE;
		if (value->type == VITRINE_LINK)
			*end = follow(walk, hierarchy, value, level);
		while (*end)
			end = &(*end)->next;
		/* Remove an inline link that was followed; its values replace it. */
		if (is_inline && value->type != VITRINE_LINK)
			*at = value->next;
		else
			at = &value->next;
	}
	if (!inlined)
		return;
	while (*at)
		at = &(*at)->next;
	*at = inlined;
	sort_siblings(first);
}

/**
 * vitrine_hierarchy_follow_links() - replace links by the trees that they lead to
 * @hierarchy: tree
 * @path: file of the tree; links lead to files in the same directory
 *
 * A link with disposition "child" becomes a node, with the children of the root of the
 * linked tree. A link with disposition "inline" is replaced by these children. A link that
 * cannot be followed remains a link; vitrine_value_link_error() returns the reason.
 *
 * May be called once for each tree. Links that vitrine_hierarchy_filter() has dropped are
 * not followed.
 *
 * Return: NULL, or ENOMEM, in which case some links have not been followed.
 */
struct vitrine_error *
vitrine_hierarchy_follow_links(struct vitrine_hierarchy *hierarchy,
			       const char *path)
{
	const char *slash = strrchr(path, '/');
	struct walk walk = {
		.directory = path,
		.directory_len = slash ? slash + 1 - path : 0,
		.nr_chain = 1,
	};

	walk.chain[0] = path + walk.directory_len;
	if (hierarchy->has_links)
		follow_all(&walk, hierarchy, NULL, 1);
	return walk.err;
}

/**
 * vitrine_hierarchy_nr_linked() - count the trees that are linked from a tree
 * @hierarchy: tree
 *
 * Return: number of trees to which links of @hierarchy itself lead.
 */
unsigned int
vitrine_hierarchy_nr_linked(const struct vitrine_hierarchy *hierarchy)
{
	const struct vtr_linked *linked;
	unsigned int nr = 0;

	for (linked = hierarchy->linked; linked; linked = linked->next)
		nr++;
	return nr;
}

/**
 * vitrine_value_link_error() - return the reason why a link was not followed
 * @value: value
 *
 * The code of the error is ENOENT if the tree does not exist, EINVAL if the content of the
 * link is not the name of a tree, ELOOP if the chain of links is a circle or too long,
 * EMLINK if there are too many links, or else the error of opening or reading the tree.
 *
 * Return: the error, owned by the hierarchy, or NULL if @value is not a link or links have
 * not been followed.
 */
const struct vitrine_error *
vitrine_value_link_error(const struct vitrine_value *value)
{
	if (value->type != VITRINE_LINK || !value->link_error)
		return NULL;
	return value->hierarchy->link_errors[value->link_error - 1];
}
