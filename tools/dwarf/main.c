// SPDX-License-Identifier: GPL-2.0
/*
 * find-symbols QUESTIONS: finds the functions of addresses in programs and libraries, with
 * libdw, and writes them to its standard output. `vitrine symbolize' starts it: it is a
 * program of its own, so that the command does not need libdw, and survives a crash of
 * the library on a malformed file.
 *
 * A question is a line "BUILD-ID OFFSET KIND PATH": the offset in the file, and "call" if
 * a call precedes it, else "here". The answer to each is a line: frames, outermost first,
 * separated by ";", or nothing if the function is not known. Questions about a file follow
 * one another.
 *
 * A question about a stack is a line "stack NR-FILES NR-REGISTERS LEN-BYTES", then for each
 * file a line "BUILD-ID ADDRESS OFFSET PATH", which tells where its code is mapped, and then
 * the registers, the stack memory and a newline. The answer is a line: frames, outermost
 * first, separated by ";". A frame is "FILE+0xOFFSET", with the number of the file, or "?";
 * "..." stands for outer frames that cannot be found.
 */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdwfl.h>

#include "status.h"
#include "unwind.h"

#define MAX_ID_BYTES	64

/**
 * struct question - a line of the input
 * @id: build id, in hexadecimal
 * @offset: offset in the file
 * @is_call: the address is that after a call
 * @path: path of the file
 */
struct question {
	char id[2 * MAX_ID_BYTES + 1];
	uint64_t offset;
	bool is_call;
	const char *path;
};

/**
 * struct binary - the file that the last question was about
 * @path: its path, NULL before the first question
 * @id: build id that the questions gave
 * @dwfl: libdwfl's state
 * @module: the file, NULL if it cannot be read or has another build id
 */
struct binary {
	char *path;
	char id[2 * MAX_ID_BYTES + 1];
	Dwfl *dwfl;
	Dwfl_Module *module;
};

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int tell(int code, const char *message)
{
	dprintf(HELPER_STATUS_FD, "%d\n%s\n\n", code, message);
	return EXIT_FAILURE;
}

/* ---- Files ------------------------------------------------------------------ */

static bool has_build_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *id;
	char hex[2 * MAX_ID_BYTES + 1] = "";
	GElf_Addr unused;
	int i, len;

	len = dwfl_module_build_id(module, &id, &unused);
	for (i = 0; i < len && i < MAX_ID_BYTES; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return len > 0 && !strcmp(hex, wanted);
}

static void binary_close(struct binary *binary)
{
	if (binary->dwfl)
		dwfl_end(binary->dwfl);
	free(binary->path);
	*binary = (struct binary){ 0 };
}

static bool binary_open(struct binary *binary, const struct question *question)
{
	binary_close(binary);
	binary->path = strdup(question->path);
	binary->dwfl = dwfl_begin(&callbacks);
	if (!binary->path || !binary->dwfl)
		return false;
	memcpy(binary->id, question->id, sizeof(binary->id));
	if (unwind_is_regular(question->path))
		binary->module = dwfl_report_offline(binary->dwfl, question->path,
						     question->path, -1);
	dwfl_report_end(binary->dwfl, NULL, NULL);
	if (binary->module && !has_build_id(binary->module, question->id))
		binary->module = NULL;
	return true;
}

/* Convert an offset in the file to an address in the module. */
static bool address_of(Dwfl_Module *module, uint64_t offset, GElf_Addr *ret)
{
	GElf_Phdr segment;
	GElf_Addr bias;
	size_t i, nr;
	Elf *elf = dwfl_module_getelf(module, &bias);

	if (!elf || elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_LOAD || offset < segment.p_offset ||
		    offset - segment.p_offset >= segment.p_filesz)
			continue;
		*ret = offset - segment.p_offset + segment.p_vaddr + bias;
		return true;
	}
	return false;
}

/* ---- Functions -------------------------------------------------------------- */

/* In a stack, ";" separates frames. */
static void put_text(const char *text)
{
	for (; *text; text++)
		putchar(*text == ';' || *text == '\n' ? '?' : *text);
}

static void put_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	fputs(" [", stdout);
	put_text(slash ? slash + 1 : path);
	putchar(']');
}

/* Print the functions that were inlined at an address, outermost first. */
static void put_inlined(const struct binary *binary, GElf_Addr address)
{
	Dwarf_Die *scopes = NULL, *outer = NULL;
	const char *name;
	Dwarf_Addr bias;
	Dwarf_Die *unit;
	int i, nr;

	unit = dwfl_module_addrdie(binary->module, address, &bias);
	nr = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
	/* The scopes of the address are lexical; those of a DIE are where it was inlined. */
	nr = nr > 0 ? dwarf_getscopes_die(&scopes[0], &outer) : 0;
	for (i = nr - 1; i >= 0; i--) {
		if (dwarf_tag(&outer[i]) != DW_TAG_inlined_subroutine)
			continue;
		name = dwarf_diename(&outer[i]);
		putchar(';');
		put_text(name ? name : "?");
		fputs(" (inlined)", stdout);
		put_file(binary->path);
	}
	free(outer);
	free(scopes);
}

static void put_answer(const struct binary *binary,
		       const struct question *question)
{
	GElf_Addr address, look_up;
	const char *name = NULL;
	GElf_Off distance;
	GElf_Sym symbol;

	if (binary->module &&
	    address_of(binary->module, question->offset, &address)) {
		/* A call may be the last instruction of a function. */
		look_up = address - question->is_call;
		name = dwfl_module_addrinfo(binary->module, look_up, &distance,
					    &symbol, NULL, NULL, NULL);
	}
	if (name) {
		put_text(name);
		printf("+0x%" PRIx64, (uint64_t)distance + question->is_call);
		put_file(binary->path);
		put_inlined(binary, look_up);
	}
	putchar('\n');
}

/* ---- Questions -------------------------------------------------------------- */

static bool parse(char *line, struct question *ret)
{
	char kind[8];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%128s %" SCNx64 " %7s %n", ret->id, &ret->offset, kind,
		   &at) != 3 || !at)
		return false;
	ret->is_call = !strcmp(kind, "call");
	ret->path = line + at;
	return true;
}

static int answer_stack(FILE *questions, const char *line)
{
	int err = unwind_answer(questions, line);

	return err ? tell(err, "cannot unwind a stack") : EXIT_SUCCESS;
}

static int answer_all(FILE *questions)
{
	struct binary binary = { 0 };
	struct question question;
	int status = EXIT_SUCCESS;
	char *line = NULL;
	size_t size = 0;

	while (!status && getline(&line, &size, questions) > 0) {
		if (!strncmp(line, UNWIND_QUESTION, strlen(UNWIND_QUESTION)))
			status = answer_stack(questions, line);
		else if (!parse(line, &question))
			status = tell(EBADMSG, "not a question");
		else if ((!binary.path || strcmp(binary.path, question.path) ||
			  strcmp(binary.id, question.id)) &&
			 !binary_open(&binary, &question))
			status = tell(ENOMEM, "out of memory");
		else
			put_answer(&binary, &question);
	}
	binary_close(&binary);
	free(line);
	if (!status && fflush(stdout))
		status = tell(errno, "cannot write the symbols to a temporary file");
	return status;
}

/**
 * main() - find the functions of addresses
 * @argc: 2
 * @argv: the name of the file with the questions is the second
 *
 * Return: EXIT_SUCCESS, or EXIT_FAILURE and status.h says more.
 */
int main(int argc, char **argv)
{
	FILE *questions = fopen(argv[argc - 1], "re");
	int status;

	if (!questions)
		return tell(errno, "cannot open");
	status = answer_all(questions);
	fclose(questions);
	return status;
}
