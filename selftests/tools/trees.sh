#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Selecting trees and parts of them: selectors, links, list, diff, on a debugfs made of
# files.

. "$(dirname "$0")/command" || exit

# answers STATUS EXPECTED ARGUMENT...: vitrine exits with STATUS and prints EXPECTED
answers()
{
	"$vitrine" "${@:3}" >out 2>&1
	local status=$?

	echo "status $status, wanted $1"
	diff -u <(printf %s "${2:+$2$'\n'}") out && [ "$status" = "$1" ]
}

# tree NAME [NUMBER [GENERATION]]: make a tree of nodes "a" and "b" with properties "n" and
# "m". The property "a:b/c" of the root has the value NUMBER.
tree()
{
	mktree "$1" "${3:-2}" <<<'{"a": {"n": 2, "m": 3}, "b": {"n": 4}, "a:b/c": '"${2:-1}}"
}

# histogram NAME COUNT...: make a tree with a linear histogram of floor 0 and step size 10
histogram()
{
	mktree "$1" <<<"{\"h\": {\"\$linear\": [0, 10$(printf ', %d' "${@:2}")]}}"
}

# shows EXPECTED ARGUMENT...: `vitrine show' prints EXPECTED
shows()
{
	answers 0 "$1" show "${@:2}"
}

inspect=vitrine/inspect
mkdir -p $inspect/retained
tree $inspect/cpu2.inspect
tree $inspect/cpu10.inspect 5
tree $inspect/retained/gone.inspect
tree saved.inspect
tree 'a*:b.inspect'
golden_tree v1-links
golden_tree v1-links-leaf
export NO_COLOR=1

# Selectors
a=$'cpu2:\n  a:\n    m = 3\n    n = 2'
b=$'b:\n    n = 4'
check "a node and all below it" shows "$a" cpu2:root/a
check "the root may be left out" shows "$a" cpu2:a
check "one property" answers 0 $'{\n  "root": {\n    "a": {\n      "n": 2\n    }\n  }\n}' \
	show --json cpu2:root/a:n
check "a property of the root" shows $'cpu2:\n  a:b/c = 1' 'cpu2:root:a\:b\/c'
check "a * in a node, a property that not all have" shows $'cpu2:\n  a:\n    m = 3' 'cpu2:*:m'
check "a * in the tree's name, in natural order" shows $'cpu2:\n  '"$b"$'\ncpu10:\n  '"$b" 'cpu*:b'
check "trees of a * come by name, also in JSON" json '{"cpu2":{"root":{"b":{"n":4}}}}' . show --json 'cpu*2:b'
check "several selectors for one tree" shows $'cpu2:\n  a:\n    m = 3\n  '"$b" cpu2:a:m cpu2:b
check "all trees, retained ones last" shows \
	$'cpu2:\n  a:b/c = 1\ncpu10:\n  a:b/c = 5\nretained/gone:\n  a:b/c = 1' '*:root:*'
check "a retained tree by its name" shows $'retained/gone:\n  '"$b" retained/gone:b
check "a tree that is only retained" shows $'retained/gone:\n  '"$b" gone:b
check "a * for retained trees" shows $'retained/gone:\n  '"$b" 'retained/*:b'
check "a file" shows $'saved:\n  '"$b" ./saved.inspect:b
check "a * in a file's name" shows $'saved:\n  '"$b" './sa*.inspect:b'
check "a file whose name looks like a selector" shows \
	$'a*:b:\n  a:b/c = 1\n  a:\n    m = 3\n    n = 2\n  '"$b" './a*:b.inspect'
check "the same, escaped, with a selector" shows $'a*:b:\n  '"$b" './a\*\:b.inspect:b'

# Invalid selectors, and selectors that match nothing
check "no selector: the column" answers 2 \
	"vitrine: cpu2:a//b: column 8: a node name is missing; write \\/ for a slash in a name" \
	show cpu2:a//b
check "one of two selects nothing: the other is shown" answers 1 \
	"vitrine: cpu2:c: node \"root\" of tree \"cpu2\" has no node or property \"c\"; it has 2 nodes and 1 property; the nearest name is \"a\"
cpu2:
  $b" show cpu2:c cpu2:b
check "a * in a directory" refused "\./\*/x:a: \* is allowed in the last part of a path only" show './*/x:a'
# Links
check "a selector goes through a link" shows $'v1-links:\n  kid:\n    kid:\n      root = -1' \
	'./v1-links.inspect:kid/kid:root'
check "an inline link has what its parent has" shows "v1-links:
  gone = -> gone.inspect: there is no such tree
  gone = 5" './v1-links.inspect:root:gone'
printf INSP >gone.inspect
check "a link to what cannot be read: reported, the rest shown" answers 1 \
	"vitrine: ./gone.inspect: offset 0x4: the file ends within its header
v1-links:
  gone = -> gone.inspect: the file ends within its header
  gone = 5" show './v1-links.inspect:root:gone'
check "a link that nobody asks for is not followed" shows "v1-links:
  out = -> ../v2-tree.inspect (inline): the link names no tree" './v1-links.inspect:root:out'
rm gone.inspect
mkfifo gone.inspect
check "a link to a FIFO does not hang" output_has "gone = -> gone.inspect: not a regular file" \
	timeout 60 "$vitrine" show './v1-links.inspect:gone'
rm gone.inspect
# Chain of links named "next": t1 -> t2 ... -> t20
for i in {1..20}; do
	mktree "t$i.inspect" <<<"{\"next\": {\"\$link\": \"t$((i + 1)).inspect\"}}"
done
check "no more than 16 links one behind the other" json 19 \
	'[paths(. == "more than 16 links one behind the other")][0] | length' show --json t1.inspect
# 1025 links to a missing tree
python3 -c 'import json
print(json.dumps({"$children": [["gone", {"$link": "gone.inspect"}]] * 1025}))' | mktree many.inspect
check "no more than 1024 links" filtered $'   1024 there is no such tree\n      1 more than 1024 links' \
	"grep -oE 'there is no such tree|more than 1024 links' | uniq -c" show many.inspect

# Histograms and arrays on a terminal
histogram h.inspect 0 1 0 3 0 8
picture='h:
  h = linear histogram, count 12, p50 >= 40, p90 >= 40, p99 >= 40
      [0, 10)     1 ####
      ...
      [20, 30)    3 ############
      ...
      [40, +inf)  8 ################################'
check "histogram in a pipe" shows "$picture" h.inspect
half=${picture//##/#}
check "histogram on a terminal: as wide as that" prints "$half" \
	on_terminal 36 LC_ALL=C show h.inspect
check "histogram on a UTF-8 terminal: eighths of 17 columns" \
	prints "$(sed 's/ 1 .*/&▏/; s/ 3 .*/&▍/; s/ 8 .*/&█/' <<<"${half//#/█}")" \
	on_terminal 37 LC_ALL=C.UTF-8 show h.inspect
golden_tree v1-values values.inspect
check "arrays wrap on a terminal" \
	grep -qxF '             5e-324, 1.7976931348623157e+308, nan, -inf]' \
	<(on_terminal 60 "" show values.inspect)

# List
check "list: kinds, sizes, nodes" answers 0 \
"NAME           KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu2           live            208        208        3          4            2
cpu10          live            208        208        3          4            2
retained/gone  retained        208        208        3          4            2" list
check "list: a saved tree, as JSON" answers 0 '[
  {
    "name": "saved",
    "kind": "saved",
    "path": "./saved.inspect",
    "version": 1,
    "generation": 2,
    "size_bytes": 208,
    "used_bytes": 208,
    "nodes": 3,
    "properties": 4
  }
]' list --json ./saved.inspect
check "list: no nodes" answers 2 "vitrine: list takes whole trees; leave out the node" \
	list cpu2:a
# The module's own tree lists "cpu2" below "trees", but not cpu10, which is therefore lazy.
mktree $inspect/vitrine.inspect <<<'{"trees": {"cpu2": {}, "vitrine": {}}}'
tree $inspect/cpu10.inspect 5 -2
check "list: a lazy tree is not opened" answers 0 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu2   live            208        208        3          4            2
cpu10  lazy              -          -        -          -            -" list 'cpu*'
check "list --all: a lazy tree is opened" answers 0 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu10  lazy            208        208        3          4       frozen" list --all cpu10
: >$inspect/cpu3.inspect
empty="vitrine: $dir/vitrine/inspect/cpu3.inspect: offset 0x0: the file is empty"
check "list: one that cannot be read" answers 1 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu2   live            208        208        3          4            2
cpu3   lazy              -          -        -          -            -
$empty
cpu10  lazy            208        208        3          4       frozen" list --all 'cpu*'
check "show: one that cannot be read" answers 1 "$empty
cpu2:
  $b
cpu10:
  $b" show 'cpu*:b'
rm $inspect/cpu3.inspect $inspect/vitrine.inspect

# Diff
tree changed.inspect 7
histogram h2.inspect 0 1 2 3 0 6
check "diff: the same" answers 0 "" diff saved.inspect cpu2
check "diff: a number" answers 1 '--- saved.inspect
+++ changed.inspect
~ root:a\:b\/c = 1 -> 7 (+6)' diff saved.inspect changed.inspect
check "diff: downwards, of part of a tree" answers 1 '--- changed.inspect:root:*
+++ saved.inspect:root:*
~ root:a\:b\/c = 7 -> 1 (-6)' diff 'changed.inspect:root:*' 'saved.inspect:root:*'
check "diff: two nodes" answers 1 '--- cpu2:a
+++ cpu2:b
- m = 3
~ n = 2 -> 4 (+2)' diff cpu2:a cpu2:b
check "diff: buckets" answers 1 '--- h.inspect
+++ h2.inspect
~ root:h [10, 20) = 0 -> 2 (+2)
~ root:h [40, +inf) = 8 -> 6 (-2)' diff h.inspect h2.inspect
check "diff: only in one" answers 1 "--- cpu2:a
+++ h.inspect
- root/a:m = 3
- root/a:n = 2
$(sed -n 's/^  h = /+ root:h = /p; s/^      /    /p' <<<"$picture")" diff cpu2:a h.inspect
check "diff --json: the exit status" exits 1 "" diff --json h.inspect h2.inspect
check "diff --json: buckets" json '[{"path":["root","h"],"difference":[0,0,2,0,0,-2]}]' \
	'.differences | map(del(.old, .new))' diff --json h.inspect h2.inspect
check "diff --json: a number" json '{"path":["root","a:b/c"],"old":1,"new":7,"difference":6}' \
	'.differences[]' diff --json saved.inspect changed.inspect
check "diff --json: paths are those of show" json \
	'[{"path":["m"],"old":3},{"path":["n"],"old":2,"new":4,"difference":2}]' \
	.differences diff --json cpu2:a cpu2:b
tree largest.inspect 18446744073709551615
tree zero.inspect 0
check "diff: 65 bits" answers 1 '--- largest.inspect
+++ zero.inspect
~ root:a\:b\/c = 18446744073709551615 -> 0 (-18446744073709551615)' \
	diff largest.inspect zero.inspect
check "diff: one tree only" refused "cpu\*: matches more than one tree; name one of them" diff 'cpu*' cpu2
check "diff: two are needed" refused "" diff cpu2
: >empty
check "diff: bad input is no difference" exits 3 "vitrine: ./empty: offset 0x0: the file is empty" diff ./empty cpu2

# Live: frozen trees and link targets are opened again for each update
live()
{
	"$vitrine" show --live --json "$1" >live.out 2>live.err &
	until_lines 1 live.out
	tree "$2" 6 "$3"
	until_lines 2 live.out
	kill -INT $!
	wait $!
	[ "$(wc -l <live.out)" = 2 ] && grep -qF '"a:b/c":6' live.out
}
tree $inspect/lazy.inspect 5 -2
check "live: a frozen tree" live lazy $inspect/lazy.inspect -2
tree gone.inspect 5
check "live: a linked tree" live './v1-links.inspect:gone' gone.inspect 2

plan
