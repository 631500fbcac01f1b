"""The names that test suites import from `numba.cuda.testing`: test cases without setup, and skip decorators."""

import contextlib
import io
import sys
import unittest

from treadle import config
from treadle.absent import reporter
from treadle.devices.devices import reset

__all__ = [
    "CUDATestCase", "ContextResettingTestCase", "captured_stdout", "skip_if_external_memmgr", "skip_on_cudasim",
    "skip_unless_cc_50", "skip_unless_cc_53", "skip_unless_cc_60", "skip_unless_cudasim", "xfail_unless_cudasim",
]  # fmt: skip

__getattr__ = reporter(__name__)

_QUIET = ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY")


class CUDATestCase(unittest.TestCase):
    """A test case that launches kernels without warnings of small grids and of copies."""

    def setUp(self):
        self._before = {name: getattr(config, name) for name in _QUIET}
        for name in _QUIET:
            setattr(config, name, 0)

    def tearDown(self):
        for name, value in self._before.items():
            setattr(config, name, value)


class ContextResettingTestCase(CUDATestCase):
    """A test case that resets the devices at its end."""

    def tearDown(self):
        super().tearDown()
        reset()


@contextlib.contextmanager
def captured_stdout():
    """Replaces `sys.stdout` by a `StringIO`, and restores it afterwards; nothing is printed."""
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        yield sys.stdout
    finally:
        sys.stdout = before


def _as_it_is(test):
    return test


def skip_on_cudasim(reason):
    """Returns the test as it is: the CPU device is not a simulator, and compiles kernels as a GPU does."""
    return _as_it_is


def skip_unless_cudasim(reason):
    """Skips the test: nothing is simulated."""
    return unittest.skip(reason)


def xfail_unless_cudasim(test):
    """Expects the test to fail: nothing is simulated."""
    return unittest.expectedFailure(test)


# Every device has these, including the CPU device.
skip_unless_cc_50 = skip_unless_cc_53 = skip_unless_cc_60 = skip_if_external_memmgr = _as_it_is
