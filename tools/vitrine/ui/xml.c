// SPDX-License-Identifier: GPL-2.0
/*
 * Escape text for SVG and HTML, and fill in the placeholders of HTML pages.
 */
#include <string.h>

#include "xml.h"

/**
 * xml_put_text() - write a text as the content of an element, with markup escaped
 * @stream: output stream
 * @text: printable text
 */
void xml_put_text(FILE *stream, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", stream);
			break;
		case '>':
			fputs("&gt;", stream);
			break;
		case '&':
			fputs("&amp;", stream);
			break;
		default:
			putc(*text, stream);
			break;
		}
	}
}

/**
 * xml_put_until() - write a page up to a placeholder
 * @stream: output stream
 * @page: the page, or the rest of it
 * @mark: the placeholder, which @page must contain
 *
 * Return: rest of the page, after the placeholder.
 */
const char *xml_put_until(FILE *stream, const char *page, const char *mark)
{
	const char *end = strstr(page, mark);

	fwrite(page, 1, end - page, stream);
	return end + strlen(mark);
}
