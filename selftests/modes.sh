#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A full ring in each mode: the written records are valid, and each record that was not
# written is counted.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load buffer_kb=8 subbuf_kb=4 mode=oneshot

# reads FILE TEXT: a control file reads as TEXT
reads()
{
	local said

	said=$(cat "$TRACE/$1")
	echo "$1: $said"
	[ "$said" = "$2" ]
}

writes()
{
	echo "$2" >"$TRACE/$1"
}

# total WHAT: sum of a counter over all CPUs
total()
{
	value vitrine "[.root.trace.cpus[].$1] | add"
}

busy()
{
	"$WORKLOAD" crowd 20 2000
}

# settled COMMAND...: run it, stop recording, and store the number of lost records
settled()
{
	"$@" && writes enable 0
	lost=$(total lost_records)
}

flight()
{
	cat "$TRACE/trace.fxt" >/tmp/flight.fxt && vitrine check /tmp/flight.fxt
}

# marked FILE: number of lost records according to the marks in FILE
marked()
{
	vitrine print "$1" | sed -n 's/.*drop_stats.*num_records=\([0-9]*\).*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

check "mode as loaded" reads mode "circular [oneshot] streaming"
busy
settled true
check "oneshot: no more than fits" \
	test "$(total subbuffers)" = "$((2 * $(value vitrine '.root.trace.cpus | length')))"
check "oneshot: the rest is counted" test "$lost" -gt 1000
check "oneshot: what was written is sound" flight
check "oneshot: each CPU that is full says so" test \
	"$(vitrine print /tmp/flight.fxt | grep -c ' lost .*a buffer filled up')" = \
	"$(value vitrine '[.root.trace.cpus[] | select(.lost_records > 0)] | length')"
check "oneshot: nothing is overwritten" test "$(total overwritten_records)" = 0
check "oneshot: more does not change it" sh -c \
	"echo 1 >$TRACE/enable; sleep 0.2; cat $TRACE/trace.fxt | cmp - /tmp/flight.fxt"

# vmalloc_kb: size of large allocations other than rings
vmalloc_kb()
{
	sed -n 's/^VmallocUsed: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# An open trace.fxt that was read to the end of its first sub-buffer.
takes_little()
{
	local before after

	writes buffer_kb 65536 || return
	before=$(vmalloc_kb)
	exec 3<"$TRACE/trace.fxt" && head -c 1 <&3 >/dev/null || return
	after=$(vmalloc_kb)
	exec 3<&-
	echo "vmalloc: $before kB, then $after kB"
	[ $((after - before)) -lt 4096 ]
}
check "reading the trace takes the memory of a sub-buffer" takes_little
check "as small as before" writes buffer_kb 8

check "no such mode" fails writes mode forever
check "mode stays" reads mode "circular [oneshot] streaming"
check "change to streaming, a new session" writes mode streaming
check "mode as set" reads mode "circular oneshot [streaming]"

# The recorder is stopped from time to time. Recording is switched off at the end, so that
# the recorder can read everything.
streamed()
{
	local recorder

	writes mode streaming
	vitrine record --no-wakeups -o /tmp/streamed.fxt -- \
		sh -c "'$WORKLOAD' crowd 20 $1; echo 0 >$TRACE/enable" >/tmp/streamed.log 2>&1 &
	recorder=$!
	while kill -STOP "$recorder" 2>/dev/null; do
		sleep "$2"
		kill -CONT "$recorder" 2>/dev/null
		sleep 0.02
	done
	wait "$recorder"
}

for run in "3000 0.05" "5000 0.1" "4000 0.03"; do
	writes enable 1
	# shellcheck disable=SC2086	# two words
	check "streaming: record with a consumer that is often away ($run)" streamed $run
	sed 's/^/# /' /tmp/streamed.log
	check "streaming: what was read is sound" vitrine check /tmp/streamed.fxt
	vitrine check /tmp/streamed.fxt | tail -n 1 | sed 's/^/# /'
	lost=$(total lost_records)
	said=$(sed -nE 's/.* ([0-9]+) lost.*/\1/p' /tmp/streamed.log)
	echo "# kernel: $lost lost; recorder: $said lost; marks: $(marked /tmp/streamed.fxt)"
	check "streaming: some were lost" test "$lost" -gt 0
	check "streaming: the recorder counts what the kernel counts" test "$lost" = "$said"
done

check "back to circular" writes mode circular
writes enable 1
settled busy
check "circular: nothing is lost" test "$lost" = 0
check "circular: the flight recorder is sound" flight

finish
