#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a tree and a trace of hostile names, strings and numbers, and check their JSON.

  json_cases.py tree MKTREE >TREE.inspect
  json_cases.py trace >TRACE.fxt
  json_cases.py compare-tree <JSON
  json_cases.py compare-trace <JSON

Python's parser reads the JSON. The expected results are computed from the same cases by
the rules of Documentation/json.rst.
"""
import base64
import json
import math
import random
import struct
import subprocess
import sys

from fxt import begin, event, name, put, record, ref, stream, word

TEXTS = [
    b"plain", b"", b'"', b"\\", b'a"b\\c/d', b"\x7f", b"tab\there", b"</script>",
    *(b"control %c." % c for c in range(1, 0x20)), b"\x00", b"nul\x00nul",
    "näme".encode(), "\u2028\u2029\u202e\ufeff".encode(), "\U0001f600\U0010ffff".encode(),
    b"\xff", b"cut \xe2\x82", b"overlong \xc0\x80", b"surrogate \xed\xa0\x80",
    b"beyond \xf4\x90\x80\x80", b"alone \x80", b"x" * 509, b"x" * 510, b"x" * 511, b'"' * 700,
    *(b"x" * n for n in range(600, 2000, 50)),
    ("ä" * 700).encode(), b"\xff" * 700, b"\\x00", b"\\#2", b"b64:", b"\\u0000",
]
NUMBERS = [0, 1, 9, 10, 99, 100, 2**32, 2**53 + 1, 10**19, 2**63, 2**64 - 1, -1, -9, -10,
           -2**31, -2**53 - 1, -2**63]
REALS = [0.0, -0.0, 0.1, 1.0, -2.5, 1e15, 1e16, 1e17, 1e21, 1e22, 123456789012345680.0, 1e300,
         5e-324, 2.2250738585072014e-308, sys.float_info.max, math.pi, 1 / 3, math.inf,
         -math.inf, math.nan]


def random_texts():
    """Return short random strings of the characters that are hardest to escape."""
    source = random.Random(1)
    pieces = [b"a", b'"', b"\\", b"\n", b"\0", b"\xc3", b"\xa4", b"\xf0\x9f\x98\x80", b"/"]
    return [b"".join(source.choices(pieces, k=source.randrange(12))) for _ in range(300)]


# Strings of more than two 8-byte words, with a byte at each position.
PLAIN = b"a plain text of it"
ALL_TEXTS = TEXTS + random_texts() + [PLAIN[:at] + bytes([byte]) + PLAIN[at:]
                                      for byte in b"\0\x1f !\"#[\\]\x7f\x80\xff"
                                      for at in range(len(PLAIN) + 1)]

# ---- Expected JSON ----


def text_of(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "b64:" + base64.b64encode(raw).decode()


def name_of(raw, ordinal):
    said = ""
    for char in raw.decode("utf-8", "surrogateescape"):
        if char == "\0" or "\udc80" <= char <= "\udcff":
            said += "\\x%02x" % (ord(char) & 0xff)
        else:
            said += "\\\\" if char == "\\" else char
    return said + ("\\#%d" % (ordinal + 1) if ordinal else "")


class Real(str):
    """The text of a number with a point or an exponent."""

    def digits(self):
        return self.lower().split("e")[0].lstrip("-").replace(".", "").strip("0")

    def is_shortest(self, number):
        return float(self) == number and \
            math.copysign(1, float(self)) == math.copysign(1, number) and \
            len(self.digits()) == len(Real(repr(number)).digits())


def same_real(number, said):
    if math.isnan(number):
        return said == "NaN"
    if math.isinf(number):
        return said == ("Infinity" if number > 0 else "-Infinity")
    return isinstance(said, Real) and said.is_shortest(number)


def same(expected, said):
    """Whether @said, from the parser, equals @expected and has the same types."""
    if isinstance(expected, float):
        return same_real(expected, said)
    if type(expected) is not type(said):
        return False
    if isinstance(expected, dict):
        return expected.keys() == said.keys() and \
            all(same(expected[name], said[name]) for name in expected)
    if isinstance(expected, list):
        return len(expected) == len(said) and all(map(same, expected, said))
    return expected == said


def differences(expected, said, path):
    """Print the differences, and return how many there are."""
    if isinstance(expected, dict) and isinstance(said, dict) and expected.keys() == said.keys():
        return sum(differences(expected[name], said[name], path + [name]) for name in expected)
    if same(expected, said):
        return 0
    print(f"{path}: {said!r:.300}, not {expected!r:.300}")
    return 1


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        sys.exit(f"two members of one name: {names}")
    return dict(pairs)


def parse(raw):
    def constant(text):
        sys.exit(f"{text} is no JSON")

    return json.loads(raw.decode(), parse_float=Real, parse_constant=constant,
                      object_pairs_hook=unique)

# ---- A tree ----


def tree_cases():
    """Yield pairs of a value for mktree.py and the expected JSON."""
    yield from ((raw.decode("utf-8", "surrogateescape"), text_of(raw)) for raw in ALL_TEXTS)
    for raw in (b"", b"1", b"12", b"123", bytes(range(256))):
        yield ({"$bytes": raw.decode("utf-8", "surrogateescape")},
               "b64:" + base64.b64encode(raw).decode())
    yield from ((number, number) for number in NUMBERS + [True, False])
    yield from (({"$double": str(real)}, real) for real in REALS)
    finite = [real for real in REALS if math.isfinite(real)]
    yield [1, 2, 2**64 - 1], [1, 2, 2**64 - 1]
    yield [1, -2**63], [1, -2**63]
    yield finite, finite
    yield {"$linear": [1, 2, 3, 4]}, {"histogram": "linear", "floor": 1, "step": 2,
                                      "counts": [3, 4]}
    yield ({"$exponential": [0.5, 2.0, 4.0, 1.0, 2.0]},
           {"histogram": "exponential", "floor": 0.5, "initial_step": 2.0,
            "step_multiplier": 4.0, "counts": [1.0, 2.0]})
    yield {}, {}


def tree(mktree):
    values = {str(i): value for i, (value, _) in enumerate(tree_cases())}
    names = [[raw.decode("utf-8", "surrogateescape"), 1] for raw in ALL_TEXTS]
    root = {"values": values, "names": {"$children": names}}
    subprocess.run([sys.executable, mktree], input=json.dumps(root).encode(), check=True)


def ordinals(names):
    """Yield each name with the number of equal names before it."""
    before = {}
    for name in names:
        yield name, before.get(name, 0)
        before[name] = before.get(name, 0) + 1


def expected_tree():
    return {"root": {
        "values": {str(i): said for i, (_, said) in enumerate(tree_cases())},
        "names": {name_of(raw, nr): 1 for raw, nr in ordinals(ALL_TEXTS)},
    }}

# ---- A trace ----


def arg(name, kind, low, payload=b""):
    """Encode an argument; @low is stored in the first word from bit 32 on."""
    return record(kind, ref(name) << 16 | low << 32, stream(name), payload)


def arg_cases():
    """Yield pairs of kind, low and payload of an argument, and the expected JSON."""
    yield (0, 0), None
    yield (9, 0), False
    yield (9, 1), True
    for number in NUMBERS:
        if -2**31 <= number < 2**31:
            yield (1, number & 2**32 - 1), number
        if 0 <= number < 2**32:
            yield (2, number), number
        if number < 2**63:
            yield (3, 0, word(number)), number
        if number >= 0:
            yield from (((kind, 0, word(number)), number) for kind in (4, 7, 8))
    yield from (((5, 0, struct.pack("<d", real)), real) for real in REALS)
    yield from (((6, ref(raw), stream(raw)), text_of(raw)) for raw in ALL_TEXTS)


def event_cases():
    """Yield name, category and arguments of each event."""
    cases, source = list(arg_cases()), random.Random(2)
    for i, raw in enumerate(ALL_TEXTS):
        names = [raw, b"of another", raw] + source.choices(ALL_TEXTS, k=8)
        yield raw, ALL_TEXTS[-i], [(name, *source.choice(cases)) for name in names]
    for case in cases:
        yield b"one", b"argument", [(b"value", *case)]


def trace():
    begin()
    for koid, raw in enumerate(TEXTS, 1):
        put(name(2, koid, raw, arg(b"process", 8, 0, word(koid + 1000))))
    for i, (text, category, args) in enumerate(event_cases()):
        put(event(i, 77, 1 + i % len(TEXTS), category, text,
                  *(arg(arg_name, *fields) for arg_name, fields, _ in args)))


def expected_trace():
    for i, (name, category, args) in enumerate(event_cases()):
        koid = i % len(TEXTS)
        thread = {"tid": koid + 1, "pid": 77}
        if TEXTS[koid]:
            thread["name"] = text_of(TEXTS[koid])
        pairs = zip(args, ordinals(arg_name for arg_name, _, _ in args))
        yield {
            "time_ns": i, "kind": "instant", "thread": thread,
            "category": text_of(category), "name": text_of(name),
            "args": {name_of(*which): value for (_, _, value), which in pairs},
        }


def compare_trace(lines):
    said = [parse(line) for line in lines]
    for record in said:
        del record["offset"], record["provider"]
    return differences(dict(enumerate(expected_trace())), dict(enumerate(said)), [])


def summary(file):
    if file["format"] == "fxt":
        return ("Fuchsia trace: {size_bytes} bytes, {records} records, {switches} switches, "
                "{cpus} CPUs, {threads} threads, {lost} records lost").format_map(file)
    frozen = file["generation"] == 2**64 - 2
    return ("Inspect version {version}, {when}: {size_bytes} bytes, {blocks} blocks, {values} "
            "values, {free_bytes} bytes free{stale}").format_map(
                file | {"when": "frozen" if frozen else f"generation {file['generation']}",
                        "stale": ", {stale_blocks} blocks with stale bytes".format_map(file)
                                 if file["stale_blocks"] else ""})


def check_text(files):
    """Print the text that `vitrine check' prints, computed from its JSON."""
    for file in files:
        if "error" in file:
            print("vitrine: {file}: {error}".format_map(file), file=sys.stderr)
            continue
        for found in file["findings"]:
            note = "note: " if found["kind"] == "note" else ""
            print(f"{file['file']}: offset {found['offset']:#x}: {note}{found['message']}")
        verdict = f"{file['faults'] or 'no'} fault{'s' if file['faults'] > 1 else ''}"
        print(f"{file['file']}: {summary(file)}: {verdict}")


what = sys.argv[1]
if what == "tree":
    tree(sys.argv[2])
elif what == "trace":
    trace()
elif what == "check-text":
    check_text(parse(sys.stdin.buffer.read()))
elif what == "compare-tree":
    sys.exit(differences(expected_tree(), parse(sys.stdin.buffer.read()), []) != 0)
else:
    sys.exit(compare_trace(sys.stdin.buffer.read().split(b"\n")[:-1]) != 0)
