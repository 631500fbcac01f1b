# Seeded defects: each is applied to a copy, built, and must turn its test red. Tests that cannot fail show here.

import pytest

from mutants import MUTANTS, cooperation, language, order, runtime, warps
from mutants.tree import Tree

pytestmark = pytest.mark.deep
# pytest's exit codes: 1 is a failed test; a process killed by a signal gives a negative one or 128 and more.
PASSED, FAILED = 0, 1


@pytest.fixture(scope="module")
def tree():
    """The unpatched copy, in which every named test passes."""
    copy = Tree()
    with copy.alone():
        copy.refresh()
        tests = " ".join(dict.fromkeys(m.test for m in MUTANTS))
        code, output = copy.test(tests, limit=900)
    assert code == PASSED, f"the tests fail without a mutant\n{output}"
    return copy


def test_mutants_are_enough():
    assert len({m.name for m in MUTANTS}) == len(MUTANTS)
    assert len(language.MUTANTS) + len(order.MUTANTS) >= 30
    assert len(cooperation.MUTANTS) + len(warps.MUTANTS) >= 24
    assert len(runtime.MUTANTS) >= 20


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_mutant_is_caught(mutant, tree, capsys):
    with tree.alone():
        before = tree.patch(mutant)
        try:
            tree.ninja()
            code, output = tree.test(mutant.test)
        finally:
            tree.restore(mutant, before)
    assert code != PASSED, f"{mutant.name} survives {mutant.test}"
    killed_by_signal = code < 0 or code >= 128
    assert code == FAILED or killed_by_signal, f"{mutant.test} does not run (exit code {code})\n{output}"
    with capsys.disabled():
        print(f"  killed: {mutant.name}", end=" ")
