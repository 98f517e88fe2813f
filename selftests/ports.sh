#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The drivers of samples/ports publish while vitrine is loaded, and work without it: packets are
# sent to an ifb device and pages written to a zram device while vitrine comes and goes.
#
#	ports.sh [ROUNDS]	default 2

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "ifb and zram are loaded"

rounds=${1:-2}
round=0
[ -e "$VITRINE_MODULES/ifb.ko" ] || skip "the ports are built for 6.12 only"

# use_ifb: send packets to ifb0, which has no address, until killed
use_ifb()
{
	echo 0x81 >/sys/class/net/ifb0/flags
	exec perl -MSocket -e '
		socket(my $socket, 17, SOCK_RAW, 0) or die "socket: $!";
		my $to = pack("SnlSCCx8", 17, 0x0800, $ARGV[0], 0, 0, 6);
		send($socket, "\0" x (60 + $_ % 1400), 0, $to) for 1 .. 1e9' \
		"$(cat /sys/class/net/ifb0/ifindex)"
}

# use_zram: write pages to zram0, until killed. The last dd may find the device gone: it must not
# make a file of that name.
use_zram()
{
	echo 16M >/sys/block/zram0/disksize
	while dd if="$VITRINE_KO" of=/dev/zram0 bs=64k oflag=direct conv=nocreat 2>/dev/null; do :; done
}

# used_DRIVER: set $used to how much the driver has been used
used_ifb() { read -r used </sys/class/net/ifb0/statistics/rx_packets; }
used_zram() { read -r _ _ _ _ used _ </sys/block/zram0/stat; }

# goes_on DRIVER: the driver is used further
goes_on()
{
	local before used

	"used_$1" || return
	before=$used
	further() { "used_$driver" && [ "$used" -gt "$before" ]; }
	until_true further
}

counted_ifb() { value ifb '.root.ifb0.packet_bytes.counts | add'; }
counted_zram() { value zram '.root.zram0.compressed_bytes.counts | add'; }

# counts DRIVER: what it is used for is counted. Most of a thousand rounds check only that the tree
# is there, and that the driver is used.
counts()
{
	local before

	[ -e "$INSPECT/$1.inspect" ] && goes_on "$1" || return
	[ $((round % 100)) -lt 2 ] || return 0
	before=$("counted_$1") || return
	more() { [ "$("counted_$driver")" -gt "${before/null/0}" ]; }
	until_true more
}

begin()
{
	insmod "$VITRINE_MODULES/$driver.ko" || return
	"use_$driver" &
	user=$!
}

end()
{
	kill "$user"
	wait "$user" 2>/dev/null
	until_true rmmod "$driver" 2>/dev/null	# the last dd may still have the device open
}

driver_first() { begin && load && counts $driver && end && rmmod vitrine; }
vitrine_first() { load && begin && counts $driver && end && rmmod vitrine; }
vitrine_goes_first() { load && begin && counts $driver && rmmod vitrine && goes_on $driver && end; }
vitrine_comes_back()
{
	begin && load && counts $driver && rmmod vitrine && goes_on $driver && load &&
		counts $driver && rmmod vitrine && end
}
vitrine_never_comes() { begin && goes_on $driver && end; }

modprobe -a lz4_compress lz4hc_compress
for driver in ifb zram; do
	for order in driver_first vitrine_first vitrine_goes_first vitrine_comes_back \
		vitrine_never_comes; do
		check "$driver: ${order//_/ }, $rounds times" repeat "$rounds" $order
		kill "$user" 2>/dev/null
		wait
		rmmod $driver 2>/dev/null
		rmmod vitrine 2>/dev/null
	done
done

load
driver=zram
begin
counts zram
as_mm_stat() { [ "$(value zram-stat .root.zram0.huge_pages)" = "$1" ]; }
check "zram-stat has what mm_stat has" as_mm_stat "$(awk '{ print $8 }' /sys/block/zram0/mm_stat || echo none)"
end
rmmod vitrine
finish
