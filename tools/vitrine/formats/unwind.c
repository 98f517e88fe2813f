// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind user stacks of code without frame pointers. The event of such a stack says which
 * files were mapped where, and the large BLOB that follows it contains the pointers that were in
 * the registers and on the stack. The helper program find-symbols unwinds it with libdw;
 * tools/dwarf/main.c describes its questions and answers.
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
#include "fxt_record.h"
#include "input.h"
#include "temporary.h"
#include "unwind.h"

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
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(),
		 fileno(questions));
	err = helper_start(&finder, path, -1, fileno(answers), &run);
	if (!err)
		err = helper_finish(&finder, NULL, &run);
	rewind(answers);
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

static bool intern(struct unwind *unwind, const struct vitrine_fxt_string *text,
		   uint32_t *ret)
{
	return why_texts_add(&unwind->texts, text->bytes, text->len_bytes, ret);
}

/* Note a user stack with memory; false without memory of our own. */
static bool add_stack(struct unwind *unwind, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *stack = user_stack_text(record, "stack");
	const struct vitrine_fxt_string *files = user_stack_text(record, "files");
	const struct vitrine_fxt_string *maps = user_stack_text(record, "maps");
	struct unwind_stack *added;

	if (!stack || !files || !maps || !id_of(record) || unwind->nr == MAX_STACKS)
		return true;
	if (!GROW(unwind->stacks, unwind->nr))
		return false;
	added = &unwind->stacks[unwind->nr++];
	*added = (struct unwind_stack){
		.thread = record->event.thread.thread,
		.id = id_of(record),
		.nr_frames = count_frames(stack),
	};
	return intern(unwind, files, &added->files) &&
	       intern(unwind, maps, &added->maps);
}

/* The memory follows its stack, but records of other CPUs may be in between. */
static struct unwind_stack *find_latest(struct unwind *unwind, uint64_t thread,
					uint64_t id)
{
	uint32_t i;

	for (i = unwind->nr; i && unwind->nr - i < 64; i--)
		if (unwind->stacks[i - 1].thread == thread &&
		    unwind->stacks[i - 1].id == id)
			return &unwind->stacks[i - 1];
	return NULL;
}

/* ---- Questions -------------------------------------------------------------- */

/* Write the files of a stack, and count them. A file without a build id is never found. */
static unsigned int put_files(FILE *out, const char *files, const char *maps)
{
	const char *end = files + strlen(files), *maps_end = maps + strlen(maps);
	unsigned long long address, offset;
	struct user_stack_file file;
	unsigned int nr = 0;
	const char *map;
	size_t len;

	while (user_stack_next_file(&files, end, &file)) {
		map = user_stack_piece(&maps, maps_end, &len);
		if (!map || sscanf(map, "%llx+%llx", &address, &offset) != 2)
			break;
		fprintf(out, "%.*s %llx %llx %.*s\n", file.len_id ? (int)file.len_id : 1,
			file.len_id ? file.id : "-", address, offset,
			file.len_id ? (int)file.len_path : 1,
			file.len_id ? file.path : "-");
		nr++;
	}
	return nr;
}

/* Write the question about a stack. Its first line has the number of files. */
static struct vitrine_error *put_question(struct unwind *unwind,
					  const struct unwind_stack *stack,
					  uint64_t nr_registers,
					  const uint64_t *words, size_t nr_words)
{
	char *lines = NULL;
	size_t size;
	FILE *files = open_memstream(&lines, &size);
	unsigned int nr = 0;

	if (!unwind->questions)
		unwind->questions = finder_scratch();
	if (files) {
		nr = put_files(files, why_text(&unwind->texts, stack->files),
			       why_text(&unwind->texts, stack->maps));
		fclose(files);
	}
	if (lines && unwind->questions) {
		fprintf(unwind->questions, "stack %u %" PRIu64 " %zu\n%s", nr,
			nr_registers, nr_words * sizeof(*words), lines);
		fwrite(words, sizeof(*words), nr_words, unwind->questions);
		putc('\n', unwind->questions);
	}
	free(lines);
	return lines ? NULL : vtr_error_no_memory();
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

static struct vitrine_error *add_memory(struct unwind *unwind,
					const struct vitrine_fxt_record *record)
{
	uint64_t nr_registers = uint_of(record, "registers");
	uint64_t words[MAX_REGISTERS + MAX_WORDS];
	size_t nr = expand(record, nr_registers, words);
	struct unwind_stack *stack;

	stack = find_latest(unwind, record->large_blob.thread.thread, id_of(record));
	if (!stack || stack->question || !nr ||
	    (unwind->questions && ftello(unwind->questions) > (off_t)MAX_BYTES))
		return NULL;
	stack->question = ++unwind->nr_questions;
	return put_question(unwind, stack, nr_registers, words, nr);
}

static enum archive_step collect_record(void *ctx,
					const struct vitrine_fxt_record *record)
{
	struct vitrine_error *err = NULL;
	bool is_good = true;

	if (user_stack_is(record))
		is_good = add_stack(ctx, record);
	else if (unwind_is_memory(record))
		err = add_memory(ctx, record);
	if (!err && is_good)
		return ARCHIVE_NEXT;
	vitrine_error_destroy(err);
	return ARCHIVE_NO_MEMORY;
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
static bool take_answer(struct unwind *unwind, struct unwind_stack *stack,
			const char *answer)
{
	struct vitrine_fxt_string text = { 0 };
	FILE *out = open_memstream((char **)&text.bytes, &text.len_bytes);
	bool is_cut = !strncmp(answer, CUT ";", sizeof(CUT));
	bool is_good = out;
	uint32_t nr;

	if (!out)
		return false;
	nr = put_frames(out, answer, why_text(&unwind->texts, stack->files));
	fclose(out);
	if (nr && text.len_bytes < UNWIND_STACK_BYTES &&
	    (!is_cut || nr - 1 > stack->nr_frames)) {
		is_good = intern(unwind, &text, &stack->stack);
		if (stack->stack == WHY_TEXT_OTHER)
			stack->stack = WHY_TEXT_NONE;
		unwind->nr_unwound += stack->stack != WHY_TEXT_NONE;
	}
	free((char *)text.bytes);
	return is_good;
}

/* Each question was asked when its memory was read, which need not be the order of stacks. */
static struct vitrine_error *read_answers(struct unwind *unwind, FILE *answers)
{
	struct unwind_stack **asked;
	char *line = NULL;
	size_t size = 0;
	uint32_t i;

	asked = calloc(unwind->nr_questions, sizeof(*asked));
	for (i = 0; asked && i < unwind->nr; i++)
		if (unwind->stacks[i].question)
			asked[unwind->stacks[i].question - 1] = &unwind->stacks[i];
	for (i = 0; asked && i < unwind->nr_questions; i++) {
		if (getline(&line, &size, answers) <= 0)
			break;
		line[strcspn(line, "\n")] = '\0';
		if (!take_answer(unwind, asked[i], line))
			break;
	}
	free(line);
	free(asked);
	return i == unwind->nr_questions ? NULL : vtr_error_no_memory();
}

static struct vitrine_error *ask(struct unwind *unwind)
{
	FILE *answers = finder_scratch();
	struct vitrine_error *err;

	err = finder_run(unwind->questions, answers);
	if (!err)
		err = read_answers(unwind, answers);
	if (answers)
		fclose(answers);
	return err;
}

static int compare(const void *left, const void *right)
{
	const struct unwind_stack *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/**
 * unwind_all() - unwind all user stacks of a trace that have memory
 * @unwind: empty
 * @path: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *unwind_all(struct unwind *unwind, const char *path)
{
	struct vitrine_error *err = archive_visit_file(path, collect_record, unwind);

	if (!err && unwind->nr_questions)
		err = ask(unwind);
	if (!err && unwind->nr)
		qsort(unwind->stacks, unwind->nr, sizeof(*unwind->stacks), compare);
	return err;
}

/* ---- Results ---------------------------------------------------------------- */

static const struct unwind_stack *look_up(const struct unwind *unwind,
					  uint64_t thread, uint64_t id)
{
	const struct unwind_stack key = { .thread = thread, .id = id };

	return id && unwind->nr ? bsearch(&key, unwind->stacks, unwind->nr,
					  sizeof(key), compare) : NULL;
}

/**
 * unwind_find() - find the stack that was unwound for an event
 * @unwind: after unwind_all()
 * @record: a user stack
 * @ret: receives the stack
 *
 * Return: false if there is none.
 */
bool unwind_find(const struct unwind *unwind,
		 const struct vitrine_fxt_record *record,
		 struct vitrine_fxt_string *ret)
{
	const struct unwind_stack *stack;
	const char *text;

	stack = look_up(unwind, record->event.thread.thread, id_of(record));
	if (!stack || stack->stack == WHY_TEXT_NONE)
		return false;
	text = why_text(&unwind->texts, stack->stack);
	*ret = (struct vitrine_fxt_string){ text, strlen(text) };
	return true;
}

/**
 * unwind_has_used() - test whether the memory of a user stack is no longer needed
 * @unwind: after unwind_all()
 * @record: a record for which unwind_is_memory() is true
 *
 * Return: true if its stack was unwound.
 */
bool unwind_has_used(const struct unwind *unwind,
		     const struct vitrine_fxt_record *record)
{
	const struct unwind_stack *stack;

	stack = look_up(unwind, record->large_blob.thread.thread, id_of(record));
	return stack && stack->stack != WHY_TEXT_NONE;
}

/**
 * unwind_deinit() - free all memory
 * @unwind: may be empty
 */
void unwind_deinit(struct unwind *unwind)
{
	if (unwind->questions)
		fclose(unwind->questions);
	free(unwind->stacks);
	why_texts_deinit(&unwind->texts);
}
