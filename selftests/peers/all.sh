#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measure by how much recording everything slows down a workload. Runs in a guest whose
# clock counts instructions (selftests/qemu/run --icount). Two processes play ping-pong through
# pipes; make -j2 builds a small program in C.
#
# Leaves $OUT/all.tsv: the tracer, and for each workload: the slowdown in percent, events
# in thousands per second without tracing, instructions added per event, and the slowdown in
# percent at 200 000 events per second on a CPU that executes one instruction per
# nanosecond, as here; "-" for tracers that record less.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit

tracefs=/sys/kernel/tracing
table=${OUT:-.}/all.tsv
turns=3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
declare -A off_ns events

command -v make gcc perf strace >/dev/null || skip "no make, gcc, perf or strace: see selftests/peers/bench"

# ---- workloads: scripts that leave the nanoseconds that they took in $dir/ns ----------

# workload NAME COMMAND
workload()
{
	cat >"$dir/$1" <<SCRIPT
#!/bin/bash
begin=\${EPOCHREALTIME/./}
$2
echo \$(((\${EPOCHREALTIME/./} - begin) * 1000)) >$dir/ns
SCRIPT
	chmod +x "$dir/$1"
}

workload pingpong "$WORKLOAD pingpong 12000 >/dev/null"
workload make "make -s -B -j2 -C $dir/program >/dev/null"
mkdir "$dir/program"
for i in 1 2 3 4; do
	printf 'int part%d(int n)\n{\n\tint i, sum = 0;\n\n\tfor (i = 0; i < n; i++)\n\t\tsum += i %% %d;\n\treturn sum;\n}\n' \
		"$i" "$i" >"$dir/program/part$i.c"
done
printf 'int part1(int n);\nint part2(int n);\n\nint main(void)\n{\n\treturn part1(1) + part2(2);\n}\n' >"$dir/program/main.c"
printf 'CFLAGS := -O2\nmain: main.o part1.o part2.o part3.o part4.o\n' >"$dir/program/Makefile"

# least WORKLOAD COMMAND...: minimum time of several runs in nanoseconds; COMMAND runs the
# workload
least()
{
	local name=$1 turn

	shift
	for ((turn = 0; turn < turns; turn++)); do
		rm -f "$dir/ns"
		"$@" "$dir/$name" >"$dir/out" 2>&1
		cat "$dir/ns" || { tail -n 3 "$dir/out" >&2; return 1; }
	done | sort -n | head -n 1
}

# ---- tracers --------------------------------------------------------------------------

# cells NAME NANOSECONDS EVENTS: print the cells of a workload; EVENTS is empty if the
# tracer does not record everything
cells()
{
	awk -v off="${off_ns[$1]}" -v ns="$2" -v events="$3" 'BEGIN {
		printf "\t%.2f", (ns - off) * 100 / off
		if (events)
			printf "\t%.0f\t%.0f\t%.2f", events * 1e6 / off, (ns - off) / events, (ns - off) / events * 0.02
		else
			printf "\t-\t-\t-"
	}'
}

# measure TRACER "all"|"part" COMMAND...: a row of the table
measure()
{
	local tracer=$1 what=$2 name ns row

	shift 2
	row=$tracer
	for name in pingpong make; do
		ns=$(least "$name" "$@") || return
		row+=$(cells "$name" "$ns" "$([ "$what" = part ] || echo "${events[$name]}")")
		sed -n "s/^vitrine: recording took/# $name: recording took/p" "$dir/out"
	done
	echo "$row" | tee -a "$table" | sed 's/^/# all: /'
}

records()
{
	value vitrine '[.root.trace.cpus[].records] | add'
}

# count_events NAME: print the number of records of a workload, and of its surroundings
count_events()
{
	local before

	before=$(records)
	"$dir/$1" >/dev/null 2>&1
	events[$1]=$(($(records) - before))
	before=$(records)
	events[$1]=$((events[$1] - ($(records) - before)))
}

# The events of ftrace that correspond to vitrine's categories, as far as they exist.
ftrace_events=(sched/{sched_switch,sched_waking,sched_wakeup_new,sched_migrate_task}
	sched/sched_process_{fork,exec,exit} irq irq_vectors/{local_timer,reschedule,call_function}_{entry,exit}
	irq_vectors/call_function_single_{entry,exit} raw_syscalls block/block_rq_{issue,complete}
	timer/{timer,hrtimer}_expire_{entry,exit} power/cpu_{idle,frequency} module printk)

# An event of vitrine without a counterpart would make ftrace look cheap.
add_newer_events()
{
	grep -q fault "$TRACE/events" || return
	ftrace_events+=(exceptions/page_fault_{user,kernel})
}

# ftrace_all 0|1
ftrace_all()
{
	local event

	for event in "${ftrace_events[@]}"; do
		[ ! -e "$tracefs/events/$event/enable" ] || echo "$1" >"$tracefs/events/$event/enable"
	done
}

: >"$table"
for name in pingpong make; do
	"$dir/$name" >/dev/null 2>&1	# warms the page cache up
	off_ns[$name]=$(least "$name" env) || exit
done
measure "strace -f -c" part strace -f -c -o /dev/null
measure "perf trace -a" part perf trace -a -o /dev/null --

load clock=counter buffer_kb=16384 events=all || skip "this machine has no usable counter"
add_newer_events
for name in pingpong make; do
	count_events "$name"
done
sed 's/^/# /' "$TRACE/events"
measure "vitrine, +all" all env
echo -all >"$TRACE/events"
measure "vitrine record --all" all vitrine record --all -o "$dir/all.fxt" --
rm -f "$dir/all.fxt"
unload

echo local >"$tracefs/trace_clock"
echo 16384 >"$tracefs/buffer_size_kb"
ftrace_all 1
measure "ftrace, the same events" all env
ftrace_all 0
echo 1408 >"$tracefs/buffer_size_kb"

# cell TRACER NUMBER: print a cell as an integer
cell()
{
	awk -F '\t' -v tracer="$1" -v number="$2" '$1 == tracer { printf "%d", $number + 0.5 }' "$table"
}

# 200 000 events per second slow a CPU down by 1 % if each takes 50 instructions.
check "ping-pong: at most 160 instructions an event" within 1 "$(cell "vitrine, +all" 4)" 160
check "make: at most 1 % slower" awk -F '\t' '$1 == "vitrine, +all" { exit !($6 > 0 && $6 <= 1) }' "$table"
check "ftrace takes three times as many" within $((3 * $(cell "vitrine, +all" 4))) "$(cell "ftrace, the same events" 4)" 100000

finish
