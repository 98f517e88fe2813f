#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Why threads waited: `vitrine why' and `vitrine flame', to the byte.
#
# What is expected is in selftests/golden/why/:
# NAME.answer, NAME.answer.json, NAME.folded and NAME.svg; and in rules.waits what `vitrine why'
# says of each wait in the trace "rules". Each rule has one there, and names with "no-" are those of
# waits that lack what a rule asks for.
#
#   UPDATE=1 why.sh ...	write those files anew; then read the difference

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
	json true '(.end_ns - .begin_ns) == ([.command.path[].sum_ns] | add) and
		(.groups | length > 0 and all(.sum_ns == ([.kinds_ns[]] | add)))' why --json "$@"
}

# noted NAME KOID... <FILE: print FILE, with notes of the recorder: what the process KOID is
noted()
{
	mktrace "$@" <<-'END'
		for note, koid in zip(sys.argv[1::2], sys.argv[2::2]):
		    put(event(1, int(koid), int(koid), b"vitrine", note.encode()))
	END
	cat
}

# about EXPECTED FILE ARGUMENT...: the thread and the time of the command; null without one
about()
{
	json "$1" 'if .command then "\(.command.thread.tid) \(.begin_ns)-\(.end_ns)" else null end' \
		why -j "${@:2}"
}

# shown FILE: each command that a finding names shows a wait of the thread that is as long
shown()
{
	local ns name command nr=0

	while read -r ns name command; do
		# shellcheck disable=SC2086 # split into words on purpose
		has "^$name/.*: $ns [a-z]" $command || return
		nr=$((nr + 1))
	done < <("$vitrine" why "$1" | sed -n "s|^ *longest \([^,]*\), \(.*\): vitrine \(why .*\)|\1 \2 \3|p")
	[ $nr -gt 0 ]
}

# stands FILE: each frame is within the edges of a frame of the row below, and frames of a
# row do not overlap
stands()
{
	sed -n '/^<g class="f">/{N;s/^<g class="f"><title>\(.*\)\n.*<rect x="\([0-9.]*\)" y="\([0-9]*\)" width="\([0-9.]*\)".*/\3 \2 \4 \1/p}' "$1" |
		sort -k1,1nr -k2,2n | awk '
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
traces disk starved relay still waits spans torn wide snapshot throttled limited unlimited rules convoy quiet \
	prompt served worker promoted peers sampled busy seldom idle answered killed failed reader urgent urgent-limit slow-disk
"$mkfxt" stacks 9000 >stacks.fxt

# ---- why

check "each rule applies where it should" printed rules.waits waits rules.fxt
check "a nap is ended by nobody, whoever ran then" json '[[],["sleep"]]' '.waits[] |
	select(.group == "nap-beside" and .kind == "sleep") | [.ended_by, [.longest.path[].kind]]' why -j rules.fxt
check "of the C library, a stack has what the program called" has "in fdatasync < sqlite3_step$" \
	why -p no-sqlite --from 0.057 --to 0.067 rules.fxt
check "a function in C++ without its arguments" has "in pthread_cond_timedwait < handler::ha_index_read_map$" \
	why -p mariadb --from 0.827 --to 0.837 rules.fxt
check "a convoy: the holder of the lock at each moment" expected convoy.answer why convoy.fxt
check "a convoy: JSON" expected convoy.answer.json why --json convoy.fxt
check "a part of the time, within which waits begin, end, or do neither" expected part.answer \
	why --from 0.05 --to 0.3 convoy.fxt
check "a part of the time: all parts add up" parts --from 0.05 --to 0.3 convoy.fxt
check "a part of the time: no wait is longer than the longest" json true \
	'.waits | all(.p99_ns <= .longest.waited_ns)' why -j --from 0.05 --to 0.3 convoy.fxt
noted recorder 50 command 60 <convoy.fxt >noted.fxt
"$vitrine" cut --to 0.3 noted.fxt -o cut.fxt
check "the end of the trace is before that of the command" has "from exec to the end of the trace" why cut.fxt
check "no command: all programs" expected disk.answer why disk.fxt
check "no command: JSON" expected disk.answer.json why -j disk.fxt
check "a command that runs: nothing is wrong" expected quiet.answer why quiet.fxt
check "a command before which no thread waited" expected prompt.answer why prompt.fxt
check "a command that waits for a server, which runs" expected served.answer why served.fxt
check "a command that is idle" expected idle.answer why idle.fxt
check "more stacks than are kept: the threads have names, and their waits are told" json "app:60/60 app unknown" \
	'"\(.command.thread | "\(.name):\(.tid)/\(.pid)") \(.groups[0].group) \(.waits[0].kind)"' why -j stacks.fxt
check "what a command executed, and what is not on its critical path" expected busy.answer why busy.fxt
check "the same as JSON" json "$(cat "$golden/why/busy.functions")" \
	'.groups[] | .group, .functions[] | tojson' why -j busy.fxt
check "too few samples to say it" expected seldom.answer why seldom.fxt
check "what all programs executed" expected busy-all.answer why -p app busy.fxt
check "a few samples of all programs tell nothing" fails has 'running: ' why sampled.fxt
check "a worker of the kernel that was idle until the disk had finished" expected worker.answer why worker.fxt
check "threads that wait for one another" expected peers.answer why peers.fxt
check "a wait with a time limit, again and again, until a server answers, is one wait" json "1 73940000 server" \
	'.waits[] | select(.group == "app" and .kind == "thread") |
	"\(.count) \(.sum_ns) \(.ended_by[0].group)"' why -j answered.fxt
check "what the server did is in the critical path" has "^ +75 % +71.94ms +server sleeping: a nap" why answered.fxt
check "a program that was killed waited for a lock, not for who killed it" expected killed.answer why killed.fxt
check "a program that failed by itself" fails has "killed by" why failed.fxt
check "who ended the wait of a program that failed by itself" has "ended by killer" why failed.fxt
check "the reader of a pipe exits: no end of a thread" json "another thread" \
	'.waits[] | select(.group == "writer" and .kind != "cpu").what' why -aj reader.fxt
check "a child exits" json "child: a child" \
	'[.waits[] | select(.group == "app" and .kind == "child") | "\(.kind): \(.what)"] | unique[]' why -aj reader.fxt
check "a slow request among hundreds of fast ones" has "^1\. app: 90.00ms waiting for a disk \(slow\)$" why slow-disk.fxt
check "a real-time thread beside an idle CPU" has "behind what is not known, on an idle CPU \(100 %\)" why urgent.fxt
check "its limit" has "^1\. urgent: 50.00ms throttled by the limit of real-time threads, 95 %$" why urgent-limit.fxt
check "who may only have been interrupted" json \
	"doubt-event helper true, call-event helper true, doubt-mutex helper null, doubt-pipe helper null, doubt-disk null null" \
	'[.waits[] | select(.kind != "cpu")] as $all | ["doubt-event", "call-event", "doubt-mutex", "doubt-pipe", "doubt-disk"] |
	map(. as $group | $all[] | select(.group == $group) | "\(.group) \(.ended_by[0].group) \(.ended_by[0].unsure)") |
	join(", ")' why -aj rules.fxt
mktrace >hog.fxt <<'END'
put(*(name(1, koid, text) for koid, text in ((10, b"app"), (20, b"hog"))))
put(*(name(2, koid, text, arg(b"process", koid)) for koid, text in ((10, b"app"), (20, b"hog"))))
put(switch(1000, 0, 10), switch(10**6, 10, 20), wakeup(9 * 10**7, 10), switch(10**8, 20, 10), switch(11 * 10**7, 10, 0))
END
check "the same in words" has "^ +ended by hog or an interrupt \(100 %\)" why -p app hog.fxt
mktrace >pool.fxt <<'END'
stack = arg(b"stack", b"do_futex+0x1;futex_wait+0x1;schedule+0x1")
put(*(name(1, koid, text) for koid, text in ((10, b"app"), (20, b"app"))))
put(*(name(2, koid, text, arg(b"process", 10)) for koid, text in ((10, b"worker"), (11, b"main"))))
put(switch(1000, 0, 10), switch(2000, 10, 11), event(10**9, 10, 10, b"stacks", b"blocked", arg(b"blocked_ns", 998 * 10**6), stack))
put(wakeup(10**9, 10, context=1), switch(1001 * 10**6, 11, 10), switch(1002 * 10**6, 10, 11), switch(1003 * 10**6, 11, 0))
END
check "a worker that has only waited for a futex is idle" json '["app/main"]' '[.groups[].group]' why -j pool.fxt
mktrace >stall.fxt <<'END'
MS = 10**6
stack = arg(b"stack", b"do_futex+0x1;futex_wait+0x1;schedule+0x1")
put(name(1, 10, b"app"), *(name(2, koid, text, arg(b"process", 10)) for koid, text in ((10, b"worker"), (11, b"main"))))
put(switch(1000, 0, 11), switch(600 * MS, 11, 10, state=0), switch(800 * MS, 10, 11))
put(event(1000 * MS, 10, 10, b"stacks", b"blocked", arg(b"blocked_ns", 200 * MS), stack), wakeup(1000 * MS, 10, context=1))
put(switch(1001 * MS, 11, 10, state=0), switch(5000 * MS, 10, 11), switch(9000 * MS, 11, 0))
END
check "one that also works has stalled: it may be a lock" has "^2\. app/worker: 200.0ms waiting for a futex$" why stall.fxt
check "not so if the question is about it" has "^1\. app/worker: 1000.0ms waiting for a futex$" why -p app pool.fxt
mktrace >own.fxt <<'END'
put(*(name(1, koid, text) for koid, text in ((10, b"cat"), (20, b"vitrine"))))
put(*(name(2, koid, text, arg(b"process", koid)) for koid, text in ((10, b"cat"), (20, b"vitrine"))))
put(switch(1000, 0, 10), switch(2000, 10, 20), wakeup(10**9, 10, context=1), switch(1001 * 10**6, 20, 10))
put(switch(1100 * 10**6, 10, 0))
END
check "what reads the output of vitrine is idle meanwhile" fails has "^1\. cat" why own.fxt
mktrace >softirqd.fxt <<'END'
put(name(1, 2, b"kthreadd"), name(2, 17, b"ksoftirqd/0", arg(b"process", 2)), name(1, 10, b"app"),
    name(2, 10, b"app", arg(b"process", 10)))
put(switch(1000, 0, 10), switch(10**6, 10, 17), wakeup(9 * 10**7, 10, context=4))
put(switch(91 * 10**6, 17, 10), switch(10**8, 10, 0))
END
check "ksoftirqd stands for an interrupt" json '["unknown",[]]' \
	'.waits[] | select(.kind != "cpu") | [.kind, .ended_by]' why -aj softirqd.fxt
mktrace >migrated.fxt <<'END'
put(name(1, 10, b"victim"), name(1, 20, b"hog"), name(1, 30, b"bystander"))
put(*(name(2, koid, text, arg(b"process", koid)) for koid, text in ((10, b"victim"), (20, b"hog"), (30, b"bystander"))))
put(switch(10**6, 0, 10), switch(10**6, 0, 30, cpu=1), switch(2 * 10**6, 10, 20, state=0))
put(event(51 * 10**6, 30, 30, b"sched", b"migrate", arg(b"thread", 10), int32(b"from", 0), int32(b"to", 1)))
put(switch(52 * 10**6, 30, 10, cpu=1), switch(6 * 10**7, 10, 0, cpu=1), switch(10**8, 20, 0))
END
mktrace >crowded.fxt <<'END'
MS = 10**6
put(name(1, 10, b"app"), *(name(2, koid, b"hog-%d" % koid, arg(b"process", 10)) for koid in range(20, 30)),
    name(2, 10, b"victim", arg(b"process", 10)))
put(switch(MS, 0, 10), switch(2 * MS, 10, 20, state=0), switch(3 * MS, 0, 26, cpu=1))
put(*(switch((3 + i) * MS, 20 + i, 21 + i, state=0) for i in range(5)), switch(8 * MS, 25, 0, state=0))
put(event(8 * MS + 200, 26, 26, b"sched", b"migrate", arg(b"thread", 10), int32(b"from", 0), int32(b"to", 1)))
put(*(switch((11 + i) * MS, 26 + i, 27 + i, cpu=1, state=0) for i in range(3)), switch(14 * MS, 29, 10, cpu=1))
put(switch(30 * MS, 10, 0, cpu=1))
END
check "a thread that migrates to a crowd" json "12000000 12000000" '.waits[] |
	select(.group == "app/victim" and .kind == "cpu") | "\(.sum_ns) \([.behind[].sum_ns] | add)"' why -aj crowded.fxt
check "its migrations are counted" json "victim 1, hog 0, bystander 0" \
	'[.threads[] | "\(.thread.name) \(.migrations)"] | join(", ")' latency -j migrated.fxt
check "a thread that migrates waited where it was" has "behind hog \(98 %\), on CPU 0" why migrated.fxt
check "a real-time thread" expected starved.answer why starved.fxt
check "a thread that becomes a real-time thread, of the same name as the one behind it" expected promoted.answer why promoted.fxt
check "a limit of a cgroup, which has throttled it" expected limited.answer why limited.fxt
check "a limit of a cgroup, which has not" expected unlimited.answer why unlimited.fxt
check "an idle CPU, and no limit is known" expected throttled.answer why throttled.fxt
mktrace >two.fxt <<'END'
put(name(1, 10, b"app"))
for cpu in 0, 1:
    put(name(2, 11 + cpu, b"twin%d" % cpu, arg(b"process", 10)), switch(1000, 0, 20 + cpu, cpu=cpu))
put(*(wakeup(2000, 11 + cpu, cpu=cpu) for cpu in (0, 1)))
for ns, threads in (10**8, ((20, 11), (21, 12))), (11 * 10**7, ((11, 0), (12, 0))):
    put(*(switch(ns, *threads[cpu], cpu=cpu) for cpu in (0, 1)))
END
check "two threads of a group wait for two CPUs: no CPU is named" json 'cpu 2 null' \
	'.waits[0] | "\(.kind) \(.threads) \(.cpu)"' why -j -p app two.fxt

# ---- the command

# A thread "child" of "parent" executes a program, runs for so long, and ends. Before the first of
# them, the parents run.
mktrace >two-recorders.fxt <<'END'
def start(ns, parent, child):
    put(event(ns, parent, parent, b"sched", b"fork", arg(b"process", child), arg(b"thread", child),
              arg(b"name", b"vitrine")),
        event(ns + 1000, child, child, b"sched", b"exec", arg(b"old_thread", child)))
def end(ns, thread):
    put(event(ns, thread, thread, b"sched", b"exit"))
for process, text in (50, b"vt"), (60, b"app"), (70, b"vitrine"), (80, b"vitrine"), (90, b"find-symbols"):
    put(name(1, process, text), name(2, process, text, arg(b"process", process)))
put(switch(1000, 0, 50))
start(10**6, 50, 60)
start(2 * 10**6, 70, 80)
start(3 * 10**6, 50, 90)
for at, out, into in (4, 50, 80), (104, 80, 60), (304, 60, 90), (604, 90, 80):
    put(switch(at * 10**6, out, into, state=0))
for at, thread in (700, 80), (800, 90), (900, 60):
    end(at * 10**6, thread)
put(switch(10**9, 80, 0))
END
noted recorder 50 command 60 <two-recorders.fxt >ours.fxt
noted recorder 70 command 80 <two-recorders.fxt >theirs.fxt
noted recorder 50 recorder 90 <two-recorders.fxt >neither.fxt
check "the command is what the recorder has noted, whatever its name" about "60 1001000-900000000" ours.fxt
check "the other recorder's is another one" about "80 2001000-700000000" theirs.fxt
check "no command was noted, though one is called vitrine" about null neither.fxt
check "the recorder and its helpers are left out, and no other thread of such a name" json \
	'["vitrine"]' '[.groups[].group]' why -j neither.fxt
check "a filter asks for another process" about null -p find-symbols ours.fxt
flight_recorder ours.fxt
check "the flight recorder has no command" about null --live
check "nor has its end" about null --last 500ms
check "an older recording, which ends later than the command" about null two-recorders.fxt
check "without notes, vitrine and its helpers are left out by their names" json '["app","vt"]' \
	'[.groups[].group] | sort' why -j two-recorders.fxt
"$vitrine" cut --from 0.0005 --anonymise ours.fxt -o cut.fxt
check "a part of the trace has the notes, also without names" about "60 1001000-900000000" cut.fxt
"$vitrine" symbolize ours.fxt -o named.fxt
check "so has a copy" about "60 1001000-900000000" named.fxt

# An older recording of 60, by 50; the records in "before" and "after" tell of 50.
old_recording()
{
	mktrace >old.fxt <<-END
		def told(ns, thread, what, *args):
		    put(event(ns, thread, thread, b"sched", what, *args))
		def fork(ns, thread, child):
		    told(ns, thread, b"fork", arg(b"process", child), arg(b"thread", child), arg(b"name", b"vitrine"))
		put(name(1, 50, b"vitrine"), switch(1000, 0, 50))
		$1
		fork(10**6, 50, 60)
		put(switch(2 * 10**6, 50, 60))
		told(3 * 10**6, 60, b"exec")
		told(10**9, 60, b"exit")
		put(switch(10**9 + 1000, 60, 50, state=5))
		$2
		put(switch(12 * 10**8, 50, 0))
	END
}

old_recording "" ""
check "an older recording: the program that its recorder started" about "60 3000000-1000000000" old.fxt
old_recording "" "fork(11 * 10**8, 50, 61); told(11 * 10**8, 61, b'exec')"
check "an older recording, whose recorder started a helper, too" about "60 3000000-1000000000" old.fxt
old_recording "told(2000, 50, b'exec')" ""
check "not the recorder: it began within the trace" about null old.fxt
old_recording "" "told(11 * 10**8, 50, b'exit')"
check "not the recorder: it ended within the trace" about null old.fxt
old_recording "" "put(switch(21 * 10**8, 50, 0))"
check "not the recorder: the trace goes on" about null old.fxt
old_recording "fork(2000, 51, 52); told(3000, 52, b'exec')" ""
check "there may be two recorders" about null old.fxt

# A main thread that ends before the other one does.
mktrace >main.fxt <<'END'
def told(ns, thread, what, *args):
    put(event(ns, 60, thread, b"sched", what, *args))
put(name(1, 60, b"app"), name(2, 60, b"app"), name(2, 61, b"worker"),
    event(500, 60, 60, b"vitrine", b"command"), switch(1000, 0, 60))
told(2000, 60, b"exec", arg(b"old_thread", 60))
told(3000, 60, b"fork", arg(b"process", 60), arg(b"thread", 61), arg(b"name", b"app"))
put(wakeup(3000, 61))
told(2 * 10**8, 60, b"exit")
put(switch(2 * 10**8, 60, 61, state=5))
told(18 * 10**8, 61, b"exit")
put(switch(18 * 10**8, 61, 0, state=5), switch(2 * 10**9, 0, 7))
END
check "the time of the command ends with its last thread" about "60 2000-1800000000" main.fxt
check "so does its critical path" json \
	'["app/worker running 1600000000","app/worker cpu 199997000","app running 1000"]' \
	'[.command.path[] | "\(.group) \(.kind) \(.sum_ns)"]' why -j main.fxt
check "the answer says so" has "from exec to exit" why main.fxt

# The thread 61 executes a program while the main thread 60 waits, and goes on as 60. It is switched
# out after that with the old id, or before that and then in with the new one.
for when in after before; do
	mktrace $when >exec.fxt <<'END'
MS = 10**6
def told(ms, thread, what, *args):
    return event(ms * MS, 60, thread, b"sched", what, *args)
out = 305 if sys.argv[1] == "before" else 320
records = [
    name(1, 60, b"app"), name(2, 60, b"app", arg(b"process", 60)),
    name(2, 61, b"app", arg(b"process", 60)), name(1, 9, b"other"), name(2, 9, b"other", arg(b"process", 9)),
    switch(MS // 2, 0, 9), switch(MS, 9, 60), told(2, 60, b"exec", arg(b"old_thread", 60)),
    told(3, 60, b"fork", arg(b"process", 60), arg(b"thread", 61), arg(b"name", b"app")),
    wakeup(3 * MS, 61, context=1), switch(10 * MS, 60, 61), wakeup(300 * MS, 60, context=1),
    switch(301 * MS, 61, 60, state=0), told(302, 60, b"exit"), switch(303 * MS, 60, 61, state=5),
    told(310, 60, b"exec", arg(b"old_thread", 61)), wakeup(315 * MS, 9, context=1),
    switch(320 * MS, 61, 9, state=0), switch(420 * MS, 9, 60), told(1400, 60, b"exit"),
    switch(1401 * MS, 60, 0, state=5)]
if sys.argv[1] == "before":
    records[15:15] = [switch(305 * MS, 61, 0, state=0), switch(306 * MS, 0, 60)]
    records[19] = switch(320 * MS, 60, 9, state=0)
subbuf(0, MS // 2, 1401 * MS, *records)
END
	noted command 60 <exec.fxt >noted.fxt
	check "exec in another thread, out $when it: the time goes on" about "60 2000000-1400000000" noted.fxt
	check "exec in another thread, out $when it: all of the critical path is known" json true \
		'.command.path | all(.kind != "unknown")' why -j noted.fxt
	check "exec in another thread, out $when it: then the main thread wakes others" json '["app"]' \
		'[.waits[] | select(.group == "other" and .kind != "cpu").ended_by[].group]' why -ja noted.fxt
	check "exec in another thread, out $when it: the old id does not wait" json '[[60,null],[61,null]]' \
		'[.threads[] | select(.thread.pid == 60) | [.thread.tid, .runnable.max_is_still]] | sort' \
		latency -j exec.fxt
done

check "a process" expected process.answer why -p app --from 0.012 disk.fxt
"$vitrine" why rules.fxt >rules.answer
check "all answers fit on a screen" same /dev/null \
	<(awk 'length > 100 || FNR > 40' "$golden"/why/*.answer rules.answer)
check "a time: the critical path of a wait, part by part" expected at.answer \
	why -t third --at 0.0735 convoy.fxt
check "a time: of many parts, those around it" expected at-part.answer why -t runner-11 --at 800us relay.fxt
check "a time: all parts" filtered 23 "grep -c runner-.*:.*ing" why -a -t runner-11 --at 800us relay.fxt
check "a time: the command" has \
	"^app:60/60, from 0.010000000 to 0.365000000: 355.0ms waiting for the end of a thread" why --at 0.2 convoy.fxt
check "a time of which nothing is known" exits 1 "at 9.000000000 is not known" why --at 9 convoy.fxt
check "the time 0 of which nothing is known" exits 1 "at 0.000000000 is not known" why --at 0 convoy.fxt
check "no time" refused "is not a time" why --at soon convoy.fxt
check "a time as JSON" refused "excludes --json" why --at 1 -j convoy.fxt
for name in convoy disk peers limited; do
	check "$name: the commands that findings name show their waits" shown $name.fxt
done
while IFS='|' read -r what message options; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "$what" refused "$message" $options
done <<-'END'
	neither a file nor a command|give one of|why
	a file and a command|give one of|why convoy.fxt -- true
	a file and a time|give one of|why --for 1s convoy.fxt
	an output for a file|is for a recording|why -o out.fxt convoy.fxt
	latency --why has no --sort|--why excludes|latency --why --sort p99 disk.fxt
	latency --why has no --count|--why excludes|latency --why -n 3 disk.fxt
	--count is for reports|excludes .*--count|latency -n 3 --switches disk.fxt
	--sort is for reports|--switches excludes --sort|latency --sort p99 --switches disk.fxt
	--count=0|not a number|latency -n 0 disk.fxt
	--count=1001|not a number|latency -n 1001 disk.fxt
	--count=3x|not a number|latency -n 3x disk.fxt
	--folded is no picture|--folded excludes -o out.svg|flame -f disk.fxt -o out.svg
	--on-cpu excludes --off-cpu|excludes|flame --on-cpu --off-cpu sampled.fxt -o -
	no output|no output given|flame disk.fxt
	no such format|the suffix must be|flame disk.fxt -o out.png
	three traces|more than two|flame a b c -o out.svg
	neither file nor live|either FILE or --live|flame -o out.svg
END

# ---- what is not known, and what is left

check "threads that wake one another" expected relay.answer why relay.fxt
check "threads that are still blocked at the end" expected still.answer why still.fxt
check "threads that are still blocked at the end are in the flame graph" expected still.folded flame still.fxt -f -o -
check "no stacks, no system calls" expected waits.answer why waits.fxt
check "lost records" expected torn.answer why torn.fxt
check "a CPU above 255" expected wide.answer why wide.fxt
check "rings that begin at different times" expected snapshot.answer why snapshot.fxt
check "a stall in a question about a thread" fails grep "^1\." <("$vitrine" why -t cc1 snapshot.fxt)
check "a thread alone" json '["app/holder"]' '[.groups[].group]' why -j -t holder disk.fxt
flight_recorder disk.fxt
# Another command cannot read these again.
sed 's/: vitrine why -t [0-9]* --at \(.*\) disk.fxt/, from \1 on/' "$golden/why/disk.answer" >once.answer
check "the flight recorder, which print does not read" same once.answer <("$vitrine" why --live)
check "the end of the flight recorder" json '[8700000,13700000]' '[.begin_ns, .end_ns]' why --last 5ms -j
check "a pipe, which no other command can read again" same once.answer <("$vitrine" why - <disk.fxt)
VITRINE_DEBUGFS=/nowhere check "no flight recorder" exits 3 "the module vitrine is not loaded" why --last 30
check "latency --why is the same" same "$golden/why/disk.answer" <("$vitrine" latency --why disk.fxt)

# ---- flame

check "folded: a mutex, a disk and a pipe" expected disk.folded flame disk.fxt -f -o -
check "folded: a real-time thread" expected starved.folded flame starved.fxt -f -o -
check "folded: samples of running threads" expected sampled.folded flame sampled.fxt -f -o -
check "samples of a part of the time" prints "cc1;cc1;running;cc1+0x1139;parse [cc1];hash [cc1] 8000" \
	"$vitrine" flame --to 0.009 sampled.fxt -f -o -
"$vitrine" flame --on-cpu sampled.fxt -f -o on.folded
"$vitrine" flame --off-cpu sampled.fxt -f -o off.folded
check "only running time, only waiting time: together they are all" same \
	<("$vitrine" flame sampled.fxt -f -o - | sort) <(sort on.folded off.folded)
check "only running time has no waits" fails grep -v ';running' on.folded
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
	check "$name: nothing from elsewhere" fails grep -E '(src|href)=|url\([^#]|@import|fetch\(' $name.html
done
check "all that threads did is there" json "$(awk '{ sum += $NF } END { print sum }' disk.folded)" \
	'[.groups[].kinds_ns.running, .waits[].sum_ns] | add / 1000' why --all -j disk.fxt
check "the same twice: no change" filtered '#ececec' \
	"sed -n '/^<g class/{N;s/.* fill=\"\(#[0-9a-f]*\)\".*/\1/p}' | sort -u" flame disk.fxt disk.fxt -o -
check "a thread alone, a part of the time" prints 'app;holder;running 200' \
	"$vitrine" flame -t holder --from 0.0135 --to 0.02 disk.fxt -f -o -
check "a process alone" filtered app "sed 's/;.*//' | sort -u" flame -p app disk.fxt -f -o -
check "--live draws the flight recorder" same "$golden/why/disk.folded" <("$vitrine" flame --live -f -o -)
check "a semicolon in a name is no frame" grep -q '^<victim> & "Co:";' starved.folded
check "markup in a name is none" grep -q '&lt;victim&gt; &amp; "Co:"' starved.svg
check "threads and processes without names have frames of their own" filtered \
	$'?:10;alpha\n?:20;be|ta<>&"\'\n?:40;?:41' "cut -d ';' -f 1,2 | sort -u" flame waits.fxt --folded -o -
check "one of two cannot be read: nothing is drawn" exits 3 "absent.fxt: cannot open" flame disk.fxt absent.fxt -o none.svg
check "one of two cannot be read: no file is left" test ! -e none.svg
check "where nothing can be written" exits 3 "/nowhere/x.svg: cannot create: No such file" flame disk.fxt -o /nowhere/x.svg

# ---- memory

"$mkfxt" speed 100000 >few.fxt
"$mkfxt" speed 1000000 >many.fxt
check "memory: why, a part of which is that of the turns" bounded $((900000 * 56 / 1024)) few.fxt many.fxt why @
check "memory: flame" bounded 8192 few.fxt many.fxt flame @ -o copy.svg

plan
