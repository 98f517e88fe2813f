#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine record' on rings that no kernel writes: commands, signals, time, new
# CPUs, new sessions, and all that can be missing.
#
#   record.sh VITRINE WORDS DIR
#
# DIR holds fake_rings, which the Makefile builds.

set -u
vitrine=$(realpath "$1")
fake_rings=$(realpath "$3/fake_rings")
dir=$(mktemp -d)
tests=0
failed=0
rings=

finish()
{
	[ -z "$rings" ] || kill "$rings"
	rm -rf "$dir"
}
trap finish EXIT

# check WHAT COMMAND...: the command succeeds
check()
{
	local what=$1

	tests=$((tests + 1))
	shift
	if "$@" >"$dir/check.log" 2>&1; then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		sed 's/^/# /' "$dir/check.log"
		sed 's/^/# /' "$dir/err"
		failed=1
	fi
}

# record ARGUMENT...: standard error and exit code into files
record()
{
	"$vitrine" record "$@" >"$dir/out" 2>"$dir/err"
	echo $? >"$dir/status"
}

# ended STATUS PATTERN...: that was the exit code, and err has these lines
ended()
{
	local pattern

	[ "$(cat "$dir/status")" = "$1" ] || return
	shift
	for pattern; do
		grep -qE "$pattern" "$dir/err" || return
	done
}

fresh_rings()
{
	if [ -n "$rings" ]; then
		kill "$rings"
		wait "$rings"
	fi
	rm -rf "$dir/vitrine"
	mkdir -p "$dir/vitrine/trace"
	echo "[1] 0" >"$dir/vitrine/trace/enable"
	printf '%s\n' -sched +irq >"$dir/vitrine/trace/events"
	"$fake_rings" "$dir" >"$dir/given" &
	rings=$!
	while [ ! -e "$dir/vitrine/trace/cpu0" ]; do
		sleep 0.05
	done
}

cd "$dir" || exit 1
export VITRINE_DEBUGFS=$dir
touch err
echo "TAP version 13"

# ---- what can be missing ----

record -o trace.fxt -- true
check "not loaded" ended 3 "is not loaded" "insmod vitrine.ko"
mkdir -p vitrine/trace
record -o trace.fxt -- true
check "no rings" ended 3 "no CPU's ring"
record -- true
check "no file" ended 2 "no FILE given"
for seconds in 0 -1 nan 1e300 2x ""; do
	record -o trace.fxt -t "$seconds" -- true
	check "-t '$seconds'" ended 2 "is no number of seconds"
done

fresh_rings
echo "[0] 1" >vitrine/trace/enable
record -o trace.fxt -- true
check "switched off" ended 3 "switched off; run .echo 1 > .*/trace/enable"
echo "[1] 0" >vitrine/trace/enable
record -o trace.fxt -- ./no-such-command
check "no such command" ended 3 "no-such-command: cannot run: No such file"
record -o no/such/directory/trace.fxt -- touch ran
check "no such directory" ended 3 "no/such/directory/trace.fxt: cannot create"
check "and the command did not run" test ! -e ran
check "nothing is left behind" test -z "$(find . -name '*.fxt*')"

# ---- commands ----

record -o trace.fxt -- sh -c 'echo said; exit 7'
check "a command that fails" ended 7 "sh exited with status 7" \
	"trace.fxt: [0-9]+ switches on 1 CPU, [0-9]+ bytes, 0 lost"
check "its output is its own" grep -qx said out
check "the trace is sound" "$vitrine" check trace.fxt
record -o trace.fxt sh -c 'kill -9 $$'
check "a command that is killed" ended 137 "sh was killed by signal 9"
record -o trace.fxt -t 0.3 -- sh -c 'sleep 1; echo late'
check "time up before the command ends" ended 0 ", 0\.[3-9][0-9]* s"
check "the command ends all the same" grep -qx late out

"$vitrine" record -o term.fxt -- \
	sh -c 'trap "echo asked to end; exit 5" TERM; touch up; sleep 5 & wait' >out 2>err &
recorder=$!
while [ ! -e up ]; do
	sleep 0.05
done
kill -TERM $recorder
wait $recorder
echo $? >status
check "SIGTERM ends the recording, not what the command says" ended 5 "term.fxt: "
check "and the command" grep -qx "asked to end" out

# ---- wakeups ----

events=vitrine/trace/events

# events_are FILE WORD...: these lines
events_are()
{
	diff "$1" <(printf '%s\n' "${@:2}")
}

# put_to WORD...: the categories' state before a recording
put_to()
{
	printf '%s\n' "$@" >$events
}

record -o trace.fxt -- cp $events meanwhile
check "wakeups are switched on" events_are meanwhile +sched +irq
check "and off again" events_are $events -sched +irq
record -o trace.fxt --no-wakeups -- cp $events meanwhile
check "--no-wakeups" events_are meanwhile -sched +irq
for word in +sched +sched:cpus=0; do
	put_to $word +irq
	record -o trace.fxt -- cp $events meanwhile
	check "$word: as it was, meanwhile" events_are meanwhile $word +irq
	check "$word: as it was, afterwards" events_are $events $word +irq
done
put_to -sched +irq
record -o trace.fxt -- ./no-such-command
check "off again if the command cannot be run" events_are $events -sched +irq
record -o trace.fxt -t 0.2 -- sh -c "sleep 1; cp $events meanwhile"
check "off again when the time is up" events_are meanwhile -sched +irq
mv $events gone
record -o trace.fxt -- touch ran
check "no events: an error" ended 3 "trace/events: "
check "and the command did not run" test ! -e ran
mv gone $events

# until_there FILE
until_there()
{
	while [ ! -e "$1" ]; do
		sleep 0.05
	done
}

# Two recorders, of which the one that switched wakeups on ends first.
mkfifo end_first end_second
"$vitrine" record -o first.fxt -- sh -c 'touch up_first; read -r line <end_first' 2>err &
first=$!
until_there up_first
"$vitrine" record -o second.fxt -- sh -c 'touch up_second; read -r line <end_second' 2>err &
second=$!
until_there up_second
echo >end_first
wait $first
check "on while another one records" events_are $events +sched +irq
echo >end_second
wait $second
check "off when the last one ends" events_are $events -sched +irq

"$vitrine" record -o first.fxt -- sh -c 'touch up_third; read -r line <end_first' 2>err &
first=$!
until_there up_third
{
	kill -KILL $first
	wait $first
} 2>/dev/null
echo >end_first
record -o trace.fxt -- true
check "what a killed recorder left on counts as set" events_are $events +sched +irq
rm -f ./*.fxt.*
put_to -sched +irq

# ---- disk full ----

(
	trap '' XFSZ
	ulimit -f 5
	record -o full.fxt -t 2
)
check "disk full" ended 3 "full.fxt: cannot write" "is saved: [0-9]+ bytes"
check "what was saved is sound" "$vitrine" check full.fxt
record -o /dev/full -t 0.2
check "/dev/full" ended 3 "/dev/full: cannot write: No space left"

# ---- a CPU comes, a session ends, ^C ----

fresh_rings
"$vitrine" record -o long.fxt 2>err &
recorder=$!
sleep 3.5
kill -INT $recorder
wait $recorder
echo $? >status
kill $rings
wait $rings
rings=
check "interrupted" ended 0 "long.fxt: [0-9]+ switches on 2 CPUs, [0-9]+ bytes, 0 lost"
check "sound" "$vitrine" check long.fxt
"$vitrine" check long.fxt >long.check
check "nothing lost" grep -q " 2 CPUs, 2 threads, 0 records lost" long.check

# A switch every ten nanoseconds, from the first to the last: none is missing.
all_of_cpu()
{
	"$vitrine" print long.fxt | awk -v cpu="[$1]" '
		$2 == cpu { if (!nr++) first = $1; last = $1 }
		END {
			printf "%d from %.9f to %.9f\n", nr, first, last
			exit !(nr > 1000 && first < 0.000001015 &&
			       nr == int((last - first) * 1e8 + 1.5))
		}'
}

check "all of two sessions" all_of_cpu 000
check "all of a CPU that came later" all_of_cpu 001
check "no temporary file is left" test -z "$(find . -name '*.fxt.*')"

echo "1..$tests"
exit $failed
