"""What docs/c-api.md goes through: a kernel, its file, the C++ program, as they stand there."""

import re
import subprocess
import sys

from c_programs import ROOT, build, environment

PAGE = (ROOT / "docs/c-api.md").read_text()


def block(language):
    """The first one in that language, without the indentation of its list."""
    found = re.search(rf"^( *)```{language}\n(.*?)^\1```", PAGE, re.M | re.S)
    return re.sub(rf"^{found[1]}", "", found[2], flags=re.M)


def test_program_of_the_page_runs(device, tmp_path):
    (tmp_path / "axpy.py").write_text(block("python"))
    source = tmp_path / "main.cpp"
    source.write_text(block("cpp"))
    words = block("sh").strip().removeprefix("treadle ").replace("sm_80", "sm_75").split()
    subprocess.run([sys.executable, "-m", "treadle", *words], cwd=tmp_path, env=environment(device), check=True)
    program = build([source], tmp_path / "main", "g++", "c++17")
    result = subprocess.run(
        [program, str(tmp_path / "axpy.image")], env=environment(device), capture_output=True, text=True, check=True
    )
    assert result.stdout == "3\n"
