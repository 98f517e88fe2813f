#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line interface: arguments, exit codes, errors, live output.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

# quiet COMMAND...: COMMAND succeeds and prints nothing on standard output
quiet()
{
	local said

	said=$("$@" 2>/dev/null)
	[ -z "$said" ]
}

mkdir -p "$dir/debugfs/vitrine/inspect" "$dir/empty"
inspect=debugfs/vitrine/inspect
"$words" "$golden/inspect/v2-tree.words" >$inspect/cpu10.inspect
"$words" "$golden/inspect/v1-tree.words" >$inspect/cpu9.inspect
"$words" "$golden/inspect/v2-header-only.words" >$inspect/empty.inspect
cp $inspect/cpu9.inspect saved
printf '\x10\x00\x04\x46\x78\x54\x16\x00' >trace.fxt
: >nothing
printf 'INSP' >short
export VITRINE_DEBUGFS=$dir/debugfs
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
check "file that does not exist" refuses 3 \
	"vitrine: ./absent: cannot open: No such file or directory" \
	"$vitrine" show ./absent
check "check of a file that does not exist" refuses 3 "cannot open" \
	"$vitrine" check absent
check "empty file" refuses 1 "offset 0x0: the file is empty" \
	"$vitrine" show ./nothing
check "file shorter than a header" refuses 1 "ends within its header" \
	"$vitrine" show ./short
check "trace: print is the command for it" refuses 1 '`vitrine print'"'" \
	"$vitrine" show trace.fxt
check "foreign file" refuses 1 'no magic number "INSP"' \
	"$vitrine" show "$here/cli.sh"
check "check of a foreign file" refuses 1 "neither an Inspect file nor" \
	"$vitrine" check "$here/cli.sh"
check "directory" refuses 3 "Is a directory" "$vitrine" show ./empty
check "nothing on standard output with an error" quiet "$vitrine" show --json ./nothing

# Selection of trees
check "a tree by its name" prints '{
  "root": {}
}' "$vitrine" show --json empty
check "a tree goes before a file of its name" prints "empty:" \
	"$vitrine" show empty
check "a file without a slash" output_has "ready = false" "$vitrine" show saved
check "all trees, in natural order" prints "cpu9:
cpu10:
empty:" bash -c "'$vitrine' show | grep -v '^ '"
check "all trees as one object" prints '["cpu10","cpu9","empty"]' \
	bash -c "'$vitrine' show --json | jq -c keys"
check "two trees of one name" prints '["a","a\\#2"]' \
	bash -c "mkdir -p x; cp saved a.inspect; cp saved x/a.inspect;
		 '$vitrine' show --json a.inspect x/a.inspect | jq -c keys"
check "one tree of two fails: status" refuses 3 '"saved"' \
	"$vitrine" show --json saved ./absent
check "one tree of two fails: still an object" prints '["saved"]' \
	bash -c "'$vitrine' show --json saved ./absent 2>/dev/null | jq -c keys"
check "no such tree" refuses 1 "vitrine: absent: no tree or file has this name; there are 3 trees" \
	"$vitrine" show absent
check "module not loaded" refuses 3 'insmod vitrine.ko' \
	env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show
check "module not loaded, tree by name" refuses 3 'insmod vitrine.ko' \
	env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show absent
check "no tree at all" prints '{}' bash -c "mkdir -p none/vitrine/inspect;
	VITRINE_DEBUGFS=$dir/none '$vitrine' show --json"

# 64-bit numbers are exact; compare the text, because jq may round them
check "largest number" output_has '"uint": 18446744073709551615' \
	"$vitrine" show --json cpu10

# Deeply nested trees
deep()
{
	local nodes=$1 i

	echo '8..15=2 16..31=1 32..63="INSP"'
	echo 0
	echo '8..15=9 16..27=4'
	echo '"root"'
	echo '8..15=3 40..63=1'
	echo 0
	for ((i = 3; i < nodes + 2; i++)); do
		echo "8..15=3 16..39=$((i - 1)) 40..63=1"
		echo 0
	done
}
deep 1024 >deep.words; "$words" deep.words >deep-enough
deep 1025 >deep.words; "$words" deep.words >too-deep
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
	check "no permission" refuses 3 "run as root" \
		unprivileged "$vitrine" show ./saved
	chmod 700 debugfs
	check "no permission for the trees" refuses 3 "run as root" \
		unprivileged "$vitrine" show
	check "no permission for one tree" refuses 3 "run as root" \
		unprivileged "$vitrine" show system
	chmod 755 debugfs
	chmod 644 saved
else
	for what in file trees tree; do
		check "no permission for $what # SKIP cannot drop privileges here" true
	done
fi

# Output
check "full disk" refuses 3 "cannot write output: No space left on device" \
	bash -c "'$vitrine' show saved >/dev/full"
colours()
{
	local esc=$'\e['

	# shellcheck disable=SC2034 # -e makes script(1) return its status
	grep -qF "$esc" <(script -qec "$*" /dev/null </dev/null)
}
check "colours on a terminal" colours env TERM=xterm "$vitrine" show saved
check "no colours with NO_COLOR" bash -c "! grep -q $'\e' <(script -qec \
	\"env TERM=xterm NO_COLOR=1 '$vitrine' show saved\" /dev/null </dev/null)"
check "no colours on a dumb terminal" bash -c "! grep -q $'\e' <(script -qec \
	\"env TERM=dumb '$vitrine' show saved\" /dev/null </dev/null)"
check "no colours in a pipe" bash -c "! '$vitrine' show saved | grep -q $'\e'"

# The flight recorder, with a trace that needs more than one read
mkdir -p debugfs/vitrine/trace
head -c 2500000 /dev/urandom >debugfs/vitrine/trace/trace.fxt
check "snapshot" output_has "now.fxt: 2500000 bytes" "$vitrine" snapshot -o now.fxt
check "snapshot copies every byte" cmp debugfs/vitrine/trace/trace.fxt now.fxt
named_by_time()
{
	local files

	"$vitrine" snapshot && files=(vitrine-????????-??????.fxt) &&
		cmp debugfs/vitrine/trace/trace.fxt "${files[0]}"
}
check "snapshot: a name with the time" named_by_time
rm debugfs/vitrine/trace/trace.fxt
check "snapshot without a flight recorder" refuses 3 "trace/trace.fxt: No such file" \
	"$vitrine" snapshot -o none.fxt

# Live: print a line for the initial state and one for each change; stop on SIGINT
replace()
{
	"$words" "$1" >new && mv new live.inspect
}
live()
{
	replace "$golden/inspect/v1-tree.words"
	"$vitrine" show --live --json ./live.inspect >live.out 2>live.err &
	until_lines 1 live.out
	replace "$golden/inspect/v2-header-only.words"
	until_lines 2 live.out
	kill -INT $!
	wait $!
	echo "status $?" >>live.err
	cat live.err live.out
	[ "$(cat live.err)" = "status 0" ] && [ "$(wc -l <live.out)" = 2 ] &&
		[ "$(sed -n 2p live.out)" = '{"root":{}}' ]
}
check "live: one line for each generation" live
check "live: ends when nobody reads" timeout 60 \
	bash -c "set -o pipefail; '$vitrine' show --live ./live.inspect | head -n 1;
		 [ \${PIPESTATUS[0]} -lt 124 ]"

plan
