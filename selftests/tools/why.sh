#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Why threads waited: `vitrine latency --why' and `vitrine flame', to the byte.
#
#   why.sh VITRINE WORDS DIR
#
# DIR holds mkfxt, which makes the traces. What is expected is in selftests/golden/why/:
# NAME.text, NAME.json, NAME.folded and, of two traces, NAME.svg.
#
#   UPDATE=1 why.sh ...	write those files anew; then read the difference

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"
golden=$(cd "$(dirname "$0")/../golden/why" && pwd)

# expected NAME ARGUMENT...: vitrine prints the contents of the golden file NAME
expected()
{
	local name=$1

	shift
	"$vitrine" "$@" >out 2>&1 || return
	[ -z "${UPDATE-}" ] || cp out "$golden/$name"
	diff -u "$golden/$name" out
}

# longest FILTER ARGUMENT...: print the result of jq for each of the longest waits
longest()
{
	local filter=$1

	shift
	"$vitrine" latency --why --json "$@" | jq -c "[.longest[] | $filter]"
}

# frames FILE: print row, left edge, width and name of each frame, the root first
frames()
{
	sed -n '/^<g class="f">/{N;s/^<g class="f"><title>\(.*\)\n.*<rect x="\([0-9.]*\)" y="\([0-9]*\)" width="\([0-9.]*\)".*/\3 \2 \4 \1/p}' "$1"
}

# stands FILE: each frame is within the edges of a frame of the row below, and frames of a
# row do not overlap
stands()
{
	frames "$1" | sort -k1,1nr -k2,2n | awk '
		$1 != row { for (i in below) delete below[i]
			    for (i = 1; i <= nr; i++) below[i] = this[i]
			    nr_below = nr; nr = 0; row = $1; end = 0 }
		{ inside = !nr_below
		  for (i = 1; i <= nr_below; i++) {
			split(below[i], edge)
			inside = inside || ($2 >= edge[1] - 0.02 && $2 + $3 <= edge[2] + 0.02)
		  }
		  if (!inside || $2 < end - 0.02 || $3 <= 0) { print "misplaced: " $0; bad = 1 }
		  end = $2 + $3; this[++nr] = $2 " " end; all++ }
		END { exit bad || all < 10 }'
}

# folded_sum FILE...: print the sum of folded stacks in microseconds
folded_sum()
{
	awk '{ sum += $NF } END { print sum }' "$@"
}

# self_contained FILE: the page refers to no other file
self_contained()
{
	! grep -qE '(src|href)=|url\([^#]|@import|fetch\(' "$1"
}

# peak ARGUMENT...: print the peak memory use of vitrine in KiB
peak()
{
	ASAN_OPTIONS=quarantine_size_mb=1 python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$vitrine" "$@"
}

# bounded ARGUMENT...: vitrine needs hardly more memory for a trace that is ten times larger
bounded()
{
	local few many

	few=$(peak "$@" few.fxt) && many=$(peak "$@" many.fxt) || return
	echo "$few, then $many KiB"
	[ $((many - few)) -lt 8192 ]
}

cd "$dir" || exit 1
touch err
for name in disk starved held relay still waits spans torn wide snapshot throttled; do
	"$mkfxt" $name >$name.fxt
done

# ---- latency --why

check "a mutex, a disk and a pipe" expected disk.text latency --why disk.fxt
check "a mutex, a disk and a pipe: JSON" expected disk.json latency --why --json disk.fxt
check "a real-time thread starves others" expected starved.text latency --why starved.fxt
check "a real-time thread starves others: JSON" expected starved.json latency --why -j starved.fxt
check "the thread that had the CPU is taken from the event" expected held.text latency --why held.fxt
check "a chain of more wakers than are kept" expected relay.text latency --why -n 3 relay.fxt
check "threads that are still blocked at the end" expected still.text latency --why still.fxt
check "threads that are still blocked at the end: JSON" \
	prints '[[201,true,9000000],[400,null,7500000]]' longest '[.thread.tid, .still, .waited_ns]' still.fxt
check "one that was blocked before, if it is selected" prints '[[202,true]]' longest '[.thread.tid, .still]' -t holder still.fxt
check "threads that are still blocked at the end are in the flame graph" expected still.folded flame still.fxt -f -o -
check "no stacks, no system calls" expected waits.text latency --why waits.fxt
check "lost records" expected torn.text latency --why torn.fxt
check "a CPU above 255" expected wide.text latency --why wide.fxt
check "preempted, while the CPU was idle" expected throttled.text latency --why throttled.fxt
check "rings that begin at different times" expected snapshot.text latency --why snapshot.fxt
check "a thread alone" prints '["holder"]' longest .thread.name -t holder disk.fxt
check "a process" prints '["waiter","holder"]' bash -c "'$vitrine' latency --why -j -p app disk.fxt | jq -c '[.threads[].thread.name] | unique | reverse'"
check "a part of the time: waits that end in it" prints '[[2030000,1130000]]' \
	longest '[.end_ns, .waited_ns]' --to 0.013 disk.fxt
check "the longest one" prints '[["late",51050000]]' longest '[.thread.name, .waited_ns]' -n 1 starved.fxt
check "as many as there are" prints '[51050000,50010000,510000]' longest .waited_ns -n 1000 starved.fxt
check "the longest of many" prints true bash -c "'$vitrine' latency --why -j -n 5 relay.fxt | jq '[.longest[].waited_ns] == [1177000, 1079000, 981000, 883000, 785000]'"
check "each link woken by the next" prints true bash -c "'$vitrine' latency --why -j relay.fxt |
	jq '[.longest[].chain | range(length - 1) as \$i | .[\$i].waker.thread.tid == .[\$i + 1].thread.tid] | all'"
for name in disk relay; do
	check "$name: each link ends within the wait" prints true bash -c "'$vitrine' latency --why -j $name.fxt |
		jq '[.longest[] | .chain[0].begin_ns as \$begin | .chain[] | .end_ns > \$begin] | all'"
done
check "--why has no --map" refused "--why excludes" latency --why --map disk.fxt
check "--why has no --switches" refused "--why excludes" latency --why --switches disk.fxt
check "--why has no --sort" refused "--why excludes" latency --why --sort p99 disk.fxt
check "--why has no --by-name" refused "--why excludes" latency --why --by-name disk.fxt
check "--count is for reports" refused "exclude --count" latency -n 3 --switches disk.fxt
check "no wait at all" refused "not a number" latency --why -n 0 disk.fxt
check "too many" refused "not a number" latency --why -n 1001 disk.fxt
check "no number" refused "not a number" latency --why -n 3x disk.fxt

# ---- flame

check "folded: a mutex, a disk and a pipe" expected disk.folded flame disk.fxt -f -o -
check "folded: a real-time thread" expected starved.folded flame starved.fxt -f -o -
check "folded: of two traces" expected both.folded flame disk.fxt starved.fxt -f -o -
check "a picture" expected disk.svg flame disk.fxt -o -
check "a picture of two traces" expected both.svg flame starved.fxt disk.fxt -o -
for name in disk starved; do
	"$vitrine" flame $name.fxt -o $name.svg
	"$vitrine" flame $name.fxt -o $name.folded
	"$vitrine" flame $name.fxt -o $name.html
	check "$name: the picture is XML" xmllint --noout $name.svg
	check "$name: frames stand on their callers" stands $name.svg
	check "$name: by the suffix, folded" diff $name.folded "$golden/$name.folded"
	check "$name: the picture is in the page" grep -qxFf <(grep -F '<g class' $name.svg | head -n 1) $name.html
	check "$name: nothing from elsewhere" self_contained $name.html
done
check "all that threads did is there" test "$(folded_sum disk.folded)" = \
	"$(jq -s '[.[0].threads[].running_ns, (.[1].threads[] | .runnable_ns + .blocked_ns)] | add / 1000' \
		<("$vitrine" latency -j disk.fxt) <("$vitrine" latency --why -j disk.fxt))"
check "the same twice: no change" prints '#ececec' bash -c "'$vitrine' flame disk.fxt disk.fxt -o - |
	sed -n '/^<g class/{N;s/.* fill=\"\(#[0-9a-f]*\)\".*/\1/p}' | sort -u"
check "a thread alone, a part of the time" prints 'app;holder;running 200' \
	"$vitrine" flame -t holder --from 0.0135 --to 0.02 disk.fxt -f -o -
check "a process alone" prints app \
	bash -c "'$vitrine' flame -p app disk.fxt -f -o - | sed 's/;.*//' | sort -u"
mkdir -p vitrine/trace && cp disk.fxt vitrine/trace/trace.fxt
check "--live draws the flight recorder" same "$golden/disk.folded" \
	<(VITRINE_DEBUGFS=. "$vitrine" flame --live -f -o -)
check "a semicolon in a name is no frame" grep -q '^<victim> & "Co:";' starved.folded
check "markup in a name is none" grep -q '&lt;victim&gt; &amp; "Co:"' starved.svg
check "no output" refused "no output given" flame disk.fxt
check "no such format" refused "the suffix must be" flame disk.fxt -o out.png
check "threads and processes without names have frames of their own" same \
	<("$vitrine" flame waits.fxt --folded -o - | cut -d ';' -f 1,2 | sort -u) \
	<(printf '%s\n' '?:10;alpha' "?:20;be|ta<>&\"'" '?:40;?:41')
check "three traces" refused "more than two" flame a b c -o out.svg
check "neither file nor live" refused "either FILE or --live" flame -o out.svg
command_into_files flame disk.fxt absent.fxt -o none.svg
check "one of two cannot be read: nothing is drawn" ended 3 "absent.fxt: cannot open"
check "one of two cannot be read: no file is left" test ! -e none.svg
command_into_files flame disk.fxt -o /nowhere/x.svg
check "where nothing can be written" ended 3 "/nowhere/x.svg: cannot create: No such file"

# ---- memory

"$mkfxt" speed 100000 >few.fxt
"$mkfxt" speed 1000000 >many.fxt
check "memory: latency --why" bounded latency --why
check "memory: flame" bounded flame -o -

plan
