#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measure how many records each tracer loses with its reader attached, while forty threads
# switch as fast as two CPUs permit, with buffers of 1 MiB per CPU. The recordings are kept,
# so that the host can measure decoders with them. The guest need not count instructions.
#
# Leaves in $OUT: loss.tsv (tracer, number of switches, number of lost records), load.fxt,
# load.dat, load.perf and, if LTTng's modules are available, load.lttng.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$VITRINE_SELFTESTS/peers/lib.sh" || exit

peers=$VITRINE_SELFTESTS/peers
out=${OUT:-.}
hops=${1:-300000}

# switches FILE: number of switches that the workload made
switches()
{
	awk '$1 == "switches" { print $2 }' "$1"
}

# row TRACER LOST
row()
{
	printf '%s\t%s\t%s\n' "$1" "$(switches /tmp/load.out)" "$2" | tee -a "$out/loss.tsv" | sed 's/^/# /'
}

# lttng_lost: number of discarded events according to the session
lttng_lost()
{
	lttng list peer | awk '/Discarded events:/ { lost += $3 } END { print lost + 0 }'
}

: >"$out/loss.tsv"
load clock=counter buffer_kb=1024 || skip "this machine has no usable counter"
vitrine record --no-wakeups -o "$out/load.fxt" -- "$WORKLOAD" crowd 40 "$hops" >/tmp/load.out 2>/tmp/load.err
row "vitrine record" "$(sed -n 's/.* bytes, \([0-9]*\) lost.*/\1/p' /tmp/load.err | tail -n 1)"
unload

trace-cmd record -q -b 1024 -o "$out/load.dat" -e sched:sched_switch "$WORKLOAD" crowd 40 "$hops" >/tmp/load.out 2>/dev/null
row "trace-cmd record" "$(trace-cmd report --stat -i "$out/load.dat" 2>/dev/null |
	awk '/^(overrun|dropped events|commit overrun):/ { lost += $NF } END { print lost + 0 }')"

perf record -q -a -m 1M -e sched:sched_switch -o "$out/load.perf" -- "$WORKLOAD" crowd 40 "$hops" >/tmp/load.out 2>/dev/null
row "perf record" "$(perf report --stats -i "$out/load.perf" 2>/dev/null |
	awk '/LOST_SAMPLES events/ { lost += $3 } / LOST events/ { lost += $3 } END { print lost + 0 }')"

"$peers/bpf_switch" "$peers/switch.bpf.o" 1 >/tmp/bpf.out &
pid=$!
"$WORKLOAD" crowd 40 "$hops" >/tmp/load.out
kill $pid
wait $pid
row "BPF ring buffer" "$(awk '$1 == "records" { print $6 }' /tmp/bpf.out)"

if lttng_is_here; then
	check "LTTng's modules" lttng_load
	check "LTTng records" lttng_begin --output="$out/load.lttng" --subbuf-size=256k --num-subbuf=4
	"$WORKLOAD" crowd 40 "$hops" >/tmp/load.out
	lttng stop peer >/dev/null
	row "LTTng" "$(lttng_lost)"
	lttng destroy peer >/dev/null
fi

check "vitrine lost nothing" grep -qP '^vitrine record\t[0-9]+\t0$' "$out/loss.tsv"
check "what it wrote has no fault" vitrine check "$out/load.fxt"
finish
