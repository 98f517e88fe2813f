// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary text as a selector: parse it, and match it against a few values.
 *
 * Beyond the sanitizers, this must hold: a refusal has a position; a value below a value
 * that is kept is kept, and a value below one that is dropped is dropped.
 */
#include "fuzz.h"

#include "inspect/selector.h"

#define MAX_NAMES	8

/* Split @text at slashes into names, whatever it means as a selector. */
static size_t names_of(const char *text, struct selector_name *names)
{
	size_t nr = 0, len;

	names[nr++] = (struct selector_name){ "root", 4 };
	while (nr < MAX_NAMES) {
		len = strcspn(text, "/:");
		names[nr++] = (struct selector_name){ text, len };
		if (!text[len])
			break;
		text += len + 1;
	}
	return nr;
}

static void look_at(const struct selector *selector)
{
	enum vitrine_verdict verdict = VITRINE_DESCEND, below;
	struct selector_name names[MAX_NAMES];
	size_t i, nr = names_of(selector->text, names);
	char *name = selector_name_unescape(&selector->tree);
	const struct selector_name unescaped = { name, name ? strlen(name) : 0 };

	expect(name);
	if (!selector_name_is_pattern(&selector->tree))
		expect(selector_name_fits(&selector->tree, &unescaped));
	for (i = 1; i <= nr; i++) {
		below = selector_judge(selector, names, i, true);
		expect(verdict == VITRINE_DESCEND || below == verdict);
		verdict = below;
	}
	expect(selector_judge(selector, names, nr, false) != VITRINE_DESCEND);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct selector *selector = NULL;
	struct vitrine_error *err;
	char *text = strndup((const char *)bytes, len);

	expect(text);
	err = selector_create(text, &selector);
	if (err)
		expect(err->code == EINVAL && !strncmp(err->message, "column ", 7));
	else
		look_at(selector);
	vitrine_error_destroy(err);
	selector_destroy(selector);
	free(text);
	return 0;
}
