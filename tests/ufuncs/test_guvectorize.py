"""`guvectorize`: layouts, loops over the other axes, results. NumPy computes what is expected."""

import pickle

import numpy as np
import pytest
from treadle import cuda, float32, float64, guvectorize, int32, int64, void


@guvectorize(
    ["void(float32[:,:], float32[:,:], float32[:,:])", void(float64[:, :], float64[:, :], float64[:, :])],
    "(m,n),(n,p)->(m,p)",
    target="cuda",
)
def product(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


@guvectorize([void(float64[:], float64, float64[:])], "(n), () -> (n)", target="cuda")
def add_number(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + y


@guvectorize([(float64[:], float64[:])], "()->()", target="cpu")
def double(x, out):
    out[0] = x[0] * 2


@guvectorize("(n)->(),()")
def extremes(x, low, high):
    low[0] = high[0] = x[0]
    for value in x:
        low[0] = min(low[0], value)
        high[0] = max(high[0], value)


def grid(*shape, dtype=np.float64):
    return (np.arange(np.prod(shape)).reshape(shape) % 13 - 5).astype(dtype)


def host(array):
    return array.copy_to_host() if cuda.is_cuda_ndarray(array) else array


BOTH = pytest.mark.parametrize("on_device", [(), (0,), (1,), (0, 1)], ids=["host", "first", "second", "both"])
LOOPS = [
    ((), ()),
    ((5,), ()),
    ((), (5,)),
    ((5,), (5,)),
    ((5, 1), (3,)),
    ((2, 1, 3), (4, 1)),
    ((0,), ()),
    ((1,), (200,)),
]


@BOTH
@pytest.mark.parametrize("loops", LOOPS, ids=str)
def test_products_of_matrices(loops, on_device):
    a, b = grid(*loops[0], 3, 4), grid(*loops[1], 4, 2)
    given = [cuda.to_device(array) if place in on_device else array for place, array in enumerate((a, b))]
    found = product(*given)
    assert cuda.is_cuda_ndarray(found) == bool(on_device) and found.dtype == np.float64
    np.testing.assert_array_equal(host(found), a @ b)


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_numbers_beside_arrays(of_device):
    move = cuda.to_device if of_device else np.asarray
    x = grid(7, 3)
    np.testing.assert_array_equal(host(add_number(move(x), 2)), x + 2)
    np.testing.assert_array_equal(host(add_number(move(x), move(grid(7)))), x + grid(7)[:, None])
    np.testing.assert_array_equal(host(add_number(move(x[0]), move(grid(7)))), x[0] + grid(7)[:, None])
    np.testing.assert_array_equal(host(double(move(x.T))), 2 * x.T)
    assert double(3.0) == 6 and isinstance(double(3.0), np.float64)


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_strides(of_device):
    move = cuda.to_device if of_device else np.asarray
    a, b = grid(6, 4, 8), grid(6, 8, 4)
    found = product(move(a)[::2, :, ::-2], move(b)[::-2, 1::2])
    np.testing.assert_array_equal(host(found), a[::2, :, ::-2] @ b[::-2, 1::2])
    np.testing.assert_array_equal(
        host(product(move(a).transpose((0, 2, 1)), move(b).transpose((0, 2, 1)))),
        a.transpose(0, 2, 1) @ b.transpose(0, 2, 1),
    )
    out = move(np.zeros((6, 4, 4, 2)))[..., 0]
    assert product(move(a), move(b), out=out) is out
    np.testing.assert_array_equal(host(out) if not of_device else np.asarray(out), a @ b)


def test_results_that_are_given():
    x = grid(5, 4)
    low, high = np.empty(5), cuda.device_array(5)
    assert extremes(x, low, high) == (low, high)
    assert low.tolist() == x.min(1).tolist() and high.copy_to_host().tolist() == x.max(1).tolist()
    found = extremes(x.astype(np.float32), out=(low, np.empty(5)))
    assert found[0] is low and found[1].tolist() == x.max(1).tolist()
    single = np.empty((2, 2), np.float32)
    assert product(grid(2, 3), grid(3, 2), single) is single and single.tolist() == (grid(2, 3) @ grid(3, 2)).tolist()
    stream = cuda.stream()
    result = product(cuda.to_device(grid(2, 3)), grid(3, 2), stream=stream)
    assert result.copy_to_host(stream=stream).tolist() == (grid(2, 3) @ grid(3, 2)).tolist()


def test_types():
    assert product.types == ["ff->f", "dd->d"] and product.ntypes == 2
    assert (product.nin, product.nout, product.nargs, product.signature) == (2, 1, 3, "(m,n),(n,p)->(m,p)")
    single = product(grid(2, 3, dtype=np.float32), grid(3, 2, dtype=np.int16))
    assert single.dtype == np.float32
    wide = product(cuda.to_device(grid(2, 3, dtype=np.int32)), grid(3, 2, dtype=np.float32))
    assert wide.dtype == np.float64 and wide.copy_to_host().tolist() == (grid(2, 3) @ grid(3, 2)).tolist()
    assert pickle.loads(pickle.dumps(product)) is product and repr(product) == "<gufunc 'product' (m,n),(n,p)->(m,p)>"


def test_types_by_the_first_call():
    @guvectorize("(n),()->(n)")
    def scale(x, factor, out):
        for i in range(x.size):
            out[i] = x[i] * factor

    with pytest.raises(TypeError, match="the types of the results are not known: pass arrays for them"):
        scale(grid(3), 2.0)
    out = np.empty((2, 3), np.int64)
    assert scale(grid(2, 3, dtype=np.int32), 2, out) is out and scale.types == ["ii->l"]
    assert out.tolist() == (2 * grid(2, 3)).tolist()
    assert scale(grid(3, dtype=np.int32), 4).tolist() == (4 * grid(3)).tolist()


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_a_result_over_an_operand(of_device):
    x = grid(10)
    given = cuda.to_device(x) if of_device else x.copy()
    add_number(given[:-1], 1, given[1:])
    assert host(given).tolist() == [x[0], *(x[:-1] + 1)]


def test_operands_that_are_written():
    @guvectorize([void(float64[:], float64[:])], "(n)->()", writable_args=(0,))
    def sort_two(x, out):
        if x[0] > x[1]:
            x[0], x[1] = x[1], x[0]
        out[0] = x[0]

    x = np.array([[3.0, 1], [1, 2]])
    assert sort_two(x).tolist() == [1, 1] and x.tolist() == [[1, 3], [1, 2]]
    with pytest.raises(TypeError, match="operand 0 is written, so it must be of float64: int64"):
        sort_two(np.array([3, 1]))


def test_many_axes_of_results():
    @guvectorize([void(int64[:], int32[:], int64[:, :], int64[:])], "(n),(m)->(n,m),()", target="parallel")
    def table(x, y, out, total):
        total[0] = 0
        for i in range(x.size):
            for j in range(y.size):
                out[i, j] = x[i] * y[j]
                total[0] += x[i] * y[j]

    x, y = np.arange(6).reshape(2, 3), np.arange(4, dtype=np.int32)
    out, total = table(x, y)
    np.testing.assert_array_equal(out, x[:, :, None] * y)
    assert total.tolist() == out.sum((1, 2)).tolist()


CALLS = [
    (lambda: product(grid(2, 3), grid(2, 3)), ValueError,
     "mismatch in its core dimension 'n': size 2 is different from 3"),
    (lambda: product(grid(3), grid(3, 2)), ValueError,
     r"operand 0 has shape \(3,\), and the layout .* gives it 2 axes"),
    (lambda: product(grid(2, 2, 3), grid(3, 3, 2)), ValueError, r"broadcast together with shapes \(2,\) \(3,\)"),
    (lambda: product(grid(2, 3), grid(3, 2), np.empty((3, 3))), ValueError, "mismatch in its core dimension 'm'"),
    (lambda: product(grid(5, 2, 3), grid(3, 2), np.empty((2, 2))), ValueError, r"result 0 has shape \(2, 2\)"),
    (lambda: product(grid(2, 3) * 1j, grid(3, 2)), TypeError,
     "no signature takes operands of types complex128, float64"),
    (lambda: product(grid(2, 3), grid(3, 2), np.empty((2, 2), int)), TypeError, "cannot cast the result"),
    (lambda: product(grid(2, 3)), TypeError, r"product\(\) takes from 2 to 3 positional arguments, 1 given"),
    (lambda: product(grid(2, 3), grid(3, 2), axes=[]), TypeError, "has no keyword 'axes', only out and stream"),
    (lambda: guvectorize("(n)->(m)"), ValueError, "the axis 'm' of the result is in no operand"),
    (lambda: guvectorize("(n)->(n"), ValueError, "is no layout: write it as"),
    (lambda: guvectorize("(n-1)->()"), ValueError, "axes have names, found 'n-1'"),
    (lambda: guvectorize([void(float64[:])], 3), TypeError, "the layout is a text"),
    (lambda: guvectorize([float64(float64[:], float64[:])], "(n)->(n)")(double.py_func), TypeError,
     "guvectorized functions cannot return values: .* specifies float64 return type"),
    (lambda: guvectorize([void(float64[:, :], float64[:])], "(n)->(n)")(double.py_func), ValueError,
     r"parameter 1 is array\(float64, 2d, A\) in the signature, and has 1 axes in the layout"),
    (lambda: guvectorize([void(float64[:], float64)], "(n)->()")(double.py_func), ValueError,
     "results are written, so parameter 2 is an array"),
    (lambda: guvectorize([void(float64[:])], "(n)->()")(double.py_func), ValueError, "has 1 types, and the layout"),
    (lambda: guvectorize("(n),(n)->()")(double.py_func), ValueError, "takes 2 parameters, and its layout"),
    (lambda: guvectorize("(n)->()", speed=3), TypeError, "unrecognized option 'speed'"),
    (lambda: guvectorize("(n)->()", target="rocm"), ValueError, "Unsupported target: 'rocm'"),
    (lambda: guvectorize("(n)->()")(3), TypeError, "guvectorize takes Python functions"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, message", CALLS)
def test_wrong_uses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_older_way_and_the_names_of_numba():
    from treadle.cuda.deviceufunc import GeneralizedUFunc, parse_signature
    from treadle.cuda.vectorizers import CUDAGeneralizedUFunc, CUDAGUFuncVectorize

    made = CUDAGUFuncVectorize(double.py_func, "()->()", targetoptions={"nopython": True}, writable_args=())
    made.add(void(float32[:], float32[:]))
    made.disable_compile()
    built = made.build_ufunc()
    assert isinstance(built, CUDAGeneralizedUFunc) and GeneralizedUFunc is CUDAGeneralizedUFunc
    assert built(grid(3, dtype=np.float32)).tolist() == (2 * grid(3)).tolist()
    assert parse_signature("(m,n),()->(n)") == ([("m", "n"), ()], [("n",)])
