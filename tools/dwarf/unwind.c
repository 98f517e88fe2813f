// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind a saved stack with libdw: a thread's registers, a part of its stack memory, and where
 * its programs and libraries were mapped.
 *
 * The input is hostile: libdw reads no memory but the saved bytes, and the number of frames
 * is bounded.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "unwind.h"

#define MAX_FILES	64
#define MAX_FRAMES	256
#define MAX_BYTES	(1U << 20)
#define MAX_ID_BYTES	64

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

static const struct machine machines[] = {
	{ EM_X86_64, 17, 17, 7 },
	{ EM_AARCH64, 33, 32, 31 },
};

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* ---- Files ------------------------------------------------------------------ */

/**
 * unwind_is_regular() - test whether a path names a regular file
 * @path: the path
 *
 * Opening anything else, such as a FIFO, might block or have side effects.
 *
 * Return: true if it does.
 */
bool unwind_is_regular(const char *path)
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

	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++)
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

static int add_frame(Dwfl_Frame *frame, void *ctx)
{
	struct stack *stack = ctx;

	if (stack->nr_frames == MAX_FRAMES ||
	    !dwfl_frame_pc(frame, &stack->frames[stack->nr_frames], NULL))
		return DWARF_CB_ABORT;
	stack->nr_frames++;
	return DWARF_CB_OK;
}

/* ---- Frames ----------------------------------------------------------------- */

/* Convert an address of a module to an offset in its file. */
static bool offset_of(const struct mapped *mapped, Dwarf_Addr address,
		      uint64_t *ret)
{
	GElf_Phdr segment;
	GElf_Addr bias;
	size_t i, nr;
	Elf *elf = dwfl_module_getelf(mapped->module, &bias);

	if (!elf || elf_getphdrnum(elf, &nr))
		return false;
	address -= mapped->bias;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*ret = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
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
	putchar('?');
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
	if (dwfl_getthread_frames(dwfl, THREAD, add_frame, stack))
		stack->is_cut = true;
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

/**
 * unwind_answer() - read the rest of a question about a stack, and print its frames
 * @questions: the questions
 * @line: first line of the question
 *
 * Return: 0, or an errno value.
 */
int unwind_answer(FILE *questions, const char *line)
{
	struct stack stack = { 0 };
	unsigned int nr_files;
	size_t len_bytes;
	Dwfl *dwfl;
	int err = 0;

	dwfl = dwfl_begin(&callbacks);
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
