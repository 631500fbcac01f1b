"""docs/interop-checks.md has each check of the exchange of arrays once, and names the tests that show it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/interop-checks.md"
GROUPS = {"A": range(1, 25), "B": range(25, 49), "C": range(49, 84), "D": range(84, 114), "E": range(114, 129),
          "F": range(129, 138), "G": range(138, 143)}  # fmt: skip


def rows():
    """(letter of the table, number, what, where) of each row."""
    found, letter = [], ""
    for line in PAGE.read_text().splitlines():
        if heading := re.match(r"## ([A-G])\. ", line):
            letter = heading[1]
        if re.match(r"\| \d", line):
            number, what, where = (part.strip() for part in re.split(r"(?<!\\)\|", line)[1:-1])
            found.append((letter, int(number), what, where))
    return found


def python_tests():
    """Every test function, as rows call it: interop/test_buffers.py::test_copies."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for name in re.findall(r"^[ \t]*(?:async )?def (test_\w+)\(", path.read_text(), re.M):
            yield f"{path.relative_to(ROOT / 'tests')}::{name}"


def cpp_tests():
    texts = [path.read_text() for path in (ROOT / "tests").rglob("*_test.cpp")]
    return {
        f"{suite}.{name}"
        for text in texts
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", text, re.M)
    }


def test_numbers_are_there_once_and_in_order():
    assert [(letter, number) for letter, number, _, _ in rows()] == [
        (letter, number) for letter, numbers in GROUPS.items() for number in numbers
    ]
    assert all(what and where for _, _, what, where in rows())


def test_what_rows_name_is_there():
    known, cpp = set(python_tests()), cpp_tests()
    for _, number, _, where in rows():
        for name in re.findall(r"`([^`]+)`", where):
            if "::" in name:
                assert name in known, (number, name)
            elif "/" in name:
                assert (ROOT / name).is_file(), (number, name)
            else:
                assert name in cpp, (number, name)


def test_those_that_need_a_gpu_are_said_to():
    for _, number, _, where in rows():
        for name, needs in re.findall(r"`([\w/]+\.py::test_\w+)`( \(needs a GPU\))?", where):
            assert name.startswith("gpu/") == bool(needs), (number, name)


# Of a table's row (A1, AB12, F133): what is judged says more, and the tables name their tests.
ROW = re.compile(r"_[A-Z]{1,2}\d{1,3}(?=_|$)")


def test_no_test_is_named_by_a_row():
    assert [test for test in python_tests() if ROW.search(test)] == []
