# SPDX-License-Identifier: GPL-2.0
# Make timeline.html a string that C can include.
1i static const char timeline_page[] =
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n"/
$a ;
