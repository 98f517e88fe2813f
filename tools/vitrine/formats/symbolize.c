// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine symbolize': find the functions of the frames of user stacks. A first pass over the
 * trace unwinds those that have stack memory, a second one collects the frames, a helper program
 * with libdw finds their functions, and the trace is written again with their names.
 *
 * One trace is symbolized at a time; the state is static. Lack of memory ends the command.
 */
#define _GNU_SOURCE	/* memrchr() */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "input.h"
#include "rewrite.h"

/* Longest question about a frame. */
#define QUESTION_BYTES	(USER_STACK_PATH_BYTES + 160)

/**
 * struct symbols - the functions of frames
 * @questions: what is asked about each frame, as in tools/dwarf/main.c
 * @order: numbers of the questions, ordered by file
 * @answers: the answer to each question, by its number; empty if there is none
 * @nr_answers: size of @answers; later questions are about a file that has changed meanwhile
 * @nr_answered: number of questions with an answer
 * @stack: buffer for a stack with the names of functions
 * @nr_found: number of frames whose function was found
 * @nr_unknown: number of frames of files whose function was not found
 */
static struct symbols {
	struct why_texts questions;
	uint32_t *order;
	char **answers;
	uint32_t nr_answers;
	uint32_t nr_answered;
	char stack[UNWIND_STACK_BYTES];
	uint64_t nr_found;
	uint64_t nr_unknown;
} symbols;

struct arguments {
	const char *path;
	const char *out;
};

/* ---- Stacks ----------------------------------------------------------------- */

/* Check whether a frame names a file by its path, or by the last component of it. */
static bool is_file(const struct user_stack_file *file, const char *name,
		    size_t len_name)
{
	const char *at;

	if (len_name > file->len_path)
		return false;
	at = file->path + file->len_path - len_name;
	return !memcmp(at, name, len_name) && (at == file->path || at[-1] == '/');
}

/* Find a file in the list. Return false if it is not there, or cannot be asked about. */
static bool find_file(const struct vitrine_fxt_string *files, const char *name,
		      size_t len_name, struct user_stack_file *ret)
{
	const char *at = files->bytes, *end = at + files->len_bytes;

	while (user_stack_next_file(&at, end, ret))
		if (is_file(ret, name, len_name))
			return ret->len_id;
	return false;
}

/* Test whether a frame is in memory without a file: "?+0xaddress". */
static bool is_anonymous(const char *frame, size_t len)
{
	return len >= 2 && !memcmp(frame, "?+", 2);
}

/* Find the file of a frame: code without a file is listed in one that its process writes. */
static bool find_place(const struct vitrine_fxt_record *record, const char *frame,
		       size_t len_name, struct user_stack_file *ret)
{
	const struct vitrine_fxt_string *files = user_stack_text(record, "files");
	static char path[sizeof("/tmp/perf-18446744073709551615.map")];

	if (!is_anonymous(frame, len_name + 1))
		return files && find_file(files, frame, len_name, ret);
	*ret = (struct user_stack_file){ .path = path, .id = "-", .len_id = 1 };
	ret->len_path = snprintf(path, sizeof(path), "/tmp/perf-%" PRIu64 ".map",
				 record->event.thread.process);
	return true;
}

/* Write the question about a frame. Return its length, or 0: the frame has no file. */
static size_t ask(char question[QUESTION_BYTES], const char *frame, size_t len,
		  bool is_innermost, const struct vitrine_fxt_record *record)
{
	const char *plus = memrchr(frame, '+', len);
	struct user_stack_file file;
	uint64_t offset;
	char digits[24];
	int length;

	if (!plus || len - (plus - frame) >= sizeof(digits))
		return 0;
	memcpy(digits, plus + 1, len - (plus - frame) - 1);
	digits[len - (plus - frame) - 1] = '\0';
	offset = strtoull(digits, NULL, 16);
	if (!find_place(record, frame, plus - frame, &file))
		return 0;
	length = snprintf(question, QUESTION_BYTES, "%.*s %" PRIx64 " %s %.*s",
			  (int)file.len_id, file.id, offset,
			  is_innermost ? "here" : "call", (int)file.len_path,
			  file.path);
	return length < QUESTION_BYTES ? length : 0;
}

/*
 * Find the stack of an event, as it was unwound, or else as the kernel wrote it. Return false
 * if the event has none.
 */
static bool find_stack(const struct vitrine_fxt_record *record, struct vitrine_fxt_string *ret)
{
	const struct vitrine_fxt_string *stack;

	stack = user_stack_is(record) ? user_stack_text(record, "stack") : NULL;
	if (stack && !unwind_find(record, ret))
		*ret = *stack;
	return stack;
}

/* ---- Second pass ------------------------------------------------------------ */

static enum archive_step collect_frames(void *ctx, const struct vitrine_fxt_record *record)
{
	const char *at, *end, *frame;
	struct vitrine_fxt_string stack;
	char question[QUESTION_BYTES];
	size_t len;

	if (!find_stack(record, &stack))
		return ARCHIVE_NEXT;
	at = stack.bytes;
	end = at + stack.len_bytes;
	while ((frame = user_stack_piece(&at, end, &len))) {
		len = ask(question, frame, len, at == end, record);
		why_texts_add(&symbols.questions, question, len);
	}
	return ARCHIVE_NEXT;
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
static int compare_questions(const void *left, const void *right)
{
	const char *a = why_text(&symbols.questions, *(const uint32_t *)left);
	const char *b = why_text(&symbols.questions, *(const uint32_t *)right);
	int order = strcmp(path_in(a), path_in(b));

	return order ? order : strcmp(a, b);
}

static void take_answer(uint32_t number, const char *answer)
{
	char *copy = strdup(answer);

	must_have(copy);
	symbols.answers[symbols.order[number]] = copy;
	symbols.nr_answered += !!*copy;
}

static struct vitrine_error *find_symbols(void)
{
	const uint32_t first = WHY_TEXT_OTHER + 1, end = symbols.questions.nr;
	const uint32_t nr = end > first ? end - first : 0;
	FILE *questions;
	uint32_t i;

	symbols.nr_answers = end;
	symbols.answers = calloc(end + 1, sizeof(*symbols.answers));
	symbols.order = calloc(nr + 1, sizeof(*symbols.order));
	must_have(symbols.answers && symbols.order);
	if (!nr)
		return NULL;
	for (i = 0; i < nr; i++)
		symbols.order[i] = first + i;
	qsort(symbols.order, nr, sizeof(*symbols.order), compare_questions);
	questions = finder_scratch();
	for (i = 0; questions && i < nr; i++)
		fprintf(questions, "%s\n", why_text(&symbols.questions, symbols.order[i]));
	return finder_ask(questions, nr, take_answer);
}

/* ---- Third pass ------------------------------------------------------------- */

/* Find the answer to a question; NULL: there is none. */
static const char *answer_to(const char *question, size_t len)
{
	uint32_t number = why_texts_add(&symbols.questions, question, len);

	if (number <= WHY_TEXT_OTHER || number >= symbols.nr_answers ||
	    !*symbols.answers[number])
		return NULL;
	return symbols.answers[number];
}

static size_t append(size_t at, const char *bytes, size_t len)
{
	if (at + len + 1 > UNWIND_STACK_BYTES)
		return at;
	if (at)
		symbols.stack[at++] = ';';
	memcpy(symbols.stack + at, bytes, len);
	return at + len;
}

/* Return the length of the stack with names, in the buffer. */
static size_t name_frames(const struct vitrine_fxt_string *stack,
			  const struct vitrine_fxt_record *record)
{
	const char *at = stack->bytes, *end = at + stack->len_bytes;
	const char *frame, *answer;
	char question[QUESTION_BYTES];
	size_t len, length = 0, len_question;

	while ((frame = user_stack_piece(&at, end, &len))) {
		len_question = ask(question, frame, len, at == end, record);
		answer = len_question ? answer_to(question, len_question) : NULL;
		if (answer) {
			length = append(length, answer, strlen(answer));
			symbols.nr_found++;
		} else {
			symbols.nr_unknown += !!memchr(frame, '+', len);
			/* An address tells nothing about another process. */
			if (is_anonymous(frame, len))
				len = 1;
			length = append(length, frame, len);
		}
	}
	return length;
}

/* Remove the arguments that say where memory is of which the stack was unwound. */
static void forget_memory(struct vitrine_fxt_record *record)
{
	unsigned int i, nr = 0;

	for (i = 0; i < record->nr_args; i++)
		if (!fxt_string_is(&record->args[i].name, "maps") &&
		    !fxt_string_is(&record->args[i].name, "memory"))
			record->args[nr++] = record->args[i];
	record->nr_args = nr;
}

/* Replace the frames of a stack. Return false to leave the record out. */
static bool name_record(struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_string stack, unwound;
	unsigned int i;

	if (unwind_is_memory(record))
		return !unwind_has_used(record);
	if (!find_stack(record, &stack))
		return true;
	stack = (struct vitrine_fxt_string){ symbols.stack, name_frames(&stack, record) };
	for (i = 0; i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, "stack"))
			record->args[i].value.string = stack;
	if (unwind_find(record, &unwound))
		forget_memory(record);
	return true;
}

static void deinit(void)
{
	uint32_t i;

	for (i = 0; symbols.answers && i < symbols.nr_answers; i++)
		free(symbols.answers[i]);
	free(symbols.answers);
	free(symbols.order);
	why_texts_deinit(&symbols.questions);
	unwind_deinit();
}

/* Write the trace again with the names that were found. Return enum exit_code. */
static int write_named(const char *path, const char *out)
{
	char *paths[1] = { (char *)path };
	const struct rewrite rewrite = {
		.paths = paths,
		.nr_paths = 1,
		.out = out,
		.what = "a symbolized trace",
		.choose = name_record,
	};
	int status = rewrite_run(&rewrite);

	if (unwind_nr_stacks())
		print_note(out, "unwound %" PRIu32 " of the %" PRIu32
			   " user stacks that were recorded with their memory",
			   unwind_nr_unwound(), unwind_nr_stacks());
	if (symbols.nr_found + symbols.nr_unknown)
		print_note(out, "found the functions of %" PRIu64 " of %" PRIu64
			   " frames of user stacks", symbols.nr_found,
			   symbols.nr_found + symbols.nr_unknown);
	return status;
}

/* Open a trace, and find the functions of its frames. */
static struct vitrine_error *open_and_find(struct input *input, const char *path)
{
	struct vitrine_error *err;

	symbols = (struct symbols){ 0 };
	err = input_open(input, path);
	if (!err)
		err = unwind_all(input->path);
	if (!err)
		err = archive_visit_file(input->path, collect_frames, NULL);
	if (!err)
		err = find_symbols();
	return input_blame(input, err);
}

/* Name the functions of the frames of user stacks. Returns enum exit_code. */
static int symbolize_run(const char *path, const char *out)
{
	struct vitrine_error *err;
	struct input input;
	int status;

	err = open_and_find(&input, path);
	status = err ? report_error(err) : write_named(input.path, out);
	input_close(&input);
	deinit();
	return status;
}

/* Reading a FIFO or a device would block, or consume what is in it. */
static bool is_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/**
 * symbolize_recording() - name the functions in a trace that was just recorded
 * @path: the trace, which stays as it is if no function is found, or if the helper
 *	program is not installed
 */
void symbolize_recording(const char *path)
{
	struct vitrine_error *err;
	struct input input;

	if (!finder_is_installed() || !is_regular(path))
		return;
	/* A recording does not wait for downloads. */
	unsetenv("DEBUGINFOD_URLS");
	err = open_and_find(&input, path);
	if (err)
		report_error(err);
	else if (unwind_nr_unwound() || symbols.nr_answered)
		write_named(input.path, path);
	input_close(&input);
	deinit();
}

/* ---- Options ----------------------------------------------------------- */

static struct arguments args;

static const struct command_option options[] = {
	{ "output", 'o', "OUT", "Write the trace to OUT", .text = &args.out, .is_needed = true },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.operand = &args.path,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE -o OUT",
	.doc = "Name the functions of user stacks.\n"
	       "\013Programs and libraries are read from the paths in the trace. A file is not\n"
	       "used if its build id differs from that in the trace.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine symbolize load.fxt -o named.fxt\n"
	       "  vitrine symbolize load.fxt -o - | vitrine flame - -o load.html",
};

int cmd_symbolize(int argc, char **argv)
{
	args = (struct arguments){ 0 };
	options_parse(&line, argc, argv);
	return symbolize_run(args.path, args.out);
}
