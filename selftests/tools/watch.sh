#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine watch' in a real terminal, that of tmux: the contents of the screen, the effect
# of keys, trees that are created and destroyed, and that the terminal is restored.

. "$(dirname "$0")/screen"

# highlighted PATTERN: text that matches PATTERN is bold on the screen
highlighted()
{
	tmux capture-pane -pe | grep -qE $'\e\\[[0-9;]*1[;m].*'"$1"
}

# tree NAME <JSON: replace the published tree NAME
tree()
{
	mktree "vitrine/inspect/$1.inspect" -2
}

started()
{
	run watch -i 0.1 && until_true screen_has '^NAME'
}

mkdir -p vitrine/inspect
tree one <<<'{"cpus": {"0": {"user_ns": 10, "idle": true}, "1": {"user_ns": 30}}, "name": "a\u001b[2Jb"}'
tree two <<<'{"big": 20}'
start_tmux

# ---- not a terminal ----

check "no terminal: an error" needs_terminal watch "show --live"
run watch -i 0
check "an interval that is none" ended 2
run watch absent
check "an unknown tree is an error" ended 1
check "the error names the unknown tree" grep -q 'absent: no tree or file has this name' err

# ---- the screen ----

check "vitrine watch starts" started
check "all properties of all trees" shows '^2 trees, 5 of 5 rows, every 0.1 s, by name'
check "a row" shows '^one:cpus/1:user_ns +30'
check "escape sequences in values are not sent to the terminal" shows 'a\?\[2Jb'
check "a help line" shows '^q quit .* filter'

# ---- changes and rates: values grow until the screen shows it ----

# growing STEP0 STEP1 COMMAND...: let the numbers of the CPUs grow until COMMAND succeeds
growing()
{
	local i

	for ((i = 1; i <= 1200; i++)); do
		tree one <<<'{"cpus": {"0": {"user_ns": '$((10 + i * $1))'}, "1": {"user_ns": '$((30 + i * $2))'}}}'
		"${@:3}" && return
		sleep 0.05
	done
	return 1
}

has_rate()
{
	screen_has '^one:cpus/1:user_ns .*\+[0-9.]+/s$' && highlighted 'one:cpus/1:user_ns'
}

is_plain()
{
	! highlighted one:cpus/1
}
check "a number that changes is highlighted and has a rate" growing 0 1 has_rate
check "a number that does not change is not highlighted and has no rate" shows '^one:cpus/0:user_ns +10$'
check "a number that stops changing is no longer highlighted" until_true is_plain

# ---- order ----

tree one <<<'{"cpus": {"0": {"user_ns": 10}, "1": {"user_ns": 30}}}'
check "rows by name" until_true ordered one:cpus/0 one:cpus/1 two:big
keys v
check "rows by value" until_true ordered one:cpus/1 two:big one:cpus/0
keys r
by_rate()
{
	ordered one:cpus/0 one:cpus/1 two:big && screen_has 'by rate'
}
check "rows by rate" growing 10 0 by_rate
keys n
check "rows by name again" shows 'by name'

# ---- filter ----

keys / C P U S
check "typed text filters the rows and ignores case" hides '^two:big'
check "the filter is shown" shows '^Filter: CPUS_'
keys BSpace BSpace BSpace BSpace t w o Enter
check "backspace, enter" shows '^2 trees, 1 of 3 rows, every 0.1 s, by name, with two'
keys / Escape
check "escape: all" shows '^2 trees, 3 of 3 rows'

# ---- trees that are created, destroyed or unreadable ----

tree three <<<'{"late": 1}'
check "a tree comes" shows '^three:late +1'
rm vitrine/inspect/three.inspect
check "a tree goes" hides '^three:late'
echo nonsense >vitrine/inspect/broken.inspect
check "a tree that cannot be read is shown as such" shows '^/.*broken.inspect: .*ends within'
check "the other trees are still shown" shows '^two:big'
rm vitrine/inspect/broken.inspect
check "a broken tree that is removed is no longer shown" hides 'broken'

# ---- scrolling and size ----

tree two <<<"{$(printf '"p%03d": 1, ' {0..98}) \"p099\": 1}"
check "more rows than fit" shows '^two:p010'
check "the end is not there" hides '^two:p099'
keys End
check "End" shows '^two:p099'
keys Home
check "Home" shows '^one:cpus/0'
keys NPage
check "Page Down" hides '^one:cpus/0'
keys PPage
check "Page Up" shows '^one:cpus/0'
keys Down
check "Down" hides '^one:cpus/0'
keys Up
check "Up" shows '^one:cpus/0'
tmux resize-window -t w -x 60 -y 40
check "a larger window shows more" shows '^two:p034'
last_line()
{
	tmux capture-pane -p | sed -n 40p | grep '^q quit'
}
check "the help line is at the end of the screen" until_true last_line
tmux resize-window -t w -x 10 -y 2
check "two lines: the help line is shown" shows '^q quit'
tmux resize-window -t w -x 100 -y 24
check "24 lines again: the first row is shown" shows '^one:cpus/0:user_ns'

# ---- the end ----

keys q
check "q: ends, and the terminal is as it was" ended 0
started
keys C-c
check "^C" ended 0
for signal in TERM HUP; do
	started
	pid=$(pgrep -P "$(tmux display-message -p -t w '#{pane_pid}')" vitrine)
	kill -"$signal" "$pid"
	check "SIG$signal" ended 0
done
run watch "two:p001"
check "a selector" shows '^1 tree, 1 of 1 rows, every 1 s'
keys q
check "vitrine watch ends" ended 0
tmux respawn-window -k -t w "TERM=nonsense ASAN_OPTIONS=detect_leaks=0 '$vitrine' watch 2>'$dir/err'; status=\$?; cp '$dir/before' '$dir/after'; echo \$status >'$dir/status'; cat"
# Leaks are not checked here: curses does not free its memory after this error.
check "an unknown terminal type" ended 3
check "an unknown terminal type: the error tells to set TERM" grep -q 'set TERM' err

plan
