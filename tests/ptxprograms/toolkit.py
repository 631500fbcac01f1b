"""NVIDIA's compilers, from PyPI or a CUDA toolkit: nvcc and NVRTC. What they made is kept in build/."""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / "build/ptxprograms"
FOLDERS = [Path(sysconfig.get_path("purelib")) / "nvidia/cu13", Path("/usr/local/cuda")]


class Refused(Exception):
    """A compiler's message."""


@functools.cache
def root():
    """The folder with bin/nvcc, include/cuda_fp16.h and lib/libnvrtc.so; None if there is none."""
    on_path = shutil.which("nvcc")
    folders = FOLDERS + ([Path(on_path).resolve().parent.parent] if on_path else [])
    return next((f for f in folders if (f / "bin/nvcc").exists() and nvrtc_path(f) and headers_of(f)), None)


def headers_of(folder):
    return (folder / "include/cuda_fp16.h").exists()


def nvrtc_path(folder):
    found = sorted(p for lib in ("lib", "lib64") for p in folder.glob(lib + "/libnvrtc.so*"))
    return found[0] if found else None


def missing():
    """Why the corpus cannot be compiled; empty if it can."""
    if root() is None:
        return "nvcc and NVRTC are not installed (PyPI: nvidia-cuda-nvcc, nvidia-cuda-nvrtc)"
    if not shutil.which("clang++-19"):
        return "clang++-19 is not installed"
    return ""


@functools.cache
def headers_hash():
    digest = hashlib.sha256()
    for path in sorted([HERE / "program.h", *HERE.glob("host/*.h")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kept(make, suffix, *key):
    """The file that `make(path)` writes, made once for each key: texts and options."""
    digest = hashlib.sha256("\0".join([headers_hash(), str(root()), *key]).encode()).hexdigest()[:24]
    target = CACHE / (digest + suffix)
    if not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = CACHE / f"{digest}.{os.getpid()}{suffix}"
        make(partial)
        partial.rename(target)
    return target


def call(command, text=None):
    """Runs a compiler that reads `text`."""
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    if result.returncode:
        raise Refused(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def by_nvcc(text, options):
    """The PTX of a text, by nvcc."""

    def make(path):
        source = path.with_suffix(".cu")
        source.write_text(text)
        call([root() / "bin/nvcc", "-ptx", "-O3", "-w", "-I", HERE, *options, source, "-o", path])
        source.unlink()

    return kept(make, ".ptx", "nvcc", text, *options).read_text()


@functools.cache
def nvrtc():
    return ctypes.CDLL(str(nvrtc_path(root())))


def text_of(program, size_function, text_function):
    size = ctypes.c_size_t()
    getattr(nvrtc(), size_function)(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc(), text_function)(program, buffer)
    return buffer.value.decode()


def by_nvrtc(text, options):
    """The PTX of a text, by NVRTC in this process."""

    def make(path):
        program = ctypes.c_void_p()
        nvrtc().nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"program.cu", 0, None, None)
        words = [
            "--device-int128",
            f"-I{HERE}",
            f"-I{root() / 'include'}",
            f"-I{root() / 'include/cccl'}",
            "-w",
            *options,
        ]
        array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        if nvrtc().nvrtcCompileProgram(program, len(words), array):
            raise Refused(f"NVRTC {options}: {text_of(program, 'nvrtcGetProgramLogSize', 'nvrtcGetProgramLog')}")
        path.write_text(text_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX"))

    return kept(make, ".ptx", "nvrtc", text, *options).read_text()


def by_host(text):
    """The library of a text, by the host's compiler. No operation is fused unless the text says so."""
    options = "-x c++ -std=c++20 -O1 -w -shared -fPIC -frounding-math -ffp-contract=off".split()
    include = ["-I", HERE, "-I", HERE / "host"]

    def make(path):
        call(["clang++-19", *options, "-Xclang", "-ffloat16-excess-precision=none", *include, "-", "-o", path], text)

    return kept(make, ".so", "host", text)


def assembled(ptx, arch):
    """ptxas takes the text."""

    def make(path):
        path.write_text(ptx)
        call([root() / "bin/ptxas", f"-arch={arch}", "-O0", "-o", os.devnull, path])

    return kept(make, ".taken.ptx", "ptxas", ptx, arch)


if __name__ == "__main__":
    sys.exit(1 if missing() else 0)
