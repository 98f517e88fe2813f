// SPDX-License-Identifier: GPL-2.0
/*
 * Category "marker": events that programs write as text to trace/marker.
 *
 * A name is arbitrary, so it is part of each record. It does not get an index in the
 * string table, from which a program with many names could evict all other strings.
 *
 * Concurrency: as in event.c. The number of refused markers is atomic.
 */
#include <linux/atomic.h>
#include <linux/errno.h>

#include "event.h"
#include "marker_text.h"

DEFINE_VITRINE_CATEGORY(marker);

static atomic64_t nr_refused;

static const struct vitrine_arg counter_args[] = {
	{ "value", FXT_ARG_INT64 },
};

#define MARKER_SITE(type)						\
	[type] = { VTR_SITE(marker, (type) | VITRINE_RECORD_INLINE, NULL) }

static const struct vitrine_site sites[] = {
	MARKER_SITE(FXT_EVENT_INSTANT),
	MARKER_SITE(FXT_EVENT_DURATION_BEGIN),
	MARKER_SITE(FXT_EVENT_DURATION_END),
	MARKER_SITE(FXT_EVENT_ASYNC_BEGIN),
	MARKER_SITE(FXT_EVENT_ASYNC_END),
	MARKER_SITE(FXT_EVENT_FLOW_BEGIN),
	MARKER_SITE(FXT_EVENT_FLOW_STEP),
	MARKER_SITE(FXT_EVENT_FLOW_END),
	[FXT_EVENT_COUNTER] = {
		VTR_SITE(marker, FXT_EVENT_COUNTER | VITRINE_RECORD_INLINE,
			 NULL),
		VTR_SITE_ARGS(counter_args),
	},
};

/* A kernel may be built such that all variables are initialised: here that costs a fifth. */
#if __has_attribute(__uninitialized__)
#define VTR_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define VTR_UNINITIALIZED
#endif

static void write_marker(const struct vtr_marker *marker)
{
	bool is_counter = marker->type == FXT_EVENT_COUNTER;

	vtr_prepared_write_inline(&sites[marker->type], marker->name,
				  marker->len_bytes,
				  is_counter ? 0 : marker->number, marker->number);
}

/*
 * Copy a marker a word at a time. Most are so short that copy_from_user(), which is not
 * inlined, would take as long as all the rest.
 */
static __always_inline int copy_text(char *copy, const char __user *text,
				     size_t len_bytes)
{
	size_t i, last;

	if (!user_access_begin(text, len_bytes))
		return -EFAULT;
	if (len_bytes >= sizeof(u64)) {
		last = len_bytes - sizeof(u64);
		for (i = 0; i < last; i += sizeof(u64))
			unsafe_get_user(*(u64 *)(copy + i), (const u64 __user *)(text + i), fault);
		/* The last word may overlap the one before it. */
		unsafe_get_user(*(u64 *)(copy + last), (const u64 __user *)(text + last), fault);
		user_access_end();
		return 0;
	}
	if (len_bytes & sizeof(u32)) {
		unsafe_get_user(*(u32 *)copy, (const u32 __user *)text, fault);
		copy += sizeof(u32);
		text += sizeof(u32);
	}
	if (len_bytes & sizeof(u16)) {
		unsafe_get_user(*(u16 *)copy, (const u16 __user *)text, fault);
		copy += sizeof(u16);
		text += sizeof(u16);
	}
	if (len_bytes & sizeof(u8))
		unsafe_get_user(*(u8 *)copy, (const u8 __user *)text, fault);
	user_access_end();
	return 0;

fault:
	user_access_end();
	return -EFAULT;
}

/**
 * vtr_marker_write() - record a marker that a program has written, as write() of its file
 * @file: not used
 * @text: the marker, as described in marker_text.h
 * @len_bytes: length of @text
 * @pos: not used
 *
 * While the category is off, any text is accepted and ignored, so that programs need not
 * care.
 *
 * Context: task; may fault. Hot.
 * Return: @len_bytes, -EFAULT, or the error of vtr_marker_parse().
 */
ssize_t vtr_marker_write(struct file *file, const char __user *text, size_t len_bytes,
			 loff_t *pos)
{
	/* One byte more than the longest marker for a newline. */
	char copy[VTR_MARKER_MAX_BYTES + 1 + VTR_MARKER_SPARE_BYTES]
		__aligned(sizeof(u64)) VTR_UNINITIALIZED;
	struct vtr_marker marker VTR_UNINITIALIZED;
	int err = -EMSGSIZE;

	if (!static_branch_unlikely(&vitrine_category_marker.key))
		return len_bytes;
	if (len_bytes <= VTR_MARKER_MAX_BYTES + 1) {
		if (copy_text(copy, text, len_bytes))
			return -EFAULT;
		err = vtr_marker_parse(copy, len_bytes, &marker);
	}
	if (unlikely(err)) {
		atomic64_inc(&nr_refused);
		return err;
	}
	write_marker(&marker);
	return len_bytes;
}

/**
 * vtr_marker_refused() - return the number of markers that were not valid
 *
 * Context: any.
 * Return: number since the module was loaded.
 */
u64 vtr_marker_refused(void)
{
	return atomic64_read(&nr_refused);
}
