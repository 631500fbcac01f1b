"""One form for each of a few things that C++ can say in several: names local to a file, and references to Python's
objects."""

import re

from layout.allowed import RAW_REFERENCES
from layout.test_layout import CPP, code, files, report, where


def test_names_local_to_a_file_are_in_the_unnamed_namespace():
    """Sources are formatted: what begins a line is at namespace scope. C has no namespaces."""
    static = r"(?m)^(?:\w+ )*static (?!_assert)[^\n]*|^template <[^\n]*> static [^\n]*"
    report(where(static, files("cpp"), {}))


def raw_references():
    """The files that count references themselves."""
    calls = re.compile(r"\bPy_(?:X?INCREF|X?DECREF|CLEAR|X?SETREF)\(")
    return {name for name in files(*CPP, under="src/python/") if calls.search(code(name))}


def test_references_to_pythons_objects_have_owners():
    """`Py_NewRef` makes what a function returns to Python; what a function holds meanwhile is an nb::object."""
    report(sorted(raw_references() ^ set(RAW_REFERENCES)))
