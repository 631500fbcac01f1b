"""How much of the readers of other libraries' arrays the hostile descriptions reach."""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]
READERS = ["tensor_reader", "tensor_types", "interface_reader", "interface_types", "opaque_types", "described_array"]
# In percent of their lines. The rest is what exports ask, and descriptions of what exists.
LEAST = {"tensor_reader": 86, "tensor_types": 59, "described_array": 86}
USUAL = 95


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Percent of the lines of each reader."""
    folder, package = tmp_path_factory.mktemp("coverage"), ROOT / "build/dev/treadle"
    sources = [str(ROOT / f"src/interop/{name}.cpp") for name in READERS]
    program, profile = str(folder / "program"), str(folder / "profile")
    flags = ["-std=c++20", "-O1", "-fprofile-instr-generate", "-fcoverage-mapping", "-w"]
    includes = [f"-I{ROOT / 'src'}", f"-I{ROOT / 'build/dev/generated'}"]
    libraries = [f"-L{package}", "-l:libtreadle.so.0", "-lgtest", "-lgtest_main", f"-Wl,-rpath,{package}"]
    others = [str(ROOT / "tests/unit/hostile_arrays_test.cpp"), str(ROOT / "src/support/format/format.cpp")]
    subprocess.run(["clang++-19", *flags, *includes, *sources, *others, *libraries, "-o", program], check=True)
    environment = {**os.environ, "LLVM_PROFILE_FILE": f"{profile}.raw", "HOSTILE_ARRAYS": "200000"}
    subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["llvm-profdata-19", "merge", f"{profile}.raw", "-o", profile], check=True)
    command = ["llvm-cov-19", "export", "-summary-only", program, f"-instr-profile={profile}", *sources]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {Path(file["filename"]).stem: file["summary"]["lines"]["percent"] for file in report["data"][0]["files"]}


def test_all_is_reached_but_what_is_named(lines):
    for name in READERS:
        print(f"  {name}: {lines[name]:.0f} % of the lines")
    assert {name: percent for name, percent in lines.items() if percent < LEAST.get(name, USUAL)} == {}
