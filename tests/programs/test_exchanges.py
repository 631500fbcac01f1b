# Random kernels that exchange values, on the CPU device and on the model: all results must be equal.

from collections import Counter

import pytest
from cooperation import kernels_cases, kernels_exchange

from programs.judged import judged, seeds
from programs.judges import exchanges as judge

QUICK, DEEP = 60, 1000
FIRST_SEED = 5_000_000


def check(chosen):
    """(exchanges of those that agree, how many kernels had no result and why)."""
    used, others = Counter(), Counter()
    for result in judged("exchanges", chosen):
        if "rejected" in result:
            others[result["rejected"]] += 1
        elif result["deadlocks"]:
            others["deadlocks, which Treadle raised"] += 1
        else:
            used.update(map(tuple, result["used"]))
    return used, others


def table(used):
    """Exchanges by construct and condition, and the positions of each."""
    kinds = ("none", *kernels_cases.KINDS)
    lines = [f"{'':20}" + "".join(f"{kind:>9}" for kind in kinds) + "   positions"]
    for construct in sorted({c for c, _, _ in used}):
        counts = [sum(n for (c, _, k), n in used.items() if (c, k) == (construct, kind)) for kind in kinds]
        positions = Counter()
        for (c, position, _), n in used.items():
            positions[position] += n if c == construct else 0
        shown = ", ".join(f"{p} {n}" for p, n in sorted(positions.items()) if n)
        lines.append(f"{construct:20}" + "".join(f"{n:>9}" for n in counts) + f"   {shown}")
    return "\n".join(lines)


def show(chosen, used, others):
    print(f"\n{chosen}; without a result: {dict(others) or 'none'}\n{table(used)}")


def test_some_kernels_that_exchange_values():
    chosen = seeds(FIRST_SEED, QUICK)
    used, others = check(chosen)
    show(chosen, used, others)
    others.pop(judge.HANGS, None)
    assert sum(others.values()) <= len(chosen) // 4


@pytest.mark.deep
@pytest.mark.share(every=4)
def test_kernels_that_exchange_values(capsys):
    chosen = seeds(FIRST_SEED, DEEP)
    used, others = check(chosen)
    with capsys.disabled():
        show(chosen, used, others)
    if len(chosen) < DEEP:
        return
    seen = {(c, k) for c, _, k in used}
    constructs = {c for c, _ in seen}
    # A barrier of the grid would deadlock where threads of other blocks may wait elsewhere.
    assert constructs == {*kernels_exchange.NAMES} - {"grid_sync"}
    missing = [(c, k) for c in constructs for k in kernels_cases.KINDS if (c, k) not in seen]
    assert not missing, f"never under such a condition: {missing}"
