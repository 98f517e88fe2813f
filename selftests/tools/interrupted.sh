#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A command that is interrupted by a signal, a limit or a file that becomes shorter leaves
# no temporary file, and gives a reason.

. "$(dirname "$0")/command" || exit

# there: print the files in the directory
there()
{
	find . -mindepth 1 | sort
}

# nothing_left: the directory has the same files as at the beginning
nothing_left()
{
	prints "$before" there
	local status=$?

	rm -rf out.*
	return "$status"
}

# with_limit NAME STATUS ARGUMENT...: with files of 4 KiB at most, vitrine ends with STATUS and
# leaves no file
with_limit()
{
	check "a limit, $1" prints "$2" \
		bash -c '{ (ulimit -f 4; exec "$@"); } 2>/dev/null; echo $?' - "$vitrine" "${@:3}"
	check "a limit, $1: nothing is left" nothing_left
}

"$mkfxt" speed 200000 >long.fxt
"$mkfxt" speed 5000000 >endless.fxt
"$mkfxt" speed 2000 >short.fxt
"$vitrine" convert short.fxt -o short.ctf
for ((i = 0; i < 200; i++)); do
	golden_tree v2-tree tree$i.inspect
done
mkfifo out
before=$(there)

# ---- signals ----

# stopped SIGNAL OUT FILE: SIGNAL ends a conversion to OUT once it has made FILE
stopped()
{
	# The shell sets SIGINT to be ignored in background commands.
	env --default-signal=INT "$vitrine" convert endless.fxt -o "$2" &
	until_there "$3"
	kill "-$1" $!
	wait $!
	check "SIG$1, to $2: ends it" test $? = $((128 + $(kill -l "$1")))
	check "SIG$1, to $2: nothing is left" nothing_left
}
for signal in HUP INT TERM; do
	stopped $signal out.heph 'out.heph.??????'
done
stopped TERM out.ctf 'out.ctf.??????/trace/cpu*'

# ---- limits: SIGXFSZ arrives in the middle of a write; for CTF, it ends a child ----

xfsz=$((128 + $(kill -l XFSZ)))
with_limit "to heph" $xfsz convert long.fxt -o out.heph
with_limit "to ctf" 3 convert long.fxt -o out.ctf
with_limit "from ctf" 3 convert short.ctf -o out.fxt
with_limit "merging" $xfsz merge short.fxt -o out.fxt
with_limit "metrics" $xfsz metrics --textfile out.prom ./tree*.inspect

# ---- files that are truncated ----

# The output is a pipe that is not read, and holds 64 KiB: vitrine blocks until the file has
# been truncated.
"$vitrine" print long.fxt >out 2>err &
pid=$!
exec 3<out
read -r _ <&3
truncate -s 4096 long.fxt
cat <&3 >/dev/null
exec 3<&-
wait $pid
echo $? >status
check "a file becomes shorter" ended 1 \
	"^vitrine: .*/long.fxt: the file became shorter while it was read; copy it once it is complete$"

plan
