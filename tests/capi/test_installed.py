"""The header, the CMake package and the pkg-config file as the wheel has them: programs are built with nothing else."""

import shutil
import subprocess

import pytest
from c_programs import environment

PROGRAM = """
#include <treadle/treadle.h>
#include <stdio.h>
int main(void) {
  treadle_device device;
  if (treadle_device_open("cpu", 0, &device) != TREADLE_OK)
    return puts(treadle_last_error()), 1;
  printf("%u.%u\\n", treadle_version() >> 16, treadle_version() & 0xffff);
  return 0;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES C)
find_package(treadle {version} REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE treadle::treadle)
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    return tmp_path


def configure(source, version, variable, folder):
    (source / "CMakeLists.txt").write_text(PROJECT.format(version=version))
    command = ["cmake", "-S", str(source), "-B", str(source / "build"), f"-D{variable}={folder}"]
    return subprocess.run(command, capture_output=True, text=True)


def output(program):
    return subprocess.run([program], env=environment("cpu"), capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("variable", "folder"), [
    ("CMAKE_PREFIX_PATH", "."),
    ("CMAKE_PREFIX_PATH", ".."),  # site-packages
    ("treadle_DIR", "."),
    ("treadle_DIR", "share/cmake/treadle"),
])  # fmt: skip
def test_cmake_package(installed, source, variable, folder):
    configured = configure(source, "1.0", variable, installed / folder)
    assert configured.returncode == 0, configured.stderr
    subprocess.run(["cmake", "--build", str(source / "build")], check=True, capture_output=True)
    assert output(source / "build/program") == "1.0\n"


@pytest.mark.parametrize("version", ["1.1", "2.0", "0.9"])
@pytest.mark.parametrize("variable", ["CMAKE_PREFIX_PATH", "treadle_DIR"])
def test_cmake_package_refuses_other_versions(installed, source, version, variable):
    configured = configure(source, version, variable, installed)
    assert configured.returncode != 0
    assert "treadle" in configured.stderr


def test_pkg_config(installed, source):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    query = ["pkg-config", "--cflags", "--libs", "treadle >= 1.0"]
    own = {**environment("cpu"), "PKG_CONFIG_PATH": str(installed / "share/pkgconfig")}
    flags = subprocess.run(query, env=own, capture_output=True, text=True, check=True).stdout.split()
    program = source / "program"
    subprocess.run(["gcc", str(source / "program.c"), "-o", str(program), *flags], check=True)
    assert output(program) == "1.0\n"
