#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine merge': every record of every file is in the result, at its real time, with
# unique CPUs and threads.

. "$(dirname "$0")/command" || exit

# later FILE NS: print the trace FILE as if it had been recorded NS nanoseconds later
later()
{
	perl -0777 -pe 's/(VTPACKET.{72})(.{8})/$1 . pack("Q<", unpack("Q<", $2) + '"$2"')/gse' "$1"
}

# moved FILE CPUS THREADS NS: print the records of FILE as expected in the merged trace, with
# CPUS added to CPU numbers, THREADS to thread ids and NS to times
moved()
{
	"$vitrine" print --json "$1" | jq -c --argjson cpus "$2" --argjson threads "$3" --argjson ns "$4" '
		select(.kind != "provider-event") |
		def move: if . != 0 then . + $threads else . end;
		del(.offset, .provider) | .cpu += $cpus | .time_ns += $ns |
		(.in?, .out?, .thread? | select(.) | .tid) |= move |
		(.in?, .out?, .thread? | select(.) | .pid) |= move'
}

# merged FILE CPU...: print the records of these CPUs in FILE
merged()
{
	"$vitrine" print --json --cpu "$(IFS=,; echo "${*:2}")" "$1" | jq -c 'del(.offset, .provider)'
}

# overlapping NR: make a trace of NR complete durations, all of which begin before the first
# one ends
overlapping()
{
	mktrace "$1" <<-'END'
	nr = int(sys.argv[1])
	put(*(event(i, 1, 1 + i % 9, b"", b"work", kind=4, last=[10 * nr + i // 3 + (i % 2) * nr]) for i in range(nr)))
	END
}

# threads TIME,ID...: make a trace with an event of thread ID at TIME; the id is the name of
# the thread, too
threads()
{
	mktrace "$@" <<-'END'
	events = [arg.split(",") for arg in sys.argv[1:]]
	put(*(name(2, int(koid), koid.encode()) for koid in {koid for _, koid in events}),
	    *(event(int(time), int(koid), int(koid), b"", b"work") for time, koid in events))
	END
}

# large NR: make a trace with a large blob of NR bytes between two events
large()
{
	mktrace "$1" <<-'END'
	nr = int(sys.argv[1])
	put(event(1, 1, 1, b"", b"work"),
	    record(15, 0, 0x8004 << 16, stream(b"blob"), 2, 1, 1, nr, stream(bytes(i % 251 for i in range(nr)))),
	    event(3, 1, 1, b"", b"work"))
	END
}

# Merging takes three times as long as printing. It would take 200 times as long if the time
# were quadratic.
is_linear()
{
	local print merge

	print=$(least print "$1")
	merge=$(least merge "$1" -o least.fxt)
	echo "print $print ms, merge $merge ms"
	[ "$merge" -lt $((20 * print + 100)) ]
}

# durations FILE: print name, begin, end and thread of each duration
durations()
{
	"$vitrine" print --json "$1" | jq -c '[.name, .time_ns, .end_ns, .thread.tid % 10000000]' | sort
}

merge()
{
	command_into_files merge "$@"
}

traces vitrine crowd
mv vitrine.fxt lost.fxt
mv crowd.fxt foreign.fxt
"$mkfxt" speed 8000 >a.fxt
later a.fxt 1500 >b.fxt
# A wakeup by a thread that has a name, and no other record.
mktrace >waker.fxt <<<'put(name(2, 7, b"boss"), wakeup(5, 8, arg(b"waker", 7)))'

check "no OUT" refused "" merge a.fxt b.fxt
check "no FILE" refused "" merge -o out.fxt
merge waker.fxt -o waked.fxt
check "the name of a waker" has 'object  thread 7 "boss"' print -a waked.fxt
# One by an interrupt, in a file without sub-buffers: it is not by the thread that runs.
mktrace >interrupt.fxt <<<'put(switch(1, 0, 7), *(wakeup(2 + i, 8, context=i) for i in range(5)))'
merge interrupt.fxt -o waked.fxt
check "the waker after an interrupt" filtered $'7\n7\n0\n0\n7' "jq .args.waker" print -j -e wakeup waked.fxt
check "no such file" exits 3 "missing.fxt: cannot open" merge a.fxt missing.fxt -o out.fxt
check "no trace" exits 1 "/dev/null: offset 0x0: not a Fuchsia trace" merge a.fxt /dev/null -o out.fxt
check "a failed merge leaves no file" no_file 'out*.fxt*'

large 300001 >large.fxt
check "a record that is larger than a sub-buffer" exits 0 "" merge large.fxt -o out.fxt
check "a record that is larger than a sub-buffer: the same words" \
	same <("$vitrine" print large.fxt) <("$vitrine" print out.fxt)
check "a record that is larger than a sub-buffer: the trace is sound" sound out.fxt

head -c 1500 a.fxt >cut.fxt
check "a damaged file" exits 1 "cut.fxt: offset 0x[0-9a-f]+: .*; left out" merge lost.fxt cut.fxt -o out.fxt
check "what could be read is merged" sound out.fxt
rm out.fxt

check "three files" exits 0 "" merge a.fxt b.fxt a.fxt -o three.fxt
check "three files: the result is one sound trace" sound three.fxt \
	" 24000 switches, 6 CPUs, 4 threads, 0 records lost"
check "three files: the first is unchanged" same <(moved a.fxt 0 0 0) <(merged three.fxt 0 1)
check "three files: the second has its own CPUs, threads and times" \
	same <(moved b.fxt 2 10000000 1500) <(merged three.fxt 2 3)
check "three files: the third has its own CPUs, threads and times" same <(moved a.fxt 4 20000000 0) <(merged three.fxt 4 5)
check "three files: records are in time order" sort -c -n <("$vitrine" print --json three.fxt | jq .time_ns)

check "a trace with losses" exits 0 "" merge b.fxt lost.fxt -o losses.fxt
check "as many records are lost as before" sound losses.fxt \
	"$("$vitrine" check lost.fxt | grep -o ' [0-9]* records lost')"

merge a.fxt foreign.fxt -o foreigners.fxt
check "a trace of another producer is aligned" ended 0 \
	"foreign.fxt: has no wall-clock time; aligned with the start of the earliest trace"
check "all records of both producers are there" test "$("$vitrine" print foreigners.fxt | wc -l)" = \
	$(($("$vitrine" print a.fxt | wc -l) + $("$vitrine" print foreign.fxt | wc -l)))
check "the merged trace of two producers is sound" sound foreigners.fxt

# Thread 77 of the second file would get the id 10000077, which the first file has, too.
threads 1,5 3,10000077 9,10000077 >low.fxt
threads 2,77 4,5 >high.fxt
merge low.fxt high.fxt -o taken.fxt
check "ids that are taken" ended 0 "low.fxt: has no wall-clock time" "high.fxt: has no wall-clock time"
check "an id that is taken is replaced" json \
	$'5,5\n10000077,77\n1610612736,10000077\n10000005,5\n1610612736,10000077' \
	'select(.kind == "instant") | "\(.thread.tid),\(.thread.name)"' print --json taken.fxt

overlapping 30000 >many.fxt
merge many.fxt many.fxt -o durations.fxt
check "durations that overlap" ended 0 "many.fxt: has no wall-clock time" "many.fxt: has no wall-clock time"
check "overlapping durations are all there" same <(durations many.fxt | sed p) <(durations durations.fxt)
check "the merged trace of overlapping durations is sound" sound durations.fxt
check "overlapping durations take linear time" is_linear many.fxt

plan
