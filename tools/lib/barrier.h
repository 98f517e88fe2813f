/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory ordering between the kernel, which writes, and this library, which reads.
 *
 * The kernel stores an odd generation, smp_wmb(), edits, then stores the even
 * generation with smp_store_release(). A reader loads the generation with
 * vtr_load_acquire(), reads, orders its reads with vtr_read_fence(), loads the
 * generation again with vtr_load_once(), and keeps what it read only if both
 * generations are equal and even. Documentation/concurrency.rst has one row per word.
 */
#ifndef _VITRINE_LIB_BARRIER_H
#define _VITRINE_LIB_BARRIER_H

/* Pairs with smp_store_release() in the kernel. */
#define vtr_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)

/* A single load that may not be torn, repeated or invented. */
#define vtr_load_once(p)	__atomic_load_n((p), __ATOMIC_RELAXED)

/* Publishes to the kernel; pairs with smp_load_acquire() there. */
#define vtr_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* Loads before it come before loads after it; pairs with smp_wmb(). */
#define vtr_read_fence()	__atomic_thread_fence(__ATOMIC_ACQUIRE)

/* Tells the core that this is a wait for another one. */
static inline void vtr_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" ::: "memory");
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

#endif /* _VITRINE_LIB_BARRIER_H */
