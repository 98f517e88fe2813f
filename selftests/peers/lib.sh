# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers of the measurements: costs in the table "$table", and LTTng, which is not available
# for every kernel.

# cost_of TRACER: what it adds to a switch, in instructions, as an integer
cost_of()
{
	awk -F '\t' -v tracer="$1" '$1 == tracer { printf "%d", $2 + 0.5 }' "$table"
}

# times LEAST TRACER OURS: the tracer takes at least LEAST times as many instructions as OURS
times()
{
	local ours theirs

	ours=$(cost_of "$3")
	theirs=$(cost_of "$2")
	echo "$2: $theirs, $3: $ours"
	[ -n "$ours" ] && [ -n "$theirs" ] && [ $((ours * $1)) -le "$theirs" ]
}

lttng_is_here()
{
	[ -e /vitrine/lttng/order ]
}

# quietly COMMAND...: run a command; print its output only if it fails
quietly()
{
	local said

	said=$("$@" 2>&1) || {
		echo "# $*: $said"
		return 1
	}
}

# LTTng's modules, and its daemons.
lttng_load()
{
	local module

	while read -r module; do
		insmod "/vitrine/lttng/$module" || return
	done </vitrine/lttng/order
	lttng-sessiond --daemonize --kmod-probes=sched
}

# lttng_begin DIR-OPTION CHANNEL-OPTION...: record switches in a session called "peer"
lttng_begin()
{
	quietly lttng create peer "$1" &&
		shift &&
		quietly lttng enable-channel --kernel "$@" kernel &&
		quietly lttng enable-event --kernel --channel=kernel sched_switch &&
		quietly lttng start
}
