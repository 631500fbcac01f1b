"""Pages of docs/ that name sources, benchmarks and kernels: all of these are there."""

import ast
import builtins
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "docs/cpu-optimisations.md"
DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
NAMING = [ROOT / "docs/cpu.md", ROOT / "docs/adding.md", CATALOGUE, *DECISIONS]
PARTS = ("Context", "Decision", "Consequences", "What would change it")
ERRORS = ast.parse((ROOT / "python/treadle/errors.py").read_text()).body  # by its text: there may be no build
ELSEWHERE = {"SetError"}  # a function of DLPack's table
FOLDERS = "|".join(path.name for path in (ROOT / "src").iterdir() if path.is_dir())


def names_in(page: Path) -> set[str]:
    """Paths in backticks."""
    return set(re.findall(rf"`((?:{FOLDERS}|src|tests|bench|docs|python)/[\w./-]+)`", page.read_text()))


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_sources_that_pages_name_are_there(page):
    names = names_in(page)
    assert names
    tries = {
        name: [ROOT / base / (name + end) for base in ("", "src") for end in ("", ".h", ".cpp", ".py")]
        for name in names
    }
    assert [name for name, paths in sorted(tries.items()) if not any(path.exists() for path in paths)] == []


def test_kernels_that_the_catalogue_names_are_benchmarks():
    entries = re.findall(r"`bench/cpu_user_kernels`:((?:\s+`\w+`,?)+)", CATALOGUE.read_text())
    kernels = {kernel for entry in entries for kernel in re.findall(r"\w+", entry)}
    present = {
        name
        for path in (ROOT / "bench/kernels/users").glob("*.py")
        for name in re.findall(r"^def (\w+)", path.read_text(), re.M)
    }
    assert len(kernels) > 10
    assert sorted(kernels - present) == []


def test_entries_of_the_catalogue_have_a_source_and_what_shows_them():
    entries = re.split(r"^### ", CATALOGUE.read_text(), flags=re.M)[1:]
    last = {
        entry.partition("\n")[0]: " ".join(re.split(r"\n#|\Z", entry)[0].strip().split("\n\n")[-1].split())
        for entry in entries
    }
    assert len(last) > 20
    assert [
        name for name, line in last.items() if not re.match(r"`[a-z]+/.* · (?:`bench/|test: `tests/).* · \w", line)
    ] == []


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_decisions_are_short_dated_and_linked(page):
    text = page.read_text()
    assert text.count("\n") <= 40
    assert re.match(r"# .+\n\n\d{4}-\d\d-\d\d \([0-9a-f]{8}", text)
    assert [part for part in PARTS if f"**{part}.**" not in text] == []
    assert f"(decisions/{page.name})" in (ROOT / "docs/overview.md").read_text()


def test_areas_of_the_sources_have_a_promise_and_tests():
    guide = (ROOT / "src/README.md").read_text()
    rows = re.findall(r"^\| `([\w/]+)/` \| (.+) \| (.+) \|$", guide, re.M)
    assert [folder for folder, _, _ in rows] == re.findall(r"^## ([\w/]+)$", guide, re.M)
    missing = [
        f"{folder}: {name}"
        for folder, _, tests in rows
        for name in re.findall(r"`([^`]+)`", tests)
        if not list((ROOT / "tests").glob(name))
    ]
    assert missing == []
    assert all("`" in tests for _, _, tests in rows)


def test_the_page_on_tests_names_every_file_of_mutants():
    text = (ROOT / "docs/testing.md").read_text().split("## Mutants", 1)[1]
    named = set(re.findall(r"`(\w+\.py)`", text))
    files = [path for path in (ROOT / "tests/mutants").glob("*.py") if "\nMUTANTS" in path.read_text()]
    assert len(files) > 20
    assert {path.name for path in files} - {"__init__.py"} == named


def public_classes() -> set[str]:
    return {node.name for node in ERRORS if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def aliases() -> set[str]:
    """Other names of classes: `NumbaError = CompileError`."""
    found = [node.targets[0] for node in ERRORS if isinstance(node, ast.Assign)]
    return {target.id for target in found if isinstance(target, ast.Name)}


def test_the_page_on_errors_has_every_class():
    listed = re.findall(r"^\| `(\w+)` \| `", (ROOT / "docs/errors.md").read_text(), re.M)
    assert len(listed) > 40
    assert sorted(listed) == sorted(public_classes())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_errors_that_pages_name_exist(page):
    named = set(re.findall(r"\b[A-Z]\w+(?:Error|Exception|Warning)\b", page.read_text()))
    assert sorted(named - public_classes() - aliases() - set(vars(builtins)) - ELSEWHERE) == []
