#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Long waits: when a thread is woken up after a long wait, its kernel stack is recorded,
# and when it gets a CPU after a long wait, which thread had the CPU, if the settings select
# the thread, and not otherwise.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load
set_to events +sched

# ---- settings -----------------------------------------------------------------

check "nothing is armed unless asked for" says none
for words in "" nothing blocked_us= blocked_us=x blocked_us=-1 blocked_us=3600000001 \
	runnable_us=1 kthreads "none kthreads" "blocked_us=1 none" "blocked_us=1 cpus=x" "blocked_us=1 process=-1"; do
	check "refused: '$words'" rejects stacks "Invalid argument" "$words"
done
check "no stack is armed after refused words" says none
arm "process=17 user  blocked_us=0x10 cpus=0 kthreads"
check "what is set is read back" says "blocked_us=16 kthreads user cpus=0 process=17"
check "the setting that is read can be written" arm "$(<"$TRACE/stacks")"
check "unknown words are refused" fails arm "blocked_us=1 sunshine"
check "refused words leave the setting unchanged" says "blocked_us=16 kthreads user cpus=0 process=17"
arm none
check "the word none clears the setting" says none

# ---- threads that wait ----------------------------------------------------------

waits
check "not armed: nothing is recorded" none .
arm blocked_us=10000
waits
# If the kernel exports no function to unwind with, events are complete but for the stack.
stacks=1
[ "$(value vitrine '.root.missing.stacks.stack // ""')" = "" ] || stacks=
[ -n "$stacks" ] || echo "# this kernel has no stacks for a module"

# blocked TID SYSCALL FUNCTION: the wait of the thread is recorded, with all its arguments
blocked()
{
	local with="and has(\"stack\") == false"

	[ -z "$stacks" ] || with="and (.stack | test(\"(^|;)[^;]*$3[^;]*\\\\+0x[0-9a-f]+\"))"
	some "select(.kind == \"instant\" and .name == \"blocked\" and .thread.tid == $1 and .thread.pid == $1) |
		.args | select(.syscall == \"$2\" and .blocked_ns >= 19000000 and .blocked_ns < 3600000000000 $with)"
}
check "blocked in a pipe" blocked "$pipe" read pipe_read
check "blocked for a lock" blocked "$flock" flock "(flock|locks)_lock_inode"
[ -z "$stacks" ] ||
	check "the outermost frame is first, and the scheduler is none" \
		some "select(.thread.tid == $pipe) | .args.stack |
			select(test(\"^[A-Za-z_0-9]+\\\\+0x\") and test(\"syscall.*read\") and
			       test(\"(^|;)(__)?schedule\\\\+\") == false)"

# followed: the next record about the thread is its wakeup, with the same CPU and time
followed()
{
	jq -se "[.[] | select(.thread.tid == $pipe and (.kind == \"wakeup\" or .name == \"blocked\"))] |
		[range(1; length) as \$i | select(.[\$i - 1].name == \"blocked\") |
		 [.[\$i - 1], .[\$i]]] | length > 0 and
		all(.[0].cpu == .[1].cpu and .[0].time_ns == .[1].time_ns and .[1].kind == \"wakeup\")" \
		"$dir/trace.json"
}
check "the wakeup follows the event of the wait" followed
check "short waits are not recorded" none '.args | select(.blocked_ns != null and .blocked_ns < 10000000)'
check "waits of kernel threads are not recorded" none 'select(.thread.pid == 2)'
check "all recorded waits are counted" within "$(events 'select(.name == "blocked")' | wc -l)" "$(nr_stacks blocked)" 1000000
check "no address of the kernel is in the file" fails grep -aqiE 'f{6}[0-9a-f]{10}' "$dir/trace.fxt"
check "no address of the kernel is in the printed trace" fails grep -qE '18446[0-9]{15}|0xf{6}' "$dir/trace.json"

arm "blocked_us=3600000000"
waits
check "below the limit: none" none .

# ---- threads that are still blocked ---------------------------------------------------

arm none
check "still is refused while no limit is set" rejects stacks "Invalid argument" "still"
mkfifo "$dir/never"
exec {never_fd}<>"$dir/never"
arm "blocked_us=1000 user"
head -c 1 <&$never_fd >/dev/null &
reader=$!
until_true eval '[[ $(<"/proc/$reader/wchan") = *pipe_read ]]'
sleep 0.1	# longer than the limit
restart
set_to stacks still
check "the setting is as it was" says "blocked_us=1000 user"
save
check "a thread that is still blocked is recorded" \
	some "$(of blocked "$reader") | .args |
		select(.still and .syscall == \"read\" and .blocked_ns >= 1000000)"
[ -z "$stacks" ] ||
	check "a thread that is still blocked is recorded with its stack" some "select(.thread.tid == $reader) | .args.stack | select(test(\"pipe_read\"))"
check "a running thread is not recorded as still blocked" none "$(of blocked $$) | select(.args.still)"
check "a kernel thread is not recorded as still blocked" none 'select(.args.still and .thread.pid == 2)'
# Any other thread records its own soon; the one that is still blocked never would.
check "it is not asked for its user stack" until_true prints 0 nr_stacks user_pending
arm "blocked_us=3600000000"
restart
set_to stacks still
save
check "below the limit: not" none "select(.thread.tid == $reader)"

# interleaved: while a CPU records threads that are still blocked, it runs another thread
interleaved()
{
	restart
	taskset -c 0 bash -c 'echo still >"$1"' bash "$TRACE/stacks"
	save
	awk '/"still":true/ { seen += switches; switches = 0; records++ }
	     /"kind":"switch"/ && /"cpu":0,/ && records { switches++ }
	     END { print seen + 0, "switches between", records + 0, "records"; exit !seen }' \
		"$dir/trace.json"
}

arm "blocked_us=0 kthreads"
sleepers=()
for ((i = 0; i < 100; i++)); do
	sleep 1000 &
	sleepers+=($!)
done
chrt -f 50 taskset -c 0 bash -c 'while :; do read -rt 0.0005 <&"$1"; done' bash $never_fd &
sleepers+=($!)
check "other threads run while those that are still blocked are recorded" retried interleaved
{
	kill "${sleepers[@]}"
	wait "${sleepers[@]}"
} 2>/dev/null
arm "blocked_us=3600000000"
echo >&$never_fd
wait $reader
exec {never_fd}>&-

# ---- user stacks ------------------------------------------------------------------

# frames [COMMAND...]: record a thread, run by COMMAND, that is blocked in functions with frame
# pointers, then without
frames()
{
	restart
	read -r _ tid outer middle inner whole < <("$@" "$WORKLOAD" frames 20)
	save
}

# has_all STACK: it has the three functions, outermost frame first
has_all()
{
	local frame at=0
	local functions=("$outer" "$middle" "$inner")

	for frame in $(tr ';' ' ' <<<"$1"); do
		[[ $frame =~ ^workload\+(0x[0-9a-f]+)$ ]] || continue
		[ "$at" = 3 ] || ((BASH_REMATCH[1] < functions[at] || BASH_REMATCH[1] >= functions[at] + 64)) ||
			at=$((at + 1))
	done
	[ "$at" = 3 ]
}

# in_order: a user stack of the thread has the three functions
in_order()
{
	local stack

	echo "$outer $middle $inner"
	while read -r stack; do
		echo "$stack"
		! has_all "${stack//\"/}" || return 0
	done < <(events "$(of "user stack" "$tid") | .args.stack")
	return 1
}

arm "blocked_us=10000 user"
frames
# On a slow machine, the thread also waits for its pages or for a lock.
check "a user stack follows each wait, once the thread is back" \
	in_turn "$tid" '[range(length) as $i | select(.[$i].args.syscall // "" | test("nanosleep")) |
		.[$i + 1].name] == ["user stack", "user stack"]'
check "a user stack has the functions that have frame pointers" in_order
check "without frame pointers a user stack has at least the innermost function" \
	some "$(of "user stack" "$tid") | .args.stack | select(test(\"workload\\\\+0x[0-9a-f]+$\"))"
id=$(head -c 4096 "$WORKLOAD" | od -An -v -tx1 | tr -d ' \n' |
	sed -n 's/.*040000001400000003000000474e5500\([0-9a-f]\{40\}\).*/\1/p')
check "the file is named, with its build id" \
	some "$(of "user stack" "$tid") | .args.files |
		select(test(\"^/.*/workload $id$\") and \"$id\" != \"\")"
check "addresses are offsets in a file" none '.args | strings | select(test("0x(4[0-9a-f]{5}|[0-9a-f]{7})"))'
check "kernel threads have none" none 'select(.thread.pid == 2 and .name == "user stack")'
frames chrt -f 10
check "real-time threads have none" \
	none "$(of "user stack" "$tid") | .args.stack | select(test(\"workload[+]\"))"
check "the stack of a real-time thread is recorded as unknown" \
	some "$(of "user stack" "$tid") | select(.args.stack == \"?\")"

# ---- stack memory -------------------------------------------------------------------

arm "user=memory blocked_us=10000"
check "the word user=memory is read back" says "blocked_us=10000 user=memory"
export SECRET="the user's secret"
frames
unset SECRET
# On arm64, the frame pointers of the callers lead to the end, so that no memory is recorded.
takes_memory=1
[ "$(uname -m)" != aarch64 ] || takes_memory=
[ -z "$takes_memory" ] || check "the memory follows the user stack" \
	in_turn "$tid" '[range(length) as $i | select(.[$i].kind == "large-blob") |
		.[$i - 1].name == "user stack" and .[$i - 1].args.memory == .[$i].args.memory and
		(.[$i] | .args.words > 0 and .args.words <= 1024 and .bytes > 8 * .args.registers and
		 .bytes < 8 * (.args.registers + .args.words))] | length > 1 and all'
check "the memory has pointers only" fails grep -aq "the user's secret" "$dir/trace.fxt"
check "where the frame pointers lead to the end of the stack, there is no memory" \
	some "$(of "user stack" "$whole") | .args | select(has(\"memory\") or has(\"maps\") | not) | .stack"
check "nor is it recorded" none "select(.thread.tid == $whole and .kind == \"large-blob\")"
check "Perfetto's importer accepts the events" "${VITRINE_SELFTESTS:-$(dirname "$0")}/importer" \
	"$dir/trace.fxt" stacks
cp "$dir/trace.fxt" "$dir/memory.fxt"

# unwound: the trace has the stacks that libdw finds in the memory
unwound()
{
	vitrine symbolize "$dir/memory.fxt" -o "$dir/trace.fxt" 2>&1 &&
		vitrine print --json "$dir/trace.fxt" >"$dir/trace.json"
}
if [ -x "$(dirname "$(command -v vitrine)")/find-symbols" ]; then
	check "stack memory is unwound" unwound
	[ -z "$takes_memory" ] || check "functions without frame pointers are found, with their callers" \
		some "$(of "user stack" "$tid") | .args.stack | select(test(
			\";main\\\\+[^;]*;(frames[^;]*;)?none_outer\\\\+[^;]*;none_middle\\\\+[^;]*;none_inner\\\\+\"))"
	check "the memory of an unwound stack is no longer in the trace" none "select(.thread.tid == $tid and .kind == \"large-blob\")"
	check "the mappings of an unwound stack are no longer in the trace" none "select(.thread.tid == $tid and .name == \"user stack\") | .args.maps // empty"
fi
set_to subbuf_kb 4
frames
[ -z "$takes_memory" ] || check "a small sub-buffer has room for stack memory" \
	some "select(.thread.tid == $tid and .kind == \"large-blob\")"
set_to subbuf_kb 64
arm "blocked_us=10000 user"

# execs: record a process that is blocked while it executes another program
execs()
{
	left=$(nr_stacks user_left_out)
	restart
	bash -c 'echo "blocked_us=0 user process=$$" >"$1"; exec "$2" exec "$3"' - "$TRACE/stacks" \
		"$WORKLOAD" "$dir/workload" >"$dir/said"
	read -r _ tid outer middle inner whole <"$dir/said"
	save
}

cp "$WORKLOAD" "$dir/workload"
# The process may be woken up before it has stopped running: then it was not blocked.
check "the stack of a thread that executes another program is left out" until_true \
	eval 'execs && [ "$(nr_stacks user_left_out)" -gt "$left" ]'
check "the program that was executed has its own stacks" until_true eval 'execs && in_order'

arm "blocked_us=0 user"
before=$(nr_stacks user)
"$WORKLOAD" crowd 20 2000 >/dev/null &
(
	for ((i = 0; i < 20; i++)); do
		sleep 1000 &
		kill -KILL $!
	done
	wait
) 2>/dev/null
wait
arm none
check "threads record their stacks under load" within 1 $(($(nr_stacks user) - before)) 1000000
check "threads that end leave no pending stack behind" until_true prints 0 nr_stacks user_pending

# More threads of one user than may be pending. A write to a pipe that is larger than the pipe
# waits for the reader more than once, so each waits again before it has recorded its stack.
all_in_write()
{
	[ "$(grep -c pipe_write "${writers[@]}" | grep -c :1)" = 100 ]
}

arm "blocked_us=10000 user"
restart
for ((i = 0; i < 100; i++)); do
	mkfifo "$dir/pipe$i"
	exec {pipe_fd}<>"$dir/pipe$i"
	pipe_fds+=("$pipe_fd")
	setpriv --reuid $((i < 40 ? 65534 : 65500 + i % 2)) --clear-groups \
		dd if=/dev/zero bs=1M count=1 status=none >"$dir/pipe$i" &
	writers+=("/proc/$!/wchan")
done
until_true all_in_write
sleep 0.1	# longer than the limit
for pipe_fd in "${pipe_fds[@]}"; do
	head -c 65536 <&"$pipe_fd" >/dev/null
done
check "32 threads of a user have a pending stack, and all of two others" \
	until_true prints 92 nr_stacks user_pending
check "the module cannot be unloaded while a stack is pending" refuses 1 "in use" rmmod vitrine
save
check "a stack that was left out is recorded as unknown" \
	within 8 "$(events 'select(.name == "user stack" and .args.stack == "?") | 1' | wc -l)" 1000
frames
check "meanwhile, the threads of another user record their stacks" in_order
arm none
check "none drops the requests of threads that sleep" until_true prints 0 nr_stacks user_pending
save
check "their stacks are recorded as unknown" \
	within 92 "$(events 'select(.name == "user stack" and .args.stack == "?") | 1' | wc -l)" 1000
check "the module can be unloaded while they sleep" until_true rmmod vitrine
check "they still sleep" all_in_write
for pipe_fd in "${pipe_fds[@]}"; do
	head -c $((0x100000 - 65536)) <&"$pipe_fd" >/dev/null
	exec {pipe_fd}>&-
done
wait
load
set_to events +sched
arm "blocked_us=10000"

# ---- filters --------------------------------------------------------------------

arm "blocked_us=5000 process=$$"
waits
check "process=: no wait of another process" none "select(.thread.tid == $pipe or .thread.tid == $flock)"
check "process=: a wait of this process" some "select(.thread.pid == $$)"
arm "blocked_us=5000 cpus=0"
waits taskset -c 1
check "woken up on another CPU: none" none 'select(.cpu == 1)'
arm "blocked_us=5000 cpus=1"
waits taskset -c 1
check "woken up on this CPU: recorded" some 'select(.cpu == 1 and .name == "blocked")'

# ---- kernel threads ---------------------------------------------------------------

# recorded FILTER: wait until there is an event; a kernel thread waits every second or so
recorded()
{
	until save && events "$1" | grep -q .; do
		[ $((SECONDS - begun)) -lt 120 ] || { some "$1"; return; }
		sleep 0.2
	done
}

arm "blocked_us=1000 kthreads"
restart
begun=$SECONDS
check "kernel threads are recorded if asked for" recorded 'select(.thread.pid == 2 and .args.blocked_ns != null)'
check "kernel threads are in no system call" none 'select(.thread.pid == 2 and (.args | has("syscall")))'
[ -z "$stacks" ] ||
	check "kernel threads have stacks of the kernel" some 'select(.thread.pid == 2) | .args.stack | select(test("^ret_from_fork"))'

# Of these names, the first bits of bytes 7, 11 and 15 differ. A hash without a secret, in
# which such differences cancel out, would attribute the text of the first to the second.
arm "blocked_us=10000 user"
restart
for name in aaaaaaaaaaaaaaaa $'aaaaaaa\xe1aaa\xe1aaa\xe1'; do
	cp "$WORKLOAD" "$dir/$name"
	read -r _ pipe _ < <(taskset -c 0 "$dir/$name" waits 20)
done
save
check "no program can put its text on another one" \
	some "$(of "user stack" "$pipe") | .args.stack |
		select(startswith(\"aaaaaaaaaaaaaaaa\") | not)"
arm none
restart
"$WORKLOAD" crowd 20 1000 >/dev/null
save
check "no stack is recorded after the word none" none .

# lock_then_none: the thread that waited for the lock of the parameter had none afterwards
lock_then_none()
{
	events 'select(.args.stack // "" | test("param_attr_store"))' >"$dir/writes"
	cat "$dir/writes"
	jq -se 'group_by(.thread.tid) | any(map(.args | has("lock")) | .[0] and (.[-1] | not))' "$dir/writes"
}

# ---- a module that is unloaded -------------------------------------------------------

if [ -n "$stacks" ] && [ -e /proc/sys/kernel/hung_task_timeout_secs ] &&
   insmod "$VITRINE_MODULES/events.ko"; then
	arm blocked_us=10000
	# locked: record a process that waits for the lock that the kernel holds while the
	# module sets the parameter. Both processes must begin within the time that this takes.
	locked()
	{
		restart
		echo hang >/sys/module/events/parameters/run &
		echo hang >/sys/module/events/parameters/run
		wait
		save
		some 'select(.args.syscall == "write" and
			(.args.lock == "mutex" or .args.lock == "rt-mutex"))'
	}
	check "the lock of the kernel that a thread waits for is recorded" retried locked
	rmmod events
	check "no lock is recorded for a wait of the thread that has it" lock_then_none
	check "the stack has a function of a module" some '.args.stack | select(. != null and test("\\+0x[0-9a-f]+ \\[events\\]"))'
	waits
	check "stacks are recorded after the module has gone" blocked "$pipe" read pipe_read
fi

# ---- a storm ------------------------------------------------------------------------

arm blocked_us=0
restart
began=$(date +%s%N) before=$(nr_stacks blocked) left=$(nr_stacks left_out)
read -r _ waits _ < <("$WORKLOAD" crowd 20 5000)
blocked=$(($(nr_stacks blocked) - before)) left=$(($(nr_stacks left_out) - left))
most=$(($(nproc) * (100 + 1 + ($(date +%s%N) - began) / 1000000)))
echo "# of $waits waits $blocked recorded, $left left out; $most are permitted"
check "the number of recorded waits is limited" within 100 $blocked $most
# On a machine that is slow enough, all waits are permitted.
check "waits that were left out are counted" within $((waits / 2 - most)) $left 100000000
"$WORKLOAD" waits 20 >/dev/null
save
[ $left = 0 ] ||
	check "the trace tells how many waits were left out" some 'select(.kind == "counter" and .name == "stacks_left_out" and .args.left_out > 0)'

# Arm and disarm while threads are blocked and woken up.
"$WORKLOAD" crowd 20 5000 >/dev/null 2>&1 &
check "arm and disarm under load" \
	repeat 20 eval 'arm "blocked_us=$round kthreads" && arm none'
arm blocked_us=0
wait $!
save
check "what was recorded meanwhile is sound" test -s "$dir/trace.json"

check "the module goes while it is armed" rmmod vitrine

finish
