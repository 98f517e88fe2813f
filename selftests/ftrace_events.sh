#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Events of ftrace in a recording: tracepoints, a kprobe, a uprobe, our switches and a marker
# in one file, in order and on one clock; filters; loss; errors; and that nothing is left
# behind, whatever ends the recorder.
#
#   ftrace_events.sh [MOMENTS]
#
# The recorder is killed at so many random moments, 5 by default.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

moments=${1:-5}
tracefs=/sys/kernel/tracing
for file in instances kprobe_events uprobe_events events/syscalls; do
	[ -e "$tracefs/$file" ] || skip "this kernel has no $file in tracefs"
done
reader=$(dirname "$(command -v vitrine)")/read-tracefs
[ -x "$reader" ] || skip "read-tracefs was not built"
libc=$(ldd "$(command -v rm)" | awk '$1 ~ /^libc\.so/ { print $3 }')

# left: print what recordings have left in tracefs
left()
{
	ls "$tracefs/instances"
	grep -h vitrine_ "$tracefs/kprobe_events" "$tracefs/uprobe_events"
}

clean()
{
	fails grep . <(left)
}

load
for clock in $(tr -d '[]' <"$TRACE/clock"); do
	set_to clock "$clock"

	# The program that removes a file does everything in a known order.
	one_file()
	{
		touch /tmp/victim
		vitrine record -o /tmp/one.fxt -e sched:sched_process_exec \
			-e 'syscalls:sys_*_unlinkat' -e kprobe:vfs_unlink -e "uprobe:$libc:setlocale" \
			-- sh -c 'echo begin >"$0"; rm /tmp/victim; echo end >"$0"' "$TRACE/marker" &&
		vitrine check /tmp/one.fxt &&
		vitrine print --all --json /tmp/one.fxt >/tmp/one.json
	}
	check "clock $clock: switches, tracepoints, probes and a marker" one_file

	# removals: print what rm, its only name, did, in order of time
	removals()
	{
		jq -r 'select(.category and .thread) | [.category, .name] | join(":")' /tmp/one.json |
			awk '/^marker:begin/ { on = 1 } on && !($0 in seen) { seen[$0] = 1; print }
			     /^marker:end/ { on = 0 }' |
			grep -E '^(marker|sched:sched_process_exec|syscalls|kprobe|uprobe)'
	}

	in_order()
	{
		diff - <(removals) <<-END
			marker:begin
			sched:sched_process_exec
			uprobe:setlocale
			syscalls:sys_enter_unlinkat
			kprobe:vfs_unlink
			syscalls:sys_exit_unlinkat
			marker:end
		END
	}
	check "clock $clock: in order" in_order

	check "clock $clock: nothing is left" clean
done

# ---- the times of ftrace ----------------------------------------------------

# What the reader makes of an instance, beside what ftrace itself prints of it.
same_times()
{
	mkdir "$tracefs/instances/times" &&
	echo mono >"$tracefs/instances/times/trace_clock" &&
	echo 1 >"$tracefs/instances/times/events/sched/sched_process_exec/enable" || return
	repeat 8 /bin/true
	echo 0 >"$tracefs/instances/times/tracing_on"
	sed -nE 's/^.* ([0-9]+)\.([0-9]+): sched_process_exec: .*pid=([0-9]+) .*/\3 \1\2/p' \
		"$tracefs/instances/times/trace" | sort >/tmp/ftrace.txt
	printf '2 1000000000 1 0\nsched:sched_process_exec\n\n' |
		"$reader" "$tracefs/instances/times" 3>&2 | cat >/tmp/times.fxt
	vitrine check /tmp/times.fxt || return
	vitrine print --all --json /tmp/times.fxt |
		jq -r 'select(.name == "sched_process_exec") | "\(.args.pid) \(.time_ns)"' | sort >/tmp/ours.txt
	join /tmp/ftrace.txt /tmp/ours.txt | awk '
		{ off = $3 / 1000 - $2; print; if (off > 1 || off < -1) bad = 1 }
		END { exit bad || NR != 8 }'
}

check "the times that ftrace prints" same_times
rmdir "$tracefs/instances/times"

# ---- filters and names --------------------------------------------------------

filtered()
{
	vitrine record -o /tmp/some.fxt -e sched:sched_process_exec --filter 'filename ~ "*true"' \
		-e sched:sched_process_exit -- sh -c '/bin/true; /bin/false; :' &&
	vitrine print /tmp/some.fxt | grep -o 'sched_process_exec .*' >/tmp/some.txt
	cat /tmp/some.txt
	grep -q true /tmp/some.txt && ! grep -q false /tmp/some.txt &&
	vitrine print /tmp/some.fxt | grep sched_process_exit | grep -q false
}

check "a filter applies to one event" filtered
listed()
{
	vitrine list --events >/tmp/list &&
	grep -qx 'sched:sched_switch' /tmp/list && grep -q '^irq  *interrupt handlers' /tmp/list &&
	[ "$(vitrine list --events 'block:block_rq_*' | grep -vc '^block:block_rq_')" = 0 ]
}
check "the list of events" listed

# ---- loss -----------------------------------------------------------------------

# While the reader is stopped, ftrace overwrites events.
lossy()
{
	local said lost

	vitrine record -o /tmp/lossy.fxt -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -- sh -c '
		kill -STOP $(pidof read-tracefs)
		dd if=/dev/zero of=/dev/null bs=1 count=40000 2>/dev/null
		kill -CONT $(pidof read-tracefs)' 2>/tmp/lossy.txt || return
	cat /tmp/lossy.txt
	said=$(number lost /tmp/lossy.txt)
	lost=$(number "records lost" <(vitrine check /tmp/lossy.fxt))
	echo "said $said, check $lost"
	[ "$said" -gt 0 ] && [ "$said" = "$lost" ] &&
	vitrine print --all /tmp/lossy.fxt | grep -m 1 'tracefs:drop_stats.*num_records='
}

check "loss is counted, and shown where it is" lossy

# What the reader makes of an instance in which events were overwritten, beside the number
# that the kernel has counted. With each page the kernel tells the number only if there is
# room for it, and these events fill their pages.
exactly()
{
	local lost overwritten

	mkdir "$tracefs/instances/lossy" && echo 64 >"$tracefs/instances/lossy/buffer_size_kb" &&
	echo 1 >"$tracefs/instances/lossy/events/raw_syscalls/sys_enter/enable" || return
	on_each_cpu dd if=/dev/zero of=/dev/null bs=1 count=4000 2>/dev/null
	echo 0 >"$tracefs/instances/lossy/tracing_on"
	overwritten=$(cat "$tracefs"/instances/lossy/per_cpu/cpu*/stats | awk '/^overrun:/ { n += $2 } END { print n }')
	printf '2 1000000000 1 0\nraw_syscalls:sys_enter\n\n' |
		"$reader" "$tracefs/instances/lossy" 3>&2 | cat >/tmp/exact.fxt
	rmdir "$tracefs/instances/lossy"
	lost=$(number "records lost" <(vitrine check /tmp/exact.fxt))
	echo "lost $lost, overwritten $overwritten"
	[ "$overwritten" -gt 1000 ] && [ "$lost" = "$overwritten" ]
}

check "loss is what the kernel has counted" exactly
check "nothing is left after loss" clean

# ---- what ends the recorder -------------------------------------------------------

# begin [OPTION...]: start a recorder with a probe of each kind
begin()
{
	vitrine record -o /tmp/killed.fxt -e kprobe:vfs_unlink -e "uprobe:$libc:setlocale" \
		-e sched:sched_switch "$@" 2>/dev/null &
	recorder=$!
}

reached()
{
	case $1 in
	instance)	[ -d "$tracefs/instances/vitrine_$recorder" ] ;;
	kprobe)		grep -q "vitrine_$recorder" "$tracefs/kprobe_events" ;;
	uprobe)		grep -q "vitrine_$recorder" "$tracefs/uprobe_events" ;;
	reader)		pgrep -x read-tracefs >/dev/null ;;
	recording)	[ "$(cat "$tracefs/instances/vitrine_$recorder/tracing_on" 2>/dev/null)" = 1 ] ;;
	esac
}

# Settings that vitrine record changes
settings()
{
	cat "$TRACE/events" "$TRACE/stacks" "$TRACE/trigger"
}
settings >/tmp/settings

unchanged()
{
	clean && diff /tmp/settings <(settings)
}

# next_is_clean: another recording, after which nothing is left
next_is_clean()
{
	vitrine record -o /tmp/next.fxt -- true && unchanged
}

# ended_by SIGNAL MOMENT COMMAND: a recorder gets SIGNAL at MOMENT, then COMMAND is true
ended_by()
{
	begin --why --until marker:never
	until_true reached "$2" && kill -"$1" "$recorder" || return
	wait "$recorder"
	until_true "$3"
}

# Before there is a process that cleans up, the next recorder does it.
for moment in instance kprobe uprobe reader; do
	check "SIGKILL, moment: $moment" ended_by KILL $moment next_is_clean
done
# killed_anywhere: a recorder gets SIGKILL at MOMENTS random moments; the next one cleans up
killed_anywhere()
{
	local begin_us i since=${EPOCHREALTIME/./}

	begin --why --until marker:never
	until reached recording; do :; done
	begin_us=$((${EPOCHREALTIME/./} - since))
	kill -KILL "$recorder"
	wait "$recorder"
	for ((i = 0; i < moments; i++)); do
		until_true next_is_clean || return
		begin --why --until marker:never
		# For up to 1.2 times as long as a recorder takes to begin, in steps of a thousandth of it.
		sleep $((begin_us * (RANDOM % 1200) / 1000))e-6
		echo "moment $i: $(left | tr '\n' ' ')"
		kill -KILL "$recorder"
		wait "$recorder"
	done
	until_true next_is_clean
}

check "SIGKILL at $moments random moments" killed_anywhere
check "SIGKILL while recording" ended_by KILL recording unchanged
check "SIGINT" ended_by INT recording unchanged
check "SIGTERM" ended_by TERM recording unchanged

# A crash: the process that restores the settings ends, too. Another recording goes on.
after_crash()
{
	local other pids

	begin
	other=$recorder
	until_true reached recording || return
	pids=$(pgrep -x vitrine; pgrep -x read-tracefs)
	begin
	until_true reached recording || return
	mapfile -t pids < <(comm -13 <(sort <<<"$pids") <({ pgrep -x vitrine; pgrep -x read-tracefs; } | sort))
	# A process that is stopped cannot clean up while the others are killed.
	kill -STOP "${pids[@]}" && kill -KILL "${pids[@]}"
	wait "$recorder"
	reached instance && reached kprobe || return
	# The next recording removes what this one has left.
	until_true eval \
		'vitrine record -o /tmp/next.fxt -- true && ! left | grep "vitrine_$recorder"' || return
	recorder=$other
	reached recording && reached uprobe || return
	kill -INT "$other"
	wait "$other"
	clean
}

check "the next start cleans up after a crash, and only that" after_crash
check "nothing is left after a crash" clean

# ---- errors ---------------------------------------------------------------------

while IFS=, read -r what words event; do
	check "$what" refuses 3 "$words" vitrine record -o /tmp/none.fxt -e "$event" -- true
done <<END
no such event,ftrace has no such event; see,nothing:here
no such event but a similar one,the nearest name is "sched:sched_switch",sched:sched_swich
an event of a category of the module,irq is also a category of trace/events,irq:softirq
an event of another category,write \`+marker' to trace/events,marker:mine
no such function,cannot probe,kprobe:no_such_function
no such symbol,no symbol,uprobe:$libc:no_such_function
no program,not a 64-bit program,uprobe:/etc/passwd:main
no such file,/nonexistent,uprobe:/nonexistent:main
END
check "a field that the event does not have" refuses 3 "Field not found" \
	vitrine record -o /tmp/none.fxt -e sched:sched_switch --filter 'nothing == 1' -- true
check "no tracefs" refuses 3 "tracefs is not mounted" unshare -m sh -c '
	umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug/tracing 2>/dev/null
	mount -t tmpfs none /sys/kernel/tracing; mkdir -p /tmp/debugfs; mount -t tmpfs none /sys/kernel/debug/tracing
	exec vitrine record -o /tmp/none.fxt -e sched:sched_switch -- true'
check "no trace of them" test ! -e /tmp/none.fxt
check "nothing is left after errors" clean

finish
