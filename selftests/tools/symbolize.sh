#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine symbolize': the frames of user stacks get the names of functions, if the program
# has the build id that the trace has.
#
#   symbolize.sh VITRINE WORDS DIR

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"

cd "$dir" || exit 1
touch err
[ -x "$(dirname "$vitrine")/find-symbols" ] || skip "libdw-dev is not here"

# stacks STACK FILES...: make a trace with user stacks
stacks()
{
	python3 - "$@" <<-'END'
	import struct, sys
	word = struct.Struct("<Q").pack
	out = sys.stdout.buffer
	def record(kind, fields, body):
	    out.write(word(kind | (1 + len(body) // 8) << 4 | fields) + body)
	def string(index, text):
	    record(2, index << 16 | len(text) << 32, text + bytes(-len(text) % 8))
	out.write(word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9))
	for index, text in enumerate((b"stacks", b"user stack", b"stack", b"files")):
	    string(1 + index, text)
	stacks = sys.argv[1:]
	for i in range(0, len(stacks), 2):
	    string(5, stacks[i].encode())
	    string(6, stacks[i + 1].encode())
	    record(4, 2 << 20 | 1 << 32 | 2 << 48, word(i + 1) + word(20) + word(21) +
	           word(6 | 1 << 4 | 3 << 16 | 5 << 32) + word(6 | 1 << 4 | 4 << 16 | 6 << 32))
	END
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
id=$(readelf -n program | awk '/Build ID/ { print $3 }')
base=$(readelf -lW program | awk '$1 == "LOAD" { print $3; exit }')

# offset NAME: print the offset of a function in the file
offset()
{
	echo $((0x$(nm program | awk -v name="$1" '$3 == name { print $1 }') - base))
}

# Length of a call instruction.
case $(uname -m) in
x86_64)	len_call=5 ;;
*)	len_call=4 ;;
esac

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
"$vitrine" check stacks.fxt >check.log || exit
command_into_files symbolize stacks.fxt -o named.fxt
check "a trace" ended 0 "named.fxt: 3 frames have names now, 0 do not"
name_main="main+$(printf '%#x' $((main - $(offset main)))) [program]"
name_last="last_call+$(printf '%#x' $((last - $(offset last_call)))) [program]"
check "its functions have names, also one that ends with a call" \
	stacks_are "$name_main;$name_last;?;deepest+0x0 [program]"
check "the rest is as it was" same <("$vitrine" print --json stacks.fxt | jq -c 'del(.offset, .provider, .args.stack)') \
	<("$vitrine" print --json named.fxt | jq -c 'del(.offset, .provider, .thread.name, .args.stack)')
"$vitrine" check named.fxt >named.check
check "and sound" grep -q ": no fault" named.check
command_into_files symbolize named.fxt -o twice.fxt
check "twice is once" same <(printed named.fxt) <(printed twice.fxt)

stacks "program+$inlined;program+$deepest" "$files" >stacks.fxt
command_into_files symbolize stacks.fxt -o named.fxt
check "functions that were inlined" \
	stacks_are "deepest+$(printf '%#x' $((inlined - deepest))) [program];within (inlined) [program];deepest+0x0 [program]"

mkfifo fifo
stacks "$stack" "$PWD/program ${id//[0-9]/0}" "$stack" "$PWD/program -" "$stack" "$PWD/other $id" \
	"$stack" "/nowhere/program $id" "fifo+0x1" "$PWD/fifo $id" "$stack" "$PWD/program " \
	"$stack" $'/a\nline/program '"$id" "program+0xfffffff;program+;program;+0x1;program+0x12z" "$files" >stacks.fxt
command_into_files symbolize stacks.fxt -o named.fxt
check "another build id, none, another file, a FIFO, no file, no such offset: nothing changes" \
	same <(printed stacks.fxt) <(printed named.fxt)

head -c 3000 program >"prog ram"
stacks "prog ram+$deepest" "$PWD/prog ram $id" >stacks.fxt
command_into_files symbolize stacks.fxt -o named.fxt
check "a program that is damaged" stacks_are "prog ram+$deepest"
cp program "prog ram"
command_into_files symbolize stacks.fxt -o named.fxt
check "a path with a space" stacks_are "deepest+0x0 [prog ram]"

command_into_files symbolize stacks.fxt
check "no OUT" test "$(cat status)" = 2
command_into_files symbolize -o out.fxt
check "no FILE" test "$(cat status)" = 2
command_into_files symbolize missing.fxt -o out.fxt
check "no such file" ended 3 "missing.fxt: cannot open"
command_into_files symbolize /dev/null -o out.fxt
check "no trace" ended 1 "/dev/null: offset 0x0: not a Fuchsia trace"

mkdir alone
cp "$vitrine" alone/
alone/vitrine symbolize stacks.fxt -o out.fxt 2>err
check "without libdw" test "$? $(grep -c 'needs the program .*/find-symbols; install' err)" = "3 1"
check "nothing is left behind" test -z "$(find . -name 'out*.fxt*')"

plan
