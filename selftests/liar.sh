#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The consumer page of a ring gets random values while the ring is written: the kernel is
# unharmed, the recording is valid, and each switch is either recorded or counted as lost.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load mode=streaming buffer_kb=16 subbuf_kb=4 || exit

seed=$RANDOM
echo "# seed $seed"
"$VITRINE_SELFTESTS/liar" "$seed" "$TRACE"/cpu* &
liar=$!
begun=$(total .subbuffers)
sample before ".records + .lost_records"
check "a load" "$WORKLOAD" crowd 20 15000
check "a recorder beside it" vitrine record --no-wakeups -o /tmp/beside.fxt -t 1
check "has a sound trace" vitrine check /tmp/beside.fxt
check "the liar is still at it" kill $liar
wait $liar
check "and ends when it is told to" test $? = 0
check "a load that fills the rings" "$WORKLOAD" crowd 20 5000
sample after ".records + .lost_records"
begun=$(($(total .subbuffers) - begun))
set_to enable 0

# Where there is room again three records are no switches: one closes the row, one
# opens it, one tells of the loss. That is when a sub-buffer begins.
echo "# $(total .records) recorded, $(total .lost_records) lost, $begun sub-buffers"
check "each switch was recorded or counted" each_is_counted $((3 * begun))
check "some were recorded" test "$(total .records)" -gt 1000
check "some were lost" test "$(total .lost_records)" -gt 0
check "what is in the rings is sound" rings_are_sound

finish
