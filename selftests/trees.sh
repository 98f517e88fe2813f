#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The built-in trees agree with /proc. Values that change on their own cannot be compared
# for equality, so /proc is read before and after the tree: a value that is equal both times
# must be in the tree, too, and a counter in the tree must be between the two readings.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "files of /proc are replaced for a moment, and scheduler statistics switched on"

cd "$(mktemp -d)" || exit

# read_proc FILES AWK: print what the program makes of the files; or what the function FILES
# prints, if there is no program
read_proc()
{
	# shellcheck disable=SC2086	# a pattern
	if [ -n "$2" ]; then
		cat $1 2>/dev/null | awk "$2"
	else
		"$1"
	fi | sort
}

# rows TREE FILTER: print what FILTER makes of the JSON of TREE that was saved last
rows()
{
	jq -r "$2 | @tsv" "$1.json" | tr '\t' ' ' | sort
}

# stands_still LEAST FILES AWK TREE FILTER: at least LEAST lines do not change while TREE is read,
# which the file "still" has afterwards, and all of them are in the output of FILTER for TREE
stands_still()
{
	read_proc "$2" "$3" >before
	vitrine show --json "$4" >"$4.json"
	read_proc "$2" "$3" >after
	comm -12 before after >still
	comm -23 still <(rows "$4" "$5") >missing
	echo "$(wc -l <still) lines stand still, not in the tree are:"
	cat missing
	[ "$(wc -l <still)" -ge "$1" ] && [ ! -s missing ]
}

# same_as_proc LEAST FILES AWK TREE FILTER: the same in one of several attempts: a thread that
# ran only while the tree was read looks unchanged in /proc
same_as_proc()
{
	retried stands_still "$@"
}

# kept TREE FILTER: print the result of jq for the JSON of TREE that was saved last
kept()
{
	jq -r "$2" "$1.json"
}

# between TREE FILTER READ...: READ prints a growing number before and after the tree is read;
# the number in the tree is between the two
between()
{
	local low value high

	low=$("${@:3}")
	value=$(value "$1" "$2")
	high=$("${@:3}")
	within "$low" "$value" "$high"
}

# near PERCENT A B: A and B differ by at most PERCENT of B
near()
{
	echo "$2 and $3"
	[ $(($2 > $3 ? $2 - $3 : $3 - $2)) -le $(($3 * $1 / 100)) ]
}

# near_proc PERCENT TREE FILTER READ...: the number in TREE is near the one that READ prints;
# jq, which changes what the trees count, starts when vitrine has read TREE
near_proc()
{
	near "$1" "$(jq -r "$3" <<<"$(vitrine show --json "$2")")" "$("${@:4}")"
}

# ---- the parameter ----------------------------------------------------------

published()
{
	same <(printf '%s.inspect\n' "$@") \
		<(find "$INSPECT" -maxdepth 1 -name '*.inspect' -printf '%f\n' | sort)
}

refused()
{
	dmesg -C
	! load enable=0 "trees=$1" && dmesg | tee /dev/stderr | grep -qF "$2"
}

check "an unknown tree is refused" refused system,tusks 'no tree "tusks"'
check "the refusal of an unknown tree lists the known ones" \
	grep "some of vitrine,system,tasks,memory,interrupts,modules,devices,sched$" <(dmesg)
check "an empty name of a tree is refused" refused system,,tasks 'no tree ""'
load enable=0 trees=
check "no tree but what is asked for: none" fails compgen -G "$INSPECT/*.inspect"
unload
load enable=0 trees=tasks,sched
check "two of them" published sched tasks
unload
load enable=0
check "by default, all but sched" published devices interrupts memory modules system tasks vitrine
unload
load enable=0 trees=all
check "all of them" published devices interrupts memory modules sched system tasks vitrine
for tree in "$INSPECT"/*.inspect; do
	check "$(basename "$tree") is sound" vitrine check "$tree"
done
for tree in devices interrupts memory modules sched system tasks; do
	check "$tree says that nothing is missing" prints 0 value $tree .root.nr_missing
done

# ---- tasks ------------------------------------------------------------------

cp "$(command -v sleep)" sleeper
nice -n 5 ./sleeper 1000 &
nice=$!
chrt --fifo 7 taskset -c 0 ./sleeper 1000 &
fifo=$!
# The stopped process needs a session of its own. The kernel sends SIGHUP to an orphaned
# process group that has a stopped member, and would otherwise end this script.
setsid ./sleeper 1000 &
stopped=$!
kill -STOP $stopped
# The shell execs sleeper, which does not reap its child: the child remains a zombie.
sh -c './sleeper 0 & exec ./sleeper 1000' &
parent=$!
setsid "$WORKLOAD" crowd 8 100000000 >/dev/null &
crowd=$!
until grep -q crowd-7 /proc/$crowd/task/*/comm; do
	:
done
kill -STOP $crowd
# sleeps PID: the process executes sleeper, and sleeps
sleeps()
{
	grep -q sleeper "/proc/$1/comm" && grep -q 'State:.*sleeping' "/proc/$1/status"
}

until grep -q 'State:.*zombie' /proc/[0-9]*/status && grep -q 'State:.*stopped' /proc/$stopped/status &&
      sleeps $fifo && sleeps $nice && sleeps $parent; do
	:
done

# Thread, process, name, parent, user and group. /proc shows longer names of kernel threads
# than the tree, and appends the work item to the name of a kworker.
check "threads: ids, names, owners" same_as_proc 50 '/proc/[0-9]*/task/[0-9]*/status' '
	$1 == "Name:" { sub(/^Name:\t/, ""); sub(/^kworker.*/, "kworker"); name = substr($0, 1, 15) }
	$1 == "Tgid:" { tgid = $2 }
	$1 == "Pid:" { pid = $2 }
	$1 == "PPid:" { parent = $2 }
	$1 == "Uid:" { uid = $2 }
	$1 == "Gid:" { print pid, tgid, name, parent, uid, $2 }' tasks '
	.root.processes | to_entries[] | .key as $process | .value as $p |
	.value.threads | to_entries[] |
	[.key, $process, (.value.name | sub("^kworker.*"; "kworker")), $p.parent, $p.uid, $p.gid]'
check "the crowd is in there" prints 8 grep -c "^[0-9]* $crowd crowd-" still

# Thread, state, groups, faults, times, priorities, policy and CPU. Kworkers are left out:
# one of them fills the tree, so it runs in the tree but is idle before and after.
check "threads: state, groups, faults, time, policy, CPU" \
	same_as_proc 30 '/proc/[0-9]*/task/[0-9]*/stat' '
	/^[0-9]+ \(kworker/ { next }
	{
		id = $1
		sub(/.*\) /, "")
		print id, $1, $3, $4, $8, $10, $12, $13, $17, $38, $39, $37
	}' tasks '
	{ "running": "R", "sleeping": "S", "disk sleep": "D", "stopped": "T", "tracing stop": "t",
	  "dead": "X", "zombie": "Z", "parked": "P", "idle": "I" } as $state |
	{ "other": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5, "deadline": 6 } as $policy |
	.root.processes[] | .group as $group | .session as $session | .threads | to_entries[] |
	.key as $id | .value |
	[$id, $state[.state], $group, $session, .minor_faults, .major_faults,
	 (.user_ns / 10000000 | floor), (.system_ns / 10000000 | floor), .nice,
	 .realtime_priority, $policy[.policy], .cpu]'
check "a thread of FIFO priority on CPU 0 is in the tree" grep -q "^$fifo S .* 0 7 1 0$" still
check "a nice thread is in the tree" grep -q "^$nice S .* 5 0 0 .$" still
check "a stopped thread is in the tree" grep -q "^$stopped T " still
check "a zombie is in the tree" grep -q "^[0-9]* Z " still
check "the priority of the nice thread is in the tree" test "$(kept tasks ".root.processes[\"$nice\"].threads[\"$nice\"].priority")" = 125

check "threads: context switches" same_as_proc 30 '/proc/[0-9]*/task/[0-9]*/status' '
	$1 == "Pid:" { pid = $2 }
	$1 == "voluntary_ctxt_switches:" { voluntary = $2 }
	$1 == "nonvoluntary_ctxt_switches:" { print pid, voluntary, $2 }' tasks '
	.root.processes[].threads | to_entries[] |
	[.key, .value.voluntary_switches, .value.involuntary_switches]'

proc_runs()
{
	local file id

	for file in /proc/[0-9]*/task/[0-9]*/schedstat; do
		id=${file%/schedstat}
		{ echo "${id##*/} $(<"$file")"; } 2>/dev/null
	done
}

check "threads: runs, their time and their waits" same_as_proc 30 proc_runs "" tasks '
	.root.processes[].threads | to_entries[] |
	[.key, .value.run_ns, .value.run_delay_ns, .value.runs]'

check "processes: memory" same_as_proc 5 '/proc/[0-9]*/status' '
	$1 == "Pid:" { pid = $2 }
	$1 == "VmSize:" { size = $2 }
	$1 == "VmLck:" { locked = $2 }
	$1 == "VmHWM:" { peak = $2 }
	$1 == "VmRSS:" { resident = $2 }
	$1 == "RssAnon:" { anon = $2 }
	$1 == "RssFile:" { file = $2 }
	$1 == "RssShmem:" { shmem = $2 }
	$1 == "VmPTE:" { print pid, size, locked, peak, resident, anon, file, shmem, $2 }' tasks '
	.root.processes | to_entries[] | .key as $id | .value.memory | select(.) |
	[.virtual_bytes, .locked_bytes, .resident_peak_bytes, .resident_bytes, .anonymous_bytes,
	 .file_bytes, .shared_bytes, .page_table_bytes] | map(. / 1024) | [$id] + .'
check "kernel threads are told apart, and all are there" test "$(kept tasks '
	(.root.processes | ([.[] | select(.kernel)] | length) as $n |
	$n > 10 and ([.[] | select(.kernel | not) | .memory | length > 0] | all)), (.root |
	.nr_truncated == 0 and .nr_processes == (.processes | length) and
	.nr_threads == ([.processes[].threads | length] | add))' | sort -u)" = true

# A process keeps the statistics of its threads that have exited.
"$WORKLOAD" crowd 4 400 >/dev/null
check "a process has the faults of threads that have ended" between tasks \
	".root.processes[\"$$\"] | .exited_threads.minor_faults + ([.threads[].minor_faults] | add)" \
	awk '{ sub(/.*\) /, ""); print $8 }' /proc/$$/stat

# Create and end threads while the trees are read.
while "$WORKLOAD" crowd 6 60 >/dev/null; do :; done &
churn=$!
check "all trees are sound while threads come and go" \
	repeat 2 vitrine check "$INSPECT"/*.inspect
kill $churn
kill -CONT $stopped $crowd
kill $nice $fifo $stopped $parent $crowd
wait 2>/dev/null

# ---- memory, system ---------------------------------------------------------

# all_near SLACK FILES AWK TREE FILTER: AWK and FILTER print lines of a name and a number; the
# numbers of a name differ by at most SLACK
all_near()
{
	read_proc "$2" "$3" >proc
	vitrine show --json "$4" >"$4.json"
	join <(rows "$4" "$5") proc | awk -v slack="$1" '
		{ off = $2 - $3; nr++ }
		off > slack || -off > slack { print; bad = 1 }
		END { print nr " compared"; exit bad || nr < 10 }'
}

# 24 MiB in a tmpfs, 40 MiB of anonymous memory and 12 MiB in the page cache: different
# amounts, so that a value in the wrong property is noticed.
mkdir shm
mount -t tmpfs none shm
head -c $((24 << 20)) /dev/zero >shm/file
head -c $((12 << 20)) /dev/zero >file
perl -e '$x = "x" x (20 << 20); open(F, ">", "filled"); close(F); sleep(1000)' &
memory=$!
until [ -e filled ]; do
	:
done
check "memory: as /proc/meminfo" retried all_near $((2 << 20)) /proc/meminfo '
	{ sub(/:/, ""); print $1, $2 * 1024 }' memory '.root |
	["MemTotal", .total_bytes], ["Buffers", .buffer_bytes],
	["Cached", .page_cache_bytes - (.swap_cache_bytes // 0) - .buffer_bytes],
	["SwapFree", .swap_free_bytes],
	["Dirty", .dirty_bytes], ["Writeback", .writeback_bytes],
	["AnonPages", .anonymous_bytes], ["Mapped", .mapped_bytes],
	["Shmem", .shared_bytes], ["Active(anon)", .active_anonymous_bytes],
	["Inactive(anon)", .inactive_anonymous_bytes], ["Active(file)", .active_file_bytes],
	["Inactive(file)", .inactive_file_bytes], ["Unevictable", .unevictable_bytes],
	["SReclaimable", .slab_reclaimable_bytes], ["SUnreclaim", .slab_unreclaimable_bytes],
	["KernelStack", .kernel_stack_bytes], ["PageTables", .page_table_bytes]'
# The amount of free memory changes with the program that reads it, vitrine or awk.
meminfo() { awk -v "name=$1:" '$1 == name { printf "%.0f\n", $2 * 1024 }' /proc/meminfo; }
check "memory: free" retried near_proc 5 memory .root.free_bytes meminfo MemFree
check "memory: available" retried near_proc 5 memory .root.available_bytes meminfo MemAvailable
check "memory: committed" retried near_proc 20 memory .root.committed_bytes meminfo Committed_AS
check "memory: exactly as much" \
	prints "$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)" kept memory .root.total_bytes
# shellcheck disable=SC2046
check "memory: the nodes make up the whole" near 5 $(kept memory '.root |
	([.nodes[].shared_bytes] | add), .shared_bytes')
kill $memory
umount shm

check "memory: zones as /proc/zoneinfo" same_as_proc 1 /proc/zoneinfo '
	/^Node/ { zone = $4; node = $2; sub(/,/, "", node) }
	$1 == "present" { present = $2 }
	$1 == "min" { min = $2 }
	$1 == "low" { low = $2 }
	$1 == "high" { high = $2 }
	$1 == "managed" && $2 { print node, zone, present, min, low, high, $2 }' memory '
	.root.nodes | to_entries[] | .key as $node | .value.zones | to_entries[] | .key as $zone |
	.value | [.present_bytes, .min_bytes, .low_bytes, .high_bytes, .managed_bytes] |
	map(. / 4096) | [$node, $zone] + .'

vmstat()
{
	awk -v "name=$1" -v "unit=${2:-1}" '$1 == name { printf "%.0f\n", $2 * unit }' /proc/vmstat
}

check "memory: faults" between memory .root.events.faults vmstat pgfault
check "memory: major faults" between memory .root.events.major_faults vmstat pgmajfault
check "memory: paged in, to the KiB" \
	retried near_proc 1 memory .root.events.paged_in_bytes vmstat pgpgin 1024
check "memory: pages freed" between memory .root.events.pages_freed vmstat pgfree

check "memory: each event, and the swap cache, is there or listed as missing" test "$(kept memory \
	'.root | (.events | keys[]), (keys[] | select(. == "swap_cache_bytes"))' |
	sort - <(value vitrine '.root.missing.memory // {} | keys[]'))" = "$(printf '%s\n' faults \
	major_faults oom_kills paged_in_bytes paged_out_bytes pages_activated pages_deactivated \
	pages_freed pages_scanned_direct pages_scanned_kswapd pages_stolen_direct \
	pages_stolen_kswapd swap_cache_bytes swapped_in_bytes swapped_out_bytes)"

check "memory: what was reclaimed, as /proc/vmstat" same_as_proc 1 /proc/vmstat '
	$1 == "oom_kill" || /^pg(scan|steal)_(kswapd|direct) / { print }
	/^psw(in|out) / { print $1, $2 * 4096 }' memory '.root.events |
	["pgscan_kswapd", .pages_scanned_kswapd], ["pgscan_direct", .pages_scanned_direct],
	["pgsteal_kswapd", .pages_stolen_kswapd], ["pgsteal_direct", .pages_stolen_direct],
	["pswpin", .swapped_in_bytes], ["pswpout", .swapped_out_bytes], ["oom_kill", .oom_kills]'

# In hundredths of a second, to which /proc/uptime rounds down.
check "system: uptime" between system '.root.uptime_ns / 10000000 | floor' \
	awk '{ printf "%.0f\n", $1 * 100 }' /proc/uptime
# The tree has the load in units of 1/2048. Round it to hundredths as /proc/loadavg does.
check "system: load" same_as_proc 0 /proc/loadavg '
	{ print $1 + 0, $2 + 0, $3 + 0 }' system '
	.root.load | [.["1_min"], .["5_min"], .["15_min"]] |
	map((. * 2048 + 10) * 100 / 2048 | floor / 100)'
# In hundredths of a second: /proc/stat rounds down to them, and a tick need not be a
# multiple of one.
check "system: time of CPU 0" between system '.root.cpus["0"].system_ns / 10000000 | floor' \
	awk '$1 == "cpu0" { print $4 }' /proc/stat

# ---- interrupts -------------------------------------------------------------

check "interrupts: lines by CPU" same_as_proc 15 /proc/interrupts '
	NR == 1 { nr = NF }
	$1 ~ /^[0-9]+:/ { for (i = 1; i <= nr; i++) print $1 + 0, i - 1, $(i + 1) }' interrupts '
	.root.lines | to_entries[] | .key as $line | .value.cpus | to_entries[] | [$line, .key, .value]'
check "interrupts: each line's handlers" same_as_proc 5 /proc/interrupts '
	$1 ~ /^[0-9]+:/ { line = $1 + 0; sub(/.*  /, ""); print line, $0 }' interrupts '
	.root.lines | to_entries[] | [.key, .value.handlers]'
check "interrupts: softirqs by CPU" same_as_proc 8 /proc/softirqs '
	NR > 1 { sub(/:/, ""); for (i = 2; i <= NF; i++) print $1, i - 2, $i }' interrupts '
	.root.softirqs | to_entries[] | .key as $name | .value.cpus | to_entries[] |
	[$name, .key, .value]'

# ---- modules ----------------------------------------------------------------

insmod "$VITRINE_PUBLISHER_KO" mode=idle
# For vitrine itself only name and size are compared: it is in use while its tree is open.
check "modules: as /proc/modules" same_as_proc 2 /proc/modules '
	$1 == "vitrine" { print $1, $2 }
	$1 != "vitrine" { print $1, $2, $3, tolower($5) }' modules '
	.root.modules | to_entries[] | .key as $name | .value |
	[$name, .size_bytes] + if $name == "vitrine" then [] else [.references, .state] end'
check "modules: how many, taints, source" test "$(kept modules '.root | .nr_modules,
	.modules.publisher.taints, .modules.publisher.source_version')" = "$(wc -l </proc/modules
	cat /sys/module/publisher/{taint,srcversion})"

repeat 5 eval 'rmmod publisher; insmod "$VITRINE_PUBLISHER_KO" mode=idle' &
churn=$!
check "modules: sound while they come and go" eval '
	while kill -0 $churn 2>/dev/null; do
		vitrine check "$INSPECT/modules.inspect" || exit
	done'
wait $churn
rmmod publisher

# ---- devices ----------------------------------------------------------------

sync
check "devices: as /proc/diskstats" same_as_proc 1 /proc/diskstats '{ print $3, $1, $2, $4, $5, $6 * 512, $7, $8, $9, $10 * 512, $11 }' devices '
	.root.block | to_entries[] | .key as $name | .value |
	[$name, .major, .minor, .reads, .read_merges, .read_bytes, (.read_ns / 1000000 | floor),
	 .writes, .write_merges, .written_bytes, (.write_ns / 1000000 | floor)]'
check "devices: something was read" test "$(kept devices '[.root.block[].read_bytes] | add')" -gt 1000000
check "devices: size" \
	prints $(($(</sys/block/vda/size) * 512)) kept devices .root.block.vda.size_bytes

# Bring the loopback device up and send a hundred packets; nothing else sends in this guest.
send()
{
	perl -e 'use Socket; socket(S, AF_INET, SOCK_DGRAM, 0) or exit 1;
		my $up = pack("a16 s x14", "lo", 0x49);
		ioctl(S, 0x8914, $up) or exit 1;
		for (1..100) { send(S, "hello", 0, pack_sockaddr_in(9, INADDR_LOOPBACK)) }
		exit 0'
}

send
sent=$?
check "devices: as /proc/net/dev" same_as_proc 1 /proc/net/dev '
	NR > 2 { sub(/:/, " "); print $1, $2, $3, $4, $5, $9, $10, $11, $12, $13, $15 }' devices '
	.root.net | to_entries[] | .key as $name | .value |
	[$name, .received_bytes, .received_packets, .receive_errors, .receive_drops,
	 .received_multicast, .sent_bytes, .sent_packets, .send_errors, .send_drops, .collisions]'
[ $sent != 0 ] || check "devices: an interface that is up sends" test "$(kept devices '
	.root.net.lo | .up and .sent_packets >= 100')" = true

# ---- sched ------------------------------------------------------------------

pingpong() { "$WORKLOAD" pingpong 3000 0 >/dev/null; }

# grew PERCENT FILTER READ...: while two threads switched, the result of FILTER for the tree
# "sched" grew by as much as the number that READ prints, within PERCENT; a CPU may count
# what it is doing in one of them already
grew()
{
	local percent=$1 filter=$2 read=("${@:3}") outer inner tree

	outer=$("${read[@]}")
	tree=$(value sched "$filter")
	inner=$("${read[@]}")
	pingpong || return
	inner=$(($("${read[@]}") - inner))
	tree=$(($(value sched "$filter") - tree))
	outer=$(($("${read[@]}") - outer))
	within $((inner - inner * percent / 100 - $(nproc))) "$tree" \
		$((outer + outer * percent / 100 + $(nproc))) &&
		[ "$tree" -gt 0 ]
}

# schedstat FIELD: sum a field over all CPUs: 6 is wakeups, 8 time running, 9 time waiting
schedstat() { awk -v "field=$1" '/^cpu/ { sum += $field } END { printf "%.0f\n", sum }' /proc/schedstat; }
echo 1 >/proc/sys/kernel/sched_schedstats

check "sched: switches, to the last one" grew 0 '[.root.cpus[].switches] | add' \
	awk '$1 == "ctxt" { print $2 }' /proc/stat
check "sched: time of slices" grew 5 '[.root.cpus[].slice_sum_ns] | add' schedstat 8
# The tree counts the first wakeup of a new thread, /proc/schedstat does not.
check "sched: wake-ups" grew 5 '[.root.cpus[].wakeups] | add' schedstat 6

# added FILTER COMMAND...: print by how much each number that FILTER finds has grown after
# COMMAND
added()
{
	local filter=$1

	shift
	value sched "$filter" >added
	"$@" >/dev/null
	vitrine show --json sched >sched.json
	kept sched "$filter" | paste - added | awk '{ printf "%.0f\n", $1 - $2 }'
}

# Other threads run meanwhile, more of them on a slow machine. Each latency belongs to a
# slice, and each slice to a switch, which /proc/stat counts. If wakeups or slices were
# counted twice, the result would be 12000.
{ read -r switched; read -r latencies; read -r slices; } < <(added '.root.cpus["0"] |
	.switches, (.wakeup_latency_ns, .slice_ns | .counts | add)' pingpong)
check "sched: each wake-up has its latency" within 6000 "$latencies" $((slices * 3 / 2))
check "sched: each run is a slice" within 6000 "$slices" $((switched * 3 / 2))
check "sched: it has no value below 0" test \
	"$(kept sched '[.root.cpus[] | .slice_ns.counts[0], .wakeup_latency_ns.counts[0]] | add')" = 0

# Two threads that never sleep share CPU 1: they wait for the CPU, but are never woken up.
spin()
{
	timeout 2 taskset -c 1 sh -c 'while :; do :; done' &
	timeout 2 taskset -c 1 sh -c 'while :; do :; done'
	wait $!
	return 0
}

# preempted: they waited, which is no wake-up latency
preempted()
{
	local wait latency

	wait=$(schedstat 9)
	latency=$(added '[.root.cpus[].wakeup_latency_sum_ns] | add' spin)
	wait=$(($(schedstat 9) - wait))
	echo "waits: $wait ns, wake-up latencies: $latency ns"
	[ "$wait" -gt 1000000000 ] && [ "$latency" -lt $((wait / 2)) ]
}
check "sched: waits after a preemption are no wakeup latency" retried preempted

taskset -c 1 sh -c 'while :; do :; done' &
spinner=$!
taskset -c 1 sh -c 'while :; do :; done' &
hopper=$!
hop()
{
	local i

	for ((i = 0; i < 20; i++)); do
		taskset -p -c $((i % 2)) "$hopper" >/dev/null
	done
}

# Both threads run their program, and the tree has them as runnable.
check "sched: threads that can run" until_true eval '
	[ "$(cat /proc/$spinner/comm /proc/$hopper/comm | uniq)" = sh ] &&
		[ "$(value sched ".root.cpus[\"1\"].runnable")" -ge 2 ]'
check "sched: migrations" within 20 "$(added '[.root.cpus[].migrations] | add' hop)" 1000000
kill $spinner $hopper

finish
