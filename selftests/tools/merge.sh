#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine merge': every record of every file is in the result, at its real time, with
# unique CPUs and threads.
#
#   merge.sh VITRINE WORDS DIR
#
# DIR holds mkfxt, which the Makefile builds.

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"

merge()
{
	command_into_files merge "$@"
}

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
	local file=$1 cpus

	shift
	cpus=$(IFS=,; echo "$*")
	"$vitrine" print --json --cpu "$cpus" "$file" | jq -c 'del(.offset, .provider)'
}

# overlapping NR: make a trace of NR complete durations, all of which begin before the first
# one ends
overlapping()
{
	python3 - "$1" <<-'END'
	import struct, sys
	nr = int(sys.argv[1])
	word = struct.Struct("<Q").pack
	out = sys.stdout.buffer
	out.write(word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9))
	for i in range(nr):
	    out.write(word(4 | 6 << 4 | 4 << 16 | 0x8004 << 48) + word(i) + word(1) + word(1 + i % 9) +
	              b"work\0\0\0\0" + word(10 * nr + i // 3 + (i % 2) * nr))
	END
}

# threads TIME,ID...: make a trace with an event of thread ID at TIME; the id is the name of
# the thread, too
threads()
{
	python3 - "$@" <<-'END'
	import struct, sys
	word = struct.Struct("<Q").pack
	def stream(text):
	    return text + bytes(-len(text) % 8)
	out = sys.stdout.buffer
	out.write(word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9))
	events = [arg.split(",") for arg in sys.argv[1:]]
	for koid in {koid for _, koid in events}:
	    body = word(int(koid)) + stream(koid.encode())
	    out.write(word(7 | (1 + len(body) // 8) << 4 | 2 << 16 | (0x8000 | len(koid)) << 24) + body)
	for time, koid in events:
	    out.write(word(4 | 5 << 4 | 0x8004 << 48) + word(int(time)) + word(int(koid)) * 2 + b"work\0\0\0\0")
	END
}

# waker: make a trace with a wakeup by a thread that has a name, and no other record
waker()
{
	python3 - <<-'END'
	import struct, sys
	word = struct.Struct("<Q").pack
	out = sys.stdout.buffer
	out.write(word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9))
	out.write(word(7 | 3 << 4 | 2 << 16 | 0x8004 << 24) + word(7) + b"boss\0\0\0\0")
	out.write(word(8 | 6 << 4 | 1 << 16 | 2 << 60) + word(5) + word(8) +
	          word(8 | 3 << 4 | 0x8005 << 16) + b"waker\0\0\0" + word(7))
	END
}

# large NR: make a trace with a large blob of NR bytes between two events
large()
{
	python3 - "$1" <<-'END'
	import struct, sys
	nr = int(sys.argv[1])
	word = struct.Struct("<Q").pack
	out = sys.stdout.buffer
	out.write(word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9))
	def event(ns):
	    out.write(word(4 | 5 << 4 | 0x8004 << 48) + word(ns) + word(1) + word(1) + b"work\0\0\0\0")
	event(1)
	out.write(word(15 | (7 + (nr + 7) // 8) << 4) + word(0x8004 << 16) + b"blob\0\0\0\0" + word(2) +
	          word(1) + word(1) + word(nr) + bytes(i % 251 for i in range(nr)) + bytes(-nr % 8))
	event(3)
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

cd "$dir" || exit 1
touch err
"$mkfxt" speed 8000 >a.fxt
"$mkfxt" vitrine >lost.fxt
"$mkfxt" recorded >recorded.fxt
"$mkfxt" crowd >foreign.fxt
later a.fxt 1500 >b.fxt
waker >waker.fxt

merge a.fxt b.fxt
check "no OUT" test "$(cat status)" = 2
merge -o out.fxt
check "no FILE" test "$(cat status)" = 2
merge waker.fxt -o waked.fxt
check "the name of a waker" grep -q 'object  thread 7 "boss"' <("$vitrine" print -a waked.fxt)
merge a.fxt missing.fxt -o out.fxt
check "no such file" ended 3 "missing.fxt: cannot open"
merge a.fxt /dev/null -o out.fxt
check "no trace" ended 1 "/dev/null: offset 0x0: not a Fuchsia trace"
check "a failed merge leaves no file" test -z "$(find . -name 'out*.fxt*')"

large 300001 >large.fxt
merge large.fxt -o out.fxt
check "a record that is larger than a sub-buffer" ended 0
check "a record that is larger than a sub-buffer: the same words" same <("$vitrine" print large.fxt) \
	<("$vitrine" print out.fxt)
check "a record that is larger than a sub-buffer: the trace is sound" grep -q ": no fault$" \
	<("$vitrine" check out.fxt)

head -c 1500 a.fxt >cut.fxt
merge lost.fxt cut.fxt -o out.fxt
check "a damaged file" ended 1 "cut.fxt: offset 0x[0-9a-f]+: .*; left out"
check "what could be read is merged" grep -q ": no fault" <("$vitrine" check out.fxt)
rm out.fxt

merge a.fxt -o one.fxt
check "one file" ended 0
check "one file is unchanged" same <("$vitrine" print a.fxt) <("$vitrine" print one.fxt)

merge a.fxt b.fxt a.fxt -o three.fxt
check "three files" ended 0
"$vitrine" check three.fxt >three.check
check "three files: the result is one sound trace" grep -q " 24000 switches, 6 CPUs, 4 threads, 0 records lost: no fault" three.check
check "three files: the first is unchanged" same <(moved a.fxt 0 0 0) <(merged three.fxt 0 1)
check "three files: the second has its own CPUs, threads and times" \
	same <(moved b.fxt 2 10000000 1500) <(merged three.fxt 2 3)
check "three files: the third has its own CPUs, threads and times" same <(moved a.fxt 4 20000000 0) <(merged three.fxt 4 5)
check "three files: records are in time order" sort -c -n <("$vitrine" print --json three.fxt | jq .time_ns)

merge b.fxt lost.fxt -o losses.fxt
check "a trace with losses" ended 0
"$vitrine" check lost.fxt >lost.check
"$vitrine" check losses.fxt >losses.check
check "as many records are lost as before" same <(grep -o "[0-9]* records lost" lost.check) \
	<(grep -o "[0-9]* records lost" losses.check)

merge recorded.fxt -o recorded.out.fxt
"$vitrine" check recorded.out.fxt >recorded.check
check "the recorder's note of a loss is not counted as a loss" \
	grep -q " 10 switches, .* 7 records lost: no fault" recorded.check

merge a.fxt foreign.fxt -o foreigners.fxt
check "a trace of another producer is aligned" ended 0 \
	"foreign.fxt: has no wall-clock time; aligned with the start of the earliest trace"
check "all records of both producers are there" test "$("$vitrine" print foreigners.fxt | wc -l)" = \
	$(($("$vitrine" print a.fxt | wc -l) + $("$vitrine" print foreign.fxt | wc -l)))
"$vitrine" check foreigners.fxt >foreigners.check
check "the merged trace of two producers is sound" grep -q ": no fault" foreigners.check

# Thread 77 of the second file would get the id 10000077, which the first file has, too.
threads 1,5 3,10000077 9,10000077 >low.fxt
threads 2,77 4,5 >high.fxt
merge low.fxt high.fxt -o taken.fxt
check "ids that are taken" ended 0 "low.fxt: has no wall-clock time" "high.fxt: has no wall-clock time"
check "an id that is taken is replaced" same <(printf '%s\n' 5,5 10000077,77 1610612736,10000077 10000005,5 1610612736,10000077) \
	<("$vitrine" print --json taken.fxt | jq -r 'select(.kind == "instant") | "\(.thread.tid),\(.thread.name)"')

overlapping 30000 >many.fxt
merge many.fxt many.fxt -o durations.fxt
check "durations that overlap" ended 0 "many.fxt: has no wall-clock time" "many.fxt: has no wall-clock time"
check "overlapping durations are all there" same <(durations many.fxt | sed p) <(durations durations.fxt)
"$vitrine" check durations.fxt >durations.check 2>&1
check "the merged trace of overlapping durations is sound" grep -q ": no fault" durations.check
check "overlapping durations take linear time" is_linear many.fxt

plan
