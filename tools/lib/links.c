// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Put linked trees in the place of their links.
 *
 * The content of a link is the name of a file in the directory of the file that holds the
 * link. Trees are read once for each link and not shared between links, because a lazy
 * tree may differ between two reads. The tree that holds the links owns the linked trees.
 *
 * The publisher of a link is not trusted: the number of links, the length of a chain of
 * links, the depth of the tree and its bytes are bounded, and only regular files of the
 * one directory are opened. A link that cannot be followed stays a link, with the reason.
 * A tree is used by one thread while links are followed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "error.h"
#include "grow.h"
#include "hierarchy.h"

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

static void follow_all(struct walk *walk, struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *parent, unsigned int level);

/* ---- Names of files ---------------------------------------------------- */

/* Check for a file name without a directory and with the suffix of Inspect files. */
static bool is_tree_file(const char *name, size_t len)
{
	const size_t end = strlen(VITRINE_INSPECT_SUFFIX);

	return len > end && name[0] != '.' && !memchr(name, '/', len) &&
	       !memchr(name, 0, len) &&
	       !memcmp(name + len - end, VITRINE_INSPECT_SUFFIX, end);
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

/*
 * Return the number of levels of @first, its siblings and their descendants. The depth of
 * the recursion is at most VITRINE_MAX_DEPTH.
 */
static unsigned int height_of(const struct vitrine_value *first)
{
	unsigned int highest = 0;

	for (; first; first = first->next) {
		unsigned int height = 1 + height_of(first->first_child);

		if (height > highest)
			highest = height;
	}
	return highest;
}

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
	if (level - 1 + height_of(linked->hierarchy->first->first_child) >
	    VITRINE_MAX_DEPTH)
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

/* A value and its position before sorting, which orders values of the same name. */
struct sibling {
	struct vitrine_value *value;
	size_t number;
};

static int compare_siblings(const void *a, const void *b)
{
	const struct sibling *a_sibling = a;
	const struct sibling *b_sibling = b;
	int order = vtr_text_compare(a_sibling->value->name,
				     b_sibling->value->name);

	if (order)
		return order;
	return a_sibling->number < b_sibling->number ? -1 : 1;
}

static void count_ordinals(struct vitrine_value *first)
{
	struct vitrine_value *value;

	for (value = first; value && value->next; value = value->next)
		value->next->ordinal =
			vtr_text_compare(value->name, value->next->name) ?
			0 : value->ordinal + 1;
}

/* Sort siblings by name, after inline links have appended values to them. */
static struct vitrine_value *sort_siblings(struct walk *walk,
					   struct vitrine_value *first)
{
	struct vitrine_value *value, **end = &first;
	struct sibling *siblings;
	size_t i, nr = 0;

	for (value = first; value; value = value->next)
		nr++;
	siblings = calloc(nr + 1, sizeof(*siblings));
	if (!siblings) {
		if (!walk->err)
			walk->err = vtr_error_no_memory();
		return first;
	}
	for (i = 0, value = first; value; value = value->next, i++)
		siblings[i] = (struct sibling){ value, i };
	qsort(siblings, nr, sizeof(*siblings), compare_siblings);
	for (i = 0; i < nr; i++) {
		*end = siblings[i].value;
		end = &siblings[i].value->next;
	}
	*end = NULL;
	free(siblings);
	if (first)
		first->ordinal = 0;
	count_ordinals(first);
	return first;
}

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
	*first = sort_siblings(walk, *first);
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
