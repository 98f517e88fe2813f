/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack of a thread of user space: user_walk.c finds frames and memory, and user_text.c
 * adds the texts. The thread alone has it.
 */
#ifndef _VTR_USER_WALK_H
#define _VTR_USER_WALK_H

#include "stack_text.h"

/* Maximum number of frames and files of a stack. */
#define VTR_USER_MAX_FRAMES	64
#define VTR_USER_MAX_FILES	16
#define VTR_USER_NO_FILE	(VTR_USER_MAX_FILES + 1)

/* Maximum number of registers, and of words of the stack. */
#define VTR_USER_MAX_REGISTERS	33
#define VTR_USER_MAX_WORDS	1024

/* Maximum length of the list of files. */
#define VTR_USER_LIST_BYTES	1360

/* Maximum length of "0xaddress+0xoffset;", including the NUL. */
#define VTR_USER_MAP_BYTES	40

/**
 * struct vtr_user_file - a file that is mapped
 * @file: the file
 * @name: how frames name it: the last component of its path, or the path if another file
 *	has the same last component; points into the list of files
 * @len_bytes: length of @name
 * @address: address of a mapping of its code
 * @offset: offset in the file of that mapping
 */
struct vtr_user_file {
	struct file	*file;
	const char	*name;
	unsigned int	len_bytes;
	unsigned long	address;
	u64		offset;
};

/**
 * struct vtr_user_frame - a frame of a stack
 * @address: return address, or instruction pointer of the innermost frame
 * @offset: offset in the file, if there is a file
 * @file: index of the file, VTR_USER_MAX_FILES if it is not in the list, or VTR_USER_NO_FILE
 */
struct vtr_user_frame {
	union {
		unsigned long	address;
		u64		offset;
	};
	unsigned int	file;
};

/**
 * struct vtr_user_memory - what is recorded to unwind the stack later
 * @nr_registers: number of registers at the start of @words
 * @nr_stack: number of words of the stack that were looked at
 * @nr_words: number of @words in use
 * @words: registers in the order of fxt.rst; a bit for each word of the stack, from its
 *	pointer on, that is set if the word is a pointer; these pointers
 * @maps: text: where the files of the walk are mapped
 */
struct vtr_user_memory {
	unsigned int	nr_registers;
	unsigned int	nr_stack;
	unsigned int	nr_words;
	u64		words[VTR_USER_MAX_REGISTERS + VTR_USER_MAX_WORDS / 64 +
			      VTR_USER_MAX_WORDS];
	char		maps[VTR_USER_MAX_FILES * VTR_USER_MAP_BYTES];
};

/**
 * struct vtr_user_walk - the stack of a thread, and its texts
 * @frames: frames, innermost first
 * @files: files of the frames
 * @nr_frames: number of @frames in use
 * @nr_files: number of @files in use
 * @with_memory: save @memory if the frame pointers do not lead to the end of the stack
 * @is_complete: the frame pointers lead to the end of the stack
 * @memory: memory, or NULL
 * @list: text: paths and build ids of @files
 * @list_bytes: length of @list
 * @text: names of the frames
 */
struct vtr_user_walk {
	struct vtr_user_frame	frames[VTR_USER_MAX_FRAMES];
	struct vtr_user_file	files[VTR_USER_MAX_FILES];
	unsigned int		nr_frames;
	unsigned int		nr_files;
	bool			with_memory;
	bool			is_complete;
	struct vtr_user_memory	*memory;
	char			list[VTR_USER_LIST_BYTES];
	unsigned int		list_bytes;
	struct vtr_stack_text	text;
};

struct vtr_user_walk *vtr_user_walk_create(bool with_memory);
void vtr_user_walk_destroy(struct vtr_user_walk *walk);
void vtr_user_text_compose(struct vtr_user_walk *walk); /* in user_text.c */

#endif /* _VTR_USER_WALK_H */
