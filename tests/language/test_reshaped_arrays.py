# reshape(), ravel(), flat, view(dtype), nditer(); NumPy's new arrays of constant shapes; arange().

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

from language.written import body_of

STATEMENTS = """
c.reshape(12)[:] = a.reshape(2, 6).T.shape[0]
b = a.reshape(2, 6); c[0, :2] = b[:, 3]; b[1, 2] = 99
c[:] = a.reshape((4, 3)).T
c[:] = np.reshape(a, (4, 3)).T
c[0, :] = a.reshape(-1)[4:8]
c[0, 0], c[0, 1] = a.reshape(-1, 2).shape[0], a.reshape(2, -1, 3)[1, 1, 2]
n = a.shape[1]; c.reshape(n, 3)[:, 1] = a.reshape(n, -1)[:, 2]
n = 2 - a.shape[0]; c[0] = a.reshape(n)[4:8]; c[1, :2] = a.reshape(6, n)[5]; c[2, 0] = a.reshape(n, 2, 3)[1, 1, 2]
n = 2 - a.shape[0]; c[0, 0] = a.reshape((n, a.shape[1])).shape[0] + a.reshape(1, n, np.int8(n + 5)).shape[1]
c[0, 0] = a[1].reshape(2, 2)[1, 0]
c[1] = a[1:].ravel()[:4]
a.ravel()[5] = -7
c[0, 0] = np.ravel(a)[-1] + a.flatten()[1] + len(a.flat) + a.flat[7]
for k, x in enumerate(a.flat): c[k % 3, k // 3] = x
for x in np.nditer(a): c[0, 0] += x[()] * x.item()
c[0, 0] = a.reshape(2, 6).sum() + a[:2].reshape(2, 2, 2).mean()
c[:, :3] = np.zeros((3, 3)); c[0, 0] += np.ones(4).sum() + np.full(3, 2.5).size
t = np.zeros(4); t[1] = 3; t += a[0]; c[0] = t
t = np.empty((2, 3)); t[:] = a[1:, 1:]; c[:2, 1:] = t * 2
t = np.full((2, 2), 7, np.int16); t[0, 0] = 2; c[:2, :2] = t; c[2, 0] = t.itemsize
t = np.ones(3, dtype="i4"); t[0] += 5; c[:, 0] = t
for k in range(3): t = np.zeros(2); t[0] += k; c[k, :2] = t
for k in np.arange(3): c[k, k] = k
c[0] = np.arange(4); c[:, 1] = np.arange(2, 8, 2); c[0, 0] = np.arange(5)[3] + len(np.arange(1, 4))
c[:, :] = np.arange(4)
""".strip().splitlines()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(rules, statement):
    body = body_of(statement, "a, c")
    device = cuda.jit(body, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(a, c):
        i = cuda.grid(1)
        if i < a.shape[0] and i % 7 != 2:
            device(a[i], c[i])

    rng = np.random.default_rng(5)
    found = [rng.integers(-5, 9, (45, 3, 4)).astype(np.float64), np.zeros((45, 3, 4))]
    wanted = [x.copy() for x in found]
    for i in range(45):
        if i % 7 != 2:
            body(wanted[0][i], wanted[1][i])
    kernel[2, 32](*found)
    for have, want in zip(found, wanted, strict=True):
        assert have.tolist() == want.tolist()


@pytest.mark.parametrize("first, second", [("f4", "i4"), ("f8", "u8"), ("i1", "u1"), ("u2", "i2"), ("c8", "f8")])
def test_elements_of_another_type(rules, first, second):
    def kernel(a, words, rows):
        i = cuda.grid(1)
        if i < a.shape[0]:
            seen = a.view(other)
            words[i] = seen[i, 0]
            rows[i, :] = a[i, ::-1].view(dtype=other)
            seen[i, 1] = seen[i, 0]

    other = np.dtype(second)
    rng = np.random.default_rng(1)
    a = rng.integers(0, 200, (40, 3)).astype(first)
    bits = a.copy().view(second)
    words, rows = np.zeros(40, second), np.zeros((40, 3), second)
    cuda.jit(kernel, rules=rules)[2, 32](a, words, rows)
    assert words.tolist() == bits[:, 0].tolist()
    assert rows.tolist() == bits[:, ::-1].tolist()
    assert a.view(second)[:, 1].tolist() == bits[:, 0].tolist()


def test_shared_and_local_arrays_are_reshaped(rules):
    def kernel(out):
        flat = cuda.shared.array(64, np.int32)
        pairs = flat.reshape(32, 2)
        t = cuda.threadIdx.x
        pairs[t, 0], pairs[t, 1] = t, 100 + t
        mine = cuda.local.array((2, 3), np.float32)
        mine.ravel()[:] = np.arange(6)
        cuda.syncthreads()
        out[t, 0], out[t, 1], out[t, 2] = flat[2 * (31 - t)], flat[63 - 2 * t], mine[1, t % 3]

    out = np.zeros((32, 3), np.int64)
    cuda.jit(kernel, rules=rules)[1, 32](out)
    assert out.tolist() == [[31 - t, 131 - t, 3 + t % 3] for t in range(32)]


def test_new_arrays_belong_to_the_thread_and_are_filled_anew(rules):
    def kernel(out):
        i = cuda.grid(1)
        for k in range(i % 4 + 1):
            counts = np.zeros(3, np.int32)
            counts[k % 3] += i
            out[i, k % 3] = counts.sum()

    out = np.zeros((45, 3), np.int64)
    cuda.jit(kernel, rules=rules)[1, 45](out)
    assert out.tolist() == [[i if k <= i % 4 else 0 for k in range(3)] for i in range(45)]


@pytest.mark.parametrize("shape", [(5, 2), (3, 5), (2, 2, 2), (-1, 5)])
def test_other_sizes_raise_with_debug(rules, shape):
    namespace = {}
    exec(f"def body(a, c):\n    c[0, 0] = a.reshape{shape}.size\n", namespace)
    a, c = np.zeros((3, 4)), np.zeros((3, 4))
    with pytest.raises(ValueError):
        namespace["body"](a, c)
    with pytest.raises(ValueError, match="cannot be reshaped .* in line 2, column 15 of body"):
        cuda.jit(namespace["body"], rules=rules, debug=True)[1, 1](a, c)


@pytest.mark.parametrize(
    "statement, message",
    [
        ("c[0] = a.T.reshape(12)[:4]", "C order"),
        ("c[0] = a[:, ::2].ravel()[:4]", "cannot be sliced"),
        ("for x in np.nditer(a[:, 1:]): c[0, 0] = x", "C order"),
        ("c[0, 0] = a.reshape(-1, -1).size", "only one extent"),
        ("c[0, 0] = a.reshape(2.5).size", "integer"),
        ("c[0, 0] = a.reshape(()).size", "1 to 8 extents"),
        ("c[0, 0] = np.zeros(3).view(np.int32)[0]", "8 bytes"),
        ("c[0, 0] = np.zeros(3, 'q5')[0]", "dtype|type"),
        ("c[0, 0] = np.arange(2.5)[0]", "bounds of numpy.arange"),
        ("c[0, 0] = np.linspace(0, 1, 3)[0]", "not supported"),
    ],
)
def test_refused(rules, statement, message):
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(body_of(statement, "a, c"), rules=rules)[1, 1](np.zeros((3, 4)), np.zeros((3, 4)))
    assert caught.value.line == 2
