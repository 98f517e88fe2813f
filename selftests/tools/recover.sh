#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine recover' with dumps in each format; qemu/recover.sh tests dumps of machines.

. "$(dirname "$0")/command" || exit

# recover FORMAT [OPTION]...: recover trace and trees from FORMAT.dump
recover()
{
	rm -rf "$dir/trees" "$dir/last.fxt"
	mkdir "$dir/trees"
	command_into_files recover -o last.fxt -d trees "$1.dump"
}

# dump FORMAT TREE >DUMP: the lengths of the two sub-buffers of the golden trace are in bytes
dump()
{
	python3 "$here/mkdump.py" "$1" vitrine.fxt:416,448 "$2"
}

traces vitrine
head -c 864 vitrine.fxt >wanted.fxt
golden_tree v2-tree tree.inspect

formats=(raw elf many)
if [ -x "$(dirname "$vitrine")/read-kdump" ]; then
	formats+=(kdump)
else
	echo "# kdump is not tested: libkdumpfile-dev is not here"
fi
for format in "${formats[@]}"; do
	dump "$format" tree.inspect >"$format.dump"
	recover "$format"
	check "$format" ended 0 "last.fxt: 2 sub-buffers of session [0-9]+, 864 bytes, 2 trees$"
	check "$format: the trace is as it was" cmp wanted.fxt last.fxt
	check "$format: a tree" cmp tree.inspect trees/first.inspect
	check "$format: the other tree" cmp tree.inspect trees/second.inspect
done

# If a tree cannot be written, the other tree and the trace are still saved.
rm -rf trees last.fxt
mkdir -p trees/first.inspect
command_into_files recover -o last.fxt -d trees raw.dump
check "a tree that cannot be written" ended 3 "trees/first.inspect: cannot write: Is a directory" \
	", 1 trees, 1 trees not written$"
check "the other tree is written" cmp tree.inspect trees/second.inspect
check "the trace is written although a tree is not" cmp wanted.fxt last.fxt

# Twenty times the same memory, with forty trees of a page, and a disk that is full.
python3 -c 'import sys
tree = sys.stdin.buffer.read()
sys.stdout.buffer.write((tree[:16] + (4096).to_bytes(4, "little") + tree[20:]).ljust(4096, b"\0"))' \
	<tree.inspect >page.inspect
dump raw page.inspect >page.dump
for _ in {1..20}; do
	cat page.dump
done >full.dump
rm -rf trees
mkdir trees
full_disk()
{
	ulimit -n 24
	limited 0 "$vitrine" recover -o last.fxt -d trees full.dump 2>&1
}
check "disk full: each tree is tried" test "$(full_disk | grep -c '^vitrine: trees/.* File too large$')" = 40

# ---- as JSON ----

# found EXPECTED FILTER: jq makes EXPECTED of the JSON of recover
found()
{
	prints "$1" jq -c "$2" out
}

rm -rf trees last.fxt
mkdir -p trees/first.inspect
check "JSON: the errors are told, and nothing else" exits 3 "trees/first.inspect: cannot write" recover --json -o last.fxt -d trees raw.dump
check "JSON: what was found" found \
	'{"dump":"raw.dump","trace":"last.fxt","subbufs":2,"size_bytes":864,"lost_records":0,"damaged_subbufs":0,"trees":1,"incomplete_trees":0,"unwritten_trees":1}' \
	'del(.session)'
check "JSON: the session is the trace's" has "session $(jq .session out)," recover -o again.fxt raw.dump
command_into_files recover --json -o again.fxt raw.dump
check "JSON: no trees without a directory" found false 'has("trees")'
head -c 4096 /dev/zero >zero.dump
check "JSON: no trace" exits 1 "zero.dump: no trace found" recover --json -o none.fxt -d trees zero.dump
check "JSON: the error says that no trace was found" found '["no trace found",false,0]' '[.error, has("trace"), .trees]'

# Headers with an impossible number of segments, or an impossible offset of the segments.
python3 - <<'PYTHON'
dump = bytearray(open("many.dump", "rb").read())
dump[40:48] = bytes([255] * 8)
open("far.dump", "wb").write(dump)
dump = bytearray(open("many.dump", "rb").read())
dump[64 + 44:64 + 48] = bytes([255] * 4)
open("more.dump", "wb").write(dump)
PYTHON
for format in far more; do
	recover $format
	check "$format: no such section, or not so many segments" \
		test "$(cat status)" -le 1
done

if [ -e kdump.dump ]; then
	head -c 17000 kdump.dump >cut.dump
	recover cut
	check "kdump: cut short" ended 1 "^vitrine: cut.dump: "
	check "kdump: then there is no trace" test ! -e last.fxt
	cp "$vitrine" alone
	vitrine=$dir/alone recover kdump
	check "kdump: without the program that reads it" ended 3 \
		"a compressed dump needs the program .*/read-kdump; install the package vitrine-tools"
fi

plan
