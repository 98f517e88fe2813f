#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Convert LTTng's recording of a kernel to a Fuchsia trace and back with `vitrine convert',
# and compare the result with the output of babeltrace2.
#
#   lttng.sh VITRINE WORDS DIR [SESSIONS]
#
# SESSIONS holds the directories of LTTng's sessions. Without it they come out of
# selftests/golden/lttng.tar.xz, which selftests/qemu/lttng.sh has recorded.

sessions=${4:+$(realpath "$4")}
# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# Print each thread with every name that it has during the recording.
their_names()
{
	grep -oE 'comm = "[^"]*", ([a-z]+_)?tid = [1-9][0-9]*' "$1" |
		sed -E 's/comm = "(.*)", [a-z_]*tid = (.*)/\2 \1/' | sort -u
}

our_names()
{
	"$vitrine" print --json "$1" | jq -r 'select(.kind == "switch" and .in.tid > 0) |
		"\(.in.tid) \(.in.name)"' | sort -u
}

# Print the threads that were created during the recording, and their processes.
their_children()
{
	sed -n 's/.* sched_process_fork: .*child_tid = \([0-9]*\),.*child_pid = \([0-9]*\),.*/\1 \2/p' "$1" | sort -u
}

our_threads()
{
	"$vitrine" print --json "$1" | jq -r 'select(.kind == "switch") | "\(.in.tid) \(.in.pid)"' | sort -u
}

# of_their_process NAME: each of these that ran has the same process in NAME.fxt
of_their_process()
{
	! join <(their_children "$1.events") <(our_threads "$1.fxt") | awk '$2 != $3' | grep .
}

discarded()
{
	sed -n 's/.*discarded \([0-9]*\) events\? .*/\1/p' "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

lost()
{
	grep -o '[0-9]* records lost' "$1" | sed 's/ .*//'
}

# compare NAME: compare the conversion of the session NAME with babeltrace2's output
compare()
{
	local name=$1 unsaid

	babeltrace "$sessions/$name" --clock-cycles --no-delta >"$name.events" 2>"$name.warnings"
	command_into_files convert "$sessions/$name" -o "$name.fxt"
	check "$name: converted" test "$(cat status)" = 0
	check "$name: nothing said but what is left out, and what LTTng does not say" fails grep -vE \
		': left out, a Fuchsia trace cannot represent them: [0-9]* arguments$|: [0-9]+ switches from a thread' err
	unsaid=$(sed -n 's/.*: \([0-9]*\) switches from a thread that was not running.*/\1/p' err)
	"$vitrine" check "$name.fxt" >"$name.check"
	check "$name: clean" grep ": no fault$" "$name.check"
	their_switches "$name.events" tid >"$name.theirs"
	our_switches "$name.fxt" >"$name.ours"
	check "$name: each of $(wc -l <"$name.theirs") switches, as babeltrace2 says it" \
		same "$name.theirs" "$name.ours"
	check "$name: there are some" test -s "$name.theirs"
	check "$name: every event but those that name processes" test \
		"$(grep -vc process_state "$name.events")" = "$("$vitrine" print "$name.fxt" | wc -l)"
	check "$name: system calls and interrupts are durations" test \
		"$(grep -cE ' (compat_)?(syscall|irq_softirq|irq_handler|x86_irq_vectors)_([a-z0-9_]*_)?entry(_[a-z0-9_]*)?: ' "$name.events")" = \
		"$("$vitrine" print "$name.fxt" | awk '$3 == "begin"' | wc -l)"
	# LTTng does not report events that were discarded after the last packet of a stream.
	check "$name: $(discarded "$name.warnings") discarded, as many lost" test \
		$(($(discarded "$name.warnings") + ${unsaid:-0})) = "$(lost "$name.check")"
	check "$name: no thread without a name of its own" fails grep . \
		<(comm -13 <(their_names "$name.events") <(our_names "$name.fxt"))
	check "$name: idle of each CPU by itself, in process 0" same <(printf '0 idle\n') <("$vitrine" print --json \
		"$name.fxt" | jq -r 'select(.thread.tid == 1073741824 + .cpu) |
		"\(.thread.pid) \(.thread.name)"' | sort -u)
	check "$name: new threads are of their processes" of_their_process "$name"
}

# compare_back NAME: convert NAME.fxt to CTF, and compare that with babeltrace2's output
compare_back()
{
	local name=$1

	check "$name: converted back to CTF" exits 0 "" convert "$name.fxt" -o "$name.ctf"
	babeltrace "$name.ctf" --clock-cycles --no-delta >"$name.back" 2>"$name.back.warnings"
	check "$name: babeltrace2 warns of nothing but what was discarded" \
		fails grep -v '^WARNING: Tracer discarded [0-9]* events\? ' "$name.back.warnings"
	check "$name: as many discarded" test "$(discarded "$name.back.warnings")" = "$(lost "$name.check")"
	check "$name: the same switches" same "$name.theirs" <(their_switches "$name.back" tid)
}

if [ -z "$sessions" ]; then
	tar -xJf "$golden/lttng.tar.xz" || exit 1
	sessions=$dir/lttng
fi
for session in "$sessions"/*/kernel; do
	session=$(basename "$(dirname "$session")")
	compare "$session"
	compare_back "$session"
done
check "there were sessions with and without loss" test \
	"$(cat ./*.check | grep -c ' [1-9][0-9]* records lost')" -gt 0 -a \
	"$(cat ./*.check | grep -c ' 0 records lost')" -gt 0
plan
