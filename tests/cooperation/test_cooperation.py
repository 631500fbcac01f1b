# Kernels whose threads cooperate, on the CPU device and on the model: all results must be equal.

import children
import pytest

from cooperation import kernels_cases, kernels_special, worker


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
@pytest.mark.share(every=4)
def test_every_construct_at_every_position_under_every_condition():
    items = [{"case": case.name} for case in kernels_cases.whole_product()]
    assert len(items) > 2500
    report(children.run("cooperation.worker", items))


@pytest.mark.deep
@pytest.mark.share(every=4)
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
