"""A failed check is shown where it stands: in the file and the function that have it, wherever its code is emitted."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda

HERE = Path(__file__).name
HELPERS = """
from treadle import cuda

@cuda.jit(device=True, inline=INLINE)
def pick(x, i):
    return x[i]  # pick

@cuda.jit(device=True, inline=INLINE)
def ratio(x, i):
    return 1 // x[i]  # ratio

@cuda.jit(device=True, inline=INLINE)
def item(x, i):
    return (1, 2)[i]  # item

@cuda.jit(device=True, inline=INLINE)
def of_range(x, i):
    return range(3, x.size)[i]  # of_range

@cuda.jit(device=True, inline=INLINE)
def taken(x, i):
    return x.take(i)  # taken

@cuda.jit(device=True, inline=INLINE)
def by_another(x, i):
    return pick(x, i) + 1

@cuda.jit(device=True, inline=INLINE)
def meets(x, i):
    cuda.syncthreads()
    return by_another(x, cuda.threadIdx.x) + x[i]  # meets

@cuda.jit(device=True, inline=INLINE)
def meets_twice(x, i):
    return meets(x, 0) + meets(x, i) // x[i - 2]  # meets_twice

@cuda.jit(device=True, inline=INLINE)
def half_waits(x, i):
    if cuda.threadIdx.x < 16:
        cuda.syncwarp()  # half_waits
    else:
        cuda.syncthreads()

@cuda.jit(device=True)
def deep(x, i):
    if i < 0:
        return x[9]  # deep
    return deep(x, i - 1)
"""


@pytest.fixture(params=["always", "never"])
def helpers(request, tmp_path):
    """A module of its own, with device functions that are emitted in place or as functions of their own."""
    path = tmp_path / "it's helpers.py"
    path.write_text(HELPERS.replace("INLINE", repr(request.param)))
    spec = importlib.util.spec_from_file_location(f"fault_helpers_{request.param}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def place_in(path, function):
    line = 1 + next(i for i, text in enumerate(HELPERS.splitlines()) if text.endswith(f"# {function}"))
    return rf"in line {line}, column \d+ of {function} \({re.escape(str(path))}\)"


@pytest.mark.parametrize(
    "called, fails, index",
    [
        ("pick", "pick", 5), ("item", "item", 2), ("of_range", "of_range", 2), ("taken", "taken", 5),
        ("by_another", "pick", 5), ("deep", "deep", 3),
        ("meets", "meets", 5), ("meets", "meets", -9), ("meets_twice", "meets", 6), ("meets_twice", "meets_twice", -4),
    ],
)  # fmt: skip
def test_faults_of_functions_in_other_files(helpers, called, fails, index):
    function = getattr(helpers, called)

    @cuda.jit(debug=True)
    def kernel(x, i):
        x[0] = function(x, i)

    with pytest.raises(IndexError, match=place_in(helpers.__file__, fails)):
        kernel[1, 4](cuda.to_device(np.ones(5, int)), index)
        cuda.synchronize()


def test_each_function_has_its_own_file(helpers):
    pick, ratio = helpers.pick, helpers.ratio

    @cuda.jit(device=True)
    def near(x, i):
        return x[i]  # near

    @cuda.jit(debug=True)
    def kernel(x, which, i):
        if which == 0:
            x[0] = near(x, i)
        elif which == 1:
            x[0] = ratio(x, i)
        elif which == 2:
            x[0] = pick(x, i)
        else:
            x[i] = 3

    def launch(which, i, values):
        kernel[1, 4](cuda.to_device(np.array(values)), which, i)
        cuda.synchronize()

    line = near.py_func.__code__.co_firstlineno + 2
    of_kernel = rf"^kernel \(.*{HERE}\): "
    launch(0, 1, [1, 2])
    with pytest.raises(IndexError, match=rf"{of_kernel}.* in line {line}, column \d+ of \S+near \(.*{HERE}\)"):
        launch(0, 2, [1, 2])
    with pytest.raises(ZeroDivisionError, match=of_kernel + ".* " + place_in(helpers.__file__, "ratio")):
        launch(1, 1, [1, 0])
    with pytest.raises(IndexError, match=place_in(helpers.__file__, "ratio")):
        launch(1, 2, [1, 0])
    with pytest.raises(IndexError, match=place_in(helpers.__file__, "pick")):
        launch(2, 2, [1, 2])
    own = kernel.py_func.__code__.co_firstlineno + 9
    with pytest.raises(IndexError, match=rf"{of_kernel}.* in line {own}, column \d+, in thread tid=\[0, 0, 0\]"):
        launch(3, 2, [1, 2])


def test_waits_for_ever_in_a_function_of_another_file(helpers):
    half_waits = helpers.half_waits

    @cuda.jit
    def kernel(x):
        half_waits(x, 0)

    with pytest.raises(RuntimeError, match="wait for lanes of their warp.*" + place_in(helpers.__file__, "half_waits")):
        kernel[1, 32](np.zeros(32))
