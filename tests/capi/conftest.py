# Images for the devices that C programs run on, and the program that has the cases.

import os
import shutil
import subprocess
import sys
from pathlib import Path

import c_programs
import pytest
import stand_in
from c_programs import CASES, PACKAGE, ROOT, build

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session", params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not (stand_in.LIBRARIES / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built: ./dev build")
    return request.param


@pytest.fixture(scope="session")
def images(device, tmp_path_factory):
    """A folder with an image file of each kernel of images.py for that device, as Python has made them."""
    folder = tmp_path_factory.mktemp(f"images-{device}")
    script = HERE / "images.py"
    subprocess.run([sys.executable, str(script), str(folder)], env=c_programs.environment(device), check=True)
    return folder


@pytest.fixture(scope="session")
def cases(tmp_path_factory):
    return build(CASES, tmp_path_factory.mktemp("cases") / "cases")


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The folder `treadle` of a wheel, as far as C programs need it."""
    prefix = tmp_path_factory.mktemp("site-packages")
    command = ["cmake", "--install", str(ROOT / "build/dev"), "--component", "capi", "--prefix", str(prefix)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.copy(PACKAGE / "libtreadle.so.0", prefix / "treadle")
    return prefix / "treadle"


@pytest.fixture(scope="session")
def shell(installed, tmp_path_factory):
    """What commands in texts need: `treadle`, and the files of a wheel, which has no library without a number."""
    bin, site = tmp_path_factory.mktemp("bin"), tmp_path_factory.mktemp("site-packages")
    for name, command in {"treadle": "-m treadle", "python": ""}.items():
        (bin / name).write_text(f'#!/bin/sh\nexec {sys.executable} {command} "$@"\n')
        (bin / name).chmod(0o755)
    (site / "treadle").mkdir()
    for file in PACKAGE.iterdir():
        if file.name != "libtreadle.so":
            (site / "treadle" / file.name).symlink_to(file)
    return {
        "PATH": f"{bin}:{os.environ['PATH']}",
        "PYTHONPATH": str(site),
        "PKG_CONFIG_PATH": f"{installed}/share/pkgconfig",
        "TREADLE_FOLDER": str(installed),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TERM_QUIET": "true",
    }
