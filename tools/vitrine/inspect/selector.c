// SPDX-License-Identifier: GPL-2.0
/*
 * Parse selectors, and match them against names. This file knows nothing of files or
 * trees; trees.c does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "selector.h"

/* ---- Errors ------------------------------------------------------------ */

/* Return the column of @at, from 1, in characters of UTF-8. */
static size_t column_of(const struct selector *selector, const char *at)
{
	size_t column = 1;
	const char *p;

	for (p = selector->text; p < at; p++)
		column += ((unsigned char)*p & 0xc0) != 0x80;
	return column;
}

static struct vitrine_error *error_at(const struct selector *selector,
				      const char *at, const char *advice,
				      const char *message)
{
	return make_error(EINVAL, selector->text, advice, "column %zu: %s", column_of(selector, at),
			  message);
}

/* ---- Parsing ----------------------------------------------------------- */

/**
 * selector_is_special() - find out whether a character is special in a selector
 * @c: character
 *
 * Return: true if a backslash must precede it to stand for itself.
 */
bool selector_is_special(char c)
{
	return c == ':' || c == '/' || c == '*' || c == '\\';
}

/* Return an error if a backslash precedes a character that is not special. */
static struct vitrine_error *check_escapes(const struct selector *selector)
{
	const char *p;

	for (p = selector->text; *p; p++) {
		if (*p != '\\')
			continue;
		if (!p[1])
			return error_at(selector, p, "write \\\\ for a backslash",
					"nothing follows the backslash");
		if (!selector_is_special(p[1]))
			return error_at(selector, p, "write \\\\ for a backslash",
					"only : / * and \\ can be escaped");
		p++;
	}
	return NULL;
}

/* Return the first @separator without a backslash before it, or @end. */
static const char *find(const char *from, const char *end, char separator)
{
	while (from < end && *from != separator)
		from += *from == '\\' ? 2 : 1;
	return from < end ? from : end;
}

static struct selector_name name_between(const char *from, const char *end)
{
	return (struct selector_name){ .bytes = from, .len = end - from };
}

static struct vitrine_error *parse_nodes(struct selector *selector,
					 const char *from, const char *end)
{
	const char *p, *stop;
	size_t nr = 1;

	for (p = find(from, end, '/'); p < end; p = find(p + 1, end, '/'))
		nr++;
	if (nr > VITRINE_MAX_DEPTH)
		return error_at(selector, from, NULL,
				"more nodes than the maximum depth of a tree");
	selector->nodes = calloc(nr, sizeof(*selector->nodes));
	must_have(selector->nodes);
	for (p = from; selector->nr_nodes < nr; p = stop + 1) {
		stop = find(p, end, '/');
		if (stop == p)
			return error_at(selector, p,
					"write \\/ for a slash in a name",
					"a node name is missing");
		selector->nodes[selector->nr_nodes++] = name_between(p, stop);
	}
	selector->below_root = selector->nodes[0].len != 4 ||
			       memcmp(selector->nodes[0].bytes, "root", 4);
	return NULL;
}

static struct vitrine_error *parse(struct selector *selector)
{
	const char *end = selector->text + strlen(selector->text);
	const char *nodes, *property;
	struct vitrine_error *err;

	err = check_escapes(selector);
	if (err)
		return err;
	nodes = find(selector->text, end, ':');
	selector->tree = name_between(selector->text, nodes);
	if (!selector->tree.len)
		return error_at(selector, nodes, "write * for all trees",
				"the tree name is missing");
	if (nodes == end)
		return NULL;
	property = find(nodes + 1, end, ':');
	err = parse_nodes(selector, nodes + 1, property);
	if (err || property == end)
		return err;
	selector->has_property = true;
	selector->property = name_between(property + 1, end);
	if (!selector->property.len)
		return error_at(selector, end, "write * for all properties",
				"the property name is missing");
	property = find(property + 1, end, ':');
	if (property < end)
		return error_at(selector, property,
				"write \\: for a colon in a name",
				"a selector has three parts, TREE:NODE/NODE:PROPERTY");
	return NULL;
}

/**
 * selector_create() - parse a selector
 * @text: selector
 * @ret: parsed selector
 *
 * Return: NULL, or an error: EINVAL, whose message has the column.
 */
struct vitrine_error *selector_create(const char *text, struct selector **ret)
{
	struct selector *selector = calloc(1, sizeof(*selector));
	struct vitrine_error *err;

	must_have(selector);
	selector->text = strdup(text);
	must_have(selector->text);
	err = parse(selector);
	if (err)
		selector_destroy(selector);
	else
		*ret = selector;
	return err;
}

/**
 * selector_destroy() - free a selector
 * @selector: selector, or NULL
 */
void selector_destroy(struct selector *selector)
{
	if (!selector)
		return;
	free(selector->nodes);
	free(selector->text);
	free(selector);
}

/* ---- Names ------------------------------------------------------------- */

/**
 * selector_name_fits() - match a name against a pattern
 * @pattern: pattern, as written
 * @name: name, without escapes
 *
 * Backtracking to the last "*" suffices, so the time is at most the product of both
 * lengths.
 *
 * Return: true if the pattern matches the whole name.
 */
bool selector_name_fits(const struct selector_name *pattern,
			const struct selector_name *name)
{
	size_t p = 0, n = 0, star = 0, resume = 0;
	bool starred = false;

	while (n < name->len) {
		size_t escape = p < pattern->len && pattern->bytes[p] == '\\';

		if (p < pattern->len && pattern->bytes[p] == '*') {
			starred = true;
			star = ++p;
			resume = n;
		} else if (p + escape < pattern->len &&
			   pattern->bytes[p + escape] == name->bytes[n]) {
			p += escape + 1;
			n++;
		} else if (starred) {
			p = star;
			n = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern->len && pattern->bytes[p] == '*')
		p++;
	return p == pattern->len;
}

/**
 * selector_name_is_pattern() - find out whether a pattern can match several names
 * @pattern: pattern
 *
 * Return: true if it has a "*" without a backslash before it.
 */
bool selector_name_is_pattern(const struct selector_name *pattern)
{
	const char *end = pattern->bytes + pattern->len;

	return find(pattern->bytes, end, '*') < end;
}

/**
 * selector_name_unescape() - remove the escapes from a pattern without "*"
 * @pattern: pattern
 *
 * Return: the name, to be freed.
 */
char *selector_name_unescape(const struct selector_name *pattern)
{
	char *name = malloc(pattern->len + 1);
	size_t i, len = 0;

	must_have(name);
	for (i = 0; i < pattern->len; i++) {
		if (pattern->bytes[i] == '\\' && i + 1 < pattern->len)
			i++;
		name[len++] = pattern->bytes[i];
	}
	name[len] = '\0';
	return name;
}

/* ---- Values ------------------------------------------------------------ */

/* Return whether the first @nr patterns match the first @nr names. */
static bool nodes_fit(const struct selector *selector,
		      const struct selector_name *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!selector_name_fits(&selector->nodes[i], &names[i]))
			return false;
	return true;
}

/* Return whether the last name of the selector is that of a property below @nr nodes. */
static bool is_property(const struct selector *selector, const struct selector_name *path,
			size_t nr)
{
	const struct selector_name *last = &selector->nodes[selector->nr_nodes - 1];

	return !selector->has_property && nr + 1 == selector->nr_nodes &&
	       !selector_name_is_pattern(last) && selector_name_fits(last, &path[nr]);
}

/**
 * selector_judge() - decide whether a selector selects a value
 * @selector: selector
 * @path: names from the root down to the value
 * @nr_names: how many, at least 1
 * @is_node: the value is a node, not a property
 *
 * Return: VITRINE_KEEP if it selects the value and everything below; VITRINE_DESCEND
 * if it may select something below; else VITRINE_DROP.
 */
enum vitrine_verdict selector_judge(const struct selector *selector,
				    const struct selector_name *path,
				    size_t nr_names, bool is_node)
{
	size_t nr = is_node ? nr_names : nr_names - 1;
	size_t wanted = selector->nr_nodes;

	if (!wanted)
		return VITRINE_KEEP;
	if (selector->below_root && nr) {
		path++;
		nr--;
	}
	if (!nodes_fit(selector, path, nr < wanted ? nr : wanted))
		return VITRINE_DROP;
	if (nr < wanted)
		return is_node ? VITRINE_DESCEND :
		       is_property(selector, path, nr) ? VITRINE_KEEP : VITRINE_DROP;
	if (!selector->has_property)
		return VITRINE_KEEP;
	if (nr > wanted)
		return VITRINE_DROP;
	if (is_node)
		return VITRINE_DESCEND;
	return selector_name_fits(&selector->property, &path[nr]) ?
		VITRINE_KEEP : VITRINE_DROP;
}
