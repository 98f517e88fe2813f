#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Samples of running threads: what a CPU executes is recorded at a fixed rate if the settings
# select the thread; an idle CPU is left alone, and CPUs and the module may come and go.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

# spins [COMMAND...]: record a thread that is busy; set $tid, $outer and $inner
spins()
{
	restart 4096
	read -r _ tid outer inner < <("$@" "$WORKLOAD" spin 300)
	save
}

load events=sched

# ---- settings -----------------------------------------------------------------------

for words in sample_hz= sample_hz=0 sample_hz=1001 sample_hz=-1 sample_hz=x "sample_hz=1 none"; do
	check "refused: '$words'" rejects stacks "Invalid argument" "$words"
done
check "nothing is armed after refused words" says none
arm "kthreads sample_hz=99 blocked_us=5000"
check "the words are read back" says "blocked_us=5000 sample_hz=99 kthreads"
arm "sample_hz=1000"
check "a rate alone is read back" says sample_hz=1000

# ---- a program ----------------------------------------------------------------------

arm "sample_hz=999 user"
before=$(nr_stacks running)

# is_in ADDRESS FUNCTION: the frame is in a function that is shorter than 256 bytes
is_in()
{
	[[ $1 =~ ^workload\+(0x[0-9a-f]+)$ ]] && ((BASH_REMATCH[1] >= $2 && BASH_REMATCH[1] < $2 + 256))
}

# found: several samples of the thread have its innermost function and its caller. On a busy
# machine there are few samples.
found()
{
	local stack frames nr=0 nr_found=0

	while read -r stack; do
		IFS=';' read -ra frames <<<"$stack"
		nr=$((nr + 1))
		[ ${#frames[@]} -ge 2 ] || continue
		! is_in "${frames[-1]}" "$inner" || ! is_in "${frames[-2]}" "$outer" || nr_found=$((nr_found + 1))
	done < <(events "$(of "user stack" "$tid") | .args.stack" | tr -d '"')
	echo "$outer $inner: $nr_found of $nr"
	[ $nr_found -ge 5 ]
}
for ((i = 0; i < 10; i++)); do
	spins
	found >/dev/null && break
done
check "the function of a program is found, with its caller" found
check "a sample in user space has no kernel stack, and its user stack follows" \
	in_turn "$tid" 'any(range(length - 1) as $i | .[$i:$i + 2];
		.[0].name == "running" and (.[0].args | has("stack") | not) and .[1].name == "user stack")'
check "samples are counted" within $((before + 5)) "$(nr_stacks running)" 1000000
check "no address of the kernel is in the file" fails grep -aqiE 'f{6}[0-9a-f]{10}' "$dir/trace.fxt"
check "Perfetto's importer accepts the samples" "$VITRINE_SELFTESTS/importer" "$dir/trace.fxt" stacks
vitrine symbolize "$dir/trace.fxt" -o "$dir/named.fxt"
vitrine flame --on-cpu "$dir/named.fxt" -o "$dir/trace.folded"
check "the flame graph has the function" \
	grep -E '^workload;workload;running;(.*;)?(spin_outer \[workload\];spin_inner \[workload\]|workload\+0x[0-9a-f]+) ' "$dir/trace.folded"

# ---- the kernel ---------------------------------------------------------------------

arm "sample_hz=199"
insmod "$VITRINE_MODULES/events.ko"
restart 4096
echo spin >/sys/module/events/parameters/run
save
caller=
[ "$(value vitrine '.root.missing.stacks.stack // ""')" != "" ] || caller='run_set\\+0x[0-9a-f]+ \\[events\\];'
check "the function of a module is found, with its caller" \
	some "$(of running "$$") | .args.stack | select(. != null and test(\"${caller}spin\\\\+0x1 \\\\[events\\\\]$\"))"
check "a system call of the thread is outermost" \
	some "$(of running "$$") | .args.stack | select(. != null and test(\"^[a-z_0-9A-Z]+\\\\+0x[0-9a-f]+;.*ksys_write.*;spin\"))"
check "no frame of the interrupt is in a stack" \
	none '.args.stack // "" | select(test("(^|;)(expire|vtr_running_record|add_running|vtr_unwind|__hrtimer_run_queues|get_irq_regs)[+]"))'
check "without the word user there is no user stack" none 'select(.name == "user stack")'
restart 4096
echo storm >/sys/module/events/parameters/run
save
check "kernel threads are sampled" some 'select(.name == "running" and .thread.pid == 2) | .args.stack | select(test("storm_thread[+].*\\[events\\]"))'
rmmod events
spins
check "samples are taken after a module has gone" some "$(of running "$tid")"

# ---- idle CPUs ------------------------------------------------------------------------

# sleeps: each CPU was woken up for a sample at most once each time that it was idle
sleeps()
{
	local expired idle

	grep -F '"hrtimer"' "$dir/trace.json" >"$dir/timers"
	expired=$(jq -c 'select(.args.function // "" | startswith("expire")) | select(.thread.name == "idle") | 1' "$dir/timers" | wc -l)
	idle=$(grep -F '"switch"' "$dir/trace.json" | jq -c 'select(.in.tid == 0) | 1' | wc -l)
	echo "$expired samples were due in $idle times idle"
	[ "$expired" -le "$idle" ] && [ "$idle" -gt 0 ]
}

arm "sample_hz=1000"
restart 4096
set_to events +timer
sleep 2
set_to events -timer
save
check "an idle CPU is left alone" sleeps
check "an idle CPU is not sampled" none 'select(.name == "running" and .thread.pid == 0)'
check "the timers are in the trace" grep -q '"expire' "$dir/timers"

# ---- filters --------------------------------------------------------------------------

arm "sample_hz=199 process=$$"
spins
check "process=: no sample of another process" none "$(of running "$tid")"
arm "sample_hz=199 cpus=0"
spins taskset -c 1
check "cpus=: no sample on another CPU" none 'select(.name == "running" and .cpu == 1)'
spins taskset -c 0
check "cpus=: samples on this CPU" some "$(of running "$tid") | select(.cpu == 0)"
arm none
spins
check "the word none ends sampling" none .

# ---- CPUs and the module come and go ----------------------------------------------------

cpu1=/sys/devices/system/cpu/cpu1/online
if [ "${DISRUPTIVE:-}" = 1 ] && [ -w $cpu1 ]; then
	away_and_back() { echo 0 >$cpu1 && echo 1 >$cpu1; }

	arm "sample_hz=1000 user"
	"$WORKLOAD" crowd 20 100000000 >/dev/null 2>&1 &
	crowd=$!
	check "CPUs go and come while threads are sampled" repeat 5 away_and_back
	kill $crowd
	wait $crowd
	spins taskset -c 1
	check "a CPU that came back is sampled" some "$(of running "$tid") | select(.cpu == 1)"
	echo 0 >$cpu1
	arm "sample_hz=199"
	echo 1 >$cpu1
	spins taskset -c 1
	check "a CPU that comes later is sampled" some "$(of running "$tid") | select(.cpu == 1)"
fi

# sampled: a thread has been sampled since the module was loaded
sampled()
{
	[ "$(nr_stacks running)" -gt 0 ]
}

"$WORKLOAD" crowd 20 100000000 >/dev/null 2>&1 &
crowd=$!
arm "sample_hz=1000"
check "the module goes while threads are sampled" repeat 5 \
	eval 'rmmod vitrine && load && arm "sample_hz=1000" && until_true sampled'
kill $crowd
wait $crowd
check "the module goes while sampling is armed" rmmod vitrine

finish
