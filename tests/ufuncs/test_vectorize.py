"""`vectorize`: forms, loops, broadcasting, results, reductions. NumPy computes what is expected."""

import functools
import pickle

import numpy as np
import pytest
import treadle
from treadle import boolean, complex64, cuda, float32, float64, int8, int32, int64, vectorize


@vectorize(["int32(int32, int32)", "float32(float32, float32)", float64(float64, float64)], target="cuda")
def add(x, y):
    return x + y


@vectorize
def square(x):
    return x * x


def host(array):
    return array.copy_to_host() if cuda.is_cuda_ndarray(array) else array


def grid(*shape, dtype=np.float64):
    return (np.arange(np.prod(shape)).reshape(shape) % 51 - 20).astype(dtype)


FORMS = {
    "bare": vectorize,
    "called": vectorize(),
    "a text": vectorize("float64(float64, float64)"),
    "texts": vectorize(["float64(float64, float64)"]),
    "types": vectorize([float64(float64, float64)]),
    "one signature": vectorize(float64(float64, float64)),
    "tuple of types": vectorize([(float64, float64)]),
    "cpu": vectorize(["float64(float64, float64)"], target="cpu", nopython=True, cache=True),
    "parallel": vectorize(["float64(float64, float64)"], target="parallel", fastmath=True),
    "identity": vectorize(["float64(float64, float64)"], identity=0, target="cuda"),
    "options only": vectorize(nopython=True),
    "of the cuda module": cuda.vectorize(["float64(float64, float64)"], target="cuda"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    made = FORMS[form](lambda x, y: 3 * x - y)
    np.testing.assert_array_equal(made(grid(7), grid(7)[::-1]), 3 * grid(7) - grid(7)[::-1])


def test_attributes():
    assert add.types == ["ii->i", "ff->f", "dd->d"] and add.ntypes == 3
    assert (add.nin, add.nout, add.nargs, add.signature, add.identity) == (2, 1, 3, None, None)
    assert add.__name__ == "add" and add.__wrapped__ is add.py_func and repr(add) == "<ufunc 'add'>"
    assert add.max_blocksize == 1024
    assert add.functions[np.dtype("f4"), np.dtype("f4")] == np.float32
    assert pickle.loads(pickle.dumps(add)) is add


BOTH = pytest.mark.parametrize("on_device", [(), (0,), (1,), (0, 1)], ids=["host", "first", "second", "both"])
SHAPES = [
    ((5,), (5,)), ((5,), (1,)), ((), (5,)), ((), ()), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)),
    ((1, 1), (1,)), ((0,), (1,)), ((3, 0), (1, 1)), ((1000,), (1000,)), ((2, 1, 3, 1, 2), (5, 1, 4, 1)),
]  # fmt: skip


@BOTH
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(shapes, on_device):
    x, y = (grid(*shape) for shape in shapes)
    given = [cuda.to_device(array) if place in on_device else array for place, array in enumerate((x, y))]
    found = add(*given)
    assert cuda.is_cuda_ndarray(found) == bool(on_device)
    assert found.shape == (x + y).shape and found.dtype == np.float64
    np.testing.assert_array_equal(host(found), x + y)


VIEWS = {
    "reversed": lambda x: x[::-1, ::-1],
    "every second": lambda x: x[::2, 1::2],
    "transposed": lambda x: x.T,
    "Fortran": lambda x: x.T.reshape(*x.T.shape, 1)[:, :, 0],
    "a column": lambda x: x[:, 3:4],
    "a row": lambda x: x[2],
    "an axis more": lambda x: x.reshape(x.shape[0], 1, x.shape[1]),
}


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
@pytest.mark.parametrize("view", VIEWS)
def test_strides(view, of_device):
    x = grid(6, 8)
    expected = VIEWS[view](x) + VIEWS[view](x)[..., :1]
    given = VIEWS[view](cuda.to_device(x) if of_device else x)
    np.testing.assert_array_equal(host(add(given, given[..., :1])), expected)
    out = cuda.device_array(expected.shape[::-1]).T if of_device else np.empty(expected.shape[::-1]).T
    assert add(given, given[..., :1], out=out) is out
    np.testing.assert_array_equal(host(out) if of_device else out, expected)


def test_large_arrays_of_several_axes():
    x, y = grid(37, 300, 5), grid(300, 1)
    np.testing.assert_array_equal(add(x, y), x + y)
    np.testing.assert_array_equal(
        add(x.transpose(1, 0, 2)[::-1], y[..., None]), x.transpose(1, 0, 2)[::-1] + y[..., None]
    )
    tall = np.ones((70000, 2))
    np.testing.assert_array_equal(add(tall[:, ::-1], [1.0, 2.0]), tall + [1, 2])


def test_results_keep_the_order_of_the_operands():
    x = cuda.to_device(np.asfortranarray(grid(3, 4)))
    assert add(x, x).is_f_contiguous() and not add(x, x).is_c_contiguous()
    assert add(np.asfortranarray(grid(3, 4)), 1.0).flags.f_contiguous
    assert add(x, cuda.to_device(grid(3, 4))).is_c_contiguous()


CHOICES = [
    ((np.int32(1), np.int8(2)), np.int32), ((np.int32(1), np.float32(2)), np.float64), ((np.float32(1), 2), np.float32),
    ((np.float32(1), 2.5), np.float32), ((np.int16(1), np.float32(2)), np.float32), ((1, 2), np.float64),
    ((np.int32(1), 2), np.int32), ((np.int32(1), 2.5), np.float64), ((True, np.int32(2)), np.int32),
    ((1.5, 2), np.float64),
]  # fmt: skip


@pytest.mark.parametrize("arguments, dtype", CHOICES, ids=str)
def test_the_first_loop_to_which_all_operands_cast_safely(arguments, dtype):
    found = add(*arguments)
    assert found.dtype == dtype and isinstance(found, np.generic)
    assert found == arguments[0] + arguments[1]
    arrays = [np.asarray(value)[None] if isinstance(value, np.generic) else value for value in arguments]
    if any(isinstance(value, np.ndarray) for value in arrays):
        assert add(*arrays).dtype == dtype


def test_the_result_has_the_declared_type():
    @vectorize([int8(int8, int8), boolean(float32, float32), complex64(complex64, complex64)])
    def product(x, y):
        return x * y

    assert product(np.int8(100), np.int8(3)) == np.int8(44)
    assert product(np.float32([0, 2]), np.float32(3)).tolist() == [False, True]
    assert product(np.complex64(1j), np.complex64(1j)) == -1


def test_types_by_the_first_call():
    made = vectorize(lambda x: x * x)
    assert made.types == []
    assert made(np.int32([3, -4])).dtype == np.int64 and made.types == ["i->l"]
    assert made(np.int32([5])).tolist() == [25] and made.types == ["i->l"]
    assert made(np.float32([1.5])).dtype == np.float32
    assert made(2.5) == 6.25 and made(2 + 1j) == 3 + 4j
    assert made.types == ["i->l", "f->f", "d->d", "D->D"]


def test_out_of_host_and_device():
    x = grid(6)
    for given in (x, cuda.to_device(x)):
        out, device = np.empty(6), cuda.device_array(6)
        assert add(given, 1, out=out) is out and add(given, 2, device) is device
        assert out.tolist() == (x + 1).tolist() and device.copy_to_host().tolist() == (x + 2).tolist()
        single = np.empty(6, np.float32)
        assert add(given, 1, out=(single,)) is single and single.tolist() == (x + 1).tolist()
    wide = np.zeros((3, 6))
    assert add(x, 1, out=wide) is wide and (wide == x + 1).all()


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_operands_that_overlap_the_result(of_device):
    # More than a block: a warp reads all that it needs before it writes.
    for take, put in [
        (slice(0, -1), slice(1, None)),
        (slice(1, None), slice(0, -1)),
        (slice(None), slice(None, None, -1)),
    ]:
        x = grid(3000)
        expected = x.copy()
        np.add(expected[take], 1, out=expected[put])
        given = cuda.to_device(x) if of_device else x
        add(given[take], 1, out=given[put])
        np.testing.assert_array_equal(host(given), expected)
    add(given, given, out=given)
    np.testing.assert_array_equal(host(given), expected * 2)


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_where(of_device):
    x, mask = grid(4, 6), grid(4, 6) % 3 == 0
    out = np.full((4, 6), 99.0)
    expected = np.add(x, 1, out=out.copy(), where=mask)
    given = cuda.to_device(x) if of_device else x
    np.testing.assert_array_equal(add(given, 1, out=out, where=mask), expected)
    device = cuda.to_device(np.full((4, 6), 99.0))
    np.testing.assert_array_equal(add(given, 1, out=device, where=cuda.to_device(mask)).copy_to_host(), expected)


def test_stream():
    stream = cuda.stream()
    x = cuda.to_device(grid(50), stream=stream)
    total = add(add(x, 1, stream=stream), x, stream=stream)
    assert total.copy_to_host(stream=stream).tolist() == (2 * grid(50) + 1).tolist()
    assert add(grid(50), 1, stream=stream).tolist() == (grid(50) + 1).tolist()
    out = np.empty(50)
    assert add(x, 1, out=out, stream=stream).tolist() == (grid(50) + 1).tolist()


def test_kinds_of_operands():
    assert add([1.0, 2.0], (3.0, 4.0)).tolist() == [4, 6]
    assert add(np.float64([[1, 2]]).view(np.matrix), 1).tolist() == [[2, 3]]
    swapped = np.arange(3.0).astype(">f8")
    assert add(swapped, swapped.astype("<f8")).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="add: out is of another byte order"):
        add(swapped, 1, out=swapped)
    mapped = cuda.mapped_array(3)
    mapped[:] = 5
    assert cuda.is_cuda_ndarray(add(mapped, 1)) and add(mapped, 1).copy_to_host().tolist() == [6, 6, 6]
    read_only = np.arange(3.0)
    read_only.flags.writeable = False
    assert add(read_only, 1).tolist() == [1, 2, 3]


def test_block_size():
    made = vectorize(["float64(float64)"], target="cuda")(lambda x: x + 1)
    made.max_blocksize = 32
    assert made.max_blocksize == 32 and made(grid(3, 100)[:, ::2]).tolist() == (grid(3, 100)[:, ::2] + 1).tolist()
    del made.max_blocksize
    assert made.max_blocksize == 1024
    with pytest.raises(ValueError, match="max_blocksize must be an int from 1 on, found 0"):
        made.max_blocksize = 0


REDUCED = [
    ((5,), 0), ((1,), 0), ((64,), 0), ((65,), 0), ((100003,), 0), ((30, 400), 0), ((30, 400), 1), ((30, 400), None),
    ((7, 8, 90), (0, 2)), ((7, 8, 90), (1,)), ((3, 4, 5, 6), (-1, 1)), ((3, 1, 2), 1), ((0, 3), 1), ((700, 2), 0),
]  # fmt: skip


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
@pytest.mark.parametrize("shape, axis", REDUCED, ids=str)
def test_reduce(shape, axis, of_device):
    x = grid(*shape)
    given = cuda.to_device(x) if of_device else x
    for array, like in ((given, x), (given.T, x.T)) if axis is None else ((given, x),):
        found = add.reduce(array, axis=axis)
        expected = np.add.reduce(like, axis=axis)
        assert found.shape == expected.shape and found.dtype == expected.dtype
        assert cuda.is_cuda_ndarray(found) == (of_device and found.ndim > 0)
        np.testing.assert_array_equal(host(found), expected)
        kept = add.reduce(array, axis=axis, keepdims=True, initial=7)
        np.testing.assert_array_equal(host(kept), np.add.reduce(like, axis=axis, keepdims=True, initial=7))


def test_reduce_as_numba_has_it():
    x = grid(1001).astype(np.int32)
    assert add.reduce(cuda.to_device(x)) == x.sum() and add.reduce(x, init=5, stream=cuda.stream()) == x.sum() + 5
    largest = vectorize(["float32(float32, float32)"], target="cuda")(lambda x, y: max(x, y))
    assert largest.reduce(x[:77].astype(np.float32)) == x[:77].max()
    assert largest.reduce(x.astype(np.float32)[::-3]) == x[::-3].max()
    with pytest.raises(ValueError, match="zero-size array to reduction operation add which has no identity"):
        add.reduce(np.zeros(0))
    with_identity = vectorize(["float64(float64, float64)"], identity=1)(lambda x, y: x * y)
    assert with_identity.reduce(np.zeros(0)) == 1
    out = np.empty(3)
    assert add.reduce(grid(4, 3), out=out) is out and out.tolist() == grid(4, 3).sum(0).tolist()


def test_outer():
    x, y = grid(3), grid(2, 2)
    np.testing.assert_array_equal(add.outer(x, y), np.add.outer(x, y))
    np.testing.assert_array_equal(add.outer(cuda.to_device(x), y).copy_to_host(), np.add.outer(x, y))
    np.testing.assert_array_equal(add.outer(x, 2.0), x + 2)


def test_kernels_and_other_functions_call_it():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = square(add(x[i], 1))

    x = grid(10)
    kernel[1, 32](x)
    assert x.tolist() == ((grid(10) + 1) ** 2).tolist()

    @vectorize([float64(float64)])
    def twice(x):
        return add(x, x)

    assert twice(grid(3)).tolist() == (2 * grid(3)).tolist()


def test_functions_of_other_decorators_and_of_device_code():
    @cuda.jit(device=True)
    def helper(x, y):
        return (x - y) * 2

    made = vectorize(["float64(float64, float64)"], target="cuda")(lambda x, y: helper(x, y))
    assert made(grid(4), 1).tolist() == ((grid(4) - 1) * 2).tolist()
    assert vectorize(helper)(grid(4), 1).tolist() == ((grid(4) - 1) * 2).tolist()


CALLS = [
    (lambda: add(1.0), TypeError, r"add\(\) takes from 2 to 3 positional arguments, 1 given"),
    (lambda: add(1, 2, np.empty(()), out=np.empty(())), TypeError, "out is given both by position and by name"),
    (lambda: add(1, 2, out=5), TypeError, "add: out must be a device array or a NumPy array, found int"),
    (lambda: add(1, 2, axis=0), TypeError, r"add\(\) has no keyword 'axis', only out, where, casting and stream"),
    (lambda: add(grid(3), grid(4)), ValueError, r"could not be broadcast together with shapes \(3,\) \(4,\)"),
    (lambda: add(grid(3), 1, out=np.empty(4)), ValueError, r"could not be broadcast together"),
    (lambda: add(grid(3), 1, out=np.empty(1)), ValueError,
     r"out has shape \(1,\), and the operands broadcast to \(3,\)"),
    (lambda: add(1j, 2), TypeError,
     "no signature takes operands of types complex128, int64: it has ii->i, ff->f, dd->d"),
    (lambda: add(grid(3), 1, out=np.empty(3, np.int32)), TypeError,
     "cannot cast the result from float64 to int32 with casting='same_kind'"),
    (lambda: add(grid(3), 1, out=np.empty(3, np.float32), casting="safe"), TypeError, "with casting='safe'"),
    (lambda: add(np.array(["a"]), 1), TypeError, "kernels compute with bool, integers"),
    (lambda: add(np.float16([1]), np.array([object()])), TypeError, "kernels"),
    (lambda: add(np.ma.masked_array([1.0]), 1), TypeError, "masked arrays have no mask in kernels"),
    (lambda: add(grid(3), 1, where=grid(3)), TypeError, "where must be a bool or an array of bools"),
    (lambda: square.reduce(grid(3)), ValueError, "reduce is for functions of two operands, this one has 1"),
    (lambda: add.reduce(grid(3), axis=1), ValueError, "axis 1 is out of bounds for array of dimension 1"),
    (lambda: add.reduce(grid(3, 3), axis=(0, 0)), ValueError, "duplicate value in 'axis'"),
    (lambda: square.outer(1, 2), ValueError, "outer is for functions of two operands"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, message", CALLS)
def test_wrong_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_read_only_out():
    out = np.empty(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="add: out is read-only"):
        add(grid(3), 1, out=out)


DECORATIONS = [
    (lambda: vectorize(["float64(float64)"], target="rocm"), ValueError, "Unsupported target: 'rocm'"),
    (lambda: vectorize(["float64(float64)"], speed=3), KeyError, "unrecognized option 'speed'; the options are"),
    (lambda: vectorize(nopython=False), ValueError, "kernels run without Python"),
    (lambda: vectorize(identity=7), ValueError, "identity must be None, 0, 1 or 'reorderable', found 7"),
    (lambda: vectorize(["float64(float64)"])(add.py_func), TypeError, "takes 2 parameters, and its signature"),
    (lambda: vectorize([float64(float64[:])])(lambda x: 1.0), TypeError, "is made of numbers and dates, found array"),
    (lambda: vectorize([int64(int32)])(3), TypeError, "vectorize takes Python functions, found 3 of type int"),
    (lambda: vectorize(lambda: 3), ValueError, "takes no parameters"),
    (lambda: vectorize([int64(int32)])(lambda x: (x, x)), TypeError, "returns a number or date, found UniTuple"),
    (lambda: vectorize([int64(int32)])(lambda x: x.foo), treadle.CompileError, "foo"),
]  # fmt: skip


@pytest.mark.parametrize("decorate, error, message", DECORATIONS)
def test_wrong_decorations(decorate, error, message):
    with pytest.raises(error, match=message):
        decorate()


def test_the_older_way_and_the_names_of_numba():
    from treadle.cuda.deviceufunc import DeviceVectorize
    from treadle.cuda.vectorizers import CUDAUFuncDispatcher, CUDAVectorize

    assert cuda.vectorizers.CUDAVectorize is CUDAVectorize and cuda.deviceufunc.DeviceVectorize is DeviceVectorize
    made = CUDAVectorize(lambda x, y: x - y, targetoptions={"nopython": True})
    made.add("float32(float32, float32)")
    made.add(float64(float64, float64))
    made.disable_compile()
    built = made.build_ufunc()
    assert isinstance(built, CUDAUFuncDispatcher) and built.types == ["ff->f", "dd->d"]
    assert built(grid(3), 1).tolist() == (grid(3) - 1).tolist()


def test_options_reach_the_kernels():
    @vectorize(["float32(float32)"], fastmath=True)
    def halved(x):
        return x / 3

    halved(np.ones(3, np.float32))
    (kernel,) = halved.loops[0]._kernels.values()
    assert kernel.options.fastmath


def test_plans_do_not_fill_the_memory():
    from treadle.ufuncs import elementwise

    made = vectorize(["float64(float64)"])(lambda x: x)
    for size in range(elementwise.MOST_PLANS + 10):
        made(np.empty(size))
    assert len(made.loops[0].plans) <= elementwise.MOST_PLANS


# What programs do, see the ways of writing.


def test_a_chain_on_the_device():
    @vectorize(["float32(float32, float32, float32)"], target="cuda")
    def normalize(values, low, high):
        return (values - low) / (high - low)

    @vectorize(["float32(float32)"], target="cuda")
    def weight(x):
        return 1.0 - x if x > 0.5 else x

    x = grid(1000, dtype=np.float32)
    normalized = cuda.device_array(shape=(1000,), dtype=np.float32)
    weighted = cuda.device_array_like(normalized)
    normalize(cuda.to_device(x), np.float32(-20), np.float32(30), out=normalized)
    weight(normalized, out=weighted)
    expected = (x + 20) / np.float32(50)
    np.testing.assert_allclose(weighted.copy_to_host(), np.where(expected > 0.5, 1 - expected, expected), rtol=1e-6)


def test_functions_made_by_functions():
    def polynomial(*coefficients):
        @vectorize([float64(float64)], target="cuda")
        def evaluate(x):
            total = 0.0
            for coefficient in coefficients:
                total = total * x + coefficient
            return total

        return evaluate

    for coefficients in ((1.0, 2.0), (3.0, 0.0, -1.0)):
        np.testing.assert_array_equal(polynomial(*coefficients)(grid(9)), np.polyval(coefficients, grid(9)))
    assert functools.reduce(add, [grid(3)] * 4).tolist() == (4 * grid(3)).tolist()


def test_a_static_method():
    class Scale:
        @staticmethod
        @vectorize([float32(float32, int32)], target="cuda")
        def apply(x, factor):
            return x * factor

    assert Scale.apply(np.float32([1, 2]), np.int32(3)).tolist() == [3, 6]


def test_calls_that_are_made_again():
    """With other arrays of the same kinds: other memory, read-only, overlapping."""
    for x in (grid(6), grid(2, 3), grid(6)[::2], grid(2, 3).T):
        for other in (1.5, np.float64(2), x[..., :1]):
            for _ in range(3):
                given = cuda.device_array(tuple(2 * extent for extent in x.shape))[tuple(slice(n) for n in x.shape)]
                given[...] = x
                second = cuda.to_device(other.copy()) if isinstance(other, np.ndarray) else other
                plain = cuda.to_device(np.ascontiguousarray(x))
                np.testing.assert_array_equal(add(plain, second).copy_to_host(), x + other)
                np.testing.assert_array_equal(add(given, second).copy_to_host(), x + other)
                out = cuda.device_array(x.shape)
                assert add(plain, second, out=out) is out and (out.copy_to_host() == x + other).all()
                assert add(plain, second, out=plain) is plain and (plain.copy_to_host() == x + other).all()
    for take, put in [(slice(0, -1), slice(1, None)), (slice(1, None), slice(0, -1)), (slice(0, 9), slice(9, 18))] * 2:
        memory, expected = cuda.to_device(grid(3000)), grid(3000)
        np.add(expected[take], 1, out=expected[put])
        add(memory[take], 1.0, out=memory[put])
        np.testing.assert_array_equal(memory.copy_to_host(), expected)
    for _ in range(2):
        add(cuda.to_device(grid(3)), 1, out=cuda.device_array(3, np.int32), casting="unsafe")
        with pytest.raises(TypeError, match="cannot cast the result"):
            add(cuda.to_device(grid(3)), 1, out=cuda.device_array(3, np.int32))
