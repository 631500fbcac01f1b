"""The HTML page of `treadle.report`, which is report.html with its parts filled in: self-contained."""

import os
import pkgutil
import re
from html import escape
from string import Template

from treadle.kernels.occupancy_tables import table

_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+\d+")
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')  # the last two: folder and name, or a path
_DEBUG_SECTION = re.compile(r"^\s*\.section\s+\.debug_", re.M)  # after all code, perhaps before files

# The CPU device's fallbacks, by their names in Image.
_FALLBACKS = {
    "gather": "elements are read one by one: the lanes of a warp read at distances that vary",
    "scatter": "elements are written one by one: the lanes of a warp write at distances that vary",
    "warps are fibers": "each warp of a block is a fiber with a stack of its own: not all threads reach the barriers "
    "together",
    "blocks are fibers": "each block is a fiber: blocks wait for each other",
}


def page(facts):
    """`facts`: what `reporting.facts_of` returns."""
    parts = (_head(facts), _warnings(facts), _resources(facts), _launches(facts), _columns(facts))
    template = (pkgutil.get_data(__name__, "report.html") or b"").decode()
    return Template(template).substitute(title=escape(f"{facts['name']} – Treadle"), body="\n".join(parts))


def _target(facts):
    return f"PTX for compute capability {facts['cc'] // 10}.{facts['cc'] % 10}" if facts["kind"] == "ptx" else (
        "machine code for this processor"
    )  # fmt: skip


def _head(facts):
    assumed = ", ".join(name if value is True else f"{name} {value}" for name, value in facts["facts"].items())
    return (
        f"<h1>{escape(facts['name'])}</h1>\n<p><code>{escape(facts['signature'])}</code><br>"
        f"{escape(facts['file'])}:{facts['first']}<br>{_target(facts)}, made for launches with {escape(assumed)}"
        f" (Treadle {escape(facts['version'])})</p>"
    )


def warnings(facts):
    """Texts about what makes the code slower than necessary."""
    found = []
    for what, places in facts["made"]["fallbacks"].items():
        meaning = f": {_FALLBACKS[what]}" if what in _FALLBACKS else ""
        found.append(f"{what}, {places} {'place' if places == 1 else 'places'}{meaning}")
    resources = facts["resources"]
    if resources.get("spilled"):
        found.append(f"registers do not suffice: {resources['spilled']} bytes of each thread are spilled to memory")
    if facts["kind"] == "ptx" and resources.get("local"):
        found.append(f"{resources['local']} bytes of local memory for each thread, which lies in the GPU's main memory")
    if facts["made"]["recurses"]:
        found.append("a function calls itself: its variables lie in memory")
    return found


def _warnings(facts):
    found = "".join(f"<li>{escape(text)}</li>" for text in warnings(facts))
    shown = f"<ul>{found}</ul>" if found else "<p>None.</p>"
    return f'<section id="warnings"><h2>Warnings</h2>{shown}</section>'


_RESOURCES = {
    "registers": "registers of a thread", "shared": "bytes of static shared memory of a block",
    "local": "bytes of local memory of a thread", "const": "bytes of constant memory",
    "spilled": "bytes of a thread that are spilled", "threads": "most threads of a block",
    "context": "bytes that a block of 1024 threads keeps across barriers",
}  # fmt: skip


def _resources(facts):
    resources = facts["resources"]
    rows = [[name, resources[key]] for key, name in _RESOURCES.items() if key in resources]
    if facts["kind"] == "ptx" and "registers" not in resources:
        rows.insert(0, [_RESOURCES["registers"], "not known: neither the CUDA driver nor ptxas is here to say"])
    shown = _table(["from " + resources["from"], ""], rows)
    return f'<section id="resources"><h2>Resources</h2>{shown}</section>\n{_occupancy(facts)}'


def _occupancy(facts):
    if facts["kind"] != "ptx":
        return ""
    resources = facts["resources"]
    registers = resources.get("registers", 0)
    rows = table(facts["cc"], registers, resources["shared"], resources.get("threads") or 1024)
    without = "" if registers else " without registers, which are not known"
    head = ["threads of a block", "blocks of a multiprocessor", "occupancy", "limited by"]
    shown = [[threads, blocks, f"{percent} %", what] for threads, blocks, percent, what in rows]
    return f'<section id="occupancy"><h2>Occupancy{without}</h2>{_table(head, shown)}</section>'


def _launches(facts):
    head = ["grid", "block", "bytes of dynamic shared memory", "launches"]
    rows = [
        ["all others", "", "", count] if grid is None else [_extents(grid), _extents(block), shared, count]
        for grid, block, shared, count in facts["launches"]
    ]
    shown = _table(head, rows) if rows else "<p>None in this process.</p>"
    return f'<section id="launches"><h2>Launches so far</h2>{shown}</section>'


def _extents(extents):
    return " × ".join(map(str, extents))


def _table(head, rows):
    top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def lines_of_code(code, file):
    """[(text, line of the source or 0)]: an instruction belongs to the line of the .loc before it. Those of other files
    have 0; device functions keep lines of their own, also where they are inlined. Without sections for debuggers."""
    own = {found.group(1) for found in map(_FILE.match, code.splitlines()) if found and _path(found) == file}
    shown: list[tuple[str, int]] = []
    current = 0
    for text in _DEBUG_SECTION.split(code)[0].splitlines():
        found = _LOC.match(text)
        if found:
            current = int(found.group(2)) if found.group(1) in own else 0
            continue
        is_instruction = text.startswith("\t") and not text.lstrip().startswith((".", "//"))
        shown.append((text, current if is_instruction else 0))
    return shown


def _path(found):
    """The path in a match of _FILE."""
    _, first, name = found.groups()
    return first if name is None else os.path.join(first, name)


def _columns(facts):
    linked = lines_of_code(facts["code"], facts["file"])
    known = {line for _, line in linked if line}
    source = "\n".join(_source_line(facts, index, known) for index in range(len(facts["lines"])))
    code = "\n".join(_code_line(text, line) for text, line in linked)
    note = (
        "Point at a line of the source to mark its instructions, or click to keep them marked."
        if known
        else "No instruction is left of these lines."
    )
    return (
        f'<p id="note">{note}</p>\n<div id="columns"><div class="column" id="source">{source}</div>\n'
        f'<div class="column" id="code">{code}</div></div>'
    )


def _source_line(facts, index, known):
    number = facts["first"] + index
    types = ", ".join(f"{escape(text)}: <b>{escape(name)}</b>" for text, name in facts["types"].get(number, []))
    below = f'<span class="types">{types}</span>' if types else ""
    linked = f' data-line="{number}"' if number in known else ""
    text = escape(facts["lines"][index]) or " "
    return f'<div class="line"{linked}><span class="number">{number}</span><code>{text}</code>{below}</div>'


def _code_line(text, line):
    linked = f' data-of="{line}"' if line else ""
    return f'<div class="line"{linked}><code>{escape(text.expandtabs(4)) or " "}</code></div>'
