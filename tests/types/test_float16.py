"""float16 beyond kernels' arithmetic (tests/kernels/float16_*.py): device arrays, launches, printing, checks, other
processors, and cuda.fp16 on the host."""

import copy
import inspect
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sources
import treadle
from treadle import cuda, errors, float16, types
from treadle.cuda import fp16

HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
TESTS = Path(__file__).parent.parent
KERNELS = "arithmetic conversions math memory atomics".split()


# Device arrays.


def test_elements_of_device_arrays():
    x = cuda.device_array(6, np.float16)
    x[:] = 0.1
    assert x.copy_to_host().tolist() == [float(np.float16(0.1))] * 6
    with np.errstate(over="ignore"):
        x[1:4] = np.array([1e-7, 65520, -0.0])
        x[4] = 70000
    x[5] = np.float16(2.5)
    assert (
        x.copy_to_host().view("u2").tolist()
        == np.array([0.1, 1e-7, np.inf, -0.0, np.inf, 2.5], "f2").view("u2").tolist()
    )
    assert x[5] == 2.5 and type(x[5]) is np.float16
    assert x.dtype == np.float16 and x.itemsize == 2 and x.nbytes == 12
    assert repr(x._type) == "float16"


@pytest.mark.parametrize("order", ["C", "F"])
def test_all_halves_there_and_back(order):
    host = np.asarray(HALVES.reshape(256, 256), order=order)
    x = cuda.to_device(host)
    back = x.copy_to_host()
    assert back.tobytes(order) == host.tobytes(order) and back.flags.f_contiguous == (order == "F")
    part = x[3:200:7, ::5]
    np.testing.assert_array_equal(part.copy_to_host().view("u2"), host[3:200:7, ::5].copy().view("u2"))
    assert x[:, 3].copy_to_host().view("u2").tolist() == host[:, 3].copy().view("u2").tolist()


def test_exchange():
    x = cuda.to_device(HALVES[:8])
    theirs = [np.from_dlpack(x)] if np.from_dlpack(x).flags.writeable else []  # not before NumPy 2.1
    assert np.from_dlpack(x).dtype == np.float16
    for imported in (treadle.from_dlpack(x), cuda.as_cuda_array(x), *theirs):
        imported[3] = 7
        assert x[3] == 7 and imported.dtype == np.float16
        x[3] = 0

    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= float16(2)

    theirs = np.array([0.1, 0.2, 0.3], np.float16)
    double[1, 32](treadle.from_dlpack(theirs))
    assert theirs.tolist() == (np.array([0.1, 0.2, 0.3], np.float16) * np.float16(2)).tolist()


# Launches.


@cuda.jit
def scale(x, factor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * factor


def test_scalars_of_warm_launches():
    x, out = HALVES[0x3C00:0x3C08], np.zeros(8, np.float16)
    for factor in (np.float16(0.1), np.float16(-3), np.float16(np.inf), np.float16(1e-7), np.float16(65504)):
        scale[1, 32](x, factor, out)
        with np.errstate(over="ignore"):
            assert out.tolist() == (x * factor).tolist()
    factors = cuda.to_device(HALVES[0x4000:0x4008])
    scale[1, 32](x, factors[2], out)
    assert out.tolist() == (x * HALVES[0x4002]).tolist()
    assert len(scale.signatures) == 1


def test_given_signatures_convert_python_numbers():
    @cuda.jit("void(float16, f2[:])")
    def kernel(x, out):
        out[0] = x
        out[1] = x + x

    out = np.zeros(2, np.float16)
    for number in (0.1, 3, 2049, 70000, True, np.float64(1 + 2**-11 + 2**-30), -0.0, float("nan")):
        kernel[1, 1](number, out)
        with np.errstate(over="ignore"):
            half = np.float64(number).astype(np.float16)
            expected = np.array([half, half + half])
        assert out.view("u2").tolist() == expected.view("u2").tolist()


def test_overloads_prefer_their_own_type():
    @cuda.jit(["void(float64, int32[:])", "void(float32, int32[:])", "void(float16, int32[:])"])
    def kernel(x, out):
        out[0] = 16 if isinstance(x, float16) else 32 if isinstance(x, types.float32) else 64

    out = np.zeros(1, np.int32)
    for dtype in (np.float16, np.float32, np.float64):
        kernel[1, 1](dtype(0.1), out)
        assert out[0] == np.dtype(dtype).itemsize * 8


def test_constants_are_folded_as_halves():
    half, large = np.float16(0.1), np.float16(60000)

    @cuda.jit(rules="cuda-python")
    def kernel(out):
        out[0] = half * half + half
        out[1] = large + large
        out[2] = -half // half
        out[3] = float16(2049) - float16(2048)

    @cuda.jit
    def numbas(out):
        out[0] = half * half + half
        out[1] = large + large
        out[2] = -half // half
        out[3] = float16(2049) - float16(2048)

    for one in (kernel, numbas):
        out = np.zeros(4)
        one[1, 1](out)
        assert out.tolist() == [float(half * half + half), np.inf, -1, 0]


def test_quotients_of_halves_are_rounded_down_from_exact_ones():
    """Under the cuda-python rules, where they are int32."""

    @cuda.jit(rules="cuda-python")
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] // y[i]

    pairs = np.random.default_rng(0).choice(HALVES[np.isfinite(HALVES) & (HALVES != 0)], (2, 20000))
    out = np.zeros(20000, np.int64)
    kernel[200, 100](*pairs, out)
    exact = [Fraction(float(x)) / Fraction(float(y)) for x, y in zip(*pairs)]
    expected = [min(max(int(value // 1), -(2**31)), 2**31 - 1) for value in exact]
    assert out.tolist() == expected
    assert sum(2**13 < abs(value) < 2**31 for value in expected) > 500


LITERALS = [0.1, 3, 2049, 65504, 65505, 1 << 40, -7, 1e5, 1e-9]


@pytest.mark.parametrize("literal", LITERALS)
def test_literals_adopt_it_where_they_fit(literal, tmp_path):
    """cuda-python; under the numba rules a literal is an int64 or a float64."""
    text = "\n".join(
        f"@cuda.jit(device=True, rules={rules!r})\ndef {name}(x):\n    return x + {literal!r}, x / {literal!r}\n"
        for rules, name in (("cuda-python", "narrow"), ("numba", "wide"))
    )
    module = sources.load(text, tmp_path)
    fits = literal in (0.1, 3, 65504, -7, 1e-9)
    for function, total, quotient in (
        (module.narrow, "float16" if fits or isinstance(literal, int) else "float64", "float32" if fits else "float64"),
        (module.wide, "float64", "float64"),
    ):
        _, result = cuda.compile_ptx(function, "(float16,)", device=True, cc=(9, 0))
        assert str(result).replace("UniTuple(float64 x 2)", "Tuple(float64, float64)") == f"Tuple({total}, {quotient})"


# Printing, checks.


def test_print(capfd):
    @cuda.jit
    def kernel(x):
        print("half", x[0], x[1], x[2] + x[0])

    kernel[1, 1](np.array([0.1, -2, np.inf], np.float16))
    cuda.synchronize()
    assert capfd.readouterr().out.split() == ["half", "0.099976", "-2.000000", "inf"]


def test_debug():
    @cuda.jit(debug=True)
    def kernel(x, i):
        if x[0] > float16(1):
            raise ValueError("large")
        x[i] += float16(1)

    x = np.array([1, 2, 3], np.float16)
    kernel[1, 1](x, 2)
    assert x.tolist() == [1, 2, 4]
    with pytest.raises(IndexError):
        kernel[1, 1](x, 3)
    with pytest.raises(ValueError, match="large"):
        kernel[1, 1](x[1:], 0)


def test_numpys_functions_of_arrays():
    """Sums are those of float32, rounded once, as NumPy's are."""

    @cuda.jit
    def kernel(x, out):
        out[0] = np.sum(x)
        out[1] = np.mean(x)
        out[2] = x.max()
        out[3] = x.min()
        out[4] = np.argmax(x)
        out[5] = np.var(x)
        out[6] = np.nanmean(x)
        out[7] = np.nansum(x)
        out[8] = np.std(x)
        out[9] = np.dot(x, x)
        out[10] = np.nanvar(x)
        out[11] = np.prod(x[:10])

    generator = np.random.default_rng(0)
    for x in (np.full(5000, 0.1, np.float16), np.full(70000, 0.25, np.float16), generator.random(3000).astype("f2")):
        out = np.zeros(12)
        kernel[1, 1](x, out)
        expected = [x.sum(), x.mean(), x.max(), x.min(), x.argmax(), x.var(), np.nanmean(x), np.nansum(x), x.std(),
                    np.sum(x.astype("f8") ** 2), np.nanvar(x), x[:10].prod()]  # fmt: skip
        np.testing.assert_allclose(out, np.array(expected, "f8"), rtol=2e-3, atol=1e-6)


# Processors without instructions for it.


@pytest.mark.share(every=4)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_processors(processor, name, run_python):
    code = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
try:
    import kernels.float16_{name} as kernels
    kernels.run()
    print("done")
except Exception as error:
    if "this machine has not" not in str(error):
        raise
    print("no such machine")
"""
    if (printed := run_python(code, TREADLE_CPU=processor)) == "no such machine\n":
        pytest.skip(f"this machine is no {processor}")
    assert printed == "done\n"


# The functions of cuda.fp16, where they are not compiled.

NAMES = (
    "hfma hadd hsub hmul hdiv hneg habs hsin hcos hlog hlog2 hlog10 hexp hexp2 hexp10 hfloor hceil hsqrt hrsqrt hrcp "
    "hrint htrunc heq hne hgt hge hlt hle hmax hmin"
).split()


def test_fp16_has_these_functions():
    assert sorted(NAMES) == fp16.__all__
    assert cuda.fp16 is fp16 and "fp16" in dir(cuda)


@pytest.mark.parametrize("name", NAMES)
def test_fp16_on_the_host(name):
    function = getattr(fp16, name)
    assert inspect.getdoc(function).startswith(f"{name}(a")
    with pytest.raises(RuntimeError, match=rf"^cuda\.fp16\.{name} can only be used in a kernel or device function$"):
        function(1.0)
    assert pickle.loads(pickle.dumps(function)) is function is copy.deepcopy(function)


def test_fp16_results_and_arguments():
    """float16 of any real numbers; bool of comparisons; keywords; both sets of rules."""
    half, one = np.float16(0.1), np.ones(1)

    for rules in ("numba", "cuda-python"):

        @cuda.jit(device=True, rules=rules)
        def numbers(a, b, c):
            return fp16.hfma(a, b, c), fp16.hdiv(a, b=b), cuda.fp16.hmax(c, a), fp16.hexp2(b), fp16.hfloor(c)

        @cuda.jit(device=True, rules=rules)
        def tests(a, b):
            return fp16.heq(a, b), fp16.hne(a, b), fp16.hlt(a, b)

        for arguments in ("(float16, float16, float16)", "(float64, int32, boolean)"):
            _, result = cuda.compile_ptx(numbers, arguments, device=True, cc=(9, 0))
            assert str(result) == "UniTuple(float16 x 5)"
        _, result = cuda.compile_ptx(tests, "(float16, uint64)", device=True, cc=(9, 0))
        assert str(result) == "UniTuple(boolean x 3)" or str(result) == "UniTuple(bool x 3)"

    @cuda.jit
    def kernel(x, out):
        out[0] = fp16.hadd(x[0], 0.1)

    out = np.zeros(1)
    kernel[1, 1](one, out)
    assert out[0] == np.float16(1) + half


def test_fp16_with_wrong_arguments():
    @cuda.jit
    def too_few(x):
        x[0] = fp16.hadd(x[0])

    with pytest.raises(errors.CompileError, match=r"'hadd' takes 2 arguments \(a, b\)"):
        too_few[1, 1](np.zeros(1, np.float16))


def test_fp16_is_found_as_numbas():
    program = (
        "import treadle.redirect; treadle.redirect.install()\n"
        "from numba import cuda\n"
        "from numba.cuda import fp16\n"
        "import numba.cuda.fp16 as again, treadle.cuda.fp16 as ours, numpy as np\n"
        "assert fp16 is again is ours is cuda.fp16\n"
        "@cuda.jit\n"
        "def kernel(x):\n"
        "    x[0] = cuda.fp16.hmul(x[0], fp16.hadd(x[0], x[0]))\n"
        "x = np.full(1, 3, np.float16)\n"
        "kernel[1, 1](x)\n"
        "print(x[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("18.0\n", "")


def test_types_on_the_host():
    assert float16(0.1) == np.float16(0.1) and type(float16(0.1)) is np.float16
    assert str(types.float16[:]) == "array(float16, 1d, A)"
    assert str(types.void(types.f2, types.half[::1])) == "(float16, array(float16, 1d, C)) -> none"
