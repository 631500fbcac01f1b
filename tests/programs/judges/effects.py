# Judges programs with effects by the model of CUDA's threads: runs one on the model and on Treadle, and compares.

import ast
import random
import re
import tempfile
import warnings

import numpy as np
import sources
import stand_in
import treadle
from cooperation import simt_model, simt_source
from treadle import cuda

from programs.grammar import effects
from programs.grammar.effects import make
from programs.grammar.endings import zeroed

HANGS = "a GPU hangs"  # docs/ptx.md: lanes of one warp at different barriers
SLOW = "hundreds of threads try one lock again and again: minutes on the machine for PTX"
TURNS = 2_000_000  # of threads, in loops or after statements: a program that takes more is considered endless
FLAG = effects.PARAMETERS.index("flag")


def type_of(value):
    if not isinstance(value, np.ndarray):
        return treadle.int64
    element = getattr(treadle, value.dtype.name)
    return element[::1] if value.ndim == 1 else element[:, ::1]


def run_kernel(functions, kernel, launch, options):
    """`apart` collects for each kernel the lines at which lanes of a warp wait at different barriers, unless None."""
    apart = options["apart"]
    options = {**options, "kernel": kernel, "apart": None if apart is None else apart.setdefault(kernel, set())}
    simt_model.launch(functions, *launch, limit=TURNS, **options)


def run_model(program, functions, number, options):
    """The arrays after a launch, or None if threads wait forever."""
    blocks, shape, kernels = program.launches[number]
    arguments = effects.arguments(program, blocks, shape)
    for kernel in kernels:
        try:
            run_kernel(functions, kernel, (blocks, shape, arguments), options)
        except simt_model.Deadlock:
            return None
        arguments[FLAG][:] = 0
    return [a for a in arguments if isinstance(a, np.ndarray)]


def run_treadle(program, module, number):
    blocks, shape, kernels = program.launches[number]
    arguments = effects.arguments(program, blocks, shape)
    if program.streams:
        return run_in_streams(program, module, number)
    for kernel in kernels:
        getattr(module, kernel)[blocks, shape](*arguments)
        arguments[FLAG][:] = 0
    return [a for a in arguments if isinstance(a, np.ndarray)]


def run_in_streams(program, module, number):
    """Copies and kernels on several streams, each waiting for the previous one."""
    blocks, shape, kernels = program.launches[number]
    arguments = effects.arguments(program, blocks, shape)
    choices = random.Random(program.seed)
    streams = [cuda.stream(), cuda.stream(), cuda.default_stream()]
    last = choices.choice(streams)
    here = [cuda.to_device(a, stream=last) if isinstance(a, np.ndarray) else a for a in arguments]
    for kernel in kernels:
        stream = choices.choice(streams)
        if streams[2] not in (stream, last):  # for which all others wait
            put_behind(stream, last, choices)
        getattr(module, kernel)[blocks, shape, stream](*here)
        here[FLAG].copy_to_device(arguments[FLAG], stream=stream)
        last = stream
    last.synchronize()
    return [a.copy_to_host() for a in here if not isinstance(a, int)]


def put_behind(stream, last, choices):
    """Has a stream wait for what another one has to do."""
    if stream is last:
        return
    if choices.random() < 0.2:
        last.synchronize()
    else:
        event = cuda.event()
        event.record(last)
        event.wait(stream)


def differences(expected, found):
    lines = []
    for name, want, have in zip(effects.PARAMETERS, expected, found):
        where = np.flatnonzero(want != have)
        if where.size:
            shown = ", ".join(f"[{k}] {have.flat[k]} instead of {want.flat[k]}" for k in where[:4])
            lines.append(f"{name}: {where.size} of {want.size} differ: {shown}")
    return lines


def compare(program, expected):
    """Lines that report the launches in which Treadle and the model differ."""
    lines = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        module = sources.load(program.source, folder)
        for number, want in enumerate(expected):
            found = run_treadle(program, module, number)
            lines += [f"{program.launches[number]}: {line}" for line in differences(want, found)]
    return lines


def expect(program, order="up", spin=None, apart=None):
    functions = simt_source.load(zeroed(program.source), program.spins if spin is None else spin)
    options = {"order": order, "apart": apart}
    return [run_model(program, functions, number, options) for number in range(len(program.launches))]


def races(program, expected):
    """Whether the result depends on the order in which threads take turns."""
    for order in ("up", "down", 7):
        for first, other in zip(expected, expect(program, order, simt_source.EVERYWHERE)):
            if other is None or differences(first, other):
                return True
    return False


def aligned_barriers(program, apart):
    """Lines with PTX barriers that whole warps must reach together but do not: those of each kernel in `apart`."""
    found = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        module = sources.load(program.source, folder)
        first = sources.HEADER.count("\n") + 1
        for name, lines in apart.items():
            kernel = getattr(module, name)
            signature = tuple(type_of(value) for value in effects.arguments(program, 1, (1,)))
            ptx, _ = cuda.compile_ptx(kernel.py_func, signature, lineinfo=True, rules=program.rules)
            found += [f"PTX, line {n - first}: {text}" for n, text in barriers_of(ptx) if n - first in lines and
                      not re.match(r"barrier(\.cta)?\.(sync|red)(?!\.aligned)", text)]  # fmt: skip
    return found


def barriers_of(ptx):
    """(line of the source, instruction) of the barriers in PTX with lines."""
    line = 0
    for text in map(str.strip, ptx.splitlines()):
        if located := re.match(r"\.loc\s+\d+ (\d+)", text):
            line = int(located[1])
        elif re.match(r"(bar|barrier)\.", text):
            yield line, text


def work(item):
    """`item`: a seed, or ["races", seed]. {"differences": [...], ...} or {"rejected": why}."""
    if isinstance(item, list):
        program = make(item[1])
        return {"differences": ["the order of threads matters"] * races(program, expect(program))}
    program, apart = make(item), {}
    expected = expect(program, apart=apart)
    if None in expected:
        return {"rejected": "deadlock"}
    if stand_in.is_under_test() and (any(apart.values()) or is_slow(program)):
        return {"rejected": SLOW if is_slow(program) else HANGS}
    lines = compare(program, expected)
    if lines and races(program, expected):
        return {"rejected": "race"}
    if any(apart.values()):
        lines += aligned_barriers(program, apart)
    return {"differences": lines, "used": program.used, "statements": statements_in(program.source)}


def is_slow(program):
    threads = max(blocks * np.prod(shape) for blocks, shape, _ in program.launches)
    return "lock for all threads" in program.used and threads > 200


def statements_in(source):
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(source)))


# --- smaller programs -------------------------------------------------------------------------------------------------


def environment_of(seed):
    return {}


def ways(program):
    """The numbers of its launches."""
    return range(len(program.launches))


def program_of(seed, source, number):
    program = make(seed)
    program.source, program.launches = source, [program.launches[number]]
    return program


def is_valid(seed, source, number):
    if not keeps_apart(make(seed).source, source):
        return False
    program = program_of(seed, source, number)
    program.spins = True  # without turns, an endless loop would hang the model
    expected = expect(program)
    return None not in expected and not races(program, expected)


def failure(seed, source, number):
    program = program_of(seed, source, number)
    return "differs" if compare(program, expect(program)) else ""


# What keeps each thread's cells separate: these lines are kept unchanged or removed.
NUMBERS_OF_THREADS = re.compile(r"    (?:t|i|w|b|blk|size|total) = .*")


def keeps_apart(source, text):
    """Whether each thread of a smaller program still has its own cells."""
    if not set(NUMBERS_OF_THREADS.findall(text)) <= set(NUMBERS_OF_THREADS.findall(source)):
        return False
    for node in ast.walk(ast.parse(text)):
        pairs = [(node.value, node.slice)] if isinstance(node, ast.Subscript) else []
        if isinstance(node, ast.Call):
            pairs = zip(node.args, node.args[1:])
        if any(not is_own(array, index) for array, index in pairs):
            return False
    return True


def is_own(array, index):
    """Whether an index names the thread, for arrays in which each thread has its own elements."""
    if not isinstance(array, ast.Name) or array.id not in ("own", "c", "res", "out"):
        return True
    names = {each.id for each in ast.walk(index) if isinstance(each, ast.Name)}
    if array.id == "res":
        return any(name.startswith("j") for name in names)
    return bool(names & {"i", "w", "b", "k"})
