"""./dev: which tests run, and what is said of those that fail."""

import re
import subprocess

import pytest
import remote
from layout.test_layout import ROOT


@pytest.fixture
def dev(tmp_path):
    """dev(commands): its exit status and output, after the functions of ./dev."""
    text = (ROOT / "dev").read_text()
    assert text.endswith('\nmain "$@"\n')
    (tmp_path / "dev").write_text(text.removesuffix('main "$@"\n'))

    def run(commands):
        command = ["bash", "-c", f". {tmp_path}/dev; {commands}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, re.sub(r"\x1b\[\d*m", "", done.stdout), done.stderr

    return run


def test_a_suite_that_fails_does_not_hide_the_next(dev):
    suites = ["one true", "two broken", "three refused", "four sh -c 'exit 7'", "five true"]
    commands = [f"suite {suite}" for suite in suites]
    broken = "broken() { false; echo went on; }; refused() { fail no compiler; }"
    status, said, errors = dev("; ".join([broken, *commands, "summary"]))
    assert (status, errors) == (1, "dev: no compiler\n")
    names = ["one", "two", "three", "four", "five"]
    assert said.split("==> Summary\n")[0] == "".join(f"==> {name}\n" for name in names)
    assert said.split("==> Summary\n")[1] == (
        "  passed: one\n  FAILED (1): two\n  FAILED (1): three\n  FAILED (7): four\n  passed: five\n"
    )


def test_what_is_not_there_is_skipped_and_said(dev):
    status, said, _ = dev("suite one true; other_python 2.9/2.5.5 tests; summary")
    assert status == 0
    assert "  passed: one\n  skipped: Python 2.9 with NumPy 2.5.5, as " in said


def test_all_quick_tests_are_run_in_suites(dev):
    """With stand-ins for the commands, all of which fail."""
    status, said, _ = dev('suite() { suites+=("$1"); suites_failed=1; }; find_python() { true; }; quick_tests')
    assert status == 1
    suites = said.split("==> Summary\n")[1].splitlines()
    wanted = ["Python tests", "The remote device", "CUDA, on the driver's stand-in", "Python 3.12 with NumPy 2.5"]
    assert [any(suite.strip().startswith(name) for suite in suites) for name in wanted] == [True] * 4, suites


def test_other_pythons_run_all_folders_of_python_tests(dev):
    _, said, _ = dev('echo "${python_folders[@]}"; printf \'%s\\n\' "${machine_code[@]}"')
    folders, *machine_code = said.splitlines()
    assert sorted([*folders.split(), "tests/machine_code"]) == remote.FOLDERS
    assert [path for path in machine_code if not (ROOT / path).exists()] == []


def test_turns_are_pairs_that_there_are_wheels_for(dev):
    """NumPy 2.4 needs Python 3.11, 2.5 needs 3.12, and 2.0 is older than 3.13."""
    _, said, _ = dev("printf '%s\\n' \"${pythons[@]}\"")
    pairs = [tuple(tuple(map(int, part.split(".")[:2])) for part in line.split("/")) for line in said.split()]
    assert {python for python, _ in pairs} == {(3, 10), (3, 11), (3, 12), (3, 13)}
    assert {numpy for _, numpy in pairs} == {(2, 0), (2, 2), (2, 4), (2, 5)}
    assert len(set(pairs)) == len(pairs)
    least = {(2, 0): (3, 10), (2, 2): (3, 10), (2, 4): (3, 11), (2, 5): (3, 12)}
    assert [pair for pair in pairs if pair[0] < least[pair[1]] or pair == ((3, 13), (2, 0))] == []
    newest = re.findall(r"^numpy==(\d+)\.(\d+)", (ROOT / "requirements/test.txt").read_text(), re.M)
    assert pairs[0] == ((3, 12), max((int(major), int(minor)) for major, minor in newest))
