#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The number of bytes per switch, counting all bytes of a recording, with as many
# threads as fit into a thread table, and with more.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

load || exit

# hundredths FILE: bytes per switch, times 100
hundredths()
{
	local bytes switches

	bytes=$(stat -c %s "$1")
	switches=$(number switches <(vitrine check "$1"))
	echo $((bytes * 100 / switches))
}

# takes MOST COMMAND...: record COMMAND with the current events; at most MOST bytes per
# switch, times 100
takes()
{
	local most=$1 what="${*:2}" each

	shift
	check "$what" vitrine record --no-wakeups -o /tmp/bytes.fxt -- "$WORKLOAD" "$@"
	each=$(hundredths /tmp/bytes.fxt)
	echo "# $what: $((each / 100)).$(printf %02d $((each % 100))) bytes a switch on $(nproc) CPUs"
	check "$what: at most $most bytes a switch" within 1600 "$each" $((most * 100))
}

takes 17 pingpong 30000
takes 18 crowd 40 60000
takes 30 crowd 400 60000
set_to events +sched
# With a wakeup of 40 bytes each, of which the waker takes 16 that the ring does not have.
takes 58 pingpong 30000
rm -f /tmp/bytes.fxt

finish
