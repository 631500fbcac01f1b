# What stays in memory of the arrays that Python computes while kernels are compiled.

import resource

import numpy as np
from treadle import cuda
from treadle.cuda.experimental import consteval


def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def test_arrays_that_only_python_reads_are_not_kept():
    @cuda.jit
    def kernel(out):
        with consteval():
            unread = np.ones(25_000_000)
        out[0] = consteval(int(unread.sum()))

    out = np.zeros(1)
    before = resident_bytes()
    kernel[1, 1](out)
    assert out[0] == 25_000_000
    assert resident_bytes() - before < 100_000_000
