#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the command reports about a trace: print with its filters, latency, timeline.

. "$(dirname "$0")/command" || exit

# times EXPECTED ARGUMENT...: the times of the printed records, in nanoseconds, are EXPECTED
times()
{
	filtered "$1" "jq -r .time_ns | paste -sd ' '" print --json "${@:2}"
}

traces records vitrine crowd renamed waits torn spans late-span late-spans snapshot rush wide

# CPU 0 switches at 5000, 5010, 5100, 5110, 6000 and 6010. CPU 1 switches at 5005, 5015,
# 5105, 5115, 5205 and 5215, then records are lost, then it switches at 6005.
check "print: one CPU" times "5000 5010 5100 5110 6000 6010" --cpu 0 vitrine.fxt
check "a range of CPUs" times "5205 5215 5215 6005" --cpu 1-2 --from 5200ns vitrine.fxt
check "print --cpu: records of no CPU are left out" exits 1 \
	"crowd.fxt: no record is from CPU 0; the trace has 0 CPUs" print --cpu 0 crowd.fxt
check "seconds, both ends within" times "5010 5015 5100" \
	--from 0.00000501 --to 0.0000051 vitrine.fxt
check "relative times" times "5 10 15 100" \
	--relative --from 0.000000001 --to 100ns vitrine.fxt
check "relative, in text" prints "     0.000000010 [000] switch  worker:101/100 [120] blocked ==> idle:0/0 [0]" \
	"$vitrine" print -r --from 10ns --to 10ns vitrine.fxt
check "print: one kind" times 5215 --event lost vitrine.fxt
check "two kinds" times "2103000000 2200000000 2200000000" -e wakeup -e log records.fxt
check "all events, one of a type nobody knows" filtered 12 "wc -l" print -j -e event records.fxt
check "category and name" times 2000000000 -e cat:instant records.fxt
check "a category" times 2000000000 -e 'cat:*' records.fxt
check "a name" times 2201000000 -e '*:large' records.fxt
check "thread by number, on either side" times "2102000000 2200000000" \
	-t 102 -e switch -e log records.fxt
check "thread by name" times "2102000000 2200000000" -t näme records.fxt
check "process by number" times "5000 5010" -p 100 --to 5010ns -c 0 vitrine.fxt
check "process by name" times "5000 5010" -p main --to 5010ns -c 0 vitrine.fxt
check "process from the names" times 2102000000 -p 100 -e switch --from 2.102 records.fxt
check "objects of a process" json $'worker\nmain\nworker\nmain' .name \
	print -a --json -p 100 -e object --to 5000ns vitrine.fxt
for what in --cpu=x --cpu=1- --cpu=2-1 '--cpu=0,' --event=nonsense --thread= \
	    --from=1x --from=-1 '--to=5 s' --to=99999999999999; do
	check "$what" refused "' is not a" print "$what" vitrine.fxt
done

# ---- latency: comments in good.traces derive the expected figures

head=$(printf '%-29s %6s %7s %7s %7s %7s %8s %7s %14s' THREAD RUNS AVG P99 MAX RUNNING RUNNABLE BLOCKED 'UNTIL (s)')
check "latency" prints "5.650us, 18 switches on 2 CPUs, busy for 72.2 %; latency from wakeup or preemption to run
1 gap: what threads did meanwhile is left out

$head
alpha:11/10                        4   366ns   700ns   700ns 1.600us  1.100us   500ns       0.000003
be|ta<>&\"':21/20                   2    50ns    50ns    50ns 2.500us     50ns   700ns       0.000003
gamma:31/30                        3    50ns    50ns    50ns   300ns     50ns   100ns       0.000006
?:41/40                            2     0ns     0ns     0ns 1.350us      0ns     0ns       0.000006
total of 4 threads                11   200ns   700ns   700ns 5.750us  1.200us 1.300us       0.000003" \
	"$vitrine" latency waits.fxt
check "a trace without wakeups: the report says so" filtered "1.010us, 13 switches on 2 CPUs, busy for 4.9 %; latency from wakeup or preemption to run
No wakeups of these threads in the trace: only preemptions are known
1 gap, 11 records lost: what threads did meanwhile is left out" "head -n 3" latency vitrine.fxt
check "what ends in a later sub-buffer is not lost" filtered \
	"1 gap, 4 records lost: what threads did meanwhile is left out" "sed -n 3p" latency spans.fxt
for name in late-span late-spans; do
	check "$name: latency finds no loss in all the time" json '[0,0,5,2000,2000,0]' '[.gaps,
		.lost, .switches] + (.threads[] | [.running_ns, .blocked_ns, .unknown_ns])' \
		latency -j $name.fxt
	check "$name: nor does why, which has both waits" json '[0,0,2]' \
		'[.gaps, .lost, (.waits | map(.count) | add)]' why -j $name.fxt
	check "$name: nor does timeline" drawn '[[]]' '[.lanes[].gaps]' $name.fxt
	flight_recorder $name.fxt
	check "$name: nor does top" json 0 .gaps top --once --json
done
check "rings that begin at different times: what is unknown, and no wait of it" prints "15.80s, 13 switches on 3 CPUs, busy for 41.1 %; latency from wakeup or preemption to run
No records of CPU 0 before 13.500000000: what threads waited for until then is left out

$head
cc1:300/300                        1 500.0ms 500.0ms 500.0ms  1.000s  500.0ms     0ns      20.000000
waiter:201/200                     2 10.00ms 10.00ms 10.00ms 550.0ms  10.00ms  2.200s      19.010000
starter:203/203                    1       -       -       -  4.740s      0ns  2.760s              -
sshd:400/400                       3       -       -       -  3.700s      0ns     0ns              -
total of 4 threads                 7 255.0ms 500.0ms 500.0ms  9.990s  510.0ms  4.960s      20.000000" \
	"$vitrine" latency snapshot.fxt
check "the same as JSON" json '[0,[{"cpu":0,"before_ns":13500000000}]]' '[.gaps, .unknown]' \
	latency -j snapshot.fxt
check "nothing is unknown of a later part" filtered 0 "grep -c 'No records'" \
	latency --from 13.5 snapshot.fxt
"$vitrine" cut --from 13.4 snapshot.fxt -o cut.fxt
check "cut does not forget what is missing" has \
	"^No records of CPU 0 before 13.500000000: what threads waited for until then is left out$" \
	latency cut.fxt
"$vitrine" cut --from 13.6 snapshot.fxt -o cut.fxt
check "cut: all is known from a later time on" json '[0,[]]' '[.gaps, .unknown]' latency -j cut.fxt
check "timeline: it is a gap" drawn '[[0,8300000000],[],[]]' '[.lanes[].gaps]' snapshot.fxt
flight_recorder snapshot.fxt
check "top: busy while it is known" has '^3 CPUs busy for 41 %,' top --once
check "interrupts: all that are not nested, and each name" filtered "
THREAD                        INTERRUPTED BY             COUNT    TOTAL      MAX
worker:101/100                all                            7    240ns     90ns  17.14 % of RUNNING
worker:101/100                eth0                           6    100ns     50ns
worker:101/100                softirq NET_RX                 1     90ns     90ns
worker:101/100                local_timer                    1     60ns     60ns
worker:101/100                hrtimer                        2     10ns     10ns
worker:101/100                softirq TIMER                  1     10ns     10ns
worker:101/100                softirq RCU                    1      0ns      0ns" "sed '1,/^worker:/d'" \
	latency spans.fxt
check "interrupts of a part of the time" json \
	'[{"count":1,"sum_ns":60,"max_ns":60},["local_timer","hrtimer"]]' \
	'.threads[] | [.interrupted, [.interrupted_by[].name]]' \
	latency -j --from 1455ns --to 1515ns spans.fxt
check "no interrupts, no table" filtered 0 "grep -c INTERRUPTED" latency waits.fxt
check "a preemption counts like a wakeup" json '[3,1,1100,366,700,3700,0,"be|ta<>&\"'"'"'"]' \
	'.threads[0].runnable | [.count, .after_preemption, .sum_ns, .average_ns, .max_ns,
		.max_until_ns, .max_cpu, .max_instead.name]' latency -j waits.fxt
check "each time it ran" json \
'[1000,1500,"unknown",0,0,"blocked"]
[2300,3000,"woken",300,500,"preempted"]
[3700,4000,"preempted",700,0,"dead"]
[5100,5200,"woken",100,0,"blocked"]' \
	'[.begin_ns, .end_ns, .waited, .runnable_ns, .blocked_ns, .after]' latency -jw -t alpha waits.fxt
check "the same as text" prints "           UNTIL [CPU] THREAD                         BLOCKED RUNNABLE      RAN  THEN
     0.000006600 [000] gamma:31/30                       50ns     50ns    100ns  blocked" \
	"$vitrine" latency --switches --thread=gamma --from=6550ns waits.fxt
check "no run and no wait crosses a loss that headers report" json '["alpha",2,700,0,0,300,null]
["beta",2,250,50,0,100,50]
["gamma",1,0,0,0,0,null]
["delta",3,300,100,0,0,100]' '.threads | sort_by(.thread.tid)[] | [.thread.name, .runs,
	.running_ns, .woken_ns, .preempted_ns, .blocked_ns, .runnable.max_ns]' latency -j -s name torn.fxt
check "the report counts lost records" filtered "4.400us, 14 switches on 2 CPUs, busy for 21.9 %; latency from wakeup or preemption to run
2 gaps, 7 records lost: what threads did meanwhile is left out" "head -n 2" latency torn.fxt
check "a part of the time" json '[1,300,100,0,300]' \
	'.threads[] | [.runs, .running_ns, .woken_ns, .blocked_ns, .runnable.max_ns]' \
	latency -j --from 2200ns --to 2600ns -p 10 waits.fxt
check "the figures of all threads" json '[4,11,6,2,1200,200,50,700]' '.total |
	[.threads, .runs, (.runnable | .count, .after_preemption, .sum_ns, .average_ns, .p50_ns, .max_ns)]' \
	latency -j waits.fxt
check "the first rows, and the total of all" filtered "alpha total" \
	"sed '1,/^THREAD/d; s/[: ].*//' | paste -sd ' '" latency -n 1 waits.fxt
check "the first rows as JSON" json '[[11],4]' '[[.threads[].thread.tid], .total.threads]' \
	latency -n 1 -j waits.fxt
check "a part of the time without a wakeup: the trace has wakeups" filtered 0 \
	"grep -ci 'no wakeups'" latency --from 5300ns --to 6400ns waits.fxt
check "a thread without a wakeup" has 'No wakeups' latency -t 41 waits.fxt
check "threads that are still runnable at the end" filtered 'alpha:11/10 1 1.000us 1.000us still waits
be|ta<>&"'"'"':21/20 0 1.500us 1.500us still waits' \
	"awk '/still/ && !/^total/ { print \$1, \$2, \$3, \$5, \$9, \$10 }'" latency -s name rush.fxt
check "they are so in JSON" json '[true,null,1500]' \
	'.threads[0].runnable | [.max_is_still, .max_cpu, .max_ns]' latency -j -t 21 rush.fxt
for name in waits rush snapshot torn; do
	check "$name: the time runnable is that of all intervals" json true \
		'[.threads[], .total | .runnable.sum_ns == .woken_ns + .preempted_ns] | all' latency -j $name.fxt
done

# Thread ids 1000 to 8999, of the names many-0 to many-6; each waits twelve times, for 0.1 us to 0.2 ms.
mktrace >many.fxt <<'END'
for thread in range(1000, 9000):
    put(name(2, thread, b"many-%d" % (thread % 7)))
now = 1000
for thread in range(1000, 9000):
    for i in range(12):
        put(wakeup(now, thread), switch(now + (100 << i), 0, thread, state=0),
            switch(now + (100 << i) + 100, thread, 0))
        now += (100 << i) + 100
END
check "the table fits 100 columns" prints 100 bash -c "for each in waits snapshot spans rush many; do '$vitrine' latency \$each.fxt; done | wc -L"
check "thousands of threads have percentiles" json "[8000,8000]" '[(.threads | length), ([.threads[].runnable |
	select(.p50_ns > 3100 and .p99_ns > 200000)] | length)]' latency -s p99 -j many.fxt
check "one row for each name" filtered "many-0 (1143) 13716 34.12us
many-1 (1143) 13716 34.12us
many-2 (1143) 13716 34.12us
many-3 (1143) 13716 34.12us
many-4 (1143) 13716 34.12us
many-5 (1142) 13704 34.12us
many-6 (1143) 13716 34.12us
total of" "sed '1,/^THREAD/d' | awk '{ print \$1, \$2, (/^total/ ? \"\" : \$3 \" \" \$4) }' | sed 's/ *$//'" \
	latency --by-name -s name many.fxt
check "the same as JSON" json '["many-5",1142,13704,34125,204800]' '.threads[] | select(.name == "many-5") |
	[.name, .threads, .runs, .runnable.average_ns, .runnable.max_ns]' latency -g -j many.fxt
check "one name has the percentiles of all of its threads" json true '[.threads[].runnable |
	.p50_ns > 3100 and .p50_ns < 3300 and .p99_ns > 200000] | all' latency -g -j many.fxt
mktrace >ramp.fxt <<'END'
now = 1000
for wait in range(10, 4010, 10):
    put(wakeup(now, 9), switch(now + wait, 0, 9, state=0), switch(now + wait + 100, 9, 0))
    now += wait + 100
END
check "the percentiles of hundreds of waits" json '[true,true,4000]' '.threads[].runnable |
	[.p50_ns > 1984 and .p50_ns < 2016, .p99_ns > 3929 and .p99_ns < 3991, .max_ns]' latency -j ramp.fxt
check "a name that one thread has is shown with its id" has '^alpha:11/10  ' latency -g waits.fxt
check "sorted by name, of a process" json $'alpha\ngamma' '.threads[].thread.name' \
	latency -s name -p 10 -p 30 -j waits.fxt
for order in max:11 p99:11 p50:11 runs:11 avg:11 running:21 runnable:11 blocked:21 name:41; do
	check "sorted by ${order%:*}" json "${order#*:}" '.threads[0].thread.tid' \
		latency -s "${order%:*}" -j waits.fxt
done
flight_recorder waits.fxt
check "live: what the flight recorder holds" same <("$vitrine" latency waits.fxt) \
	<("$vitrine" latency --live)
VITRINE_DEBUGFS=/nowhere check "live, without the module" exits 3 insmod latency --live
check "neither file nor live" refused "" latency
check "sorted by nothing known" refused "" latency -s nonsense waits.fxt
"$mkfxt" speed 100000 >speed.fxt
check "all of a recording is accounted for" json '[100000,0,50000]' \
	'[.switches, .gaps, .threads[0].runs]' latency -j speed.fxt

# Switches on a CPU above 255 are other records with the same meaning.
check "a CPU above 255" json '[10,1,3,500,100,5200,300]' '.switches as $n |
	.gaps as $g | .threads[] | select(.thread.tid == 77) | [$n, $g, .runs, .running_ns,
		.runnable.max_ns, .runnable.max_until_ns, .runnable.max_cpu]' latency -j wide.fxt
check "a CPU above 255: the records of it alone" filtered 10 "wc -l" print --cpu=300 wide.fxt
# Memory that contains two sub-buffers of this trace, each at the beginning of a page.
head -c 4096 /dev/zero >memory
tail -c +417 wide.fxt | head -c 624 >>memory
truncate -s 8192 memory
tail -c +1041 wide.fxt >>memory
truncate -s 12288 memory
"$vitrine" recover memory -o found.fxt 2>/dev/null
check "a CPU above 255: found in memory" cmp found.fxt <(tail -c +417 wide.fxt)

# ---- timeline

# bars EXPECTED ARGUMENT...: left edge, width and colour of each bar of a timeline picture, in
# thousandths of the plot
bars()
{
	"$vitrine" timeline "${@:2}" -o picture.svg && xmllint --noout picture.svg &&
	sed -n 's/.*<rect x="\([0-9.]*\)" y="[0-9.]*" width="\([0-9.]*\)" height="[0-9.]*" fill="#\(......\)"><title>.*/\1 \2 \3/p' picture.svg |
	awk '{ printf "%.0f+%.0f#%s\n", ($1 - 70) / 1.51, $2 / 1.51, $3 }' | paste -sd ' ' |
	diff <(echo "$1") -
}

check "timeline: turns with states, waits" drawn \
'[0,500,0,1,0,4,0,0,800,700,0,1,2,3,300,500,0,700,1,1,2,4,50,50,0,300,0,1,3,6,700,0,1100,100,0,1,2,4,100,0,0,100,2,1,0,4,0,0,0,900,3,1,0,3,0,0,100,100,2,1,0,5,0,0,100,100,2,1,2,4,50,50]' \
	'.lanes[0].items' waits.fxt
check "timeline: interrupts, of which two are nested" drawn \
	'[14,["eth0","softirq NET_RX","eth1","local_timer"],[300,50,0,1,50,60,90,1,1,90,40,20,0,1,0,60,60,3,1,60,10,10,4,1,0],[405,10,2,1,10]]' \
	'[.interrupts, .names[:4], .lanes[0].interrupts[:25], .lanes[1].interrupts[:5]]' spans.fxt
check "timeline: of a part of the time" drawn '[[0,5,0,1,5,0,5,1,1,0]]' \
	'[.lanes[0].interrupts | select(length > 0)]' --cpu 0 --from 1475ns --to 1480ns spans.fxt
"$vitrine" timeline spans.fxt -o picture.svg
check "timeline: the same as a picture" prints '14 interrupts
softirq NET_RX at 0.000001360, took 90ns
eth0 at 0.000001400, took 20ns in another one' \
	bash -c "xmllint --noout picture.svg && grep -o '[0-9]* interrupts' picture.svg | head -n 1 &&
		sed -nE '/class=\"i( j)?\"><title>(softirq NET_RX|eth0)/{N;s/.* class=\"i( j)?\"><title>(.*)\n(.*)<.title>.*/\2 \3\1/;s/ j\$/ in another one/;p}' picture.svg | sed -n '2,3p'"
check "timeline: gaps" drawn '[[],[1900,5000]]' '[.lanes[].gaps]' waits.fxt
check "timeline: a CPU above 255" drawn '[[0,[]],[300,[700,1000]]]' '[.lanes[] | [.cpu, .gaps]]' wide.fxt
check "timeline: gaps of which headers tell" drawn '[[600,2000,2400,4000],[]]' '[.lanes[].gaps]' torn.fxt
check "timeline: no turn goes on in them, each as its distance and length" drawn \
	'[[0,600],[0,0],[1400,200],[150,50],[1600,100]]' \
	'[.lanes[0].items as $i | range(0; $i | length; 8) | [$i[.], $i[. + 1]]]' torn.fxt
check "timeline: threads and processes" drawn '[["alpha:11/10","",1600,"#e69f00",0],["be|ta<>&\"'"'"':21/20","",2500,"#0072b2",1],["gamma:31/30","",300,"#cc79a7",0],["?:41/40","",1350,"#009e73",1]]' \
	.threads waits.fxt
check "timeline: the name of a process" drawn '"main"' '.threads[0][1]' vitrine.fxt
check "timeline: one CPU, a part of the time, the cut turn" drawn \
	'["2000",2000,[[1,[0,900,0,1,0,4,0,0],[900,2000]]]]' \
	'[.begin, .length, [.lanes[] | [.cpu, .items, .gaps]]]' -c 1 --from 2000ns --to 4000ns waits.fxt
for filter in "-p 20" "-t 21"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "timeline: others than $filter are grey" drawn '[-1,-1,0,-1]' \
		'[.lanes[0].items | .[2], .[10], .[18], .[42]]' $filter waits.fxt
done
"$mkfxt" speed 1000000 >speed-more.fxt
check "timeline: of a million switches, no more than a browser can draw" drawn true \
	'.turns == 500000 and .cell > 0 and .threads[0][2] == 3750000 and
	    ([.lanes[].items | length] | add) < 60000 * 6 and ([.lanes[].busy] | add) == 3750000 and
	    (.lanes[0].items as $i | [range(0; $i | length; 6) | $i[. + 1] >= $i[. + 4]] | all)' \
	speed-more.fxt
odd=$'new\nline tab\t \x01 \xff "<script>\'\\ é.fxt'
cp waits.fxt "$odd"
check "timeline: a file name with odd characters" drawn \
	'"new?line tab? ? ? \"<script>'"'"'\\ é.fxt"' .title "$odd"
"$vitrine" timeline "$odd" -o picture.svg
check "timeline: the same in a picture" xmllint --noout picture.svg

# missing: what a page of a million switches reports as missing is what its data lack, a lot
missing()
{
	"$vitrine" timeline speed-more.fxt -o page.html
	page_data page.html | jq -r '[.lanes[].items as $i |
		{ at: 0, turns: 0, bars: 0 } | until(.at >= ($i | length); if $i[.at + 3] == 1 then .at += 8
		  else { at: (.at + 6), turns: (.turns + $i[.at + 3]), bars: (.bars + 1) } end)] |
		"\(map(.turns) | add) \(map(.bars) | add)"' >missing
	sed -n 's/^<p id="missing">\([0-9]*\) of \([0-9]*\) time slices.* into \([0-9]*\) bars.*/\1 \3/p' page.html >>missing
	cat missing
	awk '{ bad += $1 <= 100000 || $2 < 1000 } END { exit bad || NR != 2 }' missing &&
		[ "$(uniq missing | wc -l)" = 1 ]
}
check "timeline: how much is missing" missing
"$vitrine" timeline waits.fxt -o page.html
check "timeline: nothing is missing" fails grep 'id="missing"' page.html
check "timeline: nothing from elsewhere" fails grep -E '(src|href)=|url\([^#]|@import|https?:' page.html
"$vitrine" timeline speed-more.fxt -o picture.svg
check "timeline: how much is missing from a picture" grep -qE \
	'[0-9]{6} of 500000 time slices are shorter than [0-9.a-z]+ and merged into [0-9]{4,} bars' picture.svg
check "timeline: a picture of a million switches" xmllint --noout picture.svg
check "timeline: it is not too large" test "$(wc -c <picture.svg)" -lt 2000000
check "timeline: a picture" bars \
"0+88#e69f00 230+124#e69f00 354+124#0072b2 478+53#e69f00 726+18#e69f00 743+18#cc79a7 761+159#009e73 938+18#cc79a7 973+18#cc79a7 18+319#0072b2 920+80#009e73" \
	waits.fxt
check "timeline: the gap in the picture" grep 'class="gap"><title>records are missing' picture.svg
check "timeline: a picture's bars say what they are" prints "be|ta&lt;&gt;&amp;\"':21/20
at 0.000003000, ran for 700ns
before: woken, waited for 50ns" bash -c "grep -A 2 '<title>be.ta' picture.svg | head -n 3 | sed 's/.*<title>//; s/<.*//'"
check "timeline: neither .svg nor .html" refused "" timeline waits.fxt -o out.png
check "timeline: no output" refused "" timeline waits.fxt
check "timeline: where nothing can be written" exits 3 \
	"^vitrine: /nowhere/x.svg: cannot create: No such file or directory" timeline waits.fxt -o /nowhere/x.svg

# ---- memory: a trace may be larger than memory

for output in '' page.html copy.fxt copy.heph copy.ctf; do
	case $output in
	'')	commands="check print latency" ;;
	*html)	commands=timeline ;;
	*fxt)	commands=merge ;;
	*)	commands=convert ;;
	esac
	for command in $commands; do
		check "memory: $command${output:+ to $output}" bounded 8192 speed.fxt speed-more.fxt \
			"$command" @ ${output:+-o $output}
	done
done
check "memory: cut" bounded 8192 speed.fxt speed-more.fxt \
	cut @ --anonymise --cpu 0 -o copy.fxt
check "memory: compressed" bounded 8192 speed.fxt speed-more.fxt merge @ -o copy.fxt.zst

# Two providers in turn, with a section for each record: memory is not released for each.
python3 - >turns.fxt <<'PYTHON'
from fxt import *
put(word(MAGIC), *(record(0, 1 << 16 | provider << 20 | 8 << 52, b"provider") + record(1, 0, 10**9)
                   for provider in (1, 2)))
for i in range(10000):
    for provider in 1, 2:
        put(record(0, 2 << 16 | provider << 20),
            switch(1000 + i * 20 + provider, (100 + provider) * (i % 2), (100 + provider) * (1 - i % 2), cpu=provider))
PYTHON
if strace -V >/dev/null 2>&1 && strace -o strace.out true 2>/dev/null; then
	# A leak sanitizer does not work under ptrace(2).
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=madvise -o strace.out "$vitrine" latency turns.fxt >turns.out
	check "memory: providers in turn: released in large pieces, and each switch is there" \
		test "$(grep -c 'DONTNEED' strace.out)" -lt 100 -a "$(grep -c "20000 switches on 2 CPUs" turns.out)" = 1
else
	check "memory: providers in turn: released in large pieces # SKIP no strace here" true
fi

# Half of the records are too late. The smaller trace already fills the memory for sorting.
"$mkfxt" jumble 250000 >jumble.fxt
"$mkfxt" jumble 1000000 >jumble-more.fxt
check "memory: not in time order" bounded 8192 jumble.fxt jumble-more.fxt print @
check "not in time order: all of it is there, sorted" filtered "1000000 0" \
	"awk '/\] / { bad += \$1 < last; last = \$1; nr++ } END { print nr, bad + 0 }'" print jumble-more.fxt
export TMPDIR=/nowhere
unsorted="cannot sort the records that are not in time order: No such file or directory"
command_into_files print jumble.fxt
check "not in time order: no room to sort it" ended 3 "provider 1 is not in time order: sorted$" \
	"$unsorted; set TMPDIR to a directory with room for several times the trace$"
check "not in time order: check needs no room to sort it" has \
	"^jumble.fxt: offset 0x0: note: CPUs not compared with each other: $unsorted$" check jumble.fxt

plan
