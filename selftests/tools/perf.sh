#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Convert a recording of perf, in the Common Trace Format as written by `perf data convert
# --all --to-ctf', to a Fuchsia trace with `vitrine convert', and compare the result with
# the output of babeltrace2.
#
# selftests/golden/perf.tar.xz is a second of Debian's 6.1 with two CPUs: switches,
# wakeups, forks, interrupts, two system calls, and timers.

. "$(dirname "$0")/command" || exit

# events PATTERN: count the matching events that perf has recorded
events()
{
	grep -cE "^[^{]*($1)[:,]" events
}

# printed EXPECTED PATTERN: vitrine prints as many records that match as EXPECTED says
printed()
{
	filtered "$1" "grep -cE '^ *[0-9.]+ \[[0-9]+\] ($2)'" print perf.fxt
}

# last_names: keep the last line of each process
last_names()
{
	awk '{ pid = $1; sub(/^[0-9]+ /, ""); name[pid] = $0 } END { for (pid in name) print pid, name[pid] }' | sort
}

tar -xJf "$golden/perf.tar.xz" || exit 1
babeltrace perf.ctf --clock-cycles --no-delta >events 2>/dev/null
command_into_files convert perf.ctf -o perf.fxt
# Switch and wakeup records have no room for perf's instruction pointer and counter id.
check "converted, and told what is left out" ended 0 ': left out, a Fuchsia trace cannot represent them: [0-9]+ arguments$' \
	': [0-9]+ events have no time and are left out$'
# perf_mmap and the like, which tell of the time before the recording, have the time 0.
untimed=$(grep -vc perf_comm <(grep -E '^\[0+\] ' events))
check "events without a time are left out, and counted" grep -qx "vitrine: perf.ctf: $untimed events have no time and are left out" err
check "there are such events" test "$untimed" -gt 0
check "the recording begins with the first event that has a time" filtered \
	"$(grep -vE '^\[0+\] ' events | head -n 1 | sed -E 's/^\[0*([0-9]+)\].*/\1/')" "head -n 1 | jq .time_ns" \
	print --json perf.fxt
check "clean" sound perf.fxt
their_switches events pid >theirs
check "each of $(wc -l <theirs) switches, as babeltrace2 says it" same theirs <(our_switches perf.fxt)
check "the trace of perf has switches" test -s theirs
check "each wakeup has its thread" same \
	<("$vitrine" print --json perf.fxt | jq -r 'select(.kind == "wakeup").thread.tid' | sort) \
	<(sed -nE 's/^[^{]*sched:sched_wakeup(_new)?: .* pid = ([0-9]+),.*/\2/p' events | sort)
check "interrupts and system calls are durations: begin" printed \
	"$(events '(irq:irq_handler_|irq:softirq_|syscalls:sys_)ent(ry|er_[a-z]+)')" begin
check "interrupts and system calls are durations: end" printed \
	"$(events '(irq:irq_handler_|irq:softirq_|syscalls:sys_)exit(_[a-z]+)?')" end
interrupts=$(events 'irq:irq_handler_(entry|exit)')
check "interrupts have names" printed "$interrupts" '(begin|end) +[^ ]+ irq:virtio'
# The same trace, as if its interrupts were those of a vector.
cp -r perf.ctf vectors.ctf
sed -i 's/"irq:irq_handler_/"irq_vectors:reschedule_/' vectors.ctf/metadata
"$vitrine" convert vectors.ctf -o vectors.fxt 2>/dev/null
check "vectors are durations" filtered "$interrupts" "grep -cE ' (begin|end) +[^ ]+ ipi:reschedule'" print vectors.fxt
check "any other event is an instant" printed \
	"$(grep -vcE '^(\[0+\]|[^{]*(sched:sched_(switch|wakeup)|irq:|syscalls:|perf_comm))' events)" instant
check "an event has the thread and process that perf names" same \
	<("$vitrine" print --json perf.fxt | jq -r 'select(.name == "timer_start" and .thread.pid > 0) |
		"\(.thread.tid) \(.thread.pid)"' | sort) \
	<(sed -nE 's/^[^{]*timer:timer_start: .* perf_tid = ([1-9][0-9]*), perf_pid = ([0-9]+),.*/\1 \2/p' events | sort)
check "an event of an idle CPU belongs to idle" filtered "$(events 'timer:timer_start.* perf_tid = 0')" \
	"jq -r 'select(.name == \"timer_start\" and .thread.tid == 1073741824 + .cpu).cpu' | wc -l" print --json perf.fxt
check "the arguments of an event do not repeat its thread" fails has 'perf_[tp]id=' print perf.fxt
# Leave kworkers out: perf appends the work item to their names.
join <(sed -nE 's/.* perf_comm: .* pid = ([1-9][0-9]*), tid = \1, comm = "(.*)" .*/\1 \2/p' events | last_names) \
	<("$vitrine" print --json perf.fxt | jq -r 'select(.kind == "switch").in |
		select(.pid == .tid and .tid > 0) | "\(.pid) \(.name)"' | last_names) | grep -v kworker >names
check "processes have the names they gave themselves" fails awk '$2 != $3 { print; bad = 1 } END { exit !bad }' names
check "there are at least five processes to compare" test "$(wc -l <names)" -ge 5
check "a trace of perf is converted back to CTF" "$vitrine" convert perf.fxt -o back.ctf
babeltrace back.ctf --clock-cycles --no-delta >back 2>/dev/null
check "the switches are the same after converting back" same theirs <(their_switches back tid)
plan
