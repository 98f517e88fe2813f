# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers for LTTng, shared by cost.sh and load.sh. LTTng is not available for every kernel.

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
