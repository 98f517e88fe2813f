#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measure what it costs to record why threads waited: with the stacks of long waits in
# vitrine, with perf, and with tools of BPF. Runs in a guest whose clock counts instructions
# (selftests/qemu/run --icount). There are two workloads on the only CPU: two SCHED_FIFO
# processes play ping-pong, and such a process forks and waits for its children. None of their
# waits is long, or one in a hundred, or each. Every tracer is measured against the same
# workload without a tracer ("off") in the same boot; the minimum of five runs counts.
# Real-time threads record no user stacks: selftests/cost.sh measures those.
#
# Leaves $OUT/stacks.tsv: tracer, instructions added to a switch of ping-pong, and to a fork;
# bytes of a stack in ping-pong, or "-". And $OUT/versions: the packages of the others.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$VITRINE_SELFTESTS/peers/lib.sh" || exit

table=${OUT:-.}/stacks.tsv
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
runs=5
# Length of a long wait. A second has fewer than 1000, which is how many vitrine records.
long_us=1100
# The settings of trace/stacks that select long waits, and no waits.
long_waits=blocked_us=800
no_waits=blocked_us=3600000000
# By workload and by how many waits are long: instructions per switch or fork without a tracer,
# times 100; and the rounds or forks of a run.
declare -A off rounds=(
	[pingpong none]=6000 [pingpong some]=3000 [pingpong all]=150
	[forks none]=900 [forks some]=900 [forks all]=150
)
# One wait in so many is long.
declare -A nth=([some]=100 [all]=1)
# A kernel function in which a thread waits, and one that wakes it up.
declare -A waits_in=([pingpong]=pipe_read [forks]=do_wait)
declare -A woken_in=([pingpong]=pipe_write [forks]=do_exit)

command -v perf offcputime wakeuptime offwaketime-bpfcc >/dev/null ||
	skip "no perf, or no tools of BPF: see selftests/peers/bench"

# nr_waits LOAD LONG: print the number of waits of all runs
nr_waits()
{
	local waits=${rounds[$1 $2]}

	[ "$1" = forks ] || waits=$((waits * 2))
	echo $((waits * runs))
}

# least LOAD LONG COMMAND...: print the instructions per switch or fork times 100, the minimum
# of several runs; COMMAND runs the workload
least()
{
	local load=$1 long=$2 arguments=("$1" "${rounds[$1 $2]}") run

	shift 2
	[ "$load" = forks ] || arguments+=(0)
	[ "$long" = none ] || arguments+=("${nth[$long]}" "$long_us")
	: >"$dir/runs"
	for ((run = 0; run < runs; run++)); do
		"$@" "$WORKLOAD" "${arguments[@]}" >"$dir/out" 2>"$dir/err" || {
			cat "$dir/out" "$dir/err" >&2
			return 1
		}
		awk '/^(switches|forks) / { printf "%d\n", $4 * 100 / $2 }' "$dir/out" >>"$dir/runs"
	done
	sort -n "$dir/runs" | head -n 1
}

# added LOAD LONG TOTAL: print a cell of the table
added()
{
	awk -v total="$3" -v off="${off[$1 $2]}" 'BEGIN { printf "\t%.1f", (total - off) / 100 }'
}

# ---- vitrine --------------------------------------------------------------------------

# stat NAME: print a counter of the tree "vitrine"
stat()
{
	value vitrine ".root.trace.stacks.$1"
}

# Nothing may be lost.
vitrine_runs()
{
	vitrine record -o "$dir/trace.fxt" -- "$@" && grep -q ', 0 lost,' "$dir/err"
}

# has_recorded LOAD LONG SETTINGS: all switches and wakeups were recorded, and the stacks that
# SETTINGS select; a few other threads wait for long, too
has_recorded()
{
	local waits stacks=0

	waits=$(nr_waits "$1" "$2")
	[ "$3" != $long_waits ] || stacks=$((waits / nth[$2]))
	echo "$1: $waits waits, $stacks of them long; $(stat blocked) stacks"
	within $((waits * 2)) "$(value vitrine '[.root.trace.cpus[].records] | add')" 100000000 &&
		within "$stacks" "$(stat blocked)" $((stacks ? stacks + 50 : 0)) &&
		[ "$(stat left_out)" = 0 ]
}

# measure_vitrine LOAD LONG SETTINGS: print a cell, with SETTINGS in trace/stacks; write the
# bytes of all records to $dir/bytes.LOAD.LONG, and those of a stack to $dir/stack.LOAD
measure_vitrine()
{
	local total bytes without=$dir/bytes.$1.$2

	unload
	load clock=counter mode=streaming buffer_kb=16384 || return
	echo "$3" >"$TRACE/stacks"
	total=$(least "$1" "$2" vitrine_runs) && has_recorded "$@" >&2 || return
	bytes=$(value vitrine '[.. | .bytes? // empty] | add')
	if [ "$3" = "$no_waits" ]; then
		echo "$bytes" >"$without"
	elif [ "$3" != none ]; then
		echo $(((bytes - $(<"$without")) / $(stat blocked))) >"$dir/stack.$1"
	fi
	unload
	added "$1" "$2" "$total"
}

# vitrine_row NAME LONG SETTINGS
vitrine_row()
{
	local load row=$1

	echo - >"$dir/stack.pingpong"
	for load in pingpong forks; do
		row+=$(measure_vitrine "$load" "$2" "$3") || return
	done
	printf '%s\t%s\n' "$row" "$(<"$dir/stack.pingpong")" >>"$table"
}

# ---- others ---------------------------------------------------------------------------

# peer_row NAME PEER COMMAND...: COMMAND runs the workload, and PEER_recorded LOAD tells whether
# PEER has recorded it
peer_row()
{
	local load total row=$1

	for load in pingpong forks; do
		total=$(least "$load" none "${@:3}") && "$2_recorded" "$load" || return
		row+=$(added "$load" none "$total")
	done
	printf '%s\t-\n' "$row" >>"$table"
}

# nr_samples EVENT: print the number of events in $dir/stats
nr_samples()
{
	awk -v event="$1" '
		/ stats:$/ { in_event = $1 == event }
		in_event && $1 == "SAMPLE" { print $3 }' "$dir/stats"
}

perf_sched_recorded()
{
	perf report --stats -i "$dir/perf.data" >"$dir/stats" 2>&1
	cat "$dir/stats"
	! grep -q LOST "$dir/stats" &&
		within $(($(nr_waits "$1" none) / runs)) "$(nr_samples sched:sched_switch)" 100000000 &&
		perf script -i "$dir/perf.data" 2>/dev/null | grep -q "${waits_in[$1]}+"
}

perf_trace_recorded()
{
	local calls

	grep -i lost "$dir/summary" && return 1
	calls=$(awk '$1 == "read" || $1 == "wait4" { sum += $2 } END { print sum + 0 }' "$dir/summary")
	within $(($(nr_waits "$1" none) / runs)) "$calls" 100000000
}

# are_attached PID NUMBER: the process has attached that many programs of BPF, to links or to
# events of perf
are_attached()
{
	[ "$(grep -ls link_type "/proc/$1/fdinfo"/* | wc -l)" -ge "$2" ] ||
		[ "$(find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' | wc -l)" -ge "$2" ]
}

# bpf_runs TOOL NUMBER COMMAND...: the tool has that many programs. It runs until a signal, and
# reports then
bpf_runs()
{
	local tool=$1 number=$2 pid status

	shift 2
	# Python ignores the signal if the shell does.
	env --default-signal=INT "$tool" >"$dir/report" 2>&1 &
	pid=$!
	until_true are_attached "$pid" "$number" || { kill "$pid"; return 1; }
	"$@"
	status=$?
	kill -INT "$pid"
	wait "$pid"
	return "$status"
}

# reported FUNCTION WORDS: one of the stacks that were reported has FUNCTION, and WORDS
reported()
{
	tail -n 30 "$dir/report"
	awk -v function_name="$1" -v words="$2" -v RS= \
		'index($0, function_name) && index($0, words) { found = 1 } END { exit !found }' "$dir/report"
}

offcputime_recorded()
{
	reported "${waits_in[$1]}" "workload ("
}

wakeuptime_recorded()
{
	reported "${woken_in[$1]}" "waker: workload"
}

# offwaketime is compiled when it starts, with the headers in Debian's package of the kernel.
find_headers()
{
	local release

	release=$(uname -r)
	mount -t tmpfs none /lib/modules && mkdir "/lib/modules/$release" &&
		ln -s "/usr/src/linux-headers-$release" "/lib/modules/$release/build" &&
		ln -s "/usr/src/linux-headers-${release%-*}-common" "/lib/modules/$release/source"
}

offwaketime_recorded()
{
	reported "${waits_in[$1]}" "target:          workload" && reported "${woken_in[$1]}" "target:          workload"
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
# The number of page tables that a fork copies depends on the addresses of the process.
echo 0 >/proc/sys/kernel/randomize_va_space
: >"$table"
dpkg-query -W -f '${Package} ${Version}\n' linux-perf libbpf-tools bpfcc-tools >"${OUT:-.}/versions" || exit
for load in pingpong forks; do
	least "$load" some env >/dev/null	# warms up
	for long in none some all; do
		off[$load $long]=$(least "$load" "$long" env) || exit
		echo "# off: $load, $long: $(paste -sd ' ' "$dir/runs")"
	done
done
switch=${off[pingpong none]}
if [ "$switch" -gt 2000000 ] || [ "$switch" -lt 200000 ]; then
	skip "a switch takes $((switch / 100)) ns here: not a guest that counts instructions"
fi
for load in pingpong forks; do
	for long in some all; do
		check "$load, without stacks" measure_vitrine "$load" "$long" $no_waits
	done
done
check "switches and wakeups" vitrine_row "vitrine record" none none
check "stacks, no wait is long" vitrine_row "vitrine record, no wait is long" none $no_waits
check "stacks of some waits" vitrine_row "vitrine record, 1 % are long" some $long_waits
check "stacks of all waits" vitrine_row "vitrine record, all are long" all $long_waits
check "perf sched" peer_row "perf sched record -g" perf_sched \
	perf sched record -g -m 64M -o "$dir/perf.data"
check "perf trace" peer_row "perf trace -s" perf_trace perf trace -a -s -m 16M -o "$dir/summary"
check "offcputime" peer_row offcputime offcputime bpf_runs offcputime 1
check "wakeuptime" peer_row wakeuptime wakeuptime bpf_runs wakeuptime 2
check "the headers of the kernel" find_headers
check "offwaketime" peer_row offwaketime offwaketime bpf_runs offwaketime-bpfcc 2

check "offcputime costs twenty times as much as the stacks of a few waits" \
	times 20 offcputime "vitrine record, 1 % are long"
sed 's/^/# /' "$table"
finish
