"""The C++ program of docs/c-api.md is built and run as it stands there, and so is the kernel."""

import re
import subprocess
import sys

from c_programs import ROOT, build, environment

PAGE = (ROOT / "docs/c-api.md").read_text()


def block(language):
    """The first one in that language, without the indentation of its list."""
    found = re.search(rf"^( *)```{language}\n(.*?)^\1```", PAGE, re.M | re.S)
    return re.sub(rf"^{found[1]}", "", found[2], flags=re.M)


IMAGE = """
from treadle import _hooks
_hooks.record_images({folder!r})
"""


def test_program_of_the_page_runs(device, tmp_path):
    kernel = tmp_path / "kernel.py"  # a file, as kernels need their sources
    kernel.write_text(IMAGE.format(folder=str(tmp_path)) + block("python"))
    subprocess.run([sys.executable, str(kernel)], env=environment(device), check=True)
    source = tmp_path / "main.cpp"
    source.write_text(block("cpp"))
    program = build([source], tmp_path / "main", "g++", "c++17")
    result = subprocess.run(
        [program, str(tmp_path / "0.image")], env=environment(device), capture_output=True, text=True, check=True
    )
    assert result.stdout == "3\n"
