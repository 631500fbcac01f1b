# Traces of a CUDA device: times of its work by pairs of events, and what tracing asks of the driver.

import json

import runs

HEAD = """
import json, sys, tempfile, time, treadle
path = tempfile.mktemp()

def events():
    with open(path) as file:
        return json.load(file)["traceEvents"]

def spans(category):
    return [e for e in events() if e["ph"] == "X" and e["cat"] == category]

def recorded(calls):
    with fake.trace() as traced:
        calls()
    return [name for name in traced.all_names if name.startswith("cuEvent") or name == "cuStreamGetCaptureInfo"]
"""


def run(program, **settings):
    return runs.run(HEAD + program, FAKE_CUDA_PATIENCE_MS="1", **settings)


def test_work_has_the_time_at_which_it_ran():
    said = run(
        """
x, stream = zeros(), cuda.stream()
add[1, 128, stream](x, 1)
with treadle.trace(path):
    for _ in range(3):
        add[1, 128, stream](x, 1)
    stream.synchronize()
    middle = time.monotonic_ns()
    add[1, 128, stream](x, 1)
    result = x.copy_to_host(stream=stream)
with open(path) as file:
    begin = int(json.load(file)["otherData"]["begin_ns"])
middle = (middle - begin) / 1000
runs = spans("run")
print(result[0], [run["name"] for run in runs], [run["ts"] < middle for run in runs])
print(len({run["tid"] for run in runs}), sum(e["ph"] == "f" for e in events()))
""",
        FAKE_CUDA_HOST_CLOCK="1",
    )
    assert said == ("5.0 ['add', 'add', 'add', 'add', 'copy'] [True, True, True, False, False]\n1 5\n")


def test_without_a_trace_no_event_is_recorded():
    said = run(
        """
x = zeros()
add[1, 128](x, 1)
cuda.synchronize()
before = recorded(lambda: [add[1, 128](x, 1) for _ in range(3)])
with treadle.trace(path):
    add[1, 128](x, 1)
    during = recorded(lambda: add[1, 128](x, 1))
after = recorded(lambda: [add[1, 128](x, 1) for _ in range(3)])
print(before, during, after)
"""
    )
    pair = ["cuStreamGetCaptureInfo", "cuEventRecord"] * 2
    # The first pair's events are new, and so is the anchor.
    during = [name for name in json.loads(said.split("] [")[1].join("[]").replace("'", '"')) if name != "cuEventCreate"]
    assert said.startswith("[] [") and said.endswith("] []\n")
    assert during == pair


def test_nothing_runs_before_it_was_asked_for():
    """Whatever the device's clock says: that of the stand-in goes much slower."""
    said = run(
        """
x = zeros()
add[1, 128](x, 1)
with treadle.trace(path):
    for _ in range(50):
        add[1, 128](x, 1)
starts = {e["id"]: e["ts"] for e in events() if e["ph"] == "s"}
ends = {e["id"]: e["ts"] for e in events() if e["ph"] == "f"}
runs = spans("run")
print(len(starts), all(starts[number] <= ends[number] for number in starts))
print(all(one["ts"] + one["dur"] <= later["ts"] + 1e-6 for one, later in zip(runs, runs[1:])))
"""
    )
    assert said == "50 True\nTrue\n"


def test_events_serve_again():
    """However long a trace is, as many events are made as runs are waited for."""
    said = run(
        """
x = zeros()
add[1, 128](x, 1)
with treadle.trace(path):
    for _ in range(40):
        for _ in range(100):
            add[1, 128](x, 1)
        cuda.synchronize()
print(fake.live_count("event") < 1000, len(spans("run")))
"""
    )
    assert said == "True 4000\n"


def test_streams_that_others_capture_are_left_alone():
    """Nothing of a capture can be timed: the launch is shown without its run, and the capture stays whole."""
    said = run(
        """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
x, stream = zeros(), cuda.stream()
add[1, 128, stream](x, 1)
stream.synchronize()
handle, graph = ctypes.c_void_p(int(stream)), ctypes.c_void_p()
with treadle.trace(path):
    assert driver.cuStreamBeginCapture_v2(handle, 0) == 0
    add[1, 128, stream](x, 1)
    assert driver.cuStreamEndCapture(handle, ctypes.byref(graph)) == 0
    add[1, 128, stream](x, 1)
print(len(spans("launch")), len(spans("run")), x.copy_to_host()[0])
"""
    )
    assert said == "2 1 2.0\n"


def test_what_the_driver_refuses_is_left_out_of_the_trace():
    said = run(
        """
x = zeros()
add[1, 128](x, 1)
with treadle.trace(path):
    for function in ("cuEventCreate", "cuEventRecord", "cuStreamCreate", "cuStreamGetCaptureInfo"):
        fake.inject(function, fake.UNKNOWN)
        add[1, 128](x, 1)
        fake.clear_faults()
    add[1, 128](x, 1)
print(len(spans("launch")), 0 < len(spans("run")) < 5, x.copy_to_host()[0])
"""
    )
    assert said == "5 True 6.0\n"


def test_a_reset_ends_the_times_of_before():
    said = run(
        """
x = zeros()
add[1, 128](x, 1)
with treadle.trace(path):
    add[1, 128](x, 1)
    cuda.close()
    x = zeros()
    add[1, 128](x, 1)
live = cuda.current_context().memory_manager.figures()["live_bytes"]
samples = [e["args"]["live bytes"] for e in events() if e["ph"] == "C"]
print(len(spans("launch")), len(spans("run")) >= 2, samples[0] == samples[-1] == live > 0, min(samples))
"""
    )
    assert said == "2 True True 0\n"


def test_a_replay_is_one_span_of_the_device_and_captured_work_has_none():
    said = run(
        """
x, stream = zeros(), cuda.stream()
add[1, 128, stream](x, 1)
with treadle.trace(path):
    with cuda.graph(stream) as graph:
        add[1, 128, stream](x, 1)
        add[1, 128, stream](x, 1)
    graph.replay()
    graph.replay()
    stream.synchronize()
print([call["name"] for call in spans("launch")], [call["name"] for call in spans("graph")])
print([run["name"] for run in spans("run")], sum(e["ph"] == "f" for e in events()), x.copy_to_host()[0])
"""
    )
    assert said == ("['launch add', 'launch add'] ['replay graph', 'replay graph']\n['graph', 'graph'] 2 5.0\n")
