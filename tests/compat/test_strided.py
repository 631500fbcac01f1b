"""Tensors whose kernels are made of plain functions of a package: NumPy's results, and those of the package's loops."""

import inspect
import sys

import numpy as np
import pytest

ONE = {
    "abs": np.abs,
    "cube": lambda x: x * x * x,
    "cosine": np.cos,
    "reciprocal": lambda x: 1 / x,
    "softplus": lambda x: np.logaddexp(0, x),
    "step": lambda x: np.where(x > 0, 1.0, 0.0),
    "is_whole": lambda x: (x == np.rint(x)).astype(float),
}
TWO = {
    "plus": np.add,
    "times": np.multiply,
    "min": np.minimum,
    "above": lambda x, y: (x > y).astype(float),
    "agrees": lambda x, y: (np.abs(x - y) < 0.25).astype(float),
    "distance": np.hypot,
    "portion": lambda x, y: x / (x + y),
    "latest": lambda x, y: np.where(y == 0, x, y),
}
MAKERS = {"scaled_by", "mixture"}
FOLDS = {"plus": (0.0, np.sum), "times": (1.0, np.prod), "min": (np.inf, np.min), "distance": (0.0, np.linalg.norm)}


@pytest.fixture(scope="module")
def strided(program):
    return program("strided")


def eighths(shape, seed=0):
    """Numbers of both signs whose sums and products with few others are exact."""
    numbers = np.random.default_rng(seed).integers(1, 25, shape) / 8
    return numbers * np.random.default_rng(seed + 1).choice([-1, 1], shape)


def both(strided, array, view=lambda tensor: tensor):
    """The tensor, or a view of it, on the host and on the device."""
    return [view(strided.Strided.of(array, device=device)) for device in (False, True)]


def check(found, by_loops, wanted, rtol=1e-14):
    assert found.shape == by_loops.shape == wanted.shape
    np.testing.assert_allclose(found.to_numpy(), wanted, rtol, atol=1e-14)
    np.testing.assert_allclose(by_loops.to_numpy(), wanted, rtol, atol=1e-14)


def test_all_functions_of_numbers_are_tested(strided):
    functions = inspect.getmembers(strided.scalars, inspect.isfunction)
    assert {name for name, _ in functions} == {*ONE, *TWO, *MAKERS}
    assert strided.kernels.DIGITS == strided.MOST_AXES


@pytest.mark.parametrize("name", ONE)
def test_map(strided, name):
    fn = getattr(strided.scalars, name)
    on_device, on_host = strided.kernels.make_map(fn), strided.loops.make_map(fn)
    for seed, shape in enumerate([(1,), (101,), (6, 5), (1, 4, 2), (3, 2, 2, 3), (2, 1, 2, 2, 1, 3)]):
        x = eighths(shape, seed)
        host, device = both(strided, x)
        check(on_device(device), on_host(host), ONE[name](x), rtol=1e-13)


def test_map_to_a_given_target(strided):
    """A row expands to a view with axes in another order, of which every second element is written."""
    scaled = strided.scalars.scaled_by(-2.5)
    row, into = eighths((1, 4)), eighths((4, 7, 3), seed=5)
    results = []
    for make, device in ((strided.kernels.make_map, True), (strided.loops.make_map, False)):
        target = strided.Strided.of(into, device=device)
        make(scaled)(strided.Strided.of(row, device=device), target.thinned(1, 1, 2).turned(2, 1, 0))
        results.append(target)
    wanted = into.copy()
    wanted[:, 1::2, :] = -2.5 * row[0][:, None, None]
    check(*results, wanted)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("left, right", [((99,), (99,)), ((6, 1), (6, 5)), ((3, 1, 4), (5, 1)), ((2, 2, 3), (1,))])
def test_zip(strided, name, left, right):
    fn = getattr(strided.scalars, name)
    x, y = abs(eighths(left)), abs(eighths(right, seed=3))
    y -= y.flat[0] if name == "latest" else 0
    (x_host, x_device), (y_host, y_device) = both(strided, x), both(strided, y)
    found = strided.kernels.make_zip(fn)(x_device, y_device)
    check(found, strided.loops.make_zip(fn)(x_host, y_host), TWO[name](x, y))


def test_zip_of_views(strided):
    x, y = eighths((4, 3, 6)), eighths((9, 4), seed=1)
    x_host, x_device = both(strided, x, lambda tensor: tensor.turned(1, 2, 0))
    y_host, y_device = both(strided, y, lambda tensor: tensor.thinned(0, 2, 7).thinned(0, 0, 2).repeated(3))
    mixture = strided.scalars.mixture(0.25)
    found = strided.kernels.make_zip(mixture)(x_device, y_device)
    by_loops = strided.loops.make_zip(mixture)(x_host, y_host)
    check(found, by_loops, 0.25 * x.transpose(1, 2, 0) + 0.75 * y[2:3])


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("shape, axis", [((50,), 0), ((1, 7), 0), ((4, 97), 1), ((130, 2), -2), ((2, 3, 2, 5), 2)])
def test_fold(strided, name, shape, axis):
    start, numpy = FOLDS[name]
    fn = getattr(strided.scalars, name)
    x = 1 + eighths(shape) / 64
    host, device = both(strided, x)
    found, by_loops = (module.make_fold(fn, start)(t, axis) for module, t in zip(modules(strided), (device, host)))
    check(found, by_loops, np.atleast_1d(numpy(x, axis=axis)), rtol=1e-12)


def modules(strided):
    return strided.kernels, strided.loops


def test_fold_of_floats_of_32_bits(strided):
    """Folded in float64, then rounded."""
    x = np.full((3, 200), 0.1, np.float32)
    fn = strided.scalars.plus
    found = strided.kernels.make_fold(fn, 0.0)(strided.Strided.of(x, device=True), 1)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.to_numpy(), x.astype(np.float64).sum(1).astype(np.float32))
    narrow = strided.kernels.make_fold(fn, 0.0, number=np.float32)(strided.Strided.of(x, device=True), 1)
    np.testing.assert_allclose(narrow.to_numpy(), x.sum(1), rtol=1e-5)


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 32), (4, 31), (7, 75)])
@pytest.mark.parametrize("name", ["plus", "min"])
def test_row_fold(strided, rows, columns, name):
    start, numpy = FOLDS[name]
    x = eighths((rows, columns))
    fn = getattr(strided.scalars, name)
    host, device = both(strided, x)
    check(strided.kernels.make_row_fold(fn, start)(device), strided.loops.make_fold(fn, start)(host, 1), numpy(x, 1))


@pytest.mark.parametrize("shape", [(1,), (32,), (3, 33), (2, 2, 80)])
def test_scan(strided, shape):
    x = eighths(shape)
    x[..., ::3] = 0
    host, device = both(strided, x)
    for name, wanted in (("plus", x.cumsum(-1)), ("min", np.minimum.accumulate(x, -1)), ("latest", latest(x))):
        fn = getattr(strided.scalars, name)
        check(strided.kernels.make_scan(fn)(device), strided.loops.make_scan(fn)(host), wanted)


def latest(x):
    wanted = x.copy()
    for k in range(1, x.shape[-1]):
        wanted[..., k] = np.where(x[..., k] == 0, wanted[..., k - 1], x[..., k])
    return wanted


def test_scan_along_another_axis(strided):
    x = eighths((40, 3))
    host, device = both(strided, x, lambda tensor: tensor.turned(1, 0))
    plus = strided.scalars.plus
    check(strided.kernels.make_scan(plus)(device), strided.loops.make_scan(plus)(host), x.T.cumsum(1))


@pytest.mark.parametrize(
    "left, right",
    [
        ((1, 1), (1, 1)),
        ((9, 17), (17, 18)),
        ((8, 16), (16, 16)),
        ((3, 40), (40, 2)),
        ((4, 2, 5), (5, 3)),
        ((2, 1, 3, 2), (5, 2, 4)),
    ],
)
def test_matrix_product(strided, left, right):
    x, y = eighths(left), eighths(right, seed=1)
    (x_host, x_device), (y_host, y_device) = both(strided, x), both(strided, y)
    found = strided.kernels.matrix_product(x_device, y_device)
    check(found, strided.loops.matrix_product(x_host, y_host), x @ y)


def test_matrix_product_of_turned_tensors(strided):
    x, y = eighths((7, 4, 11)), eighths((4, 5, 7), seed=1)
    x_host, x_device = both(strided, x, lambda tensor: tensor.turned(1, 2, 0))
    y_host, y_device = both(strided, y, lambda tensor: tensor.turned(0, 2, 1))
    found = strided.kernels.matrix_product(x_device, y_device)
    check(found, strided.loops.matrix_product(x_host, y_host), x.transpose(1, 2, 0) @ y.transpose(0, 2, 1))


def test_the_module_for_the_cpu_is_left_as_it_was(strided):
    layout = sys.modules["strided.layout"]
    assert all(inspect.isfunction(getattr(layout, name)) for name in ("split_place", "cell_at", "narrow"))
    assert not any(inspect.isfunction(getattr(strided.kernels, name)) for name in ("split_place", "cell_at", "narrow"))


def test_shapes_that_do_not_fit(strided):
    x, y = (strided.Strided.of(eighths(shape), device=True) for shape in ((3, 4), (3, 5)))
    with pytest.raises(strided.ShapeError, match=r"axis -1: lengths \[4, 5\]"):
        strided.kernels.make_zip(strided.scalars.plus)(x, y)
    with pytest.raises(strided.ShapeError, match="does not expand"):
        strided.kernels.make_map(strided.scalars.abs)(x, strided.Strided.empty((4,), np.float64, device=True))
    with pytest.raises(strided.ShapeError, match="rows of 4 elements"):
        strided.kernels.matrix_product(x, y)
    with pytest.raises(strided.ShapeError, match="1 to 6 axes"):
        strided.Strided.of(np.zeros((1,) * 7))
