# Installs what the benchmarks compare with: PyPI packages into environments under build/bench, Debian's with apt.
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness import BUILD, ROOT, Side


class PeerError(OSError):
    """A peer is not available here; the message says what to install."""


def are_installed():
    """Whether this Python has the peers, and PATH the tools: for machines that can install nothing."""
    return os.environ.get("BENCH_INSTALLED") == "1"


def environment(name):
    """The Python of a peer's environment, created on first use from requirements/peer-<name>.txt."""
    if are_installed():
        return Path(sys.executable)
    folder = BUILD / f"venv-{name}"
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    wanted = ROOT / "requirements" / f"peer-{name}.txt"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        print(f"installing {wanted.name} into {folder}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", str(wanted)]
        if subprocess.run(install, check=False).returncode != 0:
            raise PeerError(f"pip could not install {wanted.name}")
        stamp.write_text(wanted.read_text())
    return python


def adopters():
    """The Python with the libraries that exchange arrays."""
    python = ROOT / "build/adopters/bin/python"
    if not python.exists():
        raise PeerError("the libraries are not installed: ./dev test adopters")
    return python


def debian(*packages):
    """Installs missing Debian packages, as root or with sudo."""
    if are_installed():
        return
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *packages]
    if shutil.which("dpkg-query") is None:
        raise PeerError(f"this is no Debian: install the likes of {' '.join(packages)}")
    known = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    missing = [package for package in packages if f"installed {package}\n" not in known]
    if not missing:
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    command = [*as_root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise PeerError(f"please install first: apt-get install {' '.join(missing)}")


def ours(**environment):
    return Side("treadle", "ours", environment=environment)


def keeping(folder):
    """The settings that programs have, but for the folder in which compiled code is kept; it is empty at first."""
    shutil.rmtree(folder, ignore_errors=True)
    return {"TREADLE_CODE_CACHE_LIMIT": str(1 << 30), "TREADLE_CODE_CACHE_DIR": str(folder)}


def ours_keeping():
    """Ours as users have it: what it compiles is kept, and nothing is found."""
    return Side("treadle", "ours", environment=keeping(BUILD / "kept" / str(os.getpid())))


# Ours, and beside it with the code cache off.
NOT_KEEPING = "treadle, cache off"
BOTH_OF_OURS = {"treadle": ours_keeping, NOT_KEEPING: ours}


def numba_prange():
    return Side("Numba prange", "numba_prange", environment("numba"))


def numba_cuda():
    return Side("numba-cuda", "numba_cuda", environment("numba"))


def numba_on_stand_in():
    """numba-cuda without a GPU: on the stand-in for the CUDA driver, in a version as new as the PTX it is given."""
    folder = ROOT / "build" / "dev" / "tests" / "fakedriver"
    if not (folder / "libcuda.so.1").exists():
        raise PeerError("the CUDA driver's stand-in is not built: ./dev build")
    variables = {"LD_LIBRARY_PATH": str(folder), "FAKE_CUDA_VERSION": "13050"}
    return Side("numba-cuda", "numba_memory", environment("numba"), variables)


def python_of(label):
    """The Python in which that package for CUDA runs."""
    names = {"numba-cuda": "numba", "numba-cuda-mlir": "numba-mlir"}
    return environment(names[label]) if label in names else sys.executable


def on_driver(folder):
    """What lets a process find the CUDA driver in that folder, and Treadle use it. None: the system's driver."""
    if folder is None:
        return {"TREADLE_DEVICE": "cuda"}
    if not (folder / "libcuda.so.1").exists():
        raise PeerError("the CUDA driver that does nothing is not built: ./dev build")
    return {"LD_LIBRARY_PATH": str(folder), "TREADLE_DEVICE": "cuda"}


def cuda_costs(label, module, folder):
    """The costs of CUDA Python on the driver in `folder`, for the package of `module`."""
    return Side(label, "cuda_costs", python_of(label), {**on_driver(folder), "BENCH_CUDA": module})


NULL_DRIVER = ROOT / "build" / "dev" / "bench" / "nulldriver"


def launch_loop(folder):
    loop = {"BENCH_LAUNCH_LOOP": str(NULL_DRIVER / "liblaunch_loop.so")}
    return Side("C loop", "launch_loop", environment={**on_driver(folder), **loop})


def nvrtc():
    return Side("NVRTC", "nvrtc", environment("numba"))


def taichi():
    return Side("Taichi", "taichi_kernels", environment("taichi"))


def warp():
    return Side("Warp", "warp_kernels", environment("warp"))


LIBLLVM = Path("/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1")


def drjit():
    debian("libllvm19")
    if not LIBLLVM.exists():
        raise PeerError(f"Dr.Jit needs LLVM's library, and there is no {LIBLLVM}")
    return Side("Dr.Jit", "drjit_kernels", environment("drjit"), {"DRJIT_LIBLLVM_PATH": str(LIBLLVM)})


def cudasim():
    return Side("simulator", "cudasim", environment("numba"))


def pocl():
    debian("pocl-opencl-icd")
    return Side("PoCL", "pocl", environment("opencl"))


def standard():
    debian("clang-19", "g++")
    return Side("C++ library", "standard")


def openmp():
    debian("clang-19", "libomp-19-dev")
    return Side("OpenMP C", "openmp")
