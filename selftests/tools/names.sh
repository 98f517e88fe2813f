#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names of trees and traces on a terminal: format characters, which change the direction
# of writing or have no width, are escaped; wide characters count as wide.
#
#   names.sh VITRINE WORDS DIR

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"
words=$(realpath "$2")
export NO_COLOR=1

# unwritten FILE: FILE has none of the characters below that must be escaped
unwritten()
{
	! LC_ALL=C grep -P '\xe2\x80[\xae\x8d]|\xd8\x9c|\xc2\xad|\xf3\xa0\x81\x81|\xe2\x80\xa8' "$1"
}

cd "$dir" || exit 1
touch err

# ---- trees ----

# Characters to be escaped: U+202E, U+200D, U+061C, U+00AD, U+E0041, U+2028 and U+0378. To be
# printed: U+6F22 and U+5B57, which are wide, and an o with U+0308, which has no width.
"$words" /dev/stdin >tree.inspect <<'WORDS'
	0..3=1 8..15=2 16..31=2 32..63="INSP"
	2
	0..31=416
	0
	8..15=5 40..63=4
	1
	8..15=5 40..63=6
	2
	0..3=1 8..15=9 16..27=9
	"a\xe2\x80\xaeb\xe2\x80\x8dc"
	0
	0..3=1 8..15=9 16..27=8
	"d\xd8\x9ce\xc2\xadfg"
	zero 2
	8..15=5 40..63=10
	3
	8..15=5 40..63=12
	4
	0..3=1 8..15=9 16..27=9
	"h\xf3\xa0\x81\x81i\xcd\xb8j"
	0
	0..3=1 8..15=9 16..27=9
	"k\xe2\x80\xa8lmnop"
	0
	8..15=5 40..63=15
	5
	8..15=9 16..27=6
	"\xe6\xbc\xa2\xe5\xad\x97"
	8..15=9 16..27=4
	"vwxy"
	8..15=5 40..63=18
	7
	8..15=9 16..27=4
	"zo\xcc\x88"
	0..3=0 8..15=5 40..63=16
	6
	0..3=2 8..15=1
	zero 7
	0..3=1 8..15=1
	zero 3
WORDS
"$vitrine" show ./tree.inspect >tree.out 2>err
check "show: what is escaped, and what is how wide" same tree.out - <<'OUT'
tree:
  a\u202eb\u200dc     = 1
  d\u061ce\u00adfg    = 2
  h\U000e0041i\u0378j = 3
  k\u2028lmnop        = 4
  vwxy                = 6
  zö                  = 7
  漢字                = 5
OUT
check "show: nothing of it as it is" unwritten tree.out
"$vitrine" diff tree.inspect <("$words" /dev/stdin <<'WORDS'
	0..3=1 8..15=2 16..31=2 32..63="INSP"
	2
	0..31=32
	0
WORDS
) >diff.out 2>err
check "diff: escaped" grep -q 'root:a\\u202eb\\u200dc = 1' diff.out
check "diff: nothing of it as it is" unwritten diff.out

# ---- traces ----

# Thread, process, event, category, argument and string have such names.
"$words" /dev/stdin >names.fxt <<'WORDS'
	0x0016547846040010
	0x21
	1000000000
# Kernel object: thread 7, name of 9 bytes, argument process = 6
	0..3=7 4..15=7 16..23=2 24..39=0x8009 40..43=1
	7
	"t\xe2\x80\xaeu\xe2\x80\x8dv"
	0..3=8 4..15=3 16..31=0x8007
	"process"
	6
# Instant of thread 6/7: category of 4 bytes, name of 9, argument of 3 and 6
	0..3=4 4..15=10 16..19=0 20..23=1 24..31=0 32..47=0x8004 48..63=0x8009
	5
	6
	7
	"c\xd8\x9cc"
	"e\xe2\x80\xaeu\xe2\x80\x8dv"
	0..3=6 4..15=3 16..31=0x8003 32..47=0x8006
	"g\xc2\xad"
	"x\xe2\x80\xa8yz"
# Thread 1: process 0, thread 0; thread 2: 6/7
	0..3=3 4..15=3 16..23=1
	0
	0
	0..3=3 4..15=3 16..23=2
	6
	7
# Switch on CPU 0: idle out, runnable; 7 in
	0..3=8 4..15=2 16..23=0 24..27=0 28..35=1 36..43=2 44..51=0 52..59=120
	9
WORDS
"$vitrine" print names.fxt >print.out 2>err
check "print: every record" test "$(wc -l <print.out)" = 2
check "print: a thread, escaped" grep -q 't\\xe2\\x80\\xaeu\\xe2\\x80\\x8dv:7/6' print.out
check "print: escaped" grep -q 'e\\xe2\\x80\\xaeu\\xe2\\x80\\x8dv' print.out
check "print: nothing of it as it is" unwritten print.out
"$vitrine" latency names.fxt >latency.out 2>err
check "latency: a thread, with what cannot be shown" grep -q 't?.*u?.*v:7' latency.out
check "latency: nothing of it as it is" unwritten latency.out

plan
