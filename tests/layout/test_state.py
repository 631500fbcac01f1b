"""Process-wide state: all variables that outlive a call, by the class or function that contains them."""

import re
import subprocess
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "build/dev/treadle"
# docs/overview.md gives the reason why each kind is not in the Runtime.
STATE = {
    "libtreadle.so.0": {
        "Runtime",
        # Never changes once it is made.
        "TypeTable", "none", "boolean", "integer", "floating", "complex", "typeNames", "rowTypes",
        "NumbersOfCodes", "treadleStateBytes",
        "hostFeatures", "mvecSymbol", "sleefSymbol",
        "openCpuDevices", "Stopwatch", "DriverTable", "DriverLog", "lastingName", "GateSlots",
        # What the program has set, which is read before there is a Runtime.
        "SettingTexts",
        # The C library and generated code have its address.
        "forks", "pollWord", "LaunchClock",
        # Belongs to a thread.
        "selected", "otherStack", "threadStack", "launchFrame", "threadStreams", "BlockFibers", "GridFibers",
        "Fiber", "HostSlot", "WorkerMemory", "shortMutexesTaken", "AsymmetricGate",
        # Counters for tests and for the names of files.
        "splitCount", "dumpStages",
        # Guards the list that gdb reads.
        "debuggersLock",
        # What handles of C programs stand for, and the places of threads that look; texts of a thread's errors.
        "Handles", "Pin", "PinPlaces", "DeviceHandles", "UnfinishedKernels", "lastError",
        # Every part of the runtime notes what it does while a trace is recorded; a load tells that none is.
        "Trace", "ownEvents",
        # One thread writes for all stores, also those that do not see the Runtime, and is waited for at exit.
        "Background",
    },
    "libtreadle-compiler.so": {
        # Made once: LLVM's targets.
        "initializeTarget", "nvptx",
        # LLVM knows a pass by the address of its variable.
        "EraseProxyRegisters", "NoteFrames",
    },
    "_core.*.so": {
        # Types and functions of the module.
        "arrayTypes", "boundType", "generalMaker", "launcherType", "typeSlot", "nanobind__core_def",
        # What is known of Python's types and dtypes.
        "DlpackNames", "ExportNames", "InterfaceKeys", "InterfaceNames", "InterfaceSettings", "InterfaceTemplate",
        "tensorTypeOf", "DtypeCache", "knownKinds", "KnownTypestrs", "isTorchTensor", "knownExchangeTableOf",
        "TorchNames", "PythonAst", "declaredKinds", "namedTupleClass", "otherTypeOf", "timeClassOf",
        "textClassOf", "memberClasses",
        # Ends with the interpreter.
        "ExitState", "HostCallbacks", "HeldReferences",
        # A counter for names that are never given twice.
        "nextSerial",
    },
}  # fmt: skip


def variables(library):
    """Names of Treadle's classes and functions, without their namespaces."""
    listed = subprocess.run(
        ["nm", "-C", "--defined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout
    found = set()
    for name in re.findall(r"^[0-9a-f]+ [bB] (.*)$", listed, re.M):
        name = re.sub(r"^_ZZN7treadle6python12_GLOBAL__N_1\d+(\w+?)Ev.*", r"treadle::\1", name)
        own = re.match(
            r"(?:treadle::(?:(?:capi|codegen|cpu|cuda|math|ptx|python|types|\(anonymous namespace\))::)*"
            r"|(?=treadle))(\w+)",
            name,
        )
        if own:
            found.add(own.group(1))
    return found


@pytest.mark.parametrize("pattern", STATE)
def test_variables_that_outlive_a_call_are_known(pattern):
    libraries = sorted(PACKAGE.glob(pattern))
    assert libraries, f"{pattern} is not built: run ./dev build"
    assert variables(libraries[0]) <= STATE[pattern]
