"""Every gpu_ function of stumpy, on the CPU device, returns what its CPU counterpart, compiled by Numba, returns."""

import numpy as np
import pytest
import stand_in

pytestmark = pytest.mark.filterwarnings("ignore")  # stumpy warns about the data of these cases

GPU_FUNCTIONS = {
    "gpu_stump", "gpu_aamp", "gpu_mpdist", "gpu_aampdist", "gpu_ostinato", "gpu_aamp_ostinato", "gpu_stimp",
    "gpu_aamp_stimp",
}  # fmt: skip

# Lengths of the series and the window: 6 windows, less than a block of 512, exactly one block, several and a part.
SIZES = [(8, 3), (64, 8), (519, 8), (2000, 50)]
if stand_in.is_under_test():
    SIZES = SIZES[:2]  # each window is a launch: its machine takes minutes for the others


def series(n, kind="random", seed=0):
    """A series of `n` numbers with difficult parts: gaps, infinities, constant stretches."""
    x = np.random.default_rng(seed).uniform(-1000, 1000, n)
    place = slice(n // 3, n // 3 + max(1, n // 20))
    if kind == "nan":
        x[place] = np.nan
    elif kind == "inf":
        x[place] = np.inf
        x[-1] = -np.inf
    elif kind == "constant":
        x = np.round(x / 100)  # sums of whole numbers are exact: the distance of equal windows is exactly 0
        x[n // 4 : n // 2 + 2] = 7.0
    return x


KINDS = ["random", "nan", "inf", "constant"]


@pytest.fixture(scope="session")
def same(stumpy):
    """same(ours, theirs): equal to the precision that stumpy's own tests require."""

    def check(ours, theirs, decimal=stumpy.config.STUMPY_TEST_PRECISION):
        ours, theirs = (np.asarray(values, dtype=np.float64) for values in (ours, theirs))
        np.testing.assert_almost_equal(ours, theirs, decimal=decimal)

    return check


@pytest.fixture(scope="session")
def same_profile(same):
    """same_profile(ours, theirs): the distances of all windows and the positions of their nearest neighbours."""

    def check(ours, theirs, kind="random", p=2.0):
        k = ours.shape[1] // 2 - 1
        assert ours.shape == theirs.shape
        if kind != "constant":
            same(ours[:, :k], theirs[:, :k])
            assert (ours[:, k:] == theirs[:, k:]).all()
        elif p == 3.0:
            # Ours are 0; theirs are cube roots of the error of their pow under fastmath.
            same(ours[:, :k], theirs[:, :k], decimal=3)
        else:
            # Where all windows are equal, the nearest one depends on the order.
            same(ours[:, :k], theirs[:, :k])

    return check


def test_all_functions_are_tested(stumpy):
    from numba import cuda

    assert cuda.__name__ == "treadle.cuda"
    assert {name for name in stumpy._lazy_imports if name.startswith("gpu_")} == GPU_FUNCTIONS


PROFILES = [("gpu_stump", "stump", {}), *[("gpu_aamp", "aamp", {"p": p}) for p in (1.0, 2.0, 3.0)]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n, m", SIZES)
@pytest.mark.parametrize("ours, theirs, options", PROFILES)
class TestProfiles:
    def test_self_join(self, stumpy, same_profile, ours, theirs, options, n, m, kind):
        x = series(n, kind)
        found, wanted = (getattr(stumpy, name)(x, m, **options) for name in (ours, theirs))
        same_profile(found, wanted, kind, **options)

    def test_ab_join(self, stumpy, same_profile, ours, theirs, options, n, m, kind):
        for a, b in ((n, 2 * n // 3 + m), (n // 2 + m, n)):
            x, y = series(a, kind), series(b, "random" if kind == "nan" else kind, seed=1)
            joined = {"T_B": y, "ignore_trivial": False, **options}
            found, wanted = (getattr(stumpy, name)(x, m, **joined) for name in (ours, theirs))
            same_profile(found, wanted, kind, **options)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("ours, theirs", [("gpu_stump", "stump"), ("gpu_aamp", "aamp")])
def test_several_nearest(stumpy, same_profile, ours, theirs, k):
    x, y = series(300), series(200, seed=1)
    same_profile(getattr(stumpy, ours)(x, 12, k=k), getattr(stumpy, theirs)(x, 12, k=k))
    joined = [getattr(stumpy, name)(x, 12, T_B=y, ignore_trivial=False, k=k) for name in (ours, theirs)]
    same_profile(*joined)


def test_large(stumpy, same_profile):
    """More than a hundred blocks in all, and thousands of launches."""
    x = np.cumsum(series(8000))
    same_profile(stumpy.gpu_stump(x, 100), stumpy.stump(x, 100))
    same_profile(stumpy.gpu_aamp(x, 100), stumpy.aamp(x, 100))


@pytest.mark.parametrize("ours, theirs", [("gpu_stump", "stump"), ("gpu_aamp", "aamp")])
def test_threads_per_block(stumpy, same_profile, monkeypatch, ours, theirs):
    x = series(300)
    wanted = getattr(stumpy, theirs)(x, 12)
    for threads in (1, 7, 32, 100, 1024):
        monkeypatch.setattr(stumpy.config, "STUMPY_THREADS_PER_BLOCK", threads)
        same_profile(getattr(stumpy, ours)(x, 12), wanted)


def test_normalize_false_is_the_other_family(stumpy, same_profile, same):
    x, y = series(200), series(150, seed=1)
    same_profile(stumpy.gpu_stump(x, 9, normalize=False, p=1.0), stumpy.aamp(x, 9, p=1.0))
    same(stumpy.gpu_mpdist(x, y, 9, normalize=False), stumpy.aampdist(x, y, 9))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n, m", SIZES)
@pytest.mark.parametrize("ours, theirs", [("gpu_mpdist", "mpdist"), ("gpu_aampdist", "aampdist")])
def test_distance_of_two_series(stumpy, same, ours, theirs, n, m, kind):
    x, y = series(n, kind), series(2 * n // 3 + m, seed=1)
    for options in ({}, {"percentage": 0.5}, {"k": 1}):
        found, wanted = (getattr(stumpy, name)(x, y, m, **options) for name in (ours, theirs))
        same(found, wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n, m", SIZES)
@pytest.mark.parametrize("ours, theirs", [("gpu_ostinato", "ostinato"), ("gpu_aamp_ostinato", "aamp_ostinato")])
def test_consensus_motif(stumpy, same, ours, theirs, n, m, kind):
    several = [series(n, kind), series(2 * n // 3 + m, seed=1), series(n // 2 + m, seed=2)]
    (radius, *place), (wanted, *where) = (getattr(stumpy, name)(several, m) for name in (ours, theirs))
    same(radius, wanted)
    assert place == where or kind == "constant"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("ours, theirs", [("gpu_stimp", "stimp"), ("gpu_aamp_stimp", "aamp_stimp")])
def test_pan_matrix_profile(stumpy, same, ours, theirs, n, kind):
    x = series(n, kind)
    # Without these two arguments the CPU function computes estimates.
    exact = {"percentage": 1.0, "pre_scrump": False} if theirs == "stimp" else {"percentage": 1.0, "pre_scraamp": False}
    found = getattr(stumpy, ours)(x, min_m=3, max_m=9, step=2)
    wanted = getattr(stumpy, theirs)(x, min_m=3, max_m=9, step=2, **exact)
    for _ in range(4):
        found.update()
        wanted.update()
        as_computed = {"normalize": False, "contrast": False, "binary": False}
        same(found.pan(**as_computed), wanted.pan(**as_computed))
        # The contrast depends on the order of the distances, which rounding decides where they are nearly equal.
        if kind != "constant":
            same(found.PAN_, wanted.PAN_)
    assert (found.M_ == wanted.M_).all()
