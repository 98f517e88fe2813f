#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test of the harness, on the host: what succeeds passes, and nothing that fails can pass.
# Prints TAP.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<USAGE
Usage: selftests/qemu/selftest.sh [KERNEL]
Boot KERNEL (default: that of this release of Debian) several times, with scripts that succeed, fail, hang
and crash, and check what selftests/qemu/run makes of each.
USAGE
}

case ${1:-} in
--help|-h)
	usage
	exit ;;
esac
[ "$suite" = trixie ] && stock=6.12-trixie || stock=6.1
kernel=${1:-$stock}
kernel_of "$kernel"
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrine.XXXXXX")
trap 'rm -rf "$work"' EXIT
nr=0
bad=0
pin=()

result()
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr $2"
		return
	fi
	echo "not ok $nr $2"
	tail -n 20 "$work/said" | sed 's/^/# /'
	bad=1
}

# boot STATUS WHAT OPTION... <SCRIPT: a guest that runs SCRIPT ends with STATUS
boot()
{
	local wanted=$1 what=$2 status=0

	shift 2
	cat >"$work/script"
	"${pin[@]}" "$qemu_dir/run" --kernel "$kernel" --bring none --out "$work/out" "$@" \
		-- "$work/script" one "two words" >"$work/said" 2>&1 || status=$?
	echo "status $status" >>"$work/said"
	result $((status != wanted)) "$what"
}

# says WHAT PATTERN FILE: the last boot left PATTERN in FILE
says()
{
	local status=0

	grep -qE -- "$2" "$work/$3" || status=1
	result $status "$1"
}

echo "TAP version 13"

boot 7 "a script's status comes back" <<'SCRIPT'
#!/bin/bash
echo "out: $(uname -r), argument $2"
echo "err" >/dev/stderr
mkdir -p sub
head -c 3000000 /dev/zero >"$OUT/sub/big"
echo here >"$OUT/$1"
sleep 1000 &
exit 7
SCRIPT
says "its output comes back" "^out: $kernel.*, argument two words$" said
says "its errors come back" "^err$" said
says "its files come back" "^here$" out/one
result $(($(stat -c %s "$work/out/sub/big" || echo 0) != 3000000)) "a large file comes back whole"
says "the console is kept" "Linux version" out/console.log

boot 0 "a guest of two processors has what scripts expect" <<'SCRIPT'
#!/bin/bash -eux
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

boot 0 "one instruction is a nanosecond with --icount" --icount <<'SCRIPT'
#!/bin/bash -eu
[ "$(nproc)" = 1 ]
SCRIPT

boot 125 "a panic fails" <<'SCRIPT'
#!/bin/bash
echo c >/proc/sysrq-trigger
SCRIPT
says "and says so" "kernel reported a fault" said

boot 125 "a warning fails, though the script does not" <<'SCRIPT'
#!/bin/bash
echo "WARNING: CPU: 0 PID: 1 at kernel/none.c:1" >/dev/kmsg
SCRIPT

# race TITLE FRAME...: print a script that makes the kernel report a data race like KCSAN
race()
{
	cat <<-SCRIPT
	#!/bin/bash
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

boot 0 "a race of others, though it came upon us, passes" < <(race "tick / do_idle" \
	"tick+0xdf/0x230" "asm_sysvec_apic_timer_interrupt+0x1b/0x20" "vtr_ring_copy+0x1/0x2 [vitrine]")
says "and is listed" "^BUG: KCSAN: data-race in tick / do_idle$" out/foreign-races
boot 125 "a race of ours fails" < <(race "vtr_ring_copy [vitrine] / do_idle" "vtr_ring_copy+0x1/0x2 [vitrine]")
boot 125 "a race of a function that copies for us fails" < <(race "memcpy / do_idle" \
	"__memcpy+0x1/0x2" "vtr_ring_copy+0x1/0x2 [vitrine]")

boot 125 "a guest that ends without a word fails" <<'SCRIPT'
#!/bin/bash
echo b >/proc/sysrq-trigger
sleep 100
SCRIPT
says "and says so" "died without a word" said

boot 124 "a script that takes too long fails" --timeout 3 <<'SCRIPT'
#!/bin/bash
echo "before" >"$OUT/partial"
sleep 1000
SCRIPT
says "what it left comes back" "before" out/partial

boot 124 "a silent guest fails" --silence 4 <<'SCRIPT'
#!/bin/bash
sleep 1000
SCRIPT
says "and says so" "printed nothing" said

# starve: once the guest runs the script, leave it little of the CPU that it shares
starve()
{
	until grep -qs begun "$work/out/output.log"; do
		sleep 0.1
	done
	exec nice -n -10 taskset -c 0 timeout 60 sh -c 'while :; do :; done'
}

# About two seconds of silent work, which take ten times as long here.
rm -f "$work/out/output.log"
starve &
pin=(taskset -c 0)
boot 0 "a guest that this machine leaves no time is not silent" --silence 6 <<'SCRIPT'
#!/bin/bash
echo begun
for ((i = 0; i < 60000; i++)); do :; done
echo ended
SCRIPT
pin=()
kill %% 2>/dev/null || true
wait

lane_options=()

# counts COUNTS WHAT COMMAND...: the lane of a command that prints TAP has these counts
counts()
{
	local wanted=$1 what=$2 lane=$top/selftests/lane

	shift 2
	"$lane" "${lane_options[@]}" harness-lane "$@" >"$work/said" 2>&1 || true
	"$lane" --report harness-lane >>"$work/said"
	result "$([ "$(cat "$top/build/log/harness-lane.count")" = "$wanted" ]; echo $?)" "$what"
	rm -f "$top"/build/log/harness-lane.*
}

counts "3 0 0" "a lane counts leaves" printf '%s\n' 1..2 "    1..2" "    ok 1 a" "    ok 2 b" "ok 1 both" "ok 2 c"
counts "1 1 0" "a lane counts what failed" printf '%s\n' 1..2 "# of one" "ok 1 one" "# because" "not ok 2 two" "# after"
says "and says why, last" "^harness-lane\| # because$" said
result "$(grep -cE "^harness-lane.*(of one|after)" "$work/said")" "and nothing else"
says "but how to run it alone" "^harness-lane\| # harness-lane: to run this lane alone: make harness-lane$" said
counts "0 1 0" "a lane without a result fails" echo "no result"
says "and shows what it said" "^harness-lane\| no result$" said
counts "1 1 0" "a plan not kept fails" printf '%s\n' 1..2 "ok 1 one"
says "and says so" "^harness-lane\| plan of 2 tests, 1 results$" said
counts "1 1 0" "a command that fails is a failure" sh -c 'echo ok 1 one; echo 1..1; false'
says "and says so" "^harness-lane\| .*ended with status 1$" said

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
counts "1 0 0" "a test that passes when run again does not fail" "$work/flaky" harmless pass
says "and is named with both logs" "^flaky: one.sh of harness-lane .*/harness-lane.log, .*/harness-lane.one.sh.again.log$" said
counts "0 1 0" "a test that fails again fails" "$work/flaky" harmless fail
counts "0 1 0" "a sanitizer's report is not bad luck" "$work/flaky" "ERROR: AddressSanitizer: heap" pass
STRICT=1 counts "0 1 0" "with STRICT, none is" "$work/flaky" harmless pass
lane_options=()
counts "0 1 0" "nor is one of a lane that does not ask for it" "$work/flaky" harmless pass

# demand WHAT LINE COMMAND...: with an empty cache, where no package is installed and apt
# knows no mirror, COMMAND fails with LINE, and prints nothing else but make's message
demand()
{
	local what=$1 line=$2 status=0

	shift 2
	env -u VITRINE_MIRROR VITRINE_CACHE="$work/cache" PATH="$work/bin:$PATH" \
		"$@" >"$work/said" 2>&1 </dev/null || status=$?
	grep -v '^make' "$work/said" >"$work/line" || true
	result $((status == 0)) "$what fails"
	result "$(grep -qE "^[a-z-]*: $line$" "$work/line" && [ "$(wc -l <"$work/line")" = 1 ]; echo $?)" \
		"and says in one line what it needs"
}

mkdir "$work/bin" "$work/tree"
cp -r "$top/Makefile" "$top/selftests" "$work/tree/"
ln -s /bin/true "$work/bin/apt-get"
ln -s /bin/true "$work/bin/dpkg-query"
mkdir -m 777 "$work/nobody"
chmod 755 "$work"
demand "a kernel where apt has no mirror of Debian" "apt knows no mirror .*VITRINE_MIRROR.*" \
	"$work/tree/selftests/qemu/kernel" "$kernel"
demand "a test of a user without the packages" \
	"as root, first: apt-get install --no-install-recommends .*fakechroot.*qemu-system-x86.*" \
	env VITRINE_CACHE="$work/nobody" setpriv --reuid nobody --regid nogroup --clear-groups \
	make -s -C "$work/tree" host-kunit

echo "1..$nr"
exit $bad
