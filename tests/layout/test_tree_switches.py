"""A new kind of node cannot be forgotten: switches over kinds of nodes name all of them, so that the compiler
(-Wswitch, an error) demands a case for a new one, and sets of kinds are asked of `typed/traits.h`.

-Wswitch-enum would demand the same of switches over the 120 operations, where a default is right.
"""

import re

import pytest
from layout.test_layout import code, files

AREAS = ("src/typed/", "src/infer/", "src/passes/", "src/codegen/")
NODE_CASE = re.compile(r"\bcase\s+(?:typed::)?(?:ExprKind|StmtKind)::")


def switches(text: str) -> list[str]:
    """The bodies of all `switch` statements, without those of the ones inside."""
    found = []
    for start in re.finditer(r"\bswitch\s*\(", text):
        opening = text.index("{", start.end())
        depth, end = 1, opening + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = text[opening + 1 : end - 1]
        inner = switches(body)
        for part in inner:
            body = body.replace(part, "")
        found.append(body)
    return found


def forgetful(text: str) -> list[str]:
    """The defaults of switches over kinds of nodes, except those that report the kind."""
    defaults = [
        body[body.index("default:") :].split("\n", 2)[:2]
        for body in switches(text)
        if NODE_CASE.search(body) and "default:" in body
    ]
    return [" ".join(lines) for lines in defaults if "failCheck(" not in " ".join(lines)]


@pytest.mark.parametrize("area", AREAS)
def test_switches_over_kinds_of_nodes_name_all_kinds(area):
    found = {name: forgetful(code(name)) for name in files("cpp", "h", under=area)}
    assert not {name: lines for name, lines in found.items() if lines}


def test_a_default_is_found():
    body = "switch (kind) { case StmtKind::If: return f(); default:\n %s; }"
    assert forgetful(body % "return false") == ["default:  return false; "]
    assert forgetful(body % "failCheck(x)") == []
    assert forgetful("switch (op) { default: return 1; }") == []
