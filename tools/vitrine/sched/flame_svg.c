// SPDX-License-Identifier: GPL-2.0
/*
 * Draw a flame graph as SVG: the root is at the bottom, and callees are above their
 * callers. The width of a frame is proportional to its time. A tooltip describes each
 * frame.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"
#include "timeline.h"
#include "ui/label.h"
#include "ui/xml.h"

#define WIDTH		1200
#define MARGIN		10
#define PLOT		(WIDTH - 2 * MARGIN)
#define TOP		76
#define BOTTOM		14
#define ROW		18
#define CHARACTER	6.7	/* width of one, about */

/* Frames that are narrower are invisible and not drawn. */
#define LEAST_WIDTH	0.2

#define MORE		0xd55e00
#define LESS		0x0072b2
#define SAME		0xececec

static const uint32_t colours[FLAME_NR_KINDS] = {
	[FLAME_ALL]		= 0xcfcfcf,
	[FLAME_RUNNING]		= 0x2fb58c,
	[FLAME_RUNNABLE]	= 0xf0ac1f,
	[FLAME_BLOCKED]		= 0x6cbdf0,
};

/**
 * struct picture - a tree that is being drawn
 * @stream: output stream
 * @flame: the tree
 * @shown: number of the trace that determines the widths: the only one, or the new one
 * @x: left edge of each node
 * @height: height of the picture
 */
struct picture {
	FILE *stream;
	const struct flame *flame;
	unsigned int shown;
	double *x;
	int height;
};

/* ---- Colours -------------------------------------------------------------- */

static unsigned int mix_channel(uint32_t from, uint32_t to, double share,
				unsigned int shift)
{
	double a = from >> shift & 0xff, b = to >> shift & 0xff;

	return a + (b - a) * share + 0.5;
}

static uint32_t mix(uint32_t from, uint32_t to, double share)
{
	return mix_channel(from, to, share, 16) << 16 |
	       mix_channel(from, to, share, 8) << 8 |
	       mix_channel(from, to, share, 0);
}

/* Vary the shade by name, so that adjacent frames can be told apart. */
static double shade_of(const char *name)
{
	unsigned int sum = 0;

	for (; *name; name++)
		sum = 31 * sum + (unsigned char)*name;
	return sum % 8 / 20.0;
}

static uint32_t colour_of(const struct picture *picture,
			  const struct flame_node *node)
{
	uint64_t old_ns = node->total_ns[0], new_ns = node->total_ns[1];
	uint64_t more_ns = old_ns > new_ns ? old_ns : new_ns;

	if (picture->flame->nr_traces < 2)
		return mix(colours[node->kind], 0xffffff,
			   shade_of(why_text(&picture->flame->names,
					     node->name)));
	if (new_ns >= old_ns)
		return mix(SAME, MORE,
			   more_ns ? (double)(new_ns - old_ns) / more_ns : 0);
	return mix(SAME, LESS, (double)(old_ns - new_ns) / more_ns);
}

/* ---- Frames --------------------------------------------------------------- */

static const char *name_of(const struct picture *picture, uint32_t index)
{
	return index ? why_text(&picture->flame->names,
				picture->flame->nodes[index].name) : "all";
}

static double width_of(const struct picture *picture, uint32_t index)
{
	const struct flame_node *nodes = picture->flame->nodes;
	uint64_t all_ns = nodes[FLAME_ROOT].total_ns[picture->shown];

	return all_ns ? (double)PLOT * nodes[index].total_ns[picture->shown] /
			all_ns : 0;
}

static void put_duration(const struct picture *picture, uint64_t ns)
{
	char label[LABEL_TIME_BYTES];

	label_duration(label, ns);
	fputs(label, picture->stream);
}

static void put_change(const struct picture *picture, uint64_t old_ns,
		       uint64_t new_ns)
{
	fputs(", before ", picture->stream);
	put_duration(picture, old_ns);
	fputs(new_ns < old_ns ? " (-" : " (+", picture->stream);
	put_duration(picture, new_ns < old_ns ? old_ns - new_ns :
						new_ns - old_ns);
	fputs(")", picture->stream);
}

static void put_title(const struct picture *picture, uint32_t index)
{
	const struct flame_node *nodes = picture->flame->nodes;
	const struct flame_node *node = &nodes[index];
	uint64_t ns = node->total_ns[picture->shown];

	fputs("<title>", picture->stream);
	xml_put_text(picture->stream, name_of(picture, index));
	putc('\n', picture->stream);
	put_duration(picture, ns);
	if (node->kind != FLAME_ALL)
		fprintf(picture->stream, " %s", flame_kind_names[node->kind]);
	fprintf(picture->stream, ", %.2f %%",
		100.0 * ns / nodes[FLAME_ROOT].total_ns[picture->shown]);
	if (picture->flame->nr_traces == 2)
		put_change(picture, node->total_ns[0], ns);
	fputs("</title>", picture->stream);
}

/* Write a name, truncated to the width of its frame at a character boundary. */
static void put_name(const struct picture *picture, const char *name, double x,
		     double y, double width, bool is_dark)
{
	size_t room = width > 6 ? (width - 6) / CHARACTER : 0;
	size_t len = strlen(name), i;

	if (room < 3)
		return;
	fprintf(picture->stream, "<text x=\"%.1f\" y=\"%.1f\"%s>", x + 3, y + 13,
		is_dark ? " class=\"d\"" : "");
	if (len > room)
		for (len = room - 2; len && (name[len] & 0xc0) == 0x80;)
			len--;
	for (i = 0; i < len; i++)
		xml_put_text(picture->stream, (char[]){ name[i], '\0' });
	fputs(name[len] ? "..</text>" : "</text>", picture->stream);
}

static void put_frame(const struct picture *picture, uint32_t index)
{
	const struct flame_node *node = &picture->flame->nodes[index];
	double x = picture->x[index], width = width_of(picture, index);
	int y = picture->height - BOTTOM - (node->depth + 1) * ROW;
	uint32_t colour = colour_of(picture, node);

	if (width < LEAST_WIDTH)
		return;
	fputs("<g class=\"f\">", picture->stream);
	put_title(picture, index);
	fprintf(picture->stream,
		"<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"#%06" PRIx32 "\"/>",
		x, y, width, ROW - 1, colour);
	put_name(picture, name_of(picture, index), x, y, width,
		 timeline_is_dark(colour));
	fputs("</g>\n", picture->stream);
}

/* Compute the left edge of each node: siblings are adjacent, aligned to their parent. */
static void lay_out(const struct picture *picture)
{
	const struct flame_node *nodes = picture->flame->nodes;
	uint32_t index = FLAME_ROOT, child;
	double x;

	picture->x[FLAME_ROOT] = MARGIN;
	do {
		x = picture->x[index];
		for (child = nodes[index].first; child;
		     child = nodes[child].next) {
			picture->x[child] = x;
			x += width_of(picture, child);
		}
		index = flame_after(picture->flame, index);
	} while (index);
}

/* ---- Title and legend ----------------------------------------------------- */

static const char style[] =
	"<style>\n"
	".b{font-size:16px;font-weight:bold}\n"
	".l{fill:#444}\n"
	".f text{pointer-events:none}\n"
	".f rect{stroke:#fff;stroke-width:.4}\n"
	".f:hover rect{stroke:#000;stroke-width:1}\n"
	".d{fill:#fff}\n"
	"</style>\n"
	"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

static void put_key(const struct picture *picture, int x, uint32_t colour,
		    const char *text)
{
	fprintf(picture->stream,
		"<rect x=\"%d\" y=\"52\" width=\"13\" height=\"13\" fill=\"#%06" PRIx32 "\"/>",
		x, colour);
	fprintf(picture->stream, "<text x=\"%d\" y=\"63\" class=\"l\">%s</text>\n",
		x + 18, text);
}

static void put_legend(const struct picture *picture)
{
	if (picture->flame->nr_traces == 2) {
		put_key(picture, MARGIN, MORE, "more than before");
		put_key(picture, 150, SAME, "as before");
		put_key(picture, 250, LESS, "less than before");
		return;
	}
	put_key(picture, MARGIN, colours[FLAME_BLOCKED], "blocked");
	put_key(picture, 100, colours[FLAME_RUNNABLE], "runnable");
	put_key(picture, 190, colours[FLAME_RUNNING], "running");
}

static void put_head(const struct picture *picture, const char *title)
{
	const struct flame_node *root = picture->flame->nodes;

	fprintf(picture->stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
		WIDTH, picture->height, WIDTH, picture->height);
	fputs("font-family=\"sans-serif\" font-size=\"12\">\n", picture->stream);
	fputs(style, picture->stream);
	fprintf(picture->stream, "<text x=\"%d\" y=\"24\" class=\"b\">", MARGIN);
	xml_put_text(picture->stream, title);
	fprintf(picture->stream,
		"</text>\n<text x=\"%d\" y=\"43\" class=\"l\">Time of all threads: ",
		MARGIN);
	put_duration(picture, root->total_ns[picture->shown]);
	if (picture->flame->nr_traces == 2)
		put_change(picture, root->total_ns[0], root->total_ns[1]);
	fputs("</text>\n", picture->stream);
	put_legend(picture);
}

/**
 * flame_svg() - draw a tree as a flame graph
 * @stream: output stream
 * @flame: the tree, after flame_finish()
 * @title: title of the picture
 *
 * Return: false if there is no memory.
 */
bool flame_svg(FILE *stream, const struct flame *flame, const char *title)
{
	const struct picture picture = {
		.stream = stream,
		.flame = flame,
		.shown = flame->nr_traces - 1,
		.x = calloc(flame->nr_nodes, sizeof(double)),
		.height = TOP + (flame->max_depth + 1) * ROW + BOTTOM,
	};
	uint32_t index = FLAME_ROOT;

	if (!picture.x)
		return false;
	lay_out(&picture);
	put_head(&picture, title);
	do {
		put_frame(&picture, index);
		index = flame_after(flame, index);
	} while (index);
	fputs("</svg>\n", stream);
	free(picture.x);
	return true;
}
