#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cost of recording a context switch, in instructions. Runs in a guest whose clock
# counts instructions (selftests/qemu/run --icount). Two processes pinned to one CPU
# play ping-pong with recording off, on, and with ftrace instead; the minimum of three
# rounds counts, and "off" is measured in the same boot. Then rings of many threads pass
# a byte on.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "real-time threads may use all the time of the CPUs"

# Limits for a switch, a wakeup, both, and so on; most_stacks is what a wakeup costs more while
# long waits are recorded. An arm64 CPU needs more instructions, and the program's user stack
# has more frames there, but frame pointers that lead to the end, so that no memory is recorded.
case $(uname -m) in
aarch64)	most=69 most_wakeup=53 most_both=119 most_armed=26 most_tree=80
		most_sampled=33 most_stacks=22 most_user_stack=19000 most_user_memory=20000 ;;
*)		most=60 most_wakeup=41 most_both=99 most_armed=18 most_tree=60
		most_sampled=12 most_stacks=20 most_user_stack=10500 most_user_memory=70000 ;;
esac
most_kernel_stack=6000 most_kernel_stack_bytes=160 most_user_stack_bytes=75 \
	most_user_memory_bytes=1000
# 99 samples a second of 10^9 instructions take 0.1 % of a CPU, with user stacks 0.2 %.
most_sample=10101 most_user_sample=20202
# On these kernels the call of a probe takes about ten instructions more than on 6.12.
case ${VITRINE_KERNEL:-} in
newest*)	most_tree=$((most_tree + 14)) ;;
esac
# Rings of threads: number of threads, limits of instructions and bytes per switch, KiB of a
# sub-buffer. How many of 200 or 300 threads share a slot of the table depends on their ids.
crowds="60 80 19 64
200 110 24 64
300 150 34 64
1000 262 75 64
1000 190 50 256
3000 276 75 64"
tracefs=/sys/kernel/tracing

# Rounds of one run of the ping-pong.
rounds=6000

# per_switch: instructions per switch times 100, minimum of five runs
per_switch()
{
	local run best='' now

	for ((run = 0; run < 5; run++)); do
		now=$("$WORKLOAD" pingpong "$rounds" | awk '{ printf "%d", $4 * 100 / $2 }')
		[ -n "$best" ] && [ "$best" -le "$now" ] || best=$now
	done
	echo "$best"
}

# per_hop THREADS [HOPS]: instructions per switch times 100 in a ring of THREADS, minimum of two
per_hop()
{
	local round best='' now

	for ((round = 0; round < 2; round++)); do
		now=$("$WORKLOAD" ring "$1" "${2:-$(($1 < 2000 ? 6000 : 9000))}" |
			awk '{ printf "%d", $4 * 100 / $2 }')
		[ -n "$best" ] && [ "$best" -le "$now" ] || best=$now
	done
	echo "$best"
}

# counted COMMAND: set $cost to what COMMAND prints, and $bytes, $records and $stacked to how
# much these counters, summed over all rings, increased meanwhile. jq adds nothing to them,
# because it starts when both copies have been taken.
counted()
{
	vitrine show --json vitrine >/tmp/before.json
	cost=$("$@")
	vitrine show --json vitrine >/tmp/after.json
	read -r bytes records stacked < <(jq -rs 'map([([.. | .bytes? // empty] | add),
		([.. | .records? // empty] | add), ((.root.trace.stacks | .blocked + .running) // 0)]) |
		transpose | map(.[1] - .[0]) | @tsv' /tmp/before.json /tmp/after.json)
}

# crowd THREADS INSTRUCTIONS BYTES KB: check the limits of a ring of THREADS with sub-buffers of KB.
# What is measured must have several of them: of the large ones, with 6000 hops, it has one or
# two, and another cost by 15 % each time.
crowd()
{
	local off hops=() what="$1 threads"

	[ "$4" = 64 ] || { hops=(20000); what+=", $4 KiB"; }
	echo "$4" >"$TRACE/subbuf_kb"
	off=$(per_hop "$1" "${hops[@]}")
	echo 1 >"$TRACE/enable"
	counted per_hop "$1" "${hops[@]}"
	bytes=$((bytes * 100 / records))
	echo 0 >"$TRACE/enable"
	show "vitrine, $what: added" $((cost - off))
	printf '# %-34s %5d.%02d bytes a switch\n' "vitrine, $what" $((bytes / 100)) $((bytes % 100))
	[ "$(uname -m)" = x86_64 ] || return
	check "a switch of $what takes at most $2 instructions" within_limit 2000 $((cost - off)) $(($2 * 100))
	check "a switch of $what takes at most $3 bytes" within_limit 1600 $bytes $(($3 * 100))
}

# show WHAT HUNDREDTHS
show()
{
	printf '# %-34s %5d.%02d instructions a switch\n' "$1" $(($2 / 100)) $(($2 % 100))
}

# show_stack WHICH INSTRUCTIONS BYTES
show_stack()
{
	printf '# %-34s %5d instructions, %d bytes\n' "vitrine, a long wait's $1" "$2" "$3"
}

# added WITHOUT WITH: a thousand long waits, or samples, a second are recorded. Set $per_hit and
# $bytes_per_hit to what one of them costs with the settings WITH, less what it costs with the
# settings WITHOUT, and set $without to what a switch costs with WITHOUT.
added()
{
	local bytes_without

	echo "# measuring: $2"
	echo "$1" >"$TRACE/stacks"
	counted per_switch
	without=$cost bytes_without=$bytes
	echo "$2" >"$TRACE/stacks"
	counted per_switch
	bytes_per_hit=$(((bytes - bytes_without) / stacked))
	# An instruction is a nanosecond, and a thousand stacks are recorded a second.
	per_hit=$(((cost - without) * 1000000 / cost))
}

# What a user stack costs in addition to a kernel stack, without and with memory. Real-time
# threads record no user stack. The cost of a switch of other threads varies more, so this measurement takes longer.
measure_user_stacks()
{
	local rounds=$((10 * rounds))

	export NOT_REAL_TIME=1
	added blocked_us=0 "blocked_us=0 user"
	per_user_stack=$per_hit bytes_per_user_stack=$bytes_per_hit
	added blocked_us=0 "blocked_us=0 user=memory"
	per_user_memory=$per_hit bytes_per_user_memory=$bytes_per_hit
	unset NOT_REAL_TIME
	nr_user_stacks=$(value vitrine .root.trace.stacks.user)
	nr_left_out=$(value vitrine .root.trace.stacks.user_left_out)
}

# What a sample of a running thread costs, in the kernel, where most samples of the ping-pong are;
# then with its user stack, and with stack memory. Not on emulated arm64, where this takes a quarter
# of an hour.
measure_samples()
{
	local rounds=$((10 * rounds))

	added sample_hz=1 sample_hz=1000
	per_sample=$per_hit bytes_per_sample=$bytes_per_hit
	export NOT_REAL_TIME=1
	added "sample_hz=1 user" "sample_hz=1000 user"
	per_user_sample=$per_hit bytes_per_user_sample=$bytes_per_hit
	added "sample_hz=1 user=memory" "sample_hz=1000 user=memory"
	per_memory_sample=$per_hit bytes_per_memory_sample=$bytes_per_hit
	unset NOT_REAL_TIME
}

# show_sample WHICH INSTRUCTIONS BYTES: at a thousand million instructions a second, as a part of
# a CPU, with 99 samples a second
show_sample()
{
	local millionths=$(($2 * 99 / 1000))

	printf '# %-34s %5d instructions, %d bytes; 99 a second take %d.%04d %% of a CPU\n' \
		"vitrine, a sample $1" "$2" "$3" $((millionths / 10000)) $((millionths % 10000))
}

# What a wakeup costs while stacks of long waits are asked for: $stacks, if none is long;
# $refused, if each is and none is wanted; and what a kernel stack and a user stack cost
measure_stacks()
{
	echo blocked_us=3600000000 >"$TRACE/stacks"
	stacks=$(per_switch)
	added "blocked_us=0 thread=1" blocked_us=0
	refused=$without
	per_kernel_stack=$per_hit bytes_per_kernel_stack=$bytes_per_hit
	measure_user_stacks
	echo none >"$TRACE/stacks"
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
load enable=0 clock=counter || skip "this machine has no usable counter"
"$WORKLOAD" pingpong 1000 >/dev/null

off=$(per_switch)
if [ "$off" -gt 2000000 ] || [ "$off" -lt 200000 ]; then
	skip "a switch takes $((off / 100)) ns here: not a guest that counts instructions"
fi
again=$(per_switch)
echo 1 >"$TRACE/enable"
counter=$(per_switch)
echo +sched >"$TRACE/events"
wakeups=$(per_switch)
measure_stacks
echo -sched >"$TRACE/events"
echo latency_us=3600000000 >"$TRACE/trigger"
armed=$(per_switch)
fired=$(<"$TRACE/trigger")
echo none >"$TRACE/trigger"
echo blocked_us=3600000000 >"$TRACE/stacks"
not_watched=$(per_switch)
echo sample_hz=1 >"$TRACE/stacks"
sampled=$(per_switch)
[ "$(uname -m)" != x86_64 ] || measure_samples
echo none >"$TRACE/stacks"
echo 0 >"$TRACE/enable"
echo local >"$TRACE/clock"
echo 1 >"$TRACE/enable"
local_clock=$(per_switch)
echo 0 >"$TRACE/enable"

echo counter >"$TRACE/clock"
while read -r threads instructions most_bytes kb; do
	crowd "$threads" "$instructions" "$most_bytes" "$kb"
done <<<"$crowds"
unload
load enable=0 trees=sched || exit
tree=$(per_switch)
unload

insmod "$VITRINE_MODULES/floor.ko" mode=store || exit
floor=$(per_switch)
rmmod floor

echo local >"$tracefs/trace_clock"
echo 1 >"$tracefs/events/sched/sched_switch/enable"
ftrace=$(per_switch)
ftrace_crowd=$(per_hop 1000)
echo 0 >"$tracefs/events/sched/sched_switch/enable"
off_crowd=$(per_hop 1000)

show "off" "$off"
show "floor: probe, counter, two stores" $((floor - off))
show "vitrine, clock counter: added" $((counter - off))
show "vitrine, with wakeups: added" $((wakeups - off))
show "vitrine, the wakeup of these" $((wakeups - counter))
show "vitrine, wakeups with stacks armed" $((stacks - off))
show "vitrine, that check" $((stacks - wakeups))
show "vitrine, a long wait not wanted" $((refused - wakeups))
show_stack "kernel stack" "$per_kernel_stack" "$bytes_per_kernel_stack"
show_stack "user stack" "$per_user_stack" "$bytes_per_user_stack"
show_stack "user stack with memory" "$per_user_memory" "$bytes_per_user_memory"
echo "# of user stacks, $nr_user_stacks were recorded and $nr_left_out left out"
show "vitrine, latency_us armed: added" $((armed - off))
show "vitrine, that trigger" $((armed - counter))
show "vitrine, blocked_us armed, a switch" $((not_watched - counter))
show "vitrine, sample_hz armed, a switch" $((sampled - counter))
show "vitrine, clock local: added" $((local_clock - off))
show "the tree sched: added" $((tree - off))
show "ftrace, clock local: added" $((ftrace - off))
show "ftrace, 1000 threads: added" $((ftrace_crowd - off_crowd))

drift=$((again > off ? again - off : off - again))
check "off is the same twice, to two instructions" within 0 $drift 200
check "a recorded switch costs something" within 2000 $((counter - off)) $((ftrace - off))
check "a recorded switch costs at most $most" within_limit 0 $((counter - off)) $((most * 100))
check "the wakeup that leads to it costs at most $most_wakeup" \
	within_limit 1500 $((wakeups - counter)) $((most_wakeup * 100))
check "both cost at most $most_both" within_limit 0 $((wakeups - off)) $((most_both * 100))
check "a tenth of what ftrace takes" within 0 $(((counter - off) * 10)) $((ftrace - off))
check "stacks of long waits cost a wakeup at most $most_stacks more" \
	within_limit 200 $((stacks - wakeups)) $((most_stacks * 100))
check "a kernel stack costs at most $most_kernel_stack instructions" \
	within_limit 500 "$per_kernel_stack" "$most_kernel_stack" 1
check "a kernel stack takes at most $most_kernel_stack_bytes bytes" \
	within_limit 40 "$bytes_per_kernel_stack" "$most_kernel_stack_bytes" 1
check "a user stack costs at most $most_user_stack instructions more" \
	within_limit 500 "$per_user_stack" "$most_user_stack" 1
check "a user stack takes at most $most_user_stack_bytes bytes more" \
	within_limit 40 "$bytes_per_user_stack" "$most_user_stack_bytes" 1
check "a user stack with memory costs at most $most_user_memory instructions more" \
	within_limit 1000 "$per_user_memory" "$most_user_memory" 1
check "a user stack with memory takes at most $most_user_memory_bytes bytes more" \
	within_limit 40 "$bytes_per_user_memory" "$most_user_memory_bytes" 1
check "an armed trigger costs at most $most_armed more" within_limit 200 $((armed - counter)) $((most_armed * 100))
check "the trigger was armed during the whole measurement" test "$fired" = "armed latency_us=3600000000"
check "sample_hz costs a switch at most $most_sampled more" \
	within_limit -200 $((sampled - counter)) $((most_sampled * 100))
if [ "$(uname -m)" = x86_64 ]; then
	show_sample "with its kernel stack" "$per_sample" "$bytes_per_sample"
	show_sample "with its user stack, too" "$per_user_sample" "$bytes_per_user_sample"
	show_sample "with stack memory, too" "$per_memory_sample" "$bytes_per_memory_sample"
	check "samples with kernel stacks take at most 0.1 % of a CPU" \
		within_limit 1000 "$per_sample" $most_sample 1
	check "samples with user stacks take at most 0.2 % of a CPU" \
		within_limit "$per_sample" "$per_user_sample" $most_user_sample 1
fi
check "blocked_us costs a switch nothing" within -100 $((not_watched - counter)) 100
check "a switch that the tree sched counts costs at most $most_tree more" \
	within_limit 2000 $((tree - off)) $((most_tree * 100))

finish
