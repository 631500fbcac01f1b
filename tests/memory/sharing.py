"""What another process does with handles of memory: a program with the handle, and one that they come to by a queue."""

import base64
import pickle
import sys

from treadle import cuda

HEAD = """
import base64, gc, pickle, sys
import numpy as np
from treadle import cuda, errors
from treadle.cuda.cudadrv import driver

@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value

def error_of(call, kind):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError("it raises nothing")

handle = pickle.loads(base64.b64decode(sys.stdin.readline()))
"""


def in_child(handle, program):
    """What a program prints that has the handle, in another process."""
    import processes

    given = base64.b64encode(pickle.dumps(handle)).decode()
    done = processes.run([sys.executable, "-c", HEAD + program], 60, input=given + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def add_when(flag, x, value):
    while flag[0] == 0:
        cuda.threadfence_system()
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


def serve(given, answers):
    """Answers each handle with the array's elements, and adds 100 to them, until None comes."""
    while (handle := given.get()) is not None:
        with handle as x:
            answers.put(x.copy_to_host().tolist())
            add[1, 32](x, 100)
