"""The folders of tests: how many files each has of its own, and that docs/testing.md names all of them."""

from collections import Counter

from layout.test_layout import report, text, tracked

MAX_FILES = 40
LARGE = {
    "tests/cuda": "the CUDA device alone, on its stand-in",
    "tests/errors": "a wrong program each, which one file runs",
    "tests/fakedriver": "a project of its own: a library",
    "tests/kernels": "a kernel each, which one file runs",
    "tests/language": "a file for each part of the language",
    "tests/mutants": "the defects of an area each, which one file runs",
    "tests/ptxmachine": "a project of its own: a library",
    "tests/unit": "a class or a function of src/ each",
}
"""Folders with more files: why."""


def sizes():
    return Counter(name.rpartition("/")[0] for name in tracked() if name.startswith("tests/"))


def test_folders_are_small():
    large = {name: count for name, count in sizes().items() if count > MAX_FILES}
    report([f"{name}: {count} files, more than {MAX_FILES}" for name, count in large.items() if name not in LARGE])
    report([f"{name} no longer needs its exception" for name in LARGE if name not in large])


def test_the_page_about_tests_names_every_folder():
    page = text("docs/testing.md")
    folders = {"/".join(name.split("/")[:2]) for name in sizes() if name != "tests"}
    report([f"docs/testing.md does not name {name}" for name in sorted(folders) if f"`{name}" not in page])
