"""Exercises whose kernels are made by functions of `cuda`: the results of NumPy, and of the same text run by Python."""

import numpy as np
import pytest

VECTORS = (
    "affine map", "blend", "clamp with guard", "backwards", "run lengths", "mirror in blocks", "moving average",
    "moving average, wide", "correlation", "tiled maximum", "prefix maximum", "soft look-up",
)  # fmt: skip
TABLES = ("outer sum", "row offsets", "dilation", "column norms", "tiled product")


@pytest.fixture(scope="module")
def exercises(program):
    return program("exercises")


def titled(title, among):
    (found,) = [one for one in among if one.title == title]
    return found


def check(one, rtol):
    found, wanted = one.on_device(), one.answer()
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol)
    np.testing.assert_allclose(one.by_threads(), wanted, rtol)


def test_all_exercises_are_tested(exercises):
    assert tuple(one.title for one in exercises.vectors(9, np.float64)) == VECTORS
    assert tuple(one.title for one in exercises.tables(3, 4, np.float64)) == TABLES


@pytest.mark.parametrize("title", VECTORS)
@pytest.mark.parametrize("n, dtype", [(13, np.float64), (16, np.float32), (29, np.int64)])
def test_vectors(exercises, title, n, dtype):
    check(titled(title, exercises.vectors(n, dtype, seed=n)), 1e-6 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("title", TABLES)
@pytest.mark.parametrize("shape, dtype", [((7, 5), np.float64), ((4, 4), np.float32), ((3, 10), np.int64)])
def test_tables(exercises, title, shape, dtype):
    check(titled(title, exercises.tables(*shape, dtype, seed=shape[0])), 1e-6 if dtype == np.float32 else 1e-12)
