#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Selecting trees and parts of them: selectors, links, list, diff, on a debugfs made of
# files.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# answers STATUS EXPECTED ARGUMENT...: vitrine exits with STATUS and prints EXPECTED
answers()
{
	local said status

	said=$("$vitrine" "${@:3}" 2>&1)
	status=$?
	echo "status $status, wanted $1"
	diff <(echo "$2") <(echo "$said") && [ "$status" = "$1" ]
}

# tree NAME [NUMBER [GENERATION]]: make a tree of nodes "a" and "b" with properties "n" and
# "m". The property "a:b/c" of the root has the value NUMBER.
tree()
{
	python3 "$here/mktree.py" "${3:-2}" <<<'{"a": {"n": 2, "m": 3}, "b": {"n": 4}, "a:b/c": '"${2:-1}}" >new &&
		mv new "$1"
}

# histogram NAME COUNT...: make a tree with a linear histogram of floor 0 and step size 10
histogram()
{
	python3 "$here/mktree.py" >"$1" <<<"{\"h\": {\"\$linear\": [0, 10$(printf ', %d' "${@:2}")]}}"
}

mkdir -p "$dir/debugfs/vitrine/inspect/retained"
inspect=debugfs/vitrine/inspect
tree $inspect/cpu2.inspect
tree $inspect/cpu10.inspect 5
tree $inspect/retained/gone.inspect
tree saved.inspect
tree 'a*:b.inspect'
for name in v1-links v1-links-leaf; do
	"$words" "$golden/inspect/$name.words" >$name.inspect
done
export VITRINE_DEBUGFS=$dir/debugfs
export NO_COLOR=1

# Selectors
check "a node and all below it" answers 0 "cpu2:
  a:
    m = 3
    n = 2" show cpu2:root/a
check "the root may be left out" answers 0 "cpu2:
  a:
    m = 3
    n = 2" show cpu2:a
check "one property" answers 0 '{
  "root": {
    "a": {
      "n": 2
    }
  }
}' show --json cpu2:root/a:n
check "a property of the root" answers 0 "cpu2:
  a:b/c = 1" show 'cpu2:root:a\:b\/c'
check "a * in a node, a property that not all have" answers 0 "cpu2:
  a:
    m = 3" show 'cpu2:*:m'
check "a * in the tree's name, in natural order" answers 0 "cpu2:
  b:
    n = 4
cpu10:
  b:
    n = 4" show 'cpu*:b'
check "trees of a * come by name, also in JSON" answers 0 '{
  "cpu2": {
    "root": {
      "b": {
        "n": 4
      }
    }
  }
}' show --json 'cpu*2:b'
check "several selectors for one tree" answers 0 "cpu2:
  a:
    m = 3
  b:
    n = 4" show cpu2:a:m cpu2:b
check "all trees, retained ones last" answers 0 "cpu2:
  a:b/c = 1
cpu10:
  a:b/c = 5
retained/gone:
  a:b/c = 1" show '*:root:*'
check "a retained tree by its name" answers 0 "retained/gone:
  b:
    n = 4" show retained/gone:b
check "a tree that is only retained" answers 0 "retained/gone:
  b:
    n = 4" show gone:b
check "a * for retained trees" answers 0 "retained/gone:
  b:
    n = 4" show 'retained/*:b'
check "a file" answers 0 "saved:
  b:
    n = 4" show ./saved.inspect:b
check "a * in a file's name" answers 0 "saved:
  b:
    n = 4" show './sa*.inspect:b'
check "a file whose name looks like a selector" answers 0 "a*:b:
  a:b/c = 1
  a:
    m = 3
    n = 2
  b:
    n = 4" show './a*:b.inspect'
check "the same, escaped, with a selector" answers 0 "a*:b:
  b:
    n = 4" show './a\*\:b.inspect:b'

# Invalid selectors, and selectors that match nothing
check "no selector: the column" answers 2 \
	"vitrine: cpu2:a//b: column 8: a node name is missing; write \\/ for a slash in a name" \
	show cpu2:a//b
check "nothing selected" answers 1 \
	"vitrine: cpu2:c: node \"root\" of tree \"cpu2\" has no node or property \"c\"; it has 2 nodes and 1 property; the nearest name is \"a\"" \
	show cpu2:c
check "one of two selects nothing: the other is shown" answers 1 \
	"vitrine: cpu2:c: node \"root\" of tree \"cpu2\" has no node or property \"c\"; it has 2 nodes and 1 property; the nearest name is \"a\"
cpu2:
  b:
    n = 4" show cpu2:c cpu2:b
check "no tree of the name" answers 1 \
	"vitrine: gpu*:a: no tree or file has this name; there are 3 trees; the nearest name is \"cpu2\"" \
	show 'gpu*:a'
check "a * in a directory" answers 2 \
	"vitrine: ./*/x:a: * is allowed in the last part of a path only" \
	show './*/x:a'

# Links
check "a selector goes through a link" answers 0 "v1-links:
  kid:
    kid:
      root = -1" show './v1-links.inspect:kid/kid:root'
check "an inline link has what its parent has" answers 0 "v1-links:
  gone = -> gone.inspect: there is no such tree
  gone = 5" show './v1-links.inspect:root:gone'
unread()
{
	printf INSP >gone.inspect
	answers "$@"
	local status=$?

	rm gone.inspect
	return "$status"
}
check "a link to what cannot be read: reported, the rest shown" unread 1 \
	"vitrine: ./gone.inspect: offset 0x4: the file ends within its header
v1-links:
  gone = -> gone.inspect: the file ends within its header
  gone = 5" show './v1-links.inspect:root:gone'
check "a link that nobody asks for is not followed" unread 0 "v1-links:
  out = -> ../v2-tree.inspect (inline): the link names no tree" \
	show './v1-links.inspect:root:out'
fifo()
{
	mkfifo gone.inspect
	timeout 60 "$vitrine" show './v1-links.inspect:gone' >fifo.out 2>&1
	local status=$?

	rm gone.inspect
	cat fifo.out
	[ "$status" = 0 ] && grep -q 'gone = -> gone.inspect: not a regular file' fifo.out
}
check "a link to a FIFO does not hang" fifo
# Chain of links named "next": t1 -> t2 ... -> t20
chain()
{
	local i

	for ((i = 1; i <= 20; i++)); do
		python3 "$here/mktree.py" <<<"{\"next\": {\"\$link\": \"t$((i + 1)).inspect\"}}" >"t$i.inspect"
	done
	"$vitrine" show --json t1.inspect |
		jq -c '[paths(. == "more than 16 links one behind the other")]' |
		tee chain.out
	[ "$(jq '.[0] | length' chain.out)" = 19 ]
}
check "no more than 16 links one behind the other" chain
# 1025 links to a missing tree
many()
{
	python3 -c 'import json
print(json.dumps({"$children": [["gone", {"$link": "gone.inspect"}]] * 1025}))' |
		python3 "$here/mktree.py" >many.inspect
	"$vitrine" show many.inspect >many.out
	grep -c 'there is no such tree' many.out
	[ "$(grep -c 'there is no such tree' many.out)" = 1024 ] &&
		[ "$(grep -c 'more than 1024 links' many.out)" = 1 ]
}
check "no more than 1024 links" many

# Histograms and arrays on a terminal
histogram h.inspect 0 1 0 3 0 8
on_terminal()
{
	script -qec "stty cols $1; env TERM=xterm LC_ALL=$2 '$vitrine' show $3" \
		/dev/null </dev/null | tr -d '\r' >terminal.out
	cat terminal.out
	diff <(echo "$4") terminal.out
}
check "histogram in a pipe" answers 0 'h:
  h = linear histogram, count 12, p50 >= 40, p90 >= 40, p99 >= 40
      [0, 10)     1 ####
      ...
      [20, 30)    3 ############
      ...
      [40, +inf)  8 ################################' show h.inspect
check "histogram on a terminal: as wide as that" on_terminal 36 C h.inspect 'h:
  h = linear histogram, count 12, p50 >= 40, p90 >= 40, p99 >= 40
      [0, 10)     1 ##
      ...
      [20, 30)    3 ######
      ...
      [40, +inf)  8 ################'
check "histogram on a UTF-8 terminal: eighths" on_terminal 36 C.UTF-8 h.inspect 'h:
  h = linear histogram, count 12, p50 >= 40, p90 >= 40, p99 >= 40
      [0, 10)     1 ██
      ...
      [20, 30)    3 ██████
      ...
      [40, +inf)  8 ████████████████'
"$words" "$golden/inspect/v1-values.words" >values.inspect
check "arrays wrap on a terminal" bash -c "script -qec \"stty cols 60; env TERM=xterm \
	'$vitrine' show values.inspect\" /dev/null </dev/null | tr -d '\r' |
	grep -qxF '             5e-324, 1.7976931348623157e+308, nan, -inf]'"

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
python3 "$here/mktree.py" <<<'{"trees": {"cpu2": {}, "vitrine": {}}}' >$inspect/vitrine.inspect
tree $inspect/cpu10.inspect 5 -2
check "list: a lazy tree is not opened" answers 0 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu2   live            208        208        3          4            2
cpu10  lazy              -          -        -          -            -" list 'cpu*'
check "list --all: a lazy tree is opened" answers 0 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu10  lazy            208        208        3          4       frozen" \
	list --all cpu10
: >$inspect/cpu3.inspect
check "list: one that cannot be read" answers 1 \
"NAME   KIND           SIZE       USED    NODES PROPERTIES   GENERATION
cpu2   live            208        208        3          4            2
cpu3   lazy              -          -        -          -            -
vitrine: $dir/debugfs/vitrine/inspect/cpu3.inspect: offset 0x0: the file is empty
cpu10  lazy            208        208        3          4       frozen" \
	list --all 'cpu*'
check "show: one that cannot be read" answers 1 \
"vitrine: $dir/debugfs/vitrine/inspect/cpu3.inspect: offset 0x0: the file is empty
cpu2:
  b:
    n = 4
cpu10:
  b:
    n = 4" show 'cpu*:b'
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
check "diff: only in one" answers 1 '--- cpu2:a
+++ h.inspect
- root/a:m = 3
- root/a:n = 2
+ root:h = linear histogram, count 12, p50 >= 40, p90 >= 40, p99 >= 40
    [0, 10)     1 ####
    ...
    [20, 30)    3 ############
    ...
    [40, +inf)  8 ################################' diff cpu2:a h.inspect
json_diff()
{
	"$vitrine" diff --json "$@" | tee json.out
	[ "${PIPESTATUS[0]}" = 1 ] && jq -c "$filter" json.out >json.got &&
		diff <(echo "$expected") json.got
}
filter='.differences | map(del(.old, .new))'
expected='[{"path":["root","h"],"difference":[0,0,2,0,0,-2]}]'
check "diff --json: buckets" json_diff h.inspect h2.inspect
filter='.differences[]'
expected='{"path":["root","a:b/c"],"old":1,"new":7,"difference":6}'
check "diff --json: a number" json_diff saved.inspect changed.inspect
filter='.differences'
expected='[{"path":["m"],"old":3},{"path":["n"],"old":2,"new":4,"difference":2}]'
check "diff --json: paths are those of show" json_diff cpu2:a cpu2:b
tree largest.inspect 18446744073709551615
tree zero.inspect 0
check "diff: 65 bits" answers 1 '--- largest.inspect
+++ zero.inspect
~ root:a\:b\/c = 18446744073709551615 -> 0 (-18446744073709551615)' \
	diff largest.inspect zero.inspect
check "diff: one tree only" answers 2 \
	"vitrine: cpu*: matches more than one tree; name one of them" \
	diff 'cpu*' cpu2
check "diff: two are needed" bash -c "'$vitrine' diff cpu2; [ \$? = 2 ]"
: >empty
check "diff: bad input is no difference" answers 3 \
	"vitrine: ./empty: offset 0x0: the file is empty" diff ./empty cpu2

# Live: frozen trees and link targets are opened again for each update
live()
{
	: >live.out
	"$vitrine" show --live --json "$1" >live.out 2>live.err &
	until_lines 1 live.out
	tree "$2" 6 "$3"
	until_lines 2 live.out
	kill -INT $!
	wait $!
	cat live.err live.out
	[ "$(wc -l <live.out)" = 2 ] && grep -qF '"a:b/c":6' live.out
}
tree $inspect/lazy.inspect 5 -2
check "live: a frozen tree" live lazy $inspect/lazy.inspect -2
tree gone.inspect 5
check "live: a linked tree" live './v1-links.inspect:gone' gone.inspect 2

plan
