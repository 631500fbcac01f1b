# Images for the devices that C programs run on, and the program that has the cases.

import subprocess
import sys
from pathlib import Path

import c_programs
import pytest
import stand_in
from c_programs import CASES, build

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
