# "Names": modules of the type objects, forms of signatures, autojit, rules=.

import numpy as np
import pytest
import treadle
from treadle import cuda, float32, float64, int32, int64, void

TYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128", "boolean", "intp", "void",
)  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_type_objects_live_in_treadle_and_in_cuda(name):
    assert getattr(treadle, name) is getattr(cuda, name)


def fill(out, value):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = value


SIGNATURES = [
    void(float32[:], int32),
    void(float32[::1], int32),
    "void(float32[:], int32)",
    "void(float32[::1], int32)",
    "(float32[:], int32)",
    "float32[:], int32",
    (float32[:], int32),
    [void(float64[:], int64), void(float32[:], int32)],
    ["float32[:], int32", "float64[:], int32"],
]


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_signatures(signature, rules):
    kernel = cuda.jit(signature, rules=rules)(fill)
    out = np.zeros(40, np.float32)
    kernel[2, 32](out, np.int32(7))
    assert set(out) == {7}
    assert len(kernel.overloads) == (len(signature) if isinstance(signature, list) else 1)


def test_the_old_form_return_type_then_argument_types():
    kernel = cuda.jit(void, float32[::1], int32)(fill)
    out = np.zeros(40, np.float32)
    kernel[2, 32](out, np.int32(7))
    assert set(out) == {7}


def test_array_types_say_their_order():
    assert str(int32[::1]) == "array(int32, 1d, C)"
    assert str(float32[:, ::1]) == "array(float32, 2d, C)"
    assert str(float32[::1, :]) == "array(float32, 2d, F)"
    assert str(float32[:, :]) == "array(float32, 2d, A)"


def test_autojit_takes_a_function_or_options():
    @cuda.autojit
    def plain(out, n):
        out[0] = n / 2

    @cuda.autojit(debug=True, opt=False)
    def with_options(out, n):
        out[0] = n / 2

    for kernel in (plain, with_options):
        out = np.zeros(1)
        kernel[1, 1](out, np.int32(1 << 24 | 1))
        # The quotient is a float32: these are the cuda-python rules.
        assert out[0] == np.float32(1 << 24 | 1) / 2
        assert len(kernel.overloads) == 1


def test_autojit_specialises_on_the_first_call_of_each_type():
    @cuda.autojit
    def kernel(out, x):
        out[0] = x + x

    out = np.zeros(1, np.int64)
    kernel[1, 1](out, np.int8(100))
    assert out[0] == -56
    kernel[1, 1](out, np.int16(100))
    assert out[0] == 200
    assert len(kernel.overloads) == 2


def test_jit_follows_numba_by_default():
    @cuda.jit
    def kernel(out, x):
        out[0] = x + x

    out = np.zeros(1, np.int64)
    kernel[1, 1](out, np.int8(100))
    assert out[0] == 200


def test_compile_functions_take_rules():
    def f(a, b):
        return a + b

    for compile_function in (cuda.compile_ptx, cuda.compile):
        narrow = compile_function(f, (int32, int32), device=True, rules="cuda-python", cc=(9, 0))[1]
        wide = compile_function(f, (int32, int32), device=True, rules="numba", cc=(9, 0))[1]
        assert (narrow, wide) == (int32, int64)


def test_a_dispatcher_keeps_its_own_rules():
    device = cuda.jit(lambda a, b: a + b, device=True, rules="cuda-python")
    assert cuda.compile_ptx(device, (int32, int32), device=True, rules="numba", cc=(9, 0))[1] == int32


def test_each_function_has_its_own_rules():
    """A kernel under one set of rules calls a device function under the other."""
    narrow = cuda.jit(lambda a, b: a + b, device=True, rules="cuda-python")
    wide = cuda.jit(lambda a, b: a + b, device=True, rules="numba")

    @cuda.jit
    def kernel(x, out):
        out[0] = narrow(x[0], x[0])
        out[1] = wide(x[0], x[0])

    out = np.zeros(2, np.int64)
    kernel[1, 1](np.full(1, 100, np.int8), out)
    assert out.tolist() == [-56, 200]
