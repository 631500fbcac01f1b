# Idioms of real programs that a front end may miss.

import functools
import types

import numpy as np
import pytest
import treadle
from treadle import cuda, float32

SIZES = (4, 8)
helper_module = types.ModuleType("helper_module")
helper_module.cuda = cuda
settings = types.ModuleType("settings")


def fill(kernel, size=40, dtype=np.float64, grid=2, block=32, arguments=()):
    out = np.zeros(size, dtype)
    kernel[grid, block](out, *arguments)
    return out


class HostDispatcher:
    """The result of numba.njit: a callable with the Python function in `py_func`."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self, *arguments):
        return self.py_func(*arguments)


@HostDispatcher
def triple(x):
    return 3 * x


def test_a_host_dispatcher_serves_as_a_device_function():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = triple(i)

    assert fill(kernel).tolist() == [3 * i for i in range(40)]


def test_a_function_handed_in_at_run_time():
    class Solver:
        def __init__(self, function):
            self.function = function

        def solve(self, out):
            function = self.function

            @cuda.jit
            def kernel(out):
                i = cuda.grid(1)
                if i < out.size:
                    out[i] = function(i)

            kernel[2, 32](out)

    for function, expected in ((triple, 3), (cuda.jit(lambda x: x * 5, device=True), 5)):
        out = np.zeros(40)
        Solver(function).solve(out)
        assert out[7] == 7 * expected


def test_cuda_as_an_argument_of_a_factory():
    def make(device):
        @device.jit
        def kernel(out):
            i = device.grid(1)
            if i < out.size:
                out[i] = device.blockDim.x

        return kernel

    assert set(fill(make(cuda))) == {32}


def test_names_spelled_out_and_aliases():
    driver = cuda

    @treadle.cuda.jit
    def kernel(out):
        i = treadle.cuda.grid(1)
        shared = driver.shared.array(32, treadle.float32)
        shared[helper_module.cuda.threadIdx.x] = i
        driver.syncthreads()
        if i < out.size:
            out[i] = shared[driver.threadIdx.x]

    assert fill(kernel).tolist() == list(range(40))


def test_constants_of_other_modules_set_before_the_first_launch():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = settings.BORDER + settings.SCALE

    settings.BORDER = 3
    settings.SCALE = 0.5
    assert set(fill(kernel)) == {3.5}
    settings.BORDER = 4
    assert set(fill(kernel)) == {3.5}, "captured values are frozen once compiled"
    kernel.recompile()
    assert set(fill(kernel)) == {4.5}


def test_kernels_in_classes():
    class Kernels:
        @staticmethod
        @cuda.jit
        def static(out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = 1

        @cuda.jit
        def plain(out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = 2

        def __init__(self, n):
            @cuda.jit
            def mine(out):
                i = cuda.grid(1)
                if i < out.size:
                    out[i] = n

            self.mine = mine

    assert set(fill(Kernels.static)) == {1}
    assert set(fill(Kernels(3).static)) == {1}
    assert set(fill(Kernels.plain)) == {2}
    assert set(fill(Kernels(3).plain)) == {2}
    assert set(fill(Kernels(3).mine)) == {3}
    assert set(fill(Kernels(4).mine)) == {4}


def test_a_kernel_returned_configured():
    def configured(blocks):
        @cuda.jit
        def kernel(out):
            x, y = cuda.grid(2)
            if x < out.shape[0] and y < out.shape[1]:
                out[x, y] = x * 10 + y

        return kernel[blocks, (4, 8)]

    out = np.zeros((5, 9), np.int64)
    configured((2, 2))(out)
    assert out[4, 8] == 48


def test_for_over_a_list_display_that_rebinds_a_name():
    @cuda.jit
    def kernel(points, out):
        i = cuda.grid(1)
        p = points[i]
        total = p * 0.0
        for p in [(1, 2), (3, 4), (5, 6)]:
            total += p[0] * p[1]
        out[i] = total

    out = np.zeros(4)
    kernel[1, 4](np.ones(4), out)
    assert set(out) == {44}


def test_names_that_hide_builtins_and_change_type():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        max = out[i]
        min = max + 1
        len = min * 2
        R = (1.0, 2.0, 3.0)
        R, G, B = R
        other = R + G + B
        out[i] = len + other

    out = np.arange(4.0)
    kernel[1, 4](out)
    assert out.tolist() == [8, 10, 12, 14]


def test_annotations_mean_nothing_by_default():
    @cuda.jit
    def kernel(rows: "torch.Tensor", out: np.ndarray, b: int = None) -> None:  # noqa: F821, RUF013
        i = cuda.grid(1)
        row: torch.Tensor = rows[i]  # noqa: F821
        count: int = 3
        out[i] = row[0] * count + b

    out = np.zeros(2)
    kernel[1, 2](np.arange(4.0).reshape(2, 2), out, 1)
    assert out.tolist() == [1, 7]


def test_annotations_as_signatures_on_request():
    @cuda.jit(annotations_as_signatures=True)
    def kernel(x: float32, out: float32[::1]):
        out[0] = x

    assert len(kernel.overloads) == 1


def make_shared(n):
    @cuda.jit
    def kernel(a, out):
        one = cuda.shared.array(shape=(n,), dtype=a.dtype)
        two = cuda.shared.array(SIZES, np.float32)
        three = cuda.shared.array((16), float32)
        t = cuda.threadIdx.x
        one[t] = a[t]
        two[t % 4, t // 4] = t
        three[t] = 2 * t
        cuda.syncthreads()
        out[t] = one[n - 1 - t] + two[t % 4, t // 4] + three[t]

    return kernel


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_shapes_and_element_types_of_shared_arrays(dtype):
    out = np.zeros(16)
    make_shared(16)[1, 16](np.arange(16, dtype=dtype), out)
    assert out.tolist() == [15 - t + t + 2 * t for t in range(16)]


def plain(x, y):
    return x - y


def test_forms_of_jit():
    forms = [
        cuda.jit(plain, device=True),
        cuda.jit(plain, device=True, inline=True),
        cuda.jit(device=True)(plain),
        cuda.jit()(plain),
        cuda.jit(plain),
        cuda.jit("float64(float64, float64)", device=True)(plain),
        cuda.jit(inline="always", device=True)(plain),
        cuda.jit(forceinline=True, device=True)(plain),
    ]
    for function in forms:

        @cuda.jit()
        def kernel(out, function=function):
            out[0] = 0

        def body(out):
            out[0] = function(7.0, 2.0)  # noqa: B023

        assert fill(cuda.jit(body), 1, grid=1, block=1)[0] == 5


def test_grids_given_as_floats_numpy_integers_and_lists():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] += 1

    for grid, block in (
        (np.ceil(40 / 32), 32), (np.int64(2), np.int32(32)), ([2], [32]), ((2.0,), (32, 1, 1)), (np.array([2]), 32),
    ):  # fmt: skip
        assert set(fill(kernel, grid=grid, block=block)) == {1}


def test_configure_and_forall():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] += 1

    out = np.zeros(100)
    kernel.configure(4, 32)(out)
    kernel.configure(griddim=4, blockdim=32)(out)
    kernel.forall(100)(out)
    kernel.forall(100, tpb=8)(out)
    kernel.forall(0)(out)
    assert set(out) == {4}


def test_scalars_of_exact_width_and_unsigned_loop_bounds():
    @cuda.jit
    def kernel(a, b, out):
        total = np.uint64(0)
        for k in range(a, b):
            total += k
        out[0] = total

    out = np.zeros(1, np.uint64)
    kernel[1, 1](np.uint64(2**63), np.uint64(2**63 + 3), out)
    assert out[0] == (3 * 2**63 + 3) % 2**64


def test_swaps_of_elements_through_a_function():
    turn = cuda.jit(lambda z, w: (1j * w, z.conjugate()), device=True)

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        a, b = 2 * i, 2 * i + 1
        x[a], x[b] = turn(x[a], x[b])
        x[a] *= abs(x[b]) ** 2

    x = np.array([1 + 2j, 3 + 4j, 5j, 2 + 0j])
    kernel[1, 2](x)
    np.testing.assert_allclose(x, [1j * (3 + 4j) * 5, 1 - 2j, 1j * 2 * 25, -5j])


def test_docstrings_and_strings_as_statements():
    @cuda.jit
    def kernel(out):
        """A docstring."""
        "and more"
        out[0] = 1

    assert fill(kernel, 1, grid=1, block=1)[0] == 1


def test_kernels_made_by_exec():
    for n in range(3):
        namespace = {"cuda": cuda}
        exec(
            f"@cuda.jit\ndef kernel(out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = i + {n}\n",
            namespace,
        )
        assert fill(namespace["kernel"])[5] == 5 + n


def test_names_without_utf8():
    def kernel(x):
        x[0] = 1

    kernel.__name__ = "\udcff"
    jitted = cuda.jit(kernel)
    x = np.zeros(1)
    jitted[1, 1](x)
    assert x[0] == 1
    assert jitted.__name__ == "\udcff"

    class Pair(tuple):
        _fields = ("\udcff", "b")

    @cuda.jit
    def sums(pair, out):
        out[0] = pair[0] + pair.b

    sums[1, 1](Pair((1, 2)), x)
    assert x[0] == 3


def test_a_decorator_below_jit():
    def checked(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)

        return wrapper

    def body(out):
        out[0] = 7

    with pytest.raises(treadle.CompileError):
        fill(cuda.jit(lambda out: checked(body)(out)), 1, grid=1, block=1)


def test_defined_in_a_loop_with_different_captured_values():
    kernels = []
    for n in range(4):

        def body(out, unused=0):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = n * 10  # noqa: B023

        kernels.append(body)

    def make(n):
        def body(out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = n * 10

        return cuda.jit(body)

    assert [fill(make(n))[0] for n in range(4)] == [0, 10, 20, 30]
    assert len(kernels) == 4


def test_arguments_with_the_buffer_protocol():
    import array

    @cuda.jit
    def kernel(values, out):
        i = cuda.grid(1)
        if i < len(out):
            out[i] = values[i] * 2

    for values, out in (
        (array.array("d", [1, 2, 3]), array.array("d", [0, 0, 0])),
        (bytearray(b"\x01\x02\x03"), bytearray(3)),
        (memoryview(b"\x01\x02\x03"), np.zeros(3)),
        (array.array("i", [1, 2, 3]), memoryview(bytearray(12)).cast("i")),
    ):
        kernel[1, 32](values, out)
        assert list(out) == [2, 4, 6]


def test_the_base_that_programs_start_with():
    assert cuda.is_available()
    device = cuda.get_current_device()
    assert device.WARP_SIZE == 32
    assert device.MAX_THREADS_PER_BLOCK == 1024
    assert device.MAX_GRID_DIM_X >= 65535
    assert device.MULTIPROCESSOR_COUNT >= 1

    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] + 1

    host = np.arange(100.0)
    x = cuda.to_device(host)
    y = cuda.device_array_like(x)
    z = cuda.device_array(100, np.float64)
    kernel[4, 32](x, y)
    kernel[4, 32](y, z)
    cuda.synchronize()
    np.testing.assert_array_equal(z.copy_to_host(), host + 2)
    np.testing.assert_array_equal(y.copy_to_host(np.zeros(100)), host + 1)
    assert y.shape == (100,)
    assert y.dtype == np.float64
