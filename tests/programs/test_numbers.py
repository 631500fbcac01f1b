# Random kernels on the CPU device, and as PTX on the machine, against the oracle: results must be equal bit by bit.

import statistics
from collections import Counter

import pytest

from programs.judged import judged
from programs.judges import numbers

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
    ("store to a field", 0),
    ("negative literal index", 2),
}
ONLY_ONCE = {"shared array"}


class Report:
    """What came out of programs, which agree."""

    def __init__(self, seeds):
        self.used, self.variants = Counter(), Counter()
        self.statements, self.depths, self.rejected, self.texts = [], [], 0, []
        for environment in numbers.ENVIRONMENTS:
            mine = [seed for seed in seeds if numbers.environment_of(seed) == environment]
            for result in judged("numbers", mine, limit=20.0, environment=environment):
                self.add(result)

    def add(self, result):
        if "rejected" in result:
            self.rejected += 1
            return
        self.statements.append(result["statements"])
        self.depths.append(result["depth"])
        self.used.update((kind, shape, later) for kind, shape, later in result["used"])
        self.variants.update(result["variants"])
        self.texts += result["ptx"]


def table(used):
    """Programs that ran each construct, by how it varied and in which iteration."""
    lines = [f"{'':28}" + "".join(f"{s + when:>16}" for s in SHAPES for when in (", first", ", later"))]
    for kind in sorted({k for k, _, _ in used}):
        counts = [used[kind, s, later] for s in range(3) for later in (False, True)]
        lines.append(f"{kind:28}" + "".join(f"{c:>16}" for c in counts))
    return "\n".join(lines)


def test_some_programs(assemble):
    report = Report(range(FIRST_SEED, FIRST_SEED + 40))
    assert len(report.statements) > 30
    assert report.used
    for text, architecture in report.texts:
        assemble(text, architecture)


@pytest.mark.deep
def test_programs(capsys, assemble):
    report = Report(range(FIRST_SEED, FIRST_SEED + 750))
    with capsys.disabled():
        print(f"\n{len(report.statements)} programs agree, {report.rejected} have no single answer")
        medians = statistics.median(report.statements), statistics.median(report.depths)
        print("{} statements, mask depth {} in the median".format(*medians))
        print(table(report.used))
        print("\n".join(f"{count:>9,}  {what}" for what, count in sorted(report.variants.items())))
    assert len(report.statements) >= 700
    assert statistics.median(report.statements) >= 15
    assert statistics.median(report.depths) >= 3
    assert not missing(report.used), f"never exercised: {missing(report.used)}"
    for text, architecture in report.texts:
        assemble(text, architecture)


def missing(used):
    return [
        (kind, SHAPES[shape], "later" if later else "first")
        for kind in {k for k, _, _ in used}
        for shape in (0, 2)
        for later in (False, True)
        if not used[kind, shape, later]
        and (kind, shape) not in NOT_THERE
        and kind != "return"
        and not (later and kind in ONLY_ONCE)
    ]
