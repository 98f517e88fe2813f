#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a dump of a machine's memory that contains a trace and two trees.

  mkdump.py raw|elf|many|kdump TRACE:LENGTH[,LENGTH...] TREE >DUMP

TRACE begins with sub-buffers of these lengths, and TREE has one page. "many" is an ELF
core with segments of one page, more than its header can count. "kdump" is the format of
makedumpfile: compressed, without pages of zeros.
"""
import struct
import sys
import zlib

PAGE = 4096
ELF_BYTES, PROGRAM_BYTES, SECTION_BYTES = 64, 56, 64
PN_XNUM = 0xffff
MANY = 70000


def pages_of(trace, lengths, tree):
    """Return the contents of pages, by page number; other pages are zero."""
    pages, at = {}, 0
    for number, length in enumerate(lengths):
        pages[3 + 2 * number] = trace[at:at + length]
        at += length
    pages[20] = tree
    for number, name in ((21, b"first"), (22, b"second")):
        pages[number] = b"VVTPAGES" + struct.pack("<Q64sQ", 1, name, 20)
    return {number: page.ljust(PAGE, b"\0") for number, page in pages.items()}


def raw(pages):
    """Return the memory from address 0."""
    return b"".join(pages.get(number, bytes(PAGE)) for number in range(max(pages) + 1))


def elf(pages, nr):
    """Return an ELF core of @nr segments; the pages are the last ones, in reverse order."""
    headers = ELF_BYTES + SECTION_BYTES + nr * PROGRAM_BYTES
    programs, memory = [], []
    for number in sorted(pages, reverse=True):
        programs.append(struct.pack("<IIQQQQQQ", 1, 0, headers + len(memory) * PAGE, 0,
                                    number * PAGE, PAGE, PAGE, 0))
        memory.append(pages[number])
    programs = [bytes(PROGRAM_BYTES)] * (nr - len(programs)) + programs
    header = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 4, 62, 1, 0,
                         ELF_BYTES + SECTION_BYTES, ELF_BYTES, 0, ELF_BYTES, PROGRAM_BYTES,
                         min(nr, PN_XNUM), SECTION_BYTES, 1, 0)
    section = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, nr, 0, 0)
    return header + section + b"".join(programs + memory)


def kdump(pages):
    """Return a compressed dump, version 6: two blocks of headers, bitmaps, pages."""
    nr = max(pages) + 1
    name = b"".join(word.ljust(65, b"\0") for word in (
        b"Linux", b"host", b"6.12.0", b"#1", b"x86_64", b""))
    header = struct.pack("<8si390s6x16xIiiIIIIIIi", b"KDUMP   ", 6, name, 1, PAGE, 1, 2, nr,
                         nr, 0, len(pages), 0, 1)
    sub_header = struct.pack("<QiiQQQQQQQQQQQ", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nr)
    bitmap = bytearray(PAGE)
    for number in pages:
        bitmap[number // 8] |= 1 << number % 8
    at = 4 * PAGE + 24 * len(pages)
    descriptors, data = b"", b""
    for number in sorted(pages):
        packed = zlib.compress(pages[number])
        descriptors += struct.pack("<QIIQ", at + len(data), len(packed), 1, 0)
        data += packed
    return (header.ljust(PAGE, b"\0") + sub_header.ljust(PAGE, b"\0") + 2 * bytes(bitmap) +
            descriptors + data)


kind, trace, tree = sys.argv[1:]
path, lengths = trace.rsplit(":", 1)
with open(path, "rb") as file:
    trace = file.read()
with open(tree, "rb") as file:
    tree = file.read()
pages = pages_of(trace, [int(length) for length in lengths.split(",")], tree)
dump = {"raw": lambda: raw(pages), "elf": lambda: elf(pages, len(pages)),
        "many": lambda: elf(pages, MANY), "kdump": lambda: kdump(pages)}[kind]()
sys.stdout.buffer.write(dump)
