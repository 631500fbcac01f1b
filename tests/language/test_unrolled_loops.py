# Loops that are unrolled: each item's copy of the body has variables of its own, within other loops, too.

import numpy as np
import pytest
from treadle import cuda, float64, literal_unroll
from treadle.cuda.experimental import consteval


def tuple_in_a_loop(out):
    for _ in range(2):
        for q in (1, 2.5, 3):
            out[0] += float64(q)


def unrolled_in_a_loop(out):
    for _ in range(2):
        for q in literal_unroll((1, 2.5, 3)):
            out[0] += float64(q)


def evaluated_in_a_loop(out):
    for _ in range(2):
        for q in consteval([1, 2.5, 3]):
            out[0] += float64(q)


def complex_in_a_loop(out):
    for _ in range(2):
        for q in (1.5, 5j):
            out[0] += q.real + q.imag


def variable_of_the_body(out):
    for _ in range(2):
        for q in (1, 2.5, 3):
            p = q
            out[0] += float64(p)


def item_named_before(out):
    q = 0
    for _ in range(2):
        for q in (1, 2.5, 3):
            out[0] += float64(q)
    out[1] = q


def loop_in_a_copy(out):
    """What an earlier copy gave `p` is not what it had before the loop."""
    for factor in (2, 1.5):
        for _ in (1, 2):
            for q in literal_unroll((1, 0.75)):
                p = q * factor
                out[0] += p


def pairs_of_loops(out):
    for a in (1, 0.5):
        for b in (2, 1.5):
            for _ in range(2):
                p = a * b
                out[0] += p


FUNCTIONS = [
    tuple_in_a_loop, unrolled_in_a_loop, evaluated_in_a_loop, complex_in_a_loop, variable_of_the_body,
    item_named_before, loop_in_a_copy, pairs_of_loops,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("error")
def test_items_keep_their_types(rules, function):
    found = np.zeros(2)
    cuda.jit(function, rules=rules)[1, 1](found)
    wanted = np.zeros(2)
    names = {"literal_unroll": tuple, "consteval": tuple, "float64": float}
    plain = type(function)(function.__code__, {**function.__globals__, **names})
    plain(wanted)
    assert found.tolist() == wanted.tolist()


def test_variables_from_before_all_loops_keep_their_types():
    """Which is the rule of cuda-python, in copies as elsewhere."""

    @cuda.jit(rules="cuda-python")
    def kernel(out):
        total = 0
        for q in (1, 2.5):
            for _ in range(2):
                total += q
        out[0] = total

    out = np.zeros(1)
    with pytest.warns(match="'total' keeps the type int64 that it had before the loop"):
        kernel[1, 1](out)
    assert out[0] == 6
