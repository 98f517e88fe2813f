// SPDX-License-Identifier: GPL-2.0
/*
 * Selectors: their meaning, which values they match, and the errors of invalid ones.
 */
#include <stdlib.h>

#include "../must.h"
#include "inspect/selector.h"
#include "test.h"

#define MAX_NAMES	8

static struct selector *created(const char *text)
{
	struct selector *selector;

	must(selector_create(text, &selector));
	return selector;
}

/* Test point: @text is refused, with an error that contains @message. */
static void refused(const char *text, const char *message)
{
	struct selector *selector = NULL;
	struct vitrine_error *err = selector_create(text, &selector);

	ok(err && err->code == EINVAL && strstr(err->message, message) && !strcmp(err->path, text),
	   "`%s' is refused: %s", text, err ? err->message : "no error");
	vitrine_error_destroy(err);
	selector_destroy(selector);
}

static size_t split(char *path, struct selector_name *names)
{
	char *save = NULL, *name;
	size_t nr = 0;

	for (name = strtok_r(path, "|", &save); name; name = strtok_r(NULL, "|", &save))
		names[nr++] = (struct selector_name){ name, strlen(name) };
	return nr;
}

/* Test point: the verdict of @text for the value whose path, from the root, is "a|b|c". */
static void judges(const char *text, const char *path, bool is_node, enum vitrine_verdict expected)
{
	static const char * const verdicts[] = { "drop", "keep", "descend" };
	struct selector *selector = created(text);
	struct selector_name names[MAX_NAMES];
	enum vitrine_verdict got;
	char *copy = strdup(path);

	got = selector_judge(selector, names, split(copy, names), is_node);
	ok(got == expected, "`%s' of %s %s: %s", text, is_node ? "node" : "property", path,
	   verdicts[got]);
	selector_destroy(selector);
	free(copy);
}

static void fits(const char *pattern, const char *name, bool expected)
{
	const struct selector_name p = { pattern, strlen(pattern) };
	const struct selector_name n = { name, strlen(name) };

	ok(selector_name_fits(&p, &n) == expected, "`%s' %s `%s'", pattern,
	   expected ? "fits" : "does not fit", name);
}

static void test_refused(void)
{
	refused("", "column 1: the tree name is missing");
	refused(":root", "column 1: the tree name is missing");
	refused("t:", "column 3: a node name is missing");
	refused("t::p", "column 3: a node name is missing");
	refused("t:/a", "column 3: a node name is missing");
	refused("t:a//b", "column 5: a node name is missing");
	refused("t:a/", "column 5: a node name is missing");
	refused("t:a:", "column 5: the property name is missing");
	refused("t:a:b:c", "column 6: a selector has three parts");
	refused("t:a\\", "column 4: nothing follows the backslash");
	refused("t\\n", "column 2: only : / * and");
	/* Columns count characters, not bytes. */
	refused("gr\xc3\xbcne:a//b", "column 9: a node name is");
}

static void test_fits(void)
{
	fits("abc", "abc", true);
	fits("abc", "ab", false);
	fits("ab", "abc", false);
	fits("", "", true);
	fits("", "a", false);
	fits("*", "", true);
	fits("*", "a:b/c", true);
	fits("a*c", "ac", true);
	fits("a*c", "abcbc", true);
	fits("a*c", "abcb", false);
	fits("*a*b*", "xxaxxbxx", true);
	fits("*a*b*", "xxbxxaxx", false);
	fits("**", "x", true);
	fits("\\*", "*", true);
	fits("\\*", "x", false);
	fits("a\\:b\\/c\\\\", "a:b/c\\", true);
	fits("*\\*", "ab*", true);
	fits("*\\*", "ab", false);
}

static void test_judges(void)
{
	/* A node and everything below it. */
	judges("t", "root", true, VITRINE_KEEP);
	judges("t:root", "root", true, VITRINE_KEEP);
	judges("t:root/a", "root", true, VITRINE_DESCEND);
	judges("t:root/a", "root|a", true, VITRINE_KEEP);
	judges("t:root/a", "root|b", true, VITRINE_DROP);
	judges("t:root/a", "root|b", false, VITRINE_DROP);
	judges("t:root/a", "root|a|p", false, VITRINE_KEEP);
	judges("t:root/a", "root|a|b|c", true, VITRINE_KEEP);
	judges("t:root/a/b", "root|a|x", false, VITRINE_DROP);
	/* Without the root. */
	judges("t:a", "root", true, VITRINE_DESCEND);
	judges("t:a", "root|a", true, VITRINE_KEEP);
	judges("t:a", "root|p", false, VITRINE_DROP);
	judges("t:a", "p", false, VITRINE_DROP);
	judges("t:roots", "root|roots", true, VITRINE_KEEP);
	judges("t:root/root", "root|root", true, VITRINE_KEEP);
	judges("t:*", "root|a", true, VITRINE_KEEP);
	judges("t:*", "root|p", false, VITRINE_DROP);
	/* The last name may be that of a property. */
	judges("t:p", "root|p", false, VITRINE_KEEP);
	judges("t:p", "root|a|p", false, VITRINE_DROP);
	judges("t:root/p", "root|p", false, VITRINE_KEEP);
	judges("t:a/p", "root|a|p", false, VITRINE_KEEP);
	judges("t:a/p", "root|b|p", false, VITRINE_DROP);
	judges("t:p:q", "root|p", false, VITRINE_DROP);
	judges("t:p*", "root|p", false, VITRINE_DROP);
	/* Properties of a node, but no node below it. */
	judges("t:root:p", "root", true, VITRINE_DESCEND);
	judges("t:root:p", "root|p", false, VITRINE_KEEP);
	judges("t:root:p", "root|q", false, VITRINE_DROP);
	judges("t:root:p", "root|p", true, VITRINE_DROP);
	judges("t:root:*", "root|a|p", false, VITRINE_DROP);
	judges("t:a/*:p*", "root|a|b", true, VITRINE_DESCEND);
	judges("t:a/*:p*", "root|a|b|pp", false, VITRINE_KEEP);
	judges("t:a/*:p*", "root|a|pp", false, VITRINE_DROP);
	judges("t:a/*:p*", "root|b|b|pp", false, VITRINE_DROP);
	/* Names that contain the separators of selectors. */
	judges("t:root/a\\/b:c\\:d", "root|a/b|c:d", false, VITRINE_KEEP);
	judges("t:root/a\\/b:c/d", "root|a/b|c/d", false, VITRINE_KEEP);
}

static void test_names(void)
{
	struct selector *selector = created("./a\\:\\*.inspect:root");
	char *name = selector_name_unescape(&selector->tree);

	ok(!selector_name_is_pattern(&selector->tree), "an escaped * makes no pattern");
	ok(name && !strcmp(name, "./a:*.inspect"), "backslashes go: %s", name);
	free(name);
	selector_destroy(selector);
	selector = created("a*");
	ok(selector_name_is_pattern(&selector->tree), "a * makes a pattern");
	selector_destroy(selector);
}

int main(void)
{
	ksft_print_header();
	test_refused();
	test_fits();
	test_judges();
	test_names();
	return tests_end();
}
