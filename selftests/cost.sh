#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What recording a context switch costs, in instructions: run this in a guest
# whose clock counts them (selftests/qemu/run --icount). Two processes pinned on
# one CPU play ping-pong, with recording off, on, and with ftrace instead; the
# least of three rounds counts, and off is measured in the same boot.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

# The most that a switch may cost, a wakeup, and both. An arm64 CPU needs more
# instructions for the same.
case $(uname -m) in
aarch64)	most=84 most_wakeup=60 most_both=143 ;;
*)		most=71 most_wakeup=36 most_both=105 ;;
esac
tracefs=/sys/kernel/tracing

# In a guest that counts instructions, two runs differ by less than this.
rounds=6000

# per_switch: hundredths of an instruction a switch, least of three
per_switch()
{
	local round best='' now

	for ((round = 0; round < 3; round++)); do
		now=$("$WORKLOAD" pingpong "$rounds" | awk '{ printf "%d", $4 * 100 / $2 }')
		[ -n "$best" ] && [ "$best" -le "$now" ] || best=$now
	done
	echo "$best"
}

# show WHAT HUNDREDTHS BYTES
show()
{
	printf '# %-34s %5d.%02d instructions a switch\n' "$1" $(($2 / 100)) $(($2 % 100))
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
echo -sched >"$TRACE/events"
echo 0 >"$TRACE/enable"
echo local >"$TRACE/clock"
echo 1 >"$TRACE/enable"
local_clock=$(per_switch)
echo 0 >"$TRACE/enable"

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
echo 0 >"$tracefs/events/sched/sched_switch/enable"

show "off" "$off"
show "floor: probe, counter, two stores" $((floor - off))
show "vitrine, clock counter: added" $((counter - off))
show "vitrine, with wakeups: added" $((wakeups - off))
show "vitrine, the wakeup of these" $((wakeups - counter))
show "vitrine, clock local: added" $((local_clock - off))
show "the tree sched: added" $((tree - off))
show "ftrace, clock local: added" $((ftrace - off))

drift=$((again > off ? again - off : off - again))
check "off is the same twice, to two instructions" within 0 $drift 200
check "a recorded switch costs something" within 2000 $((counter - off)) $((ftrace - off))
check "a recorded switch costs at most $most" within 0 $((counter - off)) $((most * 100))
check "the wakeup that leads to it costs at most $most_wakeup" \
	within 1500 $((wakeups - counter)) $((most_wakeup * 100))
check "both cost at most $most_both" within 0 $((wakeups - off)) $((most_both * 100))
check "a tenth of what ftrace takes" within 0 $(((counter - off) * 10)) $((ftrace - off))
check "a switch that the tree sched counts costs at most 200 more" within 2000 $((tree - off)) 20000

finish
