#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Filters, ranges and selectors that select nothing: every command exits with 1 and says what
# was asked, what there is, and the nearest name; it reports on nothing and writes no file.

. "$(dirname "$0")/command" || exit

traces waits vitrine records still
mkdir -p vitrine/inspect/retained
flight_recorder waits.fxt
golden_tree v2-tree vitrine/inspect/fakedev.inspect
printf '%s\n' +sched -irq >vitrine/trace/events
export NO_COLOR=1

# says STATUS MESSAGE ARGUMENT...: vitrine exits with STATUS and its only output is MESSAGE
says()
{
	rm -f out.*
	command_into_files "${@:3}"
	cat out err
	[ "$(cat status)" = "$1" ] && [ ! -s out ] && [ "$(cat err)" = "vitrine: $2" ] &&
		! compgen -G 'out.*'
}

# partly MESSAGE PATTERN ARGUMENT...: vitrine exits with 1, after MESSAGE and a report
partly()
{
	command_into_files "${@:3}"
	cat out err
	[ "$(cat status)" = 1 ] && [ "$(cat err)" = "vitrine: $1" ] && grep -q -- "$2" out
}

# ---- Filters of a trace

thread="waits.fxt: no thread has the name or number \`alpga'; the trace has 4 threads; the nearest name is \"alpha\""
for command in latency "latency -j" "latency -w" why "flame -o out.svg" "timeline -o out.html" print \
	"cut -o out.fxt"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "$command: a thread" says 1 "$thread" $command -t alpga waits.fxt
done
check "a trace in a pipe" says 1 "${thread/waits.fxt/standard input}" latency -t alpga - <waits.fxt
check "the flight recorder" has 'nearest name is "alpha"' latency --live -t alpga
check "no name is near" says 1 \
	"waits.fxt: no thread has the name or number \`postgres'; the trace has 4 threads" \
	latency -t postgres waits.fxt
check "a part of a name" says 1 \
	"vitrine.fxt: no thread has the name or number \`ork'; the trace has 1 thread; the nearest name is \"worker\"" \
	print -t ork vitrine.fxt
check "a number" says 1 \
	"waits.fxt: no thread has the name or number \`77'; the trace has 4 threads" print -t 77 waits.fxt
check "a process" says 1 \
	"vitrine.fxt: no process has the name or number \`mqin'; the trace has 1 process; the nearest name is \"main\"" \
	flame -p mqin vitrine.fxt -o out.folded
check "a CPU" says 1 "vitrine.fxt: no record is from CPU 7; the trace has 2 CPUs, up to CPU 1" \
	timeline -c 7 vitrine.fxt -o out.svg
check "a range of CPUs" says 1 \
	"vitrine.fxt: no record is from CPU 5-7; the trace has 2 CPUs, up to CPU 1" print -c 5-7 vitrine.fxt
check "an event" says 1 \
	"records.fxt: no record matches \`cat:instan'; the trace has 3 kinds of events; the nearest name is \"cat:instant\"" \
	print -e cat:instan records.fxt
check "a category" says 1 \
	"records.fxt: no record matches \`cta:*'; the trace has 3 kinds of events; the nearest name is \"cat:*\"" \
	print -e 'cta:*' records.fxt
check "a kind that the trace lacks" says 1 \
	"waits.fxt: no record matches \`log'; the trace has 0 kinds of events" print -e log waits.fxt
check "filters that exclude each other" says 1 "vitrine.fxt: no record matches all filters" \
	print -t idle -p main -e lost vitrine.fxt
check "one value of two: the other is reported" partly "$thread" ^gamma latency -t alpga -t gamma waits.fxt
check "print: one value of two" partly "$thread" gamma print -t alpga -t gamma waits.fxt
check "cut: one value of two" refuses 1 "$thread" "$vitrine" cut -t alpga -t gamma waits.fxt -o part.fxt
check "cut: the other is written" output_has gamma "$vitrine" print part.fxt
check "two values that match nothing" filtered 2 "grep -c nearest" print -t alpga -t gama waits.fxt

# ---- Times

after="waits.fxt: no record is from 100 s on; the trace covers 0.000001 s to 0.00000665 s"
for command in latency why print "flame -o out.svg" "timeline -o out.svg" "cut -o out.fxt"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "$command: a range behind the end" says 1 "$after" $command --from 100 waits.fxt
done
check "a range before the begin" says 1 \
	"waits.fxt: no record is up to 0.0000005 s; the trace covers 0.000001 s to 0.00000665 s" \
	latency --to 500ns waits.fxt
check "relative times" says 1 "waits.fxt: no record is from 0.00001 s on; the trace covers 0 s to 0.00000565 s" \
	print -r --from 10us waits.fxt
check "between two records" says 1 \
	"waits.fxt: no record is from 0.00000101 s to 0.000001011 s; the nearest are at 0.000001 s and 0.0000011 s" \
	print --from 1010ns --to 1011ns waits.fxt
check "between two records, a thread runs" output_has alpha "$vitrine" latency --from 1010ns --to 1011ns waits.fxt
check "a thread that had ended" says 1 \
	"waits.fxt: none of the records that the filters select is from 0.0000053 s on; they cover 0.000001 s to 0.0000052 s" \
	latency -t alpha --from 5300ns waits.fxt
for command in latency print "flame -o out.svg" "timeline -o out.svg" "cut -o out.fxt"; do
	# shellcheck disable=SC2086
	check "${command%% *}: the end before the begin" refused "--from is later than --to" \
		$command --from 2 --to 1 waits.fxt
done

# ---- Trees

node="fakedev:naems: node \"root\" of tree \"fakedev\" has no node or property \"naems\"; it has 1 node and 12 properties; the nearest name is \"names\""
check "show: a node" says 1 "$node" show fakedev:naems
check "metrics" partly "$node" '^# EOF' metrics fakedev:naems
check "watch" says 1 "$node" watch fakedev:naems
check "diff: exit status as diff(1)" says 3 "$node" diff fakedev:naems fakedev
tree="fakedve: no tree or file has this name; there is 1 tree; the nearest name is \"fakedev\""
check "a tree" says 1 "$tree" show fakedve
check "list: a tree" says 1 "$tree" list fakedve
check "list: no name is near" says 1 \
	"nosuch*: no tree or file has this name; there is 1 tree; run \`vitrine list' to see them" list 'nosuch*'

node=${node/naems:/naems:uint:}
check "a node of a property" says 1 "${node/node or property/node}" show fakedev:naems:uint
check "a property" says 1 \
	"fakedev:kid:unit: node \"kid\" of tree \"fakedev\" has no property \"unit\"; it has 0 nodes and 1 property; the nearest name is \"uint\"" \
	show fakedev:kid:unit
check "a property of the root needs no node" prints "fakedev:
  dbl = 0.1" "$vitrine" show fakedev:dbl
check "list --events: a category" has tracefs list --events schde

# ---- Recordings that do not differ, or cannot be compared

"$mkfxt" load 1 0 >load.fxt
check "diff: no difference" prints \
"No difference: 28 groups of times were compared; 4 of 4 threads, by name, ran on both sides.
A difference is a change of a median by 1 %, or of a mean by 5 %, that is significant (p <= 0.05 for all groups together)." \
	"$vitrine" diff load.fxt load.fxt
check "diff: nothing to compare" says 3 \
	"the traces cannot be compared: 0 of 5 threads, by name, ran on both sides, and none of them ran or waited at least 8 times on each; record for longer, or compare recordings of one workload" \
	diff waits.fxt vitrine.fxt
check "diff --json: nothing to compare" refuses 3 '"compared": 0' "$vitrine" diff -j waits.fxt vitrine.fxt

plan
