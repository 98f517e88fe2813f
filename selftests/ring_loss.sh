#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ring that is far too small for its load: overwritten and lost records are counted
# exactly, and the records that were read are valid. Then the same for each CPU in random
# runs.
#
#	ring_loss.sh [RUNS]		default 10

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load buffer_kb=64 subbuf_kb=32

# lost_in_file: the number of lost records that the file tells
lost_in_file()
{
	number "records lost" <(vitrine check /tmp/lossy.fxt)
}

# The recorder is stopped again and again, for longer than the rings last. It keeps what was written
# before it began, which the kernel has counted, and must begin before the first sub-buffers are full.
# It must have read some records before it loses others, as the file counts between its
# records. A busy machine may not let it.
lossy_record()
{
	set_to buffer_kb 128
	set_to buffer_kb 64
	set_to enable 1
	vitrine record --history --no-wakeups -o /tmp/lossy.fxt -- \
		bash -c "vitrine show --json vitrine >/tmp/began.json; outrun 64" >/tmp/lossy.log 2>&1 &&
		[ "$(jq '[.root.trace.cpus[].subbuffers] | max' /tmp/began.json)" -le 1 ] &&
		[ "$(lost_in_file)" -gt 0 ]
}

check "record with a stopped consumer" retried lossy_record
sed 's/^/# /' /tmp/lossy.log
check "what was read is sound" vitrine check /tmp/lossy.fxt
vitrine check /tmp/lossy.fxt | tail -n 1 | sed 's/^/# /'
lost=$(number lost /tmp/lossy.log)
check "some were lost" test "${lost:-0}" -gt 0
check "the file misses no more than the recorder" within 1 "$(lost_in_file)" "$lost"
check "the file marks the loss for viewers" \
	sh -c 'vitrine print /tmp/lossy.fxt | grep -q "buffer filled up"'
check "the marks in the file tell the number of lost records" \
	test "$(marked /tmp/lossy.fxt)" = "$(lost_in_file)"
written=$(total .records)
# The file also contains switches that close a row where records are missing.
read=$(number "switches on" /tmp/lossy.log)
echo "# $written written, $read read, $lost lost"
check "written = read + lost, to the record" test "$written" = $((read + lost))

# Two threads on each CPU, which switch as often as they can.
runs=${1:-10}
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu "$WORKLOAD" crowd 2 1000000000 &
done
check "the same on each CPU, in $runs random runs" \
	eval '"$VITRINE_SELFTESTS/loss_runs" $runs >/tmp/loss_runs.log'
mapfile -t crowds < <(jobs -p)
kill "${crowds[@]}"
sed 's/^/# /' /tmp/loss_runs.log

finish
