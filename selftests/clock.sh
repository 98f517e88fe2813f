#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The clock of a session: the default clock, and the names of the CPU's counter. The
# counter is the default if it is steady and if its rate is known or the kernel uses it
# as its clock source.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

# is CLOCK: the clock of the session is CLOCK
is()
{
	prints "[$1]" grep -o '\[.*\]' "$TRACE/clock"
}

# cpu_has FLAG: /proc/cpuinfo lists FLAG
cpu_has()
{
	grep -qw "^flags.*$1" /proc/cpuinfo
}

default=local
case $(</sys/devices/system/clocksource/clocksource0/current_clocksource) in
tsc)
	! cpu_has constant_tsc || ! cpu_has nonstop_tsc || default=counter ;;
hpet|acpi_pm|kvm-clock|hyperv_clocksource_*)
	! cpu_has constant_tsc || ! cpu_has nonstop_tsc || ! cpu_has tsc_known_freq ||
		grep -q 'Marking TSC unstable' <(dmesg) || default=counter ;;
arch_sys_counter|riscv_clocksource)
	default=counter ;;
esac
load enable=0
check "the default is $default" is "$default"
grep -qw counter "$TRACE/clock" || skip "this machine has no usable counter"
for word in counter local; do
	check "write $word" set_to clock "$word"
	check "$word is the clock after it was written" is $word
done
if [ "$(uname -m)" = x86_64 ]; then
	check "tsc is the counter" set_to clock "tsc"
	check "the clock tsc is listed as counter" is counter
else
	check "tsc is no clock here" fails set_to clock "tsc"
	check "the clock has not changed" is local
fi
unload
load enable=0 clock=counter
check "the module parameter clock sets the clock" is counter
unload

finish
