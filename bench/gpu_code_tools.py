# NVIDIA's tools for the comparison of GPU code: nvcc, ptxas and nvdisasm of one release, from PyPI.
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import peers
from harness import BENCH

ARCHITECTURE = "sm_90"


class Tools:
    """Paths of the tools; a PeerError if they cannot be installed."""

    def __init__(self):
        if peers.are_installed():
            found = shutil.which("nvcc")
            if not found:
                raise peers.PeerError("no nvcc on PATH")
            self.root = Path(found).resolve().parents[1]
            return
        python = peers.environment("cuda")
        code = "import nvidia.cu13 as toolkit; print(list(toolkit.__path__)[0])"
        asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            raise peers.PeerError("PyPI's packages of the CUDA toolkit hold no nvidia/cu13")
        self.root = Path(asked.stdout.strip())

    @property
    def libdevice(self):
        return self.root / "nvvm" / "libdevice" / "libdevice.10.bc"

    def run(self, name, *arguments):
        """stdout and stderr of a tool; OSError with its output if it fails."""
        command = [str(self.root / "bin" / name), *map(str, arguments)]
        found = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        if found.returncode != 0:
            raise OSError(f"{name}: {(found.stderr or found.stdout).strip()[:500]}")
        return found.stdout + found.stderr

    def versions(self):
        text = self.run("nvcc", "--version")
        return f"nvcc, ptxas, nvdisasm of CUDA {re.search(r'V([0-9.]+)', text).group(1)}"

    def compile(self, name):
        """PTX of kernels/cuda_c/NAME.cu."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.ptx"
            source = BENCH / "kernels" / "cuda_c" / f"{name}.cu"
            self.run("nvcc", "-O3", f"-arch={ARCHITECTURE}", "-ptx", source, "-o", path)
            return path.read_text()

    def build(self, name, architecture, path):
        """Machine code of kernels/cuda_c/NAME.cu for `architecture`, or PTX where the path ends in .ptx."""
        kind = "-ptx" if path.suffix == ".ptx" else "-cubin"
        self.run("nvcc", "-O3", f"-arch={architecture}", kind, BENCH / "kernels" / "cuda_c" / f"{name}.cu", "-o", path)

    def assemble(self, ptx):
        """(registers, SASS) of the one kernel in a PTX text."""
        with tempfile.TemporaryDirectory() as folder:
            text, code = Path(folder) / "kernel.ptx", Path(folder) / "kernel.cubin"
            text.write_text(ptx)
            said = self.run("ptxas", "-O3", f"-arch={ARCHITECTURE}", "-v", text, "-o", code)
            registers = int(re.search(r"Used (\d+) registers", said).group(1))
            spilled = re.search(r"(\d+) bytes spill stores", said)
            if spilled and int(spilled.group(1)):
                raise ValueError(f"ptxas spills {spilled.group(1)} bytes")
            return registers, self.run("nvdisasm", "-c", code)
