#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many CPUs: each is recorded and read, also as a stream, and a switch costs as much as
# with two CPUs. The guest's clock must count instructions for this.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit
disruptive "real-time threads may use all the time of the CPUs"

nr_cpus=$(nproc)

# switch_often ENABLE: switch in runs so short that most are not interrupted. No other process
# may run meanwhile, not even one that reads the output, since the clock counts the instructions
# of all CPUs.
switch_often()
{
	local run

	echo "$1" >"$TRACE/enable"
	for ((run = 0; run < 10; run++)); do
		"$WORKLOAD" pingpong 150
	done
}

# per_switch: instructions per switch times 100 for each run on stdin, in ascending order
per_switch()
{
	awk '{ printf "%d\n", $4 * 100 / $2 }' | sort -n
}

# measure: alternate off and on, and take the minimum of each
measure()
{
	local turn

	for ((turn = 0; turn < 5; turn++)); do
		switch_often 0 >>/tmp/runs.off
		switch_often 1 >>/tmp/runs.on
	done
	per_switch </tmp/runs.off >/tmp/off
	per_switch </tmp/runs.on >/tmp/on
	read -r off </tmp/off
	read -r added </tmp/on
	added=$((added - off))
}

# recorded FILE: the recording is valid and contains every CPU
recorded()
{
	vitrine check "$1" >/tmp/check.log || { tail -n 5 /tmp/check.log; return 1; }
	tail -n 1 /tmp/check.log
	grep -q ", $nr_cpus CPUs, .*: no fault" /tmp/check.log
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
rm -f /tmp/runs.off /tmp/runs.on
load enable=0 clock=counter || skip "this machine has no usable counter"
"$WORKLOAD" pingpong 1000 >/dev/null
measure
if [ "$off" -gt 2000000 ] || [ "$off" -lt 200000 ]; then
	skip "a switch takes $((off / 100)) ns here: not a guest that counts instructions"
fi
echo "# off: $(head -n 8 /tmp/off | xargs)"
echo "# on: $(head -n 8 /tmp/on | xargs)"
echo "# $nr_cpus CPUs: off $((off / 100)), recording adds $((added / 100)).$((added % 100 / 10)) instructions a switch"
# 71 with two CPUs, plus a tenth
check "recording adds no more to a switch than on two CPUs" within_limit 2000 "$added" 7800
check "a ring for each of $nr_cpus CPUs" test "$(find "$TRACE" -name 'cpu[0-9]*' | wc -l)" = "$nr_cpus"
on_each_cpu "$WORKLOAD" crowd 4 400
cat "$TRACE/trace.fxt" >/tmp/flight.fxt
check "the flight recorder has every CPU" recorded /tmp/flight.fxt
unload

load mode=streaming || exit
export -f on_each_cpu
check "a stream of every CPU" vitrine record --no-wakeups -o /tmp/stream.fxt -- \
	bash -c 'on_each_cpu "$WORKLOAD" crowd 4 400'
check "the recording is sound, and has every CPU" recorded /tmp/stream.fxt
check "nothing was lost" prints 0 total .lost_records

finish
