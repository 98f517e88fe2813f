#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Lazy trees whose fill() succeeds, fails, recurses, takes too long, never returns or does
# not fit: each ends with a clear result, and does not disturb anything else.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

publish()
{
	insmod "$VITRINE_MODULES/lazy.ko" "$@"
}

# figure TREE NAME: a statistic of a lazy tree in the tree "vitrine"
figure()
{
	value vitrine ".root.lazy[\"$1\"].$2"
}

release()
{
	echo "$1" >/sys/module/lazy/parameters/release
}

load enable=0
publish

# ---- fills that end ---------------------------------------------------------

check "nothing is filled before it is read" prints 0 figure lazy-fine fills
check "a fill is what is read" prints context value lazy-fine .root.ctx
check "each opening is a fill of its own" prints 2 value lazy-fine .root.fill
check "each fill is counted" prints 2 figure lazy-fine fills
cp "$INSPECT/lazy-fine.inspect" /tmp/fine.inspect
check "a filled tree is sound" vitrine check /tmp/fine.inspect
check "a filled tree is frozen" grep -q "^ *fffffffffffffffe$" <(od -An -tx8 -j8 -N8 /tmp/fine.inspect)

check "a fill beyond the limit is sound" vitrine check "$INSPECT/lazy-full.inspect"
cp "$INSPECT/lazy-full.inspect" /tmp/full.inspect
check "a fill beyond the limit keeps to the limit" prints 4096 stat -c %s /tmp/full.inspect
check "what did not fit is counted" test "$(figure lazy-full failed)" -gt 700

check "a fill that fails: its errno" refuses 3 "Input/output error" vitrine show lazy-fail
echo -13 >/sys/module/lazy/parameters/fail
check "a fill that fails: another errno" refuses 3 "Permission denied" vitrine show lazy-fail
echo -512 >/sys/module/lazy/parameters/fail
check "a fill that fails: an errno that is unknown to user space" refuses 3 "Input/output error" vitrine show lazy-fail
echo 1 >/sys/module/lazy/parameters/fail
check "a fill that fails: a number that is no errno" refuses 3 "Input/output error" vitrine show lazy-fail
check "failures are counted" prints 4 figure lazy-fail failures

check "a fill that opens its own file: ELOOP" prints -40 value lazy-self .root.opened
vitrine show lazy-ping >/dev/null 2>&1
vitrine show lazy-pong >/dev/null 2>&1
for tree in lazy-ping lazy-pong; do
	check "fills that open each other's end: $tree" until_true prints 0 figure $tree filling
done

# ---- a fill that takes too long ---------------------------------------------

check "a fill that does not end: ETIMEDOUT" \
	refuses 3 "did not fill it in time" vitrine show lazy-endless
check "while it goes on: EBUSY" \
	refuses 3 "is filling it for another reader" vitrine show lazy-endless
check "both are counted" prints 2 figure lazy-endless timeouts
check "other lazy trees are filled" vitrine show lazy-fine
check "other trees are read" vitrine show system
check "a list of all fills none" grep -q "^lazy-endless *lazy" <(vitrine list)
for command in show metrics; do
	check "$command of all says why" refuses 3 "is filling it for another reader" vitrine $command
	check "$command of all has the rest" grep -q "lazy.fine" <(vitrine $command 2>/dev/null)
done
release 1
check "an endless fill ends when it is released" until_true prints 0 figure lazy-endless filling
check "the tree can be read after the fill has ended" until_true prints true value lazy-endless .root.released

# ---- the publisher goes -----------------------------------------------------

release 0
check "an endless fill does not end unless it is released" fails vitrine show lazy-endless
exec 5<"$INSPECT/lazy-fine.inspect"
check "the publisher unloads, which ends the fill" rmmod lazy
check "the files of the lazy trees are gone with their publisher" test ! -e "$INSPECT/lazy-fine.inspect"
check "the lazy trees are gone from the tree \"vitrine\"" \
	prints 0 value vitrine '[.root.lazy // {} | keys[] | select(startswith("lazy-"))] | length'
check "an open file of a tree keeps the fill of its open()" eval 'cat <&5 | vitrine check -'
check "the module is held" fails rmmod vitrine
exec 5<&-

# ---- openers that are killed, wait, or are left -----------------------------

publish timeout_ms=600000
cat "$INSPECT/lazy-endless.inspect" >/dev/null 2>&1 &
killed=$!
check "an opener waits" until_true prints 1 figure lazy-endless filling
cat "$INSPECT/lazy-endless.inspect" >/tmp/waited.inspect &
waiting=$!
kill -KILL $killed
wait $killed 2>/dev/null
check "an opener that waits can be killed at once" test $? = 137
check "the fill continues when its opener is killed" prints 1 figure lazy-endless filling
release 1
wait $waiting
check "another opener waits for its turn" test $? = 0
check "the opener that waited gets a sound tree" vitrine check /tmp/waited.inspect
check "two fills" prints 2 figure lazy-endless fills

release 0
cat "$INSPECT/lazy-endless.inspect" >/dev/null 2>&1 &
left=$!
check "an opener waits again" until_true prints 1 figure lazy-endless filling
check "the publisher unloads meanwhile" rmmod lazy
wait $left
check "the opener has come back" within 0 $? 1

storm()
{
	local i pids=()

	for ((i = 0; i < 20; i++)); do
		vitrine show lazy-fine >/dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || return
	done
}

publish
check "twenty openers at once" storm
check "twenty openers: one fill for each" prints 20 figure lazy-fine fills
check "unload" rmmod lazy

# ---- a publisher that leaves everything behind ----------------------------------

# nothing_left: files and category are gone, and each kind was logged
nothing_left()
{
	ls "$INSPECT"
	cat "$TRACE/events"
	! grep -q lazy "$TRACE/events" && [ ! -e "$INSPECT/lazy-fine.inspect" ] &&
		[ ! -e "$INSPECT/lazy-tree.inspect" ] &&
		for what in 'category "lazy"' 'lazy tree "lazy-fine"' 'tree "lazy-tree"'; do
			dmesg | tail -n 30 | grep -F "module lazy has not" | grep -F "$what" || return
		done
}

check "a publisher fails to load and has forgotten everything" \
	fails insmod "$VITRINE_MODULES/lazy.ko" forget=1 fail_init=1
check "what it has left is removed, and logged" nothing_left
dmesg -C
publish forget=1
set_to events +lazy
check "a publisher unloads and forgets everything, while its category is on" rmmod lazy
check "what it has left after unloading is removed, and logged" nothing_left
publish
check "its names are free again" vitrine show lazy-fine
check "unload again" rmmod lazy

finish
