#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Twenty recordings, each with another clock, size or workload, by the recorder
# and from the flight recorder: all are valid.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load
clocks=$(tr -d '[]' <"$TRACE/clock")

record()
{
	vitrine record -o /tmp/one.fxt -- "$@" && vitrine check /tmp/one.fxt
}

for clock in $clocks; do
	check "clock $clock" set_to clock "$clock"
	check "clock $clock: 3 threads" record "$WORKLOAD" crowd 3 5000
	check "clock $clock: 300 threads" record "$WORKLOAD" crowd 300 5000
	check "clock $clock: many short processes" record \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; /bin/ls / >/dev/null; done'
	check "clock $clock: flight recorder" rings_are_sound
done
set_to clock local
for size in "8 4" "64 8" "4096 1024"; do
	set_to subbuf_kb 4
	set_to buffer_kb "${size% *}"
	check "sub-buffers of ${size#* } KiB" set_to subbuf_kb "${size#* }"
	check "sub-buffers of ${size#* } KiB: flight recorder" rings_are_sound
	ls -lR /usr/share >/dev/null
	check "sub-buffers of ${size#* } KiB: flight recorder, later" rings_are_sound
done

# A name that changes, and one that is not UTF-8.
renamed()
{
	vitrine record -o /tmp/one.fxt -- perl -e '
		for my $name ("before", "after\xff\xc3") {
			open my $comm, ">", "/proc/self/comm";
			syswrite $comm, $name;
			select undef, undef, undef, 0.05;
		}' || return
	vitrine check /tmp/one.fxt && vitrine print /tmp/one.fxt | grep -q 'after??:'
}

check "a thread that changes its name" renamed

# subbuffers: number of sub-buffers of each CPU so far
subbuffers()
{
	value vitrine '.root.trace.cpus | to_entries | sort_by(.key) | .[].value.subbuffers'
}

# all_are_new: each CPU has begun a sub-buffer since $before
all_are_new()
{
	on_each_cpu /bin/true
	[ "$(paste <(echo "$before") <(subbuffers) | awk '$2 <= $1' | wc -l)" = 0 ]
}

# Names belong to ids, which are about to be used again. At this size, nothing else ends a
# sub-buffer. The module looks at the ids when it is loaded, and then every ten seconds.
if [ -w /proc/sys/kernel/ns_last_pid ]; then
	unload
	echo 20000 >/proc/sys/kernel/ns_last_pid
	load
	set_to buffer_kb 16384
	set_to subbuf_kb 1024
	on_each_cpu /bin/true
	before=$(subbuffers)
	echo 100 >/proc/sys/kernel/ns_last_pid
	check "when ids are used again, each CPU begins a sub-buffer" until_true all_are_new
	set_to buffer_kb 4096
fi

# A recording has nothing from before: neither records nor losses. It begins in the middle of
# sub-buffers, and each CPU is busy all the time.
set_to subbuf_kb 64

# agrees FILE: what `vitrine record' has counted is what the file holds
agrees()
{
	cat "$1.log"
	vitrine check --json "$1" | jq -c '.[0] | { switches, lost, size_bytes, faults }'
	[ "$(vitrine check --json "$1" | jq '.[0] | .switches, .lost, .size_bytes, .faults')" = \
		"$(number switches "$1.log"; number lost "$1.log"; number bytes "$1.log"; echo 0)" ]
}

recorded()
{
	vitrine record -o "$1" "${@:2}" 2>"$1.log"
}

# now: print a reading of the session's clock
set_to clock mono
now()
{
	awk '/^now at/ { print $3 }' /proc/timer_list
}

# only_itself FILE SINCE: FILE has records, all of them after SINCE
only_itself()
{
	local first

	first=$(vitrine print --json "$1" |
		jq 'select(.kind == "switch" or .kind == "wakeup").time_ns' | sort -n | head -n 1)
	echo "since $2, first $first"
	[ -n "$first" ] && [ "$first" -ge "$2" ]
}

on_each_cpu "$WORKLOAD" crowd 4 400
since=$(now)
check "a short recording" recorded /tmp/short.fxt -- true
check "it has nothing from before" only_itself /tmp/short.fxt "$since"
check "what is counted is in the file" agrees /tmp/short.fxt
on_each_cpu "$WORKLOAD" crowd 4 400
since=$(now)
check "--history" recorded /tmp/history.fxt --history -- true
check "--history keeps what was before" fails only_itself /tmp/history.fxt "$since"
check "--history: what is counted is in the file" agrees /tmp/history.fxt

# Two recorders at once, while the flight recorder is read.
vitrine record -o /tmp/other.fxt -- sh -c 'touch /tmp/up; until [ -e /tmp/end ]; do sleep 0.1; done' \
	2>/tmp/other.fxt.log &
until_there /tmp/up
since=$(now)
check "a second recording" recorded /tmp/second.fxt -- "$WORKLOAD" crowd 3 5000
touch /tmp/end
wait $!
check "the second one has nothing from before" only_itself /tmp/second.fxt "$since"
check "the second one is whole" agrees /tmp/second.fxt
check "so is the first one" agrees /tmp/other.fxt
check "the flight recorder misses nothing" rings_are_sound

# wakers FILE: print the time, thread and waker of each wakeup in FILE. There are so many that jq
# would take minutes in a guest.
wakers()
{
	vitrine print --json -e wakeup "$1" |
		sed 's/^{"time_ns":\([0-9]*\),.*"thread":{"tid":\([0-9]*\).*"waker":\([0-9]*\)}}$/\1 \2 \3/' | sort
}

# names_wakers FILE: a viewer that knows the argument only finds the wakers that our reader finds
names_wakers()
{
	"$VITRINE_SELFTESTS/importer" "$1" wakeups | sort >/tmp/importer.txt
	wakers "$1" >/tmp/wakers.txt
	awk '$2 != $3 { others++ } END { print NR, others " wakeups, not by itself"; exit others < 100 }' \
		/tmp/importer.txt || return
	diff /tmp/importer.txt /tmp/wakers.txt
}

check "the file names the waker of each wakeup" names_wakers /tmp/second.fxt
set_to events +sched
on_each_cpu "$WORKLOAD" crowd 4 4000
set_to events -sched
check "a snapshot" vitrine snapshot -o /tmp/snapshot.fxt
check "the snapshot is sound" vitrine check /tmp/snapshot.fxt
check "the snapshot names the waker of each wakeup" names_wakers /tmp/snapshot.fxt
cp "$TRACE/trace.fxt" /tmp/one.fxt
check "trace.fxt has the same wakers for our reader" diff <(wakers /tmp/one.fxt) <(wakers /tmp/snapshot.fxt)

# In streaming mode, a ring is full when recording begins: what was lost before is not told.
set_to buffer_kb 256
set_to mode streaming
on_each_cpu "$WORKLOAD" crowd 20 20000
since=$(now)
check "streaming" recorded /tmp/stream.fxt -- "$WORKLOAD" crowd 3 500
check "streaming: nothing from before" only_itself /tmp/stream.fxt "$since"
check "streaming: what is counted is in the file" agrees /tmp/stream.fxt
check "streaming: no loss from before is in the file" fails grep drop_stats <(vitrine print /tmp/stream.fxt)
set_to mode oneshot
check "oneshot: the recording begins earlier" recorded /tmp/oneshot.fxt -- true
check "oneshot: which is said" grep -q "as with --history, because trace/mode is oneshot" /tmp/oneshot.fxt.log
set_to mode circular
set_to buffer_kb 4096

# 40 threads, compressed in a pipe; their size with and without is printed.
piped()
{
	vitrine record -o - --zstd -- "$WORKLOAD" crowd 40 20000 2>/tmp/piped.log | cat >/tmp/one.fxt.zst
	vitrine check - </tmp/one.fxt.zst >/tmp/piped.check || return
	grep -q "^vitrine: standard output: [1-9][0-9]* switches" /tmp/piped.log
}

check "a pipe, compressed" piped
echo "# $(stat -c %s /tmp/one.fxt.zst) bytes compressed, of $(</tmp/piped.check)"

finish
