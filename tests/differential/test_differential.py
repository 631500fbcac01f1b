# Random kernels on the CPU device against the oracle: results must be equal bit by bit.

import statistics
from collections import Counter

import children
import pytest

SHAPES = ("uniform", "affine", "varying")
FIRST_SEED = 1_000_000
# Constructs that occur only under some kinds of control flow, or cannot vary. Threads store to their own elements.
NOT_THERE = {
    ("shared array", 1),
    ("shared array", 2),
    ("barrier", 1),
    ("barrier", 2),
    ("early return", 0),
    ("store", 0),
    ("negative literal index", 2),
}
ONLY_ONCE = {"shared array"}


def check(seeds):
    """Runs the programs of all seeds; returns (kinds hit, statements, depths, rejected), fails if results differ."""
    used, statements, depths, failures, rejected = Counter(), [], [], [], 0
    for seed, result in children.run("differential.worker", seeds):
        if "rejected" in result:
            rejected += 1
            continue
        problem = result.get("crash") or result.get("error") or "\n".join(result["differences"])
        if problem:
            failures.append(f"seed {seed} (python -m differential {seed}):\n{problem}")
            continue
        statements.append(result["statements"])
        depths.append(result["depth"])
        used.update((kind, shape, later) for kind, shape, later in result["used"])
    assert not failures, f"{len(failures)} programs went wrong\n" + "\n".join(failures[:8])
    return used, statements, depths, rejected


def table(used):
    """Programs that ran each construct, by how it varied and in which iteration."""
    lines = [f"{'':28}" + "".join(f"{s + when:>16}" for s in SHAPES for when in (", first", ", later"))]
    for kind in sorted({k for k, _, _ in used}):
        counts = [used[kind, s, later] for s in range(3) for later in (False, True)]
        lines.append(f"{kind:28}" + "".join(f"{c:>16}" for c in counts))
    return "\n".join(lines)


def test_some_programs():
    used, statements, _, _ = check(range(FIRST_SEED, FIRST_SEED + 40))
    assert len(statements) > 30
    assert used


@pytest.mark.deep
def test_programs(capsys):
    count = 2100
    used, statements, depths, rejected = check(range(FIRST_SEED, FIRST_SEED + count))
    with capsys.disabled():
        print(f"\n{len(statements)} programs agree, {rejected} have no single answer; {statistics.median(statements)}")
        print(f"statements and mask depth {statistics.median(depths)} in the median\n{table(used)}")
    assert len(statements) >= 2000
    assert statistics.median(statements) >= 15
    assert statistics.median(depths) >= 3
    missing = [
        (kind, SHAPES[shape], "later" if later else "first")
        for kind in {k for k, _, _ in used}
        for shape in (0, 2)
        for later in (False, True)
        if not used[kind, shape, later]
        and (kind, shape) not in NOT_THERE
        and kind != "return"
        and not (later and kind in ONLY_ONCE)
    ]
    assert not missing, f"never exercised: {missing}"
