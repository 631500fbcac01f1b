"""The project's English: words for which engineers have a plainer one (CONTRIBUTING.md, "Glossary")."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "include", "python", "docs", "examples")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md", "bench/README.md")
TEXTS = {".h", ".cpp", ".c", ".inc", ".py", ".pyi", ".md", ".html"}

# What each is said for: the word to write.
PLAINER = {
    r"(?<!queued )(?<!stay )(?<!stays )(?<!leave )(?<!leaves )\bbehind\b(?! `)": "after, past or below",
    r"\b(?:whoever|somebody|nobody|anybody|everybody)\b": "the thread, the caller, the owner; or the passive",
    r"\bwho only\b": "what takes the fast path",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\b(?:its|their) kin\b": "the family, the like",
    r"\bwhat lacks\b": "what is missing",
}


@pytest.mark.parametrize("pattern", PLAINER)
def test_words(pattern):
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    assert len(paths) > 800
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in [*paths, *(ROOT / page for page in PAGES)]
        if path != ROOT / "CONTRIBUTING.md"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(pattern, line, re.I)
    ]
    assert found == [], f"write {PLAINER[pattern]} instead"
