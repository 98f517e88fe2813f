#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The systemd units as installed, and the programs that they start.
#
# DIR holds tools/, built with sanitizers.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit
units=$dir/usr/lib/systemd/system

# Install to a temporary prefix. The units name the programs there.
install_units()
{
	make -s -C "$top/tools" ${SANITIZER:+SAN=1} O="$build/tools" PREFIX="$dir/usr" SYSCONFDIR="$dir/etc" \
		PLUGINDIR="$dir/plugins" install &&
		! grep -n '@[A-Z]*@' "$units"/*
}
check "make install, and no name is left unfilled" install_units

# verify UNIT: systemd accepts each line of UNIT
verify()
{
	local said

	said=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$units/$1" 2>&1) || {
		echo "status $?: $said"
		return 1
	}
	# Ignore warnings about other units of this machine.
	! grep -F vitrine <<<"$said"
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
mkdir -p bin debugfs/vitrine/trace state
cat >bin/vitrine <<'SH'
#!/bin/sh
[ "$1 $2 $3" = "snapshot --wait --output" ] && cp "$VITRINE_DEBUGFS/vitrine/trace/trigger" "$4"
SH
chmod +x bin/vitrine

# keep [VARIABLE=VALUE]...: run keep-trace as its unit does
keep()
{
	(cd state && env PATH="$dir/bin:$PATH" VITRINE_DEBUGFS="$dir/debugfs" "$@" \
		"$dir/usr/libexec/vitrine/keep-trace")
}

kept()
{
	keep "VITRINE_TRIGGER=latency_us=5 panic" && ls state &&
		[ "$(cat state/trigger-2*Z.fxt)" = "latency_us=5 panic" ]
}
check "keep-trace arms the configured triggers and keeps one file" kept

by_default()
{
	rm -f state/*
	keep && [ "$(cat state/trigger-2*Z.fxt)" = "hung_task panic" ]
}
check "by default keep-trace arms the triggers that cost nothing" by_default

newest()
{
	local i

	rm -f state/*
	for i in 1 2 3 4 5; do
		touch "state/trigger-2001010${i}T000000Z.fxt"
	done
	keep VITRINE_KEEP=3 && ls state &&
		[ "$(find state -type f | wc -l)" = 3 ] && [ ! -e state/trigger-20010103T000000Z.fxt ] &&
		[ -e state/trigger-20010104T000000Z.fxt ] && [ -e state/trigger-20010105T000000Z.fxt ]
}
check "keep-trace keeps the newest files" newest

not_armed()
{
	rm -f state/*
	rm debugfs/vitrine/trace/trigger
	rmdir debugfs/vitrine/trace
	! keep && [ -z "$(ls state)" ]
}
check "without the module keep-trace fails and leaves no file" not_armed

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
	cat load.log
	[ "$(cat load.log)" = "vitrine-flight-recorder: $1 KiB for each of $cpus CPUs, $(($1 * cpus)) KiB in all; besides switches: $2" ]
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

overrides()
{
	load_recorder "" buffer_kb=64 events= stacks=none trees=all && says 64 "events= stacks=none" &&
		[ "$(cat module/parameters/trees)" = all ]
}
check "parameters override the defaults, and others are handed to modprobe, too" overrides

# Both documents have the defaults.
documented()
{
	local defaults word

	defaults=$(sed -n 's/^set -- \(.*\) "\$@"$/\1/p' "$top/tools/systemd/load-recorder")
	echo "defaults: $defaults"
	[ -n "$defaults" ] && grep -qF "\"$defaults\"" "$top/Documentation/man/vitrine-flight-recorder.8" || return
	for word in $defaults; do
		grep -q "^#   $word " "$top/tools/systemd/default" || return
	done
}
check "the page and the file of settings have the defaults" documented

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

other_error()
{
	! load_recorder "ERROR: could not insert 'vitrine': Invalid argument" &&
		[ "$(wc -l <load.log)" = 1 ]
}
check "load-recorder adds nothing to any other error" other_error

plan
