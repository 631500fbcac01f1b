# Judges kernels that load and store columns of rows by Python, which runs the same text thread by thread.
from types import SimpleNamespace

import numpy as np
from treadle import cuda

from programs.grammar.rows import make
from programs.grammar.scope import Choices
from programs.judges.arrays import are_same

ALIASES = ("apart", "apart", "the same", "a column apart")


def run_python(source, arguments, order=1):
    """`order`: -1 has the threads run from the last one to the first."""
    thread = SimpleNamespace(grid=lambda _: thread.index, index=0)
    names = {"cuda": thread}
    exec(compile(source, "<kernel>", "exec"), names)
    for thread.index in range(arguments[3].shape[0])[::order]:
        names["kernel"](*arguments)


def launches(program):
    """(block, arguments) of each launch: a, b, what is only read, and results."""
    choices = Choices(program.seed)
    for _ in range(3):
        n, block, alias = choices.pick(32, 64, 96, 100), choices.pick(32, 64, 128), choices.pick(*ALIASES)
        random = np.random.RandomState(n + program.seed % 1000)
        base = random.randint(0, 100, (2, n, program.width + 1)).astype(program.dtype)
        a, b = base[0, :, :-1], base[1, :, :-1]
        if alias == "the same":
            b = a
        elif alias == "a column apart":
            b = base[0, :, 1:]
        if choices.chance(0.7) and alias != "a column apart":
            a = np.ascontiguousarray(a)
            b = a if alias == "the same" else np.ascontiguousarray(b)
        fixed = random.randint(0, 100, (n + 1, program.width)).astype(program.dtype)
        yield block, (a, b, fixed, np.zeros((n, 4)))


def copied(arguments):
    """With their layouts and aliases."""
    a, b, fixed, out = arguments
    bases = {}

    def same(array):
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        new = bases.setdefault(id(base), base.copy())
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return np.ndarray(array.shape, array.dtype, new, offset, array.strides)

    return same(a), same(b), fixed.copy(), out.copy()


def outcome(program, ways):
    """{"differences": [...], "used": ...} of these launches."""
    names = {"cuda": cuda}
    exec(compile(program.source, f"<rows {program.seed}>", "exec"), names)
    kernel = cuda.jit(names["kernel"])
    result = {"used": sorted(program.used), "differences": []}
    for number, (block, given) in enumerate(launches(program)):
        if number not in ways:
            continue
        want, found = copied(given), copied(given)
        run_python(program.source, want)
        kernel[-(-given[3].shape[0] // block), block](*found)
        if not are_same(want, found):
            result["differences"].append(f"launch {number}, {program.dtype}: other numbers")
    return result


def work(seed):
    program = make(seed)
    return outcome(program, ways(program))


# --- smaller programs -------------------------------------------------------------------------------------------------


def environment_of(seed):
    return {}


def ways(program):
    """The numbers of its launches."""
    return range(3)


def program_of(seed, source):
    program = make(seed)
    program.source = source
    return program


def is_valid(seed, source, number):
    _, given = [*launches(make(seed))][number]
    upwards, downwards = copied(given), copied(given)
    run_python(source, upwards)
    run_python(source, downwards, -1)
    return are_same(upwards, downwards)


def failure(seed, source, number):
    return "differs" if outcome(program_of(seed, source), [number])["differences"] else ""
