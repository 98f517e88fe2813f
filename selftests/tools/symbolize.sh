#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine symbolize': the frames of user stacks get the names of functions, if the program
# has the build id that the trace has. Stacks of which the trace has memory are unwound. The
# only server that is asked is on the loopback interface of a network of its own.

. "$(dirname "$0")/command" || exit

[ -x "$(dirname "$vitrine")/find-symbols" ] || skip "libdw-dev is not here"

# No process has this id: that of the file with the names of code without a file is free.
process=$((4194305 + $$))
code=/tmp/perf-$process.map
trap 'rm -rf "$dir" "$code"' EXIT

# stacks STACK FILES...: make a trace with user stacks
stacks()
{
	mktrace "$process" "$@" <<-'END'
	stacks = [text.encode() for text in sys.argv[2:]]
	put(*(event(i + 1, int(sys.argv[1]), 21, b"stacks", b"user stack", arg(b"stack", stacks[i]),
	            arg(b"files", stacks[i + 1])) for i in range(0, len(stacks), 2)))
	END
}

# symbolize [FILE]: symbolize stacks.fxt
symbolize()
{
	command_into_files symbolize stacks.fxt -o named.fxt
}

# symbolized STACK FILES...: make the trace stacks.fxt with user stacks, and symbolize it
symbolized()
{
	stacks "$@" >stacks.fxt
	symbolize
}

# printed FILE: print its stacks
printed()
{
	"$vitrine" print --json "$1" | jq -r '.args.stack'
}

# stacks_are LINE...: the stacks of named.fxt are these
stacks_are()
{
	same <(printf '%s\n' "$@") <(printed named.fxt)
}

cat >program.c <<'END'
#include <stdlib.h>

static inline __attribute__((always_inline)) void within(void)
{
	abort();
}

__attribute__((noinline, noreturn)) void deepest(void)
{
	within();
	__builtin_unreachable();
}

__attribute__((noinline, noreturn)) void last_call(void)
{
	deepest();
}

int main(void)
{
	last_call();
}
END
"${CC:-gcc}" -g -O1 -no-pie -Wl,--build-id -o program program.c || exit
id=$(id_of program)
base=$(readelf -lW program | awk '$1 == "LOAD" { print $3; exit }')

# offset NAME: print the offset of a function in the file
offset()
{
	echo $((0x$(nm program | awk -v name="$1" '$3 == name { print $1 }') - base))
}

# Length of a call instruction, and number of registers.
len_call=4 registers=33
[ "$(uname -m)" != x86_64 ] || len_call=5 registers=17

# after NAME: print the offset behind the first call in a function
after()
{
	local call

	call=$(objdump -d --no-show-raw-insn program |
		sed -nE "/<$1>:/,\$s/^ *([0-9a-f]+):\t(call|bl)[ \t].*/\1/p" | head -n 1)
	printf '%#x' $((0x$call + len_call - base))
}

main=$(after main)
last=$(after last_call)
inlined=$(after deepest)
deepest=$(printf '%#x' "$(offset deepest)")
stack="program+$main;program+$last;?;program+$deepest"
files="$PWD/program $id"

stacks "$stack" "$files" >stacks.fxt
check "a trace with user stacks is sound" sound stacks.fxt
check "a trace with user stacks is symbolized" exits 0 "named.fxt: found the functions of 3 of 3 frames" symbolize stacks.fxt -o named.fxt
names="main+$(printf '%#x' $((main - $(offset main))))"
names+=";last_call+$(printf '%#x' $((last - $(offset last_call))))"
# names_in FILE: print the stack with the names of the functions
names_in()
{
	echo "${names//;/ [$1];} [$1]"
}

check "functions have names, also one that ends with a call" \
	stacks_are "$(names_in program);?;deepest+0x0 [program]"
check "the rest of the trace is unchanged" same <("$vitrine" print --json stacks.fxt | jq -c 'del(.offset, .provider, .args.stack)') \
	<("$vitrine" print --json named.fxt | jq -c 'del(.offset, .provider, .thread.name, .args.stack)')
check "the trace with names is sound" sound named.fxt
command_into_files symbolize named.fxt -o twice.fxt
check "twice is once" same <(printed named.fxt) <(printed twice.fxt)

symbolized "program+$inlined;program+$deepest" "$files"
check "functions that were inlined" \
	stacks_are "deepest+$(printf '%#x' $((inlined - deepest))) [program];within (inlined) [program];deepest+0x0 [program]"

mkfifo fifo
symbolized "$stack" "$PWD/program ${id//[0-9]/0}" "$stack" "$PWD/program -" "$stack" "$PWD/other $id" \
	"$stack" "/nowhere/program $id" "fifo+0x1" "$PWD/fifo $id" "$stack" "$PWD/program " \
	"$stack" $'/a\nline/program '"$id" "program+0xfffffff;program+;program;+0x1;program+0x12z" "$files"
check "another build id, none, another file, a FIFO, no file, no such offset: nothing changes" \
	same <(printed stacks.fxt) <(printed named.fxt)

head -c 3000 program >"prog ram"
symbolized "prog ram+$deepest" "$PWD/prog ram $id"
check "a program that is damaged" stacks_are "prog ram+$deepest"
cp program "prog ram"
symbolize
check "a path with a space" stacks_are "deepest+0x0 [prog ram]"

# A trace in which 40 stacks occur again and again.
mktrace "$main" "$last" "$files" >stacks.fxt <<'END'
import random
random.seed(1)
main, last, files = (text.encode() for text in sys.argv[1:])
stacks = [b";".join(b"program+" + random.choice((main, last)) for _ in range(20)) for _ in range(40)]
def string(index, text):
    return record(2, index << 16 | len(text) << 32, stream(text))
put(*(string(i, text) for i, text in enumerate([b"stacks", b"user stack", b"stack", b"files", files] + stacks, 1)),
    *(record(4, 2 << 20 | 1 << 32 | 2 << 48, i + 1, 20, 21, record(6, 3 << 16 | 6 + random.randrange(40) << 32),
             record(6, 4 << 16 | 5 << 32)) for i in range(20000)))
END
symbolize
check "with names, a trace is at most a fifth larger" test "$(stat -c %s named.fxt)" -le $(($(stat -c %s stacks.fxt) * 6 / 5))

# ---- where names come from ---------------------------------------------------

# Copies of the program get no symbols, or other ones; their code and their build id are the same.
copied()
{
	cp program "$1" && strip "$1"
}

# named NAME STACK [COMMAND...]: a stack in a copy of the program becomes this one
named()
{
	stacks "$1+$main;$1+$last;?" "$PWD/$1 $id" >stacks.fxt
	"${@:3}" "$vitrine" symbolize stacks.fxt -o named.fxt 2>/dev/null
	stacks_are "$2;?"
}

copied bare
check "without symbols, frames stay as they are" named bare "bare+$main;bare+$last"

objcopy --only-keep-debug program symbols && objcopy --strip-debug symbols && xz -k symbols &&
	copied mini && objcopy --add-section .gnu_debugdata=symbols.xz mini || exit
check "names from .gnu_debugdata" named mini "$(names_in mini)"

"${CC:-gcc}" -g0 -O1 -no-pie -rdynamic -Wl,--build-id=0x"$id" -o exported program.c && strip exported || exit
main_there=$(printf '%#x' $((0x$(nm -D exported | awk '$3 == "main" { print $1 }') + main - $(offset main) - base)))
symbolized "exported+$main_there;?" "$PWD/exported $id"
check "names from .dynsym" stacks_are "${names%;*} [exported];?"

# alone COMMAND...: run it with file systems and a network of its own
alone()
{
	unshare --user --map-root-user --mount --net "$@"
}

# with_debug: run "symbolize" where the debugging information of the program is installed
with_debug()
{
	alone bash -c 'mount -t tmpfs none /usr/lib/debug && mkdir -p "/usr/lib/debug/.build-id/$1" &&
		cp symbols "/usr/lib/debug/.build-id/$1/$2.debug" && "${@:3}"' bash "${id:0:2}" "${id:2}" "$@"
}

# has_scanned: the server has read all files
has_scanned()
{
	grep -q "^groom.*files scanned.* 1$" <(exec 3<>/dev/tcp/127.0.0.1/8002 &&
		printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && cat <&3) 2>/dev/null
}

# with_server: run "symbolize" where a server has the debugging information of the program
with_server()
{
	export -f has_scanned until_true
	alone bash -c 'ip link set lo up || exit
		debuginfod -d server.db -F -p 8002 server >server.log 2>&1 &
		server=$!
		until_true has_scanned
		DEBUGINFOD_URLS=http://127.0.0.1:8002 DEBUGINFOD_CACHE_PATH=$PWD/cache "$@"
		kill $server
		wait' bash "$@"
}

if alone mount -t tmpfs none /usr/lib/debug; then
	check "names from a file of debugging information" named bare "$(names_in bare)" with_debug
	if command -v debuginfod ip >/dev/null; then
		mkdir server && cp symbols server/
		check "names from a server" named bare "$(names_in bare)" with_server
	fi
fi

# ---- code without a file -----------------------------------------------------

cat >"$code" <<END
0x7f0000001000 0x20 old
7f0000001000 100 py::handler:/srv/app; v2.py
7f0000002000 ffffffffffffffff endless
7f0000000000 10
$(printf '7f0000000000 10 %01000d' 0)
nonsense
END
symbolized "program+$main;?+0x7f0000001010;?+0x7f0000001100;?+0x7f0000001101;?+0x6f0000000000;?;?+;?+0x7f0000002000" "$files"
name_main="${names%;*} [program]"
handler="py::handler:/srv/app? v2.py"
check "the names of code without a file" stacks_are "$name_main;$handler+0x10 [jit];$handler+0x100 [jit];?;?;?;?;?"
"$vitrine" cut --anonymise stacks.fxt -o cut.fxt 2>/dev/null
check "an anonymised trace has no address of such code" fails grep -q 7f00000 cut.fxt
mv "$code" there
ln -s "$PWD/there" "$code"
symbolize
check "a link is not followed" stacks_are "$name_main;?;?;?;?;?;?;?"
rm "$code"
mkfifo "$code"
symbolize
check "a FIFO is not opened" stacks_are "$name_main;?;?;?;?;?;?;?"
rm "$code"

# ---- stack memory -----------------------------------------------------------

# This program writes the registers and the stack of a function without a frame pointer, and
# where it is mapped.
cat >dump.c <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Enough for the functions from dump() on to the first one of the C library. */
#define NR_STACK 256

static void dump(const ucontext_t *context)
{
	const mcontext_t *from = &context->uc_mcontext;
#if defined(__x86_64__)
	static const int order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	uint64_t words[17];
	int i;

	for (i = 0; i < 17; i++)
		words[i] = from->gregs[order[i]];
	fwrite(words, 8, 17, stdout);
	fwrite((void *)words[7], 8, NR_STACK, stdout);
#elif defined(__aarch64__)
	fwrite(from->regs, 8, 31, stdout);
	fwrite(&from->sp, 8, 1, stdout);
	fwrite(&from->pc, 8, 1, stdout);
	fwrite((void *)from->sp, 8, NR_STACK, stdout);
#endif
}

__attribute__((noipa)) int inner(void)
{
	ucontext_t context;

	getcontext(&context);
	dump(&context);
	return 1;
}

__attribute__((noipa)) int middle(void) { return inner() + 1; }

/* Calls the fourth argument, as those of Python do. */
static const uint32_t trampoline_code[] = {
#if defined(__x86_64__)
	0x08ec8348, 0x8348d1ff, 0x90c308c4,
#elif defined(__aarch64__)
	0xa9bf7bfd, 0x910003fd, 0xd63f0060, 0xa8c17bfd, 0xd65f03c0,
#endif
};

static int (*trampoline)(int, int, int, int (*function)(void));

__attribute__((noipa)) int outer(void)
{
	return trampoline(0, 0, 0, middle) + 1;
}

static void make_trampoline(void)
{
	void *code = mmap(NULL, sizeof(trampoline_code), PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, trampoline_code, sizeof(trampoline_code));
	__builtin___clear_cache(code, (char *)code + sizeof(trampoline_code));
	trampoline = code;
}

int main(void)
{
	make_trampoline();
	if (system("cat /proc/$PPID/maps >maps"))
		return 1;
	return outer() != 3;
}
END
"${CC:-gcc}" -g -O2 -fomit-frame-pointer -fpie -pie -Wl,--build-id -o dump dump.c && ./dump >words || exit

files="" maps=""
while read -r range mode offset _ _ path; do
	[[ $mode = r-xp && $path = /* ]] || continue
	files+=${files:+;}"$path $(id_of "$path")"
	maps+=${maps:+;}0x${range%-*}+0x$offset
done <maps

# memory STACK FILES MAPS [BYTES [REGISTERS [WORDS]]]: make a trace of a stack with memory, as
# the module does: after the registers, a bit for each word of the stack, and the pointers
memory()
{
	mktrace "$1" "$2" "$3" "${4:-100000}" "${5:-$registers}" "${6:--1}" "$registers" <<-'END'
	stack, files, maps, nr_bytes, registers, nr_words, nr_saved = \
	    *(text.encode() for text in sys.argv[1:4]), *map(int, sys.argv[4:])
	saved = [value for value, in struct.iter_unpack("<Q", open("words", "rb").read()[:nr_bytes])]
	sp = saved[nr_saved - 2 if nr_saved == 33 else 7]
	memory = saved[nr_saved:]
	spans = [(sp, sp + 8 * 256)] + [[int(end, 16) for end in line.split()[0].split("-")]
	                                for line in open("maps") if "x" in line.split()[1]]
	def is_pointer(value):
	    return any(first <= value < end for first, end in spans)
	masks = [0] * ((len(memory) + 63) // 64)
	for i, value in enumerate(memory):
	    masks[i // 64] |= is_pointer(value) << i % 64
	payload = b"".join(map(word, [value * is_pointer(value) for value in saved[:nr_saved]] + masks +
	                       [value for value in memory if is_pointer(value)]))
	def uint32(name, value):
	    return record(2, ref(name) << 16 | value << 32, stream(name))
	name = b"user stack memory"
	put(event(1, 20, 21, b"stacks", b"user stack", arg(b"stack", stack), arg(b"files", files),
	          arg(b"maps", maps), arg(b"memory", 17, kind=4)),
	    record(15, 0, ref(b"stacks") | ref(name) << 16 | 3 << 32, stream(b"stacks"), stream(name), 1, 20, 21,
	           arg(b"memory", 17, kind=4), uint32(b"registers", int(registers)),
	           uint32(b"words", len(memory) if nr_words == -1 else nr_words), len(payload), payload))
	END
}

# blobs TRACE: print the number of its large BLOBs
blobs()
{
	"$vitrine" print --json "$1" | grep -c '"kind":"large-blob"'
}

memory "dump+0x1" "$files" "$maps" >stacks.fxt
check "a trace with stack memory is sound" sound stacks.fxt
check "the memory is in it" prints 1 blobs stacks.fxt
"$vitrine" convert stacks.fxt -o memory.ctf
check "babeltrace2 reads it, converted" grep -q "user stack.*dump+0x1" <(babeltrace memory.ctf)
symbolize
check "a stack is unwound" ended 0 "unwound 1 of the 1 user stacks" "found the functions of"
unwound=';main\+0x[0-9a-f]+ \[dump\];outer\+0x[0-9a-f]+ \[dump\];\?;middle\+0x[0-9a-f]+ \[dump\];inner\+0x[0-9a-f]+ \[dump\]$'
check "the unwound stack has functions without frame pointers, and code without a file" grep -E "$unwound" <(printed named.fxt)
check "the memory of an unwound stack is no longer in the trace" test "$(blobs named.fxt)" = 0
check "the mappings of an unwound stack are no longer in the trace" test "$("$vitrine" print --json named.fxt | jq -c '[.kind, (.args | keys)]')" = '["instant",["files","stack"]]'
"$vitrine" cut --anonymise stacks.fxt -o cut.fxt 2>/dev/null
check "an anonymised trace has neither the memory nor the mappings" test "$(blobs cut.fxt) $(grep -c "$maps" cut.fxt)" = "0 0"
check "an anonymised trace has the stack" test "$("$vitrine" print --json cut.fxt | jq -r '.args.stack // empty' | grep -c '^x[0-9a-f]*+0x1$')" = 1

# shortened: some length of the memory contains the frames of inner() and middle() only
shortened()
{
	local bytes

	for ((bytes = 904; bytes < 1400; bytes += 8)); do
		memory "dump+0x1" "$files" "$maps" $((8 * registers + bytes)) >stacks.fxt
		"$vitrine" symbolize stacks.fxt -o named.fxt 2>/dev/null
		! printed named.fxt | grep -E '^\.\.\.;middle\+0x[0-9a-f]+ \[dump\];inner\+0x[0-9a-f]+ \[dump\]$' ||
			return 0
	done
	return 1
}
check "memory that ends early: the frames that it has" shortened

# stays WHAT ARGUMENT...: a stack stays as it is, and so does its memory; ARGUMENTs of memory()
stays()
{
	memory "dump+0x1;dump+0x2" "${@:2}" >stacks.fxt
	symbolize
	check "$1: nothing is unwound" ended 0 "unwound 0 of the 1 user stacks" "found the functions of 0 of 2 frames"
	check "$1: the stack and its memory stay" test "$(blobs named.fxt) $(printed named.fxt | head -n 1)" = "1 dump+0x1;dump+0x2"
}
stays "another build id" "${files//dump [0-9a-f]/dump f0}" "$maps"
stays "not mapped" "$files" "none"
stays "registers of another machine" "$files" "$maps" 100000 16
stays "fewer registers than that" "$files" "$maps" 100000 4000000
stays "more words than the module saves" "$files" "$maps" 100000 "$registers" 1025
stays "words without their bits" "$files" "$maps" $((8 * (registers + 1))) "$registers" 1000
stays "a FIFO" "$PWD/fifo $(id_of dump)" "$maps"

check "no OUT" refused "" symbolize stacks.fxt
check "no FILE" refused "" symbolize -o out.fxt
check "no such file" exits 3 "missing.fxt: cannot open" symbolize missing.fxt -o out.fxt
check "no trace" exits 1 "/dev/null: offset 0x0: not a Fuchsia trace" symbolize /dev/null -o out.fxt

cp "$vitrine" alone
vitrine=$dir/alone
check "symbolize without libdw" exits 3 "needs the program .*/find-symbols; install" symbolize stacks.fxt -o out.fxt
check "symbolize without libdw leaves no file" no_file 'out*.fxt*'

plan
