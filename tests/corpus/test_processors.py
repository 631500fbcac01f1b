"""The kernels of tests/kernels and tests/algorithms, and random programs over numbers, on processors, and with numbers
of lanes, that this machine does not choose for them."""

import os
import sys

import pytest
from processes import run

pytestmark = pytest.mark.deep

BY_TURNS = ["x86-64", "x86-64-v2", "x86-64-v4"]
PROCESSORS = [
    *(pytest.param(name, marks=pytest.mark.share) for name in BY_TURNS),
    pytest.param("x86-64-v3", marks=pytest.mark.share(every=2)),
    pytest.param("", marks=pytest.mark.share(every=4)),
]
"""As LLVM names them; the last is this machine's."""
# What a processor that this machine cannot stand for says when something is compiled.
PROBE = "from treadle import cuda; cuda.jit('void(int64[:])')(lambda x: None)"
TESTS = ["tests/kernels", "tests/algorithms", "tests/programs/test_numbers.py", "-k", "not ptx"]


@pytest.mark.parametrize("lanes", [pytest.param("16", marks=pytest.mark.share), "32"])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_kernels(processor, lanes):
    environment = {**os.environ, "TREADLE_CPU": processor, "TREADLE_CPU_LANES": lanes}
    probe = run([sys.executable, "-c", PROBE], timeout=60, env=environment)
    if "this machine has not" in probe.stderr:
        pytest.skip(f"this machine is no {processor}")
    assert probe.returncode == 0, probe.stderr
    done = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS], timeout=1200, env=environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
