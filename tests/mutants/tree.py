# A copy of the source tree that is patched and rebuilt one file at a time.

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import processes

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / "build" / "mutants"


class Mutant(NamedTuple):
    """`search`, which is in `file` exactly once, becomes `replace`; then `test` (arguments of pytest) must fail."""

    name: str
    file: str
    search: str
    replace: str
    test: str


def arguments_of(test):
    """Of pytest. A name in brackets may contain spaces."""
    words = [test] if test.endswith("]") else test.split()
    return ["-m", "deep", *words] if is_deep(test) else words


def is_deep(test):
    """Whether all tests of the file are marked `deep`."""
    path = ROOT / re.split("::| ", test)[0]
    return path.is_file() and bool(re.search(r"^pytestmark = \[?\s*pytest\.mark\.deep\b", path.read_text(), re.M))


class Tree:
    """The copy under build/mutants. Only files that differ are written, so that ninja builds only what changed.

    Processes take turns patching and building, and run tests concurrently, each in a package of its own. Tests are
    never patched.
    """

    def __init__(self):
        self.build = COPY / "build" / "dev"
        self.packages = COPY / "packages" / os.environ.get("PYTEST_XDIST_WORKER", "gw0")

    @contextlib.contextmanager
    def alone(self):
        """Prevents that two processes patch or build the copy at once, however the tests are distributed."""
        COPY.mkdir(parents=True, exist_ok=True)
        with (COPY / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def refresh(self):
        """Brings the copy up to date with the tree, and builds it."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        names = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
        for name in names:
            write_if_changed(COPY / name, (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode)
        self.remove_others(names)
        venv = COPY / "build" / "venv"
        if not venv.is_symlink():
            venv.parent.mkdir(parents=True, exist_ok=True)
            venv.symlink_to(sys.prefix)
        self.run("cmake", "--preset", "dev", "-DTREADLE_TESTS=ON")
        self.ninja()

    def remove_others(self, names):
        for folder in ("src", "python", "include", "tests", "cmake"):
            for path in (COPY / folder).rglob("*"):
                if path.is_file() and str(path.relative_to(COPY)) not in names and "__pycache__" not in path.parts:
                    path.unlink()

    def run(self, *command):
        # A mutant may leave a variable unused. clang drops the option; ccache, which looks for what build/dev has
        # compiled already, does not know.
        environment = {**os.environ, "CCC_OVERRIDE_OPTIONS": "# x-Werror"}
        result = subprocess.run(command, cwd=COPY, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, f"{' '.join(command)}\n{(result.stdout + result.stderr)[-3000:]}"

    def ninja(self):
        targets = ("treadle_package", "_hooks", "fakedriver", "fakedriver_private", "fakedriver_counting")
        self.run("ninja", "-C", str(self.build), f"-j{os.cpu_count()}", *targets)

    def has_tested(self, run):
        """Whether this run of pytest has tested the unpatched copy."""
        return (COPY / "tested.json").exists() and self.tested()["run"] == run

    def note_tested(self, run, seconds):
        (COPY / "tested.json").write_text(json.dumps({"run": run, "seconds": seconds}))

    def tested(self):
        return json.loads((COPY / "tested.json").read_text())

    def seconds(self, test):
        """The duration of the test in the unpatched copy."""
        return self.tested()["seconds"][test]

    def keep(self):
        """Keeps the current build of the package for `test`, whatever is built next."""
        shutil.rmtree(self.packages, ignore_errors=True)
        shutil.copytree(self.build / "treadle", self.packages / "treadle", copy_function=link_library)

    def build_mutant(self, mutant):
        """Builds and keeps the mutant, and restores the copy."""
        path = COPY / mutant.file
        with self.alone():
            text = path.read_text()
            assert text.count(mutant.search) == 1, f"{mutant.file}: {text.count(mutant.search)} times {mutant.search}"
            try:
                path.write_text(text.replace(mutant.search, mutant.replace))
                self.ninja()
                self.keep()
            finally:
                path.write_text(text)

    def test(self, *arguments, limit):
        """Runs tests of the copy; returns (exit code, pytest's output)."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        environment |= {"PYTHONPATH": str(self.packages), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            result = processes.run(command, limit, environment, cwd=COPY, errors="replace")
        except subprocess.TimeoutExpired:
            return 1, "no end"
        return result.returncode, (result.stdout + result.stderr)[-3000:]


def link_library(source, target):
    """The linker replaces libraries and never writes into them, so that a hard link keeps the old one."""
    if ".so" in Path(source).name:
        os.link(os.path.realpath(source), target)
    else:
        shutil.copyfile(source, target)


def write_if_changed(path, content, mode):
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
