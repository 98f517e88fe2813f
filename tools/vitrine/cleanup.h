/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cleaning up when a signal ends the command.
 */
#ifndef _VITRINE_CLEANUP_H
#define _VITRINE_CLEANUP_H

#include <sys/types.h>

void cleanup_init(void);
void cleanup_remove(void);
/* End a child before its files are removed; 0: it has ended. */
void cleanup_of_child(pid_t pid);
void cleanup_in_child(void);
/* Register the function that removes a plugin's temporary files. */
void cleanup_of_plugin(void (*remove)(void));

#endif /* _VITRINE_CLEANUP_H */
