#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line interface: arguments, exit codes, errors, live output.

. "$(dirname "$0")/command" || exit

mkdir -p vitrine/inspect empty
golden_tree v2-tree vitrine/inspect/cpu10.inspect
golden_tree v1-tree vitrine/inspect/cpu9.inspect
golden_tree v2-header-only vitrine/inspect/empty.inspect
cp vitrine/inspect/cpu9.inspect saved
printf '\x10\x00\x04\x46\x78\x54\x16\x00' >trace.fxt
: >nothing
printf 'INSP' >short
unset NO_COLOR

# Arguments
check "no command: usage" refuses 2 Usage: "$vitrine"
check "unknown command" refuses 2 "no command nonsense" "$vitrine" nonsense
check "--version" output_has "vitrine " "$vitrine" --version
check "help names the commands" output_has "  check " "$vitrine" help
check "help COMMAND" output_has "Usage: vitrine show" "$vitrine" help show
check "show --help" output_has "--json" "$vitrine" show --help
check "unknown option" refuses 2 "unrecognized option" "$vitrine" show --nonsense
check "check without a file" refuses 2 "no FILE given" "$vitrine" check

# Files of unknown formats
while IFS='|' read -r what status message command; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "$what" exits "$status" "$message" $command
done <<END
file that does not exist|3|vitrine: ./absent: cannot open: No such file or directory|show ./absent
empty file|1|offset 0x0: the file is empty|show ./nothing
file shorter than a header|1|ends within its header|show ./short
trace: print is the command for it|1|.vitrine print'|show trace.fxt
foreign file|1|no magic number "INSP"|show $here/cli.sh
directory|3|Is a directory|show ./empty
END
check "nothing on standard output with an error" same /dev/null <("$vitrine" show --json ./nothing 2>/dev/null)

# Selection of trees
check "a tree by its name" json '{"root":{}}' . show --json empty
check "a tree goes before a file of its name" prints "empty:" \
	"$vitrine" show empty
check "a file without a slash" output_has "ready = false" "$vitrine" show saved
check "all trees, in natural order" filtered $'cpu9:\ncpu10:\nempty:' "grep -v '^ '" show
check "all trees as one object" json '["cpu10","cpu9","empty"]' keys show --json
mkdir x
cp saved a.inspect
cp saved x/a.inspect
check "two trees of one name" json '["a","a\\#2"]' keys show --json a.inspect x/a.inspect
check "one tree of two fails: status" exits 3 "absent: cannot open" show --json saved ./absent
check "one tree of two fails: still an object" json '["saved"]' keys show --json saved ./absent
for tree in "" absent; do
	check "module not loaded${tree:+, tree by name}" refuses 3 'insmod vitrine.ko' \
		env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show $tree
done
mkdir -p empty/vitrine/inspect
check "no tree at all" prints '{}' env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show --json

# deep NODES FILE: make a tree of so many nodes, each below the one before
deep()
{
	local i

	printf '%s\n' '8..15=2 16..31=1 32..63="INSP"' 0 '8..15=9 16..27=4' '"root"' '8..15=3 40..63=1' 0 >deep.words
	for ((i = 2; i < $1 + 1; i++)); do
		printf '%s\n' "8..15=3 16..39=$i 40..63=1" 0
	done >>deep.words
	"$words" deep.words >"$2"
}
deep 1024 deep-enough
deep 1025 too-deep
check "1024 levels" output_has root "$vitrine" show --json deep-enough
check "1025 levels" refuses 1 "offset 0x4020: the tree is more than 1024 levels deep" \
	"$vitrine" show too-deep
check "1025 levels are no fault" output_has "no fault" "$vitrine" check too-deep

# Permissions, if the test runs as root and can give up its privileges
unprivileged()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups env \
		ASAN_OPTIONS=detect_leaks=0 "$@"
}
chmod 755 "$dir"
if [ "$(id -u)" = 0 ] && unprivileged "$vitrine" --version >/dev/null 2>&1; then
	chmod 600 saved
	chmod 700 vitrine
	for tree in ./saved "" system; do
		check "no permission for ${tree:-the trees}" refuses 3 "run as root" \
			unprivileged "$vitrine" show $tree
	done
	chmod 755 vitrine
	chmod 644 saved
else
	check "no permission # SKIP cannot drop privileges here" true
fi

# Output
check "full disk" refuses 3 "cannot write output: No space left on device" \
	bash -c "'$vitrine' show saved >/dev/full"
check "colours on a terminal" grep -q $'\e' <(on_terminal 80 "" show saved)
check "no colours with NO_COLOR" fails grep -q $'\e' <(on_terminal 80 NO_COLOR=1 show saved)
check "no colours on a dumb terminal" fails grep -q $'\e' <(on_terminal 80 TERM=dumb show saved)
check "no colours in a pipe" fails has $'\e' show saved

# The flight recorder, with a trace that needs more than one read
mkdir vitrine/trace
head -c 2500000 /dev/urandom >vitrine/trace/trace.fxt
check "snapshot" output_has "now.fxt: 2500000 bytes" "$vitrine" snapshot -o now.fxt
check "snapshot copies every byte" cmp vitrine/trace/trace.fxt now.fxt
check "snapshot: without a name" "$vitrine" snapshot
check "snapshot: a name with the time" cmp vitrine/trace/trace.fxt vitrine-????????-??????.fxt
rm vitrine/trace/trace.fxt
check "snapshot without a flight recorder" exits 3 "trace/trace.fxt: No such file" snapshot -o none.fxt

# Live: print a line for the initial state and one for each change; stop on SIGINT
live()
{
	golden_tree v1-tree live.inspect
	"$vitrine" show --live --json ./live.inspect >live.out 2>live.err &
	until_lines 1 live.out
	golden_tree v2-header-only new && mv new live.inspect
	until_lines 2 live.out
	kill -INT $!
	wait $!
	echo "status $?" >>live.err
	prints $'status 0\n{"root":{}}' tail -qn +1 live.err <(tail -n +2 live.out)
}
check "live: one line for each generation" live
check "live: ends when nobody reads" timeout 60 \
	bash -c "set -o pipefail; '$vitrine' show --live ./live.inspect | head -n 1;
		 [ \${PIPESTATUS[0]} -lt 124 ]"

plan
