# The order of evaluation in PTX code, on the machine that runs PTX.
import numpy as np
import pytest
import treadle
from kernels import order_around_barriers, order_of_evaluation
from kernels.simulate import Simulation

from ptx import ptx_code

SIGNATURE = treadle._core.Signature([treadle.int64[::1], treadle.int64[:, ::1]], treadle.void)
KERNELS = order_of_evaluation.KERNELS + order_around_barriers.KERNELS


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_is_pythons(kernel):
    threads = 40
    wanted = np.zeros(threads, np.int64), np.zeros((threads, 8), np.int64)
    Simulation().run(kernel, 1, threads, *wanted)
    found = {"c": np.zeros(threads, np.int64), "out": np.zeros((threads, 8), np.int64)}
    ptx_code.load(kernel.py_func, SIGNATURE)((1, 1, 1), (threads, 1, 1), found)
    np.testing.assert_array_equal(found["out"], wanted[1])
    np.testing.assert_array_equal(found["c"], wanted[0])
