// SPDX-License-Identifier: GPL-2.0
/*
 * Selectors: their meaning, which values they match, and the errors of invalid ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/selector.h"
#include "kselftest.h"

#define MAX_NAMES	8

/* Test point: @text is refused, with an error that contains @message. */
static void refused(const char *text, const char *message)
{
	struct selector *selector = NULL;
	struct vitrine_error *err = selector_create(text, &selector);

	ksft_test_result(err && err->code == EINVAL && strstr(err->message, message) &&
			 !strcmp(err->path, text), "`%s' is refused: %s\n", text,
			 err ? err->message : "no error");
	vitrine_error_destroy(err);
	selector_destroy(selector);
}

static size_t split(char *path, struct selector_name *names)
{
	char *save = NULL, *name;
	size_t nr = 0;

	for (name = strtok_r(path, "|", &save); name; name = strtok_r(NULL, "|", &save)) {
		names[nr].bytes = name;
		names[nr++].len = strlen(name);
	}
	return nr;
}

/* Test point: the verdict of @text for the value whose path, from the root, is "a|b|c". */
static void judges(const char *text, const char *path, bool is_node, enum vitrine_verdict expected)
{
	static const char * const verdicts[] = { "drop", "keep", "descend" };
	struct selector_name names[MAX_NAMES];
	struct selector *selector = NULL;
	struct vitrine_error *err;
	enum vitrine_verdict got;
	char *copy = strdup(path);
	size_t nr;

	err = selector_create(text, &selector);
	if (err || !copy)
		exit(1);
	nr = split(copy, names);
	got = selector_judge(selector, names, nr, is_node);
	ksft_test_result(got == expected, "`%s' of %s %s: %s\n", text,
			 is_node ? "node" : "property", path, verdicts[got]);
	selector_destroy(selector);
	free(copy);
}

static void fits(const char *pattern, const char *name, bool expected)
{
	const struct selector_name p = { pattern, strlen(pattern) };
	const struct selector_name n = { name, strlen(name) };

	ksft_test_result(selector_name_fits(&p, &n) == expected, "`%s' %s `%s'\n",
			 pattern, expected ? "fits" : "does not fit", name);
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
	struct selector *selector = NULL;
	char *name;

	if (selector_create("./a\\:\\*.inspect:root", &selector))
		exit(1);
	ksft_test_result(!selector_name_is_pattern(&selector->tree),
			 "an escaped * makes no pattern\n");
	name = selector_name_unescape(&selector->tree);
	ksft_test_result(name && !strcmp(name, "./a:*.inspect"), "backslashes go: %s\n", name);
	free(name);
	selector_destroy(selector);
	if (selector_create("a*", &selector))
		exit(1);
	ksft_test_result(selector_name_is_pattern(&selector->tree), "a * makes a pattern\n");
	selector_destroy(selector);
}

int main(void)
{
	ksft_print_header();
	test_refused();
	test_fits();
	test_judges();
	test_names();
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
