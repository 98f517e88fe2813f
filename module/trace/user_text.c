// SPDX-License-Identifier: GPL-2.0
/*
 * The texts of a user stack: its frames, as "file+0xoffset", and the paths, build ids and
 * addresses of the files.
 *
 * Concurrency: none. The thread names its own stack.
 */
#include <linux/dcache.h>
#include <linux/fs.h>

#include "build_id.h"
#include "compat.h"
#include "user_walk.h"

/* Maximum length of a frame's name, including the NUL. */
#define NAME_BYTES	160

/*
 * Stands for a frame in memory without a file, where an address follows if memory is asked for,
 * and for a frame of a file that is not in the list.
 */
#define UNKNOWN	"?"

/* In texts, ";" separates frames and files. Return the length of the path. */
static size_t clean(char *path)
{
	char *at;

	for (at = path; *at; at++)
		if (*at == ';' || (u8)*at < ' ')
			*at = '?';
	return at - path;
}

static bool is_name_taken(const struct vtr_user_walk *walk, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++)
		if (walk->files[i].len_bytes == len &&
		    !memcmp(walk->files[i].name, name, len))
			return true;
	return false;
}

/* Append where a file of the list is mapped; there is room for all files. */
static void list_map(struct vtr_user_memory *saved, const struct vtr_user_file *mapped)
{
	char *end = saved->maps + strlen(saved->maps);

	scnprintf(end, VTR_USER_MAP_BYTES, "%s%#lx+%#llx", end > saved->maps ? ";" : "",
		  mapped->address, mapped->offset);
}

/* Append "path build-id" to the list of files; "-" if the file has no build id. */
static void list_file(struct vtr_user_walk *walk, struct vtr_user_file *mapped)
{
	char *list = walk->list + walk->list_bytes, *path;
	unsigned int len, len_id, skip;
	u8 id[VTR_BUILD_ID_MAX_BYTES];
	int room;

	if (walk->list_bytes)
		*list++ = ';';
	/* Leave room for the build id, the space before it and a NUL. */
	room = walk->list + VTR_USER_LIST_BYTES - list - 2 * sizeof(id) - 2;
	path = d_path(VTR_FILE_USER_PATH(mapped->file), list, max(room, 0));
	if (IS_ERR(path))
		return;
	len = clean(path);
	skip = kbasename(path) - path;
	if (skip == len || is_name_taken(walk, path + skip, len - skip))
		skip = 0;
	memmove(list, path, len);
	mapped->name = list + skip;
	mapped->len_bytes = len - skip;
	list += len;
	len_id = vtr_build_id(mapped->file, id);
	list += sprintf(list, " %*phN%s", (int)len_id, id, len_id ? "" : "-");
	walk->list_bytes = list - walk->list;
	if (walk->memory)
		list_map(walk->memory, mapped);
}

static void name_frame(const struct vtr_user_walk *walk, const struct vtr_user_frame *frame,
		       char *name)
{
	const struct vtr_user_file *mapped = NULL;

	if (frame->file < VTR_USER_MAX_FILES)
		mapped = &walk->files[frame->file];
	if (frame->file == VTR_USER_NO_FILE && walk->with_memory)
		scnprintf(name, NAME_BYTES, UNKNOWN "+%#lx", frame->address);
	else if (!mapped || !mapped->name)
		strscpy(name, UNKNOWN, NAME_BYTES);
	else
		scnprintf(name, NAME_BYTES, "%.*s+0x%llx",
			  (int)mapped->len_bytes, mapped->name, frame->offset);
}

/**
 * vtr_user_text_compose() - add the texts of a stack: the names of its frames and files
 * @walk: the stack
 *
 * Context: task. Waits for nothing.
 */
void vtr_user_text_compose(struct vtr_user_walk *walk)
{
	char name[NAME_BYTES];
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++)
		list_file(walk, &walk->files[i]);
	vtr_stack_text_init(&walk->text);
	for (i = 0; i < walk->nr_frames; i++) {
		name_frame(walk, &walk->frames[i], name);
		if (!vtr_stack_text_add(&walk->text, name))
			break;
	}
}
