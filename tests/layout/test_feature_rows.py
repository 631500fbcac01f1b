"""docs/feature_rows.txt, by which docs/migrating.md says what of numba.cuda works: complete, and held to the tests."""

import ast
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The rows of each section, 1 to this.
LAST = {
    "A": 21, "B": 21, "C": 12, "D": 20, "E": 13, "F": 16, "G": 5, "H": 7, "I": 6, "J": 13, "K": 10, "L": 6, "M": 7,
    "N": 1, "O": 6, "P": 3, "Q": 9, "R": 6, "S": 3, "T": 3, "U": 14, "V": 20, "W": 9, "X": 6, "Y": 4, "Z": 15,
    "AA": 8, "AB": 4, "AC": 6, "AD": 10, "AE": 5, "AF": 2, "AG": 3, "AH": 13,
}  # fmt: skip


def module():
    spec = importlib.util.spec_from_file_location("feature_rows", ROOT / "docs/feature_rows.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


feature_rows = module()
ROWS = [row for rows in feature_rows.sections().values() for row in rows]


def names_in(tree):
    """Tests of a module, as pytest calls them."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name
        elif isinstance(statement, ast.ClassDef):
            yield from (f"{statement.name}::{name}" for name in names_in(statement))


def test_every_row_is_there_once_and_in_order_in_its_section():
    assert [row.name for row in ROWS] == [f"{letter}{n + 1}" for letter, last in LAST.items() for n in range(last)]
    for heading, rows in feature_rows.sections().items():
        assert {re.match("[A-Z]+", row.name)[0] for row in rows} == {heading.split()[0]}


def test_rows_say_what_lacks_where_something_does():
    for row in ROWS:
        assert row.state in feature_rows.STATES and row.what, row
        assert bool(row.lacks) == (row.state in ("partly", "missing")), row


def test_what_works_names_tests_that_are_there():
    known = {}
    for row in ROWS:
        assert bool(row.tests) == (row.state in ("works", "partly")), row
        assert len(set(row.tests)) == len(row.tests), row
        for test in row.tests:
            path, name, case = re.fullmatch(r"([\w/]+\.py)::((?:Test\w+::)?test_\w+)(?:\[(\w+)\])?", test).groups()
            if path not in known:
                known[path] = set(names_in(ast.parse((ROOT / "tests" / path).read_text())))
            assert name in known[path], (row.name, test)
            if case:
                assert (ROOT / "tests" / path).with_name(f"{case}.py").is_file(), (row.name, test)


def test_rows_name_the_tests_that_are_there_for_them():
    """Those of test_feature_rows.py, which show nothing else."""
    path = "pages/test_feature_rows.py"
    tests = {f"{path}::{name}" for name in re.findall(r"^def (test_\w+)\(", (ROOT / "tests" / path).read_text(), re.M)}
    assert {test for row in ROWS for test in row.tests if test.startswith(path)} == tests


def test_the_page_says_the_same():
    page = (ROOT / "docs/migrating.md").read_text()
    assert feature_rows.totals() in page and feature_rows.table() in page
