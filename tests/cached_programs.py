"""Programs that are run again: what a later one finds in the cache that an earlier one has filled."""

import json
import textwrap
from collections import namedtuple

import processes

# Launches kernels.k, and prints what it gives and how much was compiled for that.
MAIN = """
import json
import sys
import warnings
from array import array
from treadle import _core, cuda, errors

def launch(kernel, *arguments, blocks=1, threads=4):
    kernel[blocks, threads](*arguments)
    cuda.synchronize()

def values(kernel, *arguments, type="f", size=4):
    out = array(type, [0] * size)
    launch(kernel, out, *arguments)
    return out.tolist()

def say(result, kernel):
    print(json.dumps([result, *_core.compilation_counts(kernel)]))

import kernels
"""
PLAIN = MAIN + "say(values(kernels.k), kernels.k)\n"

KERNEL = """
from treadle import cuda

N = 3

@cuda.jit(device=True)
def helper(i):
    return i * N

@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = helper(i) + 1
"""

Said = namedtuple("Said", ("result", "inferred", "generated"))
HIT = (0, 0)


class Folder:
    """A program's folder, and that of its compilation cache."""

    def __init__(self, path, run_python):
        self.path = path
        self.cache = path / "kept"
        self._run = run_python
        self.write("kernels.py", KERNEL)

    def write(self, name, text):
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_text(textwrap.dedent(text))

    def edit(self, old, new, name="kernels.py"):
        text = (self.path / name).read_text()
        assert old in text
        (self.path / name).write_text(text.replace(old, new))

    def environment(self, **settings):
        return {
            "TREADLE_CODE_CACHE_LIMIT": str(1 << 30),
            "TREADLE_CODE_CACHE_DIR": str(self.cache),
            "PYTHONPATH": processes.python_path(self.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            **settings,
        }

    def run(self, program=PLAIN, **settings):
        return self._run(program, **self.environment(**settings))

    def say(self, program=PLAIN, **settings):
        return Said(*json.loads(self.run(program, **settings)))

    def entries(self):
        return sorted(self.cache.rglob("*.entry"))


def hits(said):
    return (said.inferred, said.generated) == HIT


def twice(folder, program=PLAIN, **settings):
    """What the second of two processes says, which finds all and computes the same."""
    first = folder.say(program, **settings)
    second = folder.say(program, **settings)
    assert not hits(first)
    assert second.result == first.result
    return second
