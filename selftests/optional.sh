#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Drivers that work without vitrine: each order of loading and unloading, while their threads
# update, create and delete values, and another interface.
#
#	optional.sh [ROUNDS]	default 3 of each order

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

rounds=${1:-3}
round=0
module=$VITRINE_MODULES/optional.ko
tree=$INSPECT/optional.inspect

# counts: the threads of the driver go on; with vitrine loaded, so do the values
counts()
{
	local before now i

	read -r before </sys/module/optional/parameters/rounds || return
	further()
	{
		read -r now </sys/module/optional/parameters/rounds && [ "$now" -gt "$before" ]
	}
	# The threads are nearly always faster than the first sleep of until_true.
	for ((i = 0; i < 100; i++)); do
		! further || return 0
	done
	until_true further
}

# whole_events: each event has all its values, and those are of the same round
whole_events()
{
	vitrine show --json optional | jq -e '.root.events | length == 2 and
		all(.[]; .first == .third and .second == ["even", "odd"][.first % 2])'
}

# publishes: the tree is there, is sound, and changes. Most of a thousand rounds check only that
# it is there: to start a program takes longer than all the rest.
publishes()
{
	local before

	[ -e "$tree" ] || return
	[ $((round % 100)) -lt 3 ] || return 0
	before=$(value optional .root.number) && [ -n "$before" ] || return
	changes()
	{
		[ "$(value optional .root.number)" != "$before" ]
	}
	until_true changes || return
	whole_events || return
	cp "$tree" /tmp/optional.inspect && vitrine check /tmp/optional.inspect >/dev/null &&
		vitrine show optional-lazy >/dev/null &&
		[ "$(value vitrine .root.trees.optional.failed)" = 0 ]
}

# order NAME STEPS: the steps succeed, in each round
order()
{
	check "$1, $rounds times" repeat "$rounds" eval "$2"
	rmmod optional 2>/dev/null
	rmmod vitrine 2>/dev/null
}

# driver_goes: unload the driver, with its tree
driver_goes()
{
	rmmod optional && [ ! -e "$tree" ]
}

# Both at the same time, in either order.
together()
{
	insmod "$module" & load; wait
	counts && publishes || return
	rmmod vitrine & rmmod optional; wait
	[ ! -e /sys/module/optional ] && [ ! -e /sys/module/vitrine ]
}

order "driver first" \
	'insmod "$module" && counts && load && publishes && driver_goes && rmmod vitrine'
order "vitrine first" 'load && insmod "$module" && publishes && driver_goes && rmmod vitrine'
order "vitrine goes first" \
	'load && insmod "$module" && publishes && rmmod vitrine && counts && rmmod optional'
order "vitrine comes back" '
	insmod "$module" && load && publishes && rmmod vitrine && counts && load && publishes &&
		rmmod vitrine && rmmod optional'
order "vitrine never comes" 'insmod "$module" && counts && rmmod optional'
order together together

check "the driver depends on no symbol of vitrine" \
	fails grep -q vitrine <(modinfo -F depends "$module"; modinfo -F import_ns "$module")

# An open file keeps vitrine, but not the driver.
load
insmod "$module"
exec 3<"$tree"
check "while its tree is open, vitrine stays" fails rmmod vitrine
check "while its tree is open, the driver goes" rmmod optional
exec 3<&-
rmmod vitrine

# A driver with a lazy tree for each device.
insmod "$module" device=1
load
check "fill() takes longer than its limit" fails cat "$INSPECT/optional-device.inspect"
rmmod vitrine &
until_true grep -q N /sys/module/optional/parameters/is_published
check "the device goes, too" eval 'echo 1 >/sys/module/optional/parameters/remove'
wait $!
check "the device is not freed before fill() has returned" \
	grep -q N /sys/module/optional/parameters/torn
check "the driver goes on" eval 'counts && load && publishes && rmmod optional && rmmod vitrine'

# The name of the tree is taken.
load
insmod "$VITRINE_PUBLISHER_KO" name=optional
insmod "$module"
check "the tree of another driver keeps its name" test "$(value optional .root.number)" = null
rmmod publisher
check "the name is free again" publishes
check "a driver goes whose tree has no file" eval '
	insmod "$VITRINE_PUBLISHER_KO" name=optional && rmmod optional &&
		[ "$(value optional .root.number)" = null ] && rmmod publisher && [ ! -e "$tree" ]'
rmmod vitrine

# evaluates NUMBER: updates evaluate each of three values once, where it may sleep; NUMBER in all
evaluates()
{
	mark_log
	echo 1 >/sys/module/optional/parameters/evaluate
	[ "$(</sys/module/optional/parameters/evaluated)" = "$1" ] || return
	fails eval 'marked_log | grep "scheduling while atomic\|sleeping function"'
}

insmod "$module"
check "without vitrine, the values of an update are evaluated" evaluates 3
load
check "with vitrine, they are evaluated with preemption enabled" evaluates 6
check "the update has the value" prints 4 value optional .root.evaluated
rmmod optional
rmmod vitrine

dmesg -C
check "another interface: a message, and the driver works" eval '
	insmod "$module" abi=77 && load && counts && [ ! -e "$tree" ] &&
		[ "$(dmesg | grep -c "module optional publishes nothing.*77")" = 1 ] &&
		rmmod vitrine && counts && rmmod optional'

check "a driver that requires vitrine" fails insmod "$VITRINE_MODULES/hello.ko"
load
check "the same with vitrine" insmod "$VITRINE_MODULES/hello.ko"
echo hello >/sys/module/hello/parameters/greet
check "it counts" prints 1 value hello .root.greetings
rmmod hello
check "the same driver without the requirement" insmod "$VITRINE_MODULES/hello-optional.ko"
echo hello >/sys/module/hello_optional/parameters/greet
check "it counts, too" prints 1 value hello .root.greetings
rmmod hello-optional
rmmod vitrine

finish
