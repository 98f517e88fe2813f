#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write an Inspect file (version 1) from a tree in JSON on standard input.

An object is a node. A number with a point is a DOUBLE, one without is a UINT, or an INT if
it is negative. A list is an array. Other values are objects {"$TYPE": ...} with the TYPE
"double" for the strings "nan" and "inf", "bytes" for a string whose bytes are a byte
vector, "link" for the name of a tree, "linear" and "exponential" for a list of the slots of a histogram, and "children"
for a list of pairs [name, value], in which a name may occur several times. In names and
strings \\udcXX is the byte XX, as in Python.

  mktree.py [GENERATION] <TREE.json >TREE.inspect

A tree of generation -2 is frozen.
"""
import json
import struct
import sys

ROOT = 0
NODE, INT, UINT, DOUBLE, BUFFER, EXTENT, NAME, ARRAY, LINK, BOOL = 3, 4, 5, 6, 7, 8, 9, 11, 12, 13
STRREF = 14


class Heap:
    """Consecutive blocks, each aligned to its size."""

    def __init__(self):
        self.bytes = bytearray(16)

    def add(self, block_type, fields, payload):
        """Append a block; @fields is stored in word 0 from bit 16 on. Return its index."""
        order = max(0, (len(payload) + 7).bit_length() - 4)
        size = 16 << order
        while len(self.bytes) % size:
            self.bytes += bytes(16)
        index = len(self.bytes) // 16
        word = order | block_type << 8 | fields << 16
        self.bytes += (struct.pack("<Q", word) + payload).ljust(size, b"\0")
        return index

    def text(self, raw):
        """Append bytes, as EXTENTs from the last one to the first one. Return the payload."""
        following = 0
        for at in reversed(range(0, len(raw), 2040)):
            following = self.add(EXTENT, following, raw[at:at + 2040])
        return struct.pack("<Q", len(raw) | following << 32)

    def name(self, string):
        raw = encoded(string)
        if len(raw) > 2036:
            sys.exit("mktree.py: a name is too long")
        return self.add(NAME, len(raw), raw)

    def value(self, block_type, parent, name, payload):
        return self.add(block_type, parent | self.name(name) << 24, payload)


def encoded(string):
    return string.encode("utf-8", "surrogateescape")

def slot(number):
    """Return type and bits of a number."""
    if isinstance(number, float):
        return DOUBLE, struct.pack("<d", number)
    if number < 0:
        return INT, struct.pack("<q", number)
    return UINT, struct.pack("<Q", number)


def add_array(heap, parent, name, array_format, slots):
    kinds = {slot(number)[0] for number in slots}
    # If one number is negative, all of them are signed.
    kind = INT if kinds == {INT, UINT} else kinds.pop()
    payload = struct.pack("<Q", kind | array_format << 4 | len(slots) << 8)
    for number in slots:
        payload += struct.pack("<q", number) if kind == INT else slot(number)[1]
    heap.value(ARRAY, parent, name, payload)


def add_below(heap, node, children):
    for name, child in children:
        add(heap, node, name, child)


def add_special(heap, parent, name, kind, content):
    if kind == "double":
        heap.value(DOUBLE, parent, name, struct.pack("<d", float(content)))
    elif kind == "bytes":
        payload = struct.unpack("<Q", heap.text(encoded(content)))[0]
        heap.value(BUFFER, parent, name, struct.pack("<Q", payload | 1 << 60))
    elif kind == "link":
        heap.value(LINK, parent, name, struct.pack("<Q", heap.name(content)))
    elif kind == "children":
        add_below(heap, heap.value(NODE, parent, name, bytes(8)), content)
    else:
        add_array(heap, parent, name, {"linear": 1, "exponential": 2}[kind], content)


def add(heap, parent, name, value):
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$"):
        kind, content = next(iter(value.items()))
        add_special(heap, parent, name, kind[1:], content)
    elif isinstance(value, dict):
        add_below(heap, heap.value(NODE, parent, name, bytes(8)), value.items())
    elif isinstance(value, bool):
        heap.value(BOOL, parent, name, struct.pack("<Q", value))
    elif isinstance(value, str):
        heap.value(BUFFER, parent, name, heap.text(encoded(value)))
    elif isinstance(value, list):
        add_array(heap, parent, name, 0, value)
    else:
        kind, payload = slot(value)
        heap.value(kind, parent, name, payload)


heap = Heap()
tree = json.load(sys.stdin)
add_below(heap, ROOT, tree.get("$children", tree.items()))
generation = int(sys.argv[1]) & 2**64 - 1 if sys.argv[1:] else len(heap.bytes)
heap.bytes[:16] = struct.pack("<HHIQ", 2 << 8, 1, 0x50534e49, generation)
sys.stdout.buffer.write(heap.bytes)
