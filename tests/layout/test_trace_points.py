"""Where nothing is recorded, traces cost a warm launch one load and one branch: its way has one trace point."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
LIBRARY = ROOT / "build/dev/treadle/libtreadle.so.0"
POINT = re.compile(r"\bTrace::isOn\(\)|\bTraced\w+ \w+[({]|\bTraceSpan \w+[({]")

PYTHON = ("python/launch/launcher_object.cpp", ["launchKernel", "launchAgain", "readAndLaunch"])
BOUND = ("python/launch/bound_object.cpp", ["launchBound", "launchReady"])
BOUND_CALL = ("python/launch/launcher_object.cpp", ["launchAgain"])
DISPATCHER = [
    ("launch/dispatcher.cpp", ["Dispatcher::launch"]),
    ("launch/submission.cpp", ["launchPacked", "launchWith", "submit"]),
]
REPEATED = [("launch/repeated_launch.cpp", ["Dispatcher::launch"]), ("launch/repeated_launch.h", ["launch"])]
CPU = ("device/cpu/cpu_stream.cpp", ["CpuStream::checkLaunch", "CpuStream::launch", "CpuStream::launchNow"])
QUEUED = ("device/cpu/cpu_stream.cpp", ["CpuStream::checkLaunch", "CpuStream::launch", "CpuStream::launchLater"])
CUDA = ("device/cuda/cuda_stream.cpp", ["CudaStream::launch", "CudaStream::launchNow", "CudaStream::submit"])


def body(text, function):
    """Of the first definition of that name, without comments."""
    text = re.sub(r"//[^\n]*", "", text)
    found = re.search(
        rf"^[^\n;=]*\b{re.escape(function)}\((?:[^;{{}}]|\n)*?\) (?:const )?(?:noexcept )?\{{\n", text, re.M
    )
    assert found, f"{function} is not there any more: the way of a launch has changed"
    end, depth = found.end(), 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[found.end() : end]


def points(*parts):
    return [
        f"{file}: {function}: {point}"
        for file, functions in parts
        for function in functions
        for point in POINT.findall(body((SOURCES / file).read_text(), function))
    ]


@pytest.mark.parametrize("stream", [CPU, QUEUED, CUDA], ids=["inline", "queued", "cuda"])
@pytest.mark.parametrize("dispatcher", [DISPATCHER, REPEATED], ids=["read", "repeated"])
def test_a_warm_launch_passes_one_trace_point(stream, dispatcher):
    found = points(PYTHON, *dispatcher, stream)
    assert len(found) == 1 and found[0].endswith("Trace::isOn()"), found


@pytest.mark.parametrize("stream", [CPU, QUEUED, CUDA], ids=["inline", "queued", "cuda"])
def test_a_bound_launch_passes_one_trace_point(stream):
    found = points(BOUND, BOUND_CALL, *REPEATED, stream)
    assert len(found) == 1 and found[0].endswith("Trace::isOn()"), found


def test_the_thread_of_a_stream_passes_another():
    assert len(points(("device/cpu/stream_queue.cpp", ["StreamQueue::runOne"]))) == 1


def test_the_trace_point_of_the_cpu_device_is_one_load_and_one_branch():
    command = ["objdump", "-d", "--no-show-raw-insn", str(LIBRARY)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (function,) = re.findall(r"<_ZN7treadle3cpu9CpuStream6launchE[^>]*>:\n(.*?)\n\n", listing, re.S)
    lines = [line.split("\t", 1)[-1] for line in function.split("\n")]
    (place,) = [index for index, line in enumerate(lines) if "Trace2onE" in line]
    assert re.match(r"(cmpb|movzbl|mov|test) .*\(%rip\)", lines[place]), lines[place]
    following = lines[place + 1 : place + 4]
    assert sum(line.startswith("j") for line in following) >= 1, following


def test_a_trace_point_is_a_relaxed_load():
    header = (SOURCES / "support/trace.h").read_text()
    assert "static bool isOn() { return on.load(std::memory_order_relaxed); }" in header
    assert "if (Trace::isOn()) [[unlikely]]\n      begin(kind, name);" in header
