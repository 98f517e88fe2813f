#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Events: every record and type of argument from another module, each source,
# filters, what is refused, what is lost, and that an event that is off is one
# no-op.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

me=$(cat /proc/$$/comm)
run=/sys/module/events/parameters/run

sample()
{
	insmod "$VITRINE_MODULES/events.ko"
}

# archive NAME: what was recorded, as /tmp/NAME.fxt and /tmp/NAME.txt
archive()
{
	echo 0 >"$TRACE/enable" &&
	cp "$TRACE/trace.fxt" "/tmp/$1.fxt" &&
	vitrine check "/tmp/$1.fxt" &&
	vitrine print --all "/tmp/$1.fxt" >"/tmp/$1.txt"
}

# has NAME PATTERN...: each is in a line of the archive
has()
{
	local name=$1 pattern

	shift
	for pattern in "$@"; do
		grep -qE -- "$pattern" "/tmp/$name.txt" || { echo "no $pattern"; tail -n 3 "/tmp/$name.txt"; return 1; }
	done
}

# restart: a new session, so that what was recorded before is gone
restart()
{
	echo 2048 >"$TRACE/buffer_kb" &&
	echo 1024 >"$TRACE/buffer_kb" &&
	echo 1 >"$TRACE/enable"
}

lost()
{
	value vitrine '[.root.trace.cpus[].lost_records] | add'
}

# ---- switches ---------------------------------------------------------------

load events=irq:cpus=0,1+timer
sample || skip "no events.ko"
check "switched on at load, with a filter" grep -qx '+irq:cpus=0-1' "$TRACE/events"
check "and without one" grep -qx '+timer' "$TRACE/events"
check "off, unless asked for" grep -qx -- '-sched' "$TRACE/events"
echo "-irq -timer +sample" >"$TRACE/events"
check "several at once" grep -qx '+sample' "$TRACE/events"
check "none is left" test "$(grep -c '^+' "$TRACE/events")" = 1
refused()
{
	refuses 1 "Invalid argument" bash -c "echo '$1' >$TRACE/events"
}
for words in nothing +nothing +irq:what=1 +irq:cpus=x +irq:process=-1 "+irq:" ":"; do
	check "refused: $words" refused "$words"
done
check "the same words that are read can be written" \
	sh -c "cat $TRACE/events >/tmp/events && cat /tmp/events >$TRACE/events && cmp /tmp/events $TRACE/events"

# ---- every record, every argument ---------------------------------------------

echo 3 >/proc/sys/kernel/printk
restart
echo all >$run
check "every record: sound" archive all
check "metadata" has all ' magic$' ' provider 1 "vitrine"$' ' provider 1$' ' clock +[0-9]+ ticks a second'
check "string and thread records" has all ' string +[0-9]+ = "sample"' ' thread +[0-9]+ = '
check "kernel objects" has all ' object +process [0-9]+ "'"$me"'"' ' object +thread [0-9]+ ".*process=[0-9]+' \
	' object +type 17 4711 "socket" port=443'
check "a user-space object" has all ' object +0x2000 of process [0-9]+ "window" width=80'
check "switches" has all ' switch +.* ==> '
check "instant" has all ' instant +.* sample:instant$'
check "counter" has all ' counter +.* sample:counter id 3 used=10 free=20'
check "durations" has all ' begin +.* sample:outer depth=1' ' end +.* sample:outer$' \
	' begin +.* sample:scope depth=2' ' end +.* sample:scope$' ' complete .* sample:complete until [0-9.]+ bytes=9'
check "async" has all ' async-begin .* sample:async id 9' ' async +.* sample:async id 9' ' async-end .* sample:async id 9'
check "flow" has all ' flow-begin .* sample:flow id 7' ' flow +.* sample:flow id 7' ' flow-end .* sample:flow id 7'
check "log" has all ' log +.* "message"$' ' log +.* ""$'
check "no duration whose begin is not known" fails grep unknown_begin /tmp/all.txt
check "blobs" has all ' blob +"blob" type 1, 9 bytes' ' large-blob .* sample:large_blob 9 bytes kind=1' \
	' large-blob sample:large_data 9 bytes'
grep sample:arguments /tmp/all.txt | sed 's/^/# /'
check "every type of argument" has all \
	' sample:arguments null=null int32=-32 uint32=32 int64=-64 uint64=18446744073709551615 double=1.5 string="caf\?" pointer=0x1000 kernel_pointer=0x0 koid=[0-9]+ true=true false=false empty=""$'

# ---- strings ------------------------------------------------------------------

restart
echo strings >$run
check "more names than the table holds: sound" archive strings
all_names()
{
	local count

	count=$(grep -oE 'sample:name-[0-9]+' /tmp/strings.txt | sort | uniq -c | awk '$1 == 20' | wc -l)
	echo "$count names 20 times each"
	[ "$count" = 200 ]
}
check "each of 200 names 20 times" all_names
check "a name is registered once, not with each event" \
	test "$(grep -c ' string .*"sample"' /tmp/strings.txt)" -le "$(grep -c ' magic$' /tmp/strings.txt)"

# ---- interrupts in between ------------------------------------------------------

restart
echo storm >$run
check "events of all sizes, interrupts in between: sound" archive storm
numbered()
{
	sed -nE 's/.*\[([0-9]+)\] .* sample:storm.* from="([a-z]+)" nr=([0-9]+).*/\1 \2 \3/p' /tmp/storm.txt |
		awk '{ key = $1 " " $2; if (key in last && $3 != last[key] + 1) { print key, last[key], $3; bad = 1 }
			last[key] = $3; n[$2]++ } END { print n["thread"], n["interrupt"]; exit bad || !n["thread"] || !n["interrupt"] }'
}
check "no number is missing" numbered
numbered | sed 's/^/# /'

# ---- NMI --------------------------------------------------------------------------

restart
before=$(lost)
nmi=$(cat /sys/module/events/parameters/nmi)
echo l >/proc/sysrq-trigger
nmi=$(($(cat /sys/module/events/parameters/nmi) - nmi))
echo 0 >"$TRACE/enable"
if [ $nmi -gt 0 ]; then
	check "$nmi events from NMI: counted as lost" test $(($(lost) - before)) = $nmi
fi
echo -sample >"$TRACE/events"

# ---- one no-op ----------------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
	check "an event that is off is one no-op of five bytes" \
		test "$(cat /sys/module/events/parameters/noop)" = 1
	echo 1 >"$TRACE/enable"
	echo +sample >"$TRACE/events"
	check "and not while it is on" test "$(cat /sys/module/events/parameters/noop)" = 0
	echo -sample >"$TRACE/events"
fi
check "its module goes" rmmod events
check "and its category with it" fails grep -q sample "$TRACE/events"

# ---- sources --------------------------------------------------------------------------

restart
echo "+sched +irq +syscall +block +timer +power +module +printk" >"$TRACE/events"
sync
echo 3 >/proc/sys/vm/drop_caches
"$WORKLOAD" crowd 8 800 >/dev/null
modprobe loop && rmmod loop
echo "events.sh was here" >/dev/kmsg
check "all sources at once: sound" archive sources
check "sched: wakeups" has sources ' wakeup +.* weight=120 waker=[0-9]+'
check "sched: fork, exec, exit" has sources ' sched:fork process=[0-9]+ thread=[0-9]+ name="'"$me"'"' \
	' sched:exec file=".*/modprobe"' ' modprobe:.* sched:exit status=0'
check "irq" has sources ' begin +.* irq:softirq [A-Z]+' ' end +.* irq:softirq [A-Z]+' ' begin +.* irq:virtio.* irq=[0-9]+'
check "syscall" has sources ' begin +.* syscall:openat nr=' ' end +.* syscall:openat ret=' ' instant .* syscall:exit_group'
check "block" has sources ' async-begin .* block:read id .* bytes=' ' async-end .* block:read id .* error=0'
check "timer" has sources ' begin +.* timer:hrtimer function="[a-z_]+"' ' end +.* timer:hrtimer$'
check "power" has sources ' begin +idle.* power:sleep state=' ' end +idle.* power:sleep$'
check "module" has sources ' module:load module="loop"' ' module:free module="loop"'
check "printk" has sources ' log +.* "events.sh was here"'
check "no kernel address" fails grep -qE '0xffff|ffff[89a-f][0-9a-f]{7}' /tmp/sources.txt

# One system call a line: begin and end of each thread alternate.
paired()
{
	sed -nE 's/.* (begin|end) +([^ ]+) syscall:([a-z0-9_]+) .*/\1 \2 \3/p' /tmp/sources.txt |
		awk '$1 == "begin" { if ($2 in open) bad++; open[$2] = $3 }
			$1 == "end" { if (($2 in open) && open[$2] != $3) bad++; delete open[$2]; n++ }
			END { print n, bad + 0; exit bad || n < 100 }'
}
check "system calls begin and end in pairs" paired

# ---- filters ----------------------------------------------------------------------------

restart
echo "-sched -irq -timer -power -module -printk -block +syscall:process=$$:cpus=0-1" >"$TRACE/events"
: >/tmp/touched
"$WORKLOAD" crowd 4 40 >/dev/null
echo "+syscall:process=1" >"$TRACE/events"
check "a filter by process: sound" archive filter
only()
{
	local who

	who=$(grep ' syscall:' /tmp/filter.txt | sed -nE 's/.* (begin|end|instant) +[^ ]+\/([0-9]+) syscall:.*/\2/p' | sort -u | tr '\n' ' ')
	echo "processes: $who"
	[ "$who" = "$$ " ]
}
check "only that process" only
restart
echo "+syscall:cpus=0" >"$TRACE/events"
"$WORKLOAD" crowd 8 800 >/dev/null
check "a filter by CPU: sound" archive cpus
check "that CPU's are there" has cpus '\[000\] begin .* syscall:'
check "and no other's" fails grep -q '\[001\] .* syscall:' /tmp/cpus.txt

restart
echo "-syscall +sched:thread=4194303" >"$TRACE/events"
"$WORKLOAD" crowd 8 800 >/dev/null
echo "+sched:process=$$" >"$TRACE/events"
/bin/true
check "a filter of wakeups: sound" archive wakeups
# Neither who wakes nor who is woken is of another process.
only_wakeups()
{
	grep ' wakeup ' /tmp/wakeups.txt >/tmp/wakeups.of || return
	! grep -vE " wakeup +[^ ]+/$$ | waker=$$\$" /tmp/wakeups.of
}
check "only wakeups by that process, and of it" only_wakeups

# Clocks of two CPUs may differ a little; this one is the same for all.
echo mono >"$TRACE/clock"
restart
echo "+sched" >"$TRACE/events"
"$WORKLOAD" crowd 40 20000 >/dev/null
check "wakeups: sound" archive awake
check "there are many" within 5000 "$(grep -c ' wakeup ' /tmp/awake.txt)" 1000000
check "none is of a thread that runs" fails grep 'wakeups of running threads' <(vitrine check /tmp/awake.fxt)
rm -f /tmp/*.fxt /tmp/*.txt

finish
