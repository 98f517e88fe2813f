#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Convert a recording of perf, in the Common Trace Format as written by `perf data convert
# --all --to-ctf', to a Fuchsia trace with `vitrine convert', and compare the result with
# the output of babeltrace2.
#
# selftests/golden/perf.tar.xz is a second of Debian's 6.1 with two CPUs: switches,
# wakeups, forks, interrupts, two system calls, and timers.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# events PATTERN: count the matching events that perf has recorded
events()
{
	grep -cE "^[^{]*($1)[:,]" events
}

# printed PATTERN: count the matching records that `vitrine print' prints
printed()
{
	"$vitrine" print perf.fxt | grep -cE "^ *[0-9.]+ \[[0-9]+\] ($1)"
}

# Print each process with the last name that it set.
their_processes()
{
	sed -nE 's/.* perf_comm: .* pid = ([1-9][0-9]*), tid = \1, comm = "(.*)" .*/\1 \2/p' events |
		awk '{ pid = $1; sub(/^[0-9]+ /, ""); name[pid] = $0 }
			END { for (pid in name) print pid, name[pid] }' | sort
}

our_processes()
{
	"$vitrine" print --json perf.fxt | jq -r '
		select(.kind == "switch" and .in.pid == .in.tid and .in.tid > 0) |
		"\(.in.pid) \(.in.name)"' | awk '{ pid = $1; sub(/^[0-9]+ /, ""); name[pid] = $0 }
			END { for (pid in name) print pid, name[pid] }' | sort
}

tar -xJf "$golden/perf.tar.xz" || exit 1
babeltrace perf.ctf --clock-cycles --no-delta >events 2>/dev/null
command_into_files convert perf.ctf -o perf.fxt
# Switch and wakeup records have no room for perf's instruction pointer and counter id.
check "converted, and told what is left out" ended 0 ': left out, a Fuchsia trace cannot represent them: [0-9]+ arguments$' \
	': [0-9]+ events have no time and are left out$'
# perf_mmap and the like, which tell of the time before the recording, have the time 0.
untimed=$(grep -vc perf_comm <(grep -E '^\[0+\] ' events))
check "events without a time are left out, and counted" grep -qx "vitrine: perf.fxt: $untimed events have no time and are left out" err
check "there are such events" test "$untimed" -gt 0
check "the recording begins with the first event that has a time" same \
	<(grep -vE '^\[0+\] ' events | head -n 1 | sed -E 's/^\[0*([0-9]+)\].*/\1/') \
	<("$vitrine" print --json perf.fxt | head -n 1 | jq .time_ns)
check "clean" "$vitrine" check perf.fxt
their_switches events pid >theirs
our_switches perf.fxt >ours
check "each of $(wc -l <theirs) switches, as babeltrace2 says it" same theirs ours
check "the trace of perf has switches" test -s theirs
check "wakeups" test "$(printed wakeup)" = "$(events 'sched:sched_wakeup(_new)?')"
check "wakeups have the woken threads" test \
	"$("$vitrine" print --json perf.fxt | jq -r 'select(.kind == "wakeup").thread.tid' | sort | md5sum)" = \
	"$(sed -nE 's/^[^{]*sched:sched_wakeup(_new)?: .* pid = ([0-9]+),.*/\2/p' events | sort | md5sum)"
check "interrupts and system calls are durations" test \
	"$(printed begin) $(printed end)" = \
	"$(events '(irq:irq_handler_|irq:softirq_|syscalls:sys_)ent(ry|er_[a-z]+)') $(events '(irq:irq_handler_|irq:softirq_|syscalls:sys_)exit(_[a-z]+)?')"
check "interrupts have names" test "$(printed '(begin|end) +[^ ]+ irq:virtio')" = "$(events 'irq:irq_handler_(entry|exit)')"
# The same trace, as if its interrupts were those of a vector.
cp -r perf.ctf vectors.ctf
sed -i 's/"irq:irq_handler_/"irq_vectors:reschedule_/' vectors.ctf/metadata
command_into_files convert vectors.ctf -o vectors.fxt
check "vectors are durations" test "$("$vitrine" print vectors.fxt | grep -cE ' (begin|end) +[^ ]+ ipi:reschedule')" = \
	"$(events 'irq:irq_handler_(entry|exit)')"
check "any other event is an instant" test "$(printed instant)" = \
	"$(grep -vcE '^(\[0+\]|[^{]*(sched:sched_(switch|wakeup)|irq:|syscalls:|perf_comm))' events)"
check "an event has the thread and process that perf names" test \
	"$("$vitrine" print --json perf.fxt | jq -r 'select(.name == "timer_start" and .thread.pid > 0) |
		"\(.thread.tid) \(.thread.pid)"' | sort | uniq -c | md5sum)" = \
	"$(sed -nE 's/^[^{]*timer:timer_start: .* perf_tid = ([1-9][0-9]*), perf_pid = ([0-9]+),.*/\1 \2/p' events |
		sort | uniq -c | md5sum)"
check "an event of an idle CPU belongs to idle" test "$("$vitrine" print --json perf.fxt |
	jq -r 'select(.name == "timer_start" and .thread.tid == 1073741824 + .cpu).cpu' | wc -l)" = \
	"$(events 'timer:timer_start.* perf_tid = 0')"
check "the arguments of an event do not repeat its thread" fails grep -q 'perf_[tp]id=' <("$vitrine" print perf.fxt)
# Leave kworkers out: perf appends the work item to their names.
join <(their_processes) <(our_processes) | grep -v kworker >names
check "processes have the names they gave themselves" awk '$2 != $3 { print; bad = 1 } END { exit bad }' names
check "there are at least five processes to compare" test "$(wc -l <names)" -ge 5
command_into_files convert perf.fxt -o back.ctf
check "a trace of perf is converted back to CTF" test "$(cat status)" = 0
check "the switches are the same after converting back" same theirs <(babeltrace back.ctf --clock-cycles --no-delta 2>/dev/null >back; their_switches back tid)
plan
