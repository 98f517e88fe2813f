#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A publisher in another module: its tree comes, changes in every way there is,
# fills up, and goes, while somebody reads, maps or holds it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

tree="$INSPECT/publisher.inspect"

publish()
{
	insmod "$VITRINE_PUBLISHER_KO" "$@"
}

# sound: copies of the tree, taken while it changes, are accounted for to the byte
sound()
{
	local i

	for ((i = 0; i < 8; i++)); do
		cp "$tree" /tmp/copy.inspect || return
		vitrine check /tmp/copy.inspect || return
		vitrine show --json publisher >/tmp/copy.json || return
		jq -e .root.state /tmp/copy.json || return
	done
}

check "a publisher needs the module" fails publish
load enable=0
for mode in idle fast batch churn timer; do
	publish mode=$mode
	check "mode $mode: sound" sound
	check "mode $mode: in the module's own tree" \
		test "$(value vitrine .root.trees.publisher.failed)" = 0
	check "mode $mode: the module is held" fails rmmod vitrine
	check "mode $mode: unloads" rmmod publisher
	check "mode $mode: the file is gone" test ! -e "$tree"
	check "mode $mode: and no longer in the module's own tree" \
		test "$(value vitrine .root.trees.publisher)" = null
done

# ---- full -------------------------------------------------------------------

publish mode=fast limit=8192 nodes=2000
check "a full tree is sound" sound
check "its publisher goes on" grep -q '^publisher ' /proc/modules
check "what did not fit is counted" test "$(value vitrine .root.trees.publisher.failed)" -gt 1000
check "it kept to its limit" test "$(value vitrine .root.trees.publisher.size_bytes)" = 8192
rmmod publisher

publish nodes=20000 limit=4194304
check "a large tree is sound" vitrine check "$tree"
check "and complete" test "$(value publisher '.root | [.. | .value? | select(. != null)] | length')" -gt 1
rmmod publisher

# ---- refused ----------------------------------------------------------------

# refused_tree NAME: no tree, a line in the log, and the publisher lives without
refused_tree()
{
	dmesg -C
	publish mode=fast "name=$1" || return
	rmmod publisher
	dmesg
	dmesg | grep -q "vitrine: tree .* not made"
}

check "name of a tree that exists" refused_tree system
check "name with a slash" refused_tree a/b
check "name too long" refused_tree "$(printf 'x%.0s' {1..64})"
check "no name" refused_tree ""
check "the trees are as before" vitrine check "$INSPECT/system.inspect"
check "the longest name" publish mode=idle name="$(printf 'x%.0s' {1..63})"
check "has its file" test -e "$INSPECT/$(printf 'x%.0s' {1..63}).inspect"
rmmod publisher

# ---- held -------------------------------------------------------------------

publish mode=batch
exec 5<$tree
check "unloads while its tree is open" rmmod publisher
check "who has it open reads the last state" sh -c 'cat <&5 >/tmp/last.inspect'
check "which is sound" vitrine check /tmp/last.inspect
exec 5<&-

come_and_go()
{
	local i

	for ((i = 0; i < 10; i++)); do
		publish mode=churn || return
		vitrine show publisher >/dev/null || return
		rmmod publisher || return
	done
}

check "comes and goes" come_and_go

finish
