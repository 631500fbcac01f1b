"""NVIDIA's programs for machine code, where they are installed: ptxas and nvdisasm. No other part of CUDA's toolkit is
used, and neither is needed to launch kernels.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

from treadle import _core
from treadle.errors import CudaSupportError

SYSTEMS = "/usr/local/cuda"

# The PyPI packages with these programs.
_PACKAGES = {"ptxas": "nvidia-cuda-nvcc", "nvdisasm": "nvidia-cuda-nvdisasm"}


def find_tool(name):
    """The path of a program: on PATH, in `bin` of the folder that TREADLE_CUDA_TOOLKIT or CUDA_HOME names, in
    /usr/local/cuda, or in one of NVIDIA's packages from PyPI. None if it is not found."""
    homes = (_core.setting("TREADLE_CUDA_TOOLKIT"), SYSTEMS)
    folders = [os.path.join(home, "bin") for home in homes if home]
    if found := shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders)):
        return found
    for place in sys.path:
        for path in sorted(glob.glob(os.path.join(glob.escape(place), "nvidia", "*", "bin", name))):
            if os.access(path, os.X_OK):
                return path
    return None


def how_to_get(name):
    """What to do if `find_tool` finds nothing."""
    return (
        f"install {name}, of CUDA's toolkit or of the package {_PACKAGES[name]}, and put it on PATH or name "
        "the toolkit by CUDA_HOME"
    )


def _run(path, arguments):
    """The standard output. RuntimeError with the program's message if it fails."""
    found = subprocess.run([path, *arguments], capture_output=True, text=True)
    if found.returncode != 0:
        raise RuntimeError(f"{path} has failed with exit code {found.returncode}: {found.stderr.strip()}")
    return found.stdout


def assembled(ptx, capability, path):
    """The machine code of PTX for a compute capability (times ten), by the ptxas there. RuntimeError if it rejects the
    text."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w") as file:
            file.write(ptx)
        _run(path, [f"-arch=sm_{capability}", "-o", target, source])
        with open(target, "rb") as file:
            return file.read()


def disassembled(cubin, *options):
    """nvdisasm's output for machine code. RuntimeError if there is no nvdisasm, or it rejects the code."""
    path = find_tool("nvdisasm")
    if path is None:
        raise RuntimeError(f"machine code is shown by nvdisasm, which was not found: {how_to_get('nvdisasm')}")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernel.cubin")
        with open(source, "wb") as file:
            file.write(cubin)
        return _run(path, [*options, source])


def machine_code(ptx, capability, name):
    """The machine code of PTX for a compute capability (times ten): by the driver of the thread's device if that is of
    this capability, else by ptxas. `name`: the code's name, for messages. CudaAPIError or RuntimeError if the code is
    rejected, CudaSupportError if neither is available.
    """
    ordinal = _core.current_device()
    if _core.runs_foreign_code(ordinal) and _core.device_compute_capability(ordinal) == capability:
        return _core.assemble(ordinal, ptx, name)
    if (path := find_tool("ptxas")) is not None:
        return assembled(ptx, capability, path)
    shown = f"{capability // 10}.{capability % 10}"
    raise CudaSupportError(
        f"machine code for compute capability {shown} is made by the driver of such a GPU, or by ptxas, and there is "
        f"neither: {how_to_get('ptxas')}"
    )
