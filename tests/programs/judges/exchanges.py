# Judges kernels that exchange values by the model of CUDA's threads. Where that finds a deadlock, Treadle must raise.

from dataclasses import replace

import stand_in
from cooperation import simt_model, worker

from programs.grammar.exchanges import make

HANGS = "a GPU hangs"  # docs/ptx.md: lanes of one warp at different barriers


def work(seed):
    """{"differences": [...], ...} or {"rejected": why}."""
    program, apart = make(seed), set()
    try:
        expected, races = worker.in_every_order(program.case, apart)
    except simt_model.Undefined as reason:
        return {"rejected": f"undefined: {reason}"}
    if races:
        return {"rejected": "race"}
    if stand_in.is_under_test() and (apart or None in expected):
        return {"rejected": HANGS}
    lines = worker.compare(program.case, expected)
    return {"differences": lines, "used": program.used, "deadlocks": None in expected}


# --- smaller programs -------------------------------------------------------------------------------------------------


def environment_of(seed):
    return {}


def ways(program):
    """The numbers of its launches."""
    return range(len(program.case.launches))


def case_of(seed, source, number):
    case = make(seed).case
    return replace(case, source=source, launches=[case.launches[number]])


def is_valid(seed, source, number):
    _, races = worker.in_every_order(case_of(seed, source, number))
    return not races


def failure(seed, source, number):
    case = case_of(seed, source, number)
    return "differs" if worker.compare(case, worker.in_order(case)) else ""
