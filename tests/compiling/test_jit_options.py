"""Options of jit, its forms, inspection, and compilation without a launch."""

import io

import numpy as np
import pytest
from treadle import cuda, float32, float64, int32, int64, void
from treadle._core import compilation_counts
from treadle.kernels.options import OPTIONS, capability


def increment(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


def check(kernel):
    a = np.zeros(40, np.float32)
    kernel[2, 32](a)
    assert a.tolist() == [1] * 40


FORMS = {
    "bare": lambda: cuda.jit(increment),
    "called": lambda: cuda.jit()(increment),
    "options": lambda: cuda.jit(fastmath=True)(increment),
    "function and options": lambda: cuda.jit(increment, fastmath=True),
    "device false": lambda: cuda.jit(device=False)(increment),
    "given again": lambda: cuda.jit(cuda.jit(increment)),
    "autojit": lambda: cuda.autojit(increment),
    "autojit called": lambda: cuda.autojit(debug=False)(increment),
    "debug": lambda: cuda.jit(debug=True)(increment),
    "lineinfo": lambda: cuda.jit(lineinfo=True)(increment),
    "opt": lambda: cuda.jit(opt=0)(increment),
    "opt bool": lambda: cuda.jit(opt=False)(increment),
    "opt_level": lambda: cuda.jit(opt_level=1)(increment),
    "max_registers": lambda: cuda.jit(max_registers=32)(increment),
    "launch bounds": lambda: cuda.jit(launch_bounds=128)(increment),
    "launch bounds pair": lambda: cuda.jit(launch_bounds=(128, 2))(increment),
    "launch bounds triple": lambda: cuda.jit(launch_bounds=(128, 2, 4))(increment),
    "rules": lambda: cuda.jit(rules="cuda-python")(increment),
    "cache": lambda: cuda.jit(cache=True)(increment),
    "empty link": lambda: cuda.jit(link=[])(increment),
    "no link-time optimisation": lambda: cuda.jit(lto=False)(increment),
    "target": lambda: cuda.jit(target="cuda")(increment),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    check(FORMS[form]())


@pytest.mark.parametrize("given", [True, False])
def test_transforms_of_another_package(given):
    flag = True

    @cuda.jit(experimental_ast_transforms=given)
    def kernel(out):
        if flag:
            out[0] = 1
        else:
            out[0] = missing  # noqa: F821

    kernel[1, 1](out := np.zeros(1))
    assert out[0] == 1
    with pytest.raises(ValueError, match="experimental_ast_transforms must be"):
        cuda.jit(experimental_ast_transforms="some")


def test_unknown_options():
    with pytest.raises(ValueError) as raised:
        cuda.jit(fastmaht=True)
    text = str(raised.value)
    assert text.startswith("unknown option 'fastmaht' of cuda.jit")
    for name, meaning in OPTIONS.items():
        assert name in text
        assert meaning in text


@pytest.mark.parametrize(
    "options",
    [
        {"opt": 4},
        {"opt": "3"},
        {"opt": 3, "opt_level": 3},
        {"inline": "sometimes"},
        {"rules": "python"},
        {"launch_bounds": 2000},
        {"launch_bounds": "64"},
        {"launch_bounds": (1, 2, 3, 4)},
        {"launch_bounds": -1},
        {"launch_bounds": 0},
        {"launch_bounds": (0, 2)},
        {"launch_bounds": True},
        {"debug": "yes"},
        {"fastmath": "no"},
        {"fast_math": b"1"},
        {"device": "cuda"},
        {"lineinfo": "on"},
        {"forceinline": "always"},
        {"max_registers": -1},
        {"max_registers": 32.5},
        {"max_registers": "32"},
        {"cc": "high"},
        {"chip": "gpu"},
    ],
)
def test_bad_values(options):
    with pytest.raises(ValueError):
        cuda.jit(**options)


@pytest.mark.parametrize(
    "options", [{"debug": None}, {"debug": np.True_}, {"fastmath": 1}, {"max_registers": None}, {"launch_bounds": None}]
)
def test_values_of_old_programs(options):
    check(cuda.jit(**options)(increment))


def test_what_is_not_supported_says_so():
    with pytest.raises(NotImplementedError):
        cuda.jit(link=["a.cu"])
    with pytest.raises(NotImplementedError, match="lto=True"):
        cuda.jit(lto=True)


def test_what_is_no_function():
    for value in (3.5, object(), print, len, int):
        with pytest.raises(TypeError):
            cuda.jit(value)
    with pytest.raises(TypeError, match="takes no signature"):
        cuda.autojit("void(int32)")
    with pytest.raises(TypeError):
        cuda.jit(increment, increment)


def test_another_librarys_dispatcher():
    class Dispatcher:
        def __init__(self, function):
            self.py_func = function

    check(cuda.jit(Dispatcher(increment)))


@pytest.mark.parametrize("inline", [True, False, "always", "never", "auto"])
def test_device_functions(inline):
    @cuda.jit(device=True, inline=inline)
    def twice(x):
        return 2 * x

    thrice = cuda.jit(device=True)(lambda x: 3 * x)
    again = cuda.jit(lambda x: x + 1, device=True, inline=inline, forceinline=True)

    @cuda.jit
    def kernel(out, x):
        out[0] = again(twice(x) + thrice(x))

    out = np.zeros(1)
    kernel[1, 1](out, 2.0)
    assert out[0] == 11
    assert twice.py_func(4) == 8
    assert repr(twice).startswith("<device function ")


def test_device_functions_are_not_launched():
    @cuda.jit(device=True)
    def twice(x):
        return 2 * x

    with pytest.raises(TypeError, match="twice is a device function"):
        twice[1, 1]
    with pytest.raises(TypeError, match="twice is a device function"):
        twice(3)


def test_options_for_device_functions_are_what_the_compiler_reads():
    twice = cuda.jit("float64(float64)", device=True, inline="always", rules="cuda-python")(lambda x: 2 * x)
    assert twice.__treadle_options__ == {
        "rules": "cuda-python",
        "force_inline": True,
        "never_inline": False,
        "signatures": [(float64,)],
    }
    assert cuda.jit(device=True, inline="never")(lambda x: x).__treadle_options__["never_inline"]


def test_rules_change_types():
    def kernel(out, x):
        out[0] = x + x

    numba, python = cuda.jit(kernel), cuda.autojit(kernel)
    a, b = np.zeros(1, np.int64), np.zeros(1, np.int64)
    big = np.int32(2**30)
    numba[1, 1](a, big)
    python[1, 1](b, big)
    assert a[0] == 2**31
    assert b[0] == -(2**31)


def test_debug_checks_indices_and_division():
    @cuda.jit(debug=True)
    def kernel(out, i, d):
        out[i] = 10 // d

    out = np.zeros(4, np.int64)
    kernel[1, 1](out, 3, 2)
    assert out.tolist() == [0, 0, 0, 5]
    with pytest.raises(IndexError, match=r"kernel \(.*test_jit_options.py\): an index is out of bounds in line \d+"):
        kernel[1, 1](out, 4, 2)
    with pytest.raises(ZeroDivisionError, match="division by zero in line"):
        kernel[1, 1](out, 0, 0)
    kernel[1, 1](out, -1, 5)
    assert out.tolist() == [0, 0, 0, 2]


def test_debug_kernels_divide_floats_by_zero_in_numpy_functions_alone():
    @cuda.jit(debug=True)
    def function(out, x):
        out[0] = np.reciprocal(x)

    @cuda.jit(debug=True)
    def operator(out, x):
        out[0] = 1 / x

    out = np.zeros(1)
    function[1, 1](out, 0.0)
    assert out[0] == np.inf
    with pytest.raises(ZeroDivisionError, match="division by zero in line"):
        operator[1, 1](out, 0.0)

    @cuda.jit(debug=True)
    def only_where_it_runs(out, d):
        i = cuda.grid(1)
        out[i] = 1
        if d[i] != 0:
            out[i] = 10.0 / d[i] + 10 % d[i]

    @cuda.jit(debug=True)
    def of_tuples(out, values, i):
        if cuda.grid(1) == 3:
            out[0] = values[i] + out.shape[-i - 1] + (4, 5)[i]

    out = np.zeros(2)
    of_tuples[1, 32](out, (1, 2), 0)
    assert out[0] == 1 + 2 + 4
    for i, column in ((1, 44), (2, 29), (-3, 29)):
        with pytest.raises(IndexError, match=rf"out of bounds in line \d+, column {column}, in thread tid=\[3, 0, 0\]"):
            of_tuples[1, 32](out, (1, 2), i)

    out = np.zeros(32)
    only_where_it_runs[1, 32](out, np.arange(32) % 2)
    assert out.tolist() == [1, 10] * 16


def test_inspection():
    kernel = cuda.jit("void(float32[::1])")(increment)
    for stage, part in {
        "syntax": "cuda.grid",
        "typed": "kernel increment",
        "llvm": "define",
        "asm": ".text",
        "ptx": ".visible .entry increment",
    }.items():
        assert part in kernel.inspect(stage), stage
        assert kernel.inspect(stage, (float32[::1],)) == kernel.inspect(stage)
    with pytest.raises(
        ValueError,
        match="there is no stage 'mlir'; there are syntax, typed, types, passes, llvm, optimized, asm and ptx$",
    ):
        kernel.inspect("mlir")
    with pytest.raises(ValueError, match="is not compiled for"):
        kernel.inspect("ptx", (int32,))


def test_inspection_of_several_signatures():
    kernel = cuda.jit(increment)
    with pytest.raises(ValueError, match="not compiled yet"):
        kernel.inspect("ptx")
    kernel[1, 1](np.zeros(1))
    kernel[1, 1](np.zeros(1, np.float32))
    with pytest.raises(ValueError, match="several signatures"):
        kernel.inspect("ptx")
    for inspect in (kernel.inspect_ptx, kernel.inspect_asm, kernel.inspect_llvm):
        texts = inspect()
        assert list(texts) == [(float64[::1],), (float32[::1],)]
        assert texts[float32[::1],] == inspect((float32[::1],))
        assert texts[float32[::1],] != texts[float64[::1],]
    assert ".target sm_90" in kernel.inspect_ptx((float32[::1],))
    stream = io.StringIO()
    kernel.inspect_types(stream)
    assert stream.getvalue().count("kernel increment") == 2


def test_inspect_ptx_for_the_capability_asked_for():
    kernel = cuda.jit("void(float32[::1])", cc=(7, 5))(increment)
    assert ".target sm_75" in kernel.inspect("ptx")


def test_attributes_of_code():
    @cuda.jit("void(float32[::1])")
    def kernel(out):
        shared = cuda.shared.array(64, float32)
        shared[cuda.threadIdx.x] = cuda.threadIdx.x
        cuda.syncthreads()
        out[cuda.threadIdx.x] = shared[63 - cuda.threadIdx.x]

    assert kernel.get_shared_mem_per_block() == {(float32[::1],): 256}
    assert kernel.get_shared_mem_per_block((float32[::1],)) == 256
    assert kernel.get_max_threads_per_block((float32[::1],)) == 1024
    assert kernel.get_const_mem_size((float32[::1],)) == 0
    assert kernel.get_regs_per_thread((float32[::1],)) >= 0
    assert kernel.get_local_mem_per_thread((float32[::1],)) == 0
    assert kernel.specialize(np.zeros(64, np.float32)).get_shared_mem_per_block() == 256
    assert kernel.overloads[float32[::1],].shared_mem_per_block == 256


@pytest.mark.parametrize("barrier", [False, True])
def test_bytes_of_local_arrays(barrier):
    @cuda.jit(device=True)
    def inner(x):
        mine = cuda.local.array((2, 3), np.int16)
        mine[0, 0] = x
        return mine[0, 0]

    @cuda.jit("void(float32[::1])")
    def kernel(out):
        mine = cuda.local.array(8, np.float64)
        mine[cuda.threadIdx.x % 8] = cuda.threadIdx.x
        if barrier:
            cuda.syncthreads()
        out[cuda.threadIdx.x] = mine[cuda.threadIdx.x % 8] + inner(cuda.threadIdx.x)

    assert kernel.get_local_mem_per_thread() == {(float32[::1],): 64 + 12}


def test_at_most_four_variants_of_facts():
    kernel = cuda.jit(increment)
    a = np.zeros(1000, np.float32)
    for _ in range(2):
        for block in (32, 16, 8, 4, 1, 33, 48, 20):
            kernel[1000 // block + 1, block](a)
        kernel[32, 32](a[1:])
    assert a[1:].tolist() == [18] * 999
    inferred, generated = compilation_counts(kernel)
    assert inferred == 1
    assert generated <= 5


def test_overlapping_arguments_get_code_of_their_own():
    @cuda.jit
    def shift(out, a):
        for i in range(a.size - 1):
            out[i + 1] = a[i] + 1

    a = np.zeros(100)
    shift[1, 1](np.zeros(100), a)
    shift[1, 1](a, a)
    assert a.tolist() == list(range(100))


def test_compile_ptx():
    code, result = cuda.compile_ptx(increment, (float32[::1],))
    assert ".visible .entry increment" in code
    assert result == void
    code, result = cuda.compile_ptx(increment, "void(float32[::1])", cc=(8, 0), lineinfo=True)
    assert ".target sm_80" in code
    with pytest.raises(TypeError, match="void return type"):
        cuda.compile_ptx(increment, "int32(float32[::1])")


def test_compile():
    def add(x, y):
        return x + y

    code, result = cuda.compile(add, (float32, float32))
    assert ".func" in code
    assert result == float32
    code, result = cuda.compile(add, (int32, int32), rules="cuda-python", cc=(7, 5))
    assert result == int32
    assert ".target sm_75" in code
    assert cuda.compile(add, (int32, int32))[1] == int64
    code, _ = cuda.compile(add, (float32, float32), abi_info={"abi_name": "the_sum"})
    assert " the_sum(" in code
    assert cuda.compile(cuda.autojit(add, device=True), (int32, int32))[1] == int32
    assert ".target sm_90" in cuda.compile_for_current_device(add, (int32, int32))[0]
    assert ".target sm_90" in cuda.compile_ptx_for_current_device(increment, (float32[::1],))[0]


@pytest.mark.parametrize(
    "options, error",
    [
        ({"abi": "rust"}, NotImplementedError),
        ({"output": "cubin"}, NotImplementedError),
        ({"output": "ltoir"}, NotImplementedError),
        ({"device": False}, NotImplementedError),
        ({"forceinline": True}, ValueError),
        ({"facts": {"no_ovrlap": True}}, ValueError),
    ],
)
def test_compile_refuses(options, error):
    with pytest.raises(error):
        cuda.compile(increment, (float32[::1],), **options)


@pytest.mark.parametrize("given, expected", [((8, 0), 80), (80, 80), (8.6, 86), ("9.0", 90), ([7, 5], 75), (None, 0)])
def test_capabilities(given, expected):
    assert capability(given) == expected


def test_chips():
    assert capability(None, "sm_80") == 80
    assert capability(None, "sm_90a") == 90
