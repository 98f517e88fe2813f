#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a small kernel trace in the layout of LTTng's modules, without LTTng.

  mkctf.py DIR [taken|renamed]

The trace has two CPUs, names as arrays of characters, compact time stamps, a wakeup that is
recorded on the target CPU, events of four kinds, one of them with an array of more elements than
an event can have arguments, one with all kinds of nested fields, and 7 events discarded on CPU 1.
convert.sh has the expected result. With "taken", threads have ids that the conversion makes up
for its own threads, before and after it makes them up. With "renamed", a thread executes another
program between two switches.
"""
import os
import struct
import sys

MAGIC = 0xC1FC1FC1
UUID = bytes(range(16))

# The fields of the events, by their ids.
EVENTS = {
    "sched_switch": "char _prev_comm[16]; int32_t _prev_tid; int32_t _prev_prio; int64_t _prev_state;"
                    "char _next_comm[16]; int32_t _next_tid; int32_t _next_prio;",
    "sched_wakeup": "char _comm[16]; int32_t _tid; int32_t _prio; int32_t _target_cpu;",
    "syscall_entry_openat": "int32_t _dfd; string _filename;",
    "syscall_exit_openat": "int64_t _ret;",
    "block_rq_issue": "uint32_t _dev; uint64_t _sector; uint8_t _cmd[16];",
    "lttng_statedump_process_state": "int32_t _tid; int32_t _pid; string _name;",
    "nested": 'enum : uint8_t { "number", "text" } _tag; struct { int32_t x; string name; } _inner;'
              "uint8_t _nr; uint16_t _list[_nr]; variant <_tag> { uint32_t number; string text; } _choice;",
}
SWITCH, WAKEUP, ENTRY, EXIT, ISSUE, STATE, NESTED = range(7)


def typealias(name, size, more="signed = false;"):
    return f"typealias integer {{ size = {size}; align = 8; {more} }} := {name};\n"


METADATA = "/* CTF 1.8 */\n" + "".join(
    typealias(f"{sign}int{size}_t", size, f"signed = {'false' if sign else 'true'};")
    for size in (8, 16, 32, 64) for sign in ("u", "")
) + typealias("char", 8, "signed = false; encoding = UTF8;") + """
trace {
	major = 1; minor = 8; byte_order = le;
	uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
	packet.header := struct {
		uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id;
	};
};
env {
	domain = "kernel"; sysname = "Linux";
	tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 13;
};
clock { name = "monotonic"; freq = 1000000000; offset = 1700000000000000000; };
""" + "".join(
    typealias(f"uint{size}_clock_t", size, "signed = false; map = clock.monotonic.value;")
    for size in (32, 64)
) + """
stream {
	id = 0;
	packet.context := struct {
		uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
		uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
		uint64_t events_discarded; uint32_t cpu_id;
	};
	event.header := struct { uint16_t id; uint32_clock_t timestamp; };
};
""" + "".join(
    f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{ {fields} }}; }};\n'
    for number, (name, fields) in enumerate(EVENTS.items())
)


def event(number, time, payload):
    return struct.pack("<HI", number, time) + payload


def switch(time, prev, state, following):
    return event(SWITCH, time, struct.pack("<16siiq16sii", *prev, state, *following))


def packet(cpu, sequence, begin, end, discarded, events):
    head = struct.pack("<I16sIQ", MAGIC, UUID, 0, cpu)
    content = b"".join(events)
    size = (len(head) + 6 * 8 + 4 + len(content)) * 8
    return (head + struct.pack("<QQQQQQI", begin, end, size, size, sequence,
                               discarded, cpu) + content)


IDLE0, IDLE1 = (b"swapper/0", 0, 20), (b"swapper/1", 0, 20)
BASH, CAT, RT = (b"bash", 1000, 20), (b"cat", 1001, 25), (b"irq/9-acpi", 77, -51)

CPU0 = [
    packet(0, 0, 1000, 3000, 0, [
        event(STATE, 1000, struct.pack("<ii", 1001, 1000) + b"cat\0"),
        event(STATE, 1001, struct.pack("<ii", 1000, 1000) + b"bash\0"),
        switch(1100, IDLE0, 0, BASH),
        event(ENTRY, 1200, struct.pack("<i", -100) + b"/etc/motd\0"),
        event(EXIT, 1300, struct.pack("<q", -2)),
        switch(2000, BASH, 1, CAT),
        event(ISSUE, 2500, struct.pack("<IQ16s", 8, 1 << 40, b"abc")),
        event(NESTED, 2600, struct.pack("<Bi5sB2H4s", 1, -3, b"here", 2, 7, 8, b"two")),
        switch(3000, CAT, 0x10, IDLE0),
    ]),
]
CPU1 = [
    packet(1, 0, 1050, 2100, 0, [
        event(WAKEUP, 1050, struct.pack("<16siii", *RT, 1)),
        switch(1500, IDLE1, 0, RT),
        switch(2100, RT, 2, IDLE1),
    ]),
    packet(1, 1, 2200, 2900, 7, [
        switch(2200, RT, 0x100, BASH),
        switch(2900, BASH, 4, IDLE1),
    ]),
]

# The first event has no thread, for which the conversion makes up 0x50000000; the last one
# is in idle, for which it makes up 0x40000000.
MADE_UP, TAKEN = (b"first", 0x40000000, 20), (b"second", 0x50000000, 20)
ISSUED = struct.pack("<IQ16s", 8, 1, b"")
TAKEN0 = [
    packet(0, 0, 1000, 1700, 0, [
        event(ISSUE, 1000, ISSUED),
        switch(1100, IDLE0, 0, MADE_UP),
        event(ISSUE, 1200, ISSUED),
        switch(1300, MADE_UP, 1, TAKEN),
        event(ISSUE, 1400, ISSUED),
        event(WAKEUP, 1500, struct.pack("<16siii", *MADE_UP, 0)),
        switch(1600, TAKEN, 1, IDLE0),
        event(ISSUE, 1700, ISSUED),
    ]),
]

# A thread that executes another program.
SH, LS = (b"sh", 1002, 20), (b"ls", 1002, 20)
RENAMED0 = [
    packet(0, 0, 1000, 1300, 0, [
        switch(1000, IDLE0, 0, SH),
        switch(1100, SH, 1, BASH),
        switch(1200, BASH, 1, LS),
        switch(1300, LS, 1, IDLE0),
    ]),
]
channels = {"": [CPU0, CPU1], "taken": [TAKEN0], "renamed": [RENAMED0]}["".join(sys.argv[2:])]
os.makedirs(sys.argv[1])
files = {f"channel0_{i}": b"".join(packets) for i, packets in enumerate(channels)}
for name, bytes_ in {"metadata": METADATA.encode(), **files}.items():
    with open(os.path.join(sys.argv[1], name), "wb") as out:
        out.write(bytes_)
