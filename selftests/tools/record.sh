#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine record' on rings without a kernel: commands, signals, time limits, new CPUs, new
# sessions, and everything that can be missing.

. "$(dirname "$0")/command" || exit

record()
{
	command_into_files record "$@"
}

# records STATUS PATTERN OPTION...: record exits with STATUS; a line of what it says matches PATTERN
records()
{
	record "${@:3}"
	ended_saying "$1" "$2"
}

# wrong MESSAGE OPTION...: these options are a usage error
wrong()
{
	refused "$1" record "${@:2}" -- true
}

# hold NAME [OPTION]...: begin to record NAME.fxt, which goes on until release NAME
hold()
{
	mkfifo "end_$1"
	"$vitrine" record -o "$1.fxt" "${@:2}" -- sh -c "touch up_$1; read -r line <end_$1" 2>err &
	recorder=$!
	until_there "up_$1"
}

# release NAME RECORDER: end the recording NAME of this process
release()
{
	echo >"end_$1"
	wait "$2"
}

# kill_recorder RECORDER: without a word of the shell about it
kill_recorder()
{
	{ kill -KILL "$1"; wait "$1"; } 2>/dev/null
}

# enable [TEXT]: trace/enable says TEXT; without it, it refuses to flush the rings, like that
# of an older module. recorder_test flushes rings.
enable()
{
	rm -f "$dir/vitrine/trace/enable"
	if [ $# = 0 ]; then
		ln -s /proc/self/oom_score_adj "$dir/vitrine/trace/enable"
	else
		echo "$1" >"$dir/vitrine/trace/enable"
	fi
}

# fresh_rings: start new rings; nothing is written to them while the file "hold" exists
fresh_rings()
{
	stop_rings
	rm -rf vitrine
	mkdir -p vitrine/trace
	enable
	printf '%s\n' -sched +irq >vitrine/trace/events
	start_rings
}

# A command that ends when the ring of CPU 0 has as many more sub-buffers as its argument
# says, which have 200 switches each.
cat >until_more <<'SH'
#!/bin/sh
# vitrine_ring_producer.sequence, which is ~0 before the first switch
sequence()
{
	echo $(($(od -An -td8 -j 4136 -N 8 vitrine/trace/cpu0) + 0))
}

end=$(($(sequence) + $1))
until [ "$(sequence)" -ge $end ]; do
	sleep 0.05
done
SH
chmod +x until_more

# ---- missing files and arguments ----

record -o trace.fxt -- true
check "not loaded" ended_saying 3 "is not loaded" "insmod vitrine.ko"
mkdir -p vitrine/trace
check "no rings" exits 3 "no ring of any CPU found" record -o trace.fxt -- true
for duration in 0 -1 nan 1e300 2x 5mss "5 ms" 2000h ""; do
	check "-t '$duration'" wrong "is not a duration from 1ms to 1000h" -o trace.fxt -t "$duration"
done
for duration in -1 2x; do
	check "--delay '$duration'" wrong "is not a duration from 0ms to 1000h" --delay "$duration"
done

fresh_rings
enable "[0] 1"
check "switched off" exits 3 "switched off; run .echo 1 > .*/trace/enable" record -o trace.fxt -- true
enable
check "no such command" records 3 "no-such-command: cannot run: No such file" \
	-o trace.fxt -- ./no-such-command
check "no such directory" exits 3 "no/such/directory/trace.fxt: cannot create" record -o no/such/directory/trace.fxt -- touch ran
check "no such directory: the command did not run" no_file ran
check "no such directory: no file is left" no_file '*.fxt*'
check "no file: a name with the time" \
	records 0 "^vitrine: vitrine-[0-9]{8}-[0-9]{6}.fxt: [0-9]+ switches" -- true
check "the file named after the time is a trace" "$vitrine" check vitrine-????????-??????.fxt
rm vitrine-*.fxt

# ---- what was before ----

record -o trace.fxt -- true
check "an older module: the trace begins earlier, which is said once" test "$(grep -c \
	"^vitrine: the trace begins earlier, .*because the module is older" err)" = 1
check "--history, about which nothing is said" \
	exits 0 "trace.fxt: [0-9]+ switches" record -o trace.fxt --history -- true
enable "[1] 0"
record -o trace.fxt -- true
check "the module is asked to begin new sub-buffers" test "$(cat vitrine/trace/enable)" = flush
check "nothing is said about it" fails grep "begins earlier" err
enable

# ---- commands ----

record -o trace.fxt -- sh -c 'echo said; exit 7'
check "a command that fails" ended_saying 7 "sh exited with status 7" \
	"trace.fxt: [0-9]+ switches on [12] CPUs?, [0-9]+ bytes, 0 lost"
check "the output of the command is unchanged" grep -qx said out
check "the trace is sound" "$vitrine" check trace.fxt
check "a command that is killed" records 137 "sh was killed by signal 9" \
	-o trace.fxt sh -c 'kill -9 $$'
# The command waits for the trace, which is there when the recording has ended.
rm trace.fxt
check "time up before the command ends" records 0 ", (0\.[3-9]|[1-9][0-9]*\.)[0-9]* s" \
	-o trace.fxt -t 0.3 -- sh -c 'while [ ! -e trace.fxt ]; do sleep 0.05; done; echo late'
check "the command ends all the same" grep -qx late out

for limit in "--for 300ms" "--for=0.3s" "--time 300000us" "-t .3" "-t 0.005min"; do
	# shellcheck disable=SC2086 # split into words on purpose
	record -o trace.fxt $limit
	check "$limit" awk '/ switches on / { bad = $(NF - 1) < 0.3; nr++ } END { print; exit bad || !nr }' err
done

"$vitrine" record -o term.fxt -- \
	sh -c 'trap "echo asked to end; exit 5" TERM; touch up; while :; do sleep 0.05; done' >out 2>err &
recorder=$!
until_there up
kill -TERM $recorder
wait $recorder
echo $? >status
check "SIGTERM ends the recording, not what the command says" ended_saying 5 "term.fxt: "
check "SIGTERM reaches the command" grep -qx "asked to end" out

# ---- a pipe ----

"$vitrine" record -o - -- sh -c 'echo said; exit 7' 2>err >trace.fxt
echo $? >status
check "-o -" ended_saying 7 "^vitrine: standard output: [0-9]+ switches on [12] CPU" "^said$"
check "standard output is a trace and nothing else" "$vitrine" check trace.fxt
"$vitrine" record -o - -- ./until_more 1 2>err | "$vitrine" check - >out
check "a pipe" grep -q "^standard input: .* [1-9][0-9]* switches, .*: no fault" out
script -qec "'$vitrine' record -o - -t 0.1 2>err" /dev/null </dev/null >out
echo $? >status
check "the trace is not written to a terminal" ended_saying 2 "standard output is a terminal"

# ---- compressed ----

# is_zstd FILE: FILE is compressed
is_zstd()
{
	[ "$(od -An -tx4 -N4 "$1" | tr -d ' ')" = fd2fb528 ]
}
record -o trace.fxt.zst -- ./until_more 10
check "a name that ends in .zst" is_zstd trace.fxt.zst
check "the trace in it is sound" sound trace.fxt.zst " [1-9][0-9]* switches"
bytes=$(stat -c %s trace.fxt.zst)
check "the size of the compressed file is reported" grep -q " $bytes bytes, " err
check "a compressed trace takes less than a third" test $((3 * bytes)) -lt "$(zstd -dc trace.fxt.zst | wc -c)"
"$vitrine" record -o - --zstd -t 0.2 2>err >piped
check "--zstd: a pipe" is_zstd piped
check "can be read from a pipe" grep -q "^standard input: .*: no fault" <("$vitrine" check - <piped)
record -o trace.fxt.zst --delay 1h -- true
check "an empty trace" sound trace.fxt.zst " 0 switches"

# ---- rotation ----

for size in 0 63K 1x 1KB -1M ""; do
	check "--rotate '$size'" wrong "is not a size of at least 64K" --rotate "$size"
done
for nr in 0 -1 x 1000000; do
	check "--keep '$nr'" wrong "is not a number from 1 to 999999" --rotate 1M --keep "$nr"
done
check "--keep alone" wrong "record: --keep requires --rotate" --keep 2
check "-e without a system" wrong "record: -e sched_switch: an event is SYSTEM:NAME" -e sched_switch
check "--filter alone" wrong "record: --filter requires -e EVENT before it" --filter 'prio < 100'
check "two filters" wrong "record: -e sched:\* has two filters" -e 'sched:*' --filter 'prio < 100' --filter 'pid > 1'
check "--rotate: no pipe" wrong "record: --rotate needs a FILE" --rotate 1M -o -

touch hold
fresh_rings
check "--rotate" records 0 "turn.fxt: [0-9]+ switches" -o turn.fxt --rotate 64K -- \
	sh -c 'rm hold; until [ -e turn.000004.fxt ]; do sleep 0.05; done'
check "--rotate: each file is a sound trace" "$vitrine" check turn.0*.fxt
check "--rotate: a file has that size" test "$(find . -name 'turn.000001.fxt' -size -72k -size +63k)"
check "--rotate: the sum of the sizes is reported" grep -q " $(cat turn.0*.fxt | wc -c) bytes, " err
for file in turn.0*.fxt; do
	"$vitrine" print --json -c 0 -e switch "$file" | jq .time_ns
done >ticks
check "--rotate: nothing is missing between the files" diff ticks <(seq 1010 10 "$(tail -n 1 ticks)")
fresh_rings
record -o last.fxt --rotate 64K --keep 2 -- sh -c 'until [ -e last.000003.fxt ]; do sleep 0.05; done'
check "--keep 2: the last two files are kept" test ! -e last.000001.fxt -a "$(find . -name 'last.*' | wc -l)" = 2
check "--keep 2: the files are sound" "$vitrine" check last.*.fxt
record -o last.fxt.zst --rotate 64K -- true
check "--rotate with compressed files" "$vitrine" check last.000001.fxt.zst
rm turn.* last.*

# ---- a part of the machine ----

check "-C and --rotate" wrong "record: --rotate excludes -p, -C and --cgroup" --rotate 1M -C 0
check "-C and --zstd" wrong "record: --zstd excludes .*; use -o FILE.fxt.zst" -o part.fxt --zstd -C 0
check "-p and --no-wakeups" wrong "record: --no-wakeups excludes -p and --cgroup" --no-wakeups -p 1
check "--cgroup without a slash" wrong "is not the path of a cgroup" --cgroup user.slice
check "-C 1-0" wrong "\`1-0' is not a list of CPUs, such as 0,2-3" -C 1-0
until_there vitrine/trace/cpu1
record -o part.fxt -C 1 -- sh -c 'exit 7'
check "-C" ended_saying 7 \
	"part.fxt: $(stat -c %s part.fxt) bytes, chosen from [0-9]+ switches on 1 CPU, "
check "-C: the file has switches of this CPU only" \
	filtered 1 "jq 'select(.kind == \"switch\").cpu' | uniq" print --json part.fxt
check "-C: the file says which CPU it has" has "left out on purpose: cpus=1" check part.fxt
record -o part.fxt.zst -C 1 -- true
check "-C into a compressed file" "$vitrine" check part.fxt.zst
record -o - -C 1 -- true
check "-C into a pipe" sound out
check "a name that no process has" records 2 \
	"^vitrine: part.fxt: no process had the name .nobody. while this was recorded$" \
	-o part.fxt -p nobody -- true
check "the trace of a name that no process has has no thread" json '[0,0]' \
	'[.switches, (.threads | length)]' latency -j part.fxt
# No limit of process ids is higher.
check "a process id that does not exist" wrong "-p 4194304: no such process" -p 4194304
check "a name that is too long" wrong "keeps 15 bytes of a name; give .a-very-long-pro'" -p a-very-long-program
check "-C and -p: no temporary file is left" test "$(find . -name 'part.fxt*' | wc -l)" = 2
if unshare -pf --mount-proc true 2>/dev/null; then
	check "a process in another PID namespace" unshare -pf --mount-proc bash -c "'$vitrine' record -p 1 -o no.fxt \
		-- true 2>err; [ \$? = 2 ] && grep -q 'a PID namespace has other ids of processes' err"
	unshare -pf --mount-proc "$vitrine" record -o part.fxt -- true 2>err
	check "another PID namespace: the trace has no ids of it" fails has vitrine: print part.fxt
fi
rm part.*

# ---- which processes are the recorder's ----

# notes FILE: print the events that the recorder adds to each file
notes()
{
	"$vitrine" print --json "$1" | jq -r 'select(.category == "vitrine" and .cpu == null) |
		"\(.name) \(.thread.pid) \(.thread.tid)"'
}

record -o noted.fxt -- sh -c 'echo $$ $PPID >ids'
read -r command parent <ids
check "the trace tells which process is the command" grep -qx "command $command $command" <(notes noted.fxt)
check "the trace tells which processes are the recorder's" grep -qx "recorder $parent $parent" <(notes noted.fxt)
check "so does a compressed trace" records 0 "" -o noted.fxt.zst -- true
check "the notes of a compressed trace" grep -qc "^command" <(notes noted.fxt.zst)
record -o noted.fxt -p sh -- sh -c :
check "-p: the command is not what was asked for" fails grep "^command" <(notes noted.fxt)
record -o noted.fxt --for 50ms
check "no command: only the recorder's own processes" diff <(notes noted.fxt | sed 's/ .*//' | sort -u) <(echo recorder)
fresh_rings
record -o noted.fxt --rotate 64K -- sh -c 'until [ -e noted.000003.fxt ]; do sleep 0.05; done'
for file in noted.*.fxt; do
	check "$file: each file has the notes" grep -q "^command" <(notes "$file")
	check "$file: with the notes, it is sound" sound "$file"
done
rm noted.*

# ---- wakeups ----

events=vitrine/trace/events

# events_are FILE WORD...: each line of FILE is a WORD, in this order
events_are()
{
	diff "$1" <(printf '%s\n' "${@:2}")
}

# put_to WORD...: set the state of the categories before a recording
put_to()
{
	printf '%s\n' "$@" >$events
}

# switched NAME BEFORE MEANWHILE AFTER [OPTION]...: the categories before, while and after recording
switched()
{
	# shellcheck disable=SC2086 # split into words on purpose
	put_to $2
	record -o trace.fxt "${@:5}" -- cp $events meanwhile
	# shellcheck disable=SC2086
	check "$1: while recording" events_are meanwhile $3
	# shellcheck disable=SC2086
	check "$1: after recording" events_are $events $4
}

switched "wakeups" "-sched +irq" "+sched +irq" "-sched +irq"
switched "--no-wakeups" "-sched +irq" "-sched +irq" "-sched +irq" --no-wakeups
for word in +sched +sched:cpus=0; do
	switched "$word: as it was" "$word +irq" "$word +irq" "$word +irq"
done
put_to -sched +irq
record -o trace.fxt -- ./no-such-command
check "wakeups are switched off if the command cannot be run" events_are $events -sched +irq
rm trace.fxt
record -o trace.fxt -t 0.2 -- sh -c "while [ ! -e trace.fxt ]; do sleep 0.05; done; cp $events meanwhile"
check "wakeups are switched off when the time is up" events_are meanwhile -sched +irq

{
	"$vitrine" record -o - -t 60 2>err
	echo $? >status
} | head -c 1000 >out
check "nobody reads the pipe any longer" ended_saying 3 \
	"standard output: cannot write: Broken pipe; the trace up to then is saved: [0-9]+ bytes"
check "wakeups are switched off if nobody reads the pipe" events_are $events -sched +irq

# ---- a delay ----

check "the command ends before the delay" records 0 \
	"trace.fxt: 0 switches on 0 CPUs, 8 bytes, 0 lost, 0.000 s" \
	-o trace.fxt --delay 1h -- cp $events meanwhile
check "the trace is empty" sound trace.fxt " 0 switches"
check "the command ends before the delay: nothing was switched on" events_are meanwhile -sched +irq
began=$(date +%s%3N)
record -o trace.fxt --delay 300ms -- sh -c "until grep -q +sched $events; do sleep 0.05; done; date +%s%3N >meanwhile"
check "the delay ends before the command" ended_saying 0 "trace.fxt: [0-9]+ switches on [12] CPU"
check "wakeups are switched on after the delay" test $(($(cat meanwhile) - began)) -ge 300
check "wakeups are switched off after the delayed recording" events_are $events -sched +irq

# ---- all categories ----

check "--all without wakeups: no" wrong "record: --no-wakeups excludes --all and --why" --all --no-wakeups
check "--all, but no figures of what a record costs" exits 3 "trace/cost: " record -o trace.fxt --all -- true
check "--all, but no figures of what a record costs: the events are as before" events_are $events -sched +irq
echo "switch few" >vitrine/trace/cost
check "--all, figures of no use" exits 3 "trace/cost: cannot parse" record -o trace.fxt --all -- true
printf '%s\n' 'switch 0' 'wakeup 0' 'event 0' >vitrine/trace/cost
switched "--all: each category" -poll +poll -poll --all
switched "--all: a category with a filter" "-sched +irq:cpus=0" "+sched +irq:cpus=0" "-sched +irq:cpus=0" --all
check "records that cost nothing take nothing" ended_saying 0 \
	"^vitrine: recording took 0.00 % of CPU 0, 0.00 % of CPU 1; saving it [0-9.]+ % of one CPU$"

# share_is COST: the reported share of CPU time is the number of switches in the summary,
# times COST, in the time of the recording
share_is()
{
	awk -v cost="$1" '
		/ switches on / { wanted = $3 * cost / 1e12 / $(NF - 1) * 100 }
		/recording took/ { for (i = 4; $i != "saving"; i++) if ($i == "CPU") share += $(i - 3) }
		END { print share, wanted; exit !(wanted > 0.1 && share > wanted * 0.98 - 0.005 && share < wanted * 1.02 + 0.005) }' err
}
printf '%s\n' 'switch 100000000' 'wakeup 0' 'event 0' >vitrine/trace/cost
record -o trace.fxt --all -- ./until_more 5
check "switches of 100 us each: their share" share_is 100000000
put_to -sched +irq

mv $events gone
check "no events: an error" exits 3 "trace/events: " record -o trace.fxt -- touch ran
check "no events: the command did not run" test ! -e ran
mv gone $events

# Two recorders run at the same time; the one that switched wakeups on ends first.
hold first
first=$recorder
hold second
release first "$first"
check "wakeups stay on while another recorder runs" events_are $events +sched +irq
release second "$recorder"
check "wakeups are switched off when the last recorder ends" events_are $events -sched +irq

hold third
kill_recorder "$recorder"
check "a killed recorder leaves nothing on" until_true events_are $events -sched +irq
echo >end_third
rm -f ./*.fxt.*
put_to -sched +irq

# ---- why ----

stacks=vitrine/trace/stacks

# stacks_are WORDS [FILE]: trace/stacks, or a copy of it, is set to WORDS
stacks_are()
{
	[ "$(head -n 1 "${2:-$stacks}")" = "$1" ]
}

# as_it_was: events and stacks are as before a recording
as_it_was()
{
	events_are "$events" -block && stacks_are none
}

# A file can stand for trace/events only while it has one line, which is written again.
put_to -block
check "--why, but no stacks: an error" exits 3 "trace/stacks: No such file" record -o trace.fxt --why -- true
check "--why, but no stacks: no event is on" events_are $events -block
echo none >$stacks
put_to -poll
check "--why without wakeups: an error" exits 3 "trace/events: cannot change" record -o trace.fxt --why -- true
for category in sched irq marker block; do
	switched "--why: $category" -$category +$category -$category --why
done
for threshold in "" 1ms=1000 0.25ms=250 2s=2000000 0.5=500000 0s=0 1h=3600000000; do
	record -o trace.fxt --why${threshold:+=${threshold%=*}} -- cp $events $stacks .
	threshold=${threshold:-(default)=1000}
	check "--why, ${threshold%=*}: stacks are on" \
		stacks_are "blocked_us=${threshold#*=} sample_hz=99 kthreads user=memory" stacks
	check "--why, ${threshold%=*}: stacks are off again" as_it_was
done
for threshold in ms -1ms 1e3ms 0x1ms infms 61min 1.2.3s; do
	check "--why=$threshold" wrong ": $threshold is not a duration" --why=$threshold
done
check "--why and --no-wakeups" wrong "record: --no-wakeups excludes --all and --why" --why --no-wakeups
echo "blocked_us=7 kthreads" >$stacks
record -o trace.fxt --why -- cp $stacks .
check "stacks that the user has set are left alone" stacks_are "blocked_us=7 kthreads" stacks
check "the message says that the stacks of the user are left alone" ended_saying 0 \
	"already set and is not changed: blocked_us=7 kthreads"
check "the stacks of the user are still set after recording" stacks_are "blocked_us=7 kthreads"
echo none >$stacks
record -o trace.fxt --why -- ./no-such-command
check "stacks are switched off if the command cannot be run" as_it_was

hold fourth --why
first=$recorder
hold fifth --why=3ms
kill_recorder "$first"
echo >end_fourth
check "one of two is killed: all is on for the other one" until_true events_are $events +block
check "one of two is killed: the stacks of the first one stay set" stacks_are "blocked_us=1000 sample_hz=99 kthreads user=memory"
release fifth "$recorder"
check "stacks are switched off when the last recorder ends" until_true as_it_was

# recorded_stack [OPTION]...: record the user stack $stack of this program
recorded_stack()
{
	printf '%s\n' "$stack" "$vitrine $(id_of "$vitrine")" >stack.new
	record --why "$@" -- sh -c 'mv stack.new stack; while [ -e stack ]; do sleep 0.05; done'
}

# stack_is STACK: the recorded user stack; the trace may begin with that of the test before
stack_is()
{
	filtered "$1" "jq -r 'select(.name == \"user stack\").args.stack' | uniq" print --json named.fxt
}

if [ -x "$(dirname "$vitrine")/find-symbols" ]; then
	begin=$(readelf -lW "$vitrine" | awk '$1 == "LOAD" && / R E / { print $3 - $2; exit }')
	main=0x$(nm "$vitrine" | awk '$3 == "main" { print $1 }')
	stack=$(printf 'vitrine+%#x;vitrine+0x7fffffff' $((main - begin + 4)))
	recorded_stack -o named.fxt
	check "--why names functions" stack_is "main+0x4 [vitrine];vitrine+0x7fffffff"
	check "--why tells the number of named frames" ended_saying 0 \
		"named.fxt: found the functions of 1 of 2 frames"
	check "the trace with named functions is sound" "$vitrine" check named.fxt
	recorded_stack -o named.fxt.zst
	check "--why names functions in a compressed file" has "main\+0x4 \[vitrine\]" print named.fxt.zst
	recorded_stack -o - && mv out named.fxt
	check "--why names no functions on standard output" stack_is "$stack"
	recorded_stack -o named.fxt --zstd
	check "--why names no functions with --zstd" stack_is "$stack"
	cp "$vitrine" alone
	vitrine=$dir/alone recorded_stack -o named.fxt
	check "--why without libdw reports no error" ended_saying 0 "named.fxt: [0-9]+ switches"
	check "--why without libdw names no functions" stack_is "$stack"
	rm alone named.fxt named.fxt.zst
fi

# killed AFTER: a recorder that is killed after this time leaves nothing on
killed()
{
	"$vitrine" record -o killed.fxt --why -- sleep 0.1 2>err &
	recorder=$!
	sleep "$1"
	kill_recorder "$recorder"
	until_true events_are "$events" -block && stacks_are none
}

for ms in {000..030..2}; do
	check "killed after $ms ms: all is off" killed "0.$ms"
done
rm -f ./*.fxt.*
put_to -sched +irq

# ---- disk full ----

limited 5 record -o full.fxt -t 60
check "disk full" ended_saying 3 "full.fxt: cannot write" "is saved: [0-9]+ bytes"
check "what was saved is sound" "$vitrine" check full.fxt
"$mkfxt" speed 300000 >large.fxt
limited 100 command_into_files convert large.fxt -o full.fxt.zst
check "disk full, compressed" ended_saying 3 "full.fxt.zst: cannot write"
check "/dev/full" records 3 "/dev/full: cannot write: No space left" -o /dev/full -t 0.2

# ---- a CPU comes online, a session ends, ^C ----

# The recorder has opened the rings once its file exists. CPU 1 and the second session of
# CPU 0 have records once fake_rings says so.
touch hold
fresh_rings
"$vitrine" record -o long.fxt 2>err &
recorder=$!
until_there 'long.fxt.*'
rm hold
until_true grep -q "cpu0 session 2" given
kill -INT $recorder
wait $recorder
echo $? >status
stop_rings
check "a recording of two sessions, interrupted" ended_saying 0 \
	"long.fxt: [0-9]+ switches on 2 CPUs, [0-9]+ bytes, 0 lost"
check "a recording of two sessions is sound" "$vitrine" check long.fxt
check "a recording of two sessions lost nothing" has " 2 CPUs, 2 threads, 0 records lost" check long.fxt

# all_of_cpu CPU: the CPU has a switch every ten nanoseconds, and none is missing
all_of_cpu()
{
	"$vitrine" print long.fxt | awk -v cpu="[$1]" '
		$2 == cpu { if (!nr++) first = $1; last = $1 }
		END {
			printf "%d from %.9f to %.9f\n", nr, first, last
			exit !(nr > 1000 && first < 0.000001015 &&
			       nr == int((last - first) * 1e8 + 1.5))
		}'
}

check "all of two sessions" all_of_cpu 000
check "all of a CPU that came later" all_of_cpu 001
check "no temporary file is left" no_file '*.fxt.*'

plan
