# Runs every kernel file: on the CPU device, through FileCheck, and through ptxas.
"""A file has `run()`, which launches and asserts; and `PTX`, a list of (kernel, signature), or (kernel, signature,
facts), to be compiled to PTX.

`# CHECK-PTX:` lines are next to the statements they check and are matched against the PTX of the list in order.
"""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from treadle import cuda

FOLDER = Path(__file__).parent
NO_KERNELS = ("__init__", "halves", "harness", "simulate", "test_kernels", "test_cpu_code")
FILES = sorted(p for p in FOLDER.glob("*.py") if p.stem not in NO_KERNELS)
DIRECTIVE = re.compile(r"# CHECK-PTX(-NEXT|-NOT|-SAME|-DAG|-LABEL|-COUNT-\d+)?:")


def load(path):
    spec = importlib.util.spec_from_file_location(f"kernels.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_result(path):
    load(path).run()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_ptx(path, assemble, filecheck):
    module = load(path)
    targets = getattr(module, "TARGETS", ("sm_90",))
    for target in targets:
        cc = (int(target[3:-1]), int(target[-1]))
        texts = [
            cuda.compile_ptx(kernel, signature, cc=cc, facts=dict(*facts))[0]
            for kernel, signature, *facts in module.PTX
        ]
        for text in texts:
            assemble(text, target)
        if target == targets[-1]:
            check_directives(path, "\n".join(texts), filecheck)


def check_directives(path, ptx, filecheck):
    """Fails for a directive that FileCheck would not see, or that matches nothing."""
    lines = [line for line in path.read_text().splitlines() if "CHECK" in line]
    for line in lines:
        assert DIRECTIVE.search(line), f"{path.name}: '{line.strip()}' is no directive"
    if not lines:
        return
    assert any("-NOT:" not in line for line in lines), f"{path.name}: CHECK-PTX-NOT lines alone match anything"
    command = [filecheck, "--check-prefix=CHECK-PTX", "--comment-prefixes=NEVER", str(path)]
    result = subprocess.run(command, input=ptx, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stderr}\n{ptx}"
