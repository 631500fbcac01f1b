# Seeded defects: each is applied to a copy of the tree and must turn its test red. This exposes tests that cannot fail.

import os
import time
from xml.etree import ElementTree

import pytest

from mutants import MUTANTS
from mutants.tree import Tree, arguments_of, is_deep

pytestmark = pytest.mark.deep
# pytest's exit codes: 1 is a failed test; a process killed by a signal gives a negative one or 128 and more.
PASSED, FAILED = 0, 1
CAUGHT = "test_mutant_is_caught"


@pytest.fixture(scope="module")
def tree(request):
    """The unpatched copy, in which every named test passes. The first of several processes tests it."""
    copy = Tree()
    with copy.alone():
        copy.refresh()
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "alone")
        if run == "alone" or not copy.has_tested(run):
            copy.keep()
            copy.note_tested(run, seconds_unpatched(copy, named_by_mutants(request.session.items)))
    return copy


def named_by_mutants(items):
    """The tests that the mutants of this run name."""
    mutants = [item.callspec.params["mutant"] for item in items if getattr(item, "originalname", "") == CAUGHT]
    return dict.fromkeys(mutant.test for mutant in mutants)


def seconds_unpatched(copy, tests):
    """The duration of each test without a mutant. All of them pass."""
    report = copy.packages / "report.xml"
    named = [test for test in tests if " -k " not in test and not is_deep(test)]
    cases = []
    if named:  # without a name, pytest runs all tests there are
        run_unpatched(copy, "-n", str(os.cpu_count()), f"--junitxml={report}", *named)
        cases = [
            (case.get("classname"), case.get("name"), case.get("time"))
            for case in ElementTree.parse(report).iter("testcase")
        ]
    seconds = {test: sum(float(took) for *case, took in cases if is_part(test, *case)) for test in named}
    for test in tests.keys() - named:  # pytest takes one -k, and one -m
        begin = time.monotonic()
        run_unpatched(copy, *arguments_of(test))
        seconds[test] = time.monotonic() - begin
    return seconds


def run_unpatched(copy, *arguments):
    code, output = copy.test(*arguments, limit=1800)
    assert code == PASSED, f"tests fail without a mutant\n{output}"


def is_part(test, module, name):
    """Whether a case of pytest's report belongs to file.py or file.py::test."""
    file, _, wanted = test.partition("::")
    return module == file.removesuffix(".py").replace("/", ".") and (
        not wanted or name.partition("[")[0] == wanted or name == wanted
    )


@pytest.mark.share
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_mutant_is_caught(mutant, tree, capsys):
    tree.build_mutant(mutant)
    # A test that takes ten times as long as without the mutant has hung.
    code, output = tree.test("-rs", *arguments_of(mutant.test), limit=30 + 10 * tree.seconds(mutant.test))
    if code == PASSED and " passed" not in output:
        pytest.skip(f"{mutant.test} is skipped here\n{output}")
    assert code != PASSED, f"{mutant.name} survives {mutant.test}"
    killed_by_signal = code < 0 or code >= 128
    assert code == FAILED or killed_by_signal, f"{mutant.test} does not run (exit code {code})\n{output}"
    with capsys.disabled():
        print(f"  killed: {mutant.name}", end=" ")
