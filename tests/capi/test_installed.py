"""The header, the CMake package and the pkg-config file as the wheel has them: programs are built with nothing else."""

import shutil
import subprocess

import pytest
from c_programs import PACKAGE, ROOT, environment

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder `treadle` of a wheel, as far as C programs need it."""
    prefix = tmp_path_factory.mktemp("site-packages")
    command = ["cmake", "--install", str(ROOT / "build/dev"), "--component", "capi", "--prefix", str(prefix)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.copy(PACKAGE / "libtreadle.so.0", prefix / "treadle")
    return prefix / "treadle"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    return tmp_path


def configure(source, installed, version):
    (source / "CMakeLists.txt").write_text(PROJECT.format(version=version))
    command = ["cmake", "-S", str(source), "-B", str(source / "build"), f"-DCMAKE_PREFIX_PATH={installed}"]
    return subprocess.run(command, capture_output=True, text=True)


def output(program):
    return subprocess.run([program], env=environment("cpu"), capture_output=True, text=True, check=True).stdout


def test_cmake_package(installed, source):
    configured = configure(source, installed, "1.0")
    assert configured.returncode == 0, configured.stderr
    subprocess.run(["cmake", "--build", str(source / "build")], check=True, capture_output=True)
    assert output(source / "build/program") == "1.0\n"


@pytest.mark.parametrize("version", ["1.1", "2.0", "0.9"])
def test_cmake_package_refuses_other_versions(installed, source, version):
    configured = configure(source, installed, version)
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
