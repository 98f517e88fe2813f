#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine record' of a part of the machine: CPUs, a process with its children, and a
# cgroup. The trace has their switches and no others, and says so.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

cd /tmp || exit
load

# names FILE: print the names of the threads that FILE has
names()
{
	vitrine print --json "$1" | jq -r '(.in?, .out?, .thread?) | select(.) | .name' | sort -u
}

# has FILE NAME...: all these threads are in FILE; prints those that are not
has()
{
	fails grep -vxFf <(names "$1") <(printf '%s\n' "${@:2}")
}

# lacks FILE NAME...: none of these threads is in FILE; prints those that are
lacks()
{
	fails grep -xFf <(names "$1") <(printf '%s\n' "${@:2}")
}

# notes FILE WORDS: `vitrine check' finds FILE sound, and tells that WORDS were the filters
notes()
{
	vitrine check "$1" >check.log && grep -q "left out on purpose: $2\$" check.log
}

# A process with children, each of which ends at once, and another that does the same.
cat >family <<'END'
#!/bin/sh
for i in 1 2 3 4 5; do
	/tmp/"$1"-child .
done
END
chmod +x family
for name in alpha bravo; do
	cp "$(command -v ls)" "$name-child"
	cp "$(readlink -f "$(command -v sh)")" "$name"
done

check "record -C" vitrine record -o cpu.fxt -C 0 -- "$WORKLOAD" crowd 3 2000
check "-C: the file says which CPU it has" notes cpu.fxt cpus=0
check "-C: the file has switches of no other CPU" test "$(vitrine print --json cpu.fxt | jq -s 'map(select(.kind == "switch") | .cpu) | unique == [0]')" = true
check "the settings are as before" grep -qx -e -sched "$TRACE/events"

both()
{
	./alpha family alpha >/dev/null &
	./bravo family bravo >/dev/null
	wait $!
}
export -f both
check "record -p NAME" vitrine record -o alpha.fxt -p alpha -- bash -c both
check "-p: the file has the process and its children" has alpha.fxt alpha alpha-child idle "not recorded"
check "-p: the file has no other process" lacks alpha.fxt bravo bravo-child
check "-p: the file says which process it has" notes alpha.fxt processes=alpha
check "-p: no temporary file is left" test "$(find . -name 'alpha.fxt*' | wc -l)" = 1

# The parent forks when recording has begun: it waits until the FIFO is opened.
mkfifo gate
./bravo -c 'read -r go <gate; ./alpha family alpha' >/dev/null &
parent=$!
check "-p PID" vitrine record -o parent.fxt -p $parent -- sh -c 'echo go >gate; while [ -e /proc/'$parent'/exe ]; do :; done'
wait $parent
check "-p PID: the file has children of children" has parent.fxt bravo alpha alpha-child

if [ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null; then
	mkdir -p /sys/fs/cgroup/choosing/inner
	sh -c 'echo $$ >/sys/fs/cgroup/choosing/inner/cgroup.procs; read -r go <gate; exec ./alpha family alpha' >/dev/null &
	until grep -q . /sys/fs/cgroup/choosing/inner/cgroup.procs; do :; done
	check "record --cgroup" vitrine record -o cgroup.fxt --cgroup /choosing -- \
		sh -c 'echo go >gate; ./bravo family bravo; while [ -e /proc/'$!'/exe ]; do :; done'
	wait $!
	check "--cgroup: the file has the processes of the cgroup" has cgroup.fxt alpha alpha-child
	check "--cgroup: the file has no other process" lacks cgroup.fxt bravo bravo-child
	check "--cgroup: the file says which cgroup it has" notes cgroup.fxt cgroup=/choosing
	check "no such cgroup" refuses 3 "no such cgroup" vitrine record -o none.fxt --cgroup /none -- true
	rmdir /sys/fs/cgroup/choosing/inner /sys/fs/cgroup/choosing
fi

check "-p PID: no such process" refuses 2 "no such process" vitrine record -o none.fxt -p 4194304 -- true
check "-p NAME: no such process" refuses 2 "no process had the name" vitrine record -o none.fxt -p nobody -- true
check "-p in a PID namespace" refuses 2 "a PID namespace has other ids" \
	unshare -pf --mount-proc vitrine record -o none.fxt -p 1 -- true
check "record -C and -p together" vitrine record -o both.fxt -C 0 -p alpha -- bash -c both
check "the file of -C and -p says which CPU and process it has" notes both.fxt "cpus=0 processes=alpha"
check "--rotate excludes a choice" refuses 2 "excludes" vitrine record -o none.fxt --rotate 1M -p alpha -- true
check "the settings are as before" grep -qx -e -sched "$TRACE/events"
rm -f check.log family gate alpha* bravo* ./*.fxt

finish
