#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
r"""Assemble a golden file from a description of its 64-bit words.

	words.py FILE.words > FILE

A line describes one little-endian word, field by field, with the bit numbers of the format's
specification, independently of the headers with which the reader under test is built. '#'
begins a comment.

	0..3=1 8..15=2 32..63="INSP"	fields; other bits are 0; a text fills its field from the
					lowest byte on
	5=1				a field of one bit
	42, -1, 0xff			all bits of the word
	f64=0.1				all bits of the word, as a double
	"some text"			as many words as necessary, zero-filled; \xHH in it is a byte
	zero 4				four words of 0
	@12  or  @12+1			continue at index 12 (byte 192), word 1
	use NAME			the words of NAME.words in the same directory; later lines
					change them
	length 512			length of the file, if it is not the end of the last word
	check: ..., show: ...		expectations of the test; ignored here
"""
import ast
import pathlib
import re
import struct
import sys

TOKEN = re.compile(r'#.*|(?:"(?:\\.|[^"\\])*"|[^\s"#])+')


def tokens_of(line):
    return [token for token in TOKEN.findall(line) if not token.startswith("#")]


def unquoted(token):
    return ast.literal_eval("b" + token) if token.startswith('"') else token.encode()


def stream(text):
    return text + bytes(-len(text) % 8)


def word_of(*fields):
    """Return a word of fields, or of one value."""
    word = 0
    for field in fields:
        low, high, value = re.fullmatch(r"(?:(\d+)(?:\.\.(\d+))?=)?(.*)", field).groups()
        bits = int(high or low or 63) - int(low or 0) + 1
        if value.startswith('"'):
            value = int.from_bytes(unquoted(value), "little")
        else:
            value = int(value, 0) & (-1 if low else 2**64 - 1)
        if value >> bits:
            raise ValueError(f"{field}: the value does not fit")
        word |= value << int(low or 0)
    return word


def assemble(path, image):
    """Write the words of a file into @image, and return the length of the file."""
    at = length = 0
    for line in path.read_text().splitlines():
        tokens = tokens_of(line)
        if tokens and tokens[0].startswith("@"):
            index, _, word = tokens.pop(0)[1:].partition("+")
            at = 16 * int(index) + 8 * int(word or 0)
        if not tokens or re.match("(check[:!]|show:|summary:)", tokens[0]):
            continue
        if tokens[0] == "use":
            length = assemble(path.parent / f"{tokens[1]}.words", image)
            at = len(image)
            continue
        if tokens[0] == "length":
            length = int(tokens[1])
            continue
        if tokens[0] == "zero":
            words = bytes(8 * int(tokens[1]))
        elif tokens[0].startswith("f64="):
            words = struct.pack("<d", float(tokens[0][4:]))
        elif tokens[0].startswith('"'):
            words = stream(unquoted(tokens[0]))
        else:
            words = struct.pack("<Q", word_of(*tokens))
        image.extend(bytes(max(0, at - len(image))))
        image[at:at + len(words)] = words
        at += len(words)
    return length


def main(path):
    image = bytearray()
    length = assemble(pathlib.Path(path), image)
    sys.stdout.buffer.write((image + bytes(max(0, length - len(image))))[:length or None])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: words FILE.words > FILE", file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1])
