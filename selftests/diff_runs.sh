#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine diff' of recordings of one workload: no difference between two of them, and one if
# a thread waits 5 % longer in the second. For a guest whose clock counts instructions
# (selftests/qemu/run --icount), in which a busy host makes no wait longer.
#
#   diff_runs.sh [TRIES]
#
# By default 3 tries; one in 20 may have it otherwise by chance.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

tries=${1:-3}
sleeps=2000

load buffer_kb=4096
cd /tmp || exit

# run_load FILE SEED PERCENT: record the workload, in which worker-2 waits so much longer. The
# new session has no records of what ran before.
run_load()
{
	echo 4096 >"$TRACE/buffer_kb" &&
		vitrine record -o "$1" -- "$WORKLOAD" workers "$2" "$sleeps" "$3"
}

# changed A B: print the threads whose times differ, and the differences to the log
changed()
{
	vitrine diff "$1" "$2" >&2
	vitrine diff --json "$1" "$2" | jq -r '[.changed[].thread] | unique | join(" ")'
}

differing=0
named=0
for ((try = 1; try <= tries; try++)); do
	check "try $try: record" run_load same.fxt $((3 * try)) 0
	check "try $try: record again" run_load other.fxt $((3 * try + 1)) 0
	check "try $try: record with 5 % more waiting" run_load longer.fxt $((3 * try + 2)) 5
	quiet=$(changed same.fxt other.fxt 2>quiet.log)
	found=$(changed same.fxt longer.fxt 2>found.log)
	echo "# try $try: no difference: '$quiet'; longer: '$found'"
	[ -z "$quiet" ] || { differing=$((differing + 1)); sed 's/^/# /' quiet.log; }
	[[ " $found " != *" worker-2 "* ]] || named=$((named + 1))
done
echo "# $((tries - differing)) of $tries pairs without a difference, worker-2 named in $named of $tries"
check "no difference" within $((tries - (tries + 19) / 20)) $((tries - differing)) "$tries"
check "worker-2 is named" within $((tries - (tries + 19) / 20)) "$named" "$tries"
rm -f ./*.fxt quiet.log found.log

finish
