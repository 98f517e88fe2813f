#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Triggers freeze the rings with the cause still in them, and report it in the trace, in
# the tree, in trace/trigger and to tasks that poll.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit
disruptive "tasks that are blocked for a second are reported as hung"

load

# says PATTERN: the file trace/trigger matches PATTERN. Reads the file in the shell, because
# starting a program would be an event.
says()
{
	local said

	said=$(<"$TRACE/trigger")
	echo "$said"
	[[ $said =~ ^$1$ ]]
}

# awaited: the trigger fires, and the waiting `vitrine snapshot' writes its file
awaited()
{
	local status

	wait "$waiter"
	status=$?
	check "the waiting snapshot is woken and writes its file" test $status = 0
	sed 's/^/# /' /tmp/frozen.log
}

await()
{
	timeout 600 vitrine snapshot --wait -o /tmp/frozen.fxt 2>/tmp/frozen.log &
	waiter=$!
}

arm()
{
	set_to trigger "$1"
}

# snapshot_shows CAUSE: the snapshot is a valid trace, and the mark of CAUSE is the last
# record of its CPU. Other CPUs may go on recording for a moment.
snapshot_shows()
{
	local cpu

	vitrine check /tmp/frozen.fxt && vitrine print /tmp/frozen.fxt >/tmp/frozen.all || return
	cpu=$(grep "frozen.*cause=\"$1\"" /tmp/frozen.all | tail -n 1 | grep -oE '\[[0-9]+\]')
	# One more record of the CPU says which thread had it at the end, unless the snapshot was
	# taken before the CPU switched again.
	grep -F "$cpu" /tmp/frozen.all | tail -n 5 | sed '${/frozen/!d}' >/tmp/frozen.txt
	cat /tmp/frozen.txt
	tail -n 1 /tmp/frozen.txt | grep -q "frozen.*cause=\"$1\""
}

# A real-time thread occupies CPU 1 for 60 ms while a thread there sleeps and wakes up every
# millisecond. Try again if the latter was not asleep yet.
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
check "the trigger now says that it fired" says "fired now 0 cpu [0-9]+ thread [0-9]+"
check "an empty line is no trigger" fails arm ""
check "an empty line does not thaw the rings" says "fired now 0 cpu [0-9]+ thread [0-9]+"
check "frozen rings record nothing more" sh -c "cat $TRACE/trace.fxt >/tmp/a; sleep 0.3
	cat $TRACE/trace.fxt >/tmp/b; vitrine print /tmp/a >/tmp/a.txt; vitrine print /tmp/b >/tmp/b.txt
	[ \$(wc -l </tmp/b.txt) -le \$((\$(wc -l </tmp/a.txt) + 2)) ]"
check "records that are lost while the rings are frozen are counted" test "$(total .lost_records)" -gt 0
check "the tree says why" prints now value vitrine .root.trace.frozen.cause

arm "latency_us=3600000000 panic"
check "armed again" says "armed latency_us=3600000000 panic"
check "the tree forgets" prints "" value vitrine .root.trace.frozen.cause
arm "latency_us=10000 panic"
await
late 2>/dev/null
awaited
check "late: says so" says "fired latency_us [0-9]{8,} cpu [0-9]+ thread [0-9]+"
check "late: the cause is the last thing on its CPU" snapshot_shows latency_us
check "late: the thread that was late had just come in" \
	sh -c "thread=\$(sed -n 's/.*thread \([0-9]*\)/\1/p' $TRACE/trigger)
	tail -n 2 /tmp/frozen.txt | head -n 1 | grep -q \"\$thread\""

# ran N: each hog has been preempted at least N times
ran()
{
	local files=("${hogs[@]/#//proc/}")

	awk -v least="$1" '$1 == "nonvoluntary_ctxt_switches:" && $2 < least { exit 1 }' \
		"${files[@]/%//status}"
}

# The trigger has not fired for a hog. It may have fired for another thread on that CPU.
no_hog_fired()
{
	local said

	said=$(<"$TRACE/trigger")
	echo "$said; the hogs are ${hogs[*]}"
	[[ $said == armed* || " ${hogs[*]} " != *" ${said##*thread } "* ]]
}

# Many threads that never sleep share a CPU, later two CPUs. Each waits for its turn longer
# than the latency that fires the trigger, but is never woken up.
rm -f /tmp/hog.*
for ((i = 0; i < 20; i++)); do
	taskset -c 1 sh -c ': >/tmp/hog.$$; while :; do :; done' &
	hogs+=($!)
done
# Each hog has begun its loop, so that it waits for nothing but the CPU.
until_true eval '[ "$(find /tmp -name "hog.*" | wc -l)" = ${#hogs[@]} ]'
check "threads share a CPU" until_true ran 2
arm latency_us=20000
check "go on to" until_true ran 6
check "latency: a preempted thread does not fire the trigger" no_hog_fired
arm latency_us=20000
for hog in "${hogs[@]::10}"; do
	taskset -p -c 0 "$hog" >/dev/null
done
check "late: the hogs run on two CPUs" until_true ran 10
check "late: a preempted thread on another CPU does not fire the trigger" no_hog_fired
kill "${hogs[@]}"
wait "${hogs[@]}" 2>/dev/null

# ---- an event ---------------------------------------------------------------

for words in event=nothing event= event=nothing:exec; do
	check "no such event: $words" fails arm "$words"
done
set_to events +sched
arm "event=sched:exec panic"
check "an event is waited for" says "armed event=sched:exec panic"
# A fork records another event of the same category, which must not fire the trigger.
(:)
check "event: another event of its category does not fire the trigger" says "armed event=sched:exec panic"
await
awaited
check "event: the trigger says that it fired" says "fired event 0 cpu [0-9]+ thread [0-9]+"
check "event: the trace of its CPU ends with it" snapshot_shows event
check "event: the event stands before the mark" \
	sh -c "tail -n 2 /tmp/frozen.txt | head -n 1 | grep 'sched:exec file='"
arm event=sched
(:)
check "any event of a category" says "fired event 0 cpu [0-9]+ thread [0-9]+"
set_to events -sched

# ---- a task that hangs --------------------------------------------------------

hung=/proc/sys/kernel/hung_task_timeout_secs
if [ -e $hung ] && insmod "$VITRINE_MODULES/events.ko"; then
	warnings=$(cat /proc/sys/kernel/hung_task_warnings)
	seconds=$(cat $hung)
	echo 0 >/proc/sys/kernel/hung_task_warnings
	arm hung_task
	check "a hung task is waited for" says "armed hung_task"
	echo 1 >$hung
	# Let a thread hang for longer than the kernel permits; the trigger fires for it. Start
	# again if the kernel checked too late, or if it fired for another thread of a slow machine.
	for ((i = 0; i < 10; i++)); do
		arm hung_task
		await
		echo hang >/sys/module/events/parameters/run &
		hanging=$!
		wait $hanging
		[[ $(<"$TRACE/trigger") != "fired hung_task "*" thread $hanging" ]] || break
		arm none
		wait "$waiter"
	done
	awaited
	check "hung task: says which" says "fired hung_task 0 cpu [0-9]+ thread $hanging"
	check "hung task: the trace says so" snapshot_shows hung_task
	echo "$seconds" >$hung
	echo "$warnings" >/proc/sys/kernel/hung_task_warnings
	rmmod events
fi

arm none
check "no trigger is armed after the word none" says none
check "nobody waits for nothing" refuses 3 "no trigger is armed" \
	timeout 600 vitrine snapshot --wait -o /tmp/none.fxt

# ---- waits that end without a trigger, and those that go on ------------------

polls()
{
	grep -qs poll "/proc/$(pgrep -P "$waiter")/wchan"
}

# in_vain WORDS COMMAND...: COMMAND makes a waiting `vitrine snapshot' fail and print WORDS
in_vain()
{
	local words=$1 status

	shift
	rm -f /tmp/frozen.fxt
	await
	until_true polls || return
	"$@"
	wait "$waiter"
	status=$?
	echo "status $status: $(</tmp/frozen.log)"
	[ "$status" = 3 ] && grep -qF "$words" /tmp/frozen.log && [ ! -e /tmp/frozen.fxt ]
}

arm panic
set_to enable 0
check "nobody waits while recording is off" refuses 3 "recording is off" \
	timeout 600 vitrine snapshot --wait -o /tmp/off.fxt
set_to enable 1
check "a wait ends when recording is switched off" in_vain "recording is off" set_to enable 0
set_to enable 1
check "a wait ends when nothing is armed any more" in_vain "no trigger is armed" arm none
arm panic
await
check "while recording is on, a wait goes on" until_true polls
check "the module cannot be unloaded meanwhile" fails rmmod vitrine
arm "latency_us=3600000000 panic"
check "a wait goes on with what is armed now" until_true polls
arm now
awaited
arm none

# Freeze the rings several times under load.
"$WORKLOAD" crowd 20 5000 >/dev/null 2>&1 &
check "freeze and go on under load" repeat 8 eval 'arm now && rings_are_sound && arm none'
wait $!
check "what was recorded since is sound" rings_are_sound

finish
