# Debug information of the whole corpus: ptxas takes it, and kernels with it give the same results on the CPU device.

import os
import re
import subprocess
import sys

import pytest
from kernels.test_kernels import FILES, load
from processes import run
from treadle import cuda

pytestmark = pytest.mark.deep

# What debug=True makes an error, or files that look at the code itself.
OTHERWISE = {
    "constant_tables", "float16_arithmetic", "float16_math", "functions_of_one_factory", "memory_of_others",
    "raise_in_debug", "rounds_of_blocks", "rows_one_by_one", "streamed_stores", "sums_of_strips", "vectorized_loops",
    "waiting_loops",
}  # fmt: skip


@pytest.mark.share(every=4)
@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_ptxas_takes_it(arch, opt, ptxas, tmp_path):
    source, cc, taken = tmp_path / "kernel.ptx", (int(arch[3:-1]), int(arch[-1])), 0
    for path in FILES:
        module = load(path)
        if arch not in getattr(module, "TARGETS", (arch,)):
            continue
        for kernel, signature, *facts in module.PTX:
            ptx, _ = cuda.compile_ptx(kernel, signature, cc=cc, debug=True, opt=opt, facts=dict(*facts))
            source.write_text(ptx)
            command = [ptxas, "-g", f"-arch={arch}", str(source), "-o", str(tmp_path / "kernel.cubin")]
            done = subprocess.run(command, capture_output=True, text=True)
            # The stack of what recurses, and that -g goes without optimisation.
            rest = re.sub(r"^ptxas warning : (Stack size for|Optimizations? ).*\n|^\n", "", done.stderr, flags=re.M)
            assert done.returncode == 0 and not rest, f"{path.name}: {kernel}\n{done.stderr}"
            taken += 1
    assert taken > 300


def test_results_are_the_same():
    environment = {**os.environ, "TREADLE_DEBUGINFO": "1", "TREADLE_OPT": "0", "TREADLE_DEVICE": "cpu"}
    chosen = "test_result and not " + " and not ".join(sorted(OTHERWISE))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/kernels/test_kernels.py"]
    done = run([*command, "-k", chosen], timeout=1200, env=environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
