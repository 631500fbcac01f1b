# Arguments that are constants where a device function is called are constants inside it, where one is needed.

import re

import numpy as np
import pytest
from treadle import cuda, float32, float64, int32, literally
from treadle.errors import CompileError, ConstantInferenceError, TypingError

RECORD = np.dtype([("x", "f4"), ("y", "i4")])
SIZE = 6


class Settings:
    depth = 3


@cuda.jit(device=True)
def filled(n, x):
    a = cuda.local.array(n, float32)
    for k in range(n):
        a[k] = x + k
    total = 0.0
    for k in range(n):
        total += a[k]
    return total


@cuda.jit(device=True)
def through(x, n=4):
    return filled(n, x) + 1


@cuda.jit(device=True)
def through_two(x, m, scale):
    return through(n=m, x=x) * scale


@cuda.jit(device=True)
def grid_of(n):
    return cuda.grid(n)


@cuda.jit(device=True)
def item(values, i):
    return values[i]


@cuda.jit(device=True)
def part(values, first, last):
    return values[first:last]


@cuda.jit(device=True)
def stored(n, dtype):
    a = cuda.local.array(n, dtype)
    a[n - 1] = 1.7
    return a[n - 1]


@cuda.jit(device=True)
def extents(shape):
    return cuda.local.array(shape, float32).shape


@cuda.jit(device=True)
def size(shape):
    return cuda.local.array(shape, float32).size


@cuda.jit(device=True)
def field(record, k):
    return record[k]


@cuda.jit(device=True)
def literal(n):
    k = literally(n)
    return cuda.local.array(k, float32).size


@cuda.jit(device=True)
def aligned(n):
    return cuda.local.array(4, float32, alignment=n).size + 0 * n


@cuda.jit(device=True)
def of_many(*args):
    return cuda.local.array(args[0], float32).size + args[1]


@cuda.jit(device=True)
def applied(function, n):
    return function(n)


@cuda.jit(device=True)
def converted(kind, x):
    return kind(x)


@cuda.jit(device=True)
def descending(n, m):
    a = cuda.local.array(m, float32)
    if n <= 0:
        return 0.0
    a[0] = n
    return a[0] + descending(n - 1, m)


@cuda.jit(device=True)
def element(n, i):
    a = cuda.local.array(n, float32)
    a[i] = 5
    return a[i] + i


def levels(out, i):
    out[0] = filled(3, i)
    out[1] = through_two(i, 5, 3) + through(1.0)


def axes(out, i):
    j = grid_of(1)
    k, m = grid_of(2)
    out[0], out[1] = j - k, m


def positions(out, i):
    values = (i, 2.5, 3)
    out[0] = item(values, 0) + 10 * item(values, 1) + 100 * item(values, -1)
    last = part(values, 1, 3)
    out[1], out[2] = last[0] + last[1], len(last)


def types(out, i):
    out[0], out[1], out[2] = stored(2, int32), stored(2, dtype=float64), stored(n=3, dtype=np.float32)
    out[3], out[4], out[5] = converted(int32, i + 0.7), converted(np.float32, 2.5), converted(int, 2.7)


def nested(out, i):
    n = 3

    def inner(x):
        return cuda.local.array(n, float32).size + x

    def given(m):
        return cuda.local.array(m, float32).size

    out[0] = inner(i)
    out[1] = given(3) + 10 * given(m=5) + 100 * (lambda m: cuda.local.array(m, float32).size)(7)
    out[2] = applied(size, 3) + 10 * applied(given, 2) + 100 * applied(lambda m: extents((m, n))[0], 4)


def shapes(out, i):
    out[0], out[1], out[2] = size(SIZE), size((Settings.depth, SIZE)), size(SIZE + 1)
    n, (rows, columns), shape = 3, (2, 3), (4, 5)
    out[5] = size(shape) + cuda.local.array((columns, rows), float32).size
    m = n * 2 + 1
    out[3] = size(m) + 100 * extents((2, n))[1]
    out[4] = of_many(3, 4) + i


def records(out, i):
    r = cuda.local.array(1, RECORD)
    r[0].x, r[0].y = 1.5, i
    out[0] = field(r[0], 0) + field(r[0], 1)
    out[1] = field(r[0], "x")


def others(out, i):
    out[0], out[1] = literal(3) + literal(4), aligned(16)
    out[2] = descending(i % 4, 3) + descending(2, 3)
    total = 0.0
    for k in range(i % 3):
        total += element(3, k)
    out[3] = total


EXPECTED = {
    levels: lambda i: [3 * i + 3, (5 * i + 10 + 1) * 3 + 4 + 6 + 1],
    axes: lambda i: [0, 0],
    positions: lambda i: [i + 25 + 300, 5.5, 2],
    types: lambda i: [1, 1.7, np.float32(1.7), i, 2.5, 2],
    nested: lambda i: [3 + i, 3 + 50 + 700, 3 + 20 + 400],
    shapes: lambda i: [6, 18, 7, 7 + 300, 7 + i, 26],
    records: lambda i: [1.5 + i, 1.5],
    others: lambda i: [7, 4, 3 + sum(range(i % 4 + 1)), sum(5 + k for k in range(i % 3))],
}


@pytest.mark.parametrize("body", EXPECTED, ids=lambda body: body.__name__)
def test_constants_reach_the_place_that_needs_them(rules, body):
    @cuda.jit(rules=rules)
    def kernel(out):
        i = cuda.grid(1)
        if i < out.shape[0] and i % 5 != 3:
            called(out[i], i)

    called = cuda.jit(body, device=True, rules=rules)
    out = np.full((45, 6), -1.0)
    kernel[2, 32](out)
    for i, found in enumerate(out.tolist()):
        wanted = [] if i % 5 == 3 else EXPECTED[body](i)
        assert found == [*wanted, *[-1] * (6 - len(wanted))]


@cuda.jit(device=True)
def wrapped(a, i, wraps):
    k = np.uint64(i)
    if wraps:
        k = k % a.shape[0] + 0.5
    return a[k]


@cuda.jit(device=True)
def handed(a, i, wraps=False):
    return wrapped(a, i, wraps) + wrapped(a, i, False)


def test_branches_that_constants_rule_out_need_not_fit(rules):
    @cuda.jit(rules=rules)
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = handed(a, i) + wrapped(a, i, False)

    out, a = np.zeros(40), np.arange(40.0)
    kernel[2, 32](out, a)
    assert out.tolist() == [3 * k for k in range(40)]

    @cuda.jit(rules=rules)
    def failing(out, a):
        out[0] = handed(a, 1, True)

    with pytest.raises(TypingError, match="an index must be an integer") as caught:
        failing[1, 1](out, a)
    assert caught.value.line == wrapped.py_func.__code__.co_firstlineno + 5


def test_mistakes_below_many_calls_are_found_in_time(rules):
    functions = [wrapped]
    for _ in range(40):

        def next_one(a, i, wraps, below=functions[-1]):
            return below(a, i, wraps) + below(a, i, True)

        functions.append(cuda.jit(next_one, device=True))

    last = functions[-1]

    @cuda.jit(rules=rules)
    def failing(out, a):
        out[0] = last(a, 1, True)

    with pytest.raises(TypingError, match="an index must be an integer"):
        failing[1, 1](np.zeros(1), np.zeros(4))


@cuda.jit(device=True)
def scaled(n, x):
    return n * x


def test_functions_that_need_no_constant_are_compiled_once(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        out[0] = scaled(1, 2) + scaled(2, 2) + scaled(3, 2)
        out[1] = filled(1, 2.0) + filled(2, 2.0) + filled(2, 2.5)

    out = np.zeros(2)
    kernel[1, 1](out)
    assert out.tolist() == [12, 2 + 5 + 6]
    text = str(kernel.inspect("typed"))
    assert len(re.findall(r"^\S.*\bscaled\b", text, re.MULTILINE)) == 1
    assert len(re.findall(r"^\S.*\bfilled\b", text, re.MULTILINE)) == 3  # literals bind all that are needed and given


@pytest.mark.parametrize(
    "statement, error, message, place",
    [
        ("filled(int(out[1]), 2.0)", TypingError, "the shape of cuda.local.array", "filled 1:25"),
        ("through(1.0, n=i)", TypingError, "the shape of cuda.local.array", "filled 1:25"),
        ("item((1, 2.5), i)", TypingError, "needs an index that is known", "item 1:11"),
        ("part((1, 2.5), 0, i)[0]", ConstantInferenceError, "bounds of a slice of a tuple", "part 1:24"),
        ("literal(i)", ConstantInferenceError, "not known while compiling", "literal 1:18"),
        ("size(i)", TypingError, "the shape of cuda.local.array", "size 1:28"),
        ("size(-1)", TypingError, "must not be negative", "size 1:28"),
        ("size(2.5)", TypingError, "must consist of integers", "size 1:28"),
        ("stored(2, i)", CompileError, "", "stored 1:28"),
        ("aligned(i)", CompileError, "alignment", "aligned 1:"),
    ],
)
def test_values_of_run_time_are_refused_where_a_constant_is_needed(rules, statement, error, message, place):
    namespace = {**globals()}
    exec(f"def kernel(out):\n    i = cuda.grid(1)\n    out[0] = {statement}\n", namespace)
    with pytest.raises(error, match=message) as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(4))
    name, _, position = place.partition(" ")
    line, _, column = position.partition(":")
    assert caught.value.line == globals()[name].py_func.__code__.co_firstlineno + int(line) + (name != "kernel")
    assert not column or caught.value.column == int(column) + 1
    assert re.search(r"called from <string>:3:\d+ in kernel$", str(caught.value))
