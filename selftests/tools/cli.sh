#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line interface: arguments, exit codes, errors, live output.
#
#   cli.sh VITRINE WORDS DIR

set -u
vitrine=$(realpath "$1")
words=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../golden/inspect
tests=0
failed=0

# point WHAT COMMAND...: a test point; the output of COMMAND is shown if it fails
point()
{
	local what=$1 log

	shift
	tests=$((tests + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		printf '%s\n' "$log" | sed 's/^/# /'
		failed=1
	fi
}

# says STATUS WORDS COMMAND...: COMMAND exits with STATUS and prints a line with WORDS
says()
{
	local wanted=$1 text=$2 said status

	shift 2
	said=$("$@" 2>&1)
	status=$?
	echo "status $status: $said"
	[ "$status" = "$wanted" ] && grep -qF -- "$text" <<<"$said"
}

# prints EXPECTED COMMAND...: standard output and standard error of COMMAND are EXPECTED
prints()
{
	local expected=$1 said

	shift
	said=$("$@" 2>&1)
	[ "$said" = "$expected" ] || diff <(echo "$expected") <(echo "$said")
}

# quiet COMMAND...: COMMAND succeeds and prints nothing on standard output
quiet()
{
	local said

	said=$("$@" 2>/dev/null)
	[ -z "$said" ]
}

dir=$3/cli
rm -rf "$dir"
mkdir -p "$dir/debugfs/vitrine/inspect" "$dir/empty"
cd "$dir" || exit 1
inspect=debugfs/vitrine/inspect
"$words" "$golden/v2-tree.words" >$inspect/cpu10.inspect
"$words" "$golden/v1-tree.words" >$inspect/cpu9.inspect
"$words" "$golden/v2-header-only.words" >$inspect/empty.inspect
cp $inspect/cpu9.inspect saved
printf '\x10\x00\x04\x46\x78\x54\x16\x00' >trace.fxt
: >nothing
printf 'INSP' >short
export VITRINE_DEBUGFS=$dir/debugfs
unset NO_COLOR

echo "TAP version 13"

# Arguments
point "no command: usage" says 2 Usage: "$vitrine"
point "unknown command" says 2 "no command nonsense" "$vitrine" nonsense
point "--version" says 0 "vitrine " "$vitrine" --version
point "help names the commands" says 0 "  check " "$vitrine" help
point "help COMMAND" says 0 "Usage: vitrine show" "$vitrine" help show
point "show --help" says 0 "--json" "$vitrine" show --help
point "unknown option" says 2 "unrecognized option" "$vitrine" show --nonsense
point "check without a file" says 2 "no FILE given" "$vitrine" check

# Files of unknown formats
point "file that does not exist" says 3 \
	"vitrine: ./absent: cannot open: No such file or directory" \
	"$vitrine" show ./absent
point "check of a file that does not exist" says 3 "cannot open" \
	"$vitrine" check absent
point "empty file" says 1 "offset 0x0: the file is empty" \
	"$vitrine" show ./nothing
point "file shorter than a header" says 1 "ends within its header" \
	"$vitrine" show ./short
point "trace: print is the command for it" says 1 '`vitrine print'"'" \
	"$vitrine" show trace.fxt
point "foreign file" says 1 'no magic number "INSP"' \
	"$vitrine" show "$here/cli.sh"
point "check of a foreign file" says 1 "neither an Inspect file nor" \
	"$vitrine" check "$here/cli.sh"
point "directory" says 3 "Is a directory" "$vitrine" show ./empty
point "nothing on standard output with an error" quiet "$vitrine" show --json ./nothing

# Selection of trees
point "a tree by its name" prints '{
  "root": {}
}' "$vitrine" show --json empty
point "a tree goes before a file of its name" prints "empty:" \
	"$vitrine" show empty
point "a file without a slash" says 0 "ready = false" "$vitrine" show saved
point "all trees, in natural order" prints "cpu9:
cpu10:
empty:" bash -c "'$vitrine' show | grep -v '^ '"
point "all trees as one object" prints '["cpu10","cpu9","empty"]' \
	bash -c "'$vitrine' show --json | jq -c keys"
point "two trees of one name" prints '["a","a\\#2"]' \
	bash -c "mkdir -p x; cp saved a.inspect; cp saved x/a.inspect;
		 '$vitrine' show --json a.inspect x/a.inspect | jq -c keys"
point "one tree of two fails: status" says 3 '"saved"' \
	"$vitrine" show --json saved ./absent
point "one tree of two fails: still an object" prints '["saved"]' \
	bash -c "'$vitrine' show --json saved ./absent 2>/dev/null | jq -c keys"
point "no such tree" says 3 "vitrine: absent: there is no such tree or file" \
	"$vitrine" show absent
point "module not loaded" says 3 'insmod vitrine.ko' \
	env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show
point "module not loaded, tree by name" says 3 'insmod vitrine.ko' \
	env VITRINE_DEBUGFS="$dir/empty" "$vitrine" show absent
point "no tree at all" prints '{}' bash -c "mkdir -p none/vitrine/inspect;
	VITRINE_DEBUGFS=$dir/none '$vitrine' show --json"

# 64-bit numbers are exact; compare the text, because jq may round them
point "largest number" says 0 '"uint": 18446744073709551615' \
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
point "1024 levels" says 0 root "$vitrine" show --json deep-enough
point "1025 levels" says 1 "offset 0x4020: the tree is more than 1024 levels deep" \
	"$vitrine" show too-deep
point "1025 levels are no fault" says 0 "no fault" "$vitrine" check too-deep

# Permissions, if the test runs as root and can give up its privileges
unprivileged()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups env \
		ASAN_OPTIONS=detect_leaks=0 "$@"
}
chmod 755 "$dir"
if [ "$(id -u)" = 0 ] && unprivileged "$vitrine" --version >/dev/null 2>&1; then
	chmod 600 saved
	point "no permission" says 3 "run as root" \
		unprivileged "$vitrine" show ./saved
	chmod 700 debugfs
	point "no permission for the trees" says 3 "run as root" \
		unprivileged "$vitrine" show
	point "no permission for one tree" says 3 "run as root" \
		unprivileged "$vitrine" show system
	chmod 755 debugfs
	chmod 644 saved
else
	for what in file trees tree; do
		tests=$((tests + 1))
		echo "ok $tests no permission for $what # SKIP cannot drop privileges here"
	done
fi

# Output
point "full disk" says 3 "cannot write output: No space left on device" \
	bash -c "'$vitrine' show saved >/dev/full"
colours()
{
	local esc=$'\e['

	# shellcheck disable=SC2034 # -e makes script(1) return its status
	grep -qF "$esc" <(script -qec "$*" /dev/null </dev/null)
}
point "colours on a terminal" colours env TERM=xterm "$vitrine" show saved
point "no colours with NO_COLOR" bash -c "! grep -q $'\e' <(script -qec \
	\"env TERM=xterm NO_COLOR=1 '$vitrine' show saved\" /dev/null </dev/null)"
point "no colours on a dumb terminal" bash -c "! grep -q $'\e' <(script -qec \
	\"env TERM=dumb '$vitrine' show saved\" /dev/null </dev/null)"
point "no colours in a pipe" bash -c "! '$vitrine' show saved | grep -q $'\e'"

# The flight recorder, with a trace that needs more than one read
mkdir -p debugfs/vitrine/trace
head -c 2500000 /dev/urandom >debugfs/vitrine/trace/trace.fxt
point "snapshot" says 0 "now.fxt: 2500000 bytes" "$vitrine" snapshot -o now.fxt
point "snapshot copies every byte" cmp debugfs/vitrine/trace/trace.fxt now.fxt
named_by_time()
{
	local files

	"$vitrine" snapshot && files=(vitrine-????????-??????.fxt) &&
		cmp debugfs/vitrine/trace/trace.fxt "${files[0]}"
}
point "snapshot: a name with the time" named_by_time
rm debugfs/vitrine/trace/trace.fxt
point "snapshot without a flight recorder" says 3 "trace/trace.fxt: No such file" \
	"$vitrine" snapshot -o none.fxt

# Live: print a line for the initial state and one for each change; stop on SIGINT
replace()
{
	"$words" "$1" >new && mv new live.inspect
}
live()
{
	local i

	replace "$golden/v1-tree.words"
	"$vitrine" show --live --json ./live.inspect >live.out 2>live.err &
	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l <live.out)" -ge 1 ] && break
		sleep 0.1
	done
	replace "$golden/v2-header-only.words"
	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l <live.out)" -ge 2 ] && break
		sleep 0.1
	done
	kill -INT $!
	wait $!
	echo "status $?" >>live.err
	cat live.err live.out
	[ "$(cat live.err)" = "status 0" ] && [ "$(wc -l <live.out)" = 2 ] &&
		[ "$(sed -n 2p live.out)" = '{"root":{}}' ]
}
point "live: one line for each generation" live
point "live: ends when nobody reads" timeout 60 \
	bash -c "set -o pipefail; '$vitrine' show --live ./live.inspect | head -n 1;
		 [ \${PIPESTATUS[0]} -lt 124 ]"

echo "1..$tests"
exit $failed
