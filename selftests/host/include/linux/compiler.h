/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/compiler.h>: hints and single accesses. */
#ifndef _HOST_LINUX_COMPILER_H
#define _HOST_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __user
#define __maybe_unused	__attribute__((unused))
#define noinline	__attribute__((noinline))
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile typeof(x) *)&(x) = (value))

#define data_race(expression)	(expression)

#define barrier()	__asm__ volatile("" : : : "memory")
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "=r"(var) : "0"(var))
#define __no_sanitize_undefined	__attribute__((__no_sanitize_undefined__))

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) \
	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
