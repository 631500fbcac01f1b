# NumPy's functions of whole arrays: all types, shapes without axes and without elements, axes and layouts, with NaN,
# infinities and the ends of integers among the elements. NumPy is the oracle.

import numpy as np
import pytest
from treadle import cuda

from language.numpy_rows import COMPLEX, FLOATS, INTEGERS, REDUCTIONS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ORDERED = {"min", "max", "amin", "amax", "argmin", "argmax", "ptp", "nanmin", "nanmax"}
DTYPES = ["?", *INTEGERS, *FLOATS, *COMPLEX]
SHAPES = [(), (1,), (7,), (0,), (2, 3), (3, 0), (2, 3, 4)]
LAYOUTS = {
    "C": lambda a: a,
    "reversed": lambda a: a[(slice(None, None, -1),) * a.ndim + (...,)],
    "F": np.asfortranarray,
}


def elements(dtype, shape, kind):
    """`kind`: "plain" numbers; "edges"; "none", nothing but NaN."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(5)
    size = int(np.prod(shape))
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) > (0.5 if kind == "plain" else 1))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        chosen = [1, 2, 3, 5] if kind == "plain" else [limits.max, limits.min, 0, 3, limits.max - 1]
        return np.resize(np.array(chosen, dtype), size).reshape(shape)
    chosen = {
        "plain": [1.5, -2, 0.25, 3, 1, -0.75],
        "edges": [1.5, np.nan, -2, np.inf, -0.0, 0.0, 3],
        "none": [np.nan],
    }[kind]
    values = np.resize(np.array(chosen), size).reshape(shape)
    if dtype.kind == "c":
        parts = np.empty(shape, complex)
        imaginary = [0.5, 2, 1, 4 if kind == "plain" else np.nan, -1]
        parts.real, parts.imag = values, np.resize(np.array(imaginary), size).reshape(shape)
        values = parts
    return values.astype(dtype)


def kernel_of(name, ndim, axis):
    """A kernel that stores the result into an array that has the result's shape."""
    call = f"np.{name}(a)" if axis is None else f"np.{name}(a, axis={axis})"
    target = "out[()]" if axis is None or ndim < 2 else "out[...]"
    namespace = {"np": np}
    exec(f"def kernel(a, out):\n    {target} = {call}\n", namespace)
    return cuda.jit(namespace["kernel"])


def same(found, wanted):
    """Of sums in another order."""
    if wanted.dtype.kind not in "fc":
        return np.array_equal(found, wanted)
    if wanted.dtype.kind == "c":
        return same(found.real, wanted.real) and same(found.imag, wanted.imag)
    return np.allclose(found, wanted, rtol=16 * np.finfo(wanted.dtype).eps, atol=1e-7, equal_nan=True)


def has_result(name, a, axis):
    if a.dtype.kind == "c" and name in ORDERED or a.dtype.kind == "b" and name == "ptp":
        return False
    length = a.size if axis is None else a.shape[axis] if a.ndim else 1
    return length > 0 or name not in ORDERED


def check(name, dtype, shapes, layouts):
    kernels, wrong = {}, []
    for shape in shapes:
        for axis in (None, *range(len(shape))):
            kernel = kernels.setdefault((len(shape), axis), kernel_of(name, len(shape), axis))
            for kind in ("plain", "edges", "none"):
                for layout in layouts:
                    given = elements(dtype, shape, kind)
                    if name == "nanprod" and given.dtype.kind == "c":
                        # Where NumPy multiplies by 1 in place of a NaN, infinities become NaN.
                        given = np.where(np.isinf(given.real), 2, given).astype(dtype)
                    a = LAYOUTS[layout](given)
                    if not has_result(name, a, axis):
                        continue
                    with np.errstate(all="ignore"):
                        wanted = np.asarray(getattr(np, name)(a, axis=axis))
                    found = np.zeros(wanted.shape, wanted.dtype)
                    kernel[1, 1](a, found)
                    cuda.synchronize()
                    if not same(found, wanted):
                        wrong.append((shape, axis, kind, layout, found.tolist(), wanted.tolist()))
    assert not wrong, f"{name} of {dtype}, {len(wrong)} wrong: {wrong[:3]}"


@pytest.mark.share(every=4)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name):
    for dtype in ("u1", "f2", "c8"):
        check(name, dtype, [(), (7,), (2, 3)], ["C"])


@pytest.mark.share(every=4)
@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction_of_all_shapes(name, dtype):
    check(name, dtype, SHAPES, LAYOUTS)


@pytest.mark.share(every=4)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_types_of_results(name):
    """Those of arrays without axes are those of their elements."""
    codes = ["?", "i8", "u8", *FLOATS, *COMPLEX]
    text = f"def kernel(a, which):\n    v = np.{name}(a)\n"
    for place, code in enumerate(codes):
        text += f"    if isinstance(v, np.{np.dtype(code).type.__name__}): which[()] = {place}\n"
    namespace = {"np": np}
    exec(text, namespace)
    kernel = cuda.jit(namespace["kernel"])
    for dtype in ("?", "i8", "u8", *FLOATS, *COMPLEX):
        a = np.array(1, dtype)
        if has_result(name, a, None):
            which = np.array(-1)
            kernel[1, 1](a, which)
            cuda.synchronize()
            assert np.dtype(codes[int(which)]) == np.asarray(getattr(np, name)(a)).dtype, (name, dtype)
