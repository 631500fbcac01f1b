"""A time limit for each test of this folder: a kernel whose threads wait for each other forever ends the process."""

import faulthandler
import sys

import pytest

SECONDS = 120


@pytest.fixture(autouse=True)
def time_limit():
    faulthandler.dump_traceback_later(SECONDS, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()
