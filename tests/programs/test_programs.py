"""Random programs whose operands have effects, on the CPU device and on the model: all results must be equal.

TREADLE_PROGRAMS_KERNELS: number of random programs; TREADLE_PROGRAMS_SEED: the first one's seed.
"""

import os
import statistics
from collections import Counter

import children
import pytest
import stand_in

from programs import generator, reduce, worker

QUICK, DEEP = 60, 2000
FIRST_SEED = 9_000_000
# The constructs of programs; a run of all programs includes each of them.
EVERYTHING = {
    "atomic operation", "atomic operation in shared memory", "atomic operation on an own element",
    "augmented element", "barrier", "barrier before a return", "barrier in an operand", "call: exchange",
    "call: guarded exchange", "call: meeting", "call: plain", "call: recursive", "captured array",
    "chained comparison", "cuda-python rules", "effect in an operand", "effect of a uniform call", "else of a loop",
    "endless loop around a barrier", "exchange", "for", "function of a factory", "functions of both rules", "in",
    "item of a tuple", "item of a tuple with a name", "local array", "loop around a barrier", "return",
    "rows of shared memory", "slice", "store", "strided loop", "tuples compared", "view of shared memory", "vote",
    "waiting loop", "while", "wrapped index",
}  # fmt: skip


# Hundreds of threads try one lock again and again: right, but after four minutes on the machine for PTX.
SLOW_ON_THE_STAND_IN = {9_000_351}


def problem_of(result):
    """What went wrong, as text; "" if nothing did."""
    return result.get("crash") or result.get("error") or "\n".join(result.get("differences", []))


def check(first, count):
    """(programs that ran each construct, statements of each, why some had no result); fails if results differ."""
    used, statements, rejected, failures = Counter(), [], Counter(), []
    left_out = SLOW_ON_THE_STAND_IN if stand_in.is_under_test() else set()
    chosen = [seed for seed in range(first, first + count) if seed not in left_out]
    for seed, result in children.run("programs.worker", chosen, limit=30.0):
        problem = problem_of(result)
        if problem:
            failures.append(f"seed {seed} (python -m programs.reduce {seed}, in tests/):\n{problem}")
        elif "rejected" in result:
            rejected[result["rejected"]] += 1
        else:
            used.update(set(result["used"]))
            statements.append(result["statements"])
    assert not failures, f"{len(failures)} of {count} programs went wrong\n" + "\n".join(failures[:8])
    return used, statements, rejected


def seeds(default):
    count = int(os.environ.get("TREADLE_PROGRAMS_KERNELS", default))
    return int(os.environ.get("TREADLE_PROGRAMS_SEED", FIRST_SEED)), count


def test_some_programs():
    used, statements, rejected = check(*seeds(QUICK))
    assert not rejected.keys() - {worker.HANGS}
    assert statements
    assert used


@pytest.mark.deep
def test_programs_with_effects(capsys):
    first, count = seeds(DEEP)
    used, statements, rejected = check(first, count)
    with capsys.disabled():
        print(f"\n{count} programs from seed {first}, {statistics.median(statements)} statements in the median")
        print("\n".join(f"{n:>9,}  {what}" for what, n in used.most_common()))
    assert not rejected
    if count >= DEEP:
        assert used.keys() >= EVERYTHING
        assert statistics.median(statements) >= 15


def test_program_is_the_same_for_equal_seeds():
    assert generator.make(FIRST_SEED) == generator.make(FIRST_SEED)


def test_turns_of_threads_do_not_matter():
    for seed in range(FIRST_SEED, FIRST_SEED + 12):
        program = generator.make(seed)
        assert not worker.races(program, worker.expect(program)), f"seed {seed} is a race"


@pytest.mark.deep
def test_turns_of_threads_never_matter():
    items = [["races", seed] for seed in range(FIRST_SEED, FIRST_SEED + 500)]
    for item, result in children.run("programs.worker", items, limit=60.0):
        assert result == {"races": False}, f"seed {item[1]}: {result}"


RACE = """
@cuda.jit()
def kernel(out, own, acc, data, res, flag, n, m):
    i = cuda.grid(1)
    own[0] = i
    out[i] = own[0]
"""


# Whatever the memory holds, one of the orders has another value there.
UNWRITTEN = """
@cuda.jit()
def kernel(out, own, acc, data, res, flag, n, m):
    i = cuda.grid(1)
    a = cuda.local.array(8, int64)
    out[i] = 1 if a[3] else 2
"""


@pytest.mark.parametrize("source", [RACE, UNWRITTEN])
def test_race_is_seen(source):
    program = generator.make(FIRST_SEED)
    program.source, program.launches, program.layout = source, [(1, (32,), ["kernel"])], "flat"
    assert worker.races(program, worker.expect(program))


# One function, in which the threads of the first kernel meet and those of the second one do not.
TWO_KERNELS = """
@cuda.jit(device=True)
def meet(c, k):
    cuda.syncthreads()
    c[k] += 1

@cuda.jit()
def kernel(out, own, acc, data, res, flag, n, m):
    meet(out, cuda.grid(1))

@cuda.jit()
def other(out, own, acc, data, res, flag, n, m):
    i = cuda.grid(1)
    if i < 7:
        meet(out, i)
    else:
        cuda.syncthreads()
"""


def test_each_kernel_has_its_own_barriers_at_which_lanes_are_apart():
    program = generator.make(FIRST_SEED)
    program.source, program.launches, program.layout = TWO_KERNELS, [(1, (32,), ["kernel", "other"])], "flat"
    program.rules, apart = None, {}
    worker.expect(program, apart=apart)
    assert not apart["kernel"]
    assert not worker.aligned_barriers(program, apart)
    assert worker.aligned_barriers(program, {"kernel": apart["other"]})


def test_smaller_programs_keep_threads_apart():
    source = "def kernel(own, i):\n    own[i] = 1 + tick(own, i)\n"
    assert reduce.keeps_apart(source, "def kernel(own, i):\n    own[i] = 1\n")
    assert not reduce.keeps_apart(source, "def kernel(own, i):\n    own[1] = 1\n")
    assert not reduce.keeps_apart(source, "def kernel(own, i):\n    tick(own, 1)\n")
