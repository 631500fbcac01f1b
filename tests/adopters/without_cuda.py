"""PyTorch's package for CUDA on a machine without CUDA's libraries, which are 3 GB: libraries in their place, whose
functions all answer that there is no device."""

import ctypes
import fcntl
import importlib.util
import re
import subprocess
from collections import defaultdict
from importlib import metadata
from pathlib import Path

NO_DEVICE = 100  # cudaErrorNoDevice
CUDAS = re.compile(r"lib(cu|nv|nccl)")
REQUIRED_FROM = re.compile(r"\s*required from (\S+):")
VERSION = re.compile(r"\s+0x\S+ 0x\S+ \d+ (\S+)")


def _output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Wanted:
    """What PyTorch's libraries want of CUDA's: of each the functions by version, and those of no version."""

    def __init__(self, folder):
        self.libraries = defaultdict(lambda: defaultdict(set))
        self.plain = set()
        own = {file.name for file in folder.iterdir()}
        for file in folder.glob("*.so*"):
            if not file.is_symlink():
                self._read(file)
        for name in [name for name in self.libraries if name in own or not CUDAS.match(name)]:
            del self.libraries[name]

    def _read(self, file):
        library, libraries = None, {}
        for line in _output("objdump", "-p", str(file)).splitlines():
            if "NEEDED" in line:
                self.libraries[line.split()[-1]]  # noqa: B018 (makes an entry)
            elif found := REQUIRED_FROM.match(line):
                library = found[1]
            elif library and (found := VERSION.match(line)):
                libraries[found[1]] = library
        for line in _output("nm", "-D", "--undefined-only", str(file)).splitlines():
            symbol, _, version = line.split()[-1].replace("@@", "@").partition("@")
            if version in libraries:
                self.libraries[libraries[version]][version].add(symbol)
            elif not version and re.match(r"cu|nv|nccl|Nv", symbol):
                self.plain.add(symbol)


def _compile(name, versions, plain, folder):
    symbols = sorted(set().union(plain, *versions.values()))
    source, script = folder / "functions.c", folder / "versions.map"
    source.write_text("".join(f"long {symbol}(void) {{ return {NO_DEVICE}; }}\n" for symbol in symbols))
    lines = (f"{version} {{ {'; '.join(sorted(those))}; }};\n" for version, those in versions.items())
    script.write_text("".join(lines))
    options = [f"-Wl,--version-script={script}"] if versions else []
    command = ["cc", "-shared", "-w", "-fPIC", str(source), f"-Wl,-soname,{name}", "-o", str(folder / name), *options]
    subprocess.run(command, check=True)


def _make(folder):
    """Unless they are there, for this version of PyTorch: a list of their names is written last."""
    done = folder / "done"
    if not done.exists():
        wanted = Wanted(Path(importlib.util.find_spec("torch").origin).parent / "lib")
        for name, versions in wanted.libraries.items():
            _compile(name, versions, wanted.plain, folder)
        done.write_text("\n".join(wanted.libraries))
    return done.read_text().split()


def provide(build):
    """Makes the libraries once, and loads them into this process, where PyTorch's find them by their names."""
    folder = build / "adopters/without_cuda" / metadata.version("torch")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = _make(folder)
    for name in names:
        ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)
