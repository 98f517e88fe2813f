#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Convert recordings of trace-cmd to Fuchsia traces with `vitrine convert', and compare the
# result with the output of `trace-cmd report'.
#
#   trace_cmd.sh VITRINE DIR [FILES]
#
# FILES is a directory with all.dat, lossy.dat, packed.dat, calls.dat and cycles.dat.
# Without it they come out of selftests/golden/trace-cmd.tar.xz, which
# selftests/qemu/trace_cmd_record.sh has recorded.

files=${3:+$(realpath "$3")}
. "$(dirname "$0")/command" || exit

# report ARGUMENT...: print trace-cmd's report without the flags before the time of each
# event, which it prints since 3.3
report()
{
	trace-cmd report "$@" 2>/dev/null |
		sed -E 's/^( .*\[[0-9]+\])(-0x[0-9a-f]+| +[^ 0-9][^ ]*) +([0-9]+[.:])/\1 \3/'
}

# their_switches FILE: print the switches in trace-cmd's report as FXT has them: time, CPU,
# outgoing thread, its priority and state, incoming thread and its priority
their_switches()
{
	awk -v equals== "$switch_functions"'
	/: sched_switch: / {
		match($0, /\[[0-9]+\] +[0-9.]+: /)
		split(substr($0, RSTART + 1, RLENGTH - 3), at)
		sub(/\./, "", at[2])
		print at[2], at[1] + 0, field(" prev_pid"), priority(field(" prev_pid"), field(" prev_prio")),
			state_of(field(" prev_state")), field(" next_pid"), priority(field(" next_pid"), field(" next_prio"))
	}' "$1" | sort -s -k 1,1n -k 2,2n
}

# their_wakeups FILE NAME: print time, CPU, thread and priority of the events NAME and of
# sched_wakeup_new
their_wakeups()
{
	sed -nE "s/.*\[0*([0-9]+)\] +([0-9]*)\.?([0-9]+): ($2|sched_wakeup_new): .* pid=([0-9]+) prio=([0-9]+) .*/\2\3 \1 \5 \6/p" \
		"$1" | sed 's/ 0$/ 1/' | sort -s -k 1,1n -k 2,2n
}

our_wakeups()
{
	jq -r 'select(.kind == "wakeup") | "\(.time_ns) \(.cpu) \(.thread.tid) \(.args.weight)"' "$1" |
		sort -s -k 1,1n -k 2,2n
}

# their_names FILE NAME: print each thread with its last name in switches, forks, events NAME
# and sched_wakeup_new
their_names()
{
	grep -E ": (sched_switch|$2|sched_wakeup_new|sched_process_fork): " "$1" |
		grep -oE '(prev_|next_|child_| )comm=.* (prev_|next_|child_)?pid=[0-9]+' |
		sed -E 's/ next_comm=/\nnext_comm=/; s/.* child_comm=/child_comm=/' |
		sed -nE 's/^[a-z_ ]*comm=(.*) [a-z_]*pid=([1-9][0-9]*).*/\2 \1/p' |
		awk '{ tid = $1; sub(/^[0-9]+ /, ""); name[tid] = $0 } END { for (tid in name) print tid, name[tid] }' | sort
}

our_names()
{
	jq -r 'if .kind == "switch" then .out, .in elif .kind == "wakeup" then .thread else empty end |
		select(.tid > 0) | "\(.tid) \(.name)"' "$1" | sort -u
}

# nr_of PATTERN FILE: count the matching lines
nr_of()
{
	grep -cE "$1" "$2"
}

# sum_of PATTERN FILE...: add up the numbers that match
sum_of()
{
	sed -nE "s/.*$1.*/\1/p" "${@:2}" | awk '{ sum += $1 } END { print sum + 0 }'
}

# lost FILE...: print the number of events that vitrine reports as lost or overwritten
lost()
{
	echo $(($(sum_of ' ([0-9]+) records lost' "$@") + $(sum_of ': ([0-9]+) events were overwritten' "$@")))
}

# compare NAME WAKEUP NOTE...: compare the conversion of NAME.dat with trace-cmd's report;
# convert prints lines that match each NOTE, and no others
compare()
{
	local name=$1 wakeup=$2 dropped

	# Leave out other buffers, whose lines begin with the name of the buffer.
	report -R -t "$name.dat" | grep -E '^ .*\] +[0-9.]+: |DROPPED' >"$name.events"
	command_into_files convert "$name.dat" -o "$name.fxt"
	check "$name: converted, with its clock and what is left out" ended 0 "${@:3}"
	"$vitrine" check "$name.fxt" >"$name.check"
	check "$name: clean" grep ": no fault$" "$name.check"
	dropped=$(sum_of '\[([0-9]+) EVENTS DROPPED\]' "$name.events")
	check "$name: $dropped lost" prints "$dropped" lost err "$name.check"
	"$vitrine" print --json "$name.fxt" >"$name.json"
	their_switches "$name.events" >theirs
	check "$name: there are switches" test -s theirs
	check "$name: each of $(wc -l <theirs) switches, as trace-cmd says it" \
		same theirs <(our_switches "$name.fxt" | sort -s -k 1,1n -k 2,2n)
	their_wakeups "$name.events" "$wakeup" >theirs
	check "$name: each of $(wc -l <theirs) wakeups" same theirs <(our_wakeups "$name.json")
	their_names "$name.events" "$wakeup" >theirs
	check "$name: each of $(wc -l <theirs) threads by its name" same theirs <(our_names "$name.json")
	check "$name: every event" test "$(nr_of ': ' "$name.events")" = \
		"$(wc -l <"$name.json")"
}

# libtracecmd leaks the name of the clock, and crashes on malformed files.
echo "leak:libtracecmd" >leaks
export LSAN_OPTIONS=suppressions=$dir/leaks:print_suppressions=0
export ASAN_OPTIONS=fast_unwind_on_malloc=0:handle_segv=0:handle_sigbus=0:handle_abort=0
if [ -z "$files" ]; then
	files=$dir/files
	mkdir "$files" && tar -C "$files" -xJf "$golden/trace-cmd.tar.xz" || exit 1
fi
cp "$files"/*.dat . || exit 1

compare all sched_waking "all.dat: times are of the kernel's clock mono$"
compare lossy sched_waking "lossy.dat: times are of the kernel's clock global$" \
	"lossy.dat: [0-9]+ events were overwritten before the first of their CPU$"
check "lossy: there is loss, also in between" grep -q " [1-9][0-9]* records lost" lossy.check
compare packed sched_wakeup "packed.dat: times are of the kernel's clock boot$" \
	"packed.dat: 1 further buffers are left out$"

"$vitrine" print all.fxt >all.print
check "durations: of system calls, interrupts and softirqs" test \
	"$(nr_of ': (sys_enter_[a-z]+|[a-z_]+_entry):' all.events)" = \
	"$(nr_of '\] begin ' all.print)"
check "durations: each ends" test \
	"$(nr_of ': (sys_exit_[a-z]+|(softirq|irq_handler|local_timer|reschedule|call_function_single)_exit):' all.events)" = \
	"$(nr_of '\] end ' all.print)"
check "interrupts from other CPUs" grep -qE '\] begin .* ipi:(reschedule|call_function_single) vector=' all.print
check "a system call with its arguments" grep -qE \
	'\] begin   cat:[0-9/]+ syscall:openat __syscall_nr=257 dfd=4294967196 filename=0x[0-9a-f]+ flags=' all.print
check "an interrupt with its name, when it ends, too" grep -qE '\] end .* irq:virtio[0-9]-req\.[0-9] irq=[0-9]+ ret=1$' all.print
check "an event's numbers and texts" grep -qE \
	'\] instant .* sched:sched_process_exec filename="/usr/bin/cat" pid=[0-9]+ old_pid=[0-9]+$' all.print
check "an array" grep -qE ' raw_syscalls:sys_enter id=1 args\[0\]=1 args\[1\]=' all.print
check "a mark is a message" grep -qE '\] log +sh:[0-9/]+ "mark"$' all.print
check "a wakeup has its waker" grep -qE '\] wakeup +sh:[0-9/]+ weight=120 waker=[0-9]+$' all.print
check "a softirq has its own flag" grep -qE '\] wakeup +ext4lazyinit:[0-9/]+ by softirq-in-call weight=120 waker=[0-9]+$' all.print
check "idle of each CPU by itself, in process 0" same <(printf '0 idle\n') <(jq -r \
	'select(.thread.tid == 1073741824 + .cpu) | "\(.thread.pid) \(.thread.name)"' all.json | sort -u)
check "trace-cmd to another format than FXT" "$vitrine" convert all.dat -o all.heph

check "system calls only: converted" exits 0 "calls.dat: times are of the kernel's clock [a-z]*$" convert calls.dat -o calls.fxt
check "processes of threads are those in the list of the file" same \
	<(report -t calls.dat | sed -nE 's/^ *(.*)-([0-9]+) +\[[0-9]+\] .*/\1:\2/p' | sort) \
	<("$vitrine" print --json calls.fxt | jq -r '"\(.thread.name):\(.thread.tid)"' | sort)

# ---- errors ----

# Pages without a count of lost events, as the kernel writes them if there is no room for it.
perl -0777 -pe 'for (my $at = 0; $at + 16 <= length; $at += 4096) {
	my $commit = unpack "Q<", substr $_, $at + 8, 8;
	substr($_, $at + 8, 8) = pack "Q<", $commit & ~(1 << 30) if ($commit & 0xfffff000) == 0xc0000000;
}' lossy.dat >gap.dat
command_into_files convert gap.dat -o gap.fxt
check "gaps of unknown length are reported" ended 0 "times are of" \
	"gap.dat: 1 events were overwritten" "gap.dat: $(nr_of DROPPED lossy.events) gaps of unknown length; one lost record is counted for each$"
"$vitrine" check gap.fxt >gap.check
check "each gap of unknown length counts as one lost record" prints "$(nr_of DROPPED lossy.events)" lost err gap.check

# unreadable NAME PATTERN: convert fails with an error that matches PATTERN, and leaves no file
unreadable()
{
	exits 1 "^vitrine: $1.dat: .*$2" convert "$1.dat" -o other.fxt && no_file 'other*'
}

check "a clock of cycles" unreadable cycles "its clock, x86-tsc, does not count nanoseconds; record with -C mono"
# End the file in the magic number, event formats, thread names, options and pages.
for bytes in 12 100 4000 20000 60500 "$(($(stat -c %s all.dat) - 4096))"; do
	head -c "$bytes" all.dat >short.dat
	check "cut short, to $bytes bytes" unreadable short "libtracecmd cannot read it"
done
head -c 4000 packed.dat >short.dat
check "packed and cut short" unreadable short "libtracecmd cannot read it"
{ head -c 10 all.dat; perl -e 'srand 1; print pack "C*", map { int rand 256 } 1 .. 9000'; } >short.dat
check "garbage behind the magic" unreadable short "libtracecmd cannot read it"
perl -e 'srand 1; print pack "C*", map { int rand 256 } 1 .. 9000' >short.dat
check "garbage, said to be a trace" exits 1 "short.dat: libtracecmd cannot read it" convert short.dat --from trace-cmd -o other.fxt
# A page whose header has a length larger than the page.
perl -0777 -pe 'substr($_, -3 * 4096 + 8, 4) = pack "L<", 0x00100fe8' lossy.dat >short.dat
check "a page that cannot be" unreadable short "libtracecmd stops reading it: bad page read, with size of "
# Random bytes in pages: the result is a valid trace or one error.
for nr in 1 10 100; do
	perl -0777 -ne 'srand 1; $all = $_; substr $all, -1 - int(rand 90000), 1, chr int rand 256 for 1 .. '$nr'; print $all' \
		all.dat >spoilt.dat
	command_into_files convert spoilt.dat -o spoilt.fxt
	case $(cat status) in
	0)	check "$nr wrong bytes: a trace" "$vitrine" check spoilt.fxt ;;
	*)	check "$nr wrong bytes: an error" unreadable spoilt "" ;;
	esac
	rm -f spoilt.fxt
done
check "no file" exits 3 "missing.dat: cannot open" convert missing.dat --from trace-cmd -o other.fxt
check "no directory" exits 3 "cannot create" convert all.dat -o no/such/directory/other.fxt
check "no room" exits 3 "cannot write: No space left" convert all.dat -o /dev/full --to fxt
check "is not written" exits 2 "other.dat: format trace-cmd can only be read$" convert all.fxt -o other.dat
cp "$vitrine" alone
vitrine=$dir/alone
check "trace-cmd without libtracecmd" exits 3 \
	"trace-cmd's format needs the program .*/vitrine/read-trace-cmd; install the package vitrine-tools; .*README$" \
	convert all.dat -o other.fxt
check "a failed conversion leaves no file" no_file 'other*'

plan
