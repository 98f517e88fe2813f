#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Events: every kind of record and argument, written by another module; each source;
# filters; what is refused or lost; the trees meanwhile; and that an event that is off is
# one no-op.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit
disruptive "caches are dropped, and the log level of the console changes"

me=$(cat /proc/$$/comm)
run=/sys/module/events/parameters/run

sample()
{
	insmod "$VITRINE_MODULES/events.ko"
}

# has NAME PATTERN...: each pattern matches a line of the archive
has()
{
	has_lines "/tmp/$1.txt" "${@:2}"
}

# ---- switches ---------------------------------------------------------------

load events=irq:cpus=0,1+timer trees=all
sample || skip "no events.ko"
check "switched on at load, with a filter" grep -qx '+irq:cpus=0-1' "$TRACE/events"
check "switched on at load, without a filter" grep -qx '+timer' "$TRACE/events"
check "off, unless asked for" grep -qx -- '-sched' "$TRACE/events"
set_to events "-marker -irq -timer +sample"
check "several at once" grep -qx '+sample' "$TRACE/events"
check "no category is on but those that were written" prints 1 grep -c '^+' "$TRACE/events"
# named FILE WORD TEXT: writing WORD to FILE fails, and the kernel log names it as TEXT
named()
{
	mark_log
	rejects "$1" "" "$2" || return
	marked_log | grep -F "vitrine: trace/$1: \"$3\" is not valid"
}
check "the log names a category that does not exist" named events "-irq +nosuch +irq" +nosuch
check "the log names a condition" named events "+irq:cpus=0:what=1" "+irq:cpus=0:what=1"
check "the log names a word of stacks" named stacks "blocked_us=1 kthread" kthread
check "the log escapes it" named stacks $'blocked_us=1 \e[31m' '\e[31m'
for words in nothing +nothing +irq:args +syscall:args=1 +irq:what=1 +irq:cpus=x +irq:process=-1 "+irq:" ":"; do
	check "refused: $words" rejects events "Invalid argument" "$words"
done
# not_flooded: a hundred invalid words leave few lines in the log
not_flooded()
{
	local i

	mark_log
	for i in {1..100}; do
		set_to events "+nosuch$i"
	done 2>/dev/null
	marked_log | grep -c vitrine
	[ "$(marked_log | grep -c vitrine)" -le 12 ]
}
check "the log is not flooded" not_flooded
check "the same words that are read can be written" \
	sh -c "cat $TRACE/events >/tmp/events && cat /tmp/events >$TRACE/events && cmp /tmp/events $TRACE/events"

# ---- every record, every argument ---------------------------------------------

# Hide the messages that this test provokes, but not those of the tests that follow.
printk=$(</proc/sys/kernel/printk)
trap 'echo "$printk" >/proc/sys/kernel/printk' EXIT
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
# hashed: begin and end have the same id, which is no kernel address
hashed()
{
	local ids

	ids=$(sed -n 's/.* sample:pointer id \([0-9]*\)$/\1/p' /tmp/all.txt | uniq -c)
	echo "$ids"
	[[ $ids =~ ^\ *2\ ([0-9]+)$ ]] && [[ $(printf %x "${BASH_REMATCH[1]}") != ffff* ]]
}
check "an id that is a pointer is hashed" hashed
check "flow" has all ' flow-begin .* sample:flow id 7' ' flow +.* sample:flow id 7' ' flow-end .* sample:flow id 7'
check "log" has all ' log +.* "message"$' ' log +.* ""$'
check "no duration whose begin is not known" fails grep unknown_begin /tmp/all.txt
check "blobs" has all ' blob +"blob" type 1, 9 bytes' ' large-blob .* sample:large_blob 9 bytes kind=1' \
	' large-blob sample:large_data 9 bytes'
grep sample:arguments /tmp/all.txt | sed 's/^/# /'
check "every type of argument" has all \
	' sample:arguments null=null int32=-32 uint32=32 int64=-64 uint64=18446744073709551615 double=1.5 string="caf\?" pointer=0x1000 kernel_pointer=0x0 koid=[0-9]+ true=true false=false empty=""$'

check "bit fields" has all ' sample:bit_fields narrow=7 negative=-9 wide=1099511627775 flag=true$'

# ---- strings ------------------------------------------------------------------

restart
echo strings >$run
check "more names than the table holds: sound" archive strings
check "each of 200 names 20 times" same <(echo 200) \
	<(grep -oE 'sample:name-[0-9]+' /tmp/strings.txt | sort | uniq -c | grep -c ' 20 ')
check "a name is registered once, not with each event" \
	test "$(grep -c ' string .*"sample"' /tmp/strings.txt)" -le "$(grep -c ' magic$' /tmp/strings.txt)"

# ---- interrupts in between ------------------------------------------------------

restart
echo storm >$run
check "events of all sizes, interrupts in between: sound" archive storm
# numbered: no event is missing in between, of the thread or of an interrupt. In a slow guest,
# sed would take twenty seconds.
numbered()
{
	perl -ne '
		my ($cpu, $from, $nr) = /\[(\d+)\] .* sample:storm.* from="([a-z]+)" nr=(\d+)/ or next;
		my $last = $last{"$cpu $from"};
		if (defined $last && $nr != $last + 1) { print "$cpu $from: $last $nr\n"; $bad = 1 }
		$last{"$cpu $from"} = $nr;
		$seen{$from}++;
		END { exit $bad || !$seen{thread} || !$seen{interrupt} }' /tmp/storm.txt
}
check "no number is missing" numbered

# ---- faults in between ------------------------------------------------------------

# has_events CATEGORY: this kernel has a tracepoint of the category
has_events()
{
	[ "$(value vitrine ".root.missing.events.$1")" = null ]
}

# can_switch CATEGORY: according to the tree "vitrine", the category can be switched on
can_switch()
{
	if has_events "$1"; then
		set_to events "+$1"
	else
		rejects events "No such file or directory" "+$1"
	fi
}

# While recording is off, tracepoints are not looked up.
restart
before=$(grep '^+' "$TRACE/events")
while read -r category; do
	check "$category: can be switched on, or is listed as missing" can_switch "$category"
	set_to events "-$category"
done < <(sed 's/^.//; s/:.*//' "$TRACE/events")
set_to events "$before"

if has_events fault; then
	restart
	set_to events +fault
	before=$(total .lost_records)
	echo edge >$run
	before=$(($(total .lost_records) - before))
	set_to events -fault
	check "text whose end makes the writer fault: sound" archive edge
	check "text whose end makes the writer fault: all events are there" prints 100 grep -c ' sample:text text="edge"$' /tmp/edge.txt
	check "faults of the writer, $before, are counted as lost" within 90 "$before" 220
fi

# ---- NMI --------------------------------------------------------------------------

restart
lost=$(total .lost_records)
nmi=$(</sys/module/events/parameters/nmi)
# A CPU may be late for its NMI.
each_is_lost()
{
	[ $(($(</sys/module/events/parameters/nmi) - nmi)) = $(($(total .lost_records) - lost)) ]
}
echo l >/proc/sysrq-trigger
if [ "$(</sys/module/events/parameters/nmi)" != "$nmi" ]; then
	check "events from NMI: counted as lost" until_true each_is_lost
fi
set_to enable 0
set_to events -sample

# ---- the begin of a duration --------------------------------------------------------

begin=/sys/module/events/parameters/begin
set_to enable 1
check "while a category is off, the clock is not read" test "$(<$begin)" = 0
set_to events +sample
check "while it is on, the clock is read" test "$(<$begin)" = 1
set_to events -sample
set_to enable 0

# ---- one no-op ----------------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
	check "an event that is off is one no-op of five bytes" \
		test "$(cat /sys/module/events/parameters/noop)" = 1
	set_to enable 1
	set_to events +sample
	check "an event that is on is not a no-op" test "$(cat /sys/module/events/parameters/noop)" = 0
	set_to events -sample
fi
check "a module with a category can be unloaded" rmmod events
check "the category is gone with its module" fails grep -q sample "$TRACE/events"

# ---- sources --------------------------------------------------------------------------

# Large rings: on a slow machine, there are many timer interrupts meanwhile. Where the counter of
# the CPU is not used, local clocks of CPUs may differ by more than a short system call takes.
clock=$(grep -o '\[[a-z]*\]' "$TRACE/clock" | tr -d '[]')
[ "$clock" = counter ] || set_to clock mono
restart 16384
set_to events "+sched +irq +ipi +syscall +block +timer +power +module +printk"
! has_events fault || set_to events +fault
check "all trees while all sources record: sound" vitrine check \
	"$INSPECT"/{devices,interrupts,memory,modules,sched,system,tasks,vitrine}.inspect
sync
echo 3 >/proc/sys/vm/drop_caches
# interrupts PATTERN: number of interrupts between CPUs, according to the kernel
interrupts()
{
	awk -v pattern="$1" '$0 ~ pattern { for (i = 2; $i ~ /^[0-9]+$/; i++) sum += $i } END { print sum + 0 }' \
		/proc/interrupts
}
before=$(interrupts 'Rescheduling interrupts')
resched()
{
	"$WORKLOAD" crowd 8 800 >/dev/null
	[ "$(interrupts 'Rescheduling interrupts')" -gt "$before" ]
}
check "CPUs reschedule each other" until_true resched
"$WORKLOAD" faults 100
"$WORKLOAD" compat && compat=y || compat=
modprobe loop && rmmod loop
echo "events.sh was here" >/dev/kmsg
check "all sources at once: sound" archive sources
check "sched: wakeups" has sources ' wakeup +.* weight=120 waker=[0-9]+'
check "sched: fork, exec, exit" has sources ' sched:fork process=[0-9]+ thread=[0-9]+ name="'"$me"'"' \
	' sched:exec file=".*/modprobe"' ' modprobe:.* sched:exit status=0'
check "irq" has sources ' complete .* irq:softirq [A-Z]+ until ' ' complete .* irq:virtio.* until [0-9.]+ irq=[0-9]+'
case $(uname -m) in
x86_64)	check "ipi" has sources ' complete .* ipi:reschedule until [0-9.]+ vector=' \
		' complete .* ipi:call_function(_single)? until [0-9.]+ vector=' ;;
*)	check "ipi" has sources ' complete .* ipi:Rescheduling interrupts until ' ;;
esac
if has_events fault; then
	check "fault: by user space" has sources ' workload:.* fault:user_read address=0x[0-9a-f]+$' \
		' workload:.* fault:user_write address=0x[0-9a-f]+$' ' fault:user_execute address='
	check "fault: by the kernel, in a system call" has sources ' fault:kernel_(read|write) address=0x[1-9a-f]'
	check "fault: an exception" has sources ' workload:.* fault:divide error$'
fi
check "syscall" has sources ' complete .* syscall:openat until [0-9.]+ ret=' ' begin +[^ ]+ syscall:[a-z_0-9]+$' \
	' end +.* syscall:[a-z_0-9]+ ret=' ' instant .* syscall:exit_group$'
if [ "$(uname -m)" = x86_64 ] && [ "$compat" ]; then
	check "syscall: of a 32-bit program" has sources ' complete .* syscall:compat until [0-9.]+ nr=60 ret='
fi
check "block" has sources ' async-begin .* block:read id .* bytes=' ' async-end .* block:read id .* error=0'
check "timer" has sources ' complete .* timer:hrtimer until [0-9.]+ function="[a-z_]+"'
check "power" has sources ' begin +idle.* power:sleep state=' ' end +idle.* power:sleep$'
check "module" has sources ' module:load module="loop"' ' module:free module="loop"'
check "printk" has sources ' log +.* "events.sh was here"'
check "no kernel address" fails grep -qE '0xffff|ffff[89a-f][0-9a-f]{7}' /tmp/sources.txt

# A call during which its thread was switched out has a begin and an end, with a switch in
# between; any other call is one record, without a switch in it.
parted()
{
	sed -nE 's/^[^ ]+ +([0-9.]+) \[[0-9]+\] (begin|end|complete) +([^ ]+) syscall:([a-z0-9_]+)( until ([0-9.]+))?.*/\2 \3 \4 \1 \6/p
		s/^[^ ]+ +([0-9.]+) \[[0-9]+\] switch +([^ ]+) .*/switch \2 - \1/p' /tmp/sources.txt |
		awk '
			$1 == "switch" { left[$2] = 1; if ($2 in until && $4 + 0 < until[$2] + 0) { print "switched in", $0; bad++ } }
			$1 == "begin" { if ($2 in open) { print "open", $0; bad++ } open[$2] = $3; left[$2] = 0 }
			$1 == "end" && $2 in open {
				if (open[$2] != $3 || !left[$2]) { print "end", $0; bad++ }
				delete open[$2]; pairs++
			}
			$1 == "complete" { until[$2] = $5; whole++ }
			END { print pairs, whole, bad + 0; exit bad || pairs < 10 || whole < 100 }'
}
check "system calls are parted where their thread is switched out, and only there" parted

# ---- requests to disks -------------------------------------------------------------------

# in_flight: count the requests to the disks of this test that are in flight at a time, and list
# those that have the id of another one in /tmp/clashes
in_flight()
{
	sed -nE 's/.* async-(begin|end) .* block:[a-z]+ id ([^ ]+) (disk="([a-z]+).*)?.*/\1 \2 \4/p' /tmp/disks.txt | awk '
		$1 == "begin" && $2 in open { print >"/tmp/clashes" }
		$1 == "begin" { open[$2] = $3 ~ /^(nullb|loop)$/; nr += open[$2]; most = nr > most ? nr : most }
		$1 == "end" && $2 in open { nr -= open[$2]; delete open[$2] }
		END { print most + 0 }'
}

# read_twice: two programs read the same sector of a disk that is above another one
read_twice()
{
	restart && for _ in 1 2; do
		dd if="$upper" of=/dev/null bs=4k skip=1 count=1 iflag=direct &
	done
	wait
	: >/tmp/clashes
	archive disks && [ "$(in_flight)" -ge 4 ]
}

set_to events "-sched -irq -ipi -syscall -timer -power -module -printk"
if modprobe null_blk queue_mode=2 irqmode=2 completion_nsec=1000000000 && modprobe loop; then
	upper=/dev/loop0
	losetup --direct-io=on "$upper" /dev/nullb0
	check "block: four requests for a sector in flight together" retried read_twice
	check "block: each of them has an id of its own" same /dev/null /tmp/clashes
	losetup -d "$upper"
	rmmod loop null_blk
fi
set_to clock "$clock"

# ---- arguments of system calls -----------------------------------------------------------

restart
set_to events "-block +syscall:args:cpus=0-1"
set_to events -fault
check "arguments: listed, with a filter" grep -qx "+syscall:args:cpus=0-1" "$TRACE/events"
set_to events "+syscall:args"
# A call during which the shell is switched out is no complete one; of many one is.
for _ in {1..100}; do
	: </tmp/sources.txt
done
"$WORKLOAD" crowd 4 400 >/dev/null
set_to events "+syscall:process=$$"
for _ in {1..100}; do
	: </tmp/sources.fxt
done
check "arguments: sound" archive args
if [ -d /sys/kernel/tracing/events/syscalls ]; then
	opened='dfd=-100 filename=0x[0-9a-f]+ flags=[0-9]+ mode=[0-9]+'
	waits='fd=[0-9]+ buf=0x[0-9a-f]+ count=[0-9]+'
else
	opened='arg0=[0-9]+ arg1=[0-9]+ arg2=[0-9]+ arg3=[0-9]+ arg4=[0-9]+ arg5=[0-9]+'
	waits=$opened
fi
check "arguments: in front of what it returns" has args " complete .* syscall:openat until [0-9.]+ $opened ret=[0-9]+$"
check "arguments: with the begin, of a call in which its thread waits" has args " begin .* syscall:read $waits$" \
	' end +.* syscall:read ret=1$'
check "no arguments of system calls unless asked for" has args ' complete .* syscall:openat until [0-9.]+ ret=[0-9]+$'

# ---- filters ----------------------------------------------------------------------------

restart
set_to events "+syscall:process=$$:cpus=0-1"
: >/tmp/touched
"$WORKLOAD" crowd 4 40 >/dev/null
set_to events "+syscall:process=4194303"
check "a filter by process: sound" archive filter
check "only that process" same <(echo $$) <(sed -nE \
	's/.* (begin|end|instant|complete) +[^ ]+\/([0-9]+) syscall:.*/\2/p' /tmp/filter.txt | sort -u)
restart
set_to events "+syscall:cpus=0"
on_each_cpu "$WORKLOAD" crowd 8 800
check "a filter by CPU: sound" archive cpus
check "a filter by CPU: system calls of this CPU are recorded" has cpus '\[000\] complete .* syscall:'
check "a filter by CPU: no system call of another CPU" fails grep -q '\[001\] .* syscall:' /tmp/cpus.txt

restart
set_to events "-syscall +sched:thread=4194303"
"$WORKLOAD" crowd 8 800 >/dev/null
set_to events "+sched:process=$$"
/bin/true
check "a filter of wakeups: sound" archive wakeups
# Neither the waker nor the woken thread belongs to another process, but for interrupts that came
# upon this one.
check "some wakeups" grep ' wakeup ' /tmp/wakeups.txt
check "only wakeups by that process, and of it" \
	fails grep -P " wakeup (?! *[^ ]+/$$ )(?!.* waker=$$\$)(?!.* by (hard|soft)irq .* waker=0$)" /tmp/wakeups.txt

# Clocks of two CPUs may differ slightly; CLOCK_MONOTONIC is the same on all.
set_to clock mono
restart
set_to events "+sched"
"$WORKLOAD" crowd 40 5000 >/dev/null
check "wakeups: sound" archive awake
check "wakeups: at least 5000" within 5000 "$(grep -c ' wakeup ' /tmp/awake.txt)" 1000000
check "wakeups: none of a running thread" fails grep 'wakeups of running threads' <(vitrine check /tmp/awake.fxt)
rm -f /tmp/*.fxt /tmp/*.txt

finish
