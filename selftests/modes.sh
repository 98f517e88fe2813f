#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A full ring in each mode: the written records are valid, and each record that was not
# written is counted.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load buffer_kb=8 subbuf_kb=4 mode=oneshot

busy()
{
	on_each_cpu "$WORKLOAD" crowd 20 2000
}

# settled COMMAND...: run it, stop recording, and store the number of lost records
settled()
{
	"$@" && set_to enable 0
	lost=$(total .lost_records)
}

check "mode as loaded" prints "circular [oneshot] streaming" cat "$TRACE/mode"
busy
settled true
check "oneshot: no more than fits" \
	prints "$((2 * $(value vitrine '.root.trace.cpus | length')))" total .subbuffers
check "oneshot: the rest is counted" test "$lost" -gt 1000
check "oneshot: what was written is sound" rings_are_sound
check "oneshot: each CPU that is full says so" test \
	"$(vitrine print /tmp/one.fxt | grep -c ' lost .*a buffer filled up')" = \
	"$(value vitrine '[.root.trace.cpus[] | select(.lost_records > 0)] | length')"
check "oneshot: nothing is overwritten" prints 0 total .overwritten_records
full()
{
	set_to enable 1 && busy && cp "$TRACE/trace.fxt" /tmp/later.fxt &&
		cmp /tmp/later.fxt /tmp/one.fxt
}
check "oneshot: more does not change it" full

# vmalloc_kb: size of large allocations other than rings
vmalloc_kb()
{
	sed -n 's/^VmallocUsed: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# An open trace.fxt that was read to the end of its first sub-buffer.
takes_little()
{
	local before after

	set_to buffer_kb 65536 || return
	before=$(vmalloc_kb)
	exec 3<"$TRACE/trace.fxt" && head -c 1 <&3 >/dev/null || return
	after=$(vmalloc_kb)
	exec 3<&-
	echo "vmalloc: $before kB, then $after kB"
	[ $((after - before)) -lt 4096 ]
}
check "reading the trace takes the memory of a sub-buffer" takes_little
check "as small as before" set_to buffer_kb 8

check "no such mode" fails set_to mode forever
check "mode stays" prints "circular [oneshot] streaming" cat "$TRACE/mode"
check "change to streaming, a new session" set_to mode streaming
check "mode as set" prints "circular oneshot [streaming]" cat "$TRACE/mode"

# The recorder is stopped again and again, for longer than the rings last. They are so small
# from a session on that begins while the recorder runs: it counts from the first record of
# that session, as the kernel does.
streamed()
{
	set_to buffer_kb 1024
	set_to enable 1
	vitrine record --no-wakeups -o /tmp/streamed.fxt -- \
		bash -c "set_to buffer_kb 8; outrun 8" >/tmp/streamed.log 2>&1
}

for round in 1 2 3; do
	check "streaming: record with a consumer that is often away, round $round" streamed
	sed 's/^/# /' /tmp/streamed.log
	check "streaming: what was read is sound" vitrine check /tmp/streamed.fxt
	vitrine check /tmp/streamed.fxt | tail -n 1 | sed 's/^/# /'
	lost=$(total .lost_records)
	said=$(number lost /tmp/streamed.log)
	echo "# kernel: $lost lost; recorder: $said lost; marks: $(marked /tmp/streamed.fxt)"
	check "streaming: some were lost" test "$lost" -gt 0
	check "streaming: the recorder counts what the kernel counts" test "$lost" = "$said"
done

check "back to circular" set_to mode circular
set_to enable 1
settled busy
check "circular: nothing is lost" test "$lost" = 0
check "circular: the flight recorder is sound" rings_are_sound

finish
