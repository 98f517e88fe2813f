// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind user stacks of code without frame pointers. The event of such a stack says which
 * files were mapped where, and the large BLOB that follows it contains the pointers that were in
 * the registers and on the stack. The helper program find-symbols unwinds it with libdw;
 * tools/dwarf/main.c describes its questions and answers.
 *
 * One trace is unwound at a time; the state is static. Lack of memory ends the command.
 */
#define _GNU_SOURCE	/* memrchr() */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/fxt.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "input.h"
#include "rewrite.h"
#include "temporary.h"

/* Longest build id that find-symbols understands. */
#define MAX_ID_DIGITS	128

/* Most stacks that are unwound, and most bytes of questions. The rest stays as it is. */
#define MAX_STACKS	(1U << 20)
#define MAX_BYTES	(4ULL << 30)

/* Most registers, and most words of a stack, as the module saves them. */
#define MAX_REGISTERS	33
#define MAX_WORDS	1024
#define MASK_BITS	64

#define CUT	"..."

/**
 * struct unwind_stack - a user stack with memory
 * @thread: koid of the thread
 * @id: identifies the memory, together with @thread
 * @files: its list of files, a number of unwind.texts
 * @maps: where they were mapped, likewise
 * @nr_frames: number of frames that the kernel found
 * @is_asked: the trace has memory for it, and there is a question about it
 * @stack: the stack that was unwound, likewise a text; WHY_TEXT_NONE if there is none
 */
struct unwind_stack {
	uint64_t thread;
	uint64_t id;
	uint32_t files;
	uint32_t maps;
	uint32_t nr_frames;
	bool is_asked;
	uint32_t stack;
};

/**
 * struct unwind - all user stacks with memory
 * @stacks: the stacks
 * @nr: number of @stacks
 * @texts: lists of files, and stacks
 * @questions: questions to find-symbols, as in tools/dwarf/main.c; NULL if there are none
 * @asked: by question, the index of its stack
 * @nr_asked: number of @asked
 * @nr_unwound: number of stacks that were unwound
 */
static struct unwind {
	struct unwind_stack *stacks;
	uint32_t nr;
	struct why_texts texts;
	FILE *questions;
	uint32_t *asked;
	uint32_t nr_asked;
	uint32_t nr_unwound;
} unwind;

/* ---- The helper -------------------------------------------------------- */

static const struct helper finder = {
	.name = "find-symbols",
	.library = "libdw",
	.purpose = "finding symbols",
	.install = "install the package vitrine-tools; to build it, libdw-dev",
	.advice = "a program or library that it names may be damaged",
};

/**
 * finder_is_installed() - test whether the helper program is there
 *
 * Return: true if it is.
 */
bool finder_is_installed(void)
{
	return helper_is_installed(&finder);
}

/**
 * finder_scratch() - create a temporary file without a name
 *
 * Return: the file, or NULL with errno.
 */
FILE *finder_scratch(void)
{
	int fd = vtr_temporary_anonymous();
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/**
 * finder_run() - have questions answered
 * @questions: the questions, from finder_scratch()
 * @answers: receives the answers, from its start on; from finder_scratch()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *finder_run(FILE *questions, FILE *answers)
{
	struct vitrine_error *err;
	struct helper_run run;
	char path[48];

	if (!questions || !answers || fflush(questions) || ferror(questions))
		return vtr_error_os(errno, NULL, "cannot write a temporary file");
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fileno(questions));
	err = helper_start(&finder, path, -1, fileno(answers), &run);
	if (!err)
		err = helper_finish(&finder, NULL, &run);
	rewind(answers);
	return err;
}

/**
 * finder_ask() - have questions answered, and take the answers
 * @questions: the questions, from finder_scratch(); they are closed
 * @nr: how many they are
 * @take: called for each answer, with the number of its question
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *finder_ask(FILE *questions, uint32_t nr,
				 void (*take)(uint32_t number, const char *answer))
{
	FILE *answers = finder_scratch();
	struct vitrine_error *err = finder_run(questions, answers);
	char *line = NULL;
	size_t size = 0;
	uint32_t i;

	for (i = 0; !err && i < nr && getline(&line, &size, answers) > 0; i++) {
		line[strcspn(line, "\n")] = '\0';
		take(i, line);
	}
	if (!err && i < nr)
		err = vtr_error_no_memory();
	free(line);
	if (questions)
		fclose(questions);
	if (answers)
		fclose(answers);
	return err;
}

/* ---- Events of user stacks --------------------------------------------- */

/* Their texts may be any bytes. */

/**
 * user_stack_is() - test whether a record is a user stack
 * @record: record
 *
 * Return: true if it is.
 */
bool user_stack_is(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       record->event.type == FXT_EVENT_INSTANT &&
	       fxt_string_is(&record->event.category, "stacks") &&
	       fxt_string_is(&record->event.name, "user stack");
}

/**
 * user_stack_text() - find an argument that is a text
 * @record: record
 * @name: name of the argument
 *
 * Return: the text, or NULL.
 */
const struct vitrine_fxt_string *
user_stack_text(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, name, FXT_ARG_STRING_REF);

	return arg ? &arg->value.string : NULL;
}

/**
 * user_stack_piece() - iterate over what ";" separates
 * @at: begin of the piece; moved behind it
 * @end: end of the text
 * @ret_len: receives the length of the piece
 *
 * Return: the piece, or NULL at the end.
 */
const char *user_stack_piece(const char **at, const char *end, size_t *ret_len)
{
	const char *piece = *at, *separator;

	if (piece >= end)
		return NULL;
	separator = memchr(piece, ';', end - piece);
	*ret_len = (separator ? separator : end) - piece;
	*at = separator ? separator + 1 : end;
	return piece;
}

static bool is_build_id(const char *id, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	return len && len <= MAX_ID_DIGITS;
}

/**
 * user_stack_next_file() - iterate over the list of files
 * @at: begin of the item; moved behind it
 * @end: end of the list
 * @ret: the item; of one without a space the path is empty
 *
 * Return: false at the end.
 */
bool user_stack_next_file(const char **at, const char *end,
			  struct user_stack_file *ret)
{
	const char *piece, *space;
	size_t len;

	piece = user_stack_piece(at, end, &len);
	if (!piece)
		return false;
	space = memrchr(piece, ' ', len);
	*ret = (struct user_stack_file){ .path = piece };
	if (!space)
		return true;
	ret->len_path = space - piece;
	ret->id = space + 1;
	ret->len_id = piece + len - ret->id;
	if (ret->len_path >= USER_STACK_PATH_BYTES || memchr(piece, '\n', len) ||
	    !is_build_id(ret->id, ret->len_id))
		ret->len_id = 0;
	return true;
}

/* ---- Stacks ----------------------------------------------------------------- */

/**
 * unwind_is_memory() - test whether a record is the memory of a user stack
 * @record: record
 *
 * Return: true if it is.
 */
bool unwind_is_memory(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_LARGE_BLOB &&
	       fxt_string_is(&record->large_blob.category, "stacks") &&
	       fxt_string_is(&record->large_blob.name, "user stack memory");
}

/* Return the argument that says which memory belongs to which stack; 0 if there is none. */
static uint64_t id_of(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, "memory", FXT_ARG_UINT64);

	return arg ? arg->value.uint64 : 0;
}

static uint32_t count_frames(const struct vitrine_fxt_string *stack)
{
	const char *at = stack->bytes, *end = at + stack->len_bytes;
	uint32_t nr = 0;
	size_t len;

	while (user_stack_piece(&at, end, &len))
		nr++;
	return nr;
}

static uint32_t intern(const struct vitrine_fxt_string *text)
{
	return why_texts_add(&unwind.texts, text->bytes, text->len_bytes);
}

/* Note a user stack with memory. */
static void add_stack(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *stack = user_stack_text(record, "stack");
	const struct vitrine_fxt_string *files = user_stack_text(record, "files");
	const struct vitrine_fxt_string *maps = user_stack_text(record, "maps");
	struct unwind_stack *added;

	if (!stack || !files || !maps || !id_of(record) || unwind.nr == MAX_STACKS)
		return;
	must_have(GROW(unwind.stacks, unwind.nr));
	added = &unwind.stacks[unwind.nr++];
	*added = (struct unwind_stack){
		.thread = record->event.thread.thread,
		.id = id_of(record),
		.nr_frames = count_frames(stack),
	};
	added->files = intern(files);
	added->maps = intern(maps);
}

/* The memory follows its stack, but records of other CPUs may be in between. */
static struct unwind_stack *find_latest(uint64_t thread, uint64_t id)
{
	uint32_t i;

	for (i = unwind.nr; i && unwind.nr - i < 64; i--)
		if (unwind.stacks[i - 1].thread == thread && unwind.stacks[i - 1].id == id)
			return &unwind.stacks[i - 1];
	return NULL;
}

/*
 * Count the files of a stack, and write them unless @out is NULL. A file without a build id is
 * never found.
 */
static unsigned int put_files(FILE *out, const struct unwind_stack *stack)
{
	const char *files = why_text(&unwind.texts, stack->files), *end = files + strlen(files);
	const char *maps = why_text(&unwind.texts, stack->maps), *maps_end = maps + strlen(maps);
	unsigned long long address, offset;
	struct user_stack_file file;
	unsigned int nr = 0;
	const char *map;
	size_t len;

	for (; user_stack_next_file(&files, end, &file); nr++) {
		map = user_stack_piece(&maps, maps_end, &len);
		if (!map || sscanf(map, "%llx+%llx", &address, &offset) != 2)
			break;
		if (!file.len_id)
			file = (struct user_stack_file){ "-", 1, "-", 1 };
		if (out)
			fprintf(out, "%.*s %llx %llx %.*s\n", (int)file.len_id, file.id, address,
				offset, (int)file.len_path, file.path);
	}
	return nr;
}

/* Write the question about a stack. Its first line has the number of files. */
static void put_question(const struct unwind_stack *stack, uint64_t nr_registers,
			 const uint64_t *words, size_t nr_words)
{
	if (!unwind.questions)
		unwind.questions = finder_scratch();
	if (!unwind.questions)
		return;
	fprintf(unwind.questions, "stack %u %" PRIu64 " %zu\n", put_files(NULL, stack),
		nr_registers, nr_words * sizeof(*words));
	put_files(unwind.questions, stack);
	fwrite(words, sizeof(*words), nr_words, unwind.questions);
	putc('\n', unwind.questions);
}

static uint64_t uint_of(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, name, FXT_ARG_UINT32);

	return arg ? arg->value.uint64 : 0;
}

/*
 * Expand the words of a BLOB: registers, a bit for each word of the stack that was kept, and
 * these words. The others become 0. Return the number of words, up to the first that is
 * missing, or 0 if the BLOB is malformed.
 */
static size_t expand(const struct vitrine_fxt_record *record, uint64_t nr_registers,
		     uint64_t words[MAX_REGISTERS + MAX_WORDS])
{
	const struct vitrine_fxt_string *payload = &record->large_blob.payload;
	uint64_t nr_stack = uint_of(record, "words"), mask;
	size_t nr = payload->len_bytes / sizeof(*words), i, masks, kept;

	masks = nr_registers;
	kept = masks + (nr_stack + MASK_BITS - 1) / MASK_BITS;
	if (!nr_registers || nr_registers > MAX_REGISTERS || nr_stack > MAX_WORDS || nr < kept)
		return 0;
	memcpy(words, payload->bytes, nr_registers * sizeof(*words));
	for (i = 0; i < nr_stack; i++) {
		memcpy(&mask, payload->bytes + (masks + i / MASK_BITS) * sizeof(mask),
		       sizeof(mask));
		words[nr_registers + i] = 0;
		if (!(mask >> i % MASK_BITS & 1))
			continue;
		if (kept == nr)
			break;
		memcpy(&words[nr_registers + i], payload->bytes + kept++ * sizeof(mask),
		       sizeof(mask));
	}
	return nr_registers + i;
}

static void add_memory(const struct vitrine_fxt_record *record)
{
	uint64_t nr_registers = uint_of(record, "registers");
	uint64_t words[MAX_REGISTERS + MAX_WORDS];
	size_t nr = expand(record, nr_registers, words);
	struct unwind_stack *stack;

	stack = find_latest(record->large_blob.thread.thread, id_of(record));
	if (!stack || stack->is_asked || !nr ||
	    (unwind.questions && ftello(unwind.questions) > (off_t)MAX_BYTES))
		return;
	stack->is_asked = true;
	must_have(GROW(unwind.asked, unwind.nr_asked));
	unwind.asked[unwind.nr_asked++] = stack - unwind.stacks;
	put_question(stack, nr_registers, words, nr);
}

static enum archive_step collect_record(void *ctx, const struct vitrine_fxt_record *record)
{
	if (user_stack_is(record))
		add_stack(record);
	else if (unwind_is_memory(record))
		add_memory(record);
	return ARCHIVE_NEXT;
}

/* ---- Answers ---------------------------------------------------------------- */

/* Find a file of a list by its number. */
static bool find_file(const char *files, unsigned long number,
		      struct user_stack_file *ret)
{
	const char *end = files + strlen(files);

	while (user_stack_next_file(&files, end, ret))
		if (!number--)
			return true;
	return false;
}

/* Return the last component of a path. */
static const char *base_of(const struct user_stack_file *file, size_t *ret_len)
{
	const char *slash = memrchr(file->path, '/', file->len_path);
	const char *base = slash ? slash + 1 : file->path;

	*ret_len = file->path + file->len_path - base;
	return base;
}

/* Name a file as the kernel does: by its whole path if the name is that of another one. */
static const char *name_of(const char *files, unsigned long number,
			   size_t *ret_len)
{
	struct user_stack_file file, other;
	const char *name, *base;
	unsigned long i;
	size_t len;

	if (!find_file(files, number, &file))
		return NULL;
	name = base_of(&file, ret_len);
	for (i = 0; i < number && find_file(files, i, &other); i++) {
		base = base_of(&other, &len);
		if (len == *ret_len && !memcmp(base, name, len))
			name = file.path;
	}
	*ret_len = file.path + file.len_path - name;
	return name;
}

/* Write the frames of an answer with the names of their files. Return their number. */
static uint32_t put_frames(FILE *out, const char *answer, const char *files)
{
	const char *end = answer + strlen(answer), *piece, *name;
	uint32_t nr = 0;
	size_t len, len_name;
	char *plus;

	while ((piece = user_stack_piece(&answer, end, &len))) {
		if (nr++)
			putc(';', out);
		name = name_of(files, strtoul(piece, &plus, 10), &len_name);
		if (*plus == '+' && plus > piece && name)
			fprintf(out, "%.*s%.*s", (int)len_name, name,
				(int)(piece + len - plus), plus);
		else
			fprintf(out, "%.*s", (int)len, piece);
	}
	return nr;
}

/*
 * Take the stack of an answer. If the unwinder could not go on, the frames that the kernel
 * found may reach further.
 */
static void take_answer(uint32_t number, const char *answer)
{
	struct unwind_stack *stack = &unwind.stacks[unwind.asked[number]];
	struct vitrine_fxt_string text = { 0 };
	FILE *out = open_memstream((char **)&text.bytes, &text.len_bytes);
	bool is_cut = !strncmp(answer, CUT ";", sizeof(CUT));
	uint32_t nr;

	must_have(out);
	nr = put_frames(out, answer, why_text(&unwind.texts, stack->files));
	fclose(out);
	if (nr && text.len_bytes < UNWIND_STACK_BYTES && (!is_cut || nr - 1 > stack->nr_frames)) {
		stack->stack = intern(&text);
		if (stack->stack == WHY_TEXT_OTHER)
			stack->stack = WHY_TEXT_NONE;
		unwind.nr_unwound += stack->stack != WHY_TEXT_NONE;
	}
	free((char *)text.bytes);
}

static int compare(const void *left, const void *right)
{
	const struct unwind_stack *a = left, *b = right;

	return number_order(a->thread, b->thread) ?: number_order(a->id, b->id);
}

/**
 * unwind_all() - unwind all user stacks of a trace that have memory
 * @path: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *unwind_all(const char *path)
{
	struct vitrine_error *err;

	unwind = (struct unwind){ 0 };
	err = archive_visit_file(path, collect_record, NULL);
	if (!err && unwind.nr_asked)
		err = finder_ask(unwind.questions, unwind.nr_asked, take_answer);
	if (!err)
		SORT(unwind.stacks, unwind.nr, compare);
	return err;
}

/* ---- Results ---------------------------------------------------------------- */

/* Return the stack that was unwound from the memory of @thread that a record tells of, or NULL. */
static const char *text_of(uint64_t thread, const struct vitrine_fxt_record *record)
{
	const struct unwind_stack key = { .thread = thread, .id = id_of(record) }, *stack = NULL;

	if (key.id && unwind.nr)
		stack = bsearch(&key, unwind.stacks, unwind.nr, sizeof(key), compare);
	return stack && stack->stack != WHY_TEXT_NONE ? why_text(&unwind.texts, stack->stack) :
							NULL;
}

/**
 * unwind_find() - find the stack that was unwound for an event
 * @record: a user stack
 * @ret: receives the stack
 *
 * Return: false if there is none.
 */
bool unwind_find(const struct vitrine_fxt_record *record, struct vitrine_fxt_string *ret)
{
	const char *text = text_of(record->event.thread.thread, record);

	if (text)
		*ret = (struct vitrine_fxt_string){ text, strlen(text) };
	return text;
}

/**
 * unwind_has_used() - test whether the memory of a user stack is no longer needed
 * @record: a record for which unwind_is_memory() is true
 *
 * Return: true if its stack was unwound.
 */
bool unwind_has_used(const struct vitrine_fxt_record *record)
{
	return text_of(record->large_blob.thread.thread, record);
}

/**
 * unwind_nr_stacks() - count the stacks that were recorded with their memory
 *
 * Return: their number.
 */
uint32_t unwind_nr_stacks(void)
{
	return unwind.nr;
}

/**
 * unwind_nr_unwound() - count the stacks that were unwound
 *
 * Return: their number.
 */
uint32_t unwind_nr_unwound(void)
{
	return unwind.nr_unwound;
}

/**
 * unwind_deinit() - free all memory
 */
void unwind_deinit(void)
{
	free(unwind.stacks);
	free(unwind.asked);
	why_texts_deinit(&unwind.texts);
}
