"""Shared by all Python tests: tools (a test is skipped with the reason if one is missing), children with a time limit,
leak counts."""

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import processes  # noqa: E402
import ptxas_defects  # noqa: E402
import remote  # noqa: E402
import shares  # noqa: E402
import stand_in  # noqa: E402

# What one test compiles must not serve another.
os.environ.setdefault("TREADLE_CODE_CACHE_LIMIT", "0")
# Tests have small grids, and arrays of the host.
os.environ.setdefault("TREADLE_DISABLE_PERFORMANCE_WARNINGS", "1")

# A shell's jobs in the background ignore Ctrl-C, as would all children of theirs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write stored messages and counts anew")
    parser.addoption("--share", default="1/1", help="of tests marked `share`, only the k-th of every n: k/n")
    parser.addoption("--full", action="store_true", help="operators: all types, forms and rules, not a selection")


def pytest_collection_modifyitems(config, items):
    """What another device cannot pass is skipped on it; some tests run by turns.

    Mutants come last: they are short and many, and fill the time that long tests leave on one worker.
    """
    for item in items:
        skipped = remote.SKIPPED if remote.is_under_test() else {}
        reason = skipped.get(item.originalname) or skipped.get(item.name) or stand_in.reason_to_skip(item)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: "mutants" in item.path.parts)
    shares.leave_others(config, items)


def pytest_collection_finish(session):
    """The collector need not walk all collected tests again and again, least of all for tests that ask it to."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """`--dist loadfile`: tests of one file run in turn, as builds have one folder each; mutants do not."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFileButMutants(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return nodeid if "tests/mutants/" in nodeid else super()._split_scope(nodeid)

    return ByFileButMutants(config, log)


fallbacks: Counter[str] = Counter()  # over all processes that ran tests


def pytest_sessionfinish(session):
    core = sys.modules.get("treadle._core")
    if core is not None:
        fallbacks.update(core.fallbacks())
    if "children" in sys.modules:
        fallbacks.update(sys.modules["children"].fallbacks)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["fallbacks"] = dict(fallbacks)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    fallbacks.update(getattr(node, "workeroutput", {}).get("fallbacks", {}))


counted: Counter[str] = Counter()  # what tests count by record_property


def pytest_runtest_logreport(report):
    if report.when == "call":
        counted.update({name: value for name, value in report.user_properties if isinstance(value, int)})


def pytest_terminal_summary(terminalreporter):
    """Prints what tests have counted, and how many of their CPU kernels do not run in whole vectors, or need separate
    stacks."""
    if counted:
        terminalreporter.section("counted")
        for what, count in sorted(counted.items()):
            terminalreporter.write_line(f"{count:>9,}  {what}")
    if not fallbacks:
        return
    terminalreporter.section("kernels for the CPU, and how many of them fall back")
    for what, count in sorted(fallbacks.items(), key=lambda item: (item[0] != "kernels", -item[1])):
        terminalreporter.write_line(f"{count:>9,}  {what}")


def find_tool(name: str, *elsewhere: str) -> str | None:
    """The tool's path, from PATH, the folder of this Python, or one of the given folders."""
    folders = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent), *elsewhere])
    return shutil.which(name, path=folders)


@pytest.fixture(scope="session")
def ptxas() -> str:
    """Path of NVIDIA's assembler. If it is missing the test is skipped, but fails in CI."""
    found = find_tool("ptxas", "/usr/local/cuda/bin")
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("CI needs ptxas: run the tests by ./dev test, which gets it")
    if found is None:
        pytest.skip("ptxas is not installed (PyPI: nvidia-cuda-nvcc)")
    return found


@pytest.fixture(scope="session")
def assemble(ptxas, tmp_path_factory):
    """assemble(ptx, "sm_90") -> the output of ptxas -v; AssertionError with its message if it rejects the PTX, or would
    take it for something else."""
    folder = tmp_path_factory.mktemp("ptxas")

    def run(ptx: str, arch: str = "sm_90") -> str:
        source = folder / "kernel.ptx"
        source.write_text(ptx)
        assert not ptxas_defects.defects_in(ptx), ptx
        command = [ptxas, "-v", f"-arch={arch}", "-o", os.devnull, str(source)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, f"ptxas refuses the PTX for {arch}:\n{result.stdout}{result.stderr}\n{ptx}"
        return result.stdout + result.stderr

    return run


@pytest.fixture(scope="session")
def filecheck() -> str:
    """Path of LLVM's FileCheck, which ./dev installs."""
    found = find_tool("FileCheck-19", "/usr/lib/llvm-19/bin")
    assert found is not None, "FileCheck-19 is missing (Debian: llvm-19-tools)"
    return found


@pytest.fixture(scope="session")
def is_sanitized() -> bool:
    """Whether the build is one with AddressSanitizer, whose code takes several times as long (tests/builds)."""
    return "libclang_rt.asan" in os.environ.get("LD_PRELOAD", "")


@pytest.fixture
def fork_options(is_sanitized):
    """The environment of a program that forks while its threads are busy."""
    # AddressSanitizer's fork leaves one of its locks in the child as the parent's threads held it, which then waits
    # forever. Threads that end hold it while they empty the quarantine, so here there is none.
    quarantine = ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    return {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + quarantine} if is_sanitized else {}


@pytest.fixture
def several(request, run_python):
    """several(program): runs it with two devices, under the setting that is the parameter (several.py)."""
    from several import runner

    return runner(request.param, run_python)


@pytest.fixture
def run_python(is_sanitized):
    """run_python(code, *arguments) -> stdout of a fresh interpreter; asserts exit code 0 and an empty stderr."""

    def run(code: str, *arguments: str, timeout: float = 60, **environment: str) -> str:
        result = processes.run(
            [sys.executable, "-c", code, *arguments],
            timeout=timeout * (4 if is_sanitized else 1),
            env={**os.environ, **environment},
        )
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        return result.stdout

    return run
