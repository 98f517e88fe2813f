# SPDX-License-Identifier: GPL-2.0
# Make a page a string that C can include.
1i static const char page[] =
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n"/
$a ;
