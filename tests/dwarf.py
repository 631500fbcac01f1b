# What is in the DWARF of an object file or a cubin, as llvm-dwarfdump shows it.
"""`entries(path)` -> the compile units; `lines(path)` -> rows of the line table."""

import re
import subprocess
from dataclasses import dataclass, field

HEAD = re.compile(r"0x([0-9a-f]+): ( *)(DW_TAG_\w+)$")
ATTRIBUTE = re.compile(r" +DW_AT_(\w+)\t\((.*)\)$")
REFERENCE = re.compile(r'0x([0-9a-f]+)(?: "(.*)")?$')


@dataclass
class Entry:
    tag: str
    offset: int
    attributes: dict = field(default_factory=dict)
    children: list = field(default_factory=list)

    @property
    def name(self):
        text = self.attributes.get("name") or self.attributes.get("abstract_origin", "")
        return re.sub(r'^.*"(.*)"$', r"\1", text)

    def of(self, *tags):
        """All entries below it that have one of the tags."""
        found = [child for child in self.children if child.tag in tags]
        return found + [entry for child in self.children for entry in child.of(*tags)]

    def own(self, name):
        """The one child with that name."""
        (found,) = [child for child in self.children if child.name == name]
        return found

    @property
    def type_name(self):
        """Its type as llvm-dwarfdump spells it."""
        match = REFERENCE.match(self.attributes.get("type", ""))
        return match and match[2]

    def is_located(self):
        return "location" in self.attributes


@dataclass
class Unit(Entry):
    def type_of(self, entry):
        """The entry that describes the type of `entry`."""
        match = REFERENCE.match(entry.attributes["type"])
        (found,) = [one for one in self.all() if one.offset == int(match[1], 16)]
        return found

    def all(self):
        work = [self]
        while work:
            entry = work.pop()
            yield entry
            work.extend(entry.children)

    def function(self, name):
        (found,) = [f for f in self.of("subprogram") if f.name == name and "abstract_origin" not in f.attributes]
        return found

    def fields(self, entry):
        """(name, spelled type, offset) of each member of a structure."""
        return [
            (m.name, m.type_name, int(re.search(r"0x[0-9a-f]+", m.attributes["data_member_location"])[0], 16))
            for m in entry.children
        ]


def dump(path, *options):
    done = subprocess.run(["llvm-dwarfdump-19", *options, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def entries(path):
    """The one compile unit of the file."""
    stack, units = [], []
    for line in dump(path, "--debug-info").splitlines():
        if head := HEAD.match(line):
            depth = len(head[2]) // 2
            made = (Entry if depth else Unit)(head[3].removeprefix("DW_TAG_"), int(head[1], 16))
            del stack[depth:]
            (stack[-1].children if stack else units).append(made)
            stack.append(made)
        elif attribute := ATTRIBUTE.match(line):
            stack[-1].attributes[attribute[1]] = attribute[2]
    (unit,) = units
    return unit


def lines(path):
    """The lines of the source that have code."""
    rows = re.findall(r"^0x[0-9a-f]+ +(\d+) ", dump(path, "--debug-line"), re.M)
    return {int(row) for row in rows}
