// SPDX-License-Identifier: GPL-2.0
/*
 * find-symbols QUESTIONS: finds the functions of addresses in programs and libraries, with
 * libdw, and writes them to its standard output. `vitrine symbolize' and `vitrine record -e
 * uprobe:FILE:FUNCTION' start it: it is a program of its own, so that the command does not need
 * libdw, and survives a crash of the library on a malformed file.
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
 * The answer to "function PATH NAME" is the offset of the function in the file, in hexadecimal;
 * "-" if it has no such function; or nothing if it is not a 64-bit program of this machine.
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
#define FUNCTION_QUESTION	"function "

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define NATIVE_BYTES	ELFDATA2LSB
#else
#define NATIVE_BYTES	ELFDATA2MSB
#endif

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
static struct binary {
	char *path;
	char id[2 * MAX_ID_BYTES + 1];
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct code *code;
	size_t nr_code;
} binary;

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

/* Open a program or library; NULL if it cannot be read. The caller closes *@ret_fd, or -1. */
static Elf *open_elf(const char *path, int *ret_fd)
{
	*ret_fd = unwind_is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	elf_version(EV_CURRENT);
	return elf_begin(*ret_fd, ELF_C_READ_MMAP, NULL);
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
	int fd;
	Elf *elf = open_elf(path, &fd);

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

/* Convert an address in a file to an offset. */
static bool offset_of(Elf *elf, Dwarf_Addr address, uint64_t *ret)
{
	GElf_Phdr segment;

	if (!find_loaded(elf, address, true, &segment))
		return false;
	*ret = address - segment.p_vaddr + segment.p_offset;
	return true;
}

static void put_frame(const struct stack *stack, Dwfl *dwfl, Dwarf_Addr address)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
	uint64_t offset;
	GElf_Addr bias;
	unsigned int i;

	for (i = 0; module && i < stack->nr_files; i++)
		if (stack->files[i].module == module &&
		    offset_of(dwfl_module_getelf(module, &bias),
			      address - stack->files[i].bias, &offset)) {
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

static void __attribute__((noreturn)) reject(int code)
{
	helper_fail(code, "cannot unwind a stack", "");
}

static void read_file(Dwfl *dwfl, struct stack *stack, FILE *questions)
{
	char id[2 * MAX_ID_BYTES + 1];
	uint64_t address, offset;
	char *line = NULL;
	size_t size = 0;
	int at = 0;

	if (getline(&line, &size, questions) <= 0 ||
	    sscanf(line, "%128s %" SCNx64 " %" SCNx64 " %n", id, &address, &offset, &at) != 3 ||
	    !at)
		reject(EBADMSG);
	line[strcspn(line, "\n")] = '\0';
	report_file(dwfl, stack, id, address, offset, line + at);
	free(line);
}

/* Read what follows the first line of a question. */
static void read_stack(Dwfl *dwfl, struct stack *stack, unsigned int nr_files,
		       size_t len_bytes, FILE *questions)
{
	size_t registers_bytes = stack->nr_registers * sizeof(*stack->registers);

	if (nr_files > MAX_FILES || !stack->nr_registers || len_bytes > MAX_BYTES ||
	    len_bytes < registers_bytes)
		reject(EBADMSG);
	dwfl_report_begin(dwfl);
	while (stack->nr_files < nr_files)
		read_file(dwfl, stack, questions);
	dwfl_report_end(dwfl, NULL, NULL);
	stack->registers = malloc(len_bytes);
	stack->memory_bytes = len_bytes - registers_bytes;
	if (!stack->registers ||
	    fread(stack->registers, 1, len_bytes, questions) != len_bytes ||
	    getc(questions) != '\n')
		reject(EBADMSG);
}

/* Read the rest of a question about a stack, and print its frames. */
static void answer_stack(FILE *questions, const char *line)
{
	struct stack stack = { 0 };
	Dwfl *dwfl = dwfl_begin(&stack_callbacks);
	unsigned int nr_files;
	size_t len_bytes;

	if (!dwfl)
		reject(ENOMEM);
	if (sscanf(line, UNWIND_QUESTION "%u %u %zu", &nr_files,
		   &stack.nr_registers, &len_bytes) != 3)
		reject(EBADMSG);
	read_stack(dwfl, &stack, nr_files, len_bytes, questions);
	unwind(&stack, dwfl);
	put_stack(&stack, dwfl);
	putchar('\n');
	free(stack.registers);
	dwfl_end(dwfl);
}

/* ---- Functions of addresses -------------------------------------------- */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

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

	return number_order(a->begin, b->begin) ?: number_order(a->line, b->line);
}

static void code_add(const struct code *code)
{
	size_t nr = binary.nr_code;

	if (!GROW(binary.code, nr))
		helper_fail(ENOMEM, "out of memory", "");
	binary.code[nr] = *code;
	binary.code[nr].line = nr;
	binary.nr_code++;
}

static void code_read(const char *path)
{
	FILE *file = code_open(path);
	char line[MAX_LINE_BYTES];
	struct code code;
	size_t nr = 0;

	while (file && nr++ < MAX_LINES && fgets(line, sizeof(line), file))
		if (code_parse(line, &code))
			code_add(&code);
	if (file)
		fclose(file);
	SORT(binary.code, binary.nr_code, compare_code);
}

/* Find the function at an address, or NULL. */
static const struct code *code_find(uint64_t address)
{
	size_t low = 0, high = binary.nr_code, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (binary.code[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - binary.code[low - 1].begin < binary.code[low - 1].size ?
	       &binary.code[low - 1] : NULL;
}

/* ---- Binaries --------------------------------------------------------------- */

static void binary_close(void)
{
	while (binary.nr_code)
		free(binary.code[--binary.nr_code].name);
	free(binary.code);
	if (binary.dwfl)
		dwfl_end(binary.dwfl);
	free(binary.path);
	binary = (struct binary){ 0 };
}

static void binary_open(const struct question *question)
{
	GElf_Addr bias;

	binary_close();
	binary.path = strdup(question->path);
	binary.dwfl = dwfl_begin(&callbacks);
	if (!binary.path || !binary.dwfl)
		helper_fail(ENOMEM, "out of memory", "");
	memcpy(binary.id, question->id, sizeof(binary.id));
	if (!strcmp(question->id, CODE_ID)) {
		code_read(question->path);
		return;
	}
	if (unwind_is_regular(question->path))
		binary.module = dwfl_report_offline(binary.dwfl, question->path,
						    question->path, -1);
	dwfl_report_end(binary.dwfl, NULL, NULL);
	if (binary.module &&
	    !has_build_id(dwfl_module_getelf(binary.module, &bias), question->id))
		binary.module = NULL;
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
static void put_inlined(GElf_Addr address)
{
	Dwarf_Die *scopes = NULL, *outer = NULL;
	const char *name;
	Dwarf_Addr bias;
	Dwarf_Die *unit;
	int i, nr;

	unit = dwfl_module_addrdie(binary.module, address, &bias);
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
		put_file(binary.path);
	}
	free(outer);
	free(scopes);
}

static void put_answer(const struct question *question)
{
	const struct code *code = code_find(question->offset - question->is_call);
	GElf_Addr address, look_up;
	const char *name = NULL;
	GElf_Off distance;
	GElf_Sym symbol;

	if (binary.module &&
	    address_of(binary.module, question->offset, &address)) {
		/* A call may be the last instruction of a function. */
		look_up = address - question->is_call;
		name = dwfl_module_addrinfo(binary.module, look_up, &distance,
					    &symbol, NULL, NULL, NULL);
	}
	if (name) {
		put_text(name);
		printf("+0x%" PRIx64, (uint64_t)distance + question->is_call);
		put_file(binary.path);
		put_inlined(look_up);
	}
	if (code) {
		put_text(code->name);
		printf("+0x%" PRIx64 " [jit]", question->offset - code->begin);
	}
	putchar('\n');
}

/* Find the address of a function in a section with symbols. */
static bool find_function(Elf *elf, Elf_Scn *section, const char *wanted, GElf_Addr *ret)
{
	GElf_Shdr header;
	const char *name;
	GElf_Sym symbol;
	int i;

	if (!gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
		return false;
	for (i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++) {
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		*ret = symbol.st_value;
		if (name && !strcmp(name, wanted) && symbol.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			return true;
	}
	return false;
}

/* Answer "PATH NAME": where in its file is a function? */
static void put_offset(char *question)
{
	const char *path = strtok(question, " "), *name = strtok(NULL, "\n");
	int fd;
	Elf *elf = open_elf(path, &fd);
	Elf_Scn *section = NULL;
	GElf_Addr address;
	uint64_t offset;

	if (name && gelf_getclass(elf) == ELFCLASS64 &&
	    elf_getident(elf, NULL)[EI_DATA] == NATIVE_BYTES) {
		do {
			section = elf_nextscn(elf, section);
		} while (section && !find_function(elf, section, name, &address));
		if (section && offset_of(elf, address, &offset))
			printf("%" PRIx64, offset);
		else
			putchar('-');
	}
	putchar('\n');
	elf_end(elf);
	if (fd >= 0)
		close(fd);
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

static void answer_all(FILE *questions)
{
	struct question question;
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, questions) > 0) {
		if (text_after(line, FUNCTION_QUESTION)) {
			put_offset(line + strlen(FUNCTION_QUESTION));
			continue;
		}
		if (text_after(line, UNWIND_QUESTION)) {
			answer_stack(questions, line);
			continue;
		}
		if (!parse(line, &question))
			helper_fail(EBADMSG, "not a question", "");
		if (!binary.path || strcmp(binary.path, question.path) ||
		    strcmp(binary.id, question.id))
			binary_open(&question);
		put_answer(&question);
	}
	binary_close();
	free(line);
	if (fflush(stdout))
		helper_fail(errno, "cannot write the symbols to a temporary file", "");
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

	if (!questions)
		helper_fail(errno, "cannot open", "");
	answer_all(questions);
	fclose(questions);
	return EXIT_SUCCESS;
}
