# Judges kernels that assign arrays to parts of themselves by NumPy: Python runs the same text with NumPy's arrays.
"""Each kernel runs with several widths, types, layouts and aliases, with debug and without. What Treadle refuses,
because no order of the elements is right, is no difference. Where bounds are variables, or count from the end, kernels
with debug may raise, and others may differ."""

import ast
from types import SimpleNamespace

import numpy as np
from treadle import cuda, literal_unroll
from treadle.cuda.experimental import consteval
from treadle.errors import CompileError, UnsupportedError

from programs.grammar.arrays import SIDE, make
from programs.grammar.scope import Choices

REFUSED = ("this assignment changes before", "a list cannot be an index")
LATE = "this assignment has changed before"
LAYOUTS = {
    "C": lambda a: a.copy(),
    "F": lambda a: np.asfortranarray(a),
    "backwards": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    "spread": lambda a: np.repeat(np.repeat(a, 2, axis=1), 3, axis=2)[:, ::2, ::3],
    "turned": lambda a: np.ascontiguousarray(a.transpose(0, 2, 1)).transpose(0, 2, 1),
}


class Copying(ast.NodeTransformer):
    """Python evaluates the value before it assigns; NumPy copies rows that overlap in most cases only."""

    def visit_Assign(self, node):  # noqa: N802 - ast's name
        if isinstance(node.targets[0], ast.Subscript):
            node.value = ast.Call(ast.parse("np.array", mode="eval").body, [node.value], [])
        return node


def run_python(source, arguments, order=1):
    """`order`: -1 has the threads run from the last one to the first."""
    tree = ast.fix_missing_locations(Copying().visit(ast.parse(source)))
    thread = SimpleNamespace(grid=lambda _: thread.index, index=0)
    names = {"np": np, "cuda": thread, "literal_unroll": tuple, "consteval": tuple}
    exec(compile(tree, "<kernel>", "exec"), names)
    for thread.index in range(arguments[0].shape[0])[::order]:
        names["kernel"](*arguments)


def launches(program):
    """The arguments of each launch, of arrays that may be one."""
    choices = Choices(program.seed)
    for _ in range(2):
        threads, dtype = choices.pick(1, 3, 33), choices.pick("float64", "float64", "int64")
        values = np.random.RandomState(threads).randint(1, 9, (threads, SIDE, SIDE)).astype(dtype)
        x = LAYOUTS[choices.pick(*LAYOUTS)](values)
        y = x if choices.chance(0.3) and not program.mixes else LAYOUTS[choices.pick(*LAYOUTS)](values + 1)
        yield x, y, np.zeros(threads), 2, 3


def copied(arguments):
    """With their layouts and aliases."""
    x, y, totals, *numbers = arguments

    def same(array):
        base = array if array.base is None else array.base
        new = base.copy(order="K")
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return np.ndarray(array.shape, array.dtype, new, offset, array.strides)

    first = same(x)
    return first, first if y is x else same(y), totals.copy(), *numbers


def launch(kernel, arguments):
    """Why there is no result; "" if there is one."""
    threads = arguments[0].shape[0]
    try:
        kernel[(threads + 7) // 8, 8](*arguments)
    except (CompileError, UnsupportedError, ValueError) as error:
        if any(text in str(error) for text in (*REFUSED, LATE)):
            return "refused" if any(text in str(error) for text in REFUSED) else "late"
        raise
    return ""


def problem_of(kernel, given, want):
    found = copied(given)
    return launch(kernel, found) or ("" if are_same(want, found) else "other numbers")


def are_same(want, found):
    return all(np.array_equal(w, f) for w, f in zip(want, found, strict=True))


def outcome(program, ways):
    """{"differences": [...], "refused": ..., "unsure": ...} of these launches."""
    names = {"np": np, "cuda": cuda, "literal_unroll": literal_unroll, "consteval": consteval}
    exec(compile(program.source, f"<arrays {program.seed}>", "exec"), names)
    plain, debug = (cuda.jit(names["kernel"], rules=program.rules, debug=debug) for debug in (False, True))
    result = {"used": sorted(program.used), "differences": [], "unsure": 0, "refused": 0}
    for number, given in enumerate(launches(program)):
        if number not in ways:
            continue
        want = copied(given)
        run_python(program.source, want)
        problems = [problem_of(kernel, given, want) for kernel in (plain, debug)]
        if "refused" in problems:
            return {**result, "refused": 1}
        if problems[1] == "late" and not program.is_plain:
            result["unsure"] += 1
        elif any(problems):
            plain_problem, debug_problem = (problem or "right" for problem in problems)
            result["differences"].append(f"launch {number}: {plain_problem}; with debug: {debug_problem}")
    return result


def work(seed):
    program = make(seed)
    return outcome(program, ways(program))


# --- smaller programs -------------------------------------------------------------------------------------------------


def environment_of(seed):
    return {}


def ways(program):
    """The numbers of its launches."""
    return range(2)


def program_of(seed, source):
    program = make(seed)
    program.source = source
    return program


def is_valid(seed, source, number):
    given = [*launches(make(seed))][number]
    upwards, downwards = copied(given), copied(given)
    run_python(source, upwards)
    run_python(source, downwards, -1)
    return are_same(upwards, downwards)


def failure(seed, source, number):
    return "differs" if outcome(program_of(seed, source), [number])["differences"] else ""
