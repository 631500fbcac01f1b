# Expressions of arrays, NumPy's ufuncs and products in kernels: each thread computes with its own matrices, and NumPy
# computes the same.

import itertools

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

from language.written import body_of

THREADS = 45
STATEMENTS = """
c[:] = a + b
c[...] = a * 2 - b / 4
c[:] = a + d
c[:, :] = a[:, :1] + d
c[1] = a[0] - d
c[:, 1] = a[:, 0] * b[:, 2]
c[::2, ::-1] = a[1:, :] // b[1:, :] + a[:2] % 3
a *= 2
a += b
a[1] += d
a[:, 1:3] -= b[:, :2]
a[0] = -a[0]
a **= 2
row = a[0]; row += 1; row *= d
column = a[:, 1]; column[:] = column * 2
c[:] = a[::-1, ::-1] + b.T.T
c.T[:] = a.T + b.T
c[:] = np.where(a > 2, a, b)
c[:] = np.where(a[:, :1] > 0, d, 0)
c[:] = np.clip(a, 0, 3)
c[:] = abs(a) + np.abs(b)
c[:] = 2 ** (a / 4) + 1 / b + (3 - a) ** 2
c[:] = np.sqrt(np.abs(a)) + np.arctan2(a, b) + np.hypot(a, b)
c[:] = np.exp(-a * a) / (1 + np.exp(a))
c[:] = a == b
c[:] = a < 2
c[:] = (a > b) | (a < 0) & ~(b > 3)
c[:] = np.logical_and(a > 0, b > 2) ^ np.logical_not(a)
np.add(a, b, c)
np.multiply(a, 2, out=c)
np.power(a, 2, c)
np.negative(a[0], c[1])
np.greater(a, b, c)
np.maximum(a, b, c)
np.minimum(a, 3.0, out=c)
np.sin(a, c)
c[:] = np.add(a, b) * np.subtract(d, 1) - np.floor_divide(a, 2) + np.remainder(a, 3)
c[:] = np.square(a) + np.sign(a) + np.floor(a / 2) + np.isnan(a)
c[:] = np.fmax(a, np.fmin(b, 2)) + np.logical_xor(a > 0, b > 3) + np.logical_or(a, 0)
c[0] = d[:, None][:, 0]
c[:] = d[None, :] * a[:, :1]
c[0, 0], c[0, 1], c[0, 2] = (a + d).size, (a + d).shape[1], (a[:, :1] + d).ndim
c[0, 0] = (a + b)[1, 2] + (a + d)[-1, -2]
c[0] = (a + b)[1]
c[0, 0] = len(a + b) + len(d * 2)
for k, x in enumerate(a[0] * 2): c[0, k] = x
c[0, 0] = sum(a[0] * b[0])
c[0, 0] = np.max(a - b) + (a * b).sum() + (a > 0).sum() + np.mean(a[:, 1] - 1)
c[0, 0] = 1 if (a > 0).all() else 2 if np.any(a + b < 0) else 3
a[0], a[1] = a[1], d
c[:, :3] = a @ b.T
c[:3, :3] = (a @ b.T) * 2 + 1
c[:, 0] = a @ d
c[0, :3] = d @ b.T
c[0, 0], c[0, 1] = d @ d, np.dot(d, a[0])
c[:, 0] = np.dot(a, d)
c[:3, :3] = np.matmul(a, b.T)
c[0, 0] = (a[:, :3] @ b[:, :3])[1, 2]
c[0, 0] = np.vdot(d, a[1]) + np.dot(3, 4)
""".strip().splitlines()


def matrices(dtype, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-5, 9, (THREADS, 3, 4)).astype(dtype)
    b = rng.integers(1, 9, (THREADS, 3, 4)).astype(dtype)
    return a, b, np.zeros((THREADS, 3, 4), dtype), rng.integers(1, 9, (THREADS, 4)).astype(dtype)


def check(statement, rules, arrays, rtol=1e-14):
    body = body_of(statement, "a, b, c, d")
    device = cuda.jit(body, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(a, b, c, d):
        i = cuda.grid(1)
        if i < a.shape[0] and i % 7 != 2:
            device(a[i], b[i], c[i], d[i])

    found, wanted = [x.copy("K") for x in arrays], [x.copy("K") for x in arrays]
    with np.errstate(all="ignore"):
        for i in range(THREADS):
            if i % 7 != 2:
                body(*(x[i] for x in wanted))
    kernel[2, 32](*found)
    for have, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol, err_msg=statement)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(rules, statement):
    check(statement, rules, matrices(np.float64))


@pytest.mark.parametrize("statement", STATEMENTS[::3])
def test_views_with_other_strides(rules, statement):
    a, b, c, d = matrices(np.float64, 1)
    check(statement, rules, (a[::-1, ::-1], np.asfortranarray(b), c[:, :, ::-1], np.repeat(d, 2, axis=1)[:, ::2]))


@pytest.mark.parametrize("statement", ["c[:] = a + b * d", "c[:, :3] = a @ b.T", "c[:] = -a"])
def test_complex(rules, statement):
    a, b, c, d = matrices(np.complex128, 2)
    check(statement, rules, (a + 1j * b, b - 2j, c, d + 1j))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_nan_in_choices(rules, name):
    function = getattr(np, name)

    def kernel(a, b, out):
        function(a, b, out=out)

    values = np.array([np.nan, -1.0, 0.0, 2.0, np.inf])
    a, b = np.repeat(values, 5), np.tile(values, 5)
    cuda.jit(kernel, rules=rules)[1, 1](a, b, out := np.zeros(25))
    np.testing.assert_array_equal(out, function(a, b))


INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
OPERATORS = ["a + b", "a - b", "a * b", "a // b", "a % b", "a & b", "a | b", "a ^ b", "np.add(a, b)", "-a", "~a"]


@pytest.mark.parametrize("operator", OPERATORS)
def test_arrays_of_integers_compute_in_numpys_types(operator):
    lines = [f"    if ({operator}).dtype == np.dtype({dtype!r}): which[0] = {k}" for k, dtype in enumerate(INTEGERS)]
    namespace = {"np": np}
    exec(f"def kernel(a, b, out, which):\n    out[:] = {operator}\n" + "\n".join(lines) + "\n", namespace)
    kernel = cuda.jit(namespace["kernel"])
    edges = {"?": [0, 1, 1, 0], "u": [0, 1, 3, -1], "i": [-128, -1, 5, 127]}
    for first, second in itertools.product(INTEGERS, INTEGERS):
        a = np.array(edges[first[0]]).astype(first)
        b = np.array([3, 1, 2, 7]).astype(second)
        if operator[0] in "-~" and first != second:
            continue
        try:
            wanted = eval(operator, {"np": np, "a": a, "b": b})
        except TypeError:  # bools
            continue
        if wanted.dtype.kind == "f" or (wanted.dtype.kind != "b" and first == second == "?"):
            continue  # int64 with uint64; // and % of bools
        out, which = np.zeros(4, wanted.dtype), np.full(1, -1)
        kernel[1, 1](a, b, out, which)
        assert out.tolist() == wanted.tolist(), (first, second)
        assert INTEGERS[which[0]] == wanted.dtype.str[1:].replace("b1", "?"), (first, second)


@pytest.mark.parametrize("statement", ["c[:] = a + b[:, :3]", "c[:2] = a + b", "c[:, :2] = a[:, :3]", "a += b[:2]"])
def test_shapes_that_do_not_go_together_raise_with_debug(rules, statement):
    body = body_of(statement, "a, b, c, d")
    arrays = [x[0] for x in matrices(np.float64)]
    with pytest.raises(ValueError):
        body(*(x.copy() for x in arrays))
    with pytest.raises(ValueError, match="in line 2, column 5 of body|in line 2, column"):
        cuda.jit(body, rules=rules, debug=True)[1, 1](*arrays)
    cuda.jit(body, rules=rules)[1, 1](*arrays)  # unspecified elements, and none outside of the arrays


@pytest.mark.parametrize(
    "statement, message",
    [
        ("t = a + b", "cannot be kept"),
        ("a[a > 3] = 0", "cannot be an index here"),
        ("c[0] = a + b", "more axes"),
        ("c[0, 0] = a[0] + 1", "cannot be stored"),
        ("c[:] = a + (1, 2)", "cannot be an operand"),
        ("c[:] = a + 'x'", "operand|not defined"),
        ("c[:] = a @ 3", "@ needs arrays"),
        ("c[:] = a if a > 0 else b", "no truth value"),
        ("c[:] = np.mean(a, axis=2)", "axis 2"),
        ("c[:] = a + 1j", "cannot be stored"),
    ],
)
def test_refused(rules, statement, message):
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(body_of(statement, "a, b, c, d"), rules=rules)[1, 1](*(x[0] for x in matrices(np.float64)))
    assert caught.value.line == 2
