"""What docs/c-api.md goes through: a kernel, its file, the C++ program and its builds, as they stand there."""

import os
import re
import shutil
import subprocess

import pytest
from c_programs import PACKAGE, ROOT, environment

PAGE = (ROOT / "docs/c-api.md").read_text()


def blocks(language):
    """Those in that language, without the indentation of their lists."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", PAGE, re.M | re.S)
    return [re.sub(rf"^{margin}", "", text, flags=re.M) for margin, text in found]


@pytest.fixture
def run(shell, tmp_path):
    """A shell in a folder with the files of the page."""

    def run(commands, device):
        own = {**environment(device), **shell, "TREADLE": shell["TREADLE_FOLDER"]}
        return subprocess.run(
            ["bash", "-euc", commands], cwd=tmp_path, env=own, capture_output=True, text=True, check=True
        ).stdout

    for name, language in {"axpy.py": "python", "main.cpp": "cpp"}.items():
        (tmp_path / name).write_text(blocks(language)[0])
    return run


@pytest.fixture
def image(run, device):
    run(blocks("sh")[0].replace("sm_80", "sm_75"), device)


def test_built_with_pkg_config(run, image, device):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    run(blocks("sh")[1], device)
    assert run("./main axpy.image", device) == "3\n"


@pytest.mark.parametrize("variable", ["treadle_DIR", "CMAKE_PREFIX_PATH"])
def test_built_with_cmake(run, image, device, tmp_path, variable):
    head = "cmake_minimum_required(VERSION 3.20)\nproject(main LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
    (tmp_path / "CMakeLists.txt").write_text(head + blocks("cmake")[0])
    run(f"cmake -S . -B built -D{variable}=$TREADLE && cmake --build built", device)
    assert run("built/main axpy.image", device) == "3\n"


def test_program_with_the_library_in_its_own_folder(run, image, device, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    (option,) = re.findall(r"`(-Wl,-rpath,'\$ORIGIN')`", PAGE)
    build = blocks("sh")[1].replace("$(pkg-config", f"{option} $(pkg-config").replace("--libs", "--libs-only-l")
    shutil.copy(PACKAGE / "libtreadle.so.0", tmp_path)
    run(f"export LIBRARY_PATH=$PWD; {build}", device)
    assert run("cd / && $OLDPWD/main $OLDPWD/axpy.image", device) == "3\n"
    assert os.fspath(PACKAGE) not in run("readelf -d main", device)
