"""What passes make of kernels, as text: the stage "passes", read by FileCheck.

A file has kernels, and `REPORTS`, a list of (kernel, signature) for the CPU's passes, or (kernel, signature, 90) for
those of PTX. A tuple of arguments in place of the signature is for the facts of a launch with them. The reports follow
each other in this order, each below the line `== name`. `# CHECK:` lines stand below the kernel that they are about.
"""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from treadle import _core
from treadle.kernels.options import Options
from treadle.kernels.requests import request_of
from treadle.typing.signatures import signature_from

FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem != "test_passes")
DIRECTIVE = re.compile(r"# CHECK(-NEXT|-NOT|-SAME|-DAG|-LABEL)?: ")
LIKELY = {"offsets_fit_int32": True, "grid_fits_int32": True, "no_overlap": True}


def load(path):
    spec = importlib.util.spec_from_file_location(f"passes.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def passes_of(kernel, given, cc):
    if isinstance(given, tuple):
        kernel[1, 32](*given)
        return kernel.inspect("passes")
    request = request_of(Options({}), cc, LIKELY)
    request.cc, request.stage = cc, "passes"
    return _core.compile_function(kernel.py_func, signature_from(given), request)[0]


def report(kernel, given, cc=0):
    return f"== {kernel.__name__}\n{passes_of(kernel, given, cc)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_report(path, filecheck):
    lines = [line for line in path.read_text().splitlines() if "CHECK" in line]
    assert lines and all(DIRECTIVE.search(line) for line in lines)
    text = "".join(report(*case) for case in load(path).REPORTS)
    command = [filecheck, "--check-prefix=CHECK", "--comment-prefixes=NEVER", str(path)]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stderr}\n{text}"
