// SPDX-License-Identifier: GPL-2.0
/*
 * Find the functions of the frames of user stacks. A first pass over the trace collects
 * the frames, a helper program with libdw finds their functions, and the trace is written
 * again with their names.
 */
#define _GNU_SOURCE	/* memrchr() */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vitrine/fxt.h>

#include "archive.h"
#include "error.h"
#include "fxt.h"
#include "helper.h"
#include "input.h"
#include "merge.h"
#include "report.h"
#include "sched/why_texts.h"
#include "symbolize.h"
#include "temporary.h"

/* Longest path, and longest stack that is written. */
#define PATH_BYTES	4096
#define STACK_BYTES	16000

/* Longest build id that the helper program understands. */
#define MAX_ID_DIGITS	128

static const struct helper finder = {
	.name = "find-symbols",
	.library = "libdw",
	.purpose = "finding symbols",
	.install = "install the package vitrine-tools; to build it, libdw-dev",
	.advice = "a program or library that it names may be damaged",
};

/**
 * struct symbols - the functions of frames
 * @questions: what is asked about each frame, as in tools/dwarf/main.c
 * @answers: the answer to each question, by its number; empty if there is none
 * @stack: buffer for a stack with the names of functions
 * @nr_found: number of frames whose function was found
 * @nr_unknown: number of frames of files whose function was not found
 */
struct symbols {
	struct why_texts questions;
	char **answers;
	char stack[STACK_BYTES];
	uint64_t nr_found;
	uint64_t nr_unknown;
};

/* ---- Stacks ----------------------------------------------------------------- */

static bool is_user_stack(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       record->event.type == FXT_EVENT_INSTANT &&
	       fxt_string_is(&record->event.category, "stacks") &&
	       fxt_string_is(&record->event.name, "user stack");
}

static const struct vitrine_fxt_string *
text_arg(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	return arg && arg->type == FXT_ARG_STRING_REF ? &arg->value.string :
							NULL;
}

/* Return the piece before the next ";", and move @at behind it; NULL at the end. */
static const char *next_piece(const char **at, const char *end, size_t *ret_len)
{
	const char *piece = *at, *separator;

	if (piece >= end)
		return NULL;
	separator = memchr(piece, ';', end - piece);
	*ret_len = (separator ? separator : end) - piece;
	*at = separator ? separator + 1 : end;
	return piece;
}

/* Check whether a frame names a file by its path, or by the last component of it. */
static bool is_file(const char *path, size_t len_path, const char *name,
		    size_t len_name)
{
	return len_name <= len_path &&
	       !memcmp(path + len_path - len_name, name, len_name) &&
	       (len_name == len_path || path[len_path - len_name - 1] == '/');
}

static bool is_build_id(const char *id, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	return len && len <= MAX_ID_DIGITS;
}

/*
 * Find "path build-id" of a file in the list. Return NULL if it has no build id, or if the
 * path does not fit into a line.
 */
static const char *find_file(const struct vitrine_fxt_string *files,
			     const char *name, size_t len_name,
			     size_t *ret_len_path, size_t *ret_len_id)
{
	const char *at = files->bytes, *end = at + files->len_bytes;
	const char *piece, *space;
	size_t len;

	while ((piece = next_piece(&at, end, &len))) {
		space = memrchr(piece, ' ', len);
		if (!space || !is_file(piece, space - piece, name, len_name))
			continue;
		*ret_len_path = space - piece;
		*ret_len_id = len - (space - piece) - 1;
		if (memchr(piece, '\n', len) || !is_build_id(space + 1, *ret_len_id))
			return NULL;
		return piece;
	}
	return NULL;
}

/* Write the question about a frame. Return its length, or 0: the frame has no file. */
static size_t ask(char question[PATH_BYTES], const char *frame, size_t len,
		  bool is_innermost, const struct vitrine_fxt_string *files)
{
	const char *plus = memrchr(frame, '+', len), *file;
	size_t len_path, len_id;
	uint64_t offset;
	char digits[24];
	int length;

	if (!files || !plus || len - (plus - frame) >= sizeof(digits))
		return 0;
	memcpy(digits, plus + 1, len - (plus - frame) - 1);
	digits[len - (plus - frame) - 1] = '\0';
	offset = strtoull(digits, NULL, 16);
	file = find_file(files, frame, plus - frame, &len_path, &len_id);
	if (!file)
		return 0;
	length = snprintf(question, PATH_BYTES, "%.*s %" PRIx64 " %s %.*s",
			  (int)len_id, file + len_path + 1, offset,
			  is_innermost ? "here" : "call", (int)len_path, file);
	return length < PATH_BYTES ? length : 0;
}

/* ---- First pass ------------------------------------------------------------- */

static enum archive_step collect_frames(void *ctx,
					const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *stack, *files;
	const char *at, *end, *frame;
	struct symbols *symbols = ctx;
	char question[PATH_BYTES];
	uint32_t unused;
	size_t len;

	stack = is_user_stack(record) ? text_arg(record, "stack") : NULL;
	if (!stack)
		return ARCHIVE_NEXT;
	files = text_arg(record, "files");
	at = stack->bytes;
	end = at + stack->len_bytes;
	while ((frame = next_piece(&at, end, &len))) {
		len = ask(question, frame, len, at == end, files);
		if (len && !why_texts_add(&symbols->questions, question, len,
					  &unused))
			return ARCHIVE_NO_MEMORY;
	}
	return ARCHIVE_NEXT;
}

static struct vitrine_error *collect(struct symbols *symbols, const char *path)
{
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	err = vitrine_archive_create(path, NULL, &archive);
	if (err)
		return err;
	err = archive_for_each(archive, collect_frames, symbols);
	vitrine_archive_destroy(archive);
	return err;
}

/* ---- Symbols ---------------------------------------------------------------- */

static const char *path_in(const char *question)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		question = strchr(question, ' ') + 1;
	return question;
}

/* Order the numbers of questions by file. */
static int compare_questions(const void *left, const void *right, void *ctx)
{
	const char *a = why_text(ctx, *(const uint32_t *)left);
	const char *b = why_text(ctx, *(const uint32_t *)right);
	int order = strcmp(path_in(a), path_in(b));

	return order ? order : strcmp(a, b);
}

/* Return the numbers of all questions, ordered by file; NULL: no memory. */
static uint32_t *sort_questions(struct symbols *symbols, uint32_t *ret_nr)
{
	uint32_t first = WHY_TEXT_OTHER + 1, nr = symbols->questions.nr, i;
	uint32_t *order;

	nr = nr > first ? nr - first : 0;
	order = calloc(nr + 1, sizeof(*order));
	if (!order)
		return NULL;
	for (i = 0; i < nr; i++)
		order[i] = first + i;
	qsort_r(order, nr, sizeof(*order), compare_questions,
		&symbols->questions);
	*ret_nr = nr;
	return order;
}

static struct vitrine_error *read_answers(struct symbols *symbols, FILE *answers,
					  const uint32_t *order, uint32_t nr)
{
	char *line = NULL;
	size_t size = 0;
	uint32_t i;

	rewind(answers);
	for (i = 0; i < nr && getline(&line, &size, answers) > 0; i++) {
		line[strcspn(line, "\n")] = '\0';
		symbols->answers[order[i]] = strdup(line);
		if (!symbols->answers[order[i]])
			break;
	}
	free(line);
	return i == nr ? NULL : vtr_error_no_memory();
}

static struct vitrine_error *run_finder(FILE *questions, FILE *answers)
{
	struct vitrine_error *err;
	struct helper_run run;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(),
		 fileno(questions));
	err = helper_start(&finder, path, -1, fileno(answers), &run);
	return err ? err : helper_finish(&finder, NULL, &run);
}

/* Create a temporary file without a name. */
static FILE *scratch_file(void)
{
	int fd = vtr_temporary_anonymous();
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static struct vitrine_error *ask_all(struct symbols *symbols,
				     const uint32_t *order, uint32_t nr)
{
	FILE *questions = scratch_file(), *answers = scratch_file();
	struct vitrine_error *err;
	uint32_t i;

	for (i = 0; questions && i < nr; i++)
		fprintf(questions, "%s\n",
			why_text(&symbols->questions, order[i]));
	if (!questions || !answers || fflush(questions))
		err = vtr_error_os(errno, NULL, "cannot write a temporary file");
	else
		err = run_finder(questions, answers);
	if (!err)
		err = read_answers(symbols, answers, order, nr);
	if (questions)
		fclose(questions);
	if (answers)
		fclose(answers);
	return err;
}

static struct vitrine_error *find_symbols(struct symbols *symbols)
{
	struct vitrine_error *err = NULL;
	uint32_t *order, nr;

	order = sort_questions(symbols, &nr);
	symbols->answers = calloc(symbols->questions.nr + 1,
				  sizeof(*symbols->answers));
	if (!order || !symbols->answers)
		err = vtr_error_no_memory();
	else if (nr)
		err = ask_all(symbols, order, nr);
	free(order);
	return err;
}

/* ---- Second pass ------------------------------------------------------------ */

/* Find the answer to a question; NULL: there is none, or no memory. */
static const char *answer_to(struct symbols *symbols, const char *question,
			     size_t len)
{
	uint32_t number;

	if (!why_texts_add(&symbols->questions, question, len, &number) ||
	    number <= WHY_TEXT_OTHER || !*symbols->answers[number])
		return NULL;
	return symbols->answers[number];
}

static size_t append(char *stack, size_t at, const char *bytes, size_t len)
{
	if (at + len + 1 > STACK_BYTES)
		return at;
	if (at)
		stack[at++] = ';';
	memcpy(stack + at, bytes, len);
	return at + len;
}

/* Return the length of the stack with names, in the buffer. */
static size_t name_frames(struct symbols *symbols,
			  const struct vitrine_fxt_string *stack,
			  const struct vitrine_fxt_string *files)
{
	const char *at = stack->bytes, *end = at + stack->len_bytes;
	const char *frame, *answer;
	char question[PATH_BYTES];
	size_t len, length = 0, len_question;

	while ((frame = next_piece(&at, end, &len))) {
		len_question = ask(question, frame, len, at == end, files);
		answer = len_question ?
			 answer_to(symbols, question, len_question) : NULL;
		if (answer) {
			length = append(symbols->stack, length, answer,
					strlen(answer));
			symbols->nr_found++;
		} else {
			length = append(symbols->stack, length, frame, len);
			symbols->nr_unknown += !!memchr(frame, '+', len);
		}
	}
	return length;
}

static void name_record(void *ctx, struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *stack, *files;
	struct symbols *symbols = ctx;
	unsigned int i;
	size_t len;

	if (!is_user_stack(record))
		return;
	stack = text_arg(record, "stack");
	files = text_arg(record, "files");
	if (!stack)
		return;
	len = name_frames(symbols, stack, files);
	for (i = 0; i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, "stack"))
			record->args[i].value.string =
				(struct vitrine_fxt_string){ symbols->stack,
							     len };
}

static void deinit(struct symbols *symbols)
{
	uint32_t i;

	for (i = 0; symbols->answers && i < symbols->questions.nr; i++)
		free(symbols->answers[i]);
	free(symbols->answers);
	why_texts_deinit(&symbols->questions);
}

/* Write the trace again with the names that were found. Return enum exit_code. */
static int write_named(struct symbols *symbols, const char *path, const char *out)
{
	char *paths[1] = { (char *)path };
	const struct merge_args merge = {
		.paths = paths,
		.nr_paths = 1,
		.out = out,
		.edit = name_record,
		.ctx = symbols,
	};
	int status = merge_run(&merge);

	if (symbols->nr_found + symbols->nr_unknown)
		print_note(out, "%" PRIu64 " frames have names now, %" PRIu64
			   " do not", symbols->nr_found, symbols->nr_unknown);
	return status;
}

/* Open a trace, and find the functions of its frames. */
static struct vitrine_error *open_and_find(struct symbols *symbols,
					   struct input *input, const char *path)
{
	struct vitrine_error *err;

	err = input_open(input, path);
	if (!err)
		err = collect(symbols, input->path);
	if (!err)
		err = find_symbols(symbols);
	return input_blame(input, err);
}

/**
 * symbolize_run() - name the functions of the frames of user stacks
 * @path: trace to read; "-": standard input
 * @out: trace to write; "-": standard output
 *
 * Return: enum exit_code.
 */
int symbolize_run(const char *path, const char *out)
{
	struct symbols symbols = { 0 };
	struct vitrine_error *err;
	struct input input;
	int status;

	err = open_and_find(&symbols, &input, path);
	status = err ? report_error(err) :
		       write_named(&symbols, input.path, out);
	input_close(&input);
	deinit(&symbols);
	return status;
}

/* Reading a FIFO or a device would block, or consume what is in it. */
static bool is_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool has_answers(const struct symbols *symbols)
{
	uint32_t i;

	for (i = WHY_TEXT_OTHER + 1; i < symbols->questions.nr; i++)
		if (*symbols->answers[i])
			return true;
	return false;
}

/**
 * symbolize_recording() - name the functions in a trace that was just recorded
 * @path: the trace, which stays as it is if no function is found, or if the helper
 *	program is not installed
 */
void symbolize_recording(const char *path)
{
	struct symbols symbols = { 0 };
	struct vitrine_error *err;
	struct input input;

	if (!helper_is_installed(&finder) || !is_regular(path))
		return;
	/* A recording does not wait for downloads. */
	unsetenv("DEBUGINFOD_URLS");
	err = open_and_find(&symbols, &input, path);
	if (err)
		report_error(err);
	else if (has_answers(&symbols))
		write_named(&symbols, input.path, path);
	input_close(&input);
	deinit(&symbols);
}
