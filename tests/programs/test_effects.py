"""Random programs whose operands have effects, on the CPU device and on the model: all results must be equal.

TREADLE_PROGRAMS_KERNELS: number of random programs; TREADLE_PROGRAMS_SEED: the first one's seed.
"""

import statistics
from collections import Counter

import pytest
import stand_in

from programs.grammar import effects
from programs.judged import judged, seeds
from programs.judges import effects as judge

QUICK, DEEP, QUARTER = 60, 2000, 500
FIRST_SEED = 9_000_000
# The constructs of programs; a run of all programs includes each of them.
EVERYTHING = {
    "atomic operation", "atomic operation in shared memory", "atomic operation on an own element",
    "augmented element", "barrier", "barrier before a return", "barrier in an operand", "call: exchange",
    "call: guarded exchange", "call: meeting", "call: plain", "call: recursive", "captured array",
    "chain of arms that assign", "chained comparison", "cuda-python rules", "effect in an operand",
    "effect of a uniform call", "else of a loop", "endless loop around a barrier", "exchange", "for",
    "function of a factory", "functions of both rules", "functions that call twice", "in",
    "index near the end of int64", "item of a tuple", "item of a tuple with a name", "local array",
    "loop around a barrier", "return", "rows of shared memory", "slice", "store", "strided loop", "tuples compared",
    "unassigned variable", "view of shared memory", "vote", "waiting loop", "while", "window that moves",
    "wrapped index",
}  # fmt: skip


def check(chosen):
    """(programs that ran each construct, statements of each, why some had no result); fails if results differ."""
    used, statements, rejected = Counter(), [], Counter()
    for result in judged("effects", chosen, limit=30.0):
        if "rejected" in result:
            rejected[result["rejected"]] += 1
        else:
            used.update(set(result["used"]))
            statements.append(result["statements"])
    return used, statements, rejected


def test_some_programs():
    used, statements, rejected = check(seeds(FIRST_SEED, QUICK))
    assert not rejected.keys() - ({judge.HANGS, judge.SLOW} if stand_in.is_under_test() else set())
    assert statements
    assert used


@pytest.mark.deep
@pytest.mark.share(every=4)
@pytest.mark.parametrize("quarter", range(4))
def test_programs_with_effects(capsys, quarter):
    chosen = seeds(FIRST_SEED, QUARTER, quarter)
    used, statements, rejected = check(chosen)
    with capsys.disabled():
        print(f"\n{chosen}, {statistics.median(statements)} statements in the median")
        print("\n".join(f"{n:>9,}  {what}" for what, n in used.most_common()))
    assert not rejected
    if len(chosen) >= QUARTER:
        assert statistics.median(statements) >= 15


@pytest.mark.deep
def test_programs_have_everything():
    used = Counter()
    for seed in range(FIRST_SEED, FIRST_SEED + DEEP):
        used.update(effects.make(seed).used.keys())
    assert used.keys() >= EVERYTHING


def test_program_is_the_same_for_equal_seeds():
    assert effects.make(FIRST_SEED) == effects.make(FIRST_SEED)


def test_turns_of_threads_do_not_matter():
    for seed in range(FIRST_SEED, FIRST_SEED + 12):
        program = effects.make(seed)
        assert not judge.races(program, judge.expect(program)), f"seed {seed} is a race"


@pytest.mark.deep
@pytest.mark.share(every=4)
@pytest.mark.parametrize("quarter", range(4))
def test_turns_of_threads_never_matter(quarter):
    first = FIRST_SEED + quarter * 125
    judged("effects", [["races", seed] for seed in range(first, first + 125)], limit=60.0)


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
    program = effects.make(FIRST_SEED)
    program.source, program.launches, program.layout = source, [(1, (32,), ["kernel"])], "flat"
    assert judge.races(program, judge.expect(program))


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
    program = effects.make(FIRST_SEED)
    program.source, program.launches, program.layout = TWO_KERNELS, [(1, (32,), ["kernel", "other"])], "flat"
    program.rules, apart = None, {}
    judge.expect(program, apart=apart)
    assert not apart["kernel"]
    assert not judge.aligned_barriers(program, apart)
    assert judge.aligned_barriers(program, {"kernel": apart["other"]})


def test_smaller_programs_keep_threads_apart():
    source = "def kernel(own, i):\n    own[i] = 1 + tick(own, i)\n"
    assert judge.keeps_apart(source, "def kernel(own, i):\n    own[i] = 1\n")
    assert not judge.keeps_apart(source, "def kernel(own, i):\n    own[1] = 1\n")
    assert not judge.keeps_apart(source, "def kernel(own, i):\n    tick(own, 1)\n")
