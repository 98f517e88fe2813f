#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measure what the recorders of vitrine, trace-cmd and perf add to a context switch, and the
# size of their files, plain and compressed; and the same of vitrine with the switches that
# ftrace records besides. Runs in a guest whose clock counts instructions (selftests/qemu/run
# --icount). Two SCHED_FIFO processes play ping-pong on the only CPU. The recorders run before
# and afterwards, so their buffers have room for everything.
#
# Leaves $OUT/files.tsv: recorder, instructions added, bytes per switch in the file.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit

table=${OUT:-.}/files.tsv
rounds=8000
switches=$((rounds * 2))

# one_round COMMAND...: instructions per switch times 100, the minimum of two runs
one_round()
{
	for _ in 1 2; do
		"$@" "$WORKLOAD" pingpong "$rounds" 2>/tmp/files.err | awk '$1 == "switches" { printf "%d\n", $4 * 100 / $2 }'
	done | sort -n | head -n 1
}

# row NAME FILE COMMAND...: measure a recorder that runs the workload and writes FILE
row()
{
	local name=$1 file=$2 total

	shift 2
	rm -f "$file"
	total=$(one_round "$@")
	if [ -z "$total" ] || [ ! -s "$file" ]; then
		cat /tmp/files.err
		return 1
	fi
	awk -v name="$name" -v total="$total" -v off="$off" -v bytes="$(stat -c %s "$file")" -v n="$switches" \
		'BEGIN { printf "%s\t%.1f\t%.1f\n", name, (total - off) / 100, bytes / n }' >>"$table"
	tail -n 1 "$table" >&2
	rm -f "$file"
}

# vitrine_row NAME FILE OPTION...: nothing may be lost
vitrine_row()
{
	local name=$1 file=$2

	shift 2
	load clock=counter mode=streaming buffer_kb=16384 || return
	row "$name" "$file" vitrine record --no-wakeups -o "$file" "$@" -- && cat /tmp/files.err &&
		grep -q ', 0 lost,' /tmp/files.err
	local status=$?
	unload
	return "$status"
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
: >"$table"
"$WORKLOAD" pingpong 1000 >/dev/null
off=$(one_round env)
if [ "$off" -gt 2000000 ] || [ "$off" -lt 200000 ]; then
	skip "a switch takes $((off / 100)) ns here: not a guest that counts instructions"
fi
event=sched:sched_switch
perf=(perf record -q -a -m 16M -e "$event" -o /tmp/perf.data)
trace_cmd=(trace-cmd record -q -b 16384 -o /tmp/trace.dat -e "$event")
check "vitrine record" vitrine_row "vitrine record" /tmp/trace.fxt
check "compressed" vitrine_row "vitrine record, .fxt.zst" /tmp/trace.fxt.zst
check "vitrine record with an event of ftrace" vitrine_row "vitrine record -e $event" /tmp/trace.fxt -e "$event"
check "compressed" vitrine_row "vitrine record -e $event, .fxt.zst" /tmp/trace.fxt.zst -e "$event"
check "trace-cmd" row "trace-cmd record" /tmp/trace.dat "${trace_cmd[@]}" --compression none
check "compressed" row "trace-cmd record --compression zstd" /tmp/trace.dat "${trace_cmd[@]}" --compression zstd
check "perf" row "perf record" /tmp/perf.data "${perf[@]}" --
check "compressed" row "perf record -z" /tmp/perf.data "${perf[@]}" -z --
finish
