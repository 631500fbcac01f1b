"""Launching: configurations, arity, forall, dispatcher objects in classes, and objects created per launch."""

import gc
import sys

import numpy as np
import pytest
from treadle import cuda, int32, void


@cuda.jit
def record(out):
    """Writes the launch's shape and counts its threads."""
    cuda.atomic.add(out, 0, 1)
    if cuda.threadIdx.x + cuda.threadIdx.y + cuda.threadIdx.z == 0:
        out[1] = cuda.gridDim.x
        out[2] = cuda.gridDim.y
        out[3] = cuda.gridDim.z
        out[4] = cuda.blockDim.x
        out[5] = cuda.blockDim.y
        out[6] = cuda.blockDim.z


def shape_of(grid, block):
    out = np.zeros(7, np.int64)
    record[grid, block](out)
    assert out[0] == np.prod(out[1:])
    return tuple(out[1:4].tolist()), tuple(out[4:7].tolist())


@pytest.mark.parametrize(
    "grid, block, expected",
    [
        (3, 5, ((3, 1, 1), (5, 1, 1))),
        ((3,), (5,), ((3, 1, 1), (5, 1, 1))),
        ((3, 2), (5, 4), ((3, 2, 1), (5, 4, 1))),
        ((2, 3, 4), (5, 7, 3), ((2, 3, 4), (5, 7, 3))),
        ([2, 3], [4, 5, 6], ((2, 3, 1), (4, 5, 6))),
        (np.int32(3), np.uint8(33), ((3, 1, 1), (33, 1, 1))),
        (np.ceil(2.5), 4.0, ((3, 1, 1), (4, 1, 1))),
        (np.float32(3), (np.ceil(1.5), 2), ((3, 1, 1), (2, 2, 1))),
        (np.array(3), np.array([4, 2]), ((3, 1, 1), (4, 2, 1))),
        (True, 1, ((1, 1, 1), (1, 1, 1))),
        (1, 1024, ((1, 1, 1), (1024, 1, 1))),
        (1, (1, 1, 64), ((1, 1, 1), (1, 1, 64))),
        (1, (4, 4, 64), ((1, 1, 1), (4, 4, 64))),
    ],
)
def test_grids_and_blocks(grid, block, expected):
    assert shape_of(grid, block) == expected


@pytest.mark.parametrize(
    "key, error, text",
    [
        (((1, 1, 1, 1), 1), ValueError, "gridDim must have 1 to 3 dimensions, found 4"),
        ((1, ()), ValueError, "blockDim must have 1 to 3 dimensions, found 0"),
        ((1, 1.5), TypeError, "blockDim must be an integer, found 1.5"),
        ((1, "8"), TypeError, "blockDim must be an integer, found '8'"),
        ((1, b"8"), TypeError, "blockDim must be an integer"),
        ((1j, 8), TypeError, "gridDim must be an integer"),
        ((float("nan"), 8), TypeError, "gridDim must be an integer"),
        ((float("inf"), 8), TypeError, "gridDim must be an integer"),
        ((None, 8), ValueError, "gridDim must be an integer, found None"),
        ((1, (8, None)), ValueError, "blockDim must be an integer, found None"),
        (1, ValueError, "expected kernel[grid, block]"),
        ((1,), ValueError, "expected kernel[grid, block]"),
        ((1, 1, 0, 0, 1, 1), ValueError, "expected kernel[grid, block]"),
        ((0, 1), ValueError, "gridDim.x is 0"),
        ((1, (1, 0)), ValueError, "blockDim.y is 0"),
        ((-1, 1), ValueError, "gridDim.x is -1"),
        ((1, 1025), ValueError, "blockDim.x is 1025; the limit is 1024"),
        ((1, (32, 33)), ValueError, "1056 threads; the limit is 1024"),
        ((1, (1, 1, 65)), ValueError, "blockDim.z is 65; the limit is 64"),
        ((2**31, 1), ValueError, "the limit is 2147483647"),
        (((1, 65536), 1), ValueError, "gridDim.y is 65536; the limit is 65535"),
        ((2**70, 1), ValueError, "far beyond every limit"),
        ((1, 1, 7), ValueError, "the stream must be a stream"),
        ((1, 1, "s"), TypeError, "the stream must be a stream"),
        ((1, 1, 0, 300000), ValueError, "300000 bytes of dynamic shared memory"),
        ((1, 1, 0, -1), ValueError, "-1 bytes of dynamic shared memory"),
    ],
)
def test_bad_configurations(key, error, text):
    with pytest.raises(error) as raised:
        record[key]
    assert str(raised.value).startswith("launch configuration: ")
    assert text in str(raised.value)


@pytest.mark.parametrize("stream", [0, None, 1, 2])
def test_default_streams(stream):
    out = np.zeros(7, np.int64)
    record[1, 32, stream](out)
    record[1, 32, stream, 1024](out)
    assert out[0] == 64


def test_unconfigured_call():
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        record(np.zeros(7))


def test_arity():
    with pytest.raises(TypeError, match=r"record takes 1 argument \(out\), 0 given"):
        record[1, 1]()
    with pytest.raises(TypeError, match=r"record takes 1 argument \(out\), 2 given"):
        record[1, 1](np.zeros(7), 1)
    with pytest.raises(TypeError, match="positional arguments only, 'out' was given by name"):
        record[1, 1](out=np.zeros(7))


def test_defaults_fill_what_is_not_given():
    @cuda.jit
    def kernel(out, a, b=2, c=3.5):
        out[0] = a
        out[1] = b
        out[2] = c

    out = np.zeros(3)
    kernel[1, 1](out, 1)
    assert out.tolist() == [1, 2, 3.5]
    kernel[1, 1](out, 7, 8)
    assert out.tolist() == [7, 8, 3.5]
    with pytest.raises(TypeError, match="takes 4 arguments"):
        kernel[1, 1](out)


def test_further_arguments_are_star_args():
    @cuda.jit
    def kernel(out, *args):
        out[0] = args[0]
        out[1] = args[1][2]
        out[2] = len(args)

    out = np.zeros(3)
    kernel[1, 1](out, 5, np.arange(3))
    assert out.tolist() == [5, 2, 2]


def test_launch_returns_none_and_keeps_the_last_launcher():
    out = np.zeros(7)
    launcher = record[2, 32]
    assert launcher(out) is None
    assert record[2, 32] is launcher
    assert record[(2, 1), [32]] is launcher
    assert record[3, 32] is not launcher
    assert repr(launcher) == "<record[(2, 1, 1), (32, 1, 1), 0, 0]>"
    assert launcher.dispatcher is record


def test_configure_is_the_brackets():
    out = np.zeros(7)
    record.configure(2, (8, 4))(out)
    assert out[0] == 64
    configured = record.configure(griddim=1, blockdim=32, stream=0, sharedmem=16)
    configured(out)
    assert (configured.griddim, configured.blockdim, configured.sharedmem) == ((1, 1, 1), (32, 1, 1), 16)
    assert configured.dispatcher is record
    assert out[0] == 96


def test_forall():
    @cuda.jit
    def fill(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = i

    for n in (0, 1, 255, 256, 1000):
        a = np.full(n, -1)
        fill.forall(n)(a)
        assert a.tolist() == list(range(n))
    a = np.full(100, -1)
    fill.forall(100, tpb=32, stream=0, sharedmem=0)(a)
    assert a.tolist() == list(range(100))
    with pytest.raises(ValueError, match="negative number of tasks"):
        fill.forall(-1)
    with pytest.raises(ValueError, match="a block cannot have a negative number of threads: -1"):
        fill.forall(4, tpb=-1)
    for wrong in ("1", 1.5):
        with pytest.raises(TypeError):
            fill.forall(wrong)
        with pytest.raises(TypeError):
            fill.forall(4, tpb=wrong)
    fill.forall(np.int64(4), tpb=np.uint8(2))(a)


def test_kernels_in_classes():
    class Solver:
        @cuda.jit
        def bare(out):
            out[0] = 1

        @staticmethod
        @cuda.jit
        def under_static(out):
            out[0] = 2

        @cuda.jit
        @staticmethod
        def over_static(out):
            out[0] = 3

        def launch(self, out):
            self.bare[1, 1](out)
            return out[0]

        def __init__(self, factor):
            @cuda.jit
            def kernel(out):
                out[0] = factor

            self.kernel = kernel

    out = np.zeros(1)
    assert Solver(4).launch(out) == 1
    Solver.bare[1, 1](out)
    assert out[0] == 1
    Solver.under_static[1, 1](out)
    Solver(4).under_static[1, 1](out)
    assert out[0] == 2
    Solver.over_static[1, 1](out)
    Solver(4).over_static[1, 1](out)
    assert out[0] == 3
    Solver(4).kernel[1, 1](out)
    assert out[0] == 4


def test_configured_kernels_are_values():
    def make(blocks):
        return record[blocks, (4, 8)]

    out = np.zeros(7)
    make(3)(out)
    assert out[0] == 96


def test_metadata_of_the_function():
    assert record.__name__ == "record"
    assert record.__doc__.startswith("Writes the launch's shape")
    assert record.__module__ == __name__
    assert record.py_func.__name__ == "record"
    assert record.__wrapped__ is record.py_func
    assert repr(record) == "<kernel record>"


def test_dynamic_shared_memory_is_limited_with_the_static_part():
    @cuda.jit(void(int32[::1]))
    def kernel(out):
        part = cuda.shared.array(4096, int32)
        i = cuda.threadIdx.x
        part[i] = i
        cuda.syncthreads()
        out[i] = part[31 - i]

    out = np.zeros(32, np.int32)
    most = cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN - 4096 * 4
    kernel[1, 32, 0, most](out)
    assert out.tolist() == list(range(31, -1, -1))
    needed = f"a block needs 16384 bytes of static and {most + 1} of dynamic shared memory"
    with pytest.raises(ValueError, match=needed):
        kernel[1, 32, 0, most + 1](out)


def test_warm_launches_leave_no_objects_behind():
    a, b = np.zeros(32), np.zeros(32, np.float32)

    @cuda.jit
    def kernel(a, b, s, t):
        i = cuda.grid(1)
        a[i] = b[i] + s + t[0]

    arguments = (a, b, 1.5, (2, np.float32(3)))
    kernel[1, 32](*arguments)
    gc.collect()
    counts = [sys.getrefcount(value) for value in (*arguments, kernel, np.ndarray, np.float32)]
    before = len(gc.get_objects())
    for _ in range(1000):
        kernel[1, 32](*arguments)
    assert len(gc.get_objects()) <= before + 1
    assert counts == [sys.getrefcount(value) for value in (*arguments, kernel, np.ndarray, np.float32)]


def test_kernels_are_collected_with_their_launchers():
    import weakref

    def make():
        @cuda.jit
        def kernel(out):
            out[0] = 1

        kernel[1, 1](np.zeros(1))
        return weakref.ref(kernel), weakref.ref(kernel.py_func)

    kernel, function = make()
    gc.collect()
    assert kernel() is None
    assert function() is None


def test_processor_setting(run_python):
    code = """
import numpy as np
from treadle import cuda
@cuda.jit
def twice(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 2.5 + cuda.atomic.add(a, 0, 0)
a = np.arange(1000, dtype=np.float32)
try:
    twice[4, 256](a)
except ValueError as error:
    print(error)
else:
    assert (a == np.arange(1000, dtype=np.float32) * 2.5).all()
    print("ymm" in twice.inspect("asm"), "zmm" in twice.inspect("asm"))
"""
    assert run_python(code, TREADLE_CPU="x86-64") == "False False\n"
    assert run_python(code, TREADLE_CPU="generic") == "False False\n"
    assert run_python(code, NUMBA_CPU_NAME="x86-64-v2") == "False False\n"
    assert run_python(code, TREADLE_CPU="6502") == (
        "TREADLE_CPU is '6502'; it must be a 64-bit x86 processor as LLVM names it, "
        "such as x86-64, x86-64-v3 or skylake\n"
    )
    features = run_python("from treadle import _core; print(_core.build_facts()['features'])").strip().split(",")
    if {"+avx2", "+fma"} <= {*features}:
        assert run_python(code, TREADLE_CPU="x86-64-v3") == "True False\n"
    if {"+avx512bw", "+avx512dq", "+avx512vl"} <= {*features}:
        assert run_python(code, TREADLE_CPU="x86-64-v4").endswith(" True\n")
        assert run_python(code, TREADLE_CPU_FEATURES="+avx512vl,+avx512bw,+avx512dq,+fma").endswith(" True\n")
        assert run_python(code, TREADLE_CPU_FEATURES="+avx512vl,+avx512bw,+avx512dq,+fma,-avx512f").endswith(" False\n")
    if "+avx512vp2intersect" not in features:
        assert "this machine has not: name an older processor" in run_python(code, TREADLE_CPU="tigerlake")


def test_after_a_failure_on_a_fiber_recursion_knows_the_threads_own_stack(run_python):
    code = """
import numpy as np
from treadle import cuda

@cuda.jit(device=True)
def depth(n):
    return depth(n - 1) + 1 if n > 0 else 0

@cuda.jit(debug=True)
def fails_apart(x):
    if cuda.threadIdx.x % 2 == 0:
        cuda.syncthreads()
        assert x[0] == 0
    cuda.syncthreads()

@cuda.jit
def deep(x):
    x[0] = depth(x[0])

@cuda.jit
def too_deep(x):
    x[0] = depth(1 << 40)

x = np.array([50])
for _ in range(3):
    for kernel, threads, expected in ((fails_apart, 64, AssertionError), (too_deep, 1, RecursionError)):
        try:
            kernel[1, threads](x)
        except expected:
            pass
        else:
            raise SystemExit("nothing was raised")
    deep[1, 1](x)
print(x[0])
"""
    assert run_python(code) == "50\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_what_index_raises_is_raised(error):
    @cuda.jit
    def nothing():
        pass

    class Extent:
        def __index__(self):
            raise error

    for config in [(Extent(), 1), (1, (1, Extent())), (1, 1, 0, Extent())]:
        with pytest.raises(error):
            nothing[config]


def test_bad_settings_are_refused_by_whatever_meets_them_first(run_python):
    code = """
import numpy as np
from treadle import cuda
@cuda.jit
def increment(x):
    x[0] += 1
for call in (lambda: increment[1, 1](np.zeros(1)), lambda: cuda.to_device(np.zeros(3)), lambda: cuda.stream()):
    try:
        call()
    except ValueError as error:
        print(error)
"""
    text = "TREADLE_PER_THREAD_DEFAULT_STREAM must be an integer, found 'yes'\n"
    assert text in run_python(code, TREADLE_PER_THREAD_DEFAULT_STREAM="yes")
    assert run_python(code, TREADLE_CPU_FEATURES="+sse2,+foo") == (
        "TREADLE_CPU_FEATURES has '+foo'; it must list features of x86 processors as LLVM names them, separated by "
        "commas, each with + or - in front, such as +avx2,+fma,-avx512f\n"
    )
