// SPDX-License-Identifier: GPL-2.0
/*
 * Read files of /proc line by line.
 *
 * Some figures have no interface for modules: their numbering and storage change between
 * releases, and a stale number would silently yield a wrong figure. Their text in /proc
 * names each figure and is a stable interface. It is read from a private mount, because
 * user space may have mounted something else on /proc or on one of its files.
 *
 * Concurrency: @mnt is written only while the module is loaded and unloaded. An open text
 * belongs to the task that opened it.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "proc.h"

/* Width of a column of /proc/interrupts, which has the longest lines: a column per CPU. */
#define COLUMN_BYTES	24

/**
 * struct vtr_proc - an open text
 * @file: the file
 * @pos: file position of the next read
 * @size: size of @bytes
 * @start: offset of the next line in @bytes
 * @end: offset behind the last byte in @bytes
 * @err: error that prevents further reads, or 0
 * @bytes: text that was read, beginning with a whole line
 */
struct vtr_proc {
	struct file	*file;
	loff_t		pos;
	size_t		size;
	size_t		start;
	size_t		end;
	int		err;
	char		bytes[];
};

static struct vfsmount *mnt;

/**
 * vtr_proc_init() - mount /proc for the module
 *
 * If this fails, vtr_proc_open() finds no text.
 *
 * Context: task; may sleep.
 */
void vtr_proc_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	mnt = type ? kern_mount(type) : NULL;
	if (IS_ERR(mnt))
		mnt = NULL;
}

#ifdef CONFIG_VITRINE_KUNIT
/* For KUnit: errno with which opening a text fails, or 0. */
int vtr_proc_open_err;

static int open_err(void)
{
	return vtr_proc_open_err;
}
#else
static int open_err(void)
{
	return 0;
}
#endif

/**
 * vtr_proc_deinit() - unmount /proc
 *
 * Context: task; may sleep. No text is open.
 */
void vtr_proc_deinit(void)
{
	if (mnt)
		kern_unmount(mnt);
}

/**
 * vtr_proc_open() - open a text
 * @path: path below /proc
 *
 * Context: task; may sleep.
 * Return: the text, to be closed by vtr_proc_close(); NULL if this kernel does not have
 *	the file; or an error pointer if memory is short.
 */
struct vtr_proc *vtr_proc_open(const char *path)
{
	size_t size = PAGE_SIZE + (size_t)nr_cpu_ids * COLUMN_BYTES;
	struct vtr_proc *text;
	struct path root;
	int err;

	if (open_err())
		return ERR_PTR(open_err());
	if (!mnt)
		return NULL;
	text = kvzalloc(struct_size(text, bytes, size), GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	root.mnt = mnt;
	root.dentry = mnt->mnt_root;
	text->size = size;
	text->file = file_open_root(&root, path, O_RDONLY, 0);
	if (!IS_ERR(text->file))
		return text;
	err = PTR_ERR(text->file);
	kvfree(text);
	return err == -ENOENT ? NULL : ERR_PTR(err);
}

/* Move the incomplete line to the front of the buffer and read more text behind it. */
static bool fill(struct vtr_proc *text)
{
	ssize_t len;

	text->end -= text->start;
	memmove(text->bytes, text->bytes + text->start, text->end);
	text->start = 0;
	len = kernel_read(text->file, text->bytes + text->end,
			  text->size - text->end, &text->pos);
	if (len < 0)
		text->err = len;
	else if (text->end == text->size)
		text->err = -EMSGSIZE;
	else
		text->end += len;
	return len > 0;
}

/**
 * vtr_proc_line() - return the next line
 * @text: the text
 *
 * Context: task; may sleep.
 * Return: the line without its newline, which the caller may modify until the next call;
 *	NULL at the end of the text or after an error, which vtr_proc_close() returns.
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
 * Context: task; may sleep.
 * Return: 0, or the error that ended reading: that of the file, or -EMSGSIZE if a line
 *	is too long.
 */
int vtr_proc_close(struct vtr_proc *text)
{
	int err;

	if (!text)
		return 0;
	err = text->err;
	filp_close(text->file, NULL);
	kvfree(text);
	return err;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/proc_kunit.c"
#endif
