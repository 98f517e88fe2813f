#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Streaming at the highest possible rate: every CPU switches threads all the time, the
# recorder reads every record from rings of 1 MiB, and takes hardly any CPU time. That time
# is measured on one CPU: with several CPUs, which share the clock that counts
# instructions, a process is also charged for instructions of other CPUs.
#
#	streaming.sh [SECONDS]		default 3

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

seconds=${1:-3}
load mode=streaming buffer_kb=1024 || exit

cpu=0
loads=
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu "$WORKLOAD" crowd 8 1000000000 >/dev/null 2>&1 &
	loads+=" $!"
done
TIMEFORMAT="%U %S %R"
{ time vitrine record --no-wakeups -o /tmp/stream.fxt -t "$seconds" 2>/tmp/stream.log; } 2>/tmp/stream.time
status=$?
# shellcheck disable=SC2086	# words
kill $loads
sed 's/^/# /' /tmp/stream.log

# CPU time of the recorder, in hundredths of a percent of all CPUs
share=$(awk -v cpus="$(nproc)" '{ printf "%d", ($1 + $2) / ($3 * cpus) * 10000 }' /tmp/stream.time)
echo "# recorder: $((share / 100)).$(printf %02d $((share % 100))) % of $(nproc) CPUs; user, system, real: $(</tmp/stream.time)"
check "record for $seconds seconds" test $status = 0
check "the rings lost nothing" prints 0 total .lost_records
check "the recorder missed nothing" grep -q ' 0 lost' /tmp/stream.log
check "what was recorded is sound" vitrine check /tmp/stream.fxt
[ "$(nproc)" -gt 1 ] || check "the recorder takes at most 2 % of the time" within_limit 1 "$share" 200
rm -f /tmp/stream.fxt

finish
