# Functions of NumPy that give arrays, in kernels: reductions along an axis, take() and arrays as indices, copies as
# another type, transposed axes. NumPy computes the same for each thread.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

from language.written import body_of

THREADS = 45
STATEMENTS = """
c[0] = a.sum(axis=0)
c[:, 0] = np.sum(a, axis=1)
c[:, 0] = np.sum(a, -1) * 2 + a.mean(axis=1)
c[:] = b.sum(axis=0)
c[0, :3] = b.sum(axis=0).sum(axis=1)
c[:2, :3] = b.max(axis=2)
c[:2] = b.min(1) + np.std(b, axis=1)
c[0] = a.var(axis=0, ddof=1)
c[0] = (a * a).sum(axis=0) + (a[::-1] * d).prod(-2)
c[0], c[1] = a.argmax(axis=0), np.argmin(a, 0)
c[0], c[1], c[2] = (a > 0).any(axis=0), (a > -4).all(0), (a > 0).sum(axis=0)
c[0, 0], c[0, 1] = a[0].sum(axis=0), a[0].sum(axis=-1)
c[0, 0] = a.sum(dtype=np.int32) + a.prod(dtype="f8") + a.sum(axis=None)
c[0], c[:, 0] = a.sum(0, dtype=np.float32), np.prod(a, 1, np.int64)
c[0] = np.nansum(a, axis=0) + np.nanmax(a, 0) + np.nanstd(a, axis=0, ddof=1)
c[0, 0], c[0, 1] = np.ptp(a, axis=0)[1], np.count_nonzero(a, axis=0)[0]
c[:] = (a - a.mean(axis=0)) / (a.std(axis=0) + 1)
c[0, 0] = b.sum(axis=1).max() + np.mean(a, axis=0).sum() + b.sum(axis=0)[1, 2] + b.sum(0)[-1][2]
c[0, :3] = b.sum(axis=1).shape + (len(a.sum(axis=1)),)
c[0, 0], c[0, 1] = a[:, :2].sum(axis=0)
for k, x in enumerate(a.sum(axis=0)): c[0, k] = x
c[0, :3] = a[1][i]
c[:] = a[i]
c[:] = a[i] + a[i[::-1]] * d
c[:] = a[i - 1]
c[0, :3] = a.sum(axis=1)[i] + (a * 2)[i].max(axis=1)
c[:2] = b[i[:2]].sum(axis=1)
c[0, 0] = np.max(a[i]) + a[i].ndim + len(a[i]) + a[i][1, 2] + a[i].shape[1]
c[0, :3], c[1, :3] = np.take(a, i), d.take(i + 2)
c[:, :3] = np.take(a, i, axis=1)
c[0], c[:, 0], c[0, 0] = np.take(a, 1, axis=0), a.take(2, axis=1), a.take(-3)
c[0, 0] = np.take(d, 2, axis=0)
c[:2, :3] = b.take(2, -1)
c[:] = a.astype(np.int32) // 2
c[:] = (a / 2 + 0.25).astype("i4") + a.astype(float)
c[:] = a.copy()
c[:] = np.copy(a[::-1]) + a[0].copy()
c[:] = b.transpose(0, 2, 1)[0].T
c[0, :3], c[1, :3] = b.transpose((2, 0, 1))[1, 0], np.transpose(b, (-1, 0, 1))[2, 1]
c[0, :2] = np.transpose(b, axes=(1, 2, 0))[1, 2]
c[:] = a.transpose().transpose() + a.transpose(0, 1); c[1] += a.transpose(1, 0)[:, 0] .sum()
c[0, :3] = a.transpose(None)[1]; b.transpose(2, 1, 0)[3, 1, 0] = 77
c[:, :2] = b.transpose(1, 2, 0)[:, 0]
for k, x in enumerate(a.T.flat): c[k % 3, k // 3] = x
a.T.flat[5] = 9; a[:, ::2].flat[-1] = 8; a[:, 1:].flat[3] += 4
b.transpose(2, 0, 1).flat[17] = -1; b[:, ::2, 1:].flat[7] = -2
c[0, 0], c[0, 1], c[0, 2] = a.T.flat[5], a[:, 1:].flat[-1], len(a[:, 1:].flat)
c[0, 0], c[0, 1] = (a + d).ravel()[5], a.T.ravel()[7] + np.ravel(a[:, ::2])[3] + a.T.flatten()[-2]
c[0, 0] = a[:, 1:].ravel().sum() + a[::2, ::2].flatten().shape[0] + sum(a.T.flat)
c[:, 0] = a.diagonal(); c[0, 1], c[0, 2] = a.trace(), np.trace(b[0, :, 1:])
np.cumsum(a, out=c.reshape(12)); a[0].cumprod(out=c[1]); np.cumprod(a[:, 1], 0, None, c[:, 2])
c[:] = a.clip(0, 3) + a.imag + (a * 2).conj(); c[0, 0] += a[1:].imag.shape[0] + np.imag(a).sum()
t = np.zeros((3, 4)); u = np.zeros_like(t); u += a; c[:] = u
t = np.zeros((2, 3), np.float32); u = np.ones_like(t.T); c[:, :2] = u; c[0, 3] = u.itemsize + u.shape[0]
t = np.zeros(4); u = np.full_like(t, 7, dtype="i2"); c[0] = u; c[1, 0] = u.itemsize
t = np.ones((3, 1)); u = np.ones(4); v = np.empty_like(t + u); v[:] = a; c[:] = v
t = np.full_like(table, 3); t[0] += 1; c[1:, :2] = t; c[0] = np.zeros_like(np.ones(4), dtype=np.int8)
""".strip().splitlines()
table = np.array([[1.5, 2], [3, 4]])


def arrays(dtype, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-5, 9, (THREADS, 3, 4)).astype(dtype)
    b = rng.integers(1, 9, (THREADS, 2, 3, 4)).astype(dtype)
    d = rng.integers(1, 9, (THREADS, 4)).astype(dtype)
    return a, b, np.zeros((THREADS, 3, 4), dtype), d, rng.integers(-2, 2, (THREADS, 3))


def check(statement, rules, given, rtol=1e-13):
    body = body_of(statement, "a, b, c, d, i", table=table)
    device = cuda.jit(body, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(a, b, c, d, i):
        k = cuda.grid(1)
        if k < a.shape[0] and k % 7 != 2:
            device(a[k], b[k], c[k], d[k], i[k])

    found, wanted = [x.copy("K") for x in given], [x.copy("K") for x in given]
    with np.errstate(all="ignore"):
        for k in range(THREADS):
            if k % 7 != 2:
                body(*(x[k] for x in wanted))
    kernel[2, 32](*found)
    for have, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol, err_msg=statement)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(rules, statement):
    check(statement, rules, arrays(np.float64))


@pytest.mark.parametrize("statement", STATEMENTS[::3])
def test_views_with_other_strides(rules, statement):
    a, b, c, d, i = arrays(np.float64, 1)
    check(statement, rules, (a[::-1, ::-1], np.asfortranarray(b), c[:, :, ::-1], np.repeat(d, 2, axis=1)[:, ::2], i))


NAMES = "sum prod min max mean var std any all argmin argmax".split()
DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("name", NAMES)
def test_types_along_an_axis_are_numpys(name):
    expression = f"a.{name}(axis=1)"
    lines = [f"    if {expression}.dtype == np.dtype({dtype!r}): which[0] = {k}" for k, dtype in enumerate(DTYPES)]
    namespace = {"np": np}
    exec(f"def kernel(a, out, which):\n    out[:] = {expression}\n" + "\n".join(lines), namespace)
    kernel = cuda.jit(namespace["kernel"])
    for dtype in DTYPES:
        a = (np.arange(12).reshape(3, 4) % 5 - (np.dtype(dtype).kind in "ifc") * 2).astype(dtype)
        if a.dtype.kind == "c" and name in ("min", "max", "argmin", "argmax"):
            continue
        wanted = getattr(a, name)(axis=1)
        out, which = np.zeros(3, wanted.dtype), np.full(1, -1)
        kernel[1, 1](a, out, which)
        np.testing.assert_allclose(out, wanted, rtol=1e-6)
        assert DTYPES[which[0]] == wanted.dtype.str[1:].replace("b1", "?"), (name, dtype)


SIZES = [("f8", "f4"), ("i4", "u1"), ("u1", "f8"), ("c16", "f8"), ("i2", "c8")]


@pytest.mark.parametrize("first, second", SIZES)
@pytest.mark.parametrize(
    "cut", ["a", "a[1:]", "a[0]", "a[::-1, 1]", "a[:, :, 16:]", "a[1, ::2, -16:]", "a.transpose(1, 0, 2)"]
)
def test_elements_of_another_size(rules, first, second, cut):
    namespace = {"np": np, "other": np.dtype(second)}
    exec(f"def kernel(a, out):\n    {cut}.view(other)[..., 1] = 3\n    out[...] = {cut}.view(other)\n", namespace)
    a = np.random.default_rng(2).integers(1, 99, (2, 3, 32)).astype(first)
    mine = a.copy()
    wanted = eval(cut, {"a": mine}).view(second)
    wanted[..., 1] = 3
    out = np.zeros(wanted.shape, second)
    cuda.jit(namespace["kernel"], rules=rules)[1, 1](a, out)
    assert out.tobytes() == wanted.tobytes()
    assert a.tobytes() == mine.tobytes()


def test_views_of_shared_memory_have_other_elements(rules):
    def kernel(out):
        raw = cuda.shared.array(256, np.uint8)
        t = cuda.threadIdx.x
        raw.view(np.float32)[t] = t / 2
        cuda.syncthreads()
        out[t] = raw.view(np.float32)[63 - t if t > 31 else t ^ 1] + raw[0]

    out = np.zeros(64)
    cuda.jit(kernel, rules=rules)[1, 64](out)
    assert out.tolist() == [(63 - t if t > 31 else t ^ 1) / 2 for t in range(64)]


@pytest.mark.parametrize("cut", ["a[:, ::2]", "a[:, ::-1]", "a[:, 1:4]", "a.T"])
def test_elements_that_do_not_fit_raise_with_debug(rules, cut):
    namespace = {"np": np}
    exec(f"def body(a, out):\n    out[0] = {cut}.view(np.uint64).size\n", namespace)
    a, out = np.zeros((6, 4), np.uint32), np.full(1, -1)
    with pytest.raises(ValueError):
        namespace["body"](a, out)
    with pytest.raises(ValueError, match=r"last axis must .*, in line 2, column \d+ of body"):
        cuda.jit(namespace["body"], rules=rules, debug=True)[1, 1](a, out)
    cuda.jit(namespace["body"], rules=rules)[1, 1](a, out)  # none outside of the array
    assert out[0] in (0, 6)


def test_addresses_of_arrays(rules):
    def kernel(a, out, shared):
        out[0], out[1] = a.ctypes.data, a[1:, 2].ctypes.data
        pointer = a.T.ctypes
        out[2] = pointer.data
        i, own, all_ = cuda.threadIdx.x, cuda.local.array(3, np.float64), cuda.shared.array((32, 2), np.int32)
        own[1] = i
        shared[i, 0] = all_[i].ctypes.data - all_.ctypes.data
        shared[i, 1] = own[1:].ctypes.data > 0

    a, out, shared = cuda.to_device(np.zeros((3, 4), np.float32)), np.zeros(3, np.uint64), np.zeros((32, 2), np.int64)
    cuda.jit(kernel, rules=rules)[1, 32](a, out, shared)
    first = a.__cuda_array_interface__["data"][0]
    assert out.tolist() == [first, first + 24, first]
    assert shared.tolist() == [[8 * i, 1] for i in range(32)]


def test_a_variable_axis_that_is_bound_to_a_constant(rules):
    def along(a, axis, out):
        out[:] = a.sum(axis)

    device = cuda.jit(along, device=True, rules=rules)
    last = 1

    def kernel(a, out):
        device(a, 0, out[0])
        axis = last - 2
        device(a, axis, out[1, :2])

    a, out = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    cuda.jit(kernel, rules=rules)[1, 1](a, out)
    assert out[0].tolist() == a.sum(0).tolist() and out[1, :2].tolist() == a.sum(1).tolist()


def test_indices_out_of_bounds_raise_with_debug(rules):
    def kernel(a, i, out):
        out[:] = a[i]

    a, out = np.arange(4.0), np.zeros(2)
    line = kernel.__code__.co_firstlineno + 1
    with pytest.raises(IndexError, match=rf"kernel \(.*{__name__.split('.')[-1]}.py\): .* in line {line}, column 9,"):
        cuda.jit(kernel, rules=rules, debug=True)[1, 1](a, np.array([1, 4]), out)
    with pytest.raises(ValueError, match="slice of another size"):
        cuda.jit(kernel, rules=rules, debug=True)[1, 1](a, np.array([1, 3, 0]), out)


@pytest.mark.parametrize(
    "statement, column",
    [
        ("c[:] = a[i + 9]", 5),
        ("c[0, 0] = a.take(20)", 15),
        ("c[0, :3] = np.take(a, i + 20)", 5),
        ("c[0, 0] = a.item(20) + 1", 15),
        ("c[0, 0] = 1 + b.item(90)", 19),
        ("c[0] = np.take(a, 5, axis=0)", 5),
        ("c[0, :3] = d.take(i - 9)", 5),
        ("c[0, 0] = (a + 1).ravel()[20]", 15),
        ("for x in np.take(b, i + 30): c[0, 0] += x", 14),
    ],
)
def test_errors_in_the_library_are_shown_where_it_is_called(rules, statement, column):
    kernel = cuda.jit(body_of(statement, "a, b, c, d, i"), rules=rules, debug=True)
    with pytest.raises(IndexError, match=rf"out of bounds in line 2, column {column}, in thread"):
        kernel[1, 1](*(x[0] for x in arrays(np.float64)))


@pytest.mark.parametrize("shape", [(12,), (3, 4)])
def test_indices_count_from_the_end_once(rules, shape):
    @cuda.jit(rules=rules, debug=True)
    def kernel(a, i, out):
        out[0] = np.take(a, i)
        out[1] = a.take(out.astype(np.int64) - out.astype(np.int64) + i)[0]

    a = np.arange(12.0).reshape(shape)
    for i in range(-12, 12):
        kernel[1, 1](a, i, out := np.zeros(2))
        assert out.tolist() == [np.take(a, i)] * 2
    for i in (-13, -14, -24, -25, 12, 13):
        with pytest.raises(IndexError, match="an index is out of bounds"):
            kernel[1, 1](a, i, np.zeros(2))


def test_errors_in_functions_of_the_library_with_many_callers_have_no_line(rules):
    body = body_of("c[0, 0] = np.take(b, i + 30).sum()", "b, c, i")
    with pytest.raises(IndexError, match="an index is out of bounds, in thread"):
        cuda.jit(body, rules=rules, debug=True)[1, 1](np.zeros((2, 3, 4)), np.zeros((3, 4)), np.zeros(3, int))


CUMULATED = [(a, out) for a in DTYPES[:-2] + ["f2", "i2"] for out in ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8")]
CUMULATED += [("c8", "c8"), ("c8", "c16"), ("c16", "c8"), ("i4", "c8"), ("i2", "c8"), ("f8", "c8")]


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals_are_computed_in_the_wider_type(rules, name):
    namespace = {"np": np}
    exec(f"def body(a, out): np.{name}(a, out=out)", namespace)
    kernel = cuda.jit(namespace["body"], rules=rules, debug=True)
    for first, second in CUMULATED:
        a = (np.arange(1, 12) * 7 % 50).astype(first)
        a = a / a.dtype.type(3) if a.dtype.kind in "fc" else a
        if np.result_type(first, second).kind == "f" and np.dtype(second).kind in "iu":
            a = np.minimum(a, a.dtype.type(4.5))  # what integers are made of floats beyond their own is undefined
            a[3:] = 1
        found, wanted = np.zeros(11, second), np.zeros(11, second)
        with np.errstate(all="ignore"):
            namespace["body"](a, wanted)
        kernel[1, 1](a, found)
        assert found.tobytes() == wanted.tobytes(), (first, second, found, wanted)


def test_running_totals_of_many_halves_end_at_2048(rules):
    def body(a, out):
        np.cumsum(a, out=out)

    a = np.ones(3000, np.float16)
    for dtype, last in ((np.float16, 2048), (np.float32, 3000)):
        body(a, wanted := np.zeros(3000, dtype))
        cuda.jit(body, rules=rules)[1, 1](a, found := np.zeros(3000, dtype))
        assert found.tobytes() == wanted.tobytes() and found[-1] == last


@pytest.mark.parametrize("statement", ["np.cumsum(a, out=c)", "a.cumprod(out=c[:6])", "np.cumsum(a, 0, None, c[1:])"])
def test_running_totals_of_another_size_raise_with_debug(rules, statement):
    body = body_of(statement, "a, c")
    a, c = np.arange(5.0), np.zeros(9)
    with pytest.raises(ValueError):
        body(a, c)
    with pytest.raises(ValueError, match="out is the wrong size"):
        cuda.jit(body, rules=rules, debug=True)[1, 1](a, c)
    with pytest.raises(ValueError, match="out is the wrong size"):
        cuda.jit(body, rules=rules, debug=True)[1, 1](np.arange(12.0), c)
    guarded = np.full(20, -7.0)
    cuda.jit(body, rules=rules)[1, 1](np.arange(1, 13.0), guarded[:9])
    assert (guarded[1:5] != -7).all() and (guarded[9:] == -7).all()


@pytest.mark.parametrize(
    "statement, message",
    [
        ("c[0] = a.sum(axis=2)", "axis 2 is out of bounds for an array with 2 axes"),
        ("c[0] = a.sum(axis=-3)", "axis -3 is out of bounds"),
        ("c[0, 0] = d.sum(axis=1)", "axis 1 is out of bounds for an array with 1 axis"),
        ("c[0] = a.sum(axis=(0, 1))", "axis must be one integer"),
        ("c[0] = a.sum(axis=int(a[0, 0]))", "axis is not known while compiling"),
        ("c[0] = a.sum(axis=0, keepdims=True)", "keyword 'keepdims'"),
        ("c[0] = a.cumsum()", r"np.cumsum\(a, out=...\)"),
        ("c[0] = a.cumsum(axis=0, out=c)", "along an axis"),
        ("c[0] = b.diagonal()[0]", "two axes"),
        ("c[0] = a[a > 0]", "cannot be an index here"),
        ("c[0, :3] = a[0, i]", "cannot be an index here"),
        ("c[i] = 0", "cannot be an index here"),
        ("a[i] += 1", "cannot be an index here"),
        ("c[0] = np.take(a, d > 3)", "array of integers"),
        ("c[0] = np.take(a, (0, 1))", "an index or an array of indices"),
        ("c[0] = np.take(a, 1.5, axis=0)", "an index or an array of indices"),
        ("c[:, :4] = np.take(a, d > 3, axis=1)", r"np.take\(\) needs an array of integers"),
        ("c[:, :4] = a.take(d, 1)", r"np.take\(\) needs an array of integers"),
        ("np.cumsum(d, axis=1, out=c[0])", "axis 1 is out of bounds for an array with 1 axis"),
        ("np.cumprod(d, -2, None, c[0])", "axis -2 is out of bounds"),
        ("np.cumsum(a, out=c)", "an array with one axis"),
        ("t = a.sum(axis=0)", "cannot be kept"),
        ("t = a[i]", "cannot be kept"),
        ("c[0, :2] = (a + a)[0, 1:3]", "cannot be sliced"),
        ("c[:] = a.transpose(0, 0)", "0 is repeated"),
        ("c[:] = a.transpose(1)", "as many as the array has"),
        ("c[:] = a.transpose(0, 1, 2)", "2 is none of 2 axes"),
        ("c[:] = a.transpose(int(a[0, 0]), 1)", "known while compiling"),
        ("c[:] = np.transpose(3)", "array"),
        ("a.T.flat[1:3] = 0", "slices of `flat`"),
        ("(a + a).flat[1] = 0", "flat"),
        ("a.T.ravel()[1] = 0", "cannot be stored|stored into|array"),
        ("t = np.full_like(3, 2)", "an array"),
        ("t = np.zeros(4); c[0] = t.view(np.float32)[:4]", "8 bytes"),
        ("c[0, 0] = a.view('M8[s]')[0, 0]", "number type"),
        ("c[0] = a.astype('q5')", "type"),
        ("c[:] = a.astype(np.complex64)", "cannot be stored"),
    ],
)  # fmt: skip
def test_refused(rules, statement, message):
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(body_of(statement, "a, b, c, d, i", table=table), rules=rules)[1, 1](
            *(x[0] for x in arrays(np.float64))
        )
    assert caught.value.line == 2 + statement.count(";")


REFUSED = ["np.sum(a)", "a.sum(axis=0)[0]", "a.max(0)[1]", "np.argmin(a)", "a.mean()", "np.nanmax(a)", "a.std(1)[0]"]
REFUSED += ["np.ptp(a[::-1])", "np.prod(a, 1)[0]"]


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[D]", "U3", "S3"])
def test_reductions_of_dates_and_texts(rules, dtype):
    a = (np.arange(1, 7).reshape(2, 3) % 5).astype("i8" if dtype[0] in "Mm" else dtype).astype(dtype)
    for expression in REFUSED:
        name = [part for part in expression.replace("(", ".").split(".") if part in (*NAMES, "nanmax", "ptp")][0]
        body = body_of(f"c[0] = {expression}", "a, c")
        with pytest.raises(CompileError, match=rf"np.{name}\(\) in kernels takes arrays of numbers") as caught:
            cuda.jit(body, rules=rules)[1, 1](a, np.zeros(3, dtype))
        assert caught.value.line == 2 and "computed." not in str(caught.value)

    def kernel(a, c):
        c[0], c[1], c[2] = a.any(), np.all(a), np.count_nonzero(a)
        c[3:] = a.all(0)

    found, wanted = np.zeros(6), np.zeros(6)
    kernel(a, wanted)
    cuda.jit(kernel, rules=rules)[1, 1](a, found)
    assert found.tolist() == wanted.tolist()


def test_arrays_without_elements(rules):
    def kernel(a, i, out):
        out[0], out[1] = a.sum(axis=0), a.prod(0)
        for _ in a.T.flat:
            out[2] += 1
        out[3, 0], out[3, 1] = a.T.ravel().size, len(out[i])
        out[4:4] = out[i]
        out[4:4, :2] = a.view(np.complex128).real

    a, out = np.zeros((0, 4)), np.zeros((5, 4))
    cuda.jit(kernel, rules=rules, debug=True)[1, 1](a, np.zeros(0, np.int64), out)
    assert out.tolist() == [[0] * 4, [1] * 4, [0] * 4, [0] * 4, [0] * 4]


def test_halves_are_summed_up_in_float32(rules):
    def kernel(a, out):
        out[0], out[1] = a.sum(axis=0), a.mean(axis=0)
        out[2] = a.sum(axis=0, dtype=np.float16)

    a = np.full((300, 3), 10.3, np.float16)
    out = np.zeros((3, 3))
    cuda.jit(kernel, rules=rules)[1, 1](a, out)
    wanted = a.astype(np.float32).sum(axis=0)
    assert out[0].tolist() == out[2].tolist() == wanted.astype(np.float16).tolist()
    assert out[1].tolist() == (wanted / 300).astype(np.float16).tolist()
