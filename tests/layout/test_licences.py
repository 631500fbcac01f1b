"""Licences of others' code that our binaries contain: each has its notice in licenses/, which wheels carry."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "build/dev/generated"
# What the binaries contain of others, and the holder of the rights whom the notice names.
HOLDERS = {
    "fmt": "Victor Zverovich",
    "llvm": "University of Illinois",  # libclc's bitcode, too: it is a part of LLVM
    "nanobind": "Wenzel Jakob",
    "robin_map": "Thibaut Goetghebuer-Planchon",
    "sleef": "Naoki Shibata",
    "xxhash": "Yann Collet",
    "zlib": "Mark Adler",
    "zstd": "Facebook",
}
# Headers of the system's C library, the compiler and Python, which leave nothing of others in a binary.
SYSTEM = re.compile(
    r"(sys|linux|sanitizer)/|(cpuid|dirent|dlfcn|elf|fcntl|link|locale|pthread|sched|stddef|stdint|structmember|unistd|"
    r"Python|\w+intrin)\.h$"
)


def test_each_has_its_notice():
    assert {path.stem for path in (ROOT / "licenses").glob("*.txt")} == set(HOLDERS)
    for name, holder in HOLDERS.items():
        assert holder in (ROOT / "licenses" / f"{name}.txt").read_text(), name


def test_readme_names_them():
    (listed,) = re.findall(r"licences of the libraries in a wheel: (.*?)\.\n", (ROOT / "README.md").read_text(), re.S)
    assert {name.lower() for name in re.findall(r"\w+", listed)} == set(HOLDERS)


def is_ours(name, path):
    return any((folder / name).exists() for folder in (ROOT / "src", ROOT / "include", path.parent, GENERATED))


def test_includes_of_others_are_listed():
    """The sources include nothing of others but what is listed. Headers without a dot are the standard library's."""
    folders = [ROOT / "src", ROOT / "include"]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in {".h", ".cpp"}]
    included = {
        name
        for path in paths
        for name in re.findall(r'#include [<"]([^>"]+[./][^>"]+)[>"]', path.read_text())
        if not SYSTEM.match(name) and not is_ours(name, path)
    }
    assert {"fmt", "llvm", "nanobind", "xxhash"} <= {re.split(r"[/.]", name)[0] for name in included} <= set(HOLDERS)


def test_what_nanobind_brings_is_listed():
    code = (
        "import nanobind, pathlib; print(*[p.name for p in (pathlib.Path(nanobind.__file__).parent / 'ext').iterdir()])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(found.split()) <= set(HOLDERS)
