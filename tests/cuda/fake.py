"""The stand-in's control functions (tests/fakedriver/fake_driver.h), for programs that run on it."""

import contextlib
import ctypes
import re
from typing import NamedTuple

_library = ctypes.CDLL("libcuda.so.1")
PLAIN, STICKY, ASYNC = range(3)

# Results, by the names of fake_driver.h without CUDA_ERROR.
INVALID_VALUE, OUT_OF_MEMORY, STUB_LIBRARY, NO_DEVICE = 1, 2, 34, 100
ILLEGAL_ADDRESS, CONTEXT_IS_DESTROYED, LAUNCH_FAILED, UNKNOWN = 700, 709, 719, 999


class _Call(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("arguments", ctypes.c_char_p),
        ("result", ctypes.c_int),
        ("thread", ctypes.c_uint64),
        ("per_thread", ctypes.c_int),
    ]


class _Violation(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("rule", "text", "call")]


class _Live(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_char_p),
        ("handle", ctypes.c_uint64),
        ("bytes", ctypes.c_size_t),
        ("made_by", ctypes.c_char_p),
    ]


class _Fault(ctypes.Structure):
    _fields_ = [
        ("function", ctypes.c_char_p),
        ("nth", ctypes.c_uint64),
        ("result", ctypes.c_int),
        ("mode", ctypes.c_int),
    ]


for _name in ("CallCount", "CallsOf", "ViolationCount", "FaultsHappened", "FailedFrees", "LiveCount", "PlausibleErrors",
              "Pending", "Step"):  # fmt: skip
    getattr(_library, f"fakeCuda{_name}").restype = ctypes.c_size_t
_library.fakeCudaLostBy.restype = ctypes.c_char_p
_library.fakeCudaStep.argtypes = [ctypes.c_size_t]


class Call(NamedTuple):
    name: str
    arguments: dict  # by name, numbers
    result: int
    thread: int


class Live(NamedTuple):
    kind: str
    handle: int
    bytes: int
    made_by: str


class Trace:
    """The calls of a block: `with trace() as t: ...`; `t.names`, `t.calls`."""

    calls: list[Call] = []

    @property
    def all_names(self):
        return [call.name for call in self.calls]

    @property
    def names(self):
        """Without what asks whether streams are captured, with its question for the context, and without what surrounds
        each call that captures forbid: the stand-in ends programs that lack it. test_capture_calls.py has both."""
        text = " ".join(name for name in self.all_names if name != "cuThreadExchangeStreamCaptureMode")
        text = re.sub("cuCtxGetCurrent cuStreamGetCaptureInfo (?=cuCtxGetCurrent)", "", text)
        return [name for name in text.split() if name != "cuStreamGetCaptureInfo"]

    def of(self, name):
        return [call for call in self.calls if call.name == name]


def _numbers(text):
    return {name: int(value, 0) for name, _, value in (part.partition("=") for part in text.decode().split())}


def call_count():
    return _library.fakeCudaCallCount()


def calls(begin=0, end=None):
    """Of the trace, which holds the first 400,000."""
    found, call = [], _Call()
    for index in range(begin, call_count() if end is None else end):
        if not _library.fakeCudaCallAt(ctypes.c_size_t(index), ctypes.byref(call)):
            break
        found.append(Call(call.name.decode(), _numbers(call.arguments), call.result, call.thread))
    return found


@contextlib.contextmanager
def trace():
    traced, begin = Trace(), call_count()
    try:
        yield traced
    finally:
        traced.calls = calls(begin)


def calls_of(function):
    """How many there were, also beyond the end of the trace."""
    return _library.fakeCudaCallsOf(function.encode())


def clear_trace():
    _library.fakeCudaClearTrace()


def inject(function, result, nth=1, mode=PLAIN):
    """The n-th call of the function from now on fails; "*": of any function."""
    fault = _Fault(function.encode(), nth, result, mode)
    _library.fakeCudaInjectFault(ctypes.byref(fault))


def clear_faults():
    _library.fakeCudaClearFaults()


def faults_happened():
    return _library.fakeCudaFaultsHappened()


def failed_frees():
    return _library.fakeCudaFailedFrees()


def plausible_errors(function):
    results = (ctypes.c_int * 16)()
    return list(results[: _library.fakeCudaPlausibleErrors(function.encode(), results, ctypes.c_size_t(16))])


def live(kind=None):
    """Resources that were made and not yet destroyed."""
    found, one, index = [], _Live(), 0
    while _library.fakeCudaLiveAt(ctypes.c_size_t(index), ctypes.byref(one)):
        found.append(Live(one.kind.decode(), one.handle, one.bytes, one.made_by.decode()))
        index += 1
    return [one for one in found if kind in (None, one.kind)]


def live_count(kind=None):
    return _library.fakeCudaLiveCount(kind and kind.encode())


def violations():
    """Of FAKE_CUDA_ABORT=0: (rule, text, function)."""
    found, one = [], _Violation()
    for index in range(_library.fakeCudaViolationCount()):
        _library.fakeCudaViolationAt(ctypes.c_size_t(index), ctypes.byref(one))
        found.append((one.rule.decode(), one.text.decode(), one.call.decode()))
    return found


def set_rule(rule, enabled):
    assert _library.fakeCudaSetRule(rule.encode(), int(enabled)), f"there is no rule {rule}"


def pending():
    """Pieces of work that have not run."""
    return _library.fakeCudaPending()


def step(count=1):
    """Runs up to so many pieces; returns how many ran."""
    return _library.fakeCudaStep(count)


def lost_by():
    text = _library.fakeCudaLostBy()
    return text and text.decode()


def call(function, *arguments):
    """A call of the driver by other software; AssertionError if it fails."""
    result = getattr(_library, function)(*arguments)
    assert result == 0, f"{function} returned {result}"
