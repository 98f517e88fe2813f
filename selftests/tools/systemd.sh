#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The systemd units as installed, and the programs that they start.
. "$(dirname "$0")/command" || exit
units=$dir/usr/lib/systemd/system

# Install to a temporary prefix. The units name the programs there.
check "make install" make -s -C "$top/tools" ${SANITIZER:+SAN=1} O="$build/tools" PREFIX="$dir/usr" \
	SYSCONFDIR="$dir/etc" PLUGINDIR="$dir/plugins" install
check "no name is left unfilled" fails grep -n '@[A-Z]*@' "$units"/*

# verify UNIT: systemd accepts each line of UNIT
verify()
{
	local said

	# Ignore warnings about other units of this machine.
	if ! said=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$units/$1" 2>&1) ||
	   grep -F vitrine <<<"$said"; then
		echo "$said"
		return 1
	fi
}

# confined UNIT: systemd rates the exposure of UNIT below 3.0. Not for the flight recorder,
# which loads a module.
confined()
{
	local score

	score=$(systemd-analyze security --offline=yes "$units/$1" |
		sed -n 's/.*exposure level for [^:]*: \([0-9]*\)\.\([0-9]\).*/\1\2/p')
	echo "exposure, in tenths: $score"
	[ "${score:-99}" -lt 30 ]
}

for file in "$units"/*; do
	unit=$(basename "$file")
	check "$unit: systemd-analyze verify" verify "$unit"
	case $unit in
	*.timer|vitrine-flight-recorder.service|vitrine-recorder.service)
		;;
	*)
		check "$unit: systemd-analyze security" confined "$unit" ;;
	esac
done

# ---- keep-trace -------------------------------------------------------------

# A replacement of vitrine: writes the armed trigger to the output instead of waiting.
mkdir -p bin vitrine/trace state
cat >bin/vitrine <<'SH'
#!/bin/sh
[ "$1 $2 $3" = "snapshot --wait --output" ] && cp "$VITRINE_DEBUGFS/vitrine/trace/trigger" "$4"
SH
chmod +x bin/vitrine

# kept STATUS FILES [VARIABLE=VALUE]...: keep-trace, run as its unit does, exits with STATUS, and
# there are these files then
kept()
{
	(cd state && env PATH="$dir/bin:$PATH" "${@:3}" "$dir/usr/libexec/vitrine/keep-trace")
	[ $? = "$1" ] && [ "$(find state -type f | sed 's/.*\///; s/2[0-9TZ]*Z/TIME/' | tee /dev/stderr)" = "$2" ]
}
check "keep-trace arms the configured triggers" kept 0 trigger-TIME.fxt "VITRINE_TRIGGER=latency_us=5 panic"
check "keep-trace keeps one file" grep -qx "latency_us=5 panic" state/trigger-2*Z.fxt
rm state/*
check "by default keep-trace arms triggers" kept 0 trigger-TIME.fxt
check "by default these triggers cost nothing" grep -qx "hung_task panic" state/trigger-2*Z.fxt
touch state/trigger-2001010{1..5}T000000Z.fxt
rm state/trigger-202*
check "keep-trace keeps files" kept 0 $'trigger-TIME.fxt\ntrigger-TIME.fxt\ntrigger-TIME.fxt' VITRINE_KEEP=3
check "keep-trace keeps the newest files" test \
	-e state/trigger-20010104T000000Z.fxt -a -e state/trigger-20010105T000000Z.fxt
rm -r state/* vitrine/trace
check "without the module keep-trace fails and leaves no file" kept 2 ""

# ---- load-recorder ----------------------------------------------------------

# A replacement of modprobe: fails with the error in MODPROBE_SAYS, if that is not empty. Of a
# parameter that is given twice, the module takes the last one.
cat >bin/modprobe <<'SH'
#!/bin/sh
[ -z "$MODPROBE_SAYS" ] || { echo "modprobe: $MODPROBE_SAYS" >&2; exit 1; }
[ "$1" = vitrine ] && shift && rm -rf module && mkdir -p module/parameters || exit
for parameter; do
	echo "${parameter#*=}" >"module/parameters/${parameter%%=*}"
done
SH
chmod +x bin/modprobe

# load_recorder SAYS PARAMETER...: run load-recorder as its unit does; modprobe fails with the
# error SAYS
load_recorder()
{
	env PATH="$dir/bin:$PATH" MODPROBE_SAYS="$1" VITRINE_MODULE="$dir/module" \
		"$dir/usr/libexec/vitrine/load-recorder" "${@:2}" >load.log 2>&1
}

# says KB RECORDED: what load-recorder prints if rings have KB
says()
{
	local cpus

	cpus=$(getconf _NPROCESSORS_ONLN)
	prints "vitrine-flight-recorder: $1 KiB for each of $cpus CPUs, $(($1 * cpus)) KiB in all; besides switches: $2" \
		cat load.log
}

# 5000 switches a second for 30 seconds, of the bytes that performance.rst says, and less than twice as much
holds()
{
	local kb bytes

	kb=$(cat module/parameters/buffer_kb)
	bytes=$(tr '\n' ' ' <"$top/Documentation/performance.rst" |
		sed -n 's/.* has \([0-9]*\)\.[0-9] bytes a switch, and .* as \.fxt\.zst\..*/\1/p')
	echo "$kb KiB, $bytes bytes a switch"
	[ $((kb * 1024)) -ge $((30 * 5000 * bytes)) ] && [ $((kb * 512)) -lt $((30 * 5000 * bytes)) ]
}

check "load-recorder without parameters" load_recorder ""
check "by default wakeups and stacks are recorded, and the journal has the memory" \
	says 8192 "events=sched stacks=blocked_us=10000"
check "by default the rings hold 30 seconds" holds
check "load-recorder with parameters" load_recorder "" buffer_kb=64 events= stacks=none trees=all
check "parameters override the defaults" says 64 "events= stacks=none"
check "others are handed to modprobe, too" grep -qx all module/parameters/trees

# Both documents have the defaults.
defaults=$(sed -n 's/^set -- \(.*\) "\$@"$/\1/p' "$top/tools/systemd/load-recorder")
check "the page has the defaults" grep -F "\"${defaults:-none}\"" "$top/Documentation/man/vitrine-flight-recorder.8"
check "the file of settings has the defaults" same <(tr ' ' '\n' <<<"$defaults" | sort) \
	<(sed -n 's/^#   \([^ ]*=[^ ]*\) .*/\1/p' "$top/tools/systemd/default")

# explained SAYS HEADING: the log begins with modprobe's error and ends with a reference to
# the section HEADING of vitrine-flight-recorder(8)
explained()
{
	! load_recorder "$1" || return
	cat load.log
	grep -qxF "modprobe: $1" load.log &&
		tail -n 1 load.log | grep -qF "see \"$2\" in vitrine-flight-recorder(8)" &&
		grep -qxF ".SH \"$2\"" "$top/Documentation/man/vitrine-flight-recorder.8"
}
for error in "Key was rejected by service" "Required key not available" "Operation not permitted"; do
	check "load-recorder: $error: names the page" \
		explained "ERROR: could not insert 'vitrine': $error" "SECURE BOOT"
done
check "load-recorder: no module: names the page" \
	explained "FATAL: Module vitrine not found in directory /lib/modules/6.1.0" "NEW KERNELS"

check "load-recorder fails with any other error" fails \
	load_recorder "ERROR: could not insert 'vitrine': Invalid argument"
check "load-recorder adds nothing to it" prints 1 grep -c . load.log

plan
