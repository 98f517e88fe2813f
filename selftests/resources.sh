#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a user who may open the files takes from the kernel: the memory is charged to the
# cgroup of that user, the rings of past sessions are freed although they are open, and the
# work does not grow with the number of open files.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

tracefs=/sys/kernel/tracing
dir=$(mktemp -d)
group=$dir/cgroups/vitrine-resources

leave()
{
	jobs -p | xargs -r kill 2>/dev/null
	echo 0 >"$tracefs/events/workqueue/workqueue_execute_start/enable"
	! [ -d "$group" ] || until_true rmdir "$group" 2>/dev/null
	umount "$dir/cgroups" 2>/dev/null
	rm -rf "$dir"
}
trap leave EXIT

load enable=0
insmod "$VITRINE_PUBLISHER_KO" mode=idle

# ---- memory -----------------------------------------------------------------

# charges NR FILE: open FILE so many times, then read a byte of each. Prints the bytes that
# the first and the second step add to the charge of a cgroup, and the bytes that each open
# file must take.
charges()
{
	bash -c '
		echo $$ >"$1/cgroup.procs" || exit
		begin=$(<"$1/memory.current")
		for ((i = 0; i < $2; i++)); do
			exec {fd}<"$3" || exit
			fds+=("$fd")
		done
		opened=$(<"$1/memory.current")
		for fd in "${fds[@]}"; do
			IFS= read -r -N 1 -u "$fd" _
		done
		echo $((opened - begin)) $(($(<"$1/memory.current") - opened))' - "$group" "$@"
}

# charged NR BYTES FILE: a cgroup is charged so many BYTES for each of NR open files; the
# kernel adds up charges in batches, of which some are outstanding
charged()
{
	read -r opened read < <(charges "$1" "$3")
	echo "for $1 of $2 bytes: $opened when they are opened, $read when they are read"
	[ $((opened + read)) -ge $(($1 * $2 * 3 / 4)) ]
}

# not_copied NR BYTES FILE: reading a tree that does not change takes no more memory
not_copied()
{
	charged "$@"
	[ "$read" -lt $(($1 * $2 / 2)) ]
}

mkdir "$dir/cgroups"
if mount -t cgroup2 none "$dir/cgroups" && echo +memory >"$dir/cgroups/cgroup.subtree_control" &&
	mkdir "$group"; then
	set_to enable 1
	check "copies of the trace are charged to their reader" charged 100 65536 "$TRACE/trace.fxt"
	set_to enable 0
	check "copies of a tree are charged to their reader" \
		charged 100 "$(wc -c <"$INSPECT/publisher.inspect")" "$INSPECT/publisher.inspect"
	size=$(wc -c <"$INSPECT/tasks.inspect")
	check "lazy trees are charged to their opener" charged 30 "$size" "$INSPECT/tasks.inspect"
	check "lazy trees are not copied" not_copied 30 "$size" "$INSPECT/tasks.inspect"
fi

# ---- past sessions ----------------------------------------------------------

# begin_session: end the current session, and begin another one
begin_session()
{
	local kb

	kb=$(<"$TRACE/buffer_kb")
	set_to buffer_kb $((kb == 512 ? 1024 : 512))
}

set_to enable 1
on_each_cpu "$WORKLOAD" crowd 5 1000
exec {kept}<"$TRACE/trace.fxt" {stale}<"$TRACE/trace.fxt"
IFS= read -r -N 1 -u "$kept" _
IFS= read -r -N 1 -u "$stale" _
begin_session
begin_session
check "the last but one session is still readable where it is open" \
	eval 'cat <&$kept >/dev/null'
begin_session
check "an older session is gone, also where it is open" refuses 1 "Stale file handle" cat <&"$stale"
check "the file can be opened again" cp "$TRACE/trace.fxt" "$dir/again.fxt"
check "the current session is sound" vitrine check "$dir/again.fxt"
exec {kept}<&- {stale}<&-
set_to enable 0

# ---- work -------------------------------------------------------------------

# works: print when a worker of the kernel refreshed a tree, in seconds; the module has other work
works()
{
	sed -nE 's/.* ([0-9]+\.[0-9]+): workqueue_execute_start:.*function fold \[vitrine\].*/\1/p' "$tracefs/trace"
}

# The lower bound leaves room for ticks that a guest makes up for after it stood still.
a_second_apart()
{
	works
	works | awk '{ if (NR > 1 && $1 - last < 0.5) exit 1; last = $1 } END { if (NR < 4) exit 1 }'
}

for ((i = 0; i < 50; i++)); do
	exec {fd}<"$INSPECT/publisher.inspect" {self}<"$INSPECT/vitrine.inspect"
	fds+=("$fd" "$self")
done
"$VITRINE_SELFTESTS/watch_frozen" "$INSPECT/publisher.inspect" >/dev/null &
echo >"$tracefs/trace"
echo 1 >"$tracefs/events/workqueue/workqueue_execute_start/enable"
check "a mapped tree is refreshed" until_true eval '[ "$(works | wc -l)" -ge 4 ]'
check "a mapped tree is refreshed once a second, however many files are open" a_second_apart
for fd in "${fds[@]}"; do
	exec {fd}<&-
done
check "the publisher unloads" rmmod publisher
wait

finish
