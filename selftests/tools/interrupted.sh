#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A command that is interrupted by a signal, a limit or a file that becomes shorter leaves
# no temporary file, and gives a reason.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# there: print the files in the directory, except for those of the test itself
there()
{
	find . -mindepth 1 ! -name files ! -name 'there*' ! -name err | sort
}

# nothing_left: the directory has the same files as at the beginning
nothing_left()
{
	local status

	there | diff files -
	status=$?
	rm -rf out.*
	return "$status"
}

# limited ARGUMENT...: run vitrine with a file size limit of 4 KiB, and print the exit code
limited()
{
	(ulimit -f 4 && "$vitrine" "$@" 2>limited.err)
	echo $?
	rm -f limited.err
}

"$mkfxt" speed 200000 >long.fxt
"$mkfxt" speed 5000000 >endless.fxt
"$mkfxt" speed 2000 >short.fxt
"$vitrine" convert short.fxt -o short.ctf
for ((i = 0; i < 200; i++)); do
	"$words" "$golden/inspect/v2-tree.words" >tree$i.inspect
done
mkfifo out
touch files
there >there.new && mv there.new files

# ---- signals ----

for signal in HUP INT TERM; do
	# The shell sets SIGINT to be ignored in background commands.
	env --default-signal=INT "$vitrine" convert endless.fxt -o out.heph &
	pid=$!
	until_there 'out.heph.??????'
	kill -$signal $pid
	wait $pid
	status=$?
	check "SIG$signal: ends it" test $status = $((128 + $(kill -l $signal)))
	check "SIG$signal: nothing is left" nothing_left
done
env --default-signal=INT "$vitrine" convert endless.fxt -o out.ctf &
pid=$!
until_there 'out.ctf.??????/trace/cpu*'
kill -TERM $pid
wait $pid
check "SIGTERM, to ctf: ends it" test $? = $((128 + $(kill -l TERM)))
check "SIGTERM, to ctf: nothing is left" nothing_left

# ---- limits: SIGXFSZ arrives in the middle of a write ----

xfsz=$((128 + $(kill -l XFSZ)))
check "a limit, to heph" test "$(limited convert long.fxt -o out.heph)" = "$xfsz"
check "a limit, to heph: nothing is left" nothing_left
# Here the signal ends a child.
check "a limit, to ctf" test "$(limited convert long.fxt -o out.ctf)" = 3
check "a limit, to ctf: nothing is left" nothing_left
check "a limit, from ctf" test "$(limited convert short.ctf -o out.fxt)" = 3
check "a limit, from ctf: nothing is left" nothing_left
check "a limit, merging" test "$(limited merge short.fxt -o out.fxt)" = "$xfsz"
check "a limit, merging: nothing is left" nothing_left
metrics_limited()
{
	test "$(limited metrics --textfile out.prom ./tree*.inspect)" = "$xfsz"
}
check "a limit, metrics" metrics_limited
check "a limit, metrics: nothing is left" nothing_left

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
