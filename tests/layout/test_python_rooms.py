"""The rooms of python/treadle: which may import which, and that no circle runs through them."""

import ast
from functools import cache
from pathlib import Path

from layout.allowed import IMPORTED_LATER, ROOMS_OF_PYTHON

SOURCES = Path(__file__).resolve().parents[2] / "python/treadle"


@cache
def modules():
    """The path of each module by its name."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imported_by(path, in_functions=False):
    """Modules of Treadle's that a file imports, or its functions alone do, but not for type checkers alone."""
    skipped = set()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            skipped.update(map(id, ast.walk(node)))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for inner in ast.walk(function)) if in_functions else ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        if isinstance(node, ast.ImportFrom) and node.module in modules():
            for alias in node.names:
                if alias.name != "_core":
                    within = f"{node.module}.{alias.name}"
                    yield within if within in modules() else node.module


@cache
def imports():
    return {name: set(imported_by(path)) - {name} for name, path in modules().items()}


def room_of(module):
    """A room is a folder, or has modules beside the folders."""
    name = module.removeprefix("treadle.").split(".")[0]
    return next((room for room, (beside, _) in ROOMS_OF_PYTHON.items() if name in (room, *beside)), name)


def test_rooms_import_those_below():
    problems = []
    for module, others in imports().items():
        allowed = {room_of(module), *ROOMS_OF_PYTHON[room_of(module)][1]}
        problems += [f"{module} imports {other}" for other in others if room_of(other) not in allowed]
    assert not sorted(problems)


def test_rooms_are_in_order():
    rooms = list(ROOMS_OF_PYTHON)
    for place, (_, below) in enumerate(ROOMS_OF_PYTHON.values()):
        assert set(below) <= set(rooms[:place])


def reached_from(module, seen):
    for other in imports()[module]:
        if other not in seen:
            seen.add(other)
            reached_from(other, seen)
    return seen


def test_no_module_imports_itself_by_others():
    assert not {name for name in modules() if name in reached_from(name, set())}


def test_imports_in_functions_have_reasons():
    """At the top, an import is seen; in a function it must save something at start-up."""
    later = {(name, other) for name, path in modules().items() for other in imported_by(path, in_functions=True)}
    allowed = {(name, f"treadle.{other}") for name, others in IMPORTED_LATER.items() for other in others}
    assert sorted(later ^ allowed) == []
