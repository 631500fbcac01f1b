# Random kernels that load and store columns of short rows, in arrays that may be one: all results are Python's.

from collections import Counter

import pytest

from programs.judged import judged, seeds

QUICK, DEEP = 80, 3000
FIRST_SEED = 11_000_000
EVERYTHING = {"load of i", "load of i + 1", "store", "all columns", "loop", "condition"}


def check(chosen):
    """Counter of kernels with each construct."""
    used = Counter()
    for result in judged("rows", chosen, limit=30.0):
        used.update(result["used"])
    return used


def test_some_kernels():
    assert check(seeds(FIRST_SEED, QUICK))


@pytest.mark.deep
@pytest.mark.share(every=4)
def test_kernels_that_access_columns_of_rows(capsys):
    used = check(seeds(FIRST_SEED, DEEP))
    with capsys.disabled():
        print("\n" + "\n".join(f"{n:>9,}  {what}" for what, n in used.most_common()))
    if sum(used.values()) >= DEEP:
        assert used.keys() >= EVERYTHING
