# SPDX-License-Identifier: GPL-2.0
"""Records of Fuchsia traces, for the traces that tests make up.

As mkfxt.py does, this shares no code with the library.
"""
import struct
import sys

MAGIC = 0x0016547846040010


def word(number):
    return struct.pack("<Q", number & 2**64 - 1)


def stream(text):
    return text + bytes(-len(text) % 8)


def ref(text):
    """Return the reference to an inline string."""
    return 0x8000 | len(text) if text else 0


def record(kind, fields, *body):
    """Return a record or an argument. Numbers in @body are words of it."""
    body = b"".join(word(each) if isinstance(each, int) else each for each in body)
    return word(kind | (1 + len(body) // 8) << 4 | fields) + body


def arg(name, value, kind=8):
    """Return an argument of a string, or of a number that has a word of its own."""
    if isinstance(value, bytes):
        return record(6, ref(name) << 16 | ref(value) << 32, stream(name), stream(value))
    return record(kind, ref(name) << 16, stream(name), value)


def int32(name, value):
    return record(1, ref(name) << 16 | (value & 2**32 - 1) << 32, stream(name))


def name(kind, koid, text, *args):
    """Return the name of a process, which has kind 1, or of a thread, which has 2."""
    return record(7, kind << 16 | ref(text) << 24 | len(args) << 40, koid, stream(text), *args)


def event(ns, process, thread, category, text, *args, kind=0, last=()):
    return record(4, kind << 16 | len(args) << 20 | ref(category) << 32 | ref(text) << 48,
                  ns, process, thread, stream(category), stream(text), *args, *last)


def switch(ns, out, into, *args, cpu=0, state=3):
    return record(8, len(args) << 16 | cpu << 20 | state << 36 | 1 << 60, ns, out, into, *args)


def legacy_switch(ns, out, into, state=3):
    """Return a switch of the other form; a thread is (process, thread), and idle is (0, 0)."""
    return record(8, state << 24 | (120 if out[1] else 0) << 44 | (120 if into[1] else 0) << 52,
                  ns, *out, *into)


def wakeup(ns, thread, *args, cpu=0, context=0):
    return record(8, len(args) << 16 | cpu << 20 | context << 36 | 2 << 60, ns, thread, *args)


def put(*records):
    sys.stdout.buffer.write(b"".join(records))


def begin():
    """Put what a trace begins with; times are nanoseconds."""
    put(word(MAGIC), record(1, 0, 10**9))


def subbuf(sequence, first, last, *records, before=0, bytes_before=0, lost=0):
    """Put a sub-buffer of CPU 0, with the times of its first and last record."""
    preamble = (word(MAGIC), record(0, 1 << 16 | 1 << 20 | 7 << 52, stream(b"vitrine")),
                record(1, 0, 10**9))
    put(*preamble, record(5, ref(b"vitrine") << 16 | 104 << 32 | 1 << 48, stream(b"vitrine"),
                          0x54454b4341505456, 2, sequence, 160 + sum(map(len, records)),
                          first, last, before, bytes_before, lost, 1000, 17 * 10**17,
                          struct.pack("<IIII", 0, 1, 0, 4096)), *records)
