#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Time across CPUs: a thread that migrates to all CPUs in turn is never recorded as
# switched in on one CPU before it was switched out on another, with any clock; and the
# trace contains the true rate of its clock.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

nr_cpus=$(nproc)
[ "$nr_cpus" -gt 1 ] || skip "one CPU has no order"
load || exit
clocks=$(tr -d '[]' <"$TRACE/clock")

# in_order FILE MOVES: the switches of "wander" in time order are on successive CPUs
in_order()
{
	vitrine print "$1" | perl -e '
		my ($on, $moves, $inverted, $last) = (undef, 0, 0, undef);
		while (<STDIN>) {
			my ($time, $cpu, $from, $to) =
				/^ *([0-9.]+) \[0*([0-9]+)\] switch +(.*?):[0-9]+\/.* ==> (.*?):[0-9]+\// or next;
			if ($from eq "wander") {
				$inverted++, print $_ if defined $on && $on != $cpu;
				$on = undef;
			}
			if ($to eq "wander") {
				$inverted++, print $_ if defined $on;
				$on = $cpu;
				$moves++ if defined $last && $last != $cpu;
				$last = $cpu;
			}
		}
		print "$moves moves, $inverted inverted\n";
		exit !!($inverted || $moves < $ARGV[0])' "$2"
}

for clock in $clocks; do
	check "clock $clock" set_to clock "$clock"
	check "clock $clock: record" vitrine record -o /tmp/order.fxt -- "$WORKLOAD" wander 2000
	check "clock $clock: sound" vitrine check /tmp/order.fxt
	in_order /tmp/order.fxt 1000 | tail -n 1 | sed "s/^/# clock $clock: /"
	check "clock $clock: in order on $nr_cpus CPUs" in_order /tmp/order.fxt 1000
done

finish
