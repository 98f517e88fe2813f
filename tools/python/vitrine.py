# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read Inspect trees and Fuchsia traces, and write markers, through libvitrine.

    import vitrine

    tree = vitrine.inspect("/sys/kernel/debug/vitrine/inspect/system.inspect")
    print(tree["root"]["uptime_ns"])

    with vitrine.Archive("load.fxt") as archive:
        for record in archive:
            if record.kind == "switch":
                print(record.time_ns, record.cpu, record.incoming.name)

    marker = vitrine.Marker()
    with marker.duration("load"):
        marker.counter("files", 3)

This file wraps the C interface of the library and has no other dependencies, so
that it may be copied. The structures below are those of vitrine.h. A test compares
their contents with the JSON that the command prints. The library is libvitrine.so.1,
found by the dynamic linker.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    Structure,
    Union,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike, fsencode
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union as Either

__all__ = [
    "Archive",
    "Error",
    "Histogram",
    "Link",
    "Marker",
    "Record",
    "Thread",
    "inspect",
]

Path = Either[str, bytes, "PathLike[str]"]

# ---- vitrine.h --------------------------------------------------------------

_NO_OFFSET = 2**64 - 1
_NO_CPU = 2**32 - 1
_NO_PROCESS = 2**64 - 1


class _Error(Structure):
    _fields_ = [
        ("code", c_int),
        ("path", c_char_p),
        ("offset", c_uint64),
        ("message", c_char_p),
        ("advice", c_char_p),
    ]


class _Array(Structure):
    _fields_ = [("type", c_int), ("format", c_uint), ("count", c_uint)]


class _String(Structure):
    _fields_ = [("bytes", c_void_p), ("len_bytes", c_size_t)]


class _Thread(Structure):
    _fields_ = [("process", c_uint64), ("thread", c_uint64)]


class _ArgValue(Union):
    _fields_ = [
        ("int64", c_int64),
        ("uint64", c_uint64),
        ("real", c_double),
        ("boolean", c_bool),
        ("string", _String),
    ]


class _Arg(Structure):
    _fields_ = [("type", c_uint), ("name", _String), ("value", _ArgValue)]


class _ProviderInfo(Structure):
    _fields_ = [("event", c_uint), ("name", _String)]


class _StringEntry(Structure):
    _fields_ = [("index", c_uint), ("value", _String)]


class _ThreadEntry(Structure):
    _fields_ = [("index", c_uint), ("thread", _Thread)]


class _Event(Structure):
    _fields_ = [
        ("type", c_uint),
        ("thread", _Thread),
        ("category", _String),
        ("name", _String),
        ("id", c_uint64),
    ]


class _Blob(Structure):
    _fields_ = [("type", c_uint), ("name", _String), ("payload", _String)]


class _UserspaceObject(Structure):
    _fields_ = [("process", c_uint64), ("pointer", c_uint64), ("name", _String)]


class _KernelObject(Structure):
    _fields_ = [("type", c_uint), ("koid", c_uint64), ("name", _String)]


class _Switch(Structure):
    _fields_ = [
        ("outgoing", _Thread),
        ("incoming", _Thread),
        ("outgoing_state", c_uint8),
        ("outgoing_priority", c_uint8),
        ("incoming_priority", c_uint8),
        ("legacy", c_bool),
    ]


class _Wakeup(Structure):
    _fields_ = [("thread", _Thread), ("context", c_uint8)]


class _Log(Structure):
    _fields_ = [("thread", _Thread), ("message", _String)]


class _LargeBlob(Structure):
    _fields_ = [
        ("format", c_uint),
        ("thread", _Thread),
        ("category", _String),
        ("name", _String),
        ("payload", _String),
    ]


class _Details(Union):
    _fields_ = [
        ("provider_info", _ProviderInfo),
        ("string", _StringEntry),
        ("thread", _ThreadEntry),
        ("event", _Event),
        ("blob", _Blob),
        ("userspace_object", _UserspaceObject),
        ("kernel_object", _KernelObject),
        ("context_switch", _Switch),
        ("wakeup", _Wakeup),
        ("log", _Log),
        ("large_blob", _LargeBlob),
    ]


class _Record(Structure):
    _anonymous_ = ["details"]
    _fields_ = [
        ("offset", c_uint64),
        ("ticks", c_uint64),
        ("ticks_per_second", c_uint64),
        ("nr_words", c_uint32),
        ("provider", c_uint32),
        ("cpu", c_uint32),
        ("kind", c_uint8),
        ("type", c_uint8),
        ("nr_args", c_uint8),
        ("timed", c_bool),
        ("details", _Details),
        ("args", _Arg * 15),
    ]


_ErrorPointer = POINTER(_Error)

# Name: type of the result, types of the arguments. Opaque objects are void pointers.
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "error_destroy": (None, [_ErrorPointer]),
    "source_create": (_ErrorPointer, [c_char_p, c_uint, POINTER(c_void_p)]),
    "source_destroy": (None, [c_void_p]),
    "snapshot_create": (_ErrorPointer, [c_void_p, POINTER(c_void_p)]),
    "snapshot_destroy": (None, [c_void_p]),
    "hierarchy_create": (_ErrorPointer, [c_void_p, POINTER(c_void_p)]),
    "hierarchy_destroy": (None, [c_void_p]),
    "hierarchy_follow_links": (_ErrorPointer, [c_void_p, c_char_p]),
    "hierarchy_first": (c_void_p, [c_void_p]),
    "value_first_child": (c_void_p, [c_void_p]),
    "value_next": (c_void_p, [c_void_p]),
    "value_type": (c_int, [c_void_p]),
    "value_name": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "value_ordinal": (c_uint, [c_void_p]),
    "value_int": (c_int64, [c_void_p]),
    "value_uint": (c_uint64, [c_void_p]),
    "value_double": (c_double, [c_void_p]),
    "value_bool": (c_bool, [c_void_p]),
    "value_bytes": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "value_disposition": (c_uint, [c_void_p]),
    "value_link_error": (_ErrorPointer, [c_void_p]),
    "value_array": (_Array, [c_void_p]),
    "value_array_int": (c_int64, [c_void_p, c_uint]),
    "value_array_uint": (c_uint64, [c_void_p, c_uint]),
    "value_array_double": (c_double, [c_void_p, c_uint]),
    "value_array_string": (c_void_p, [c_void_p, c_uint, POINTER(c_size_t)]),
    "archive_create": (_ErrorPointer, [c_char_p, c_void_p, POINTER(c_void_p)]),
    "archive_destroy": (None, [c_void_p]),
    "archive_next": (_ErrorPointer, [c_void_p, POINTER(POINTER(_Record))]),
    "archive_thread": (
        c_bool,
        [c_void_p, c_uint64, POINTER(_String), POINTER(c_uint64)],
    ),
    "marker_create": (_ErrorPointer, [c_char_p, POINTER(c_void_p)]),
    "marker_destroy": (None, [c_void_p]),
    "marker_instant": (None, [c_void_p, c_char_p]),
    "marker_begin": (None, [c_void_p, c_char_p]),
    "marker_end": (None, [c_void_p]),
    "marker_counter": (None, [c_void_p, c_char_p, c_int64]),
    "marker_async_begin": (None, [c_void_p, c_char_p, c_uint64]),
    "marker_async_end": (None, [c_void_p, c_char_p, c_uint64]),
    "marker_flow_begin": (None, [c_void_p, c_char_p, c_uint64]),
    "marker_flow_step": (None, [c_void_p, c_char_p, c_uint64]),
    "marker_flow_end": (None, [c_void_p, c_char_p, c_uint64]),
    "fxt_event_has_id": (c_bool, [c_uint]),
    "fxt_event_name": (c_char_p, [c_uint]),
    "fxt_ns": (c_uint64, [c_uint64, c_uint64]),
    "fxt_state_name": (c_char_p, [c_uint]),
    "fxt_context_name": (c_char_p, [c_uint]),
}


def _load() -> SimpleNamespace:
    """Return the functions of libvitrine, without their prefix."""
    library = ctypes.CDLL("libvitrine.so.1")
    functions = SimpleNamespace()
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "vitrine_" + name)
        function.restype = result
        function.argtypes = arguments
        setattr(functions, name, function)
    return functions


_lib = _load()

# ---- errors and strings -----------------------------------------------------


class Error(OSError):
    """An error of libvitrine.

    errno, filename and strerror are those of OSError. offset is the position in
    the file in bytes, or None. advice is a text that says what to do, or None.
    """

    offset: Optional[int] = None
    advice: Optional[str] = None


def _make_error(error: _Error) -> Error:
    made = Error(
        error.code,
        _text(error.message),
        _text(error.path) if error.path else None,
    )
    made.offset = None if error.offset == _NO_OFFSET else error.offset
    made.advice = _text(error.advice) if error.advice else None
    return made


def _check(pointer: Any) -> None:
    """Raise the error that a function has returned, if any."""
    if not pointer:
        return
    made = _make_error(pointer.contents)
    _lib.error_destroy(pointer)
    raise made


def _text(bytes_: bytes) -> str:
    """Decode a string; bytes that are not UTF-8 become lone surrogates."""
    return bytes_.decode("utf-8", "surrogateescape")


def _unique(name: str, ordinal: int) -> str:
    """Return a unique key for the name with this ordinal among equal names."""
    name = name.replace("\\", "\\\\")
    return f"{name}\\#{ordinal + 1}" if ordinal else name


# ---- Inspect ----------------------------------------------------------------


@dataclass(frozen=True)
class Histogram:
    """A histogram.

    The first element of counts is the number of values less than floor, the last
    one that of values beyond the last bucket. Bucket i between them, counted from
    0, begins at floor + step * i. If there is a multiplier, bucket 0 begins at
    floor, and others at floor + step * multiplier ** (i - 1).
    """

    floor: float
    step: float
    multiplier: Optional[float]
    counts: List[float]


@dataclass(frozen=True)
class Link:
    """A link that could not be followed."""

    content: str
    inline: bool
    error: Optional[Error]


_NODE, _INT, _UINT, _DOUBLE, _BOOL, _STRING, _BYTES, _ARRAY, _LINK = range(9)
_LINEAR_HISTOGRAM = 1
_EXPONENTIAL_HISTOGRAM = 2


def _value_bytes(value: int) -> bytes:
    length = c_size_t()
    address = _lib.value_bytes(value, byref(length))
    return ctypes.string_at(address, length.value) if length.value else b""


def _array_string(value: int, i: int) -> str:
    length = c_size_t()
    address = _lib.value_array_string(value, i, byref(length))
    return _text(ctypes.string_at(address, length.value)) if length.value else ""


def _array(value: int) -> Any:
    array = _lib.value_array(value)
    element = {
        _INT: _lib.value_array_int,
        _UINT: _lib.value_array_uint,
        _DOUBLE: _lib.value_array_double,
        _STRING: _array_string,
    }[array.type]
    elements = [element(value, i) for i in range(array.count)]
    if array.format == _LINEAR_HISTOGRAM:
        return Histogram(elements[0], elements[1], None, elements[2:])
    if array.format == _EXPONENTIAL_HISTOGRAM:
        return Histogram(elements[0], elements[1], elements[2], elements[3:])
    return elements


def _link(value: int) -> Link:
    error = _lib.value_link_error(value)
    return Link(
        _text(_value_bytes(value)),
        _lib.value_disposition(value) == 1,
        _make_error(error.contents) if error else None,
    )


_CONVERT = {
    _NODE: lambda value: _children(_lib.value_first_child(value)),
    _INT: lambda value: _lib.value_int(value),
    _UINT: lambda value: _lib.value_uint(value),
    _DOUBLE: lambda value: _lib.value_double(value),
    _BOOL: lambda value: _lib.value_bool(value),
    _STRING: lambda value: _text(_value_bytes(value)),
    _BYTES: _value_bytes,
    _ARRAY: _array,
    _LINK: _link,
}


def _name(value: int) -> str:
    length = c_size_t()
    address = _lib.value_name(value, byref(length))
    name = _text(ctypes.string_at(address, length.value)) if length.value else ""
    return _unique(name, _lib.value_ordinal(value))


def _children(value: Optional[int]) -> Dict[str, Any]:
    children = {}
    while value:
        children[_name(value)] = _CONVERT[_lib.value_type(value)](value)
        value = _lib.value_next(value)
    return children


def inspect(path: Path) -> Dict[str, Any]:
    """Take a consistent snapshot of the Inspect file path, live or saved.

    Return the values at the top level, which is {"root": {...}} in a valid file.
    A node is a dict in natural order, a number int or float, a string str, a byte
    vector bytes, and an array a list or a Histogram. Links are followed; a link
    that cannot be followed is a Link. The second child with the same name has the
    key name\\#2, and so on. A backslash in a name is doubled in its key.

    Raises Error.
    """
    source, snapshot, hierarchy = c_void_p(), c_void_p(), c_void_p()
    name = fsencode(path)
    try:
        _check(_lib.source_create(name, 0, byref(source)))
        _check(_lib.snapshot_create(source, byref(snapshot)))
        _check(_lib.hierarchy_create(snapshot, byref(hierarchy)))
        _check(_lib.hierarchy_follow_links(hierarchy, name))
        return _children(_lib.hierarchy_first(hierarchy))
    finally:
        _lib.hierarchy_destroy(hierarchy)
        _lib.snapshot_destroy(snapshot)
        _lib.source_destroy(source)


# ---- traces -----------------------------------------------------------------


@dataclass(frozen=True)
class Thread:
    """A thread: its id, the id of its process or None, and its name or None."""

    tid: int
    pid: Optional[int]
    name: Optional[str]


@dataclass
class Record:
    """A record of a trace; attributes that it does not have are None.

    kind is "switch", "wakeup", an event ("instant", "counter", "begin", "end",
    "complete", "async-begin", "async", "async-end", "flow-begin", "flow",
    "flow-end", "event"), "log", "large-blob", or "lost", where the provider lost
    records. A switch has the outgoing and the incoming thread, and the state of
    the outgoing one. A wakeup has the context in which it was made: "thread",
    "hardirq", "softirq" or "softirq-in-call". Counters, async events and flows have
    an id. Complete events have end_ns.
    """

    kind: str
    time_ns: int
    offset: int
    provider: int
    cpu: Optional[int] = None
    args: Dict[str, Any] = field(default_factory=dict)
    thread: Optional[Thread] = None
    outgoing: Optional[Thread] = None
    incoming: Optional[Thread] = None
    state: Either[str, int, None] = None
    context: Either[str, int, None] = None
    outgoing_priority: Optional[int] = None
    incoming_priority: Optional[int] = None
    category: Optional[str] = None
    name: Optional[str] = None
    id: Optional[int] = None
    end_ns: Optional[int] = None
    message: Optional[str] = None
    payload: Optional[bytes] = None


_PROVIDER_EVENT, _EVENT, _SWITCH, _WAKEUP, _LOG, _LARGE_BLOB = 4, 8, 12, 13, 14, 15

_BUFFER_FULL = 0

_COMPLETE = 4


def _names(name_of: Any) -> List[str]:
    """Return the names of the numbers from 0 to the last one that has a name."""
    names: List[str] = []
    while name := name_of(len(names)):
        names.append(_text(name))
    return names


_EVENTS = _names(_lib.fxt_event_name)
_STATES = _names(_lib.fxt_state_name)


def _bytes(string: _String) -> bytes:
    if not string.len_bytes:
        return b""
    return ctypes.string_at(string.bytes, string.len_bytes)


def _arg(arg: _Arg) -> Any:
    value = arg.value
    if arg.type in (1, 3):
        return value.int64
    if arg.type in (2, 4, 7, 8):
        return value.uint64
    if arg.type == 5:
        return value.real
    if arg.type == 6:
        return _text(_bytes(value.string))
    return value.boolean if arg.type == 9 else None


def _args(raw: _Record) -> Dict[str, Any]:
    args: Dict[str, Any] = {}
    seen: Dict[str, int] = {}
    for arg in raw.args[: raw.nr_args]:
        name = _text(_bytes(arg.name))
        ordinal = seen.get(name, 0)
        seen[name] = ordinal + 1
        args[_unique(name, ordinal)] = _arg(arg)
    return args


class Archive:
    """A trace file: iterate over its records in time order.

    The iterator returns events, switches, wakeups, log messages, losses and large
    blobs. Records that define names and references are applied to them. Damaged
    records are left out.

    Raises Error.
    """

    def __init__(self, path: Path) -> None:
        self._archive = c_void_p()
        _check(_lib.archive_create(fsencode(path), None, byref(self._archive)))

    def close(self) -> None:
        """Close the file; records that were returned remain valid."""
        _lib.archive_destroy(self._archive)
        self._archive = c_void_p()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __iter__(self) -> Iterator[Record]:
        pointer = POINTER(_Record)()
        while self._archive:
            _check(_lib.archive_next(self._archive, byref(pointer)))
            if not pointer:
                return
            record = self._record(pointer.contents)
            if record:
                yield record

    def _thread(self, thread: _Thread) -> Thread:
        """Return a thread, with name and process from anywhere in the trace."""
        name, process = _String(), c_uint64(_NO_PROCESS)
        known = _lib.archive_thread(
            self._archive, thread.thread, byref(name), byref(process)
        )
        text = _text(_bytes(name)) if known else None
        pid = thread.process
        if pid == _NO_PROCESS:
            pid = process.value
        if thread.thread == 0 and text is None:
            text = "idle"
        return Thread(thread.thread, None if pid == _NO_PROCESS else pid, text)

    def _record(self, raw: _Record) -> Optional[Record]:
        fill = {
            _PROVIDER_EVENT: self._lost,
            _EVENT: self._event,
            _SWITCH: self._switch,
            _WAKEUP: self._wakeup,
            _LOG: self._log,
            _LARGE_BLOB: self._large_blob,
        }.get(raw.kind)
        if not fill or (fill == self._lost and raw.provider_info.event != _BUFFER_FULL):
            return None
        record = Record(
            "",
            _lib.fxt_ns(raw.ticks, raw.ticks_per_second),
            raw.offset,
            raw.provider,
            None if raw.cpu == _NO_CPU else raw.cpu,
            _args(raw),
        )
        fill(record, raw)
        return record

    def _lost(self, record: Record, raw: _Record) -> None:
        record.kind = "lost"

    def _event(self, record: Record, raw: _Record) -> None:
        event = raw.event
        record.kind = _EVENTS[event.type] if event.type < len(_EVENTS) else "event"
        record.thread = self._thread(event.thread)
        record.category = _text(_bytes(event.category))
        record.name = _text(_bytes(event.name))
        if event.type == _COMPLETE:
            record.end_ns = _lib.fxt_ns(event.id, raw.ticks_per_second)
        elif _lib.fxt_event_has_id(event.type):
            record.id = event.id

    def _switch(self, record: Record, raw: _Record) -> None:
        switch = raw.context_switch
        state = switch.outgoing_state
        record.kind = "switch"
        record.outgoing = self._thread(switch.outgoing)
        record.incoming = self._thread(switch.incoming)
        record.state = _STATES[state] if state < len(_STATES) else state
        if switch.legacy:
            record.outgoing_priority = switch.outgoing_priority
            record.incoming_priority = switch.incoming_priority

    def _wakeup(self, record: Record, raw: _Record) -> None:
        record.kind = "wakeup"
        record.thread = self._thread(raw.wakeup.thread)
        context = _lib.fxt_context_name(raw.wakeup.context)
        record.context = _text(context) if context else raw.wakeup.context or None

    def _log(self, record: Record, raw: _Record) -> None:
        record.kind = "log"
        record.thread = self._thread(raw.log.thread)
        record.message = _text(_bytes(raw.log.message))

    def _large_blob(self, record: Record, raw: _Record) -> None:
        blob = raw.large_blob
        record.kind = "large-blob"
        if raw.timed:
            record.thread = self._thread(blob.thread)
        record.category = _text(_bytes(blob.category))
        record.name = _text(_bytes(blob.name))
        record.payload = _bytes(blob.payload)


# ---- markers ----------------------------------------------------------------


def _name_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


class Marker:
    """Events of this program in the trace, on the track of the calling thread.

    path is the file trace/marker, or None for the usual one. Any number of threads
    may use a marker at a time. Only the constructor raises Error: recording a marker
    never fails. A name longer than 245 bytes is truncated.
    """

    def __init__(self, path: Optional[Path] = None) -> None:
        self._marker = c_void_p()
        name = None if path is None else fsencode(path)
        _check(_lib.marker_create(name, byref(self._marker)))

    def close(self) -> None:
        """Close the file; from then on, markers are ignored."""
        _lib.marker_destroy(self._marker)
        self._marker = c_void_p()

    def __enter__(self) -> Marker:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def instant(self, name: str) -> None:
        """Record that something happens now."""
        _lib.marker_instant(self._marker, _name_bytes(name))

    def begin(self, name: str) -> None:
        """Begin a duration of this thread."""
        _lib.marker_begin(self._marker, _name_bytes(name))

    def end(self) -> None:
        """End the innermost duration of this thread."""
        _lib.marker_end(self._marker)

    @contextmanager
    def duration(self, name: str) -> Iterator[None]:
        """Record the body of a with statement as a duration."""
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def counter(self, name: str, value: int) -> None:
        """Record the value of a counter of this process."""
        _lib.marker_counter(self._marker, _name_bytes(name), value)

    def async_begin(self, name: str, id: int) -> None:
        """Begin a duration that may end on another thread."""
        _lib.marker_async_begin(self._marker, _name_bytes(name), id)

    def async_end(self, name: str, id: int) -> None:
        """End a duration begun by async_begin()."""
        _lib.marker_async_end(self._marker, _name_bytes(name), id)

    def flow_begin(self, name: str, id: int) -> None:
        """Begin a flow in the innermost duration of this thread."""
        _lib.marker_flow_begin(self._marker, _name_bytes(name), id)

    def flow_step(self, name: str, id: int) -> None:
        """Let a flow pass through the innermost duration of this thread."""
        _lib.marker_flow_step(self._marker, _name_bytes(name), id)

    def flow_end(self, name: str, id: int) -> None:
        """End a flow in the innermost duration of this thread."""
        _lib.marker_flow_end(self._marker, _name_bytes(name), id)
