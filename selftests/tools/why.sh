#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Why threads waited: `vitrine why' and `vitrine flame', to the byte.
#
# DIR holds mkfxt, which makes the traces. What is expected is in selftests/golden/why/:
# NAME.answer, NAME.answer.json, NAME.folded and NAME.svg; and in rules.waits what `vitrine why'
# says of each wait in the trace "rules". Each rule has one there, and names with "no-" are those of
# waits that lack what a rule asks for.
#
#   UPDATE=1 why.sh ...	write those files anew; then read the difference

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# expected NAME ARGUMENT...: vitrine prints the contents of the golden file NAME
expected()
{
	printed "$1" "$vitrine" "${@:2}"
}

# printed NAME COMMAND...: COMMAND prints the contents of the golden file NAME
printed()
{
	"${@:2}" >out 2>&1 || return
	[ -z "${UPDATE-}" ] || cp out "$golden/why/$1"
	diff -u "$golden/why/$1" out
}

# waits FILE: print kind and words of all waits but those for CPUs
waits()
{
	"$vitrine" why --all --json "$1" |
		jq -r '.waits[] | select(.kind != "cpu") | "\(.group): \(.kind), \(.what)"' | sort
}

# parts FILE ARGUMENT...: the parts of the critical path of the command, and the kinds of each group, add up
parts()
{
	"$vitrine" why --json "$@" | jq -e '
		(.end_ns - .begin_ns) == ([.command.path[].sum_ns] | add) and
		(.groups | length > 0 and all(.sum_ns == ([.kinds_ns[]] | add)))'
}

# shown FILE: each command that a finding names shows a wait of the thread that is as long
shown()
{
	local ns name command nr=0

	while read -r ns name command; do
		if ! $command >out || ! grep -q "^$name/.*: $ns [a-z]" out; then
			echo "$command"
			cat out
			return 1
		fi
		nr=$((nr + 1))
	done < <("$vitrine" why "$1" |
		 sed -n "s|^ *longest \([^,]*\), \(.*\): vitrine \(why .*\)|\1 \2 $vitrine \3|p")
	[ $nr -gt 0 ]
}

# fits FILE: the answer fits on a screen
fits()
{
	"$vitrine" why "$1" | awk 'length($0) > 100 || NR > 40 { print; bad = 1 } END { exit bad }'
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

# bounded KIB ARGUMENT...: vitrine needs fewer than KIB more memory for a trace that is ten times larger
bounded()
{
	local few many

	few=$(peak "${@:2}" few.fxt) && many=$(peak "${@:2}" many.fxt) || return
	echo "$few, then $many KiB"
	[ $((many - few)) -lt "$1" ]
}

for name in disk starved relay still waits spans torn wide snapshot throttled limited unlimited rules convoy quiet prompt served worker promoted peers sampled busy seldom idle; do
	"$mkfxt" $name >$name.fxt
done
"$mkfxt" stacks 9000 >stacks.fxt

# ---- why

check "each rule applies where it should" printed rules.waits waits rules.fxt
check "a nap is ended by nobody, whoever ran then" prints '[[],["sleep"]]' bash -c "'$vitrine' why -j rules.fxt |
	jq -c '.waits[] | select(.group == \"nap-beside\" and .kind == \"sleep\") | [.ended_by, [.longest.path[].kind]]'"
check "of the C library, a stack has what the program called" prints \
	"in fdatasync < sqlite3_step" bash -c "'$vitrine' why -p no-sqlite --from 0.057 --to 0.067 rules.fxt |
	grep -o 'in fdatasync.*'"
check "a function in C++ without its arguments" prints \
	"in pthread_cond_timedwait < handler::ha_index_read_map" \
	bash -c "'$vitrine' why -p mariadb --from 0.816 --to 0.826 rules.fxt | grep -o 'in pthread.*'"
check "a convoy: the holder of the lock at each moment" expected convoy.answer why convoy.fxt
check "a convoy: JSON" expected convoy.answer.json why --json convoy.fxt
check "a convoy: the last waiter waited for all that had the lock" prints '["holder","second","first"]' \
	bash -c "'$vitrine' why -j convoy.fxt | jq -c '.waits[0].longest.path[:3] | map(.thread.name)'"
check "all parts add up" parts convoy.fxt
check "a part of the time, within which waits begin, end, or do neither" expected part.answer \
	why --from 0.05 --to 0.3 convoy.fxt
check "a part of the time: all parts add up" parts --from 0.05 --to 0.3 convoy.fxt
check "a part of the time: no wait is longer than the longest" prints true \
	bash -c "'$vitrine' why -j --from 0.05 --to 0.3 convoy.fxt | jq '.waits | all(.p99_ns <= .longest.waited_ns)'"
check "the end of the trace is before that of the command" prints "from exec to the end of the trace" \
	bash -c "'$vitrine' cut --to 0.3 convoy.fxt -o cut.fxt && '$vitrine' why cut.fxt | grep -o 'from exec to [a-z ]*e'"
check "no command: all programs" expected disk.answer why disk.fxt
check "no command: JSON" expected disk.answer.json why -j disk.fxt
check "a command that runs: nothing is wrong" expected quiet.answer why quiet.fxt
check "a command before which no thread waited" expected prompt.answer why prompt.fxt
check "a command that waits for a server, which runs" expected served.answer why served.fxt
check "a command that is idle" expected idle.answer why idle.fxt
check "more stacks than are kept: the threads have names, and their waits are told" prints \
	"app:60/60 app unknown" bash -c "'$vitrine' why -j stacks.fxt |
		jq -r '\"\(.command.thread.name):\(.command.thread.tid)/\(.command.thread.pid) \(.groups[0].group) \(.waits[0].kind)\"'"
check "what a command executed, and what is not on its critical path" expected busy.answer why busy.fxt
check "the same as JSON" printed busy.functions \
	bash -c "'$vitrine' why -j busy.fxt | jq -c '.groups[] | .group, .functions[]'"
check "too few samples to say it" expected seldom.answer why seldom.fxt
check "what all programs executed" expected busy-all.answer why -p app busy.fxt
check "a few samples of all programs tell nothing" prints 0 bash -c "'$vitrine' why sampled.fxt | grep -c 'running: '"
check "a worker of the kernel that was idle until the disk had finished" expected worker.answer why worker.fxt
check "threads that wait for one another" expected peers.answer why peers.fxt
check "a real-time thread" expected starved.answer why starved.fxt
check "a thread that becomes a real-time thread, of the same name as the one behind it" expected promoted.answer why promoted.fxt
check "a limit of a cgroup, which has throttled it" expected limited.answer why limited.fxt
check "a limit of a cgroup, which has not" expected unlimited.answer why unlimited.fxt
check "an idle CPU, and no limit is known" expected throttled.answer why throttled.fxt
check "a process" expected process.answer why -p app --from 0.012 disk.fxt
for name in convoy disk rules relay snapshot torn quiet served; do
	check "$name: the answer fits on a screen" fits $name.fxt
done
check "a time: the critical path of a wait, part by part" expected at.answer \
	why -t third --at 0.0735 convoy.fxt
check "a time: of many parts, those around it" expected at-part.answer why -t runner-11 --at 800us relay.fxt
check "a time: all parts" prints 23 \
	bash -c "'$vitrine' why -a -t runner-11 --at 800us relay.fxt | grep -c runner-.*:.*ing"
check "a time: the command" prints "app:60/60, from 0.010000000 to 0.365000000: 355.0ms waiting for the end of a thread" \
	bash -c "'$vitrine' why --at 0.2 convoy.fxt | head -n 1"
check "a time of which nothing is known" refuses 1 "at 9.000000000 is not known" "$vitrine" why --at 9 convoy.fxt
check "the time 0 of which nothing is known" refuses 1 "at 0.000000000 is not known" "$vitrine" why --at 0 convoy.fxt
check "no time" refused "is not a time" why --at soon convoy.fxt
check "a time as JSON" refused "excludes --json" why --at 1 -j convoy.fxt
for name in convoy disk peers limited; do
	check "$name: the commands that findings name show their waits" shown $name.fxt
done
check "neither a file nor a command" refused "give one of" why
check "a file and a command" refused "give one of" why convoy.fxt -- true
check "a file and a time" refused "give one of" why --for 1s convoy.fxt
check "an output for a file" refused "is for a recording" why -o out.fxt convoy.fxt

# ---- what is not known, and what is left

check "threads that wake one another" expected relay.answer why relay.fxt
check "threads that are still blocked at the end" expected still.answer why still.fxt
check "threads that are still blocked at the end are in the flame graph" expected still.folded flame still.fxt -f -o -
check "no stacks, no system calls" expected waits.answer why waits.fxt
check "lost records" expected torn.answer why torn.fxt
check "a CPU above 255" expected wide.answer why wide.fxt
check "rings that begin at different times" expected snapshot.answer why snapshot.fxt
check "a stall in a question about a thread" fails grep "^1\." <("$vitrine" why -t cc1 snapshot.fxt)
check "a thread alone" prints '["app/holder"]' bash -c "'$vitrine' why -j -t holder disk.fxt | jq -c '[.groups[].group]'"
mkdir -p vitrine/trace && cp disk.fxt vitrine/trace/trace.fxt
check "the flight recorder, which print does not read" same \
	<(sed 's/: vitrine why -t [0-9]* --at \(.*\) disk.fxt/, from \1 on/' "$golden/why/disk.answer") \
	<(VITRINE_DEBUGFS=. "$vitrine" why --live)
check "the end of the flight recorder" prints '[8700000,13700000]' \
	bash -c "VITRINE_DEBUGFS=. '$vitrine' why --last 5ms -j | jq -c '[.begin_ns, .end_ns]'"
check "a pipe, which no other command can read again" same \
	<(sed 's/: vitrine why -t [0-9]* --at \(.*\) disk.fxt/, from \1 on/' "$golden/why/disk.answer") \
	<("$vitrine" why - <disk.fxt)
check "no flight recorder" refuses 3 "the module vitrine is not loaded" env VITRINE_DEBUGFS=/nowhere "$vitrine" why --last 30
check "latency --why is the same" same "$golden/why/disk.answer" <("$vitrine" latency --why disk.fxt)
check "latency --why has no --sort" refused "--why excludes" latency --why --sort p99 disk.fxt
check "latency --why has no --count" refused "--why excludes" latency --why -n 3 disk.fxt
check "--count is for reports" refused "excludes .*--count" latency -n 3 --switches disk.fxt
check "--sort is for reports" refused "--switches excludes --sort" latency --sort p99 --switches disk.fxt
for count in 0 1001 3x; do
	check "--count=$count" refused "not a number" latency -n $count disk.fxt
done

# ---- flame

check "folded: a mutex, a disk and a pipe" expected disk.folded flame disk.fxt -f -o -
check "folded: a real-time thread" expected starved.folded flame starved.fxt -f -o -
check "folded: samples of running threads" expected sampled.folded flame sampled.fxt -f -o -
check "samples of a part of the time" prints "cc1;cc1;running;cc1+0x1139;parse [cc1];hash [cc1] 8000" \
	bash -c "'$vitrine' flame --to 0.009 sampled.fxt -f -o - "
check "only running time, only waiting time: together they are all" same \
	<("$vitrine" flame sampled.fxt -f -o - | sort) \
	<({ "$vitrine" flame --on-cpu sampled.fxt -f -o -; "$vitrine" flame --off-cpu sampled.fxt -f -o -; } | sort)
check "only running time has no waits" fails grep -v ';running' <("$vitrine" flame --on-cpu sampled.fxt -f -o -)
check "--folded is no picture" refused "--folded excludes -o out.svg" flame -f disk.fxt -o out.svg
check "--on-cpu excludes --off-cpu" refused "excludes" flame --on-cpu --off-cpu sampled.fxt -o -
check "folded: of two traces" expected both.folded flame disk.fxt starved.fxt -f -o -
check "a picture" expected disk.svg flame disk.fxt -o -
check "a picture of two traces" expected both.svg flame starved.fxt disk.fxt -o -
for name in disk starved; do
	"$vitrine" flame $name.fxt -o $name.svg
	"$vitrine" flame $name.fxt -o $name.folded
	"$vitrine" flame $name.fxt -o $name.html
	check "$name: the picture is XML" xmllint --noout $name.svg
	check "$name: frames stand on their callers" stands $name.svg
	check "$name: by the suffix, folded" diff $name.folded "$golden/why/$name.folded"
	check "$name: the picture is in the page" grep -qxFf <(grep -F '<g class' $name.svg | head -n 1) $name.html
	check "$name: nothing from elsewhere" self_contained $name.html
done
check "all that threads did is there" test "$(folded_sum disk.folded)" = \
	"$("$vitrine" why --all -j disk.fxt | jq '[.groups[].kinds_ns.running, .waits[].sum_ns] | add / 1000')"
check "the same twice: no change" prints '#ececec' bash -c "'$vitrine' flame disk.fxt disk.fxt -o - |
	sed -n '/^<g class/{N;s/.* fill=\"\(#[0-9a-f]*\)\".*/\1/p}' | sort -u"
check "a thread alone, a part of the time" prints 'app;holder;running 200' \
	"$vitrine" flame -t holder --from 0.0135 --to 0.02 disk.fxt -f -o -
check "a process alone" prints app \
	bash -c "'$vitrine' flame -p app disk.fxt -f -o - | sed 's/;.*//' | sort -u"
check "--live draws the flight recorder" same "$golden/why/disk.folded" \
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
check "one of two cannot be read: nothing is drawn" exits 3 "absent.fxt: cannot open" flame disk.fxt absent.fxt -o none.svg
check "one of two cannot be read: no file is left" test ! -e none.svg
check "where nothing can be written" exits 3 "/nowhere/x.svg: cannot create: No such file" flame disk.fxt -o /nowhere/x.svg

# ---- memory

"$mkfxt" speed 100000 >few.fxt
"$mkfxt" speed 1000000 >many.fxt
check "memory: why, a part of which is that of the turns" bounded $((900000 * 56 / 1024)) why
check "memory: flame" bounded 8192 flame -o -

plan
