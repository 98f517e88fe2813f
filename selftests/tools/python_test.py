# SPDX-License-Identifier: GPL-2.0
"""Compare the results of tools/python/vitrine.py for files with the command's output.

    python_test.py VITRINE FILE...

Prints TAP. The values of an Inspect file must be those of `vitrine show --json`, and the
records of a trace those of `vitrine print --json`. Errors must occur in both.
"""

import base64
import json
import math
import subprocess
import sys

import vitrine


def plain(value):
    """Return a value as in JSON, by the rules of Documentation/json.rst."""
    if isinstance(value, dict):
        return {escape(name): plain(child) for name, child in value.items()}
    if isinstance(value, vitrine.Histogram):
        linear = value.multiplier is None
        made = {"histogram": "linear" if linear else "exponential", "floor": plain(value.floor),
                "step" if linear else "initial_step": plain(value.step),
                "step_multiplier": plain(value.multiplier), "counts": plain(value.counts)}
        return {name: part for name, part in made.items() if part is not None}
    if isinstance(value, vitrine.Link):
        return {"link": plain(value.content), "disposition": "inline" if value.inline else "child",
                "error": value.error.strerror if value.error else None}
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, bytes):
        return "b64:" + base64.b64encode(value).decode()
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogateescape")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return plain(raw)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "-Infinity"[value > 0 :]
    if isinstance(value, vitrine.Thread):
        made = {"tid": value.tid, "pid": value.pid, "name": plain(value.name)}
        return {name: part for name, part in made.items() if part is not None}
    return value


def escape(name):
    """Escape what a key cannot contain as text: bytes that are not UTF-8, and NUL."""
    return "".join(f"\\x{ord(c) & 0xff:02x}" if "\udc80" <= c <= "\udcff" or c == "\0" else c
                   for c in name)


JSON_NAMES = {"outgoing": "out", "incoming": "in", "outgoing_priority": "out_priority",
              "incoming_priority": "in_priority", "payload": "bytes"}


def record(value):
    """Return a record as an object of `vitrine print --json`."""
    made = {}
    for name, part in vars(value).items():
        is_payload = name == "payload" and part is not None
        part = len(part) if is_payload else plain(part)
        if part is not None and part != {}:
            made[JSON_NAMES.get(name, name)] = part
    return made


def command(*arguments):
    """Return the output of the command; it is empty for files of other formats."""
    run = subprocess.run(arguments, capture_output=True, check=False)
    return run.stdout.decode()


def inspect_differs(program, path):
    printed = command(program, "show", "--json", path)
    try:
        mine = plain(vitrine.inspect(path))
    except vitrine.Error as error:
        return printed and f"{error} is not raised for what the command prints"
    theirs = json.loads(printed) if printed else None
    return mine != theirs and f"{mine}\n{theirs}"


KINDS = ("switch wakeup instant counter begin end complete async-begin async async-end "
         "flow-begin flow flow-end event log large-blob lost").split()


def trace_differs(program, path):
    printed = command(program, "print", "--all", "--json", path).splitlines()
    theirs = [line for line in map(json.loads, printed) if line["kind"] in KINDS]
    for line in theirs:
        if line["kind"] == "lost":
            line.pop("event")
    try:
        with vitrine.Archive(path) as archive:
            mine = [record(each) for each in archive]
    except vitrine.Error as error:
        return printed and f"{error} is not raised for what the command prints"
    for a, b in zip(mine, theirs):
        if a != b:
            return f"{a}\n{b}"
    return len(mine) != len(theirs) and f"{len(mine)} records, not {len(theirs)}"


def main():
    program, *paths = sys.argv[1:]
    failed = 0
    for nr, path in enumerate(paths, 1):
        differs = inspect_differs if path.endswith(".inspect") else trace_differs
        said = differs(program, path)
        print(f"{'not ' if said else ''}ok {nr} {path}")
        for line in str(said or "").splitlines():
            print("#", line)
        failed |= bool(said)
    print(f"1..{len(paths)}")
    return failed


sys.exit(main())
