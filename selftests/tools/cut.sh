#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine cut': the part of a trace has the chosen records and no others, is a sound trace
# that every reader opens, and an anonymised one has none of the names.

. "$(dirname "$0")/command" || exit

cut()
{
	command_into_files cut "$@"
}

# Two processes, secretd and sleepd; the former forks a child, which gets another name. All events
# that have names and texts are in it.
mktrace >family.fxt <<'END'
def process_of(thread):
    return 2 if thread == 3 else thread // 10 * 10
def at(ns, thread, category, text, *args):
    put(event(ns, process_of(thread), thread, category, text, *(arg(*each) for each in args)))
def turn(ns, *threads, state=3):
    put(legacy_switch(ns, *((process_of(thread), thread) for thread in threads), state=state))
for thread, process, text in (10, 10, b"secretd"), (11, 10, b"secret-io"), \
        (20, 20, b"sleepd"), (30, 30, b"grandson"), (2, 2, b"kthreadd"), (40, 40, b"wordy"):
    put(name(1, process, text), name(2, thread, text, arg(b"process", process)))
put(name(2, 3, b"ksoftirqd/0", arg(b"process", 2)))
turn(1000, 0, 10, state=0)
at(1100, 10, b"sched", b"fork", (b"process", 30), (b"thread", 30), (b"name", b"secretd"))
at(1150, 10, b"sched", b"exec", (b"file", b"/home/olivia/secretd"), (b"old_thread", 10))
turn(1200, 10, 20)
at(1250, 20, b"syscall", b"read")
turn(1300, 20, 30)
at(1350, 30, b"marker", b"invoice 4711")
at(1360, 30, b"stacks", b"blocked", (b"stack", b"do_read+0x1;xfs_open+0x2 [xfs]"),
   (b"syscall", b"read"), (b"lock", b"mutex"))
at(1370, 30, b"stacks", b"user stack", (b"stack", b"secretd+0x10;secretlib+0x20;?;..."),
   (b"files", b"/home/olivia/secretd abcd;/lib/secretlib -"))
at(1375, 30, b"stacks", b"user stack", (b"stack", b"pay_olivia+0x10 [secretd];?"))
at(1380, 30, b"block", b"read", (b"disk", b"sda"))
put(record(9, 12 << 16, 1390, 30, 30, stream(b"hello olivia")))
for ns, out, into in (1400, 30, 11), (1500, 11, 40), (1600, 40, 3), (1700, 3, 0):
    turn(ns, out, into)
END

# A thread on each of 6000 CPUs, which runs from 1 us to 2 us.
mktrace >crowd.fxt <<'END'
cpus = range(1, 6001)
put(*(name(kind, cpu, b"cpu%05d" % cpu) for cpu in cpus for kind in (1, 2)),
    *(switch(1000, 0, cpu, cpu=cpu) for cpu in cpus), *(switch(2000, cpu, 0, cpu=cpu) for cpu in cpus))
END

# A user stack of 15000 short frames, and a text behind it.
mktrace >stack.fxt <<'END'
put(event(1000, 10, 10, b"stacks", b"user stack", arg(b"stack", b";".join([b"a"] * 15000)),
          arg(b"files", b"wordy")))
END
# threads FILE: print ids and names of the threads in FILE
threads()
{
	"$vitrine" print --json "$1" | jq -r '(.in?, .out?, .thread?) | select(.) | "\(.tid) \(.name)"' | sort -u
}

# names EXPECTED FILE: the names of the threads in FILE are EXPECTED
names()
{
	prints "$1" bash -c "cut -d ' ' -f 2- | sort -u | paste -sd ," < <(threads "$2")
}

# tokens FILE: print the tokens in FILE
tokens()
{
	grep -aoE 'x[0-9a-f]{12}' "$1" | sort -u
}

# token FILE TID: print the name of a thread in FILE
token()
{
	threads "$1" | sed -n "s/^$2 //p"
}
# argument FILE NAME ARGUMENT: print an argument of the events NAME
argument()
{
	"$vitrine" print --json "$1" | jq -r "select(.name == \"$2\") | .args.\"$3\""
}

# between FILE FROM TO: print the records of FILE at these nanoseconds, which are no notes
between()
{
	"$vitrine" print --json "$1" |
		jq -c "select(.time_ns >= $2 and .time_ns <= $3 and .name != \"left_out\") | del(.offset, .provider)"
}

# ran FILE FROM TO: print how long each CPU ran which thread between these nanoseconds
ran()
{
	"$vitrine" print --json "$1" | jq -r 'select(.kind == "switch") | "\(.cpu) \(.time_ns) \(.in.tid)"' |
		awk -v from="$2" -v to="$3" '
		function add(cpu, end) {
			begin = since[cpu] < from ? from : since[cpu]
			end = end > to ? to : end
			if (running[cpu] && end > begin)
				sum[cpu " " running[cpu]] += end - begin
		}
		{ add($1, $2); since[$1] = $2; running[$1] = $3 }
		END {
			for (cpu in running)
				add(cpu, to)
			for (each in sum)
				print each, sum[each]
		}' | sort
}

traces vitrine wide
mv vitrine.fxt lost.fxt
"$mkfxt" speed 2000 >a.fxt
check "no OUT" refused "" cut a.fxt --cpu 0
check "no FILE" refused "" cut --cpu 0 -o out.fxt
check "nothing to leave out" refused "" cut a.fxt -o out.fxt
check "no such file" exits 3 "missing.fxt: cannot open" cut missing.fxt --cpu 0 -o out.fxt
check "no trace" exits 1 "/dev/null: offset 0x0: not a Fuchsia trace" cut /dev/null --cpu 0 -o out.fxt
check "a refused cut leaves no file" no_file 'out*.fxt*'

check "cut by CPU" exits 0 "" cut lost.fxt -C 1 -o cpu.fxt
check "cut by CPU: its records, and no others" same <("$vitrine" print --cpu 1 --event switch lost.fxt) \
	<("$vitrine" print --event switch cpu.fxt)
check "cut by CPU: the trace is sound" sound cpu.fxt
check "cut by CPU: the file says which CPU it has" has "left out on purpose: cpus=1$" check cpu.fxt

cut lost.fxt --cpu 1 -o lost.cpu.fxt
check "lost records of the CPU remain lost" sound lost.cpu.fxt " 11 records lost"
cut lost.fxt --cpu 0 -o lost.cpu.fxt
check "lost records of a CPU: no record of another CPU" fails has "provider 2" print --all lost.cpu.fxt

from=$("$vitrine" print --json a.fxt | jq -s '.[700].time_ns + 1')
to=$("$vitrine" print --json a.fxt | jq -s '.[1200].time_ns + 1')
check "cut by time" exits 0 "" cut a.fxt --from "${from}ns" --to "${to}ns" -o time.fxt
check "cut by time: the records in between" same <(between a.fxt $((from + 1)) $((to - 1))) <(between time.fxt $((from + 1)) $((to - 1)))
check "cut by time: no other records" filtered 0 "jq -s 'map(select(.time_ns < $from or .time_ns > $to)) | length'" \
	print --json time.fxt
check "cut by time: each thread ran as long" same <(ran a.fxt "$from" "$to") <(ran time.fxt 0 $((to * 2)))
check "cut by time: the trace is sound" sound time.fxt
check "cut by time: the file says which time it has" has "left out on purpose: from_ns=$from to_ns=$to$" check time.fxt
cut time.fxt --cpu 0 --from "$((from + 1000))ns" -o again.fxt
check "a cut of a cut says both" filtered "from_ns=$((from + 1000)) cpus=0
from_ns=$from to_ns=$to" "sed -n 's/.*on purpose: //p' | LC_ALL=C sort -r" check again.fxt
check "a time between two records" exits 0 "" cut a.fxt --from "${from}ns" --to "$((from + 1))ns" -o between.fxt
check "a time between two records: what runs is known" test "$("$vitrine" print --event switch between.fxt | wc -l)" -ge 2

cut wide.fxt --cpu 300 --from 1ns -o wide.cut.fxt
check "a CPU above 255" sound wide.cut.fxt

check "a process" exits 0 "" cut family.fxt -p sleepd -o sleepd.fxt
check "cut by process: the other threads have a stand-in, idle stays" same \
	<("$vitrine" print sleepd.fxt | sed 's/^ *[0-9.]* //') - <<-'END'
	[000] instant file:2147287040/0 vitrine:extent
	[000] switch  idle:0/0 [0] runnable ==> not recorded:2147352576/0 [120]
	[---] instant file:2147287040/0 vitrine:left_out processes="sleepd"
	[000] switch  not recorded:2147352576/0 [120] blocked ==> sleepd:20/20 [120]
	[---] instant sleepd:20/20 syscall:read
	[000] switch  sleepd:20/20 [120] blocked ==> not recorded:2147352576/0 [120]
	[000] switch  not recorded:2147352576/0 [120] blocked ==> idle:0/0 [0]
	[---] instant file:2147287040/0 vitrine:extent
END
check "cut by process: the trace is sound" sound sleepd.fxt
cut family.fxt -p 10 -o secretd.fxt
check "a process and its child" names "file,grandson,idle,not recorded,secret-io,secretd" secretd.fxt
check "cut by process: the trace with its child is sound" sound secretd.fxt
cut family.fxt -t 11 -o thread.fxt
check "a thread" names "file,idle,not recorded,secret-io" thread.fxt

mktrace >interrupt.fxt <<<'put(switch(1, 0, 7), *(wakeup(2 + i, 8, context=i) for i in range(5)))'
cut interrupt.fxt -t 8 -o woken.fxt
check "the waker after an interrupt is no thread, not the stand-in" \
	filtered $'2147352576\n2147352576\n0\n0\n2147352576' "jq .args.waker" print -j -e wakeup woken.fxt

check "--anonymise" exits 0 "" cut family.fxt --anonymise -o secret.fxt
check "an anonymised trace is sound" sound secret.fxt
check "an anonymised trace has as many records" test "$("$vitrine" print family.fxt | wc -l)" = \
	"$("$vitrine" print --json secret.fxt | jq -c 'select(.name != "left_out")' | wc -l)"
check "an anonymised trace has none of the names" fails grep -aE "secret|olivia|sleepd|grandson|wordy|invoice|hello" secret.fxt
check "an anonymised trace has the names of kernel threads" prints ksoftirqd/0 token secret.fxt 3
check "the same name has the same token" test "$(token secret.fxt 10)" = "$(argument secret.fxt fork name)"
check "another name has another" test "$(token secret.fxt 10)" != "$(token secret.fxt 20)"
check "another file has other tokens" test -z "$(cut family.fxt --anonymise -o other.fxt
	comm -12 <(tokens secret.fxt) <(tokens other.fxt))"
check "an anonymised trace has the kernel stacks" test "$(argument secret.fxt blocked stack)" = "do_read+0x1;xfs_open+0x2 [xfs]"
check "an anonymised trace has system calls, locks and disks" same <(printf '%s\n' read mutex sda) \
	<(argument secret.fxt blocked syscall; argument secret.fxt blocked lock; argument secret.fxt read disk | grep -v null)
check "user stacks keep their shape" same <(argument secret.fxt "user stack" stack | sed -E 's/x[0-9a-f]{12}/T/g') \
	<(printf '%s\n' "T+0x10;T+0x20;?;..." "T+0x10 [T];?")
check "the files of a user stack have one token" test "$(argument secret.fxt "user stack" stack | sed -n '1s/+.*//p')" = \
	"$(argument secret.fxt "user stack" stack | sed -nE '2s/.*\[(.*)\].*/\1/p')"
# More names, or text, than the anonymiser has room for.
cut crowd.fxt --from 1500ns --anonymise -o crowd.cut.fxt
check "each of 6000 threads that run when the cut begins has a token" prints 6000 grep -c ' x' <(threads crowd.cut.fxt)
cut stack.fxt --anonymise -o stack.cut.fxt
check "a stack that becomes too long is left out, but no other text" same <(printf '%s\n' "" T) \
	<(for each in stack files; do argument stack.cut.fxt "user stack" $each; done | sed -E 's/x[0-9a-f]{12}/T/g')
cut sleepd.fxt --anonymise -o secret.cut.fxt
check "the name that was selected has a token, too" fails grep -a sleepd secret.cut.fxt

for reader in "print" "latency" "why" "flame -o x.svg" "timeline -o x.html" \
	"merge -o x.fxt" "convert --to heph -o x.heph"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "vitrine $reader opens it" "$vitrine" $reader secret.fxt
done

plan
