"""docs/interop-checks.md has each check of the exchange of arrays once, and the tests that carry its number."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/interop-checks.md"
GROUPS = {"A": range(1, 25), "B": range(25, 49), "C": range(49, 84), "D": range(84, 114), "E": range(114, 129),
          "F": range(129, 138), "G": range(138, 143)}  # fmt: skip
LETTERS = {number: letter for letter, numbers in GROUPS.items() for number in numbers}


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


def numbers_in(name):
    """The numbers that a test's name begins with: ["A09", "A10"] of test_A09_A10_pointers."""
    return re.findall(r"[A-G]\d+", re.match(r"test_((?:[A-G]\d+_)*)", name)[1])


def python_tests():
    """Every test function, and the files that have one of that name."""
    found = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for name in re.findall(r"^[ \t]*(?:async )?def (test_\w+)\(", path.read_text(), re.M):
            found.setdefault(name, []).append(path)
    return found


def cpp_tests():
    texts = [path.read_text() for path in (ROOT / "tests").rglob("*_test.cpp")]
    return {
        f"{suite}.{name}"
        for text in texts
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", text, re.M)
    }


def named_in(where):
    return set(re.findall(r"`(test_\w+)`", where))


def test_numbers_are_there_once_and_in_order():
    assert [(letter, number) for letter, number, _, _ in rows()] == [
        (letter, number) for letter, numbers in GROUPS.items() for number in numbers
    ]
    assert all(what and where for _, _, what, where in rows())


def test_what_rows_name_is_there():
    known, cpp = python_tests(), cpp_tests()
    for _, number, _, where in rows():
        for name in re.findall(r"`([^`]+)`", where):
            if "/" in name:
                assert (ROOT / name).is_file(), (number, name)
            elif "." in name:
                assert name in cpp, (number, name)
            else:
                assert name in known, (number, name)


@pytest.mark.parametrize("letter", GROUPS)
def test_rows_name_the_tests_that_carry_their_number(letter):
    carried = {number: set() for number in GROUPS[letter]}
    for name in python_tests():
        for found in numbers_in(name):
            assert LETTERS.get(int(found[1:])) == found[0] and len(found) >= 3, f"{name}: there is no check {found}"
            if found[0] == letter:
                carried[int(found[1:])].add(name)
    assert {number: named_in(where) for _, number, _, where in rows() if number in carried} == carried


def test_those_that_need_a_gpu_are_said_to():
    known = python_tests()
    for _, number, _, where in rows():
        for name, needs in re.findall(r"`(test_\w+)`( \(needs a GPU\))?", where):
            on_gpus = all(path.parent.name == "gpu" for path in known[name])
            assert on_gpus == bool(needs), (number, name)
