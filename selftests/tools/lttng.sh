#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Convert LTTng's recording of a kernel to a Fuchsia trace and back with `vitrine convert',
# and compare the result with the output of babeltrace2.
#
#   lttng.sh VITRINE DIR [SESSIONS]
#
# SESSIONS holds the directories of LTTng's sessions. Without it they come out of
# selftests/golden/lttng.tar.xz, which selftests/qemu/lttng.sh has recorded.

sessions=${3:+$(realpath "$3")}
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

# discarded FILE: print how many events were discarded, by the warnings in FILE
discarded()
{
	sed -n 's/.*discarded \([0-9]*\) events\? .*/\1/p' "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

# compare NAME: compare the conversion of the session NAME with babeltrace2's output, and what
# comes of it, converted back to CTF
compare()
{
	local name=$1 unsaid lost

	babeltrace "$sessions/$name" --clock-cycles --no-delta >events 2>warnings
	command_into_files convert "$sessions/$name" -o "$name.fxt"
	check "$name: converted" grep -x 0 status
	check "$name: nothing said but what is left out, and what LTTng does not say" fails grep -vE \
		': left out, a Fuchsia trace cannot represent them: [0-9]* arguments$|: [0-9]+ switches from a thread' err
	unsaid=$(sed -n 's/.*: \([0-9]*\) switches from a thread that was not running.*/\1/p' err)
	check "$name: clean" sound "$name.fxt"
	their_switches events tid >theirs
	check "$name: each of $(wc -l <theirs) switches, as babeltrace2 says it" same theirs <(our_switches "$name.fxt")
	check "$name: there are some" test -s theirs
	check "$name: every event but those that name processes" filtered "$(grep -vc process_state events)" "wc -l" \
		print "$name.fxt"
	check "$name: system calls and interrupts are durations" filtered \
		"$(grep -cE ' (compat_)?(syscall|irq_softirq|irq_handler|x86_irq_vectors)_([a-z0-9_]*_)?entry(_[a-z0-9_]*)?: ' events)" \
		"awk '\$3 == \"begin\"' | wc -l" print "$name.fxt"
	# LTTng does not report events that were discarded after the last packet of a stream.
	lost=$(($(discarded warnings) + ${unsaid:-0}))
	check "$name: $(discarded warnings) discarded, as many lost" sound "$name.fxt" " $lost records lost"
	check "$name: no thread without a name of its own" fails grep . <(comm -13 <(their_names events) <(our_names "$name.fxt"))
	check "$name: idle of each CPU by itself, in process 0" filtered "0 idle" "jq -r 'select(.thread.tid == 1073741824 + .cpu) |
		\"\(.thread.pid) \(.thread.name)\"' | sort -u" print --json "$name.fxt"
	check "$name: new threads are of their processes" fails grep . \
		<(join <(their_children events) <(our_threads "$name.fxt") | awk '$2 != $3')

	check "$name: converted back to CTF" exits 0 "" convert "$name.fxt" -o "$name.ctf"
	babeltrace "$name.ctf" --clock-cycles --no-delta >back 2>warnings
	check "$name: babeltrace2 warns of nothing but what was discarded" \
		fails grep -v '^WARNING: Tracer discarded [0-9]* events\? ' warnings
	check "$name: as many discarded" prints "$lost" discarded warnings
	check "$name: the same switches" same theirs <(their_switches back tid)
	echo "$lost" >>lost
}

if [ -z "$sessions" ]; then
	tar -xJf "$golden/lttng.tar.xz" || exit 1
	sessions=$dir/lttng
fi
for session in "$sessions"/*/kernel; do
	compare "$(basename "$(dirname "$session")")"
done
check "there were sessions with and without loss" prints $'1\n2' \
	bash -c "sed 's/^[1-9].*/2/; s/^0/1/' lost | sort -u"
plan
