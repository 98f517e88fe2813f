#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything is recorded on all CPUs, into sub-buffers of 4 KiB, so that the tables of a
# sub-buffer are emptied all the time. Meanwhile modules that write events are loaded and
# unloaded, each at the address of the previous one. The recording is valid, and no event
# has the name, or the name of an argument, of the other module.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

[ -e "$VITRINE_MODULES/swap_alpha.ko" ] || skip "no swap_alpha.ko"
nr_cpus=$(nproc)
rounds=20

# come_and_go NAME: load the module, make it write events, unload it
come_and_go()
{
	insmod "$VITRINE_MODULES/swap_$1.ko" &&
	set_to events +swap &&
	cat "/sys/module/swap_$1/sections/.rodata" >>/tmp/swap.places &&
	echo "$rounds" >"/sys/module/swap_$1/parameters/run" &&
	rmmod "swap_$1"
}

# swap TIMES: load the two modules in turns
swap()
{
	local i

	for ((i = 0; i < $1; i++)); do
		come_and_go alpha && come_and_go bravo || return
	done
}

# What the modules write; an event with another content is a lie.
honest=
for module in 1:alpha 2:bravo; do
	name=${module#*:}
	nr="${name}_nr=${module%:*}"
	honest+="| swap:$name-(none|one $nr|text ${name}_text=\"$name\"|counter id 0 $nr constant=\"$name\")$"
done

# swapped: print the events of the modules
swapped()
{
	vitrine print /tmp/swap.fxt | grep ' swap:'
}

# no_lies: each of them is what its module has written
no_lies()
{
	fails grep -vE "${honest#|}" <(swapped)
}

# reused: a module was loaded at the address of the previous one
reused()
{
	uniq -d /tmp/swap.places | grep .
}

# ---- nothing but these events: each is there -----------------------------------

export -f come_and_go swap
export rounds
load || exit
: >/tmp/swap.places
check "alone: record" vitrine record --no-wakeups -o /tmp/swap.fxt -- bash -c "swap 10"
check "alone: sound" vitrine check /tmp/swap.fxt
check "alone: each event has the name of its module" no_lies
check "alone: all events of both modules are there" within $((2 * 10 * 4 * rounds * nr_cpus)) "$(swapped | wc -l)" \
	$((2 * 10 * 4 * rounds * nr_cpus))
check "alone: one module was where the other had been" reused
unload

# ---- everything ----------------------------------------------------------------

load subbuf_kb=4 buffer_kb=4096 || exit
sed 's/^-/+/' "$TRACE/events" >/tmp/events
while read -r category; do
	check "$category" set_to events "$category"
done </tmp/events
: >/tmp/swap.places
(while [ -e /tmp/swap.places ]; do "$WORKLOAD" crowd 40 4000; done) >/dev/null &
check "everything: record" vitrine record -o /tmp/swap.fxt -- bash -c "swap 10"
check "everything: one was where the other had been" reused
rm /tmp/swap.places
wait
check "everything: sound" vitrine check /tmp/swap.fxt
vitrine check /tmp/swap.fxt | tail -n 1 | sed 's/^/# /'
check "everything: each module tells of itself" no_lies
# The recorder loses records if it gets no CPU, but hardly those of all modules.
check "everything: some of what they wrote" within $((4 * rounds)) \
	"$(swapped | wc -l)" $((2 * 10 * 4 * rounds * nr_cpus))
rm -f /tmp/swap.fxt

finish
