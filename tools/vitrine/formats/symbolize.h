/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the functions of the frames of user stacks.
 */
#ifndef _VITRINE_SYMBOLIZE_H
#define _VITRINE_SYMBOLIZE_H

void symbolize_recording(const char *path);

#endif /* _VITRINE_SYMBOLIZE_H */
