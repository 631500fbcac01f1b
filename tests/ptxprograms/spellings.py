"""Spellings of the machine's instructions: every row's pattern written out, each with operands that fit."""

import ctypes
import functools
import itertools
import re

import machine

MOST = 1200  # spellings of a row; of larger ones, all pairs of alternatives
TYPE = re.compile(r"[busf](8|16|32|64)|(b?f16|bf16|u16|s16)(x2)?|pred")


def rows():
    """(pattern, operands) of all rows."""
    machine.driver()
    library, found = ctypes.CDLL(str(machine.LIBRARY)), []
    pattern, operands = ctypes.c_char_p(), ctypes.c_char_p()
    while library.fakeCudaPtxRow(ctypes.c_size_t(len(found)), ctypes.byref(pattern), ctypes.byref(operands)):
        found.append((pattern.value.decode(), operands.value.decode()))
    return found


@functools.cache
def is_known(opcode):
    """Rows may refuse some of their spellings."""
    return ctypes.CDLL(str(machine.LIBRARY)).fakeCudaKnowsPtx(opcode.encode())


def elements(pattern):
    """The alternatives of each element, `add.[ftz].(f32|f64)` -> [["add"], ["", "ftz"], ["f32", "f64"]]."""
    parts = re.findall(r"\[[^\]]*\]|\([^)]*\)|[^.\[(]+", pattern)
    return [
        ([""] if part[0] == "[" else []) + part.strip("[]()").split("|") if part[0] in "[(" else [part]
        for part in parts
        if part != "."
    ]


def pairs(choices):
    """Selections in which each two alternatives of two elements come together."""
    first = [each[0] for each in choices]
    for a, b in itertools.combinations(range(len(choices)), 2):
        for x, y in itertools.product(choices[a], choices[b]):
            yield tuple(x if at == a else y if at == b else word for at, word in enumerate(first))


def opcodes(pattern):
    choices, count = elements(pattern), 1
    for each in choices:
        count *= len(each)
    selections = itertools.product(*choices) if count <= MOST else pairs(choices)
    return list(dict.fromkeys(".".join(word for word in each if word) for each in selections))


def bits_of(kind):
    return 1 if kind == "pred" else 32 if kind.endswith("x2") else int(re.search(r"\d+", kind).group())


def register(bits, at):
    """Registers without a kind fit instructions of any."""
    return {1: "%p", 8: "%r", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[bits] + str(at + 1)


COUNTS = {"clz", "popc", "bfind", "getctarank"}
# The widths of sources that are not the opcode's first type; 0: that type's.
SOURCES = {
    "mapa": (0, 32),
    "shl": (0, 32),
    "shr": (0, 32),
    "bfe": (0, 32, 32),
    "bfi": (0, 0, 32, 32),
    "selp": (0, 0, 1),
    "vote": (1, 32),
    "match": (0, 32),
    "isspacep": (64,),
    "setp": (0, 0, 1),
}
# Operands that are numbers, by the start of the opcode.
NUMBERS = [
    (re.compile(r"lop3"), {3: "0xE8"}),
    (re.compile(r"bar\.(cta\.)?(sync|arrive)|barrier\.(cta\.)?(sync|arrive)"), {0: "1", 1: "64"}),
    (re.compile(r"bar(rier)?\.(cta\.)?red"), {0: "1"}),
    (re.compile(r"cp\.async\.ca"), {0: "4", 1: "%r2"}),
    (re.compile(r"cp\.async\.cg"), {0: "16", 1: "%r2"}),
    (re.compile(r"cp\.async\.wait"), {0: "1"}),
    (re.compile(r"pmevent"), {0: "3"}),
    (re.compile(r"alloca"), {1: "16"}),
]


def widths(words, sources):
    """The width of the result, and of each source."""
    types = [word for word in words[1:] if TYPE.fullmatch(word)]
    own, last = (bits_of(types[0]), bits_of(types[-1])) if types else (32, 32)
    name = words[0]
    result = 32 if name in COUNTS or name == "match" else own
    wide = own * 2 if name in ("mul", "mad") and "wide" in words else 0
    if name in ("set", "cvt"):
        given = (last, last, 1)
    elif name in ("bar", "barrier"):
        given = (32,) * (sources - 1) + (1 if "red" in words else 32,)
    elif name == "slct":
        given = (own, own, 32)
    elif wide:
        given = (own, own, wide)
    else:
        given = tuple(width or own for width in SOURCES.get(name, ()))
    return 1 if name in ("testp", "isspacep", "setp") else wide or result, (given + (own,) * 8)[:sources]


def operand(letter, width, words, at):
    if letter in "rR" and words[-1] in ("v2", "v4") or (letter in "RV" and ({"v2", "v4"} & set(words))):
        return "{" + ", ".join(register(width, k) for k in range(2 if "v2" in words else 4)) + "}"
    if letter == "m":
        space = next((w for w in words if w.startswith("param")), "")
        name = (
            "%r7"
            if words[0] == "cp"
            else "input"
            if space and words[0] == "ld" and space != "param::func"
            else "argument"
        )
        return f"[{name}]" if space or words[0] == "cp" else "[%d7]"
    if letter == "n":
        return "[%d7+16]"
    if letter == "l":
        return "end"
    return register(1 if letter == "p" else width, at)


def statement(opcode, letters):
    """One with these operands."""
    words = opcode.split(".")
    sources = [letter for letter in letters if letter in "vpV"]
    result, given = widths(words, len(sources))
    numbers = next((numbers for start, numbers in NUMBERS if start.match(opcode)), {})
    written, source = [], 0
    for letter in letters:
        if letter in "rRP":
            written.append(operand(letter, 1 if letter == "P" and words[0] == "setp" else result, words, len(written)))
            if letter == "P" and words[0] in ("shfl", "match", "elect"):
                written[-1] += "|%p1"
            if words[0] in ("vote", "bar", "barrier") and words[-1] == "pred":
                written[-1] = "%p1"
        elif letter in "vpV":
            written.append(numbers.get(source) or operand(letter, given[source], words, source + 1))
            source += 1
        else:
            written.append(operand(letter, 0, words, 0))
    return f"{opcode} {', '.join(written)};"


def statements():
    """One for each spelling, with the optional operands and without."""
    found = []
    for pattern, operands in rows():
        if operands[0:1] == "c" or "t" in operands:  # calls and tables have programs of their own
            continue
        forms = sorted({operands.replace("?", ""), re.sub(r"\?.", "", operands)})
        for opcode in filter(is_known, opcodes(pattern)):
            joins = {"and", "or", "xor"} & set(opcode.split(".")) and opcode.startswith(("set.", "setp."))
            for letters in forms:
                if opcode.startswith(("set.", "setp.")) and bool(joins) != (len(letters) == 4):
                    continue
                found.append(statement(opcode, letters))
    return found


def module(lines, target, version):
    """A statement on each line from the eighth on."""
    return (
        f".version {version}\n.target {target}\n.address_size 64\n"
        ".visible .entry f(.param .align 16 .b8 input[64]) {\n"
        ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
        ".param .align 16 .b8 argument[64];\n\n" + "\n".join(lines) + "\nend: ret;\n}\n"
    )


FIRST_LINE = 8
