# literally() of a kernel's own argument: the kernel is compiled for each value that it is launched with.

import math
import re
import threading

import numpy as np
import pytest
from treadle import cuda, float32, literal_unroll, literally, types
from treadle.errors import CompileError, ConstantInferenceError

SCALE = 10


@cuda.jit(device=True)
def total(n, x):
    a = cuda.local.array(literally(n), float32)
    for k in range(n):
        a[k] = x + k
    sum = 0.0
    for value in a:
        sum += value
    return sum


@cuda.jit(device=True)
def handed_on(x, count):
    return total(x=x, n=count) + total(2, x)


def expected(n, x):
    return n * x + n * (n - 1) / 2


def test_kernels_are_compiled_for_each_value(rules):
    @cuda.jit(rules=rules)
    def kernel(out, n, x):
        a = cuda.shared.array(literally(n), float32)
        i = cuda.threadIdx.x
        if i < n:
            a[i] = x + i
        cuda.syncthreads()
        if i == 0:
            sum = 0.0
            for value in a:
                sum += value
            out[0], out[1] = sum, a.size

    for n, x in [(3, 1.0), (5, 2.0), (3, 4.0), (5, 0.5), (1, 7.0), (3, 1.0)]:
        out = np.zeros(2)
        kernel[1, 32](out, n, x)
        assert out.tolist() == [expected(n, x), n]
    assert [str(signature[1]) for signature in kernel.signatures] == [f"Literal[int]({n})" for n in (3, 5, 1)]
    out = np.zeros(2)
    kernel[1, 32](out, np.int32(3), 1.0)  # a literal of another type
    assert out.tolist() == [expected(3, 1.0), 3]
    assert str(kernel.signatures[-1][1]) == "Literal[int32](3)"
    assert kernel.overloads[kernel.signatures[0]] is not kernel.overloads[kernel.signatures[1]]


def test_device_functions_ask_for_what_they_were_handed(rules):
    @cuda.jit(rules=rules)
    def kernel(out, n, m, x):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = handed_on(x + i, n) + total(m, x)

    def check(n, m, x):
        out = np.zeros(40)
        kernel[2, 32](out, n, m, x)
        assert out.tolist() == [expected(n, x + i) + expected(2, x + i) + expected(m, x) for i in range(40)]

    for n, m, x in [(3, 4, 1.0), (4, 3, 1.0), (3, 4, 2.0), (3, 5, 2.0)]:
        check(n, m, x)
    assert len(kernel.signatures) == 3
    assert {str(signature[3]) for signature in kernel.signatures} == {"float64"}


@cuda.jit
def chosen(out, kind, factor, flag, shape):
    f, s = literally(factor), literally(shape)
    a = cuda.local.array(s, float32)
    total = 0
    for extent in literal_unroll(s):
        total += extent
    if literally(flag):
        out[0] = f * kind
    else:
        out[0] = 1 / f
    out[1], out[2] = a.size, total


@pytest.mark.parametrize("factor", [2.5, -0.0, math.nan, math.inf, np.float32(0.1), 3, np.uint32(2**32 - 1)])
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("shape", [(2, 3), (4,)])
def test_values_of_every_real_type_and_of_tuples(factor, flag, shape):
    out = np.zeros(3)
    with np.errstate(all="ignore"):
        chosen[1, 1](out, 2, factor, flag, shape)
        wanted = np.asarray(factor)[()] * np.int64(2) if flag else np.float64(1) / np.float64(factor)
    assert np.array_equal(out, [wanted, np.prod(shape), sum(shape)], equal_nan=True)
    assert np.signbit(out[0]) == np.signbit(wanted)


def test_minus_zero_is_not_zero():
    @cuda.jit
    def kernel(out, x):
        out[0] = math.copysign(1.0, literally(x))

    for x in (0.0, -0.0, 0.0):
        out = np.zeros(1)
        kernel[1, 1](out, x)
        assert out[0] == math.copysign(1.0, x)
    assert [str(signature[1]) for signature in kernel.signatures] == ["Literal[float](0)", "Literal[float](-0)"]


def test_launches_that_are_made_again_have_their_own_values():
    @cuda.jit
    def kernel(out, n, x):
        out[0] = cuda.local.array(literally(n), float32).size * x

    out = cuda.to_device(np.zeros(1))
    configured = kernel[1, 1]
    for n, x in [(2, 3)] * 4 + [(3, 3)] * 4 + [(2, 5), (3, 7), (2, 3)]:
        configured(out, n, x)
        assert out.copy_to_host()[0] == n * x


def test_values_of_later_arguments_are_asked_for_one_after_the_other():
    @cuda.jit
    def kernel(out, a, b, c):
        out[0] = literally(c)
        out[1] = literally(b) + cuda.local.array(literally(a), float32).size

    out = np.zeros(2)
    kernel[1, 1](out, 2, 3, 4)
    assert out.tolist() == [4, 5]
    assert str(kernel.signatures[0][1:]) == "(Literal[int](2), Literal[int](3), Literal[int](4))"


def test_recompiling_and_closing_know_of_values(monkeypatch):
    @cuda.jit
    def kernel(out, n):
        out[0] = literally(n) * SCALE

    out = np.zeros(1)
    kernel[1, 1](out, 3)
    monkeypatch.setitem(globals(), "SCALE", 20)
    kernel.recompile()
    kernel[1, 1](out, 3)
    assert out[0] == 60
    kernel.disable_compile()
    kernel[1, 1](out, 3)
    with pytest.raises(TypeError, match=r"No matching definition of kernel .*\n.*Literal\[int\]\(3\)"):
        kernel[1, 1](out, 4)
    kernel.disable_compile(False)
    kernel[1, 1](out, 4)
    assert out[0] == 80


def test_threads_that_learn_it_at_once():
    for _ in range(5):

        @cuda.jit
        def kernel(out, n, m):
            out[0] = cuda.local.array(literally(n), float32).size + 10 * literally(m)

        found, barrier = [None] * 8, threading.Barrier(8)

        def launch(k, kernel=kernel, found=found, barrier=barrier):
            out = np.zeros(1)
            barrier.wait()
            kernel[1, 1](out, k % 4 + 1, k % 2)
            found[k] = out[0]

        threads = [threading.Thread(target=launch, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [k % 4 + 1 + 10 * (k % 2) for k in range(8)]
        assert len(kernel.signatures) == 4


def reassigned(out, n):
    n = n + 1
    out[0] = literally(n)


def element(out, n):
    out[0] = literally(out[n])


def array(out, n):
    literally(out)


def number_of_star(out, *n):
    out[0] = literally(n[0])


def through_arithmetic(out, n):
    out[0] = total(n + 1, 1.0)


@pytest.mark.parametrize("body", [reassigned, element, array, number_of_star, through_arithmetic])
def test_what_is_no_argument_of_the_kernel_has_no_value(rules, body):
    kernel = cuda.jit(body, rules=rules)
    with pytest.raises(ConstantInferenceError, match="not known while compiling"):
        kernel[1, 1](np.zeros(2), 1)
    assert not kernel.signatures


def test_complex_values_are_none():
    @cuda.jit
    def kernel(out, z):
        out[0] = literally(z).real

    with pytest.raises(ConstantInferenceError, match="not known while compiling"):
        kernel[1, 1](np.zeros(1), 1j)


def test_signatures_have_no_values(rules):
    def kernel(out, n):
        out[0] = literally(n)

    with pytest.raises(
        ConstantInferenceError, match="a kernel without a signature is compiled for the values"
    ) as caught:
        cuda.jit("void(float64[:], int64)", rules=rules)(kernel)
    assert caught.value.line == kernel.__code__.co_firstlineno + 1
    with pytest.raises(CompileError, match="without a signature"):
        cuda.compile_ptx(kernel, (types.float64[:], types.int64), cc=(8, 0))


def test_parameters_stay_where_they_are():
    """What is known is no part of the code, and the arguments after it arrive."""

    @cuda.jit
    def kernel(n, out, shape, x, k):
        a = cuda.local.array(literally(shape), float32)
        out[0], out[1], out[2] = a.size, x, literally(k)

    out = np.zeros(3)
    for shape, x, k in [((2, 3), 1.5, 7), ((3, 2), 2.5, 8)]:
        kernel[1, 1](1, out, shape, x, k)
        assert out.tolist() == [6, x, k]
    assert re.search(r"Literal\[int\]\(2\), Literal\[int\]\(3\)", str(kernel.signatures[0]))
