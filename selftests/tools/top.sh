#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine top' in a real terminal, that of tmux: the contents of the screen, the effect of
# keys, and what happens when the trace continues, ends or cannot be read.
# golden/good.traces has what is in the traces.

. "$(dirname "$0")/screen"

# trace NAME: replace the trace of the flight recorder by the trace NAME of mkfxt
trace()
{
	traces "$1" && mv "$1.fxt" vitrine/trace/trace.fxt
}

# started INTERVAL: start `vitrine top' and wait for its screen
started()
{
	run top -i "$1" && until_true screen_has '^THREAD'
}

start_tmux

# ---- no trace, no terminal ----

run top
check "without a trace, top fails" ended 3
check "without a trace, top names the missing file" grep -q '/vitrine/trace/trace.fxt: .*insmod' err
mkdir -p vitrine/trace
trace rush
check "no terminal: an error" needs_terminal top "top --once"

# ---- --once ----

check "--once: all of it as text" filtered "\
2 CPUs busy for 100 %, 1500000 switches/s, 4 threads, last 2.000us, by CPU
CPU 0    100 %  1000000/s  gamma:31/30 for 1.000us; 2 wait: alpha:11/10, be|ta<>&\"':21/20
CPU 1    100 %   500000/s  ?:41/40 for 2.000us
THREAD            STATE            CPU   RUNNING   WAITING    RUNS/s   LONGEST
?:41/40           running            1   100.0 %     0.0 %    500000       0ns
alpha:11/10       preempted          0    50.0 %    50.0 %    500000   1.000us
gamma:31/30       running            0    50.0 %     0.0 %    500000       0ns
be|ta<>&\"':21/20  woken              0     0.0 %    75.0 %         0   1.500us" cat top --once
check "--once: exit status" "$vitrine" top --once
check "--once --json: all of it" json '[1000,3000,0,true]
{"cpu":0,"busy_ns":2000,"switches":2,"state":"running","thread":{"tid":31,"pid":30,"name":"gamma"},"since_ns":2000}
{"cpu":1,"busy_ns":2000,"switches":1,"state":"running","thread":{"tid":41,"pid":40},"since_ns":1000}
{"thread":{"tid":41,"pid":40},"state":"running","since_ns":1000,"cpu":1,"running_ns":2000,"waiting_ns":0,"longest_ns":0,"runs":1}
{"thread":{"tid":11,"pid":10,"name":"alpha"},"state":"preempted","since_ns":2000,"cpu":0,"running_ns":1000,"waiting_ns":1000,"longest_ns":1000,"runs":1}
{"thread":{"tid":31,"pid":30,"name":"gamma"},"state":"running","since_ns":2000,"cpu":0,"running_ns":1000,"waiting_ns":0,"longest_ns":0,"runs":1}
{"thread":{"tid":21,"pid":20,"name":"be|ta<>&\"'"'"'"},"state":"woken","since_ns":1500,"cpu":0,"running_ns":0,"waiting_ns":1500,"longest_ns":1500,"runs":0}' \
	'[.begin_ns, .end_ns, .gaps, .has_wakeups], .cpus[], .threads[]' top --once --json
trace waits
check "--once --json: a CPU that is idle, records lost" json '["idle",false,true]' \
	'[.cpus[0].state, (.cpus[0] | has("thread")), .gaps > 0]' top --once --json
echo nonsense >vitrine/trace/trace.fxt
for json in "" --json; do
	check "--once${json:+ $json}: a trace that cannot be read" refuses 1 "not a Fuchsia trace" \
		"$vitrine" top --once $json
done
trace rush
run top --json
check "--json goes with --once" ended 2
run top -i never
check "an interval that is none" ended 2

# ---- the screen ----

check "top starts" started 100
# has_all_of_once: the screen begins with what --once prints, in wider columns
has_all_of_once()
{
	"$vitrine" top --once | tr -s ' ' >once &&
		diff once <(tmux capture-pane -p | head -n "$(wc -l <once)" | tr -s ' ')
}
check "the screen has CPUs and threads as --once prints them" until_true has_all_of_once
check "the thread that ran longest comes first" until_true ordered '?' alpha gamma be
check "a help line" shows '^q quit '
keys q
check "q: ends, and the terminal is as it was" ended 0

trace waits
check "top starts again" started 100
check "top says when records are lost" shows '^2 CPUs .* by CPU; records lost$'
check "idle" shows '^CPU 0 +[0-9]+ % +[0-9]+/s  idle$'
check "threads by CPU time" until_true ordered be alpha '?' gamma
keys w
check "threads by longest wait" until_true ordered alpha be gamma '?'
check "the longest wait is shown" shows '^alpha:11/10 .* 700ns$'
keys r
check "threads by runs" until_true ordered alpha gamma '?' be
keys c
check "threads by CPU time again" until_true ordered be alpha '?' gamma
tmux resize-window -t w -x 100 -y 6
check "six lines: the first thread is shown" shows '^be.ta'
check "six lines: the second thread is not shown" hides '^alpha'
keys Down
check "Down" shows '^alpha'
keys End
check "End" shows '^gamma'
keys Home
check "Home" shows '^be.ta'
while IFS='|' read -r columns lines what pattern; do
	tmux resize-window -t w -x "$columns" -y "$lines"
	check "$columns columns: $what" shows "$pattern"
done <<'END'
60|24|three numbers|^THREAD +STATE +RUNNING +WAITING +LONGEST$
60|24|three numbers of each thread|^alpha:11/10 +[a-z?]+ +[0-9.]+ % +[0-9.]+ % +[0-9.]+ns$
40|24|the time running|^THREAD +STATE +RUNNING$
40|24|the time running of each thread|^alpha:11/10 +[a-z?]+ +[0-9.]+ %$
24|24|names|^THREAD$
10|2|two lines: the help line is shown|^q quit
24|24|24 lines again: the last thread is shown|^gamma
END
check "24 columns: names of all threads" until_true ordered be alpha "?" gamma
tty=$(tmux display-message -p -t w '#{pane_tty}')
pid=$(pgrep -P "$(tmux display-message -p -t w '#{pane_pid}')")
check "top stops" kill -STOP "$pid"
for size in "10 2" "24 24"; do
	tmux resize-window -t w -x "${size% *}" -y "${size#* }"
	until_true prints "${size#* } ${size% *}" stty -F "$tty" size >/dev/null
done
kill -CONT "$pid"
check "another size for a moment: all threads are still shown" until_true ordered be alpha "?" gamma
tmux resize-window -t w -x 100 -y 24
keys C-c
check "^C" ended 0

trace torn
check "top starts where headers say that records are lost" started 100
check "the first line says that records are lost" shows '^2 CPUs .*; records lost$'
check "no run goes on, and no wait" shows '^gamma:31/30 +[a-z?]+ +0 +0.0 % +0.0 % .* 0ns$'
check "a wait that is known is counted" shows '^beta:21/20 .* 50ns$'
keys q
check "q ends it" ended 0

# ---- time goes on ----

trace rush
started 0.1
check "top with no new records" shows '^2 CPUs busy for 0 %, 0 switches/s, 4 threads, last 0ns'
check "the running thread is still known" shows '^CPU 0 .* gamma:31/30 for 1.000us; 2 wait:'
trace waits
check "new records are counted" shows '^2 CPUs .* idle$|^CPU 0 .* idle$'
trace rush
check "a new session, whose clock is behind" shows '^CPU 0 .* gamma:31/30'
echo nonsense >vitrine/trace/trace.fxt
check "a trace that cannot be read" shows '^/.*trace.fxt: .*not a Fuchsia trace'
trace rush
check "a trace that can be read again is shown" shows '^2 CPUs'
trace vitrine
check "no wakeups: it says so" shows '; no wakeups recorded'
keys q
check "top ends" ended 0

plan
