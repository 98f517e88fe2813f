#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cost of events, in instructions and in bytes of the trace, including names and
# headers of sub-buffers. Runs in a guest whose clock counts instructions
# (selftests/qemu/run --icount). The module bench measures its own events, the module fire
# the probes of the kernel's tracepoints; for system calls it is the time that a loop of
# getppid() takes longer. This script checks the limits.
#
# Leaves $OUT/cost_events.tsv: event, instructions, limit, bytes, limit, instructions of
# ftrace for the same. Markers are calls of the library, without what write() itself takes.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit
disruptive "real-time threads may use all the time of the CPUs"

times=20	# that the module bench measures each event
calls=1400	# that it makes for it
nr_calls=20000	# of getppid() or of the library, three times

# Limits for 6.12 on x86. On newer kernels a call, a return, and disabling and enabling
# interrupts take more instructions. On arm64 the kernel has no static calls of the two
# probes of a system call, and masking the arguments takes an instruction more each.
slack=0
call=220	# limit of a system call
args=460	# limit of one with its arguments
marker=400	# limit of a marker, without write()
case ${VITRINE_KERNEL:-} in
newest)
	slack=16
	args=540 ;;
*-arm64)
	slack=3
	call=295
	args=520
	marker=410 ;;
esac
tracing=/sys/kernel/tracing
table=${OUT:-.}/cost_events.tsv

# bytes_recorded: bytes on all CPUs since recording began
bytes_recorded()
{
	value vitrine '[.. | .bytes? // empty] | add'
}

# measure MODULE EVENT: set $cost to the instructions per event, times 100, and $bytes to
# the bytes per event
measure()
{
	local before i

	dmesg -C
	before=$(bytes_recorded)
	for ((i = 0; i < times; i++)); do
		echo "$2" >"/sys/module/$1/parameters/event" || return
	done
	bytes=$(($(bytes_recorded) - before))
	cost=$(dmesg | sed -n "s/^.*$1: $2 \([0-9]*\)\.\([0-9]*\)$/\1\2/p" | sort -n | head -n 1)
	[ -n "$cost" ]
}

# costs EVENT INSTRUCTIONS BYTES: EVENT costs at most that much
costs()
{
	local cost=0 bytes=0

	measure bench "$1" || { echo "no figure for $1"; return 1; }
	judge "$1" "$cost" "$2" "$bytes" "$3" $((times * calls))
}

# switch_ftrace 1|0 SYSTEM/EVENT...: switch events of ftrace on or off
switch_ftrace()
{
	local event

	for event in "${@:2}"; do
		echo "$1" >"$tracing/events/$event/enable" || return
	done
}

# source_costs ROW INSTRUCTIONS BYTES SYSTEM/EVENT...: a row of the module fire, in the
# category at its beginning, costs at most that much; ftrace records SYSTEM/EVENT...
source_costs()
{
	local cost=0 bytes=0 ftrace

	switch_ftrace 1 "${@:4}"
	measure fire "$1" || { echo "no figure for $1 in ftrace"; return 1; }
	switch_ftrace 0 "${@:4}"
	ftrace=$cost
	set_to events "+${1%%_*}" || return
	measure fire "$1" || { echo "no figure for $1"; return 1; }
	set_to events "-${1%%_*}"
	judge "$1" "$cost" "$2" "$bytes" "$3" $((times * calls)) "$ftrace"
}

# all_have_figures: the table has a row for each category of which this kernel has events
all_have_figures()
{
	local category

	value vitrine '.root.missing.events // {} | keys[]' >/tmp/missing
	sed 's/^[-+]//; s/:.*//' "$TRACE/events" | grep -vxF -e bench -f /tmp/missing >/tmp/categories
	while read -r category; do
		if ! grep -qE "^${category}[_[:space:]]" "$table"; then
			echo "no figure for $category"
			return 1
		fi
	done </tmp/categories
}

# rows_of_processor: print the rows of tracepoints that only some processors have
rows_of_processor()
{
	case $(uname -m) in
	x86_64)
		cat <<-END
			irq_timer 200 32 irq_vectors/local_timer_entry irq_vectors/local_timer_exit
			ipi 200 32 irq_vectors/reschedule_entry irq_vectors/reschedule_exit
			fault_user 200 33 exceptions/page_fault_user
			fault_kernel 200 33 exceptions/page_fault_kernel
		END
		;;
	aarch64)
		# Where the name of the reason is in the table of strings differs in each boot.
		echo ipi 220 32 ipi/ipi_entry ipi/ipi_exit ;;
	esac
}

# judge EVENT HUNDREDTHS INSTRUCTIONS BYTES BYTES-EACH CALLS [HUNDREDTHS]: write and check
# a row of the table; the last argument is the cost of ftrace
judge()
{
	local most=$(($3 + slack))

	awk -v event="$1" -v cost="$2" -v most="$most" -v bytes="$4" -v most_bytes="$5" -v calls="$6" \
		-v ftrace="${7:-0}" '
		BEGIN {
			printf "%s\t%.1f\t%d\t%.1f\t%d\t%s\n", event, cost / 100, most, bytes / calls, most_bytes,
				ftrace ? sprintf("%.1f", ftrace / 100) : "-"
		}' | tee -a "$table"
	within_limit 1001 "$2" $((most * 100)) && within_limit 1 "$4" $(($5 * $6 * 104 / 100)) "$6"
}

# in_ftrace: instructions that ftrace adds to a system call, times 100
in_ftrace()
{
	local off

	off=$(least 3 "$WORKLOAD" calls "$nr_calls")
	switch_ftrace 1 raw_syscalls/sys_enter raw_syscalls/sys_exit
	echo $(($(least 3 "$WORKLOAD" calls "$nr_calls") - off))
	switch_ftrace 0 raw_syscalls/sys_enter raw_syscalls/sys_exit
}

# calls_cost ROW CALLS WORD INSTRUCTIONS BYTES: enter and exit of a system call, switched
# on by WORD, cost at most that much
calls_cost()
{
	local off on before bytes

	off=$(least 3 "$WORKLOAD" "$2" "$nr_calls")
	before=$(bytes_recorded)
	set_to events "$3"
	on=$(least 3 "$WORKLOAD" "$2" "$nr_calls")
	set_to events -syscall
	bytes=$(($(bytes_recorded) - before))
	# The kernel calls two probes, with code of its own.
	judge "$1" $((on - off)) $(($4 + 2 * slack)) "$bytes" "$5" $((3 * nr_calls)) "$ftrace"
}

# marker_costs KIND INSTRUCTIONS BYTES: a call of vitrine_marker_KIND() costs at most that
# much more than a write() to /dev/null; ftrace gets the same bytes
marker_costs()
{
	local program=${VITRINE_SELFTESTS:-.}/marker write before cost ftrace

	write=$(least 3 "$program" cost null "$nr_calls")
	ftrace=$(least 3 "$program" cost "$1" "$nr_calls" "$tracing/trace_marker")
	before=$(bytes_recorded)
	cost=$(least 3 "$program" cost "$1" "$nr_calls")
	echo "with write(), which takes $write hundredths: $cost"
	# The program warms up with 100 calls.
	judge "marker_$1" $((cost - write)) "$2" $(($(bytes_recorded) - before)) "$3" \
		$((3 * (nr_calls + 100))) $((ftrace - write))
}

: >"$table"
load enable=0 clock=counter buffer_kb=4096 || skip "this machine has no usable counter"
insmod "$VITRINE_MODULES/bench.ko" wait=1 || exit
set_to events +bench
set_to enable 1

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
"$WORKLOAD" calls 1000 >/dev/null
ftrace=$(in_ftrace)
check "a system call" calls_cost syscall calls +syscall $call 40
check "a system call with three arguments" calls_cost syscall_args seeks +syscall:args $args 72
check "an instant" costs instant 80 16
check "an instant with a number" costs instant_u32 90 24
check "an instant with three arguments" costs instant_3 130 48
check "a begin and an end" costs begin_end 160 32
check "a counter" costs counter 95 40
check "a complete duration" costs complete 100 24
check "an instant with a text of 16 bytes" costs text 160 48

echo 4096 >"$tracing/buffer_size_kb"
check "a marker: instant" marker_costs instant $marker 32
check "a marker: begin" marker_costs begin $marker 32
check "a marker: end" marker_costs end $marker 16
check "a marker: counter" marker_costs counter $marker 56

set_to events -bench
insmod "$VITRINE_MODULES/fire.ko" || exit
# Begin and end of a pair are two calls, with code of the kernel's own.
while read -r row instructions bytes events; do
	# shellcheck disable=SC2086
	check "$row" source_costs "$row" $((instructions + slack)) "$bytes" $events
done <<END
irq_handler 200 32 irq/irq_handler_entry irq/irq_handler_exit
irq_softirq 200 32 irq/softirq_entry irq/softirq_exit
timer_list 200 32 timer/timer_expire_entry timer/timer_expire_exit
timer_hrtimer 200 32 timer/hrtimer_expire_entry timer/hrtimer_expire_exit
block_issue 300 64 block/block_rq_issue
block_complete 200 40 block/block_rq_complete
power_sleep 200 40 power/cpu_idle
power_frequency 200 32 power/cpu_frequency
module 200 32 module/module_load
printk 200 48 printk/console
sched_wakeup 60 24 sched/sched_waking
sched_wakeup_irq 150 24 sched/sched_waking
sched_migrate 200 56 sched/sched_migrate_task
sched_fork 300 64 sched/sched_process_fork
$(rows_of_processor)
END
check "each category has a figure" all_have_figures
sed 's/^/# event: /' "$table"
rmmod fire bench

finish
