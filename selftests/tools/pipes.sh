#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All commands that read a file, with pipes: "-" is standard input and output, and a pipe
# yields the same result as a file.

. "$(dirname "$0")/command" || exit

# of_pipe STATUS FILE ARGUMENT...: vitrine, which reads FILE from a pipe, exits with STATUS
of_pipe()
{
	# shellcheck disable=SC2002 # standard input must be a pipe
	cat "$2" | "$vitrine" "${@:3}" >out 2>err
	test "${PIPESTATUS[1]}" = "$1"
}

# unreadable PATTERN ARGUMENT...: vitrine cannot read many.print, by the name of standard input
unreadable()
{
	of_pipe 1 many.print "${@:2}" && grep -E "^vitrine: standard input: .*$1" err
}

mkdir tmp
export TMPDIR=$dir/tmp
traces packet-damaged vitrine
mv packet-damaged.fxt damaged.fxt
"$mkfxt" speed 20000 >many.fxt
golden_tree v2-tree tree.inspect
"$vitrine" convert many.fxt -o many.heph
"$vitrine" convert many.heph -o back.fxt
"$vitrine" print many.fxt >many.print

# ---- check ----

# checked STATUS FILE: check of FILE on a pipe exits with STATUS and says what it says of the file
checked()
{
	of_pipe "$1" "$2" check - && same <(sed "s/^standard input:/$2:/" out) <("$vitrine" check "$2")
}
check "check: a trace on a pipe" checked 0 many.fxt
check "check: a damaged trace on a pipe" checked 1 damaged.fxt
check "check: of no known format: the error names no copy" unreadable "offset 0x0: neither" check -
check "check: standard input may be a file" has "^standard input: .*: no fault" check - <tree.inspect
mkfifo fifo
cat many.fxt >fifo &
check "check: a FIFO by its name" sound fifo "^fifo: "
check "check: several files, one a pipe" filtered 2 "grep -c ': no fault$'" check <(cat tree.inspect) many.fxt
# shellcheck disable=SC2217 # standard input is closed on purpose
"$vitrine" check - <&- >out 2>err
check "check: nothing on standard input" grep "^vitrine: standard input: " err

# ---- convert ----

for out in piped.heph -; do
	check "convert: a pipe into $out" of_pipe 0 many.fxt convert - --to heph -o $out
	check "convert: into $out as of the file" cmp many.heph "${out/#-/out}"
done
check "convert: between two others" of_pipe 0 many.heph convert - -o between.ctf
"$vitrine" convert between.ctf -o between.fxt
check "convert: by way of a trace" same many.print <("$vitrine" print between.fxt)
"$vitrine" convert many.heph -o back.fxt.zst
check "convert: into a compressed trace" same <(zstd -dc back.fxt.zst) back.fxt
"$vitrine" convert many.fxt -o many.heph.zst
check "convert: compress another format" same <(zstd -dc many.heph.zst) many.heph
"$vitrine" convert between.ctf -o ctf.fxt.zst
check "convert: a directory into a compressed trace" same <(zstd -dc ctf.fxt.zst) between.fxt
check "convert: into a directory" of_pipe 0 many.fxt convert - -o piped.ctf
check "convert: a directory into a pipe" of_pipe 0 /dev/null convert piped.ctf --to fxt -o -
check "convert: all of it" same many.print <("$vitrine" print out)
check "convert: a directory is no pipe" of_pipe 2 many.fxt convert - --to ctf -o -
check "convert: the error says so" grep -q "^vitrine: -: ctf is a directory" err
check "convert: a format must be said" of_pipe 2 many.fxt convert - -o -
check "convert: the error says how" grep -q "unknown suffix; name the format with --to" err
check "convert: no trace: the error names no copy" unreadable "offset 0x0: not a trace" convert - -o piped.fxt
TMPDIR=$dir/absent of_pipe 3 many.fxt convert - -o piped.heph
check "convert: no place for a copy" grep -q "standard input: cannot copy .*; set TMPDIR" err

# ---- all that read a file ----

# as_of_file FILE COMMAND [ARGUMENT]...: COMMAND prints the same for FILE, for standard
# input, and for both of them compressed; the argument @ is replaced by the name
as_of_file()
{
	local file=$1 alike='s|\./as/-|-|g; s|standard input|-|'

	shift
	mkdir -p as
	cp "$file" as/-
	"$vitrine" "${@/#@/./as/-}" 2>file.err | LC_ALL=C sed "$alike" >file.out
	of_pipe 0 "$file" "${@/#@/-}" || return
	is_as_file || return
	zstd -qf "$file" -o as/-
	"$vitrine" "${@/#@/./as/-}" >out 2>err
	is_as_file || return
	of_pipe 0 as/- "${@/#@/-}" && is_as_file
}

is_as_file()
{
	same file.out <(LC_ALL=C sed "$alike" out) &&
		same <(sed "$alike" file.err) <(sed "$alike" err)
}

python3 "$here/mkdump.py" raw vitrine.fxt:416,448 tree.inspect >raw.dump
declare -A reads=(
	[show]="tree.inspect @" [list]="tree.inspect @" [diff]="tree.inspect @ ./tree.inspect"
	[metrics]="tree.inspect @" [check]="tree.inspect @" [print]="many.fxt @"
	[latency]="many.fxt @" [why]="many.fxt @" [timeline]="many.fxt @ -o -"
	[flame]="many.fxt @ -o -"
	[convert]="many.fxt @ --to heph -o -"
	[merge]="many.fxt @ -o -" [symbolize]="many.fxt @ -o -" [recover]="raw.dump @ -o -"
	[cut]="many.fxt @ --cpu 0 -o -"
)
# These commands read no file, or show a screen.
others=" watch record snapshot top "
for command in $("$vitrine" help | awk '/^  [a-z]/ { print $1 }'); do
	[[ $others != *" $command "* ]] || continue
	# shellcheck disable=SC2086 # split into words on purpose
	set -- ${reads[$command]-}
	check "$command: a pipe, as the file" as_of_file "${1-no file for $command in reads}" "$command" "${@:2}"
done
check "show: the error names no copy" unreadable "no magic number" show -
check "list: the error names no copy" unreadable "no magic number" list -
check "recover: the error names no copy" unreadable memory recover - -o none.fxt
check "merge: the error names no copy" unreadable "not a Fuchsia trace" merge - -o none.fxt
check "diff: two pipes" "$vitrine" diff <(cat tree.inspect) <(cat tree.inspect)
"$vitrine" merge many.fxt back.fxt -o merged.fxt 2>/dev/null
"$vitrine" merge <(cat many.fxt) - -o - <back.fxt >merged 2>err
check "merge: a pipe and standard input" cmp merged.fxt merged
of_pipe 2 raw.dump recover - -o - --json
check "recover: the trace and JSON do not go together" grep -q "cannot both go" err
check "no temporary file is left" test -z "$(ls tmp)"

plan
