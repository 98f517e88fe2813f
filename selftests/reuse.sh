#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When ids of threads are used again, all CPUs begin a sub-buffer, so that no thread gets the name
# of an earlier one: also if that happens many times within seconds.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit
disruptive "thread ids are used again after a hundred"

pid_max=/proc/sys/kernel/pid_max
most=$(<$pid_max)
trap 'echo "$most" >$pid_max' EXIT

# ids_used_again NR: start threads until the next id was lower than the one before NR times
ids_used_again()
{
	local last=0 again=0 id i

	for ((i = 0; i < 200 * $1 && again < $1; i++)); do
		: &
		id=$!
		wait "$id"
		((id >= last)) || ((++again))
		last=$id
	done
	echo "$again times, with $i threads"
	[ "$again" = "$1" ]
}

# began_for TIMES: each ring began a sub-buffer at least so many times since $before was read
began_for()
{
	[ "$(total .subbuffers)" -ge $((before + $1 * $(nproc))) ]
}

load buffer_kb=8192
set_to enable 1
# Ids below 300 are not used again, so there are a hundred.
echo 400 >$pid_max
before=$(total .subbuffers)
check "ids are used again" ids_used_again 8
check "each time, the CPUs begin a sub-buffer" until_true began_for 8
set_to enable 0
echo "$most" >$pid_max
check "what was recorded is sound" rings_are_sound

finish
