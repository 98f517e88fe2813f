/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as the pure units and their suites use, for user space. Headers with the
 * names of the kernel's include it: the Makefile makes them, but for those of linux/, which a
 * fuzzer uses, too.
 */
#ifndef _HOST_H
#define _HOST_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>

#include <linux/types.h>

/* Types and limits */

/* As in the kernel, a type: macros build names from it. */
#undef bool
typedef _Bool bool;

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef unsigned int gfp_t;
typedef struct {
	int counter;
} atomic_t;

#define U32_MAX		((u32)~0U)
#define S64_MAX		((s64)(~0ULL >> 1))
#define S64_MIN		((s64)(-S64_MAX - 1))
#define U64_MAX		((u64)~0ULL)
#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)
#define PID_MAX_LIMIT	(4 * 1024 * 1024)
#define GOLDEN_RATIO_64	0x61c8864680b583ebull

/* Compiler, options and barriers */

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __user
#define __maybe_unused	__attribute__((unused))
#define noinline	__attribute__((noinline))
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#define __no_sanitize_undefined	__attribute__((__no_sanitize_undefined__))

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile typeof(x) *)&(x) = (value))
#define data_race(expression)	(expression)

#define barrier()	__asm__ volatile("" : : : "memory")
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "=r"(var) : "0"(var))
/*
 * A case can watch ordered accesses, and do at any of them as another CPU could: host_ordered() is
 * called with the place after a load-acquire and before a store-release, with NULL at a barrier.
 */
#ifdef CONFIG_VITRINE_KUNIT
extern void (*host_ordered)(const void *place);	/* defined where main() is */
#define HOST_ORDERED(place)	(host_ordered ? host_ordered(place) : (void)0)
#else
#define HOST_ORDERED(place)	((void)(place))
#endif

#define smp_load_acquire(p) ({						\
	typeof(p) __place = (p);					\
	typeof(*(p)) __loaded = __atomic_load_n(__place, __ATOMIC_ACQUIRE); \
	HOST_ORDERED(__place);						\
	__loaded; })
#define smp_store_release(p, value) do {				\
	typeof(p) __place = (p);					\
	HOST_ORDERED(__place);						\
	__atomic_store_n(__place, value, __ATOMIC_RELEASE);		\
} while (0)
#define HOST_FENCE(order) do {						\
	__atomic_thread_fence(order);					\
	HOST_ORDERED(NULL);						\
} while (0)
#define smp_mb()		HOST_FENCE(__ATOMIC_SEQ_CST)
#define smp_rmb()		HOST_FENCE(__ATOMIC_ACQUIRE)
#define smp_wmb()		HOST_FENCE(__ATOMIC_RELEASE)

#define BUILD_BUG_ON(condition)		_Static_assert(!(condition), #condition)

/* Options are those that the Makefile defines. */
#define HOST_ENABLED_1			0,
#define HOST_SECOND(first, second, ...)	second
#define HOST_IS_SET(word)		HOST_SECOND(word 1, 0)
#define HOST_JOIN(value)		HOST_IS_SET(HOST_ENABLED_##value)
#define IS_ENABLED(option)		HOST_JOIN(option)

/* A warning ends the run. */
#define WARN_ON(condition) ({						\
	int __warn = !!(condition);					\
	if (__warn) {							\
		fprintf(stderr, "%s:%d: WARN_ON(%s)\n", __FILE__,	\
			__LINE__, #condition);				\
		abort();						\
	}								\
	__warn; })
#define WARN_ON_ONCE(condition)	WARN_ON(condition)

/* Bits and numbers */

#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define GENMASK_ULL(high, low)	((~0ULL << (low)) & (~0ULL >> (63 - (high))))

#define __bf_shf(mask)		__builtin_ctzll(mask)
#define FIELD_MAX(mask)		((typeof(mask))((mask) >> __bf_shf(mask)))
#define FIELD_GET(mask, word)	((typeof(mask))(((word) & (mask)) >> __bf_shf(mask)))
#define FIELD_PREP(mask, value)	(((typeof(mask))(value) << __bf_shf(mask)) & (mask))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#define __fls(x)		((unsigned long)fls64(x) - 1)
#define ilog2(n)		(fls64(n) - 1)
#define order_base_2(n)		((n) > 1 ? fls64((n) - 1) : 0)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define roundup_pow_of_two(n)	(1UL << order_base_2(n))

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

#define min(a, b) ({							\
	typeof(a) __a = (a);						\
	typeof(b) __b = (b);						\
	__a < __b ? __a : __b; })
#define max(a, b) ({							\
	typeof(a) __a = (a);						\
	typeof(b) __b = (b);						\
	__a > __b ? __a : __b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(value, low, high)	min(max(value, low), high)
#define swap(a, b) do {							\
	typeof(a) __swap = (a);						\
	(a) = (b);							\
	(b) = __swap;							\
} while (0)

/* A random number, or the one in $VITRINE_SEED. */
static inline u64 get_random_u64(void)
{
	const char *seed = getenv("VITRINE_SEED");
	u64 value;

	if (seed)
		return strtoull(seed, NULL, 0);
	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		abort();
	return value;
}

/* Memory, strings and lists */

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define container_of(member_ptr, type, member) \
	((type *)((char *)(member_ptr) - offsetof(type, member)))

#define GFP_KERNEL	0U
#define kzalloc(bytes, gfp)		((void)(gfp), calloc(1, bytes))
#define kvzalloc_node(bytes, gfp, node)	((void)(node), kzalloc(bytes, gfp))
#define kvcalloc(nr, bytes, gfp)	((void)(gfp), calloc(nr, bytes))
#define kfree(memory)			free((void *)(memory))
#define kvfree(memory)			kfree(memory)

/* First byte that is not @c, or NULL. */
static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const unsigned char *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (unsigned char)c)
			return (void *)p;
	return NULL;
}

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	memcpy(to, from, min(len, size - 1));
	to[min(len, size - 1)] = 0;
	return len == size ? -E2BIG : (ssize_t)len;
}

static inline int __attribute__((format(printf, 3, 4)))
scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(buf, size, format, args);
	va_end(args);
	return !size ? 0 : (size_t)len < size ? len : (int)size - 1;
}

/* FNV-1a */
static inline unsigned int full_name_hash(const void *salt, const char *name, unsigned int len)
{
	u64 hash = 0xcbf29ce484222325ULL;

	while (len--)
		hash = (hash ^ (u8)*name++) * 0x100000001b3ULL;
	return hash ^ hash >> 32;
}

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}

#define list_for_each_entry(pos, head, member)				\
	for (pos = container_of((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = container_of(pos->member.next, typeof(*pos), member))

/* A count of one thread. */
struct kref {
	unsigned int count;
};

static inline void kref_init(struct kref *kref)
{
	kref->count = 1;
}

static inline void kref_get(struct kref *kref)
{
	kref->count++;
}

static inline int kref_put(struct kref *kref, void (*release)(struct kref *kref))
{
	if (--kref->count)
		return 0;
	release(kref);
	return 1;
}

/*
 * Locks: there is one thread, so a lock that it would wait for is a fault, and so is one that
 * it still holds at the end of a case.
 */
struct host_lock {
	int readers;	/* -1: held by a writer */
};

extern int host_locks_held;	/* defined where main() is */

static inline void host_lock(struct host_lock *lock, bool is_writer)
{
	WARN_ON(is_writer ? lock->readers : lock->readers < 0);
	lock->readers += is_writer ? -1 : 1;
	host_locks_held++;
}

static inline void host_unlock(struct host_lock *lock, bool is_writer)
{
	WARN_ON(is_writer ? lock->readers != -1 : lock->readers <= 0);
	lock->readers += is_writer ? 1 : -1;
	host_locks_held--;
}

struct mutex {
	struct host_lock lock;
};

#define DEFINE_MUTEX(name)	struct mutex name

struct rw_semaphore {
	struct host_lock lock;
};

#define init_rwsem(sem)		((sem)->lock.readers = 0)

/* Guards of locks to which there is a pointer. */
#define DEFINE_GUARD(name, type, lock, unlock)				\
	static inline type host_lock_##name(type _T) { lock; return _T; } \
	static inline void host_unlock_##name(type const *held)		\
	{								\
		type _T = *held;					\
									\
		unlock;							\
	}								\
	typedef type host_guard_##name

#define HOST_HELD(name, variable)					\
	host_guard_##name variable					\
	__attribute__((__cleanup__(host_unlock_##name), __unused__)) =	\
		host_lock_##name
#define HOST_PASTE_(a, b)	a##b
#define HOST_PASTE(a, b)	HOST_PASTE_(a, b)

#define guard(name)	HOST_HELD(name, HOST_PASTE(host_held_, __LINE__))
#define scoped_guard(name, lock)					\
	for (HOST_HELD(name, host_held)(lock), host_left = NULL;	\
	     !host_left; host_left = host_held)

DEFINE_GUARD(mutex, struct mutex *, host_lock(&_T->lock, true),
	     host_unlock(&_T->lock, true));
DEFINE_GUARD(rwsem_read, struct rw_semaphore *, host_lock(&_T->lock, false),
	     host_unlock(&_T->lock, false));
DEFINE_GUARD(rwsem_write, struct rw_semaphore *, host_lock(&_T->lock, true),
	     host_unlock(&_T->lock, true));

/* One CPU, whose cells are plain memory, and which nothing interrupts */

#define __percpu
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define this_cpu_read(variable)		(variable)
#define this_cpu_write(variable, value)	((void)((variable) = (value)))
#define this_cpu_add(cell, delta)	((void)((cell) += (delta)))
#define cpu_to_node(cpu)		((void)(cpu), 0)
#define on_each_cpu(function, info, wait)	((function)(info))
#define local_irq_save(flags)		((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))

typedef struct {
	u64 count;
} local64_t;

#define local64_inc(local)		((void)(local)->count++)
#define local64_add(delta, local)	((void)((local)->count += (delta)))
#define local64_read(local)		((local)->count)

/* There is no interrupt to wait for. */
struct irq_work {
	void (*func)(struct irq_work *work);
};

#define init_irq_work(work, function)	((void)((work)->func = (function)))
#define irq_work_queue(work)		((work)->func(work))
#define irq_work_sync(work)		((void)(work))

/* Nobody sleeps, but a function can be called. */
struct wait_queue_entry {
	int (*func)(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key);
};

/* Room for one entry. The head points to itself once it is initialised, as a list does. */
typedef struct wait_queue_head {
	const struct wait_queue_head	*self;
	struct wait_queue_entry		*entry;
} wait_queue_head_t;

static inline void init_waitqueue_head(wait_queue_head_t *head)
{
	head->self = head;
	head->entry = NULL;
}

#define init_waitqueue_func_entry(entry, function)	((void)((entry)->func = (function)))

static inline void add_wait_queue(wait_queue_head_t *head, struct wait_queue_entry *entry)
{
	assert(head->self == head && !head->entry);
	head->entry = entry;
}

static inline void remove_wait_queue(wait_queue_head_t *head, struct wait_queue_entry *entry)
{
	assert(head->entry == entry);
	head->entry = NULL;
}

static inline bool wq_has_sleeper(const wait_queue_head_t *head)
{
	assert(head->self == head);
	return head->entry;
}

static inline void wake_up_all(wait_queue_head_t *head)
{
	if (wq_has_sleeper(head))
		head->entry->func(head->entry, 0, 0, NULL);
}

/* Threads that a suite makes up */

#define PF_KTHREAD	0x00200000

struct task_struct {
	unsigned int		flags;
	int			prio;
	pid_t			pid;
	pid_t			tgid;
	struct task_struct	*group_leader;
	char			comm[16];
};

/* The task in whose context all tests run. */
static struct task_struct host_task __maybe_unused = {
	.pid = 4711, .tgid = 4711, .prio = 120, .comm = "kunit",
};
#define current		(&host_task)

static inline bool pid_alive(const struct task_struct *task)
{
	return task->group_leader;
}

/* The C library's clock, and the processor's own counter */

static inline u64 ktime_get_mono_fast_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

#ifdef CONFIG_X86
#define boot_cpu_has(feature)	1
#define tsc_khz			0
#define check_tsc_unstable()	0

static __always_inline u64 rdtsc(void)
{
	return __builtin_ia32_rdtsc();
}

#define barrier_nospec()	__asm__ volatile("lfence" : : : "memory")

static __always_inline u64 rdtsc_ordered(void)
{
	barrier_nospec();
	return rdtsc();
}
#endif

#ifdef CONFIG_ARM64
#define isb()	__asm__ volatile("isb" : : : "memory")
#define read_sysreg(name) ({						\
	u64 __value;							\
									\
	__asm__ volatile("mrs %0, " #name : "=r"(__value));		\
	__value;							\
})
#define arch_timer_get_cntfrq()	read_sysreg(cntfrq_el0)

static inline u64 __arch_counter_get_cntvct(void)
{
	isb();
	return read_sysreg(cntvct_el0);
}
#endif

#endif
