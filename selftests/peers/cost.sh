#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measure what each tracer adds to a context switch, in instructions and in bytes. Runs in
# a guest whose clock counts instructions (selftests/qemu/run --icount). Two SCHED_FIFO processes
# play ping-pong on the only CPU. Each tracer is measured against "off" in the same boot;
# the minimum of three rounds counts.
#
# Leaves $OUT/cost.tsv: tracer, instructions added, bytes per switch or "-".

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$VITRINE_SELFTESTS/peers/lib.sh" || exit

tracefs=/sys/kernel/tracing
peers=$VITRINE_SELFTESTS/peers
table=${OUT:-.}/cost.tsv
rounds=6000
turns=3
switches=$((turns * rounds * 2))

# one_round: instructions per switch times 100
one_round()
{
	"$WORKLOAD" pingpong "$rounds" | awk '{ printf "%d\n", $4 * 100 / $2 }'
}

# per_switch: minimum of several rounds
per_switch()
{
	local turn

	for ((turn = 0; turn < turns; turn++)); do
		one_round
	done | sort -n | head -n 1
}

# row TRACER HUNDREDTHS BYTES: print a row of the table
row()
{
	awk -v tracer="$1" -v total="$2" -v off="$off" -v bytes="$3" 'BEGIN {
		printf "%s\t%.1f\t%s\n", tracer, (total - off) / 100, bytes }' | tee -a "$table" | sed 's/^/# /'
}

# ratio A B: A / B, or "-" if B is 0
ratio()
{
	awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { if (b > 0) printf "%.1f", a / b; else print "-" }'
}

measure_floor()
{
	local mode=$1 name=$2

	insmod "${VITRINE_KO%/*}/floor.ko" "mode=$mode" || return
	row "$name" "$(per_switch)" "$3"
	rmmod floor
}

# measure_vitrine NAME CLOCK MODULE-PARAMETER...
measure_vitrine()
{
	local name=$1 clock=$2 total bytes

	shift 2
	load enable=0 clock="$clock" buffer_kb=4096 "$@" || return
	echo 1 >"$TRACE/enable"
	total=$(per_switch)
	echo 0 >"$TRACE/enable"
	bytes=$(value vitrine '[.. | .bytes? // empty] | add')
	row "$name" "$total" "$(ratio "$bytes" "$switches")"
	unload
}

# measure_ftrace NAME CLOCK EVENT...
measure_ftrace()
{
	local name=$1 event total bytes entries

	echo "$2" >"$tracefs/trace_clock"
	shift 2
	echo 16384 >"$tracefs/buffer_size_kb"
	: >"$tracefs/trace"
	for event; do
		echo 1 >"$tracefs/events/sched/$event/enable"
	done
	total=$(per_switch)
	for event; do
		echo 0 >"$tracefs/events/sched/$event/enable"
	done
	bytes=$(awk '/^bytes:/ { print $2 }' "$tracefs/per_cpu/cpu0/stats")
	entries=$(awk '/^entries:/ { print $2 }' "$tracefs/per_cpu/cpu0/stats")
	row "$name" "$total" "$(ratio $((bytes * $#)) "$entries")"
	: >"$tracefs/trace"
	echo 1408 >"$tracefs/buffer_size_kb"
}

# long_round COMMAND...: instructions per switch times 100, for as many switches as all
# rounds have
long_round()
{
	"$@" "$WORKLOAD" pingpong $((rounds * turns)) >/tmp/wrapped.out 2>/tmp/wrapped.err || {
		sed 's/^/# /' /tmp/wrapped.err | tail -n 5 >&2
		return 1
	}
	awk '$1 == "switches" { printf "%d", $4 * 100 / $2 }' /tmp/wrapped.out
}

# measure_wrapped NAME FILE COMMAND...: measure a tracer that runs the workload itself,
# against an equally long workload
measure_wrapped()
{
	local name=$1 file=$2 total off=$off_long

	shift 2
	total=$(long_round "$@") || return
	row "$name" "$total" "$([ -n "$file" ] && ratio "$(stat -c %s "$file")" $switches || echo -)"
	rm -f /tmp/wrapped.* /tmp/trace.dat /tmp/perf.data
}

# The recorder runs when the workload pauses; until then the ring preserves unread
# records.
measure_recorder()
{
	load clock=counter mode=streaming buffer_kb=16384 || return
	measure_wrapped "$1" "" vitrine record --no-wakeups -o /tmp/trace.fxt --
	unload
	rm -f /tmp/trace.fxt
}

measure_bpf()
{
	local total pid

	: >/tmp/bpf.out
	"$peers/bpf_switch" "$peers/switch.bpf.o" 0 >/tmp/bpf.out 2>&1 &
	pid=$!
	until_true grep -q ready /tmp/bpf.out || { sed 's/^/# /' /tmp/bpf.out; return; }
	total=$(per_switch)
	kill $pid
	wait $pid
	row "BPF ring buffer, 32 bytes, no wake-up" "$total" 40
}

# measure_lttng NAME CREATE-OPTION CHANNEL-OPTION: the bytes are counted in the output of
# LTTng's reader, if there is one
measure_lttng()
{
	local total bytes=-

	lttng_begin "$2" --subbuf-size=4M --num-subbuf=4 "$3" || return
	total=$(per_switch)
	quietly lttng stop
	quietly lttng destroy peer
	[ ! -d /tmp/peer ] || bytes=$(ratio "$(cat /tmp/peer/kernel/kernel_[0-9]* | wc -c)" "$switches")
	row "$1" "$total" "$bytes"
	rm -rf /tmp/peer
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
: >"$table"
"$WORKLOAD" pingpong 1000 >/dev/null
off=$(per_switch)
off_long=$(long_round env)
if [ "$off" -gt 2000000 ] || [ "$off" -lt 200000 ]; then
	skip "a switch takes $((off / 100)) ns here: not a guest that counts instructions"
fi
printf 'off\t%d.%02d\t-\n' $((off / 100)) $((off % 100)) >"$table.off"

measure_floor empty "empty probe" -
measure_floor store "floor: probe, counter, two stores" 16
measure_vitrine "vitrine, clock counter" counter
measure_vitrine "vitrine, clock counter, wakeups too" counter events=sched
measure_vitrine "vitrine, clock local" local
measure_recorder "vitrine record, streaming"
measure_bpf
measure_ftrace "ftrace, clock local" local sched_switch
measure_ftrace "ftrace, clock x86-tsc" x86-tsc sched_switch
measure_ftrace "ftrace, clock local, wakeups too" local sched_switch sched_waking
measure_wrapped "trace-cmd record" "" trace-cmd record -q -b 16384 -o /tmp/trace.dat -e sched:sched_switch
measure_wrapped "perf record" /tmp/perf.data perf record -q -a -m 16M -e sched:sched_switch -o /tmp/perf.data --
measure_wrapped "perf record --overwrite" "" perf record -q -a -m 16M --overwrite -e sched:sched_switch -o /tmp/perf.data --
if lttng_is_here && lttng_load; then
	measure_lttng "LTTng, to its reader" --output=/tmp/peer --discard
	measure_lttng "LTTng, for a snapshot" --snapshot --overwrite
fi

ours="vitrine, clock counter"
check "a recorded switch costs at most 75 instructions" within 1 "$(cost_of "$ours")" 75
check "a BPF ring buffer costs four times that" times 4 "BPF ring buffer, 32 bytes, no wake-up" "$ours"
check "ftrace costs fourteen times that" times 14 "ftrace, clock local" "$ours"
check "perf costs twenty times that" times 20 "perf record" "$ours"
finish
