"""Signatures given to jit: their forms, eager compilation, and the choice among several."""

import numpy as np
import pytest
from treadle import CompileError, cuda, float32, float64, int32, int64, types, uint8, void


def scale(a, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * s


EXPECTED = (float32[:], float64)

FORMS = {
    "string with result": lambda: cuda.jit("void(float32[:], float64)"),
    "string without result": lambda: cuda.jit("(float32[:], float64)"),
    "string without parentheses": lambda: cuda.jit("float32[:], float64"),
    "short names": lambda: cuda.jit("void(f4[:], f8)"),
    "type call": lambda: cuda.jit(void(float32[:], float64)),
    "tuple": lambda: cuda.jit((float32[:], float64)),
    "tuple of strings and numpy types": lambda: cuda.jit(("float32[:]", np.float64)),
    "list of one": lambda: cuda.jit(["void(float32[:], float64)"]),
    "old form": lambda: cuda.jit(void, float32[:], float64),
    "old keywords": lambda: cuda.jit(restype=void, argtypes=[float32[:], float64]),
    "old keywords without result": lambda: cuda.jit(argtypes=(float32[:], float64)),
    "old keywords and target": lambda: cuda.jit(argtypes=(float32[:], float64), target="gpu", bind=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    kernel = FORMS[form]()(scale)
    assert kernel.signatures == [EXPECTED]
    a = np.arange(5, dtype=np.float32)
    kernel[1, 32](a, 3)
    assert a.tolist() == [0, 3, 6, 9, 12]
    assert kernel.signatures == [EXPECTED]


def test_signatures_compile_at_decoration():
    with pytest.raises(CompileError, match="nothing_of_this_name"):

        @cuda.jit("void(float32[:])")
        def kernel(a):
            a[0] = nothing_of_this_name  # noqa: F821


@pytest.mark.parametrize(
    "signature, error",
    [
        ("int32(float32[:], float64)", TypeError),
        (int32(float32[:], float64), TypeError),
        ("void(flaot32[:])", ValueError),
        ("void(float32[:]", ValueError),
        (3, TypeError),
        ((3,), TypeError),
        (["void(float32[:])", 3], TypeError),
    ],
)
def test_bad_signatures(signature, error):
    with pytest.raises(error):
        cuda.jit(signature)(scale)


def test_bad_strings_have_a_caret():
    with pytest.raises(ValueError) as raised:
        cuda.jit("void(int32, flaot32)")
    lines = str(raised.value).splitlines()
    assert lines[0] == "bad signature: there is no type 'flaot32'"
    assert lines[1].index("flaot32") == lines[2].index("^")


def test_wrong_number_of_types():
    with pytest.raises((TypeError, CompileError)):
        cuda.jit("void(float32[:])")(scale)


def store(out, a, b):
    out[0] = a + b


def test_exact_match_wins():
    kernel = cuda.jit(["(int64[::1], int64, int64)", "(float64[::1], float64, float64)"])(store)
    assert len(kernel.overloads) == 2
    out = np.zeros(1)
    kernel[1, 1](out, 1.5, 2.5)
    assert out[0] == 4
    whole = np.zeros(1, np.int64)
    kernel[1, 1](whole, 1, 2)
    assert whole[0] == 3
    assert len(kernel.overloads) == 2


def test_safe_and_unsafe_conversions():
    kernel = cuda.jit("(int64[::1], int64, int64)")(store)
    out = np.zeros(1, np.int64)
    kernel[1, 1](out, np.int32(1), np.uint8(2))
    assert out[0] == 3
    kernel[1, 1](out, 1.9, 2.9)
    assert out[0] == 3
    mixed = cuda.jit(["(int64[::1], int64, int64)", "(float64[::1], float64, float64)"])(store)
    real = np.zeros(1)
    mixed[1, 1](real, np.int32(1), 2.5)
    assert real[0] == 3.5


def test_widths_of_scalars_choose():
    kernel = cuda.jit(["(float64[::1], float32, float32)", "(float64[::1], float64, float64)"])(store)
    out = np.zeros(1)
    kernel[1, 1](out, np.float32(0.1), np.float32(0.2))
    single = out[0]
    kernel[1, 1](out, 0.1, 0.2)
    assert out[0] == 0.1 + 0.2
    assert single == np.float32(0.1) + np.float32(0.2) != out[0]


def test_ambiguous():
    kernel = cuda.jit(
        ["(float64[::1], float32, float64)", "(float64[::1], float64, float32)", "(float64[::1], int64, int64)"]
    )(store)
    with pytest.raises(TypeError) as raised:
        kernel[1, 1](np.zeros(1), 1.0, 2.0)
    text = str(raised.value)
    assert text.startswith("Ambiguous overloading of store for argument types (array(float64, 1d, C), float64, ")
    assert "float32, float64) -> none" in text
    assert "float64, float32) -> none" in text
    assert "int64" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        (np.zeros(1, np.float32), 1.0, 2.0),
        (np.zeros((1, 1)), 1.0, 2.0),
        (np.zeros(4)[::2], 1.0, 2.0),
        (np.zeros(1), 1j, 2.0),
        (np.zeros(1), (1, 2), 2.0),
        (np.zeros(1), None, 2.0),
        (1.0, 1.0, 2.0),
    ],
)
def test_no_match(arguments):
    kernel = cuda.jit("(float64[::1], float64, float64)")(store)
    with pytest.raises(TypeError, match="No matching definition of store"):
        kernel[1, 1](*arguments)


def test_layouts_and_constness_match():
    kernel = cuda.jit("(float64[:], float64[:, :])")(lambda out, a: None)
    kernel[1, 1](np.zeros(1), np.zeros((2, 2)))
    kernel[1, 1](np.zeros(4)[::2], np.zeros((2, 2)).T)
    read_only = np.zeros((2, 2))
    read_only.flags.writeable = False
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 1](np.zeros(1), read_only)
    accepting = cuda.jit((types.Array(float64, 2, "A", readonly=True),))(lambda a: None)
    accepting[1, 1](read_only)
    accepting[1, 1](np.zeros((2, 2)))


def test_optional():
    @cuda.jit((float64[::1], types.Optional(float64)))
    def kernel(out, value):
        out[0] = -1 if value is None else value

    out = np.zeros(1)
    kernel[1, 1](out, None)
    assert out[0] == -1
    kernel[1, 1](out, 2.5)
    assert out[0] == 2.5
    kernel[1, 1](out, 3)
    assert out[0] == 3


def test_tuples_in_signatures():
    @cuda.jit((float64[::1], types.Tuple((float64, types.UniTuple(int32, 2)))))
    def kernel(out, t):
        out[0] = t[0]
        out[1] = t[1][0] + t[1][1]

    out = np.zeros(2)
    kernel[1, 1](out, (1.5, (np.int32(2), np.int32(3))))
    assert out.tolist() == [1.5, 5]
    kernel[1, 1](out, (2, (4, 5)))
    assert out.tolist() == [2, 9]


def test_out_of_range_scalars_wrap_as_in_c():
    kernel = cuda.jit("(int64[::1], uint8, uint8)")(store)
    out = np.zeros(1, np.int64)
    kernel[1, 1](out, 257, 1)
    assert out[0] == 2


def test_device_function_signatures():
    @cuda.jit("float64(float64)", device=True)
    def twice(x):
        return 2 * x

    @cuda.jit(int64(int64), device=True, inline=True)
    def thrice(x):
        return 3 * x

    @cuda.jit
    def kernel(out):
        out[0] = twice(1.5)
        out[1] = thrice(2)

    out = np.zeros(2)
    kernel[1, 1](out)
    assert out.tolist() == [3, 6]


def test_annotations():
    def kernel(out: float64[::1], n: int32):
        out[0] = n

    lazy = cuda.jit(kernel)
    assert lazy.signatures == []
    eager = cuda.jit(annotations_as_signatures=True)(kernel)
    assert eager.signatures == [(float64[::1], int32)]
    with pytest.raises(TypeError, match="both annotations and an explicit signature"):
        cuda.jit((float64[::1], int32), annotations_as_signatures=True)(kernel)

    def partly(out: float64[::1], n):
        out[0] = n

    assert cuda.jit(annotations_as_signatures=True)(partly).signatures == []


def test_compile_and_overloads():
    kernel = cuda.jit(scale)
    overload = kernel.compile("void(float32[::1], float32)")
    assert overload.signature.args == (float32[::1], float32)
    kernel.compile((uint8[::1], uint8))
    assert list(kernel.overloads) == kernel.signatures == [(float32[::1], float32), (uint8[::1], uint8)]
    assert [signature.return_type for signature in kernel.nopython_signatures] == [void, void]
    with pytest.raises(TypeError, match="void return type"):
        kernel.compile("float32(float32[::1], float32)")
    a = np.ones(4, np.float32)
    kernel[1, 4](a, np.float32(2))
    assert len(kernel.overloads) == 2
    kernel[1, 4](a, 2.0)
    assert len(kernel.overloads) == 3


def test_disable_compile():
    kernel = cuda.jit(scale)
    a = np.ones(4, np.float32)
    kernel[1, 4](a, 2.0)
    kernel.disable_compile()
    kernel[1, 4](a, 2.0)
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 4](np.ones(4), 2.0)
    kernel.disable_compile(False)
    kernel[1, 4](np.ones(4), 2.0)


def test_specialize():
    kernel = cuda.jit(scale)
    a = np.ones(4, np.float32)
    fixed = kernel.specialize(a, 2.0)
    assert fixed.specialized
    assert not kernel.specialized
    fixed[1, 4](a, 3.0)
    assert a.tolist() == [3] * 4
    with pytest.raises(RuntimeError, match="already specialized"):
        fixed.specialize(a, 2.0)
    with pytest.raises(TypeError, match="No matching definition"):
        fixed[1, 4](np.ones((2, 2)), 1.0)


FACTOR = 2


def test_recompile_sees_new_globals():
    global FACTOR

    @cuda.jit
    def kernel(out):
        out[0] = FACTOR

    out = np.zeros(1)
    FACTOR = 2
    kernel[1, 1](out)
    FACTOR = 3
    kernel[1, 1](out)
    assert out[0] == 2
    kernel.recompile()
    kernel[1, 1](out)
    assert out[0] == 3
    assert len(kernel.overloads) == 1
