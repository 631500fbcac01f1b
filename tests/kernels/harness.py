# check(): launches a kernel on the device, simulates it in Python, and compares the results.

import contextlib
import copy
import io
import os
import sys
import tempfile

import numpy as np
import stand_in
from treadle import cuda

from kernels.simulate import Simulation

ALL_TARGETS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
"""For files whose PTX is assembled for every architecture: `TARGETS = ALL_TARGETS`."""


def _copies(arguments):
    """Copies that overlap in the same way as the originals."""
    return copy.deepcopy(list(arguments)) if not _overlap(arguments) else _copies_that_overlap(arguments)


def _overlap(arguments):
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    return any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k]) or any(
        a.base is not None for a in arrays
    )


def _copies_that_overlap(arguments):
    bases = {}

    def copy_of(value):
        if not isinstance(value, np.ndarray):
            return value
        base = value
        while isinstance(base.base, np.ndarray):
            base = base.base
        new = bases.setdefault(id(base), base.copy(order="K"))
        where = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        view = np.ndarray(value.shape, value.dtype, new.data if new.flags.c_contiguous else new.T.data, where,
                          value.strides)  # fmt: skip
        view.flags.writeable = value.flags.writeable
        return view

    return [copy_of(a) for a in arguments]


def check(kernel, grid, block, *arguments, rtol=0.0):
    """Launches the kernel and simulates it on copies: afterwards the arrays must be equal (floats within `rtol`)."""
    expected, found = _copies(arguments), _copies(arguments)
    with np.errstate(all="ignore"):
        Simulation().run(kernel, grid, block, *expected)
    kernel[grid, block](*found)
    for position, (want, have) in enumerate(zip(expected, found, strict=True)):
        if isinstance(want, np.ndarray):
            note = f"argument {position} of {kernel.py_func.__name__}, grid {grid}, block {block}"
            np.testing.assert_allclose(have, want, rtol=rtol, atol=0, err_msg=note)
    return found


def launch(kernel, grid, block, *arguments, shared=0):
    """Launches the kernel on copies, with `shared` bytes of dynamic shared memory; returns the copies."""
    found = _copies(arguments)
    kernel[grid, block, 0, shared](*found)
    return found


def printed_lines(action):
    """What kernels print during `action`, which waits for them: into sys.stdout; on CUDA the driver writes to the
    process's own output.
    """
    if not stand_in.is_under_test():
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            action()
        return text.getvalue().splitlines()
    sys.stdout.flush()
    own = os.dup(1)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 1)
        try:
            action()
            cuda.synchronize()
        finally:
            os.dup2(own, 1)
            os.close(own)
        file.seek(0)
        return file.read().splitlines()
