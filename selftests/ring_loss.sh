#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ring that is far too small for its load: overwritten and lost records are counted
# exactly, and the records that were read are valid. Then the same for each CPU in random
# runs.
#
#	ring_loss.sh [RUNS]		default 10

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load buffer_kb=64 subbuf_kb=32

# number WORD: the number before WORD in the output of vitrine check
number()
{
	vitrine check /tmp/lossy.fxt | sed -nE "s/.* ([0-9]+) $1.*/\1/p" | tail -n 1
}

# The recorder is stopped again and again, for longer than the rings last. Recording ends
# with the workload, so that the recorder can read everything. It keeps what was written before
# it began, which the kernel has counted, and must begin before the first sub-buffers are full.
# It must have read some records before it loses others, as the file counts between its
# records. A busy machine may not let it.
lossy_record()
{
	rm -f /tmp/began.json
	echo 128 >"$TRACE/buffer_kb"
	echo 64 >"$TRACE/buffer_kb"
	echo 1 >"$TRACE/enable"
	vitrine record --history --no-wakeups -o /tmp/lossy.fxt -- sh -c "vitrine show --json vitrine >/tmp/began; mv /tmp/began /tmp/began.json
		'$WORKLOAD' crowd 20 20000; echo 0 >$TRACE/enable" >/tmp/lossy.log 2>&1 &
	outrun $! 64 /tmp/began.json
	wait $! && [ "$(jq '[.root.trace.cpus[].subbuffers] | max' /tmp/began.json)" -le 1 ] &&
		[ "$(number "records lost")" -gt 0 ]
}

check "record with a stopped consumer" retried lossy_record
sed 's/^/# /' /tmp/lossy.log
check "what was read is sound" vitrine check /tmp/lossy.fxt
vitrine check /tmp/lossy.fxt | tail -n 1 | sed 's/^/# /'
lost=$(sed -nE 's/.* ([0-9]+) lost.*/\1/p' /tmp/lossy.log)
check "some were lost" test "${lost:-0}" -gt 0
check "the file misses no more than the recorder" \
	within 1 "$(number "records lost")" "$lost"
check "the file marks the loss for viewers" \
	sh -c 'vitrine print /tmp/lossy.fxt | grep -q "buffer filled up"'
# marked: number of lost records according to the marks in the file
marked()
{
	vitrine print /tmp/lossy.fxt | sed -n 's/.*drop_stats.*num_records=\([0-9]*\).*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

check "the marks in the file tell the number of lost records" test "$(marked)" = "$(number "records lost")"
written=$(value vitrine '[.root.trace.cpus[].records] | add')
# The file also contains switches that close a row where records are missing.
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
