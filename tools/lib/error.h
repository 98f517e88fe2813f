/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors as data, and faults of a file: helpers for all files of the library.
 */
#ifndef _VITRINE_LIB_ERROR_H
#define _VITRINE_LIB_ERROR_H

#include <stdarg.h>
#include <sys/types.h>

#include "vitrine.h"

/* Return the error for lack of memory, which is constant; it may be destroyed, too. */
struct vitrine_error *vtr_error_no_memory(void);

/* Create an error for a failed system call: @action failed on @path with errno @code. */
struct vitrine_error *vtr_error_os(int code, const char *path,
				   const char *action);

/* open() of @path failed: adds what to do about it. */
struct vitrine_error *vtr_error_open(int code, const char *path);

/* read() until @len_bytes or the end; -1 with errno. */
ssize_t vtr_read_full(int fd, void *buffer, size_t len_bytes);

/* vitrine_error_create() for callers with arguments of their own. */
struct vitrine_error *vtr_error_vcreate(int code, const char *path,
					uint64_t offset, const char *advice,
					const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

/* Format a fault or a note and pass it to @report, unless @report is NULL. */
void vtr_report(vitrine_fault_fn *report, void *ctx, uint64_t offset,
		const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

/* Report a note. @report may be NULL. */
void vtr_note(const struct vitrine_fxt_report *report, uint64_t offset,
	      const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* _VITRINE_LIB_ERROR_H */
