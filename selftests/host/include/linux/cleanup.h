/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/cleanup.h>: guards of locks to which there is a pointer. */
#ifndef _HOST_LINUX_CLEANUP_H
#define _HOST_LINUX_CLEANUP_H

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

#endif
