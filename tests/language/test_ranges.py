# range() as a value: the type of its counter, its length, items and membership at the edges of 64 bits.

import itertools

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError, TypingError

# The same function with a loop over range() itself, over a name, and without a loop.
FORMS = [
    "    for k in range({0}):\n        return k\n    return range({0}).start\n",
    "    numbers = range({0})\n    for k in numbers:\n        return k\n    return numbers.stop\n",
    "    numbers = range({0})\n    return numbers[-1]\n",
    "    a, b = range({0})\n    return b\n",
    "    for k, in zip(range({0})):\n        return k\n    return range({0}).step\n",
]
ARGUMENTS = [
    ("a", "(int32,)", "int32", "int32"),
    ("a", "(int64,)", "int64", "int64"),
    ("a", "(uint64,)", "uint64", "uint64"),
    ("a, b", "(int32, int32)", "int32", "int32"),
    ("a, b", "(int32, int64)", "int64", "int64"),
    ("a, b", "(uint64, uint64)", "uint64", "uint64"),
    ("0, a", "(int32,)", "int64", "int32"),
    ("a, b, 2", "(int32, int32)", "int64", "int32"),
    ("5", "()", "int64", "int64"),
]


@pytest.mark.parametrize("form", FORMS, ids=["loop", "name", "item", "unpacked", "zip"])
@pytest.mark.parametrize("text, signature, numba, cuda_python", ARGUMENTS)
def test_the_counter_has_one_type_however_the_range_is_used(
    result_type, rules, form, text, signature, numba, cuda_python
):
    names = ", ".join("ab"[: signature.count("int")])
    namespace = {}
    exec(f"def function({names}):\n{form.format(text)}", namespace)
    assert result_type(namespace["function"], signature) == (numba if rules == "numba" else cuda_python)


def test_ranges_that_meet_have_the_counter_of_the_wider(result_type):
    def meet(a, b, which):
        if which:
            numbers = range(a)
        else:
            numbers = range(b)
        for k in numbers:
            return k
        return numbers.start

    assert result_type(meet, "(int32, int64, bool)", "numba") == "int64"
    assert result_type(meet, "(int64, int32, bool)", "numba") == "int64"


EDGES = [-(2**63), -(2**63) + 1, -(2**62), -7, -1, 0, 1, 6, 2**62, 2**63 - 2, 2**63 - 1]
STEPS = [-(2**63), -(2**62) - 1, -3, -2, -1, 1, 2, 3, 5, 2**62 + 1, 2**63 - 1]


def int64_ranges():
    every = (range(*bounds) for bounds in itertools.product(EDGES, EDGES, STEPS))
    return [numbers for numbers in every if (numbers.stop - numbers.start) // numbers.step < 2**62]


def test_length_items_and_membership(rules):
    def kernel(bounds, probes, out, inside):
        i = cuda.grid(1)
        if i < bounds.shape[0]:
            numbers = range(bounds[i, 0], bounds[i, 1], bounds[i, 2])
            n = len(numbers)
            out[i, 0] = n
            if n > 0:
                out[i, 1], out[i, 2], out[i, 3] = numbers[0], numbers[n - 1], numbers[-1]
                out[i, 4] = numbers[n // 2]
            out[i, 5] = 1 if numbers else 0
            for k, probe in enumerate(probes):
                inside[i, k] = probe in numbers

    ranges = int64_ranges()
    probes = np.array([*EDGES, 2, 3, -8, 2**62 + 1, -(2**62) + 3])
    bounds = np.array([[r.start, r.stop, r.step] for r in ranges])
    out, inside = np.zeros((len(ranges), 6), np.int64), np.zeros((len(ranges), probes.size), np.bool_)
    cuda.jit(kernel, rules=rules)[-(-len(ranges) // 64), 64](bounds, probes, out, inside)
    for numbers, found, is_inside in zip(ranges, out.tolist(), inside.tolist(), strict=True):
        n = len(numbers)
        items = [numbers[0], numbers[-1], numbers[-1], numbers[n // 2]] if n else [0] * 4
        assert found == [n, *items, int(n > 0)], numbers
        assert is_inside == [int(p) in numbers for p in probes], numbers


def test_debug_kernels_check_indices_of_ranges(rules):
    @cuda.jit(rules=rules, debug=True)
    def kernel(out, n, k):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = range(3, 3 + 2 * n, 2)[k]

    out = np.zeros(40, np.int64)
    for k in (0, 4, -1, -5):
        kernel[2, 32](out, 5, k)
        assert set(out.tolist()) == {range(3, 13, 2)[k]}
    for n, k in ((5, 5), (5, -6), (0, 0), (0, -1), (-2, 0)):
        with pytest.raises(IndexError, match=r"outside of the range, in line \d+, column 22 of .*kernel"):
            kernel[2, 32](out, n, k)


def test_uint64_bounds(rules):
    def kernel(bounds, out):
        i = cuda.grid(1)
        if i < bounds.shape[0]:
            numbers = range(bounds[i, 0], bounds[i, 1], bounds[i, 2])
            out[i, 0] = len(numbers)
            total = np.uint64(0)
            for k in numbers:
                total += k
            out[i, 1] = total
            out[i, 2] = (bounds[i, 0] in numbers) + 2 * (bounds[i, 1] in numbers) + 4 * (-1 in numbers)

    edges = [0, 1, 2**63 - 3, 2**63 - 1, 2**63, 2**63 + 9, 2**64 - 20, 2**64 - 1]
    ranges = [range(*b) for b in itertools.product(edges, edges, [1, 2, 3, 2**63])]
    ranges = [r for r in ranges if (r.stop - r.start) // r.step < 100]
    bounds = np.array([[r.start, r.stop, r.step] for r in ranges], np.uint64)
    out = np.zeros((len(ranges), 3), np.uint64)
    cuda.jit(kernel, rules=rules)[-(-len(ranges) // 64), 64](bounds, out)
    for numbers, found in zip(ranges, out.tolist(), strict=True):
        has = (numbers.start in numbers) + 2 * (numbers.stop in numbers)
        assert found == [len(numbers), sum(numbers) % 2**64, has], numbers


def test_comparisons_of_a_counter_with_another_sign(rules):
    def kernel(n, k, out):
        out[0] = k in range(n)
        out[1] = n in range(k, 10)

    out = np.zeros(2, np.int64)
    cuda.jit(kernel, rules=rules)[1, 1](np.uint64(5), -1, out)
    assert out.tolist() == [0, 1]


@pytest.mark.parametrize(
    "body, message",
    [
        ("numbers = enumerate(x)\n    for k, v in numbers: pass", "cannot be kept"),
        ("numbers = zip(x, x)\n    for k, v in numbers: pass", "cannot be kept"),
        ("numbers = range(3)\n    numbers[0] = 1", "cannot be assigned"),
        ("numbers = range(3)\n    x[0] = numbers", "cannot be stored"),
        ("numbers = range(3)\n    x[0] = numbers.end", "did you mean|no attribute"),
        ("numbers = range(3)\n    x[0] = numbers[1.5]", "integer"),
        ("numbers = range(3)\n    x[0] = 1.5 in numbers", "in"),
        ("for k in range(0, 5, 0): pass", "must not be zero"),
        ("for k in enumerate(3): pass", "cannot be an argument of enumerate"),
    ],
)
def test_refused(rules, body, message):
    namespace = {"cuda": cuda}
    exec(f"def kernel(x):\n    {body}\n", namespace)
    with pytest.raises(CompileError, match=message):
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(3))


def test_a_range_is_no_argument_of_a_kernel():
    kernel = cuda.jit(lambda numbers: None)
    with pytest.raises((TypingError, TypeError)):
        kernel[1, 1](range(3))
