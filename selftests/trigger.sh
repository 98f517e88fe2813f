#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Triggers freeze the rings with their cause still in them, and say so: in the
# trace, in the tree, in trace/trigger and to who waits.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load

# says PATTERN: what the file reads, asked without running a program, which would
# be an event
says()
{
	local said

	said=$(<"$TRACE/trigger")
	echo "$said"
	[[ $said =~ ^$1$ ]]
}

# awaited: the snapshot that waits for a trigger has been taken
awaited()
{
	local status

	wait "$waiter"
	status=$?
	check "who waits is woken, and has the file" test $status = 0
	sed 's/^/# /' /tmp/frozen.log
}

await()
{
	timeout 120 vitrine snapshot --wait -o /tmp/frozen.fxt 2>/tmp/frozen.log &
	waiter=$!
}

arm()
{
	echo "$1" >"$TRACE/trigger"
}

# snapshot: what was frozen is a sound trace whose last words are the cause
snapshot_shows()
{
	vitrine check /tmp/frozen.fxt &&
		vitrine print /tmp/frozen.fxt | tail -n 40 >/tmp/frozen.txt
	tail -n 5 /tmp/frozen.txt
	grep -q "frozen.*cause=\"$1\"" /tmp/frozen.txt
}

total()
{
	value vitrine "[.root.trace.cpus[].$1] | add"
}

# A thread that cannot run while one of a higher class has its CPU: it wakes up
# within a millisecond and runs after 20. The first time it may not sleep yet.
late()
{
	taskset -c 1 sh -c 'while :; do sleep 0.001; done' &
	local sleeper=$! tries

	for ((tries = 0; tries < 20; tries++)); do
		taskset -c 1 chrt -f 50 sh -c '
			end=$(($(date +%s%N) + 60000000))
			while [ "$(date +%s%N)" -lt $end ]; do :; done'
		[[ $(<"$TRACE/trigger") != fired* ]] || break
	done
	kill $sleeper
}

check "a panic is what is waited for unless told otherwise" says "armed panic"
check "words that are none" fails arm "panic sunshine"
check "no time at all" fails arm "latency_us=0"
check "the trigger stays" says "armed panic"

arm now
check "now" says "fired now 0 cpu [0-9]+ thread [0-9]+"
check "nothing more is recorded" sh -c "cat $TRACE/trace.fxt >/tmp/a; sleep 0.3
	cat $TRACE/trace.fxt >/tmp/b; vitrine print /tmp/a >/tmp/a.txt; vitrine print /tmp/b >/tmp/b.txt
	[ \$(wc -l </tmp/b.txt) -le \$((\$(wc -l </tmp/a.txt) + 2)) ]"
check "what is not recorded is counted" test "$(total lost_records)" -gt 0
check "the tree says why" test "$(value vitrine .root.trace.frozen.cause)" = now

arm "latency_us=3600000000 panic"
check "armed again" says "armed latency_us=3600000000 panic"
check "the tree forgets" test "$(value vitrine .root.trace.frozen.cause)" = ""
arm "latency_us=10000 panic"
await
late 2>/dev/null
awaited
check "late: says so" says "fired latency_us [0-9]{8,} cpu [0-9]+ thread [0-9]+"
check "late: the cause is the last thing in the trace" snapshot_shows latency_us
check "late: the thread that was late had just come in" \
	sh -c "thread=\$(sed -n 's/.*thread \([0-9]*\)/\1/p' $TRACE/trigger)
	grep -B1 frozen /tmp/frozen.txt | head -n 1 | grep -q \"\$thread\""

# ---- an event ---------------------------------------------------------------

for words in event=nothing event= event=nothing:exec; do
	check "no such event: $words" fails arm "$words"
done
echo +sched >"$TRACE/events"
arm "event=sched:exec panic"
check "an event is waited for" says "armed event=sched:exec panic"
# What a fork records is of the same category, and not what is waited for.
(:)
check "not for others of its category" says "armed event=sched:exec panic"
await
awaited
check "event: says so" says "fired event 0 cpu [0-9]+ thread [0-9]+"
check "event: the trace ends with it" snapshot_shows event
check "event: it stands before the mark" \
	sh -c "grep -B1 frozen /tmp/frozen.txt | head -n 1 | grep -q 'sched:exec file='"
arm event=sched
(:)
check "any event of a category" says "fired event 0 cpu [0-9]+ thread [0-9]+"
echo -sched >"$TRACE/events"

# ---- a task that hangs --------------------------------------------------------

hung=/proc/sys/kernel/hung_task_timeout_secs
if [ -e $hung ] && insmod "$VITRINE_MODULES/events.ko"; then
	warnings=$(cat /proc/sys/kernel/hung_task_warnings)
	seconds=$(cat $hung)
	echo 0 >/proc/sys/kernel/hung_task_warnings
	arm hung_task
	check "a hung task is waited for" says "armed hung_task"
	echo 1 >$hung
	await
	echo hang >/sys/module/events/parameters/run &
	hanging=$!
	awaited
	check "hung task: says which" says "fired hung_task 0 cpu [0-9]+ thread $hanging"
	check "hung task: the trace says so" snapshot_shows hung_task
	echo "$seconds" >$hung
	echo "$warnings" >/proc/sys/kernel/hung_task_warnings
	wait $hanging
	rmmod events
fi

arm none
check "none" says none
check "nobody waits for nothing" refuses 3 "no trigger is armed" \
	vitrine snapshot --wait -o /tmp/none.fxt
check "a snapshot while recording goes on" vitrine snapshot -o /tmp/now.fxt
check "is sound" vitrine check /tmp/now.fxt

# Many a freeze, at any moment of any CPU.
again_and_again()
{
	local i

	"$WORKLOAD" crowd 20 5000 >/dev/null 2>&1 &
	for ((i = 0; i < 8; i++)); do
		arm now || return
		cat "$TRACE/trace.fxt" >/tmp/one.fxt
		vitrine check /tmp/one.fxt >/tmp/one.log || { cat /tmp/one.log; return 1; }
		arm none || return
	done
	wait $!
}

check "freeze and go on under load" again_and_again
cat "$TRACE/trace.fxt" >/tmp/after.fxt
check "what was recorded since is sound" vitrine check /tmp/after.fxt

finish
