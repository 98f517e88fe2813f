#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the golden traces.

	mkfxt.py		list the names of all traces
	mkfxt.py NAME		write the trace NAME to standard output
	mkfxt.py load SEED PERCENT
				write a trace of four workers whose waits vary at random,
				with so many percent more waiting of worker-2
	mkfxt.py steady NS N	write a trace of a thread whose waits take 3.5 us and NS more,
				but for N that take 100 us
	mkfxt.py speed SWITCHES	write a trace of two CPUs with so many switches
	mkfxt.py jumble SWITCHES
				write such a trace whose provider is not in time order
	mkfxt.py stacks N	write a trace in which a command waits so often, each time with
				another stack

good.traces, why.traces and bad.traces describe the traces. The fields of records are composed
from the text of the format. No code is shared with the library or the module, so that errors
in their masks are found. The expected results are in fxt/NAME.print and fxt/NAME.check.

A description has a statement a line, and what belongs to a statement is indented:

	trace NAME		a trace; later ones can "use" what is in it
	define NAME PARAM...	a statement NAME; what is behind its arguments is {rest}, and
				the time in front of it is {at}
	table NAME COLUMN...	rows; "each NAME" repeats what follows for each of them, as {nr}
	for NAME in EXPRESSION, if EXPRESSION, NAME = EXPRESSION
				as in Python; elsewhere {EXPRESSION} is replaced by its value
	TIME STATEMENT		a record with a time, in units of "unit" nanoseconds or ticks:
				"THREAD [STATE] > THREAD" is a switch, "wake THREAD [CONTEXT]" a
				wakeup, in the context "context" if none is given,
				"EVENT THREAD CATEGORY NAME ARGUMENT... WORD..." an event
	actor NAME REFERENCE:PRIORITY PROCESS/THREAD [TEXT]
				a thread, which "introduce NAME..." registers and names in the trace
	name ID TEXT		the name of a PROCESS or a PROCESS/THREAD
	cpu CPU			that of the next switches and wakeups
	subbuf CPU THREAD... FIELD=VALUE...
				begin a sub-buffer of the module, introduce threads in it, and
				change fields of its header, which are counted otherwise; += adds
	end, new-session CPU	end a sub-buffer, also by beginning the next one, or a session
	pairs NR TICKS [GAP]	switches from idle to the worker and back
	record TYPE BODY...	a record of which only the first word is special
	word, text, bytes	what no valid record has

Fields of a word are "LOW..HIGH=VALUE" with the bit numbers of the format, joined by commas. A
thread is its name, or PROCESS/THREAD inline. @N is the reference N to a thread or a string, and
text in other places is an inline string. Arguments are NAME:TYPE=VALUE, of a string NAME=VALUE.
"""
import functools
import pathlib
import re
import struct
import sys
import types

sys.dont_write_bytecode = True		# words.py is in the sources
from words import stream, tokens_of, unquoted, word_of

EVENTS = ["instant", "counter", "begin", "end", "complete", "async_begin", "async_instant",
          "async_end", "flow_begin", "flow_step", "flow_end"]
STATES = {"runnable": 0, "running": 1, "suspended": 2, "blocked": 3, "dead": 5}
# Arguments whose value is in their first word, and those that have a word for it.
SHORT_ARGS = {"null": 0, "i32": 1, "u32": 2, "bool": 9}
LONG_ARGS = {"i64": 3, "u64": 4, "pointer": 7, "koid": 8}
MAGIC = 0x0016547846040010
PREAMBLE_BYTES = 160
IDLE, WORKER = (1, 0), (2, 120)

state = types.SimpleNamespace(
    byte_order="<",
    unit=1,			# of the times of the description
    cpu=0,
    context=0,			# of wakeups
    out=bytearray(),		# what is not written yet: the records of a sub-buffer
    header=None,		# of this sub-buffer, if there is one
    random=0)
actors = {}			# name: (reference, priority, process, thread, text)
headers = {}			# CPU: header of its next sub-buffer
traces, macros, tables = {}, {}, {}


# ---- Words --------------------------------------------------------------------

def words(*numbers):
    return struct.pack(f"{state.byte_order}{len(numbers)}Q", *[n & 2**64 - 1 for n in numbers])


def inline(text):
    return 0x8000 | len(text)


def ref(text):
    """Return the reference to text that is inline, for descriptions."""
    return inline(text.encode())


def number(token):
    """Return the value of a number, or of fields."""
    return word_of(*token.split(","))


def record(first, *body):
    """Return a record or an argument; numbers in @body are words of it."""
    body = b"".join(words(each) if isinstance(each, int) else each for each in body)
    return words(first | 1 + len(body) // 8 << 4) + body


def string_ref(token):
    """Return the reference to a string, and the string if it is inline."""
    if token.startswith("@"):
        return int(token[1:]), b""
    return inline(unquoted(token)), stream(unquoted(token))


def argument(token):
    """Return an argument; its name and, without a type, its value are strings."""
    label, kind, value = re.fullmatch(r"(@?\w+)(?::(\w+))?=(.*)", token).groups()
    ref, text = string_ref(label)
    if not kind:
        value_ref, value_text = string_ref(value)
        return record(6 | ref << 16 | value_ref << 32, text, value_text)
    if kind == "real":
        return record(5 | ref << 16, text, struct.pack(state.byte_order + "d", float(value)))
    value = number(value)
    if kind in SHORT_ARGS:
        return record(SHORT_ARGS[kind] | ref << 16 | (value & 2**32 - 1) << 32, text)
    return record(LONG_ARGS[kind] | ref << 16, text, value)


def part(token):
    """Return a part of a record: an argument, text or a number."""
    if token.startswith('"'):
        return stream(unquoted(token))
    return argument(token) if re.match(r"[a-z@]", token) else number(token)


# ---- Records ------------------------------------------------------------------

def put(*parts):
    """Write parts of the trace."""
    state.out.extend(b"".join(parts))


def provider(ident, name):
    name = unquoted(name)
    put(record(1 << 16 | int(ident) << 20 | len(name) << 52, stream(name)))


def string(index, text):
    text = unquoted(text)
    put(record(2 | int(index) << 16 | len(text) << 32, stream(text)))


def thread(index, ids):
    put(record(3 | int(index) << 16, *map(int, ids.split("/"))))


def name(ids, text):
    """Put the name of a process, or of a thread with its process."""
    process, *ids = ids.split("/")
    text = unquoted(text)
    if ids:
        put(record(7 | 2 << 16 | inline(text) << 24 | 1 << 40, int(ids[0]), stream(text),
                   argument(f"process:koid={process}")))
    else:
        put(record(7 | 1 << 16 | inline(text) << 24, int(process), stream(text)))


def actor(label, side, ids, text=None):
    """Name a thread for the description: its REFERENCE:PRIORITY, PROCESS/THREAD and name."""
    actors[label] = (*map(int, side.split(":")), *map(int, ids.split("/")), text or label)


def introduce(*labels):
    """Put the thread records and the names of threads."""
    for ref, _, process, koid, text in map(actors.get, labels):
        thread(ref, f"{process}/{koid}")
        name(f"{process}/{koid}", text)


def pid(label):
    return actors[label][2]


def tid(label):
    return int(label) if str(label).isdigit() else actors[label][3]


# ---- Records with a time ------------------------------------------------------

def count(first, last=None, nr=1):
    """Have the header of the sub-buffer include records, which were written at these times."""
    if state.header is not None:
        state.header.setdefault("begin", first)
        state.header["last"] = last or first
        state.header["nr"] += nr


def legacy_switch(ticks, out_state, before, after):
    return words(8 | 2 << 4 | state.cpu << 16 | out_state << 24 | before[0] << 28 | after[0] << 36 |
                 before[1] << 44 | after[1] << 52, ticks)


def side(token):
    return tuple(map(int, token.split(":"))) if ":" in token else actors[token][:2]


def pairs(nr, ticks, gap=10):
    """Put switches from idle to the worker and back, each pair 100 ticks after the last."""
    nr, ticks = int(nr), int(ticks)
    there, back = [struct.unpack(f"{state.byte_order}2Q", legacy_switch(0, *each))[0]
                   for each in ((0, IDLE, WORKER), (3, WORKER, IDLE))]
    put(words(*(word for at in range(ticks, ticks + 100 * nr, 100)
                for word in (there, at, back, at + int(gap)))))
    count(ticks, ticks + 100 * (nr - 1) + int(gap), 2 * nr)


def event(ticks, kind, label, category, text, *rest):
    kind = EVENTS.index(kind)
    args = [argument(token) for token in rest if "=" in token]
    last = [number(token) for token in rest if "=" not in token]
    if EVENTS[kind] == "complete":
        last = [last[0] * state.unit]
    count(last[0] if EVENTS[kind] == "complete" else ticks)
    ids = [int(each) for each in label.split("/")] if "/" in label else []
    ref = 0 if ids else int(label[1:]) if label.startswith("@") else actors[label][0]
    category, category_text = string_ref(category)
    text, name_text = string_ref(text)
    put(record(4 | kind << 16 | len(args) << 20 | ref << 24 | category << 32 | text << 48,
               ticks, *ids, category_text, name_text, *args, *last))


def switch(ticks, before, *out_state, after):
    """Put a switch: of threads by their ids if these are given, otherwise by reference."""
    out_state = STATES[out_state[0]] if out_state else 0
    if before.isdigit():
        put(record(8 | state.cpu << 20 | out_state << 36 | 1 << 60, ticks, int(before), int(after)))
    else:
        put(legacy_switch(ticks, out_state, side(before), side(after)))


def timed(ticks, *tokens):
    """Put a record with a time."""
    if tokens[0] in EVENTS:
        event(ticks, *tokens)
        return
    count(ticks)
    if tokens[0] == "wake":
        context = int(tokens[2]) if len(tokens) > 2 else state.context
        put(record(8 | state.cpu << 20 | context << 36 | 2 << 60, ticks, tid(tokens[1])))
    elif tokens[0] == "record":
        put(record(number("0..3=" + tokens[1]), ticks, *map(part, tokens[2:])))
    else:
        switch(ticks, *tokens[:-2], after=tokens[-1])


# ---- Sub-buffers as the module writes them ------------------------------------

def packet(fields):
    """Put a packet header: the session began at tick 1000, which has a wall-clock time."""
    numbers = [fields[key] for key in ("generation", "sequence", "committed", "begin", "end",
                                       "records_before", "bytes_before", "lost")]
    halves = [struct.pack(state.byte_order + "II", fields[first], fields[second])
              for first, second in (("cpu", "session"), ("clock", "subbuf_bytes"))]
    put(record(5 | inline(b"vitrine") << 16 | 104 << 32 | 1 << 48, stream(b"vitrine"),
               0x54454b4341505456, *numbers, 1000, 1700000000000000000, *halves))


def preamble(fields):
    """Put the magic number, the provider, the clock rate and the packet header."""
    put(words(MAGIC))
    provider(fields["cpu"] + 1, "vitrine")
    put(record(1, 10**9))
    packet(fields)


def change(of_cpu, *tokens):
    """Return the header of the next sub-buffer of a CPU, in which fields are changed."""
    fields = headers.setdefault(int(of_cpu), {
        "generation": 2, "sequence": 0, "records_before": 0, "bytes_before": 0, "lost": 0,
        "cpu": int(of_cpu), "session": 1, "clock": 0, "subbuf_bytes": 4096, "nr": 0})
    for token in tokens:
        key, add, value = re.fullmatch(r"(\w+)(\+?)=(.*)", token).groups()
        value = int(value) * (state.unit if key in ("begin", "end") else 1)
        fields[key] = fields[key] + value if add else value
    return fields


def subbuf(of_cpu, *tokens):
    """Begin a sub-buffer, with threads, and header fields that differ from what is expected."""
    end()
    state.cpu = int(of_cpu)
    state.header = change(of_cpu, *[token for token in tokens if "=" in token])
    introduce(*[token for token in tokens if "=" not in token])


def end():
    """End the sub-buffer that has begun, if any; the next one of the CPU is behind it."""
    records, fields, state.header, state.out = state.out, state.header, None, bytearray()
    if fields is not None:
        fields.setdefault("committed", PREAMBLE_BYTES + len(records))
        fields.setdefault("end", fields.get("last"))
        preamble(fields)
        fields["sequence"] += 1
        fields["records_before"] += fields["nr"]
        fields["bytes_before"] += fields["committed"]
        fields["nr"] = 0
        for key in ("committed", "begin", "end", "last"):
            fields.pop(key, None)
    sys.stdout.buffer.write(state.out + records)
    state.out = bytearray()


def new_session(of_cpu):
    """Have a CPU begin a session, in which all counts start at 0 again."""
    end()
    change(of_cpu, f"session={headers.pop(int(of_cpu))['session'] + 1}")


# ---- Chance -------------------------------------------------------------------

def below(limit):
    """Return a random number from 0 to @limit - 1; the same seed has the same numbers."""
    state.random = value = state.random + 0x9e3779b97f4a7c15 & 2**64 - 1
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & 2**64 - 1
    value = (value ^ value >> 27) * 0x94d049bb133111eb & 2**64 - 1
    return (value ^ value >> 31) % limit


def random_wait():
    """Return a time of 1 ms on average, with a deviation of a quarter, and some outliers."""
    us = 200 + sum(below(401) for _ in range(4))
    return us if below(50) else 10 * us


# ---- Descriptions -------------------------------------------------------------

STATEMENTS = {
    "magic": lambda: put(words(MAGIC)),
    "provider": provider,
    "section": lambda ident: put(record(2 << 16 | int(ident) << 20)),
    "notice": lambda ident, kind: put(record(3 << 16 | int(ident) << 20 | int(kind) << 52)),
    "rate": lambda ticks: put(record(1, int(ticks))),
    "string": string, "thread": thread, "name": name,
    "record": lambda kind, *body: put(record(number("0..3=" + kind), *map(part, body))),
    "word": lambda *tokens: put(words(*map(number, tokens))),
    "text": lambda token: put(stream(unquoted(token))),
    "bytes": lambda token: put(unquoted(token)),
    "packet": lambda *tokens: packet(change(*tokens)),
    "actor": actor, "introduce": introduce, "change": change, "pairs": pairs, "subbuf": subbuf,
    "end": end, "new-session": new_session,
    "big-endian": lambda: setattr(state, "byte_order", ">"),
    "cpu": lambda cpu: setattr(state, "cpu", int(cpu)),
    "seed": lambda number: setattr(state, "random", int(number)),
}


@functools.lru_cache(None)
def compiled(text):
    return compile(text, text, "eval")


def value_of(expression, names):
    return eval(compiled(expression.strip()), globals(), names)


def filled_tokens(text, names):
    """Return the tokens of a line, in which expressions are replaced by their values."""
    return tokens_of(value_of(f"rf'''{text}'''", names) if "{" in text else text)


def call(macro, args, at=None):
    """Run the statements of a definition."""
    params, body, names = macros[macro]
    args = [int(arg) if arg.isdigit() else arg for arg in args]
    rest = " ".join(map(str, args[len(params):]))
    run(body, {**names, **dict(zip(params, args)), "at": at, "rest": rest})


def run(nodes, names):
    """Run statements, in which @names have values."""
    for text, children in nodes:
        first, *rest = text.split(None, 2)
        if first == "for":
            for names[rest[0]] in value_of(text.split(" in ", 1)[1], names):
                run(children, names)
        elif first == "if":
            if value_of(text[3:], names):
                run(children, names)
        elif first == "each":
            for nr, row in enumerate(tables[rest[0]]):
                run(children, {**names, **row, "nr": nr})
        elif rest[:1] == ["="]:
            names[first] = value_of(rest[1], names)
        else:
            statement(filled_tokens(text, names), names)


def statement(tokens, names):
    first, *rest = tokens
    if first == "use":
        run(*traces[rest[0]])
    elif first in macros:
        call(first, rest)
    elif not first.isdigit():
        state.unit, state.context = names["unit"], names["context"]
        STATEMENTS[first](*rest)
    elif rest[0] in macros:
        call(rest[0], rest[1:], int(first))
    else:
        state.unit, state.context = names["unit"], names["context"]
        timed(int(first) * state.unit, *rest)


def parse(lines, depth=0):
    """Return the statements of this depth: each with those that belong to it."""
    nodes = []
    while lines and len(lines[0]) - len(lines[0].lstrip("\t")) == depth:
        text = lines.pop(0).strip()
        nodes.append((text, parse(lines, depth + 1)))
    return nodes


def load(path):
    lines = [line for line in path.read_text().splitlines() if not re.match(r"\s*(#|$)", line)]
    names = {"unit": 1, "context": 0}
    nodes = parse(lines)
    if lines:
        sys.exit(f"{path}: wrong indentation: {lines[0]}")
    for text, children in nodes:
        kind, *rest = text.split()
        if kind == "trace":
            traces[rest[0]] = (children, names)
        elif kind == "define":
            macros[rest[0]] = (rest[1:], children, names)
        elif kind == "table":
            rows = [filled_tokens(row, names) for row, _ in children]
            tables[rest[0]] = [dict(zip(rest[1:], row + [""] * len(rest))) for row in rows]
        else:
            run([(text, children)], names)


def main(name=None, *args):
    for each in ("good", "why", "bad"):
        load(pathlib.Path(__file__).with_name(f"{each}.traces"))
    if name is None:
        print(*traces, sep="\n")
    elif not args and name in traces:
        run(*traces[name])
    elif name in macros and len(args) == len(macros[name][0]):
        call(name, args)
    else:
        print(f"mkfxt: no golden trace {name}", file=sys.stderr)
        sys.exit(2)
    end()


main(*sys.argv[1:])
