#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Retained trees: read, mapped and watched after their publisher is gone, within the
# limits, until they are dropped.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

retained="$INSPECT/retained"

publish()
{
	insmod "$VITRINE_MODULES/retained.ko" "$@"
}

# leave PARAM...: load a publisher and unload it
leave()
{
	publish "$@" && rmmod retained
}

# names: print the names of all trees in one line
names()
{
	find "$retained" -name '*.inspect' -printf '%f\n' | sed 's/\.inspect$//' | sort | xargs
}

drop()
{
	echo "$1" >"$retained/drop"
}

# is_last FILE: FILE is a consistent, frozen snapshot
is_last()
{
	vitrine check "$1" || return
	od -An -tx8 -j8 -N8 "$1" | grep -q "^ *fffffffffffffffe$" || return
	vitrine show --json "$1" >/tmp/last.json || return
	jq -e '.root.steps > 0 and .root.twice == 2 * .root.steps' /tmp/last.json
}

# ---- the publisher goes while readers read, map and watch -------------------

load enable=0
publish
check "nothing is retained yet" prints "" names
exec 5<"$INSPECT/retained0.inspect"
"$VITRINE_SELFTESTS/watch_frozen" "$INSPECT/retained0.inspect" >/tmp/watch.log 2>&1 &
watching=$!
(while cp "$INSPECT/retained0.inspect" /tmp/read.inspect && vitrine check /tmp/read.inspect; do :; done) \
	>/tmp/read.log 2>&1 &
reading=$!
check "somebody watches" until_true grep -q watching /tmp/watch.log
check "somebody reads" until_true grep -q "" /tmp/read.log
check "the publisher unloads" rmmod retained
wait $watching
check "a program that polls the tree sees its end" test $? = 0
wait $reading
check "a reader of the dropped tree gets an error" grep -q "No such file" /tmp/read.log
check "no reader saw a fault" fails grep -q "not sound" /tmp/watch.log /tmp/read.log
check "an open file of the tree has its last state" \
	eval 'cat <&5 >/tmp/open.inspect && is_last /tmp/open.inspect'
check "the file of a retained tree is gone" test ! -e "$INSPECT/retained0.inspect"
check "a retained tree is listed with the retained ones" prints "retained0" names
cp "$retained/retained0.inspect" /tmp/retained.inspect
check "a retained tree has its last state" is_last /tmp/retained.inspect
check "a retained tree and an open file of it are the same" cmp /tmp/open.inspect /tmp/retained.inspect
check "the command finds a retained tree by its name" vitrine show retained/retained0
check "a retained tree is listed in the tree \"vitrine\"" \
	test "$(value vitrine .root.retained.retained0.size_bytes)" -ge 4096
check "the module is held" fails rmmod vitrine
exec 5<&-

# ---- the same name again ----------------------------------------------------

publish
check "a tree of that name can be made" test -e "$INSPECT/retained0.inspect"
check "the new tree exists beside the retained one" prints "retained0" names
rmmod retained
check "the retained tree gives way to a newer one of its name" fails cmp -s /tmp/retained.inspect "$retained/retained0.inspect"
check "a retained tree that gave way is counted" prints 1 value vitrine .root.retained_dropped

# ---- dropped on request -----------------------------------------------------

leave name=other trees=3
check "four trees are retained" prints "other0 other1 other2 retained0" names
exec 5<"$retained/other1.inspect"
check "a retained tree is dropped by its name" drop other1
check "a dropped tree is gone" prints "other0 other2 retained0" names
check "an open file of a dropped tree is complete" eval 'cat <&5 | vitrine check -'
exec 5<&-
check "dropping an unknown tree fails" fails drop other1
check "dropping an empty name fails" fails drop ""
check "dropping a name that is too long fails" fails drop "$(printf 'x%.0s' {1..64})"
check "all retained trees are dropped by *" drop "*"
check "no tree is retained after all were dropped" prints "" names
check "* is accepted if no tree is retained" drop "*"
check "trees dropped on request do not count as dropped by a limit" prints 1 value vitrine .root.retained_dropped

# ---- the whole time somebody reads ------------------------------------------

(while [ ! -e /tmp/stop ]; do vitrine show; vitrine check "$retained"/*.inspect; done) >/tmp/storm.log 2>&1 &
storm=$!
check "publishers come and go, and some trees with them" repeat 10 \
	eval 'leave trees=4 && drop retained1'
touch /tmp/stop
wait $storm
check "nobody saw a fault" fails grep "offset" /tmp/storm.log
check "unloading drops what is retained" rmmod vitrine

# ---- bounds -----------------------------------------------------------------

load enable=0 retained_max=4
leave trees=6
check "no more than retained_max, the last" prints "retained2 retained3 retained4 retained5" names
check "the others are counted" prints 2 value vitrine .root.retained_dropped
unload

load enable=0 retained_kb=256
leave trees=3 kb=100
check "no more than retained_kb, the last" prints "retained1 retained2" names
leave name=huge kb=300
check "one that does not fit at all is not kept" prints "retained1 retained2" names
check "a tree that does not fit into retained_kb is counted" prints 2 value vitrine .root.retained_dropped
# Each has one page, and tables for the 3072 that it might have had.
leave name=wide trees=6 limit_kb=12288
check "the tables of a tree count, too" within 1 "$(find "$retained" -name "wide*" | wc -l)" 4
unload

load enable=0 retained_max=0
leave
check "retained_max=0: none" prints "" names

finish
