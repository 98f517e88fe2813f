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
 * one another. With the build id "-", PATH is the list of code without a file that a process
 * has written, and OFFSET is an address.
 *
 * A question about a stack is a line "stack NR-FILES NR-REGISTERS LEN-BYTES", then for each
 * file a line "BUILD-ID ADDRESS OFFSET PATH", which tells where its code is mapped, and then
 * the registers, the stack memory and a newline. The answer is a line: frames, outermost
 * first, separated by ";". A frame is "FILE+0xOFFSET", with the number of the file, or
 * "?+0xADDRESS"; "..." stands for outer frames that cannot be found.
 *
 * The input is hostile: to unwind a stack, libdw reads no memory but the saved bytes, and the
 * number of frames is bounded. Anybody can write a list of code, which therefore is a regular
 * file of bounded length, or is not read.
 */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "base.h"
#include "helpers.h"

#define UNWIND_QUESTION	"stack "

#define MAX_FILES	64
#define MAX_FRAMES	256
#define MAX_BYTES	(1U << 20)
#define MAX_ID_BYTES	64

/* Build id of a question about code without a file; longest list of it, and longest line. */
#define CODE_ID		"-"
#define MAX_LINES	(1U << 20)
#define MAX_LINE_BYTES	512

/* libdwfl identifies the thread by a number; any will do. */
#define THREAD	1

/**
 * struct mapped - a file of the stack
 * @module: its module, NULL if it cannot be read or has another build id
 * @bias: address of its first byte of virtual memory
 */
struct mapped {
	Dwfl_Module *module;
	GElf_Addr bias;
};

/**
 * struct stack - a stack that is unwound
 * @files: files of its frames, in the order of the question
 * @nr_files: number of @files
 * @machine: ELF machine of the first file that could be read
 * @nr_registers: number of @registers
 * @registers: registers, then the memory
 * @memory_bytes: length of the memory
 * @sp: address of the memory
 * @frames: addresses, innermost first
 * @nr_frames: number of @frames
 * @slot: index in the memory of the last return address
 * @is_behind: unwinding goes on at @slot, behind code without a file
 * @is_cut: outer frames could not be found
 */
struct stack {
	struct mapped files[MAX_FILES];
	unsigned int nr_files;
	unsigned int machine;
	unsigned int nr_registers;
	Dwarf_Word *registers;
	size_t memory_bytes;
	Dwarf_Addr sp;
	Dwarf_Addr frames[MAX_FRAMES];
	unsigned int nr_frames;
	size_t slot;
	bool is_behind;
	bool is_cut;
};

/**
 * struct machine - how a machine's registers were saved
 * @machine: ELF machine
 * @nr_registers: number of registers, of which the last one is the program counter
 * @nr_general: number of registers that libdw gets by their DWARF numbers, from 0 on
 * @sp: index of the stack pointer
 */
struct machine {
	unsigned int machine;
	unsigned int nr_registers;
	unsigned int nr_general;
	unsigned int sp;
};

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
 * struct code - a function in memory without a file
 * @begin: its address
 * @size: its length
 * @line: number of its line in the list: the last one of an address is valid
 * @name: its name
 */
struct code {
	uint64_t begin;
	uint64_t size;
	size_t line;
	char *name;
};

/**
 * struct binary - the file that the last question was about
 * @path: its path, NULL before the first question
 * @id: build id that the questions gave
 * @dwfl: libdwfl's state
 * @module: the file, NULL if it cannot be read or has another build id
 * @code: functions of a list of code, by address
 * @nr_code: number of @code
 */
struct binary {
	char *path;
	char id[2 * MAX_ID_BYTES + 1];
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct code *code;
	size_t nr_code;
};

/* ---- Stacks ------------------------------------------------------------ */

static const struct machine machines[] = {
	{ EM_X86_64, 17, 17, 7 },
	{ EM_AARCH64, 33, 32, 31 },
};

static const Dwfl_Callbacks stack_callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* ---- Files ------------------------------------------------------------------ */

/*
 * Test whether a path names a regular file.
 *
 * Opening anything else, such as a FIFO, might block or have side effects.
 *
 * Returns true if it does.
 */
static bool unwind_is_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool has_build_id(Elf *elf, const char *wanted)
{
	char hex[2 * MAX_ID_BYTES + 1] = "";
	const unsigned char *id;
	const void *bytes;
	ssize_t len, i;

	len = dwelf_elf_gnu_build_id(elf, &bytes);
	for (i = 0, id = bytes; i < len && i < MAX_ID_BYTES; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return len > 0 && !strcmp(hex, wanted);
}

/* Find the segment of code that contains a place in the file, or the page before it. */
static bool find_segment(Elf *elf, uint64_t offset, GElf_Phdr *ret)
{
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, ret) && ret->p_type == PT_LOAD &&
		    ret->p_flags & PF_X &&
		    offset >= (ret->p_offset & -ret->p_align) &&
		    offset < ret->p_offset + ret->p_filesz)
			return true;
	return false;
}

/* Report a file of which the byte at @offset is mapped at @address. */
static void report_file(Dwfl *dwfl, struct stack *stack, const char *id,
			uint64_t address, uint64_t offset, const char *path)
{
	struct mapped *mapped = &stack->files[stack->nr_files++];
	GElf_Phdr segment;
	GElf_Ehdr header;
	Elf *elf = NULL;
	int fd = -1;

	if (unwind_is_regular(path))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && has_build_id(elf, id) && gelf_getehdr(elf, &header) &&
	    find_segment(elf, offset, &segment)) {
		mapped->bias = address - offset + segment.p_offset - segment.p_vaddr;
		/* libdwfl closes a descriptor that it has taken over. */
		mapped->module = dwfl_report_elf(dwfl, path, path, fd,
						 mapped->bias, true);
		if (mapped->module)
			fd = -1;
		if (!stack->machine)
			stack->machine = header.e_machine;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* ---- The thread ------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *stack, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = stack;
	return THREAD;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *ctx)
{
	struct stack *stack = ctx;
	const char *memory = (const char *)(stack->registers + stack->nr_registers);
	Dwarf_Addr offset = address - stack->sp;

	(void)dwfl;
	if (stack->memory_bytes < sizeof(*ret) ||
	    offset > stack->memory_bytes - sizeof(*ret)) {
		stack->is_cut = true;
		return false;
	}
	memcpy(ret, memory + offset, sizeof(*ret));
	return true;
}

static const struct machine *machine_of(const struct stack *stack)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].machine == stack->machine &&
		    machines[i].nr_registers == stack->nr_registers)
			return &machines[i];
	return NULL;
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
	const struct stack *stack = ctx;
	const struct machine *machine = machine_of(stack);

	dwfl_thread_state_register_pc(thread,
				      stack->registers[stack->nr_registers - 1]);
	return dwfl_thread_state_registers(thread, 0, machine->nr_general,
					   stack->registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/*
 * Step over a trampoline of Python: no file describes its frame, which has a word of padding
 * before the return address. libdw takes all code without a file for code with frame pointers,
 * which is right for that of Java and Node, and on arm64 also for trampolines. Return false if
 * the frame is none of them.
 */
static bool skip_trampoline(struct stack *stack, Dwfl *dwfl, Dwarf_Addr pc)
{
	const Dwarf_Word *memory = stack->registers + stack->nr_registers;
	size_t nr = stack->memory_bytes / sizeof(*memory), i = stack->slot;

	while (i < nr && memory[i] != pc)
		i++;
	if (i == nr)
		return false;
	stack->slot = i;
	if (stack->machine != EM_X86_64 || nr - i <= 2 || dwfl_addrmodule(dwfl, pc) ||
	    !dwfl_addrmodule(dwfl, memory[i + 2]))
		return false;
	stack->slot = i + 2;
	stack->is_behind = true;
	return true;
}

static int add_frame(Dwfl_Frame *frame, void *ctx)
{
	struct stack *stack = ctx;
	Dwfl *dwfl = dwfl_thread_dwfl(dwfl_frame_thread(frame));
	Dwarf_Addr *pc = &stack->frames[stack->nr_frames];

	if (stack->nr_frames == MAX_FRAMES || !dwfl_frame_pc(frame, pc, NULL))
		return DWARF_CB_ABORT;
	stack->nr_frames++;
	return skip_trampoline(stack, dwfl, *pc) ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* ---- Frames ----------------------------------------------------------------- */

/* Find the segment that contains a place in the file or, by @is_address, an address in it. */
static bool find_loaded(Elf *elf, uint64_t at, bool is_address, GElf_Phdr *ret)
{
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, ret) && ret->p_type == PT_LOAD &&
		    at - (is_address ? ret->p_vaddr : ret->p_offset) < ret->p_filesz)
			return true;
	return false;
}

/* Convert an address of a module to an offset in its file. */
static bool offset_of(const struct mapped *mapped, Dwarf_Addr address,
		      uint64_t *ret)
{
	GElf_Phdr segment;
	GElf_Addr bias;

	address -= mapped->bias;
	if (!find_loaded(dwfl_module_getelf(mapped->module, &bias), address, true, &segment))
		return false;
	*ret = address - segment.p_vaddr + segment.p_offset;
	return true;
}

static void put_frame(const struct stack *stack, Dwfl *dwfl, Dwarf_Addr address)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
	uint64_t offset;
	unsigned int i;

	for (i = 0; module && i < stack->nr_files; i++)
		if (stack->files[i].module == module &&
		    offset_of(&stack->files[i], address, &offset)) {
			printf("%u+%#" PRIx64, i, offset);
			return;
		}
	printf("?+%#" PRIx64, (uint64_t)address);
}

/* Print the frames, outermost first. */
static void put_stack(const struct stack *stack, Dwfl *dwfl)
{
	unsigned int i;

	if (stack->is_cut && stack->nr_frames)
		printf("...;");
	for (i = stack->nr_frames; i--;) {
		put_frame(stack, dwfl, stack->frames[i]);
		if (i)
			putchar(';');
	}
}

/* Continue behind a return address. The registers of the caller are not known. */
static void go_on(struct stack *stack, const struct machine *machine)
{
	const Dwarf_Word *memory = stack->registers + stack->nr_registers;

	memset(stack->registers, 0, stack->nr_registers * sizeof(*stack->registers));
	stack->registers[machine->sp] = stack->sp + (stack->slot + 1) * sizeof(*memory);
	stack->registers[stack->nr_registers - 1] = memory[stack->slot];
}

static void unwind(struct stack *stack, Dwfl *dwfl)
{
	const struct machine *machine = machine_of(stack);

	if (!machine)
		return;
	stack->sp = stack->registers[machine->sp];
	if (!dwfl_attach_state(dwfl, NULL, THREAD, &thread_callbacks, stack))
		return;
	/*
	 * Not 0 if it stops before the outermost frame, except that a return address which
	 * cannot be read looks like the end.
	 */
	while (dwfl_getthread_frames(dwfl, THREAD, add_frame, stack)) {
		if (!stack->is_behind) {
			stack->is_cut = true;
			return;
		}
		stack->is_behind = false;
		go_on(stack, machine);
	}
}

/* ---- Questions -------------------------------------------------------------- */

static bool read_file(Dwfl *dwfl, struct stack *stack, FILE *questions)
{
	char id[2 * MAX_ID_BYTES + 1];
	uint64_t address, offset;
	char *line = NULL;
	size_t size = 0;
	bool is_good;
	int at = 0;

	is_good = getline(&line, &size, questions) > 0 &&
		  sscanf(line, "%128s %" SCNx64 " %" SCNx64 " %n", id, &address,
			 &offset, &at) == 3 && at;
	if (is_good) {
		line[strcspn(line, "\n")] = '\0';
		report_file(dwfl, stack, id, address, offset, line + at);
	}
	free(line);
	return is_good;
}

/* Read what follows the first line of a question; false if it is malformed. */
static bool read_stack(Dwfl *dwfl, struct stack *stack, unsigned int nr_files,
		       size_t len_bytes, FILE *questions)
{
	size_t registers_bytes = stack->nr_registers * sizeof(*stack->registers);
	bool is_good = nr_files <= MAX_FILES && stack->nr_registers &&
		       len_bytes <= MAX_BYTES && len_bytes >= registers_bytes;

	dwfl_report_begin(dwfl);
	while (is_good && stack->nr_files < nr_files)
		is_good = read_file(dwfl, stack, questions);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!is_good)
		return false;
	stack->registers = malloc(len_bytes);
	stack->memory_bytes = len_bytes - registers_bytes;
	return stack->registers &&
	       fread(stack->registers, 1, len_bytes, questions) == len_bytes &&
	       getc(questions) == '\n';
}

/*
 * Read the rest of a question about a stack, and print its frames. Returns 0, or an errno
 * value.
 */
static int unwind_answer(FILE *questions, const char *line)
{
	struct stack stack = { 0 };
	unsigned int nr_files;
	size_t len_bytes;
	Dwfl *dwfl;
	int err = 0;

	dwfl = dwfl_begin(&stack_callbacks);
	if (!dwfl)
		return ENOMEM;
	if (sscanf(line, UNWIND_QUESTION "%u %u %zu", &nr_files,
		   &stack.nr_registers, &len_bytes) != 3 ||
	    !read_stack(dwfl, &stack, nr_files, len_bytes, questions))
		err = EBADMSG;
	else
		unwind(&stack, dwfl);
	put_stack(&stack, dwfl);
	putchar('\n');
	free(stack.registers);
	dwfl_end(dwfl);
	return err;
}

/* ---- Functions of addresses -------------------------------------------- */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int tell(int code, const char *message)
{
	dprintf(HELPER_STATUS_FD, "%d\n%s\n\n", code, message);
	return EXIT_FAILURE;
}

/* ---- Code without a file ---------------------------------------------------- */

/* Neither follow a link nor wait for a FIFO. */
static FILE *code_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	FILE *file = NULL;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode))
		file = fdopen(fd, "r");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Parse a line "ADDRESS LENGTH NAME"; false if it is none, or without memory. */
static bool code_parse(char *line, struct code *ret)
{
	char *at;

	ret->begin = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return false;
	ret->size = strtoull(at, &at, 16);
	if (!ret->size || ret->size > UINT64_MAX - ret->begin || *at != ' ')
		return false;
	at++;
	at[strcspn(at, "\n")] = '\0';
	ret->name = strdup(at);
	return ret->name;
}

static int compare_code(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static bool code_add(struct binary *binary, const struct code *code)
{
	size_t nr = binary->nr_code;

	if (!GROW(binary->code, nr))
		return false;
	binary->code[nr] = *code;
	binary->code[nr].line = nr;
	binary->nr_code++;
	return true;
}

static bool code_read(struct binary *binary, const char *path)
{
	FILE *file = code_open(path);
	char line[MAX_LINE_BYTES];
	bool is_good = true;
	struct code code;
	size_t nr = 0;

	while (file && is_good && nr++ < MAX_LINES && fgets(line, sizeof(line), file))
		if (code_parse(line, &code))
			is_good = code_add(binary, &code);
	if (file)
		fclose(file);
	if (binary->nr_code)
		qsort(binary->code, binary->nr_code, sizeof(code), compare_code);
	return is_good;
}

/* Find the function at an address, or NULL. */
static const struct code *code_find(const struct binary *binary, uint64_t address)
{
	size_t low = 0, high = binary->nr_code, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (binary->code[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - binary->code[low - 1].begin < binary->code[low - 1].size ?
	       &binary->code[low - 1] : NULL;
}

/* ---- Binaries --------------------------------------------------------------- */

static void binary_close(struct binary *binary)
{
	while (binary->nr_code)
		free(binary->code[--binary->nr_code].name);
	free(binary->code);
	if (binary->dwfl)
		dwfl_end(binary->dwfl);
	free(binary->path);
	*binary = (struct binary){ 0 };
}

static bool binary_open(struct binary *binary, const struct question *question)
{
	GElf_Addr bias;

	binary_close(binary);
	binary->path = strdup(question->path);
	binary->dwfl = dwfl_begin(&callbacks);
	if (!binary->path || !binary->dwfl)
		return false;
	memcpy(binary->id, question->id, sizeof(binary->id));
	if (!strcmp(question->id, CODE_ID))
		return code_read(binary, question->path);
	if (unwind_is_regular(question->path))
		binary->module = dwfl_report_offline(binary->dwfl, question->path,
						     question->path, -1);
	dwfl_report_end(binary->dwfl, NULL, NULL);
	if (binary->module &&
	    !has_build_id(dwfl_module_getelf(binary->module, &bias), question->id))
		binary->module = NULL;
	return true;
}

/* Convert an offset in the file to an address in the module. */
static bool address_of(Dwfl_Module *module, uint64_t offset, GElf_Addr *ret)
{
	GElf_Phdr segment;
	GElf_Addr bias;

	if (!find_loaded(dwfl_module_getelf(module, &bias), offset, false, &segment))
		return false;
	*ret = offset - segment.p_offset + segment.p_vaddr + bias;
	return true;
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
	const struct code *code = code_find(binary, question->offset - question->is_call);
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
	if (code) {
		put_text(code->name);
		printf("+0x%" PRIx64 " [jit]", question->offset - code->begin);
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
		if (text_after(line, UNWIND_QUESTION))
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
 * Return: EXIT_SUCCESS, or EXIT_FAILURE and helpers.h says more.
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
