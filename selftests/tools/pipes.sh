#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine check', `convert' and the commands that read a trace, on pipes: "-" is
# standard input and output, and what comes through a pipe is read as a file is.
#
#   pipes.sh VITRINE WORDS DIR
#
# DIR holds mkfxt, which the Makefile builds.

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"
words=$(realpath "$2")
golden=$(cd "$(dirname "$0")/../golden" && pwd)

# of_pipe STATUS FILE COMMAND...: with FILE on a pipe as standard input
of_pipe()
{
	local wanted=$1 file=$2

	shift 2
	# shellcheck disable=SC2002 # a pipe, on purpose
	cat "$file" | "$vitrine" "$@" >out 2>err
	test "${PIPESTATUS[1]}" = "$wanted"
}

cd "$dir" || exit 1
BABELTRACE_PLUGIN_PATH=$(dirname "$vitrine")
export BABELTRACE_PLUGIN_PATH
mkdir tmp
export TMPDIR=$dir/tmp
"$mkfxt" speed 20000 >many.fxt
"$mkfxt" packet-damaged >damaged.fxt
"$words" "$golden/inspect/v2-tree.words" >tree.inspect
"$vitrine" convert many.fxt -o many.json
"$vitrine" convert many.fxt -o many.heph
"$vitrine" convert many.heph -o back.fxt
"$vitrine" print many.fxt >many.print
echo "TAP version 13"

# ---- check ----

check "check: a trace on a pipe" of_pipe 0 many.fxt check -
check "check: as of the file" same <(sed 's/^standard input:/many.fxt:/' out) <("$vitrine" check many.fxt)
check "check: a tree on a pipe" of_pipe 0 tree.inspect check -
check "check: as of the file" same <(sed 's/^standard input:/tree.inspect:/' out) <("$vitrine" check tree.inspect)
check "check: a damaged trace on a pipe" of_pipe 1 damaged.fxt check -
check "check: with every fault" same <(sed 's/^standard input:/damaged.fxt:/' out) <("$vitrine" check damaged.fxt)
check "check: of no known format" of_pipe 1 many.json check -
check "check: the error names no copy" grep -q "^vitrine: standard input: offset 0x0: neither" err
"$vitrine" check - <tree.inspect >out 2>err
check "check: standard input may be a file" grep -q "^standard input: .*: no fault" out
mkfifo fifo
cat many.fxt >fifo &
"$vitrine" check fifo >out 2>err
check "check: a FIFO by its name" grep -q "^fifo: .*: no fault" out
"$vitrine" check <(cat tree.inspect) many.fxt >out 2>err
check "check: several files, one a pipe" test "$(grep -c ': no fault$' out)" = 2
# shellcheck disable=SC2217 # on purpose
"$vitrine" check - <&- >out 2>err
check "check: nothing on standard input" grep -q "^vitrine: standard input: " err

# ---- convert ----

check "convert: a pipe into a file" of_pipe 0 many.fxt convert - -o piped.json
check "convert: as of the file" cmp many.json piped.json
check "convert: a pipe into a pipe" of_pipe 0 many.fxt convert - --to chrome-json -o -
check "convert: as of the file" cmp many.json out
check "convert: the format of a pipe is seen" of_pipe 0 many.heph convert - --to fxt -o -
check "convert: as of the file" cmp back.fxt out
check "convert: between two others" of_pipe 0 many.heph convert - --to chrome-json -o -
"$vitrine" convert back.fxt -o back.json
check "convert: by way of a trace" cmp back.json out
check "convert: into a directory" of_pipe 0 many.fxt convert - -o piped.ctf
check "convert: a directory into a pipe" of_pipe 0 /dev/null convert piped.ctf --to fxt -o -
"$vitrine" print out >out.print
check "convert: all of it" same many.print out.print
check "convert: a directory is no pipe" of_pipe 2 many.fxt convert - --to ctf -o -
check "convert: the error says so" grep -q "^vitrine: -: ctf is a directory" err
check "convert: a format must be said" of_pipe 2 many.fxt convert - -o -
check "convert: the error says how" grep -q "say what it is to be with --to" err
check "convert: no trace" of_pipe 1 tree.inspect convert - -o piped.fxt
check "convert: the error names no copy" grep -q "^vitrine: standard input: offset 0x0: no trace" err
TMPDIR=$dir/absent of_pipe 3 many.fxt convert - -o piped.json
check "convert: no place for a copy" grep -q "standard input: cannot copy .*; set TMPDIR" err

# ---- all that read a trace ----

check "print: a pipe" of_pipe 0 many.fxt print -
check "print: as of the file" same many.print out
check "latency: a pipe" of_pipe 0 many.fxt latency --json -
check "latency: as of the file" same out <("$vitrine" latency --json many.fxt)
check "nothing is left behind" test -z "$(ls tmp)"

echo "1..$tests"
exit $failed
