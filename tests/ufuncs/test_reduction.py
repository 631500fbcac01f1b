"""cuda.reduce: sizes, dtypes, functions, results in arrays, streams; wrong arguments."""

import numpy as np
import pytest
from treadle import cuda, errors

SIZES = [1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 300, 1000, 8191, 8192, 8193, 8448, 16385, 70001]
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip

total = cuda.reduce(lambda a, b: a + b)


@cuda.reduce
def largest(a, b):
    return max(a, b)


def numbers(size, dtype, seed=0):
    """Small integers, whose sums are exact in every dtype that does not wrap."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 1 + size // 500, size) == 1
    low = -9 if np.dtype(dtype).kind in "ifc" else 0
    found = random.integers(low, 10, size)
    if np.dtype(dtype).kind == "c":
        return (found + 1j * random.integers(low, 10, size)).astype(dtype)
    return found.astype(dtype)


def numpy_sum(x):
    return x.any() if x.dtype == bool else np.add.reduce(x, dtype=x.dtype)


@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize("size", SIZES)
def test_sizes(size, place):
    x = numbers(size, "float64", size)
    found = total(cuda.to_device(x) if place == "device" else x)
    assert type(found) is np.float64 and found == x.sum()


@pytest.mark.parametrize("size", [5, 100, 9001])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, size):
    x = numbers(size, dtype)
    for array in (x, cuda.to_device(x)):
        found = total(array)
        assert found.dtype == x.dtype and isinstance(found, np.generic) and found == numpy_sum(x)


def test_integers_wrap_to_their_dtype():
    assert total(np.full(3, 100, np.int8)) == np.int8(44)
    assert total(np.full(3, 2**31, np.uint32)) == np.uint32(2**31)
    assert total(np.full(3, 2**63, np.uint64)) == np.uint64(2**63)


def test_each_element_takes_part_once():
    """A one in each place in turn."""
    for size in (1, 33, 257, 8200, 8704, 300_000):
        x = np.zeros(size, np.int32)
        for place in {0, 1, 31, 32, 255, 256, 543, 544, size // 2, size - 2, size - 1} & set(range(size)):
            x[place] = 1
            assert total(x) == 1, (size, place)
            x[place] = 0


def test_every_grid_covers_its_array():
    """The grid that is chosen for a size: all elements, and no block without any."""
    from treadle.kernels.reduction import _WARPS, _grid_for

    for size in [*range(1, 40_000, 7), *(2**power + more for power in range(15, 40) for more in (-1, 0, 1, 12345))]:
        blocks, share = _grid_for(size)
        assert share % 32 == 0 and 1 <= blocks <= 1024
        assert (blocks - 1) * _WARPS * share < size <= blocks * _WARPS * share, size


@pytest.mark.parametrize("size", [1, 50, 20_000])
def test_other_functions(size):
    x = np.random.default_rng(size).uniform(-1, 1, size)
    words = np.random.default_rng(size).integers(0, 1 << 62, size)
    assert largest(x, init=-2) == x.max()
    assert cuda.reduce(lambda a, b: a if a < b else b)(x, init=5) == x.min()
    np.testing.assert_allclose(cuda.reduce(lambda a, b: a * b)(1 + x / size, init=1), np.prod(1 + x / size), rtol=1e-12)
    assert cuda.reduce(lambda a, b: a ^ b)(words) == np.bitwise_xor.reduce(words)
    assert cuda.Reduce(lambda a, b: a & b)(words, init=-1) == np.bitwise_and.reduce(words)


def test_complex_products():
    x = np.exp(1j * np.arange(1000))
    found = cuda.reduce(lambda a, b: a * b)(x, init=1)
    np.testing.assert_allclose([found.real, found.imag], [np.cos(499500), np.sin(499500)], atol=1e-9)


def test_functions_of_every_kind():
    scale = 2

    def add(a, b):
        return a + b

    @cuda.jit(device=True)
    def add_on_device(a, b):
        return a + b

    @cuda.reduce
    def add_by_another(a, b):
        return add_on_device(a, b) * (scale // 2)

    x = np.arange(10_000)
    for function in (add, add_on_device, cuda.jit(add, device=True)):
        assert cuda.reduce(function)(x) == x.sum()
    assert add_by_another(x) == x.sum()


def test_one_object_serves_every_dtype():
    assert [total(np.ones(40, dtype)).dtype for dtype in ("f4", "i8", "f4", "c8")] == ["f4", "i8", "f4", "c8"]


def test_the_initial_value_takes_part_once():
    for size in (0, 1, 31, 32, 256, 20_000):
        assert total(np.ones(size, np.int64), init=5) == size + 5
    assert largest(np.full(3, -4.0)) == 0
    assert largest(np.full(3, -4.0), init=-np.inf) == -4


def test_no_elements():
    for array in (np.zeros(0, np.float32), cuda.device_array(0, np.float32)):
        found = total(array, init=3)
        assert type(found) is np.float32 and found == 3
    assert total(np.ones(4), size=0, init=7) == 7
    res = cuda.to_device(np.ones(2))
    assert total(np.ones(0), res=res, init=7) is None
    assert res.copy_to_host().tolist() == [7, 1]


@pytest.mark.parametrize("size", [0, 1, 100, 9000, 10_000, 20_000])
def test_part_of_an_array(size):
    x = numbers(10_000, "int64")
    for array in (x, cuda.to_device(x)):
        assert total(array, size) == x[:size].sum()
        assert total(array, size=np.int32(size)) == x[:size].sum()


def test_views():
    x = numbers(30_000, "float64")
    device = cuda.to_device(x)
    for array in (x, device):
        assert total(array[::3]) == x[::3].sum()
        assert total(array[5:]) == x[5:].sum()
        assert total(array[::-1]) == x.sum()
    matrix = cuda.to_device(x.reshape(100, 300))
    assert total(matrix[:, 7]) == x.reshape(100, 300)[:, 7].sum()
    assert total(matrix.ravel()) == x.sum()


@pytest.mark.parametrize("size", [1, 200, 30_000])
def test_results_in_arrays(size):
    x = numbers(size, "int32")
    res = cuda.to_device(np.array([1, 2, 3], np.int32))
    assert total(x, res=res, init=10) is None
    assert total(cuda.to_device(x), res=res[1:]) is None
    assert res.copy_to_host().tolist() == [x.sum() + 10, x.sum(), 3]


def test_results_over_the_elements():
    device = cuda.to_device(np.arange(20_000))
    total(device, res=device)
    assert device.copy_to_host()[:3].tolist() == [20_000 * 19_999 // 2, 1, 2]


def test_elements_stay_as_they_are():
    x = numbers(20_000, "float64")
    before = x.copy()
    total(x)
    assert x.flags.writeable and (x == before).all()
    x.flags.writeable = False
    assert total(x) == x.sum()


def test_streams():
    """Each result is read after the work of its stream."""

    @cuda.jit
    def fill(x, value):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = value

    streams = [cuda.stream() for _ in range(3)]
    arrays = [cuda.device_array(50_000, np.float64) for _ in streams]
    results = [cuda.device_array(1, np.float64) for _ in streams]
    for value, (stream, array, res) in enumerate(zip(streams, arrays, results, strict=True)):
        fill[200, 256, stream](array, value)
        total(array, res=res, stream=stream)
        fill[200, 256, stream](array, value + 10.0)
        assert total(array, stream=stream) == 50_000 * (value + 10)
    for value, (stream, res) in enumerate(zip(streams, results, strict=True)):
        assert res.copy_to_host(stream=stream).tolist() == [50_000 * value]


def test_mapped_and_managed_arrays():
    for make in (cuda.mapped_array, cuda.managed_array, cuda.pinned_array):
        array = make(9000, np.float32)
        array[:] = 2
        assert total(array) == 18_000


def test_results_are_the_same_again():
    x = np.random.default_rng(0).uniform(-1, 1, 300_000).astype(np.float32)
    device = cuda.to_device(x)
    found = {total(array).tobytes() for array in [x, device] * 5} | {cuda.reduce(lambda a, b: a + b)(x).tobytes()}
    assert len(found) == 1
    assert abs(total(x) - x.sum(dtype=np.float64)) < 1e-2


def test_lists_and_other_buffers():
    assert total([1, 2, 3]) == 6
    assert total(memoryview(np.arange(5.0))) == 10


def test_it_names_its_function():
    def add(a, b):
        return a + b

    assert repr(cuda.reduce(add)) == "<reduction by test_it_names_its_function.<locals>.add>"
    assert cuda.reduce is cuda.Reduce


# --- wrong arguments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (2, 3), (1, 1, 1)])
def test_only_one_dimension(shape):
    for array in (np.zeros(shape), cuda.device_array(shape)):
        with pytest.raises(TypeError, match="a reduction takes an array of one dimension, found shape"):
            total(array)


@pytest.mark.parametrize("dtype", ["S3", "M8[s]", [("x", "f4")], object])
def test_only_numbers(dtype):
    with pytest.raises(TypeError):
        total(np.zeros(3, dtype))


def test_wrong_sizes():
    with pytest.raises(ValueError, match="size must not be negative, found -1"):
        total(np.zeros(3), size=-1)
    for size in (1.5, "a"):
        with pytest.raises(TypeError, match=f"size must be an int, found {size!r} of type"):
            total(np.zeros(3), size=size)


def test_wrong_results():
    x = np.zeros(3)
    with pytest.raises(TypeError, match="res must be an array of the elements' dtype float64, found float32"):
        total(x, res=cuda.device_array(1, np.float32))
    with pytest.raises(TypeError, match="res must be an array of the elements' dtype float64, found list"):
        total(x, res=[0.0])
    for shape in ((0,), (2, 2), ()):
        with pytest.raises(ValueError, match="res must be an array of one dimension and one element or more"):
            total(x, res=cuda.device_array(shape))


def test_initial_values_that_are_no_elements():
    with pytest.raises(TypeError):
        total(np.zeros(3), init=1j)
    with pytest.raises(OverflowError):
        total(np.zeros(3, np.int8), init=1000)


@pytest.mark.parametrize("functor", [None, 3, "add", int, np.float64])
def test_only_functions(functor):
    with pytest.raises(TypeError, match="reduce takes a function of two elements, found"):
        cuda.reduce(functor)


def test_functions_that_do_not_compile():
    with pytest.raises(errors.CompileError):
        cuda.reduce(lambda a: a)(np.zeros(3))
    with pytest.raises(errors.CompileError):
        cuda.reduce(lambda a, b: (a, b))(np.zeros(3))
