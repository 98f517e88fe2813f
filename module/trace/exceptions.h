/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of page faults. Their header was specific to x86 before other architectures
 * got these tracepoints; VTR_HAS_PAGE_FAULTS is defined if this kernel has one.
 */
#ifndef _VTR_EXCEPTIONS_H
#define _VTR_EXCEPTIONS_H

/*
 * User-mode Linux finds the headers of x86 but does not have its tracepoints. Some versions
 * of sparse lack __has_include().
 */
#if defined(CONFIG_UML)
#elif defined(__CHECKER__) && defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#define VTR_HAS_PAGE_FAULTS
#elif __has_include(<asm/trace/exceptions.h>)
#include <asm/trace/exceptions.h>
#define VTR_HAS_PAGE_FAULTS
#elif __has_include(<trace/events/exceptions.h>)
#include <trace/events/exceptions.h>
#define VTR_HAS_PAGE_FAULTS
#endif

#endif /* _VTR_EXCEPTIONS_H */
