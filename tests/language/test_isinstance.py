# isinstance(), types and literal_unroll(): decided while compiling, and branches that they rule out are not compiled.

import enum
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from treadle import cuda, float32, int32, literal_unroll
from treadle.errors import CompileError, TypingError

Pair = namedtuple("Pair", "x y")
INTEGERS = (np.int32, (np.int64, np.uint8))


class Point(NamedTuple):
    x: float
    y: float


class Level(enum.IntEnum):
    LOW = 1


class Other:
    pass


CLASSES = {
    "int": int, "float": float, "bool": bool, "complex": complex, "str": str, "tuple": tuple, "range": range,
    "object": object, "type(None)": type(None), "(int, float)": (int, float), "np.integer": np.integer,
    "np.signedinteger": np.signedinteger, "np.unsignedinteger": np.unsignedinteger, "np.floating": np.floating,
    "np.complexfloating": np.complexfloating, "np.inexact": np.inexact, "np.number": np.number,
    "np.generic": np.generic, "np.float32": np.float32, "np.bool_": np.bool_, "np.ndarray": np.ndarray, "Pair": Pair,
    "Point": Point, "INTEGERS": INTEGERS, "Other": Other, "(Pair, (Point, Other))": (Pair, (Point, Other)),
}  # fmt: skip
# Expressions, what Python's isinstance() is to be asked of, and NumPy's. A number of a kernel counts as both.
VALUES = {
    "np.int32(1)": (1, np.int32(1)),
    "np.int64(1)": (1, np.int64(1)),
    "np.uint8(1)": (1, np.uint8(1)),
    "np.float32(1)": (1.0, np.float32(1)),
    "1.5": (1.5, np.float64(1)),
    "7": (7, np.int64(7)),
    "True": (True, np.bool_(True)),
    "2j": (2j, np.complex128(2j)),
    "np.complex64(2j)": (2j, np.complex64(2j)),
    "'text'": ("text", "text"),
    "None": (None, None),
    "(1, 2.5)": ((1, 2.5), (1, 2.5)),
    "Pair(1, 2)": (Pair(1, 2), Pair(1, 2)),
    "Point(1, 2.0)": (Point(1, 2.0), Point(1, 2.0)),
    "range(3)": (range(3), range(3)),
    "out": (np.zeros(1), np.zeros(1)),
    "out[1:]": (np.zeros(1), np.zeros(1)),
    "out[0]": (1, np.int64(1)),
    "Level.LOW": (1, np.int64(1)),
}


@pytest.mark.parametrize("value", VALUES)
def test_values_and_classes(rules, value):
    lines = "".join(f"    out[{k}] = isinstance(x, {name})\n" for k, name in enumerate(CLASSES))
    namespace = {**globals()}
    exec(f"def ask(x, out):\n{lines}", namespace)
    namespace["ask"] = cuda.jit(namespace["ask"], device=True, rules=rules)
    exec(f"def kernel(out):\n    ask({value}, out)\n", namespace)
    out = np.zeros(len(CLASSES), np.int64)
    cuda.jit(namespace["kernel"], rules=rules)[1, 1](out)
    wanted = {name: any(isinstance(one, cls) for one in VALUES[value]) for name, cls in CLASSES.items()}
    assert {name: bool(one) for name, one in zip(CLASSES, out, strict=True)} == wanted


def of_kind(x, out):
    if isinstance(x, tuple):
        out[0] = x[0] + len(x)
    elif isinstance(x, np.ndarray) and x.ndim == 2:
        out[0] = x[0, 1] + 10
    elif isinstance(x, np.ndarray):
        out[0] = x[1] + 20
    elif x is None:
        out[0] = 30
    else:
        out[0] = x + 40


def through_names(x, out):
    y = x
    is_array = isinstance(y, np.ndarray)
    if is_array:
        out[0] = y.size
    else:
        out[0] = -1 if y is None else 2
    rest = 0
    if isinstance(y, (tuple, np.ndarray)):
        rest = len(y)
    out[0] += 100 * rest


@pytest.mark.parametrize("function", [of_kind, through_names])
@pytest.mark.parametrize("value", [(1, 2), (1.5, 2, 3), np.arange(4.0), np.arange(6).reshape(2, 3), 3, 2.5, None])
def test_branches_that_do_not_fit_are_not_compiled(rules, function, value):
    found, wanted = np.zeros(1), np.zeros(1)
    function(value, wanted)
    cuda.jit(function, rules=rules)[1, 1](value, found)
    assert found.tolist() == wanted.tolist()


def of_dtype(x, out):
    if x.dtype == float32:
        out[0] = 1
    elif x.dtype == np.int16:
        out[0] = x[0] << 2
    elif x.dtype.kind == "c":
        out[0] = x[0].imag
    elif x.dtype.kind in ("i", "u") and x.dtype.itemsize > 4:
        out[0] = x[0] & 5
    else:
        out[0] = x[0] * 1.5
    out[1] = x.dtype.itemsize
    out[2] = x.dtype.type(2.75).real if x.dtype.kind != "b" else 0
    out[3] = (x.dtype.name == "float64") + 2 * (np.dtype("f4") == x.dtype) + 4 * (x.dtype in (np.int8, np.uint64))
    out[4] = np.dtype(np.float64).itemsize + np.dtype("i2").itemsize + np.dtype(float32).itemsize


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i8", "u8", "c8", "c16", "?"])
def test_dtypes(rules, dtype):
    x = np.array([7], dtype)
    cuda.jit(of_dtype, rules=rules)[1, 1](x, out := np.zeros(5))
    kind, size = x.dtype.kind, x.dtype.itemsize
    first = {"f4": 1, "i2": 28, "c8": 0, "c16": 0, "i8": 5, "u8": 5}.get(dtype, x[0] * 1.5)
    converted = 0 if kind == "b" else 2.75 if kind in "fc" else 2
    names = (x.dtype == np.float64) + 2 * (x.dtype == np.float32) + 4 * (x.dtype in (np.int8, np.uint64))
    assert out.tolist() == [first, size, converted, names, 8 + 2 + 4]


def each_kind(values, out):
    k = 0
    for value in literal_unroll(values):
        if isinstance(value, tuple):
            out[k] = value[0] + value[1]
        elif isinstance(value, np.ndarray):
            out[k] = value[1] * value.size
        elif isinstance(value, float):
            out[k] = value * 10
        elif value is None:
            out[k] = -1
        else:
            out[k] = value << 1
        k += 1
    for number, (name, value) in ((1, ("a", 2.5)), (2, (3, values))):
        if isinstance(value, tuple):
            out[k] += name * number + len(value)
        elif name == "a":
            out[k] += value


def test_unrolled_loops_over_items_of_several_kinds(rules):
    values = (1, 2.5, (3, 4), np.arange(3.0), None, np.float32(2), (5, np.int8(6)))
    found = np.zeros(8)
    cuda.jit(each_kind, rules=rules)[1, 1](values, found)
    assert found.tolist() == [2, 25, 7, 3, -1, 20, 11, 2.5 + 6 + 7]


def test_unrolled_loops_over_literals_have_constants(rules):
    def kernel(out):
        i = cuda.grid(1)
        for n in literal_unroll((1, 2, 3)):
            if i % n == 0:
                out[i, n] = cuda.local.array(n, float32).size
                if n == 2:
                    continue
            out[i, 0] += n

    out = np.zeros((40, 4), np.int64)
    cuda.jit(kernel, rules=rules)[1, 40](out)
    wanted = [[6 - 2 * (i % 2 == 0), 1, 2 * (i % 2 == 0), 3 * (i % 3 == 0)] for i in range(40)]
    assert out.tolist() == wanted


def test_optional_values_are_asked_at_run_time(rules):
    def kernel(x, out):
        i = cuda.grid(1)
        y = x[i] if x[i] > 3 else None
        out[i] = isinstance(y, int) + 2 * isinstance(y, type(None)) + 4 * isinstance(y, (int, type(None)))
        if isinstance(y, int):
            out[i] += 10 * y

    x = np.arange(40) % 7
    out = np.zeros(40, np.int64)
    cuda.jit(kernel, rules=rules)[1, 40](x, out)
    assert out.tolist() == [5 + 10 * v if v > 3 else 6 for v in x.tolist()]


def test_in_a_loop_a_name_has_the_type_from_before_the_loop():
    @cuda.jit(rules="cuda-python")
    def kernel(out):
        x = int32(0)
        for _ in range(2):
            if isinstance(x, float):
                out[0] = 1
            x = 2
            if isinstance(x, np.int64):
                out[0] = 2

    kernel[1, 1](out := np.zeros(1))
    assert out[0] == 0


@pytest.mark.parametrize("classes", ["3", "x", "list", "(int, 5)", "'int'", "[int]"])
def test_what_is_no_class_is_refused(rules, classes):
    namespace = {**globals()}
    exec(f"def kernel(x):\n    if isinstance(x, {classes}):\n        x[0] = 1\n", namespace)
    if classes == "[int]":
        return  # a list display is a tuple
    with pytest.raises(CompileError, match="isinstance") as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(1))
    assert (caught.value.line, type(caught.value)) == (2, TypingError)
