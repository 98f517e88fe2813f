#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ring far too small for its load: what is overwritten before it is read, or not
# written at all, is counted to the record, and what was read is still sound. Then
# random runs, in which that must hold for each CPU.
#
#	ring_loss.sh [RUNS]		default 10

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load buffer_kb=8 subbuf_kb=4

# Stopped for part of the time, the recorder cannot keep up. The workload's end
# is the end of recording, so that nothing is written that it does not get to.
lossy_record()
{
	local recorder

	vitrine record --no-wakeups -o /tmp/lossy.fxt -- \
		sh -c "'$WORKLOAD' crowd 20 20000; echo 0 >$TRACE/enable" >/tmp/lossy.log 2>&1 &
	recorder=$!
	while kill -STOP "$recorder" 2>/dev/null; do
		sleep 0.2
		kill -CONT "$recorder" 2>/dev/null
		sleep 0.05
	done
	wait "$recorder"
}

# number WORD: the number before WORD in what check says of the recording
number()
{
	vitrine check /tmp/lossy.fxt | sed -nE "s/.* ([0-9]+) $1.*/\1/p" | tail -n 1
}

check "record with a stopped consumer" lossy_record
sed 's/^/# /' /tmp/lossy.log
check "what was read is sound" vitrine check /tmp/lossy.fxt
vitrine check /tmp/lossy.fxt | tail -n 1 | sed 's/^/# /'
# The recorder knows from where on it wanted records, the file only what is
# missing between those it has.
lost=$(sed -nE 's/.* ([0-9]+) lost.*/\1/p' /tmp/lossy.log)
check "some were lost" test "${lost:-0}" -gt 0
check "the file misses no more than the recorder" \
	within 1 "$(number "records lost")" "$lost"
check "the file says so to viewers" \
	sh -c 'vitrine print /tmp/lossy.fxt | grep -q "buffer filled up"'
# marked: lost records, by the marks in the file
marked()
{
	vitrine print /tmp/lossy.fxt | sed -n 's/.*drop_stats.*num_records=\([0-9]*\).*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

check "and how many" test "$(marked)" = "$(number "records lost")"
written=$(value vitrine '[.root.trace.cpus[].records] | add')
# The file also has what closes a row of switches where some are missing.
read=$(sed -nE 's/.* ([0-9]+) switches on.*/\1/p' /tmp/lossy.log)
echo "# $written written, $read read, $lost lost"
check "written = read + lost, to the record" test "$written" = $((read + lost))

random_runs()
{
	"$VITRINE_SELFTESTS/loss_runs" "$1" >/tmp/loss_runs.log
}

check "the same on each CPU, in ${1:-10} random runs" random_runs "${1:-10}"
sed 's/^/# /' /tmp/loss_runs.log

finish
