#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: selftests/qemu/selftest.sh [KERNEL]
# Test the harness, on the host: what succeeds passes, and nothing that fails can pass. Boot
# KERNEL (default: that of this release of Debian) several times, with scripts that succeed, fail,
# hang and crash, and check what selftests/qemu/run makes of each. Print TAP.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

arguments 0 1 "$@"
[ "$suite" = trixie ] && stock=6.12-trixie || stock=6.1
kernel=${1:-$stock}
kernel_of "$kernel"
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrine.XXXXXX")
trap 'rm -rf "$work"' EXIT
pin=()
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$(dirname "$0")/../tap.sh" || exit

explain_failure()
{
	tail -n 20 "$work/said"
}

# boot STATUS OPTION... <SCRIPT: a guest that runs SCRIPT, with bash, ends with STATUS
boot()
{
	local status=0

	{ echo '#!/bin/bash'; cat; } >"$work/script"
	"${pin[@]}" "$qemu_dir/run" --kernel "$kernel" --bring none --out "$work/out" "${@:2}" \
		-- "$work/script" one "two words" >"$work/said" 2>&1 || status=$?
	echo "status $status, not $1" >>"$work/said"
	[ "$status" = "$1" ]
}

# says PATTERN FILE: the last boot left PATTERN in FILE
says()
{
	grep -qE -- "$1" "$work/$2"
}

LENIENT=1 SLOWDOWN=250 check "a script's status comes back" boot 7 <<'SCRIPT'
echo "out: $(uname -r), argument $2, lenient $LENIENT, slow $SLOWDOWN"
echo "err" >/dev/stderr
mkdir -p sub
head -c 3000000 /dev/zero >"$OUT/sub/big"
echo here >"$OUT/$1"
sleep 1000 &
exit 7
SCRIPT
check "its output comes back" says "^out: $kernel.*, argument two words, lenient 1, slow 250$" said
check "its errors come back" says "^err$" said
check "its files come back" says "^here$" out/one
check "a large file comes back whole" test "$(stat -c %s "$work/out/sub/big")" = 3000000
check "the console is kept" says "Linux version" out/console.log

check "a guest of two processors has what scripts expect" boot 0 <<'SCRIPT'
set -eux
[ "$(nproc)" = 2 ]
[ "$(id -u)" = 0 ]
[ -d /sys/kernel/debug/tracing ]
[ -e /sys/kernel/tracing/trace ]
[ -e /proc/self ]
touch /tmp/file
modinfo -n ext4
ps aux | grep -q guest
taskset 1 true
SCRIPT

check "one instruction is a nanosecond with --icount" boot 0 --icount <<<'[ "$(nproc)" = 1 ]'

check "a panic fails" boot 125 <<<'echo c >/proc/sysrq-trigger'
check "and says so" says "kernel reported a fault" said

check "a warning fails, though the script does not" \
	boot 125 <<<'echo "WARNING: CPU: 0 PID: 1 at kernel/none.c:1" >/dev/kmsg'

# race TITLE FRAME...: print a script that makes the kernel report a data race like KCSAN
race()
{
	cat <<-SCRIPT
	while IFS= read -r line; do echo "\$line" >/dev/kmsg; done <<'REPORT'
	==================================================================
	BUG: KCSAN: data-race in $1

	write to 0xffff88803ed9fad8 of 4 bytes by interrupt on cpu 3:
	$(printf ' %s\n' "${@:2}")

	read to 0xffff88803ed9fad8 of 4 bytes by task 0 on cpu 3:
	 do_idle+0x78/0x240

	Reported by Kernel Concurrency Sanitizer on:
	CPU: 3 UID: 0 PID: 0 Comm: swapper/3 Not tainted 6.12.117-kcsan #1
	==================================================================
	REPORT
	SCRIPT
}

check "a race of others, though it came upon us, passes" boot 0 < <(race "tick / do_idle" \
	"tick+0xdf/0x230" "asm_sysvec_apic_timer_interrupt+0x1b/0x20" "vtr_ring_copy+0x1/0x2 [vitrine]")
check "and is listed" says "^BUG: KCSAN: data-race in tick / do_idle$" out/foreign-races
check "a race of ours fails" boot 125 < <(race "vtr_ring_copy [vitrine] / do_idle" "vtr_ring_copy+0x1/0x2 [vitrine]")
check "a race of a function that copies for us fails" boot 125 < <(race "memcpy / do_idle" \
	"__memcpy+0x1/0x2" "vtr_ring_copy+0x1/0x2 [vitrine]")

check "a guest that ends without a word fails" boot 125 <<'SCRIPT'
echo b >/proc/sysrq-trigger
sleep 100
SCRIPT
check "and says so" says "died without a word" said

SLOWDOWN=200 check "a script that takes too long fails" boot 124 --timeout 3 <<'SCRIPT'
echo "before" >"$OUT/partial"
sleep 1000
SCRIPT
check "and says so, with the limit of a slow machine" says "did not end within 6 seconds" said
check "what it left comes back" says "before" out/partial

check "a silent guest fails" boot 124 --silence 4 <<<'sleep 1000'
check "and says so" says "printed nothing" said

# starve: once the guest runs the script, leave it little of the CPU that it shares
starve()
{
	until grep -qs begun "$work/out/output.log"; do
		sleep 0.1
	done
	exec nice -n -10 taskset -c 0 timeout 60 sh -c 'while :; do :; done'
}

# About three seconds of silent work, which take ten times as long here. A slow machine may take
# several seconds until the kernel prints its first line.
rm -f "$work/out/output.log"
starve &
pin=(taskset -c 0)
check "a guest that this machine leaves no time is not silent" boot 0 --silence 15 <<'SCRIPT'
echo begun
for ((i = 0; i < 100000; i++)); do :; done
echo ended
SCRIPT
pin=()
kill %% 2>/dev/null || true
wait

# end_emulator: once the guest runs the script, kill QEMU
end_emulator()
{
	until grep -qs begun "$work/out/output.log"; do
		sleep 0.1
	done
	pkill -KILL -f "path=$work/out/console.log"
}

rm -f "$work/out/output.log"
end_emulator &
check "a guest whose QEMU is killed did not finish" boot 124 <<<'echo begun; sleep 1000'
check "and says so" says "QEMU was ended by signal 9" said

lane_options=()

# counts COUNTS COMMAND...: the lane of a command that prints TAP has these counts
counts()
{
	local status=0 lane=$top/selftests/lane

	"$lane" "${lane_options[@]}" harness-lane "${@:2}" >"$work/said" 2>&1 || true
	"$lane" --report harness-lane >>"$work/said"
	[ "$(cat "$top/build/log/harness-lane.count")" = "$1" ] || status=1
	rm -f "$top"/build/log/harness-lane.*
	return $status
}

# A second is less than usual.
check "a fast machine leaves the usual time" test "$("$top/selftests/speed" 1000)" = 100
check "a slow one leaves more" test "$("$top/selftests/speed" 2600)" = 200
check "but not without limit" test "$("$top/selftests/speed" 1000000)" = 300
check "a machine has a speed" within 100 "$("$top/selftests/speed")" 300
check "a lane counts leaves" counts "3 0 0" printf '%s\n' 1..2 "    1..2" "    ok 1 a" "    ok 2 b" "ok 1 both" "ok 2 c"
check "a lane counts what failed" counts "1 1 0" printf '%s\n' 1..2 "# of one" "ok 1 one" "# because" "not ok 2 two" "# after"
check "and says why, last" says "^harness-lane\| # because$" said
check "and nothing else" fails says "^harness-lane.*(of one|after)" said
check "but how to run it alone" says "^harness-lane\| # harness-lane: to run this lane alone: make harness-lane$" said
check "a lane without a result fails" counts "0 1 0" echo "no result"
check "and shows what it said" says "^harness-lane\| no result$" said
check "a plan not kept fails" counts "1 1 0" printf '%s\n' 1..2 "ok 1 one"
check "and says so" says "^harness-lane\| plan of 2 tests, 1 results$" said
check "a command that fails is a failure" counts "1 1 0" sh -c 'echo ok 1 one; echo 1..1; false'
check "and says so" says "^harness-lane\| .*ended with status 1$" said

# Fails at first and passes alone, if the second argument is "pass".
cat >"$work/flaky" <<'SCRIPT'
#!/bin/bash
echo 1..1
echo "# $1"
if [ "${3:-}" = one.sh ]; then
	[ "$2" = pass ] || printf "not "
	echo "ok 1 one.sh"
else
	echo "# not ok 1 inside"
	echo "not ok 1 one.sh"
	exit 1
fi
SCRIPT
chmod 755 "$work/flaky"
lane_options=(--retry)
check "a test that passes when run again does not fail" counts "1 0 0" "$work/flaky" harmless pass
check "and is named with both logs" says "^flaky: one.sh of harness-lane .*/harness-lane.log, .*/harness-lane.one.sh.again.log$" said
check "a test that fails again fails" counts "0 1 0" "$work/flaky" harmless fail
check "a sanitizer's report is not bad luck" counts "0 1 0" "$work/flaky" "ERROR: AddressSanitizer: heap" pass
STRICT=1 check "with STRICT, none is" counts "0 1 0" "$work/flaky" harmless pass
lane_options=()
check "nor is one of a lane that does not ask for it" counts "0 1 0" "$work/flaky" harmless pass

cat >"$work/cost.sh" <<SCRIPT
#!/bin/bash
. "$top/selftests/tap.sh" || exit
check "a switch takes at most 60" within_limit 2000 "\$1" 6000
plan
SCRIPT
chmod 755 "$work/cost.sh"
LENIENT='' check "a cost that is 5 % over its limit fails" counts "0 1 0" "$work/cost.sh" 6300
LENIENT=1 check "with LENIENT, it does not" counts "1 0 0" "$work/cost.sh" 6300
check "but is a warning, with lane, test, figure and limit" \
	says "^warning: harness-lane: cost.sh: a switch takes at most 60: 63, limit 60$" said
LENIENT=1 check "a cost that is 12 % over its limit fails nevertheless" counts "0 1 0" "$work/cost.sh" 6720
LENIENT=1 check "a cost within its limit is no warning" counts "1 0 0" "$work/cost.sh" 6000
check "and says nothing" fails says "warning" said

# A checkout with lanes of its own, each of which appends its name to the file "order": "good" ends
# after the second has begun; "hung_once" and "hung" do not finish, at first or ever; "fails"
# does not, either, but a test has failed; "stuck" does not end.
mkdir -p "$work/planted/selftests"
cp "$top/selftests/"{check,lane,speed} "$work/planted/selftests"
cat >"$work/planted/Makefile" <<'MAKE'
%:
	@selftests/lane $@ ./plant $@
MAKE
printf '%s 1000 any planted\n' good hung_once hung fails stuck costly >"$work/planted/selftests/lanes"
cat >"$work/planted/plant" <<'SCRIPT'
#!/bin/bash
echo "$1" >>order
echo 1..2
echo ok 1 first
times=$(grep -cx "$1" order)
case $1 in
hung_once)	[ "$times" -gt 1 ] || exit 124 ;;
hung)		exit 124 ;;
fails)		echo not ok 2 second; exit 124 ;;
stuck)		exec sleep infinity ;;
costly)		echo "# # over the limit: cost.sh: a switch: 63, limit 60" ;;
esac
echo ok 2 second
SCRIPT
chmod 755 "$work/planted/plant"

# planted STATUS COUNTS ORDER ARGUMENT...: selftests/check ends with STATUS and the line COUNTS,
# and has run the lanes ORDER
planted()
{
	local status=0

	rm -f "$work/planted/order"
	(cd "$work/planted" && exec "${pin[@]}" selftests/check "${@:4}") >"$work/said" 2>&1 || status=$?
	echo "status $status; order $(paste -sd' ' "$work/planted/order")" >>"$work/said"
	says "^status $1; order ($3)$" said && says "^$2$" said
}

check "a lane that does not finish is run again, after the others, and counted once" \
	planted 0 "4 passed, 0 failed, 0 skipped" "hung_once good hung_once|good hung_once hung_once" hung_once good
check "and is named" says "^repeated: hung_once did not finish .*/hung_once.first.log, .*/hung_once.log$" said
check "one that does not finish twice fails" planted 1 "1 passed, 1 failed, 0 skipped" "hung hung" hung
check "one of which a test failed is not run again" planted 1 "1 passed, 1 failed, 0 skipped" fails fails
STRICT=1 check "nor is one with STRICT" planted 1 "1 passed, 1 failed, 0 skipped" hung_once hung_once
check "nor is one that would not end in time" planted 1 "1 passed, 1 failed, 0 skipped" hung_once \
	--until $(($(date +%s) + 900)) hung_once
check "and says so" says "^hung_once\\| # hung_once: no time is left for it$" said
check "a lane that runs when the time is over is ended, and fails" planted 1 "0 passed, 1 failed, 0 skipped" \
	".*" --until "$(date +%s)" stuck
pin=(taskset -c 0)
check "one that has not begun then fails, too" \
	planted 1 "0 passed, 2 failed, 0 skipped" ".*" --until "$(date +%s)" stuck hung -- good
pin=()
check "and one that need not run is left out" says "^left out: good$" said
check "a cost over its limit" planted 0 "2 passed, 0 failed, 0 skipped" costly costly
check "is named right before the counts" test "$(tail -n 3 "$work/said" | head -n 1)" = \
	"warning: costly: cost.sh: a switch: 63, limit 60"

# demand WHAT LINE COMMAND...: with an empty cache, where no package is installed and apt
# knows no mirror, COMMAND fails with LINE, and prints nothing else but make's message
demand()
{
	check "$1 fails" fails needy "${@:3}"
	check "and says in one line what it needs" says_only "$2"
}

needy()
{
	env -u VITRINE_MIRROR VITRINE_CACHE="$work/cache" PATH="$work/bin:$PATH" "$@" >"$work/said" 2>&1 </dev/null
}

says_only()
{
	diff <(grep -v '^make' "$work/said") <(grep -E "^[a-z-]*: $1$" "$work/said") && says . said
}

mkdir "$work/bin" "$work/tree"
cp -r "$top/Makefile" "$top/selftests" "$work/tree/"
ln -s /bin/true "$work/bin/apt-get"
ln -s /bin/true "$work/bin/dpkg-query"
mkdir -m 777 "$work/nobody"
chmod 755 "$work"
mkdir -p "$work/root/usr/bin" "$work/root/dev"
touch "$work/root/usr/bin/"{gojq,jq}
check "a disk can have jq, which is Debian's then" "$qemu_dir/image" --fill amd64 "$work/root.img" "$work/root"
check "and not gojq" test ! -L "$work/root/usr/bin/jq"

# two_logs: of two commands at once with one log, that which fails shows its own output
two_logs()
{
	local said

	(logged "$work/log/one" sh -c "until [ -e '$work/begun' ]; do sleep 0.1; done
		echo theirs; touch '$work/ended'") &
	said=$(logged "$work/log/one" sh -c "echo mine; touch '$work/begun'
		until [ -e '$work/ended' ]; do sleep 0.1; done; false" 2>&1) && return 1
	wait
	echo "$said"
	grep -qx mine <<<"$said" && ! grep -qx theirs <<<"$said"
}

check "two commands with one log do not write to it at once" two_logs

# style_waits: another checkout unpacks the kernel's sources until style waits for them
style_waits()
{
	local file=$cache/lock/source-version fd

	git init -q "$work/tree"
	exec {fd}>"$file"
	flock "$fd"
	{
		until grep -q -- "-> FLOCK .*:$(stat -c %i "$file") " /proc/locks; do
			sleep 0.1
		done
		flock -u "$fd"
	} &
	"$work/tree/selftests/style" kernel_doc {fd}>&-
}

check "a check of style that waits for another checkout passes" style_waits

demand "a kernel where apt has no mirror of Debian" "apt knows no mirror .*VITRINE_MIRROR.*" \
	"$work/tree/selftests/qemu/kernel" "$kernel"
demand "a test of a user without the packages" \
	"as root, first: apt-get install --no-install-recommends .*fakechroot.*qemu-system-x86.*" \
	env VITRINE_CACHE="$work/nobody" setpriv --reuid nobody --regid nogroup --clear-groups \
	make -s -C "$work/tree" host-kunit

plan
