#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every context switch is recorded, in order, with names: SWITCHES of them without a gap, as
# many as /proc/stat counts, and the same as ftrace records.
#
#   sched_switch.sh [SWITCHES]	default: 100000; at most 1000000

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

# An instance of its own, so that the buffer of the machine stays as it is.
ftrace=/sys/kernel/tracing/instances/vitrine_test

many=${1:-100000}
# All switches fit, so that none is lost even if the recorder gets no CPU until the end.
load buffer_kb=$((many > 100000 ? 32768 : 4096))

# ---- many switches ----------------------------------------------------------

check "record $many switches" \
	vitrine record --no-wakeups -o /tmp/many.fxt -- "$WORKLOAD" crowd 40 $((many * 56 / 100))
check "sound: chained, ordered, named" vitrine check /tmp/many.fxt
vitrine check /tmp/many.fxt | tee /tmp/many.check | sed 's/^/# /'
switches=$(number switches /tmp/many.check)
check "$many or more" test "${switches:-0}" -ge "$many"
check "nothing lost" prints 0 number "records lost" /tmp/many.check
bytes=$(stat -c %s /tmp/many.fxt)
echo "# $bytes bytes, $((bytes * 100 / switches))/100 a switch"
check "at most 20 bytes a switch, everything counted" test $((bytes)) -le $((switches * 20))

# ---- names ------------------------------------------------------------------

# The first ones contain all names. In a slow guest, sed would take a minute.
vitrine print /tmp/many.fxt | head -n 40000 | perl -ne '
	/ switch +(.*?):(\d+)\/(\d+) \[(\d+)\] [a-z]+ ==> / or next;
	$seen{$thread = "$2 $3 $4 $1\n"}++ or print $thread' >/tmp/threads
check "idle has priority 0, and nobody else" \
	perl -ne '($tid, $pid, $prio) = split; die $_ if !$tid != !$prio; $idle++ if !$tid; END { exit !$idle }' /tmp/threads
check "kernel threads are under kthreadd" \
	grep -qE '^[0-9]+ 2 [0-9]+ (rcu|ksoftirqd|kworker|migration)' /tmp/threads
check "all 40 threads of the workload, in one process" \
	test "$(sed -nE 's/^[0-9]+ ([0-9]+) [0-9]+ (crowd-[0-9]+)$/\2 \1/p' /tmp/threads | sort -u | wc -l)" = 40
rm /tmp/many.fxt

# ---- /proc/stat -------------------------------------------------------------

sample before .records
"$WORKLOAD" crowd 20 20000 >/dev/null
sample after .records
check "as many as /proc/stat counts, to the edges" each_is_counted 0

# ---- ftrace -----------------------------------------------------------------

set_to enable 0
mkdir "$ftrace"
echo 32768 >"$ftrace/buffer_size_kb"
set_to buffer_kb 4096
echo 1 >"$ftrace/events/sched/sched_switch/enable"
set_to enable 1
on_each_cpu "$WORKLOAD" crowd 20 3000
set_to enable 0
echo 0 >"$ftrace/events/sched/sched_switch/enable"
cp "$TRACE/trace.fxt" /tmp/ours.fxt
perl -ne 'print "$1 $2>$3\n" if / \[0*(\d+)\] .*? sched_switch: .*?prev_pid=(\d+) .*?==> .*?next_pid=(\d+) /' \
	"$ftrace/trace" >/tmp/theirs
rmdir "$ftrace"
vitrine print /tmp/ours.fxt | perl -ne '
	$thread = qr/:(\d+)\/\d+ \[\d+\]/;
	print "$1 $2>$3\n" if / \[0*(\d+)\] switch .*?$thread [a-z]+ ==> .*?$thread$/' >/tmp/ours

# row FILE CPU: print the switches of a CPU in one line
row()
{
	sed -n "s/^$2 //p" "$1" | sed '1s/^/ /' | tr '\n' ' '
}

# On each CPU our switches are a part of ftrace's, except for the records that open and
# close the row of the CPU.
same_as_ftrace()
{
	local cpu nr

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		row /tmp/ours $cpu | sed 's/^ 0>[0-9]*//; s/ [0-9>]* $/ /' >/tmp/our_row
		nr=$(wc -w </tmp/our_row)
		echo "CPU $cpu: $nr of ours, $(row /tmp/theirs $cpu | wc -w) of theirs"
		[ "$nr" -ge 1000 ] && row /tmp/theirs $cpu | grep -qFf /tmp/our_row || return
	done
}

check "the same sequence that ftrace sees" same_as_ftrace
same_as_ftrace | sed 's/^/# /'
check "ftrace sees no function of the module" \
	fails grep -m 5 -F '[vitrine]' /sys/kernel/tracing/available_filter_functions

finish
