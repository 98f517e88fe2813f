// SPDX-License-Identifier: GPL-2.0
/*
 * Colours for threads, by rank. The first ones are easy to tell apart, also in print
 * and for people with colour blindness.
 */
#include "timeline.h"

/* The palette of Okabe and Ito without black and grey; then lighter, then darker. */
static const uint32_t colours[] = {
	0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
	0x66aad1, 0xf2cc7a, 0x70c8ae, 0xe4b9d0, 0xa6d7f3, 0xe89a5f, 0xf8f2a3,
	0x004e7a, 0x9c6c00, 0x006b4e, 0x8c4f72, 0x2f7ba3, 0x8f3f00, 0xa89d1c,
};

#define NR_COLOURS	(sizeof(colours) / sizeof(colours[0]))

/**
 * timeline_colour() - return the colour of a thread
 * @rank: rank by running time, 0 for the longest
 *
 * Return: 0xRRGGBB; the colours repeat after 21.
 */
uint32_t timeline_colour(uint32_t rank)
{
	return colours[rank % NR_COLOURS];
}

/**
 * timeline_is_dark() - find out whether text on a colour must be white
 * @colour: colour
 *
 * Return: true if the colour is darker than a medium grey.
 */
bool timeline_is_dark(uint32_t colour)
{
	unsigned int red = colour >> 16, green = colour >> 8 & 0xff;

	return 299 * red + 587 * green + 114 * (colour & 0xff) < 140 * 1000;
}
