# Random kernels as PTX: the machine runs it, the oracle says what is right, and ptxas takes it.

import children
import pytest

FIRST_SEED = 2_000_000


def check(seeds, assemble):
    """Runs the programs of all seeds; returns how many agree."""
    agreeing, failures = 0, []
    for seed, result in children.run("differential.ptx_worker", seeds, limit=120.0):
        if "rejected" in result:
            continue
        problem = result.get("crash") or result.get("error") or "\n".join(result["differences"])
        if problem:
            failures.append(f"seed {seed} (python -m differential {seed}):\n{problem}")
            continue
        for text in result["ptx"]:
            assemble(text)
        agreeing += 1
    assert not failures, f"{len(failures)} programs went wrong\n" + "\n".join(failures[:8])
    return agreeing


def test_some_programs(assemble):
    assert check(range(FIRST_SEED, FIRST_SEED + 6), assemble) >= 4


@pytest.mark.deep
def test_programs(assemble):
    assert check(range(FIRST_SEED, FIRST_SEED + 400), assemble) >= 340
