#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: waker.sh [ROUNDS]
# What makes a wakeup: threads wait for timers, for each other, for a network card, and for a
# module that wakes them up in each context. Meanwhile a hog keeps each CPU busy in user space.
# Most interrupts arrive while a hog runs, and no wakeup may be ascribed to it.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

rounds=${1:-40}
wakes=$VITRINE_SELFTESTS/wakes
hogs=()
trap 'kill "${hogs[@]}" 2>/dev/null; rmmod contexts 2>/dev/null; rm -rf "$dir"' EXIT

# is_hog PID: the hog has made its last system call
is_hog()
{
	[ "$(cat "/proc/$1/comm")" = hog ]
}

# wakeups FILE: print the wakeups of the threads that wait, as TIME TID CONTEXT WAKER
wakeups()
{
	vitrine print --json "$1" | grep -F '"kind":"wakeup"' |
		jq -r '"\(.time_ns) \(.thread.tid) \(.context) \(.args.waker)"' |
		awk 'NR == FNR { waits[$2]; next } $2 in waits' "$dir/threads" -
}

# named: print each of these wakeups as NAME CONTEXT WAKER, the last being what the waker is to
# the thread, but for those by the thread that started it
named()
{
	awk 'FILENAME ~ /roles$/ { role[$1] = $2; next }
		FILENAME ~ /threads$/ { name[$2] = $1; sender[$2] = $3; starter[$2] = $4; next }
		$4 == starter[$2] { next }
		{ waker = $4 in role ? role[$4] : "other" }
		$4 == $2 { waker = "itself" }
		$4 && $4 == sender[$2] { waker = "sender" }
		{ print name[$2], $3, waker }' "$dir/roles" "$dir/threads" "$dir/wakeups"
}

# made NAME MOST [SOME]: there are at least half as many wakeups of the thread as rounds of which the
# pattern MOST, of CONTEXT WAKER, is true; all others are as the pattern SOME, or what is $usual
made()
{
	grep "^$1 " "$dir/named" | sort | uniq -c
	[ "$(grep -cxE "$1 ($2)" "$dir/named")" -ge $((rounds / 2)) ] &&
		! grep "^$1 " "$dir/named" | grep -vxE "$1 ($2|${3:-}|$usual)"
}

# has_same FILE: the wakeups in FILE, from the rings, are in the recording, too
has_same()
{
	vitrine check "$1" && wakeups "$1" | sort >"$dir/held" && [ -s "$dir/held" ] &&
		same /dev/null <(comm -23 "$dir/held" <(sort "$dir/wakeups"))
}

# ---- record ---------------------------------------------------------------------------

# Only in a guest is it known that the card is not in use.
ping=ping
if [ "${DISRUPTIVE:-}" != 1 ] || ! modprobe -q virtio_net || ! [ -e /sys/class/net/eth0 ]; then
	ping=
fi
insmod "$VITRINE_MODULES/contexts.ko" || exit
load events=sched || exit
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu "$wakes" hog &
	hogs+=($!)
	until_true is_hog $!
done
check "record" vitrine record -o "$dir/trace.fxt" -- bash -c 'exec "$@" >"$0"' "$dir/threads" \
	"$wakes" "$rounds" nap timeout unix udp tcp $ping in-thread in-hardirq in-call in-ksoftirqd
check "copy the rings" cp "$TRACE/trace.fxt" "$dir/rings.fxt"
check "take a snapshot" vitrine snapshot -o "$dir/snapshot.fxt"
kill "${hogs[@]}"

{
	echo 0 none
	printf '%s hog\n' "${hogs[@]}"
	for file in /proc/[0-9]*/comm; do
		name=$(cat "$file" 2>/dev/null)
		[[ $name != @(ksoftirqd|ktimers|irq)/* ]] || echo "$(basename "${file%/comm}") ${name%%/*}"
	done
} >"$dir/roles"
wakeups "$dir/trace.fxt" >"$dir/wakeups"
named >"$dir/named"
sort "$dir/named" | uniq -c | sed 's/^/# /'
check "the recording is sound" vitrine check "$dir/trace.fxt"
check "the rings tell the same" has_same "$dir/rings.fxt"
check "a snapshot tells the same" has_same "$dir/snapshot.fxt"

# ---- who made them ----------------------------------------------------------------------

# What the softirq of an interrupt is. It is another one if the interrupt came upon a thread in a
# call, or if there are many softirqs. On PREEMPT_RT, each thread that enables softirqs may run it,
# and the holder of a lock wakes up those that wait for the lock.
softirq="softirq none"
elsewhere="thread ksoftirqd|softirq-in-call other"
usual=
if [[ $(uname -v) = *PREEMPT_RT* ]]; then
	softirq="thread (ksoftirqd|ktimers|irq)"
	usual="(thread|softirq-in-call) (ksoftirqd|ktimers|irq|sender|other)"
fi

check "no wakeup is ascribed to a hog" fails grep -w hog "$dir/named"
check "a thread that naps: an interrupt" made nap "hardirq none"
check "a timeout: a softirq" made timeout "$softirq" "$elsewhere"
check "a Unix socket: the sender" made unix "thread sender"
check "a UDP socket: the sender, in a softirq" made udp "softirq-in-call sender" "thread ksoftirqd"
check "a TCP socket: the sender, in a softirq" made tcp "softirq-in-call sender" "thread ksoftirqd"
if [ -n "$ping" ]; then
	check "a network card: a softirq" made ping "$softirq|softirq-in-call sender|thread ksoftirqd" "$elsewhere"
else
	ktap_test_skip "a network card: no virtio_net, or not a guest"
fi
check "the module, in write(): the writer" made in-thread "thread sender"
check "the module, in an interrupt" made in-hardirq "hardirq none"
check "the module, in a softirq of write(): the writer" made in-call "softirq-in-call sender" "thread ksoftirqd"
check "the module, in ksoftirqd" made in-ksoftirqd "thread ksoftirqd"

finish
