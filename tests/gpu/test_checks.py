"""What kernels say: errors of debug kernels with their place and thread, and what they print."""

import inspect

import numpy as np
import pytest
from treadle import cuda


@cuda.jit(debug=True)
def beyond(x):
    i = cuda.grid(1)
    x[i + 5] = 1  # here


@cuda.jit(debug=True)
def raising(x):
    i = cuda.grid(1)
    if x[i] < 0:
        raise ValueError("negative")
    x[i] += 1


@cuda.jit(debug=True)
def divided(x):
    x[cuda.grid(1)] //= x[0]


def line_of(kernel, mark):
    lines, first = inspect.getsourcelines(kernel.py_func)
    return first + next(place for place, line in enumerate(lines) if mark in line)


def test_an_index_out_of_bounds_has_its_place_and_thread():
    with pytest.raises(IndexError) as caught:
        beyond[3, 8](np.zeros(26))
    text = str(caught.value)
    assert __file__ in text and f"line {line_of(beyond, '# here')}" in text
    assert (
        "tid=[5, 0, 0] ctaid=[2, 0, 0]" in text
        or "tid=[6, 0, 0] ctaid=[2, 0, 0]" in text
        or ("tid=[7, 0, 0] ctaid=[2, 0, 0]" in text)
    )


def test_an_exception_of_the_kernel():
    x = np.zeros(64)
    x[37] = -1
    with pytest.raises(ValueError) as caught:
        raising[2, 32](x)
    assert caught.value.args == ("tid=[5, 0, 0] ctaid=[1, 0, 0]: negative",)


def test_a_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        divided[1, 32](np.zeros(32, np.int64))


def test_the_device_works_after_errors():
    device = cuda.to_device(np.full(32, -1.0))
    for stream in (0, cuda.stream()):
        with pytest.raises(ValueError):
            raising[1, 32, stream](device)
            cuda.synchronize()
    raising[1, 32](cuda.to_device(np.zeros(32)))
    cuda.synchronize()


PRINTS = """
import numpy as np
from treadle import cuda

@cuda.jit
def says(x):
    i = cuda.grid(1)
    if i % 16 == 3:
        print("thread", i, x[i], x[i] > 5)

says[1, 32](np.arange(32) / 2)
cuda.synchronize()
"""


def test_print(run_python):
    lines = set(run_python(PRINTS).splitlines())
    assert lines == {"thread 3 1.500000 False", "thread 19 9.500000 True"}
