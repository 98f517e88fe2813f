#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names of trees and traces on a terminal: format characters, which change the direction
# of writing or have no width, are escaped; wide characters count as wide.

. "$(dirname "$0")/command" || exit
export NO_COLOR=1

# unwritten COMMAND...: what vitrine prints is in out and err, and has none of the characters
# below that must be escaped
unwritten()
{
	"$vitrine" "$@" >out 2>err
	! LC_ALL=C grep -P '\x1b|\xe2\x80[\xae\x8d]|\xd8\x9c|\xc2\xad|\xf3\xa0\x81\x81|\xe2\x80\xa8' out err
}
# ---- trees ----

# Characters to be escaped: U+202E, U+200D, U+061C, U+00AD, U+E0041, U+2028 and U+0378. To be
# printed: U+6F22 and U+5B57, which are wide, and an o with U+0308, which has no width.
mktree tree.inspect <<'JSON'
{"a\u202eb\u200dc": 1, "d\u061ce\u00adfg": 2, "h\udb40\udc41i\u0378j": 3, "k\u2028lmnop": 4,
 "\u6f22\u5b57": 5, "vwxy": 6, "zo\u0308": 7}
JSON
check "show: nothing of it as it is" unwritten show ./tree.inspect
check "show: what is escaped, and what is how wide" same out - <<'OUT'
tree:
  a\u202eb\u200dc     = 1
  d\u061ce\u00adfg    = 2
  h\U000e0041i\u0378j = 3
  k\u2028lmnop        = 4
  vwxy                = 6
  zö                  = 7
  漢字                = 5
OUT
mktree nothing.inspect <<<'{}'
check "diff: nothing of it as it is" unwritten diff tree.inspect nothing.inspect
check "diff: escaped" grep -q 'root:a\\u202eb\\u200dc = 1' out
mktree link.inspect <<<'{"a": {"$link": "b\u001b[31m\u202ec"}, "worker\u001b": 1}'
check "show: the name of an error" unwritten show link.inspect:root:worked
check "show: it is escaped" grep -qF 'nearest name is "worker\x1b"' err
check "show: a link that leads nowhere" unwritten show link.inspect
check "show: the path of an error" unwritten show 'link.inspect:a/*'
cp tree.inspect $'b\e[31mc.inspect'
check "check: the name of a file" unwritten check $'b\e[31mc.inspect' $'nothing\e'
check "check: it is escaped" grep -qF 'b\x1b[31mc.inspect: Inspect' out

# ---- traces ----

# Thread, process, event, category, argument and string have such names.
mktrace >names.fxt <<'END'
put(name(2, 7, b"t\xe2\x80\xaeu\xe2\x80\x8dv", arg(b"process", 6)),
    event(5, 6, 7, b"c\xd8\x9cc", b"e\xe2\x80\xaeu\xe2\x80\x8dv", arg(b"g\xc2\xad", b"x\xe2\x80\xa8yz")),
    record(3, 1 << 16, 0, 0), record(3, 2 << 16, 6, 7), record(8, 1 << 28 | 2 << 36 | 120 << 52, 9))
END
check "print: nothing of it as it is" unwritten print names.fxt
check "print: every record" test "$(wc -l <out)" = 2
check "print: a thread, escaped" grep -q 't\\xe2\\x80\\xaeu\\xe2\\x80\\x8dv:7/6' out
check "print: escaped" grep -q 'e\\xe2\\x80\\xaeu\\xe2\\x80\\x8dv' out
check "latency: nothing of it as it is" unwritten latency names.fxt
check "latency: a thread, with what cannot be shown" grep -q 't?.*u?.*v:7' out
mktrace >left_out.fxt <<'END'
put(event(5, 6, 7, b"vitrine", b"left_out", arg(b"t\x1b[31m", b"x\nvitrine\xe2\x80\xaey")))
END
check "check: what was left out" unwritten check left_out.fxt
check "check: an argument is escaped" grep -qF 't\x1b[31m=x\nvitrine\u202ey' out

# Only what is not UTF-8 is replaced in a copy: here after a word of ASCII, across two, and at the end.
mktrace >bytes.fxt <<'END'
put(name(2, 7, b"12345678\xff9", arg(b"process", 6)),
    event(5, 6, 7, b"\xe9", b"1234567\xc3\xa9x\xc3", arg(b"12345678\x80", b"\xf0\x9f\x92345678")))
END
check "merge: a trace with names that are not UTF-8" "$vitrine" merge bytes.fxt -o mended.fxt
check "they are mended" prints '     0.000000005 [---] instant 12345678?9:7/6 ?:1234567éx? 12345678?="???345678"' \
	"$vitrine" print mended.fxt
check "and the copy has no fault" "$vitrine" check mended.fxt

plan
