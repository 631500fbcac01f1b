# NumPy's functions of whole arrays: values and types against NumPy, of all dtypes, shapes, views and array expressions.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

FUNCTIONS = [
    "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "ptp", "count_nonzero",
    "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax",
]  # fmt: skip
METHODS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax"]
ORDERED = {"min", "max", "argmin", "argmax", "ptp", "nanmin", "nanmax"}
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
SHAPES = [(5,), (1,), (2, 3), (2, 1, 3)]


def array(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) > 0.5
    if kind in "iu":
        return rng.integers(1 if kind == "u" else -4, 6, shape).astype(dtype)
    values = rng.standard_normal(shape)
    if kind == "c":
        return (values + 1j * rng.standard_normal(shape)).astype(dtype)
    values.flat[values.size // 2] = np.nan if seed % 2 else 1.5
    return values.astype(dtype)


def asker(expression):
    """A kernel that stores an expression of `a`, and which of DTYPES it has."""
    lines = [f"    if isinstance(v, np.dtype({dtype!r}).type): which[0] = {k}" for k, dtype in enumerate(DTYPES)]
    text = f"def kernel(a, out, which):\n    v = {expression}\n    out[0] = v\n" + "\n".join(lines)
    namespace = {"np": np}
    exec(text.replace("np.dtype('?').type", "np.bool_"), namespace)
    return namespace["kernel"]


def check(kernel, expression, a):
    with np.errstate(all="ignore"):
        wanted = np.asarray(eval(expression, {"np": np, "a": a}))
    widest = {"b": "i8", "i": "i8", "u": "u8", "f": "f8", "c": "c16"}[wanted.dtype.kind]
    out, which = np.zeros(1, widest), np.full(1, -1)
    kernel[1, 1](a, out, which)
    note = f"{expression} of {a.dtype} {a.shape}"
    tolerance = 2e-6 if wanted.dtype in (np.float32, np.complex64) else 1e-14
    np.testing.assert_allclose(out[0], wanted, rtol=tolerance, atol=tolerance, err_msg=note)
    assert np.dtype(DTYPES[which[0]]) == wanted.dtype, note


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", [f"np.{f}(a)" for f in FUNCTIONS] + [f"a.{m}()" for m in METHODS])
def test_values_and_types(expression):
    kernel = cuda.jit(asker(expression))
    name = expression.removesuffix("(a)").removesuffix("()").rpartition(".")[2]
    for dtype in DTYPES:
        if (name in ORDERED and dtype[0] == "c") or (name == "ptp" and dtype == "?"):
            continue
        for seed, shape in enumerate(SHAPES):
            check(kernel, expression, array(dtype, shape, seed))


@pytest.mark.share(every=4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("view", ["a[::-2]", "a.T", "a[1:, ::-1]", "a[:, 1]", "a[0]", "a[None, :, :2]", "a[1:1]"])
@pytest.mark.parametrize("function", ["sum", "prod", "mean", "var", "any", "all", "count_nonzero", "nansum"])
def test_views_and_empty_arrays(view, function):
    for dtype in ("i4", "f8", "c8"):
        check(cuda.jit(asker(f"np.{function}({view})")), f"np.{function}({view})", array(dtype, (4, 3)))


@pytest.mark.share(every=4)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "operand", ["a + a[0]", "-a", "a * 2.5", "np.where(a > 0, a, a * a)", "np.abs(a[1:])", "a < 1"]
)
def test_array_expressions(function, operand):
    if function == "ptp" and operand == "a < 1":
        return
    expression = f"np.{function}({operand})"
    check(cuda.jit(asker(expression)), expression, array("f8", (3, 4)))


def test_each_thread_reduces_its_own_row(rules):
    def kernel(a, out):
        i = cuda.grid(1)
        if i < a.shape[0] and i % 3:
            row = a[i, : i % 5 + 1]
            out[i, 0], out[i, 1], out[i, 2] = row.max(), np.sum(row * row), row.argmin()
            if row.any():
                out[i, 3] = np.mean(a[i, ::-1] - row[0])

    a = np.random.default_rng(3).integers(-3, 4, (45, 6)).astype(np.float64)
    out, wanted = np.zeros((45, 4)), np.zeros((45, 4))
    cuda.jit(kernel, rules=rules)[2, 32](a, out)
    for i in range(45):
        if i % 3:
            row = a[i, : i % 5 + 1]
            mean = (a[i] - row[0]).mean() if row.any() else 0
            wanted[i] = row.max(), (row * row).sum(), row.argmin(), mean
    np.testing.assert_allclose(out, wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("function", sorted(ORDERED))
def test_complex_numbers_have_no_order(function):
    with pytest.raises(CompileError, match="complex numbers have no order in kernels") as caught:
        cuda.jit(asker(f"np.{function}(a)"))[1, 1](np.ones(3, "c8"), np.zeros(1), np.zeros(1))
    assert (caught.value.line, caught.value.column) == (2, 9)


@pytest.mark.parametrize("function", ["min", "max", "argmin", "argmax", "nanmin", "nanmax"])
def test_nothing_has_no_least_element(function):
    kernel = asker(f"np.{function}(a)")
    for shape in [(0,), (0, 3), (3, 0)]:
        with pytest.raises(ValueError) as wanted:
            getattr(np, function)(np.zeros(shape))
        with pytest.raises(ValueError, match=wanted.value.args[0][:20]):
            cuda.jit(kernel, debug=True)[1, 1](np.zeros(shape), np.zeros(1), np.zeros(1))
        cuda.jit(kernel)[1, 1](np.zeros(shape), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize("argument", ["3", "2.5", "(1, 2)", "None"])
@pytest.mark.parametrize("function", ["sum", "max", "mean", "any"])
def test_what_is_no_array_is_refused(function, argument):
    with pytest.raises(CompileError, match="np") as caught:
        cuda.jit(asker(f"np.{function}({argument})"))[1, 1](np.ones(3), np.zeros(1), np.zeros(1))
    assert caught.value.line == 2
