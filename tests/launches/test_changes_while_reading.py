"""What code of the user's, or another thread, changes while it is read or used: then or now, never freed memory.

Each case runs in a child, as what it looks for ends the process.
"""

import pytest

HEAD = """
import threading, time, warnings
import numpy as np
warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2.5's, of assignments to a shape and a dtype
from treadle import cuda

class Shown:
    \"\"\"Of another library; what it shows changes something else.\"\"\"
    def __init__(self, inner, change):
        self.inner, self.change = inner, change
    @property
    def __cuda_array_interface__(self):
        self.change()
        self.others = [np.zeros((7, 9)) for _ in range(200)]  # which take memory that was freed
        return self.inner.__cuda_array_interface__
"""

CASES = {
    "defaults of a function that is launched": """
size, turns = 1 << 20, 60

@cuda.jit
def total(out, turns, table=np.full(size, 3.0)):
    found = 0.0
    for _ in range(turns):
        for i in range(table.shape[0]):
            found += table[i]
    out[0] = found

out = np.zeros(1)
total[1, 1](out, 1)
def replace():
    while out[0] == 3.0 * size:
        time.sleep(0.01)
        total.py_func.__defaults__ = (np.zeros(4),)
thread = threading.Thread(target=replace)
thread.start()
total[1, 1](out, turns)
out, done = np.zeros(1), out
thread.join()
print(done[0] == 3.0 * size * turns)
""",
    "defaults that reading one of them replaces": """
class Default:
    @property
    def __cuda_array_interface__(self):
        look.py_func.__defaults__ = (1, 2)
        self.others = [(k, k) for k in range(1000)]
        return kept.__cuda_array_interface__

kept = cuda.to_device(np.ones(3))

@cuda.jit
def look(out, first=Default(), second=np.full(5, 2.0)):
    out[0] = first[0] + second[4]

ok = True
defaults = look.py_func.__defaults__
for _ in range(50):
    look.py_func.__defaults__ = (Default(), np.full(5, 2.0))
    out = np.zeros(1)
    look[1, 1](out)
    ok = ok and out[0] == 3.0
print(ok)
""",
    "a shape": """
@cuda.jit
def look(x, y, out):
    out[0] = x.ndim
    out[1] = x.shape[0]
    out[2] = x.strides[0]

y = cuda.to_device(np.zeros(1))
look[1, 1](np.ones(8), y, np.zeros(3))
found = set()
for k in range(50):
    x, out = np.ones(8), np.zeros(3)
    def change():
        x.shape = (2, 2, 2)
    look[1, 1](x, Shown(y, change), out)
    found.add(tuple(out.tolist()))
print(found <= {(1, 8, 8), (3, 2, 32)})
""",
    "a dtype": """
@cuda.jit
def look(x, y, out):
    out[0] = x.size
    out[1] = x[x.size - 1]

y = cuda.to_device(np.zeros(1))
found = set()
for k in range(50):
    x, out = np.ones(64, "f8"), np.zeros(2)
    def change():
        x.dtype = "V1"
        x.dtype = "f4"
    look[1, 1](x, Shown(y, change), out)
    found.add(tuple(out.tolist()))
print(found == {(64, 1.0)})
""",
    "a grid": """
@cuda.jit
def count(x):
    cuda.atomic.add(x, 0, 1)

class Shrinking:
    def __init__(self, extents):
        self.extents = extents
    def __index__(self):
        self.extents.clear()
        self.others = [[7, 7] for _ in range(1000)]
        return 2

found = set()
for _ in range(200):
    grid = []
    grid.extend([Shrinking(grid), 3, 4])
    found.add(str(count[grid, 1].griddim))
print(found == {"(2, 3, 4)"})
""",
    "the members of an interface": """
stream = cuda.stream()

class Record:
    def __init__(self, inner):
        shown = dict(inner.__cuda_array_interface__)
        class Fields(list):
            def __iter__(self):
                shown.clear()
                return list.__iter__(self)
        shown["descr"] = Fields(shown["descr"])
        shown["stream"] = int(str(stream.handle))  # an object that nobody else has
        self.__cuda_array_interface__ = shown

kind = np.dtype([("a", "f4"), ("b", "i4")])
x = cuda.to_device(np.array([(1, 2), (3, 4)], kind))
for _ in range(20):
    y = cuda.as_cuda_array(Record(x))
    assert y.dtype == kind and y.copy_to_host().tolist() == [(1, 2), (3, 4)]
print(True)
""",
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_there_counts(run_python, case):
    assert run_python(HEAD + CASES[case], PYTHONMALLOC="malloc", MALLOC_PERTURB_="85") == "True\n"
