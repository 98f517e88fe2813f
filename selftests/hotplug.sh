#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CPUs go offline and come online while everything is recorded; a CPU that is offline
# when the module is loaded gets its ring when it comes online.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "CPU 1 goes offline"

cpu1=/sys/devices/system/cpu/cpu1/online
[ -w "$cpu1" ] || skip "CPU 1 cannot be taken offline"

trap 'kill ${crowd:-}; echo 1 >$cpu1' EXIT

# records: number of records of CPU 1
records()
{
	value vitrine '.root.trace.cpus["1"].records'
}

# has_more NR: CPU 1 has recorded more than that
has_more()
{
	[ "$(records)" -gt "$1" ]
}

# offline_and_online COMMAND...: take CPU 1 offline and online; run COMMAND before and after each
offline_and_online()
{
	local online

	for online in 0 1; do
		"$@" && echo $online >"$cpu1" || return
	done
	"$@"
}

# never_decrease: the times of CPU 1 in which it does nothing, on any line that follows another
never_decrease()
{
	offline_and_online value system '.root.cpus["1"] | "\(.idle_ns) \(.iowait_ns)"' | awk '
		{ print; bad += $1 < idle || $2 < iowait; idle = $1; iowait = $2 }
		END { exit bad || NR != 3 }'
}

load trees=system
check "times of a CPU that goes offline and comes online do not decrease" never_decrease

# all_run: on CPU 1, the kernel's threads that take it offline and online have been switched to
# since they were last woken up, if they did not run then
all_run()
{
	awk '
		$4 == "wakeup" && !runs[$5] { waits[$5] = $0 }
		$4 == "switch" { runs[$5] = 0; runs[$9] = 1; delete waits[$9]; nr[$9]++ }
		END {
			for (thread in nr)
				if (thread ~ /^(cpuhp|migration)\/1:/) {
					nr_threads++
					bad += thread in waits
					print nr[thread], thread, waits[thread]
				}
			exit bad || nr_threads != 2
		}' /tmp/hotplug.txt
}

clock=$(grep -o '\[[a-z]*\]' "$TRACE/clock" | tr -d '[]')
[ "$clock" = counter ] || set_to clock mono
set_to events +sched
restart 8192
check "record while it goes offline and comes online" eval 'offline_and_online true && archive hotplug'
check "the threads that do it do not wait any more" all_run
rmmod vitrine

"$WORKLOAD" crowd 20 100000000 >/dev/null 2>&1 &
crowd=$!
echo 0 >"$cpu1"
load
check "no ring for a CPU that never came" test ! -e "$TRACE/cpu1"
echo 1 >"$cpu1"
check "a CPU that comes online gets a ring" test -e "$TRACE/cpu1"
check "a CPU that came online records" until_true has_more "$(records)"
check "go and come under load" repeat 10 eval 'echo 0 >"$cpu1" && echo 1 >"$cpu1"'
check "the CPU records after it went and came under load" until_true has_more "$(records)"
check "the recording is sound" rings_are_sound
echo 0 >"$cpu1"
check "the ring of a CPU that went is readable" "$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu1"
check "the archive with a CPU that went offline is sound" rings_are_sound
check "unload while it is away" rmmod vitrine
echo 1 >"$cpu1"

finish
