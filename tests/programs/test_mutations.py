# Mutated kernels: each compiles and runs correctly with bounds checks, or raises CompileError. Nothing crashes or
# hangs.

from collections import Counter

import pytest

from programs.judged import judged, seeds


def check(items):
    return Counter(result["kind"] for result in judged("mutations", items))


def test_some_mutants_with_effects():
    kinds = check([["effects", seed] for seed in range(11_000_000, 11_000_020)])
    assert kinds["ran"]


def test_some_mutants():
    first = 5_000_000
    kinds = check(range(first, first + 40))
    assert kinds["refused"]
    assert kinds["compared"]


@pytest.mark.deep
@pytest.mark.share(every=4)
@pytest.mark.parametrize("quarter", range(4))
def test_fuzzed_kernels(capsys, quarter):
    chosen = seeds(7_000_000, 325, quarter)
    kinds = check(chosen)
    ran = kinds["compared"] + kinds["ran"] + kinds["stopped"]
    with capsys.disabled():
        print(f"\n{chosen}: {dict(kinds)}, {100 * ran // len(chosen)} % compiled and ran")
    assert ran >= 0.4 * sum(kinds.values())


@pytest.mark.deep
@pytest.mark.share(every=4)
@pytest.mark.parametrize("quarter", range(4))
def test_fuzzed_kernels_with_effects(capsys, quarter):
    chosen = seeds(12_000_000, 150, quarter)
    kinds = check([["effects", seed] for seed in chosen])
    with capsys.disabled():
        print(f"\n{chosen}: {dict(kinds)}")
    assert kinds["ran"] + kinds["stopped"] >= 0.4 * len(chosen)
