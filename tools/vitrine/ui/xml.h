/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escape text for SVG and HTML, and fill in the placeholders of HTML pages.
 */
#ifndef _VITRINE_XML_H
#define _VITRINE_XML_H

#include <stdio.h>

/* Write printable text as the content of an element, with markup escaped. */
void xml_put_text(FILE *stream, const char *text);
/* Write a page up to a placeholder, and return the rest of the page after it. */
const char *xml_put_until(FILE *stream, const char *page, const char *mark);

#endif /* _VITRINE_XML_H */
