# Mutated kernels: each compiles and runs correctly with bounds checks, or raises CompileError. Nothing crashes or
# hangs.

import os
from collections import Counter

import children
import pytest


def check(seeds):
    kinds, failures = Counter(), []
    for seed, result in children.run("fuzz.worker", seeds):
        problem = result.get("crash") or result.get("error" if "kind" not in result else "") or result.get("wrong")
        if problem:
            failures.append(f"seed {seed} (python -m fuzz {seed}): {problem}")
        else:
            kinds[result["kind"]] += 1
    assert not failures, f"{len(failures)} mutants went wrong\n" + "\n".join(failures[:10])
    return kinds


def test_some_mutants_with_effects():
    kinds = check([["effects", seed] for seed in range(11_000_000, 11_000_020)])
    assert kinds["ran"]


def test_some_mutants():
    first = 5_000_000
    kinds = check(range(first, first + 40))
    assert kinds["refused"]
    assert kinds["compared"]


@pytest.mark.deep
def test_fuzzed_kernels(capsys):
    """Uses the seed in the environment, if any, so that every run can differ."""
    count = 1300
    first = int(os.environ.get("TREADLE_FUZZ_SEED", "7000000"))
    kinds = check(range(first, first + count))
    ran = kinds["compared"] + kinds["ran"] + kinds["stopped"]
    with capsys.disabled():
        print(f"\n{count} mutants from seed {first}: {dict(kinds)}, {100 * ran // count} % compiled and ran")
    assert sum(kinds.values()) >= 1200
    assert ran >= 0.4 * sum(kinds.values())


@pytest.mark.deep
def test_fuzzed_kernels_with_effects(capsys):
    first = int(os.environ.get("TREADLE_FUZZ_SEED", "12000000"))
    kinds = check([["effects", seed] for seed in range(first, first + 600)])
    with capsys.disabled():
        print(f"\n600 mutants from seed {first}: {dict(kinds)}")
    assert kinds["ran"] + kinds["stopped"] >= 240
