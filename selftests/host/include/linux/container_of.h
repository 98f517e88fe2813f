/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/container_of.h>: from member to structure. */
#ifndef _HOST_LINUX_CONTAINER_OF_H
#define _HOST_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(member_ptr, type, member) \
	((type *)((char *)(member_ptr) - offsetof(type, member)))

#endif
