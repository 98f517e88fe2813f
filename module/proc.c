// SPDX-License-Identifier: GPL-2.0
/*
 * Read files of /proc, line by line.
 *
 * Some figures have no interface for modules: how they are numbered and stored
 * changes from release to release, and a number out of date is a wrong figure
 * that nothing notices. Their text in /proc names each of them and is kept
 * stable for user space. It is read in a mount of our own: what user space has
 * mounted on /proc, or over a file there, does not count.
 *
 * Concurrency: @mnt is written while the module is loaded and unloaded only; an
 * open text belongs to the task that opened it.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "proc.h"

/* The longest lines are those of /proc/interrupts: a column for each CPU. */
#define COLUMN_BYTES	24

/**
 * struct vtr_proc - an open text
 * @file: the file
 * @pos: where in the file to read on
 * @size: bytes that fit in @bytes
 * @start: offset in @bytes of the next line
 * @end: offset behind the last byte read
 * @bytes: what has been read, from some line on
 */
struct vtr_proc {
	struct file	*file;
	loff_t		pos;
	size_t		size;
	size_t		start;
	size_t		end;
	char		bytes[];
};

static struct vfsmount *mnt;

/**
 * vtr_proc_init() - mount /proc for the module
 *
 * Without it, no text can be opened.
 *
 * Context: task, sleeps.
 */
void vtr_proc_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	mnt = type ? kern_mount(type) : NULL;
	if (IS_ERR(mnt))
		mnt = NULL;
}

/**
 * vtr_proc_deinit() - undo vtr_proc_init()
 *
 * Context: task, sleeps; no text is open.
 */
void vtr_proc_deinit(void)
{
	if (mnt)
		kern_unmount(mnt);
}

/**
 * vtr_proc_open() - open a text
 * @path: its path below /proc
 *
 * Context: task, sleeps.
 * Return: the text, or NULL if this kernel has none or memory is short.
 */
struct vtr_proc *vtr_proc_open(const char *path)
{
	size_t size = PAGE_SIZE + (size_t)nr_cpu_ids * COLUMN_BYTES;
	struct vtr_proc *text;
	struct path root;

	if (!mnt)
		return NULL;
	text = kvzalloc(struct_size(text, bytes, size), GFP_KERNEL);
	if (!text)
		return NULL;
	root.mnt = mnt;
	root.dentry = mnt->mnt_root;
	text->size = size;
	text->file = file_open_root(&root, path, O_RDONLY, 0);
	if (!IS_ERR(text->file))
		return text;
	kvfree(text);
	return NULL;
}

/* Move the line that has begun to the front, and read behind it. */
static bool fill(struct vtr_proc *text)
{
	ssize_t len;

	text->end -= text->start;
	memmove(text->bytes, text->bytes + text->start, text->end);
	text->start = 0;
	len = kernel_read(text->file, text->bytes + text->end,
			  text->size - text->end, &text->pos);
	if (len <= 0)
		return false;
	text->end += len;
	return true;
}

/**
 * vtr_proc_line() - get the next line
 * @text: the text
 *
 * Context: task, sleeps.
 * Return: the line, which the caller may change until the next call, without its
 *	end; or NULL when there is none, it cannot be read or it is too long.
 */
char *vtr_proc_line(struct vtr_proc *text)
{
	char *line, *end;

	do {
		line = text->bytes + text->start;
		end = memchr(line, '\n', text->end - text->start);
	} while (!end && fill(text));
	if (!end)
		return NULL;
	*end = '\0';
	text->start = end + 1 - text->bytes;
	return line;
}

/**
 * vtr_proc_close() - close a text
 * @text: the text, or NULL
 *
 * Context: task, sleeps.
 */
void vtr_proc_close(struct vtr_proc *text)
{
	if (!text)
		return;
	filp_close(text->file, NULL);
	kvfree(text);
}
