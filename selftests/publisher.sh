#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A publisher in another module: its tree is created, changed in every way, filled up, and
# destroyed, while it is read, mapped or held open.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

tree="$INSPECT/publisher.inspect"

publish()
{
	insmod "$VITRINE_PUBLISHER_KO" "$@"
}

# sound: every byte of copies made during changes is accounted for
sound()
{
	repeat 3 eval 'cp "$tree" /tmp/copy.inspect && vitrine check /tmp/copy.inspect' &&
		vitrine show --json publisher >/tmp/copy.json && jq -e .root.state /tmp/copy.json
}

check "a publisher needs the module" fails publish
load enable=0
for mode in idle fast batch churn timer; do
	publish mode=$mode
	check "mode $mode: sound" sound
	check "mode $mode: in the module's own tree" \
		prints 0 value vitrine .root.trees.publisher.failed
	check "mode $mode: the module is held" fails rmmod vitrine
	check "mode $mode: unloads" rmmod publisher
	check "mode $mode: the file is gone" test ! -e "$tree"
	check "mode $mode: gone from the module's own tree" \
		prints null value vitrine .root.trees.publisher
done

# ---- every type -------------------------------------------------------------

# After 208 packets on each queue, of which each 16th moves the port.
publish mode=idle steps=208
vitrine show --json publisher >/tmp/steps.json

# shows FILTER: jq finds FILTER true of the tree
shows()
{
	jq -e "$1" /tmp/steps.json
}

check "every type: sound" vitrine check "$tree"
check "array of uints" shows '.root.drops == [69, 70, 69]'
check "array of ints" shows '.root.balances == [208, -208, 208, -208]'
check "array of doubles" shows '.root.loads == [0.8125, 0.8125, 0.8125, 0.8125]'
check "array of strings" shows '.root.modes == ["full duplex", "half duplex"]'
check "linear histogram of ints" shows '.root.timing.error_ns |
	.floor == -500 and .step == 100 and .counts[:3] == [199, 9, 0] and (.counts | add) == 208'
check "exponential histogram of ints" shows '.root.timing.error_log_ns |
	.initial_step == 1 and .step_multiplier == 2 and .counts[0] == 208'
check "linear histogram of uints" shows '.root.timing.latency_ns |
	.counts[:3] == [0, 27, 27] and (.counts | add) == 208'
check "exponential histogram of uints" shows '.root.timing.latency_log_ns |
	(.counts | length) == 42 and (.counts | add) == 208'
check "linear histogram of doubles" shows '.root.timing.load |
	.step == 0.1 and .counts[:2] == [0, 208] and (.counts | add) == 208'
check "exponential histogram of doubles" shows '.root.timing.load_log |
	.step_multiplier == 2 and .counts[2] == 416 and (.counts | add) == 416'
check "counter per CPU" shows '.root.interrupts == 208'
check "histogram per CPU" shows '.root.packet_bytes |
	.initial_step == 64 and .counts == [0, 0, 63, 128, 17, 0, 0, 0]'
check "recorded values" shows '.root.board == {"model": "V-1000", "mac": "b64:AgBeEAAB",
	"revision": 3, "offset_celsius": -2, "volts": 3.3, "has_fan": true}'
check "a list has its last eight" shows '.root.events | keys == (["5", "6", "7", "8", "9", "10",
	"11", "12"] | sort) and .["12"] == {"what": "standby", "value": 208}'
check "adopted, under its name" shows '.root | .active == {} and (.standby | keys == ["port"] and
	.port.speed_mbit == 1000)'
check "health" shows '.root["fuchsia.inspect.Health"] | .status == "UNHEALTHY" and
	.message == "port on standby" and .start_timestamp_nanos > 0'
check "link as a child" shows '.root.vitrine.trace.recording == false'
check "link inline" shows '.root.machine.sysname == "Linux" and .root.machine.system == null'
check "the tree's figures are those the module has of it" \
	shows '.root | .vitrine.trees.publisher as $own | .["fuchsia.inspect.Stats"] |
	.current_size == $own.size_bytes and .maximum_size == $own.limit_bytes and
	.used_size == $own.used_bytes and .values == $own.values and .failed == 0'
rmmod publisher

# forms FILE: print the types of its blocks in hexadecimal, with the form after a colon for
# types that have several; uses only the bytes of the file
forms()
{
	od -An -v -w16 -tx8 "$1" | awk '
		skip > 0 { skip--; next }
		{
			skip = 2 ^ substr($1, 16) - 1
			type = substr($1, 13, 2)
			if (type == "07" || type == "0c")
				type = type ":" substr($2, 1, 1)
			else if (type == "0b")
				type = type ":" substr($2, 15, 2)
			print type
		}' | sort -u
}

# all_forms: print the forms in a tree with few slots for names, and in one whose nodes are
# deleted before the values below them
all_forms()
{
	publish mode=idle steps=208 limit=16384
	forms "$tree" >/tmp/forms
	rmmod publisher
	publish mode=churn
	until cp "$tree" /tmp/churn.inspect && forms /tmp/churn.inspect | grep 0a; do
		:
	done >>/tmp/forms
	vitrine check /tmp/churn.inspect || return
	rmmod publisher
	sort -u /tmp/forms | paste -sd' ' | tee /tmp/all_forms
}

# FREE, HEADER, NODE, INT, UINT, DOUBLE, BUFFER of text and of bytes, EXTENT, NAME,
# TOMBSTONE, ARRAY flat, linear and exponential, LINK child and inline, BOOL,
# STRING_REFERENCE
wanted="00 02 03 04 05 06 07:0 07:1 08 09 0a"
wanted+=" 0b:04 0b:05 0b:06 0b:0e 0b:14 0b:15 0b:16 0b:24 0b:25 0b:26 0c:0 0c:1 0d 0e"
check "every type of block, in every form" all_forms
check "no block of another type or form" test "$(</tmp/all_forms)" = "$wanted"

# ---- managed ----------------------------------------------------------------

publish mode=fast managed=1
check "a module's own tree is there" sound
check "a module's own tree is gone with its module" sh -c 'rmmod publisher && test ! -e "$1"' - "$tree"
check "a module with its own tree fails in its init function" fails publish mode=none managed=1
check "no tree is left of a module whose init failed" test ! -e "$tree"

# ---- full -------------------------------------------------------------------

publish mode=fast limit=8192 nodes=2000
check "a full tree is sound" sound
check "the publisher of a full tree keeps running" grep -q '^publisher ' /proc/modules
check "values that did not fit into the tree are counted" test "$(value vitrine .root.trees.publisher.failed)" -gt 1000
check "a full tree keeps to its limit" prints 8192 value vitrine .root.trees.publisher.size_bytes
rmmod publisher

publish nodes=5000 limit=4194304
check "a large tree is sound" vitrine check "$tree"
check "a large tree is complete" test "$(value publisher '.root | [.. | .value? | select(. != null)] | length')" -gt 1
rmmod publisher

# ---- refused ----------------------------------------------------------------

# refused_tree NAME: the tree is refused and logged, and the publisher continues without it
refused_tree()
{
	mark_log
	publish mode=fast "name=$1" || return
	rmmod publisher
	marked_log | tee /dev/stderr | grep -q "vitrine: tree .* not published"
}

check "name of a tree that exists" refused_tree system
check "name with a slash" refused_tree a/b
check "name too long" refused_tree "$(printf 'x%.0s' {1..64})"
check "no name" refused_tree ""
check "the trees are as before" vitrine check "$INSPECT/system.inspect"
check "the longest name" publish mode=idle name="$(printf 'x%.0s' {1..63})"
check "the tree with the longest name has its file" test -e "$INSPECT/$(printf 'x%.0s' {1..63}).inspect"
rmmod publisher

# ---- misused ----------------------------------------------------------------

# misused_trees: two trees whose driver makes a mistake twice are each named once in the log
misused_trees()
{
	local panic name

	panic=$(</proc/sys/kernel/panic_on_warn)
	echo 1 >/proc/sys/kernel/panic_on_warn
	mark_log
	for name in first second; do
		publish misuse=1 "name=$name" && rmmod publisher || return
	done
	echo "$panic" >/proc/sys/kernel/panic_on_warn
	marked_log | sed -n 's/.*vitrine: tree "\(.*\)": a call had invalid arguments.*/\1/p' |
		paste -sd' ' | tee /dev/stderr | grep -qx "first second"
}

check "a driver's mistakes are logged once for each tree, and are no warning" misused_trees

# ---- held -------------------------------------------------------------------

publish mode=batch
exec 5<$tree
check "unloads while its tree is open" rmmod publisher
check "an open file of the tree has its last state" eval 'cat <&5 | vitrine check -'
exec 5<&-

# ---- watched ----------------------------------------------------------------

# holds: the watching command has the tree's file open or mapped
holds()
{
	find "/proc/$(pgrep -f '^vitrine watch')/fd" -lname '*publisher.inspect*' | grep -q .
}

mkfifo /tmp/keys
TERM=xterm LINES=24 COLUMNS=80 script -qefc "vitrine watch -i 0.1" /tmp/screen </tmp/keys &>/tmp/watch.log &
watching=$!
exec 6>/tmp/keys
printf '/publisher\r' >&6
for mode in fast churn batch; do
	check "vitrine watch shows a publisher that comes and goes: $mode" eval \
		'publish "mode=$mode" && until_true holds && rmmod publisher && until_true fails holds'
done
check "vitrine watch has shown a publisher" until_true grep -qa publisher: /tmp/screen
check "nothing that is read is a fault" fails grep -qa "offset 0x" /tmp/screen
echo -n q >&6
wait $watching
check "vitrine watch ends with status 0" within 0 $? 0
exec 6>&-

finish
