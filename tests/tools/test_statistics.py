"""Figures of memory, the counts of launches, and the report of what is alive at exit."""

import os
import subprocess
import sys

import numpy as np
import pytest
from treadle import _core, cuda, errors

MANAGER = cuda.current_context().memory_manager


def grown(name, before):
    return MANAGER.figures()[name] - before[name]


def test_the_peak_stays_until_it_is_reset():
    MANAGER.reset_peak()
    before = MANAGER.figures()
    assert before["peak_bytes"] == before["live_bytes"]
    a, b = cuda.device_array(100_000, np.uint8), cuda.device_array(50_000, np.uint8)
    most = MANAGER.figures()["live_bytes"]
    assert grown("live_bytes", before) >= 150_000
    del a, b
    small = cuda.device_array(1000, np.uint8)
    assert MANAGER.figures()["peak_bytes"] == most
    MANAGER.reset_peak()
    assert MANAGER.figures()["peak_bytes"] == MANAGER.figures()["live_bytes"] < most
    del small


def test_allocations_and_those_that_the_cache_serves_are_counted():
    MANAGER.deallocations.clear()
    MANAGER.trim()
    before = MANAGER.figures()
    first = cuda.device_array(123_456, np.uint8)
    assert (grown("allocations", before), grown("cache_hits", before)) == (1, 0)
    del first
    MANAGER.deallocations.clear()
    second = cuda.device_array(123_456, np.uint8)
    assert (grown("allocations", before), grown("cache_hits", before)) == (2, 1)
    del second


def test_an_allocation_that_fails_is_not_counted():
    before = MANAGER.figures()
    with pytest.raises(errors.CudaAPIError):
        cuda.device_array(1 << 46, np.uint8)
    assert grown("allocations", before) == 0 and grown("peak_bytes", before) == 0


def test_launches_are_counted_by_configuration():
    @cuda.jit
    def nothing():
        pass

    stream = cuda.stream()
    for _ in range(3):
        nothing[2, 32]()
    nothing[(1, 2), (4, 8), stream, 16]()
    nothing[2, 32, stream]()
    assert _core.launch_counts(nothing) == [((2, 1, 1), (32, 1, 1), 0, 4), ((1, 2, 1), (4, 8, 1), 16, 1)]
    for blocks in range(1, 101):
        nothing[blocks, 64]()
    counts = _core.launch_counts(nothing)
    assert len(counts) == 65 and counts[-1] == (None, None, 0, 38)
    assert sum(count for *_, count in counts) == 105


HEAD = """
import numpy as np
from treadle import cuda

def make(n):
    return cuda.device_array(n, np.uint8)

"""


def stderr_of(program, **settings):
    environment = {**os.environ, **settings}
    result = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stderr


def test_the_report_lists_what_is_alive_by_place():
    program = """
kept = [make(1000) for _ in range(3)]
dropped = make(500)
del dropped
other = cuda.to_device(np.ones(10))
loop = [cuda.device_array(7, np.uint8)]
loop.append(loop)
del loop
"""
    kind = _core.device_kind(0)
    assert stderr_of(program, TREADLE_LEAK_REPORT="1") == (
        "treadle: leak report: 4 allocations are alive at exit, 3080 bytes\n"
        f"  device 0 ({kind}): 3000 bytes (3 x 1000), allocated at <string>:6\n"
        f"  device 0 ({kind}): 80 bytes, allocated at <string>:12\n"
    )


def test_the_report_says_so_where_nothing_is_alive():
    said = "treadle: leak report: no device memory is alive at exit\n"
    assert stderr_of("make(10)", TREADLE_LEAK_REPORT="1") == said
    assert stderr_of("", TREADLE_LEAK_REPORT="1") == said


def test_there_is_no_report_unless_it_is_asked_for():
    assert stderr_of("kept = make(10)") == ""
    assert stderr_of("kept = make(10)", TREADLE_LEAK_REPORT="0") == ""


def test_the_report_comes_behind_handlers_of_the_program():
    program = """
import atexit
kept = make(10)
def end():
    global kept
    del kept
atexit.register(end)
"""
    assert "no device memory" in stderr_of(program, TREADLE_LEAK_REPORT="1")


def test_places_are_recorded_only_for_the_report():
    kept = cuda.device_array(10)
    assert {place for *_, place in _core.live_allocations()} == {""}
    del kept
