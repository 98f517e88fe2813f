#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ring far too small for its load: what is overwritten before it is read is
# counted to the record, and what was read is still sound.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load buffer_kb=8 subbuf_kb=4

# Stopped for part of the time, the recorder cannot keep up.
lossy_record()
{
	local recorder

	vitrine record -o /tmp/lossy.fxt -- "$WORKLOAD" crowd 20 20000 >/tmp/lossy.log 2>&1 &
	recorder=$!
	while kill -STOP $recorder 2>/dev/null; do
		sleep 0.2
		kill -CONT $recorder 2>/dev/null
		sleep 0.05
	done
	wait $recorder
}

check "record with a stopped consumer" lossy_record
sed 's/^/# /' /tmp/lossy.log
check "what was read is sound" vitrine check /tmp/lossy.fxt
vitrine check /tmp/lossy.fxt | sed 's/^/# /'

# Per CPU: read + lost = written between the first and the last record read.
lost=$(vitrine check /tmp/lossy.fxt | sed -nE 's/.* ([0-9]+) records lost.*/\1/p' | tail -n 1)
check "some were lost" test "${lost:-0}" -gt 0
check "the recorder says the same" grep -qE "(^|[^0-9])$lost lost" /tmp/lossy.log

finish
