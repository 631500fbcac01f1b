# The mutants are enough, and name tests that are there. Each run of the deep tests tries only some of them, so that a
# stale one would be found much later.
from collections import Counter

import pytest
from mutants import MUTANTS, adopting, cooperation, cuda, interchange, language, order, runtime, warps
from mutants.tree import ROOT


def test_mutants_are_enough():
    names = Counter(mutant.name for mutant in MUTANTS)
    assert [name for name, count in names.items() if count > 1] == []
    assert len(language.MUTANTS) + len(order.MUTANTS) >= 30
    assert len(cooperation.MUTANTS) + len(warps.MUTANTS) >= 24
    assert len(runtime.MUTANTS) >= 20
    assert len(cuda.MUTANTS) >= 30
    assert len(interchange.MUTANTS) >= 20
    assert len(adopting.MUTANTS) >= 12


@pytest.mark.parametrize("path", sorted({mutant.test.split()[0].partition("::")[0] for mutant in MUTANTS}))
def test_the_tests_of_mutants_are_there(path):
    text = (ROOT / path).read_text() if (ROOT / path).is_file() else None
    assert text is not None or (ROOT / path).is_dir()
    named = {mutant.test.partition("::")[2].partition("[")[0] for mutant in MUTANTS if mutant.test.startswith(path)}
    assert [name for name in named if name.isidentifier() and text and f"def {name}(" not in text] == []
