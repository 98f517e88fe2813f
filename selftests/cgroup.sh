#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The filter by cgroup of trace/events and trace/stacks: threads of the cgroup and of its
# descendants are recorded, others are not, and switches are complete in any case.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

mkdir "$dir/cgroups"
mount -t cgroup2 none "$dir/cgroups" 2>/dev/null || skip "this kernel has no cgroups"
# The path of a cgroup may contain colons, which separate the conditions in trace/events.
inner=/vitrine:test/inner
sibling=/vitrine:test2

# leave: remove the cgroups, which have no threads any more
leave()
{
	rmdir "$dir/cgroups$inner" "$dir/cgroups/vitrine:test" "$dir/cgroups$sibling" 2>/dev/null
	umount "$dir/cgroups"
	rm -rf "$dir"
}
trap leave EXIT
mkdir -p "$dir/cgroups$inner" "$dir/cgroups$sibling"

# in_cgroup PATH COMMAND...: run a command in the cgroup
in_cgroup()
{
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$dir/cgroups$1" "${@:2}"
}

# recorded TID: the long wait of the thread in a pipe was recorded, once. It may have waited
# for something else, too, such as a page of its program.
recorded()
{
	events "$(of blocked "$1")" >"$dir/waits"
	cat "$dir/waits"
	[ "$(grep -c '"syscall":"read"' "$dir/waits")" = 1 ]
}

# unrecorded TID: no wait of the thread was recorded
unrecorded()
{
	fails recorded "$1" && [ ! -s "$dir/waits" ]
}

# calls CGROUP: record system calls of a process of the cgroup; set $caller to its id
calls()
{
	restart
	in_cgroup "$1" bash -c "echo \$\$ >$dir/caller; exec $WORKLOAD calls 500" >/dev/null
	read -r caller <"$dir/caller"
	save
}

# has_calls LOW HIGH: the number of system calls that were recorded of $caller is in range
has_calls()
{
	within "$1" "$(jq -c "select(.category == \"syscall\" and .thread.tid == $caller)" \
		"$dir/trace.json" | wc -l)" "$2"
}

# found FILTER: the jq filter selects a record
found()
{
	jq -c "select($1)" "$dir/trace.json" >"$dir/found"
	head -n 5 "$dir/found"
	[ -s "$dir/found" ]
}

load

# ---- errors ---------------------------------------------------------------------

before=$(<"$TRACE/events")

while IFS=, read -r file error words; do
	check "$file refuses '$words'" rejects "$file" "$error" "$words"
done <<END
events,No such file or directory,+syscall:cgroup=/nowhere
events,No such file or directory,+all:cgroup=/nowhere
events,Invalid argument,+syscall:cgroup=
stacks,No such file or directory,blocked_us=1 cgroup=/nowhere
stacks,Not a directory,blocked_us=1 cgroup=$inner/cgroup.procs
stacks,Invalid argument,blocked_us=1 cgroup=
END
check "refused cgroups leave trace/stacks unset" says none
check "refused cgroups leave trace/events unchanged" test "$(<"$TRACE/events")" = "$before"

# ---- long waits -------------------------------------------------------------------

set_to events +sched
arm "blocked_us=10000 cgroup=$inner"
check "the cgroup of long waits is read back" says "blocked_us=10000 cgroup=$inner"
waits in_cgroup "$inner"
check "a wait in the cgroup" recorded "$pipe"
waits in_cgroup "${inner%/*}"
check "no stack of a thread in the parent cgroup" unrecorded "$pipe"
arm "blocked_us=10000 cgroup=${inner%/*}"
waits in_cgroup "$inner"
check "a wait in a descendant" recorded "$pipe"
waits in_cgroup "$sibling"
check "no stack of a thread in another cgroup with a similar name" unrecorded "$pipe"
arm "blocked_us=10000 cgroup=/"
waits in_cgroup "$sibling"
check "all are in the root" recorded "$pipe"
arm none

# ---- events -----------------------------------------------------------------------

set_to events "-sched +syscall:cpus=0-$(($(nproc) - 1)):cgroup=${inner%/*}"
check "the cgroup of events is read back" \
	has_line "$TRACE/events" "^[+]syscall:cpus=0-$(($(nproc) - 1)):cgroup=${inner%/*}"
check "what is read can be written" bash -c "cp $TRACE/events $dir/events && cat $dir/events >$TRACE/events"
calls "$inner"
check "system calls in a descendant cgroup are recorded" has_calls 500 2000
calls "$sibling"
check "system calls in another cgroup are not recorded" has_calls 0 0
check "switches of a thread in another cgroup are recorded" found ".kind == \"switch\" and .in.tid == $caller"
set_to events "-syscall +sched:cgroup=$inner"
waits in_cgroup "$sibling"
check "no wakeup in another cgroup" fails found ".kind == \"wakeup\" and .thread.tid == $pipe"
waits in_cgroup "$inner"
check "the cost of a record can be measured meanwhile" grep -E '^switch [1-9]' "$TRACE/cost"
check "wakeups in the cgroup" found ".kind == \"wakeup\" and .thread.tid == $pipe"

# ---- a cgroup that is removed -------------------------------------------------------

arm "blocked_us=10000 cgroup=$inner"
check "the cgroup can be removed" until_true rmdir "$dir/cgroups$inner"
waits in_cgroup "$sibling"
check "no thread is in a removed cgroup" unrecorded "$pipe"
check "trace/stacks with a removed cgroup can be read" grep blocked_us=10000 "$TRACE/stacks"
check "trace/events with a removed cgroup can be read" grep -F "+sched:cgroup=" "$TRACE/events"
check "the module goes" rmmod vitrine

finish
