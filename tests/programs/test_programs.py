# The generator of random programs: what it makes has no races, and smaller programs have none either.

import children
import pytest

from programs import generator, reduce, worker

FIRST_SEED = 9_000_000


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


def test_race_is_seen():
    program = generator.make(FIRST_SEED)
    program.source, program.launches, program.layout = RACE, [(1, (32,), ["kernel"])], "flat"
    assert worker.races(program, worker.expect(program))


def test_smaller_programs_keep_threads_apart():
    source = "def kernel(own, i):\n    own[i] = 1 + tick(own, i)\n"
    assert reduce.keeps_apart(source, "def kernel(own, i):\n    own[i] = 1\n")
    assert not reduce.keeps_apart(source, "def kernel(own, i):\n    own[1] = 1\n")
    assert not reduce.keeps_apart(source, "def kernel(own, i):\n    tick(own, 1)\n")
