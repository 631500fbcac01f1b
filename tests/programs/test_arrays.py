# Random kernels that assign arrays to parts of themselves, and unroll loops within loops: all results are NumPy's.

from collections import Counter

import pytest

from programs.judged import judged, seeds

QUICK, DEEP = 60, 2000
FIRST_SEED = 9_500_000
EVERYTHING = {"assignment", "self-assignment", "row", "list as an index", "unrolled loop", "unrolled loop in a loop"}


def check(chosen):
    """(kernels with each construct, Counter of those that were refused, or sure at run time only)."""
    used, sure = Counter(), Counter()
    for result in judged("arrays", chosen, limit=30.0):
        used.update(result["used"])
        sure.update(refused=result["refused"], unsure=result["unsure"] > 0, all=1)
    return used, sure


def test_some_kernels():
    used, sure = check(seeds(FIRST_SEED, QUICK))
    assert used
    assert sure["refused"] < sure["all"]


@pytest.mark.deep
@pytest.mark.share(every=4)
def test_kernels_that_assign_arrays_to_themselves(capsys):
    used, sure = check(seeds(FIRST_SEED, DEEP))
    with capsys.disabled():
        print(f"\n{sure['all']} kernels, {sure['refused']} refused, {sure['unsure']} that only debug kernels know of")
        print("\n".join(f"{n:>9,}  {what}" for what, n in used.most_common()))
    if sure["all"] >= DEEP:
        assert used.keys() >= EVERYTHING
        assert sure["unsure"] < sure["all"] / 20
