"""Kernels whose threads cooperate, on the CPU device and on the model: all results must be equal.

TREADLE_COOPERATION_KERNELS: number of random kernels; TREADLE_COOPERATION_SEED: the first one's seed.
"""

import os
from collections import Counter

import children
import pytest

from cooperation import kernels_cases, kernels_exchange, kernels_special, random_kernels, worker

QUICK, DEEP = 60, 1000
FIRST_SEED = 5_000_000


def names_of(cases):
    return [case.name for case in cases]


def problem_of(result):
    """What went wrong, as text; "" if nothing did."""
    return result.get("crash") or result.get("error") or "\n".join(result["differences"])


def check(run_case, name):
    problem = problem_of(run_case({"case": name}))
    assert not problem, f"python -m cooperation {name} (in tests/)\n{problem}\n{worker.case_named(name).source}"


@pytest.mark.parametrize("name", names_of(kernels_cases.product()))
def test_construct_at_position(name, run_case):
    check(run_case, name)


@pytest.mark.parametrize("name", names_of(kernels_special.cases()))
def test_by_hand(name, run_case):
    check(run_case, name)


@pytest.mark.parametrize("name", names_of(kernels_special.spinning_cases()))
def test_threads_that_spin(name, run_case, run_case_on_one_worker):
    check(run_case, name)
    check(run_case_on_one_worker, name)


@pytest.mark.parametrize("name", names_of(kernels_special.deadlocks()))
def test_deadlock_is_an_error(name, run_case):
    assert worker.in_order(worker.case_named(name)) == [None]
    check(run_case, name)


@pytest.mark.deep
def test_every_construct_at_every_position_under_every_condition():
    items = [{"case": case.name} for case in kernels_cases.whole_product()]
    assert len(items) > 2500
    report(children.run("cooperation.worker", items))


@pytest.mark.deep
def test_no_case_depends_on_the_order_of_threads():
    items = [{"races": name} for name in names_of([*kernels_special.cases(), *kernels_cases.whole_product()])]
    report(children.run("cooperation.worker", items, limit=30.0))


# These compute the same without waiting.
NEED_NO_OTHERS = {"bits"}


@pytest.mark.deep
def test_every_case_depends_on_other_threads():
    """If each thread runs as if it were alone, the result must change."""
    cases = [*kernels_special.cases(), *kernels_cases.product()]
    items = [{"alone": name} for name in names_of(cases)]
    results = children.run("cooperation.worker", items, limit=30.0)
    same = {item["alone"] for item, result in results if problem_of(result) == ""}
    assert same == NEED_NO_OTHERS


def report(results):
    failures = [(item, problem_of(result)) for item, result in results]
    failures = [f"{item}: {problem}" for item, problem in failures if problem]
    assert not failures, f"{len(failures)} cases went wrong\n" + "\n".join(failures[:20])


def check_random(first, count):
    """Runs random kernels; (exchanges of those that agree, how many kernels had no result and why)."""
    used, others, failures = Counter(), Counter(), []
    for item, result in children.run("cooperation.worker", [{"seed": s} for s in range(first, first + count)]):
        if "rejected" in result:
            others[result["rejected"]] += 1
            continue
        seed, problem = item["seed"], problem_of(result)
        if problem:
            source = random_kernels.make(seed).case.source
            failures.append(f"seed {seed} (python -m cooperation {seed}, in tests/)\n{problem}\n{source}")
        elif result["deadlocks"]:
            others["deadlocks, which Treadle raised"] += 1
        else:
            used.update(map(tuple, result["used"]))
    assert not failures, f"{len(failures)} of {count} kernels went wrong\n" + "\n".join(failures[:5])
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


def seeds(default):
    count = int(os.environ.get("TREADLE_COOPERATION_KERNELS", default))
    return int(os.environ.get("TREADLE_COOPERATION_SEED", FIRST_SEED)), count


def show(first, count, used, others):
    print(f"\n{count} random kernels from seed {first}; without a result: {dict(others) or 'none'}\n{table(used)}")


def test_some_random_kernels():
    first, count = seeds(QUICK)
    used, others = check_random(first, count)
    show(first, count, used, others)
    others.pop(worker.HANGS, None)
    assert sum(others.values()) <= count // 4


@pytest.mark.deep
def test_random_kernels(capsys):
    first, count = seeds(DEEP)
    used, others = check_random(first, count)
    with capsys.disabled():
        show(first, count, used, others)
    if count < DEEP:
        return
    seen = {(c, k) for c, _, k in used}
    constructs = {c for c, _ in seen}
    # A barrier of the grid would deadlock where threads of other blocks may wait elsewhere.
    assert constructs == {*kernels_exchange.NAMES} - {"grid_sync"}
    missing = [(c, k) for c in constructs for k in kernels_cases.KINDS if (c, k) not in seen]
    assert not missing, f"never under such a condition: {missing}"
