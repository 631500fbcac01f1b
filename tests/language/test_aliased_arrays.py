# Assignments to arrays whose value reads the same array: NumPy's result, or an error while compiling.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

STATEMENTS = """
a[1:] = a[:-1]
a[:-1] = a[1:]
a[1:] += a[:-1]
a[1:] = a[1:] - a[:-1]
a[:, 1:] = a[:, :-1] * 2
a[:, :-1] = a[:, 1:] * 2
a[1:, :-1] = a[:-1, 1:] + 1
a[:-1, 1:] = a[1:, :-1] + 1
a[0, 1:] = a[0, :-1]
a[2:] = a[:2]
a[:, -2:] = a[:, -3:-1]
row = a[1]; row[1:] = row[:-1]
row = a[1]; row[2:] -= a[1, :-2]
d[1:] = d[:-1]
d[::2] = d[1::2]
d[3:] = d[:3] + d[-3:]
a[:] = a + 1
a += a
a[1:] += a[1:]
a[:] = a.astype(np.int32) + a.copy()
a.T[:] = a.T * 2
a[:] = a.T.T - 1
a[0] = a.sum(axis=0)
a[:, 0] = a.sum(axis=1)
a[0] += a[1:].sum(axis=0)
a[1:] -= a[0]
a[:1] -= a.mean(axis=0)
a -= a[-1]
a[:2] = a[p[:2]]
a[2:2] = a[p[:0]]
p[:] = table[p]
p += table[p] * 2
v = a[:, 1]; v[:] = v.ravel() * 2
np.add(a[1:], 1, out=a[:-1])
np.add(a[:-1], 1, out=a[1:])
np.cumsum(d, out=d)
np.cumsum(d[1:], out=d[:-1])
np.cumprod(d[2:], out=d[1:-1])
np.copyto(a[:-1], a[1:])
np.copyto(a, a[2])
np.copyto(a, 2)
np.dot(a[:2], d[:4], out=d[4:])
np.matmul(a[:2], a[2:].T, np.empty((2, 2)))
a -= a[0]
a[:] *= a[:, 0:1]
a[:] += a[:, 0:1] * a[0:1]
a[1:] -= a[1]
a[:-1] -= a[-2]
a[1:3] -= a[-1]
a[::-1] -= a[-1]
a[:] = a[2]
a[:] = a[:, 1:2]
a[3] += a[:, 0]
a[:, 0] += a[3]
np.subtract(a, a[0], out=a)
np.add(a[0], a, out=a)
row = a[1]; row[:] -= row[:1]
i = p[3]; a[i:] = a[i:] - a[i]
i = p[3]; a[:, i:] *= a[:, i:i + 1]
i = p[3]; a[i + 1:, i:] -= a[i + 1:, i:i + 1] * a[i, i:]
i = p[3]; a[i + 1:] = a[i:-1]
i = p[3]; j = i + 1; row = a[j]; a[j:] -= row
for i in range(3): a[i + 1:, i:] -= a[i + 1:, i:i + 1] * a[i, i:]
""".strip().splitlines()

REFUSED = """
a -= a.mean(axis=0)
a[:] = a.sum(axis=0)
a[1:] -= a[1:].mean(axis=0)
a[1:] -= a.mean(axis=0)
a[:] = (a * a).sum(axis=0)
a[:] = a[p]
a[:] = np.take(a, p, axis=0)
p[:] = p[p]
a[:] = a.T
a += a.T
a.T[:] = a
a[:] = a[::-1]
a[:] = a @ a
d[1:-1] = d[:-2] + d[2:]
v = a[1]; v[:] = v[p] + 1
t = a; t[:] = a.T
t = np.zeros((2, 2)); u = t.T; t[:] = u
a -= a[1]
a[:] -= a[2:3]
a -= a[:, 1]
a[:] = a - a[:, 2]
a /= a[:, 1:2]
a[:] -= a[0] * a[-1]
a[1:3] -= a[:3].mean(axis=0)
i = p[3]; a -= a[i]
i = p[3]; np.add(a[i], a, out=a)
row = d[1:4]; d[2:5] = row[::-1]
t = np.zeros((3, 3)); t -= t[1]
""".strip().splitlines()

# What stores its result into an argument: which one, and which other has that memory.
REFUSED_RESULTS = """
np.matmul(a, a, out=a) | out of np.matmul | a
np.dot(a, a.copy(), a) | out of np.dot | a
np.dot(TABLES, a, out=a) | out of np.dot | b
a.dot(TABLES, a) | out of the array's method dot | a
np.dot(TABLES, a.T, a) | out of np.dot | b
np.dot(a[:2, :2], TABLES[:2, :2], out=a) | out of np.dot | a
np.dot(a, d[:4], out=a[1]) | out of np.dot | a
t = a; np.dot(t, TABLES, a) | out of np.dot | a
np.dot(2, d[::-1], out=d) | out of np.dot | b
np.cumsum(d[:-1], out=d[1:]) | out of np.cumsum | a
np.cumprod(d[::-1], out=d) | out of np.cumprod | a
d[:-1].cumsum(out=d[1:]) | out of the array's method cumsum | a
np.copyto(a[1:], a[:-1]) | dst of np.copyto | src
np.copyto(a, a.T) | dst of np.copyto | src
""".strip().splitlines()

TABLE = np.array([3, 1, 2, 0])
TABLES = np.arange(16.0).reshape(4, 4)


def body_of(statement):
    namespace = {"np": np, "table": TABLE, "TABLES": TABLES}
    exec("def body(a, d, p):\n" + "".join(f"    {line}\n" for line in statement.split("; ")), namespace)
    return namespace["body"]


def arrays():
    return np.arange(16.0).reshape(4, 4) ** 2 % 11, np.arange(6.0) ** 2, np.array([2, 3, 0, 1])


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(rules, statement):
    body, found, wanted = body_of(statement), arrays(), arrays()
    body(*wanted)
    cuda.jit(body, rules=rules)[1, 1](*found)
    for have, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-14)


@pytest.mark.parametrize("statement", REFUSED)
def test_refused(rules, statement):
    with pytest.raises(CompileError, match="reads elements of the array that this assignment changes") as caught:
        cuda.jit(body_of(statement), rules=rules)[1, 1](*arrays())
    assert caught.value.line == 2 + statement.count(";")


@pytest.mark.parametrize("line", REFUSED_RESULTS)
def test_results_in_memory_of_operands_are_refused(rules, line):
    statement, function, operand = line.split(" | ")
    into, _, name = function.partition(" of ")
    with pytest.raises(CompileError, match=rf"'{into}' of {name}\(\) has memory of '{operand}', which is") as caught:
        cuda.jit(body_of(statement), rules=rules)[1, 1](*arrays())
    assert caught.value.line == 2 + statement.count(";")
    assert "store the result into another array first" in str(caught.value)


def test_what_depends_on_bounds_is_found_under_debug(rules):
    def rows(a, i, j, n):
        a[i : i + n] = a[j : j + n] * 2

    def column(a, i, j, n):
        a[:n] -= a[-j]

    def element(a, i, j, n):
        a[:n] = a[i : i + 1, j]

    functions = rows, column, element
    debug = [cuda.jit(function, rules=rules, debug=True) for function in functions]
    for kernel, i, j, n, is_late in (
        (0, 0, 1, 3, False),
        (0, 1, 1, 3, False),
        (0, 0, 4, 3, False),
        (0, 4, 0, 3, False),
        (0, 1, 0, 3, True),
        (1, 0, 1, 4, False),
        (1, 0, 4, 4, False),
        (1, 0, 5, 4, False),
        (1, 0, 6, 4, True),
        (2, 2, 1, 8, False),
    ):
        found = np.arange(32.0).reshape(8, 4)
        wanted = found.copy()
        functions[kernel](wanted, i, j, n)
        if is_late:
            with pytest.raises(ValueError, match="reads elements of the array that this assignment has changed before"):
                debug[kernel][1, 1](found, i, j, n)
        else:
            debug[kernel][1, 1](found, i, j, n)
            assert found.tolist() == wanted.tolist()


def test_results_in_memory_of_operands_are_found_under_debug(rules):
    """Where they are parameters of one kernel. Arrays that begin elsewhere and have gaps are taken for others."""

    @cuda.jit(rules=rules, debug=True)
    def kernel(a, b, out):
        np.dot(a, b, out)

    @cuda.jit(rules=rules, debug=True)
    def method(a, b, out):
        a.dot(b, out=out)

    def table():
        return TABLES + 1

    whole, rows, spread = table(), table(), table()
    for product in (kernel, method):
        for a, b, out in (
            (whole, whole, whole),
            (table(), whole, whole),
            (whole, table(), whole),
            (whole.T, table(), whole),
            (whole[:2], table(), whole[1:3]),
            (whole, whole[0], whole[3]),
        ):
            with pytest.raises(ValueError, match="out of a product of matrices has memory of an operand"):
                product[1, 1](a, b, out)
        for a, b, out in (
            (table(), table(), table()),
            (rows[:2], table(), rows[2:]),
            (spread[:2, :2], spread[2:, 2:], spread[:2, 2:]),
            (rows[:0], table(), rows[:0]),
        ):
            wanted = a @ b
            product[1, 1](a, b, out)
            assert out.tolist() == wanted.tolist()


def test_a_name_that_is_bound_anew_is_another_array(rules):
    def kernel(a, b):
        row = a[:]
        a = b
        row[:] = a.T
        a[:] = row.sum(axis=0)

    a, b = np.zeros((3, 3)), np.arange(9.0).reshape(3, 3)
    wanted = b.T.copy()
    cuda.jit(kernel, rules=rules)[1, 1](a, b)
    assert a.tolist() == wanted.tolist()
    assert b.tolist() == np.broadcast_to(wanted.sum(axis=0), (3, 3)).tolist()


def test_extents_of_each_variable_are_found_once(rules):
    """Without that, the time to compile doubles with every line: this would not end."""
    lines = ["x0 = np.zeros((2, 3))"] + [f"x{i + 1} = np.ones_like(x{i} + x{i})" for i in range(60)]
    namespace = {"np": np}
    exec("def kernel(out):\n" + "".join(f"    {line}\n" for line in lines) + "    out[:] = x60\n", namespace)
    out = np.zeros((2, 3))
    cuda.jit(namespace["kernel"], rules=rules)[1, 1](out)
    assert out.tolist() == np.ones((2, 3)).tolist()


def test_extents_that_do_not_go_together(rules):
    def kernel(out):
        t = np.zeros((1, 3))
        u = np.zeros((2, 5))
        v = np.zeros_like(t + u)
        out[0] = v[0, 0]

    with pytest.raises(CompileError, match="extents 3 and 5 .* could not be broadcast together"):
        cuda.jit(kernel, rules=rules)[1, 1](np.zeros(1))


@pytest.mark.parametrize(
    "value, name",
    [
        ("a + a", r"array expression add\(...\), 2d"),
        ("a @ a", r"array expression matmul\(...\), 2d"),
        ("a.sum(axis=0)", r"array expression \w+\(...\), 1d"),
        ("(a * a)[p]", r"array expression \w+\(...\), 2d"),
    ],
)
def test_messages_name_array_expressions_as_such(rules, value, name):
    namespace = {"np": np}
    exec(f"def kernel(a, p):\n    x = ({value}).nothing\n", namespace)
    with pytest.raises(CompileError, match=name) as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](arrays()[0], arrays()[2])
    assert "computed." not in str(caught.value)
