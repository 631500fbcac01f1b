"""The build id, by which libraries of different builds refuse each other."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build_id(tree):
    output = tree / "build_id.inc"
    script = ROOT / "cmake/treadle_build_id.cmake"
    subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DOUTPUT={output}", "-DSALT=1", "-P", script], check=True)
    return output.read_text()


@pytest.mark.parametrize("name", ["src/types/facts.h", "src/types/facts.inc", "include/treadle/treadle.h"])
def test_it_depends_on_all_that_lays_out_structures(name, tmp_path):
    assert (ROOT / name).is_file()
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.write_text("FACT(bool, one)\n")
    first = build_id(tmp_path)
    file.write_text("FACT(int, one)\n")
    assert build_id(tmp_path) != first
