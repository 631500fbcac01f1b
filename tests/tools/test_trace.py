"""`treadle.trace`: what the file says, whether its events fit each other, and what is refused."""

import errno
import json
import os
import subprocess
import sys
import threading
from collections import defaultdict

import numpy as np
import pytest
import treadle
from treadle import _core, cuda

HOST = 1


@cuda.jit
def add(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += b[i]


def read(path):
    """The events of a file, which is checked: the format's keys, and what viewers rely on."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check(events)
    return events


def check(events):
    needed = {"X": {"dur", "cat", "args"}, "M": {"args"}, "C": {"args"}, "s": {"id", "cat"}, "f": {"id", "cat", "bp"}}
    for event in events:
        assert {"ph", "pid", "tid", "ts", "name"} | needed[event["ph"]] <= set(event), event
    check_tracks(events)
    check_arrows(events)


def nanoseconds(microseconds):
    """Exact: files have three decimals."""
    return round(microseconds * 1000)


def check_tracks(events):
    """Of each track: begins never go back, and spans lie within each other or apart."""
    open_until = defaultdict(list)
    last = defaultdict(int)
    for event in events:
        if event["ph"] == "M":
            continue
        track, begin = (event["pid"], event["tid"]), nanoseconds(event["ts"])
        assert begin >= last[track], event
        last[track] = begin
        if event["ph"] != "X":
            continue
        ends = open_until[track]
        while ends and ends[-1] <= begin:
            ends.pop()
        end = begin + nanoseconds(event["dur"])
        assert not ends or end <= ends[-1], event
        ends.append(end)


def check_arrows(events):
    """Each begins at a span of the host and ends at one of a device, which begins no earlier."""
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert len(starts) + len(ends) == sum(event["ph"] in "sf" for event in events)
    assert starts.keys() == ends.keys()
    spans = {(event["pid"], event["tid"], event["ts"]) for event in events if event["ph"] == "X"}
    for number, start in starts.items():
        end = ends[number]
        assert start["pid"] == HOST and end["pid"] > HOST
        assert start["ts"] <= end["ts"]
        assert {(one["pid"], one["tid"], one["ts"]) for one in (start, end)} <= spans


def spans(events, category, name=None):
    return [e for e in events if e["ph"] == "X" and e["cat"] == category and name in (None, e["name"])]


def target(events, call):
    """The span of the device that the arrow from a span of the host leads to."""
    (number,) = (e["id"] for e in events if e["ph"] == "s" and (e["tid"], e["ts"]) == (call["tid"], call["ts"]))
    (end,) = (e for e in events if e["ph"] == "f" and e["id"] == number)
    (found,) = (e for e in events if e["ph"] == "X" and all(e[key] == end[key] for key in ("pid", "tid", "ts")))
    return found


def named(events, what, of):
    """{number: name} of the processes or threads."""
    return {e[of]: e["args"]["name"] for e in events if e["name"] == what}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json"


def test_launches_say_what_they_are_and_lead_to_what_ran(path):
    a, b = cuda.to_device(np.ones(1000, np.float32)), cuda.to_device(np.ones(1000, np.float32))
    stream = cuda.stream()
    add[8, 128](a, b)
    with treadle.trace(path):
        add[8, 128](a, b)
        add[(4, 2), (64, 2), stream, 256](a, b)
    events = read(path)
    first, second = spans(events, "launch", "launch add")
    assert first["args"] == {
        "grid": [8, 1, 1], "block": [128, 1, 1], "shared": 0, "stream": "Default stream", "device": 0,
    }  # fmt: skip
    assert second["args"]["grid"] == [4, 2, 1] and second["args"]["block"] == [64, 2, 1]
    assert second["args"]["shared"] == 256 and second["args"]["stream"] == f"Stream 0x{int(stream):x}"
    for call in (first, second):
        run = target(events, call)
        assert run["cat"] == "run" and run["name"] == "add"
        assert run["pid"] == HOST + 1
        assert (
            named([e for e in events if e["pid"] == run["pid"]], "thread_name", "tid")[run["tid"]]
            == (call["args"]["stream"])
        )


def test_replays_lead_to_what_the_graph_runs(path):
    a, b = cuda.to_device(np.ones(1000, np.float32)), cuda.to_device(np.ones(1000, np.float32))
    stream = cuda.stream()
    add[8, 128, stream](a, b)
    stream.synchronize()
    with treadle.trace(path):
        with cuda.graph(stream) as graph:
            add[8, 128, stream](a, b)
            add[8, 128, stream](b, a)
        graph.replay(stream)
        stream.synchronize()
    events = read(path)
    assert [call["name"] for call in spans(events, "launch")] == ["launch add", "launch add"]
    (replay,) = spans(events, "graph")
    assert replay["name"] == "replay graph" and replay["args"]["stream"] == f"Stream 0x{int(stream):x}"
    whole = target(events, replay)
    assert whole["name"] == "graph"
    assert sum(e["ph"] == "s" for e in events) == 1, "captured launches lead nowhere"
    if _core.device_kind(0) == "CPU":
        parts = [run for run in spans(events, "run") if run is not whole]
        assert [part["name"] for part in parts] == ["add", "add"]
        for part in parts:
            assert part["tid"] == whole["tid"]
            assert part["dur"] > 0
        order = [whole["ts"], *(time for part in parts for time in (part["ts"], part["ts"] + part["dur"]))]
        assert order == sorted(order) and order[-1] <= whole["ts"] + whole["dur"] + 0.001


def test_bound_launches_are_launches(path):
    a, b = cuda.to_device(np.ones(1000, np.float32)), cuda.to_device(np.ones(1000, np.float32))
    bound = add.bind(8, 128, 0, a, b)
    bound()
    with treadle.trace(path):
        bound()
        bound[1] = a
        bound()
    events = read(path)
    assert [target(events, call)["name"] for call in spans(events, "launch", "launch add")] == ["add", "add"]


def test_compilations_are_apart_from_the_launch(path):
    fresh = cuda.jit(add.py_func)
    a = cuda.to_device(np.ones(100, np.float32))
    with treadle.trace(path):
        fresh[1, 128](a, a)
    events = read(path)
    (inferred,), (made,) = spans(events, "compile", "infer add"), spans(events, "compile", "compile add")
    (generated,), (loaded,) = spans(events, "compile", "generate add"), spans(events, "compile", "load add")
    (launch,) = spans(events, "launch")
    assert "float32" in inferred["args"]["signature"]
    assert made["args"]["target"] == "cpu" and made["args"]["from_cache"] is False
    assert "offsets_fit_int32" in made["args"]["facts"] and "no_overlap" not in made["args"]["facts"]
    assert inferred["ts"] + inferred["dur"] <= made["ts"] <= generated["ts"] < loaded["ts"]
    assert made["ts"] + made["dur"] <= launch["ts"]


def test_copies_and_fills_have_bytes_and_directions(path):
    with treadle.trace(path):
        a = cuda.to_device(np.ones(1000, np.float32))
        b = cuda.device_array_like(a)
        b.copy_to_device(a)
        b.copy_to_host()
    events = read(path)
    copies = [call["args"] for call in spans(events, "copy", "copy")]
    assert [copy["direction"] for copy in copies] == ["to the device", "on the device", "to the host"]
    assert {copy["bytes"] for copy in copies} == {4000}
    for call in spans(events, "copy", "copy"):
        assert target(events, call)["name"] == "copy"


def test_copies_by_the_host_have_bytes(path):
    a = cuda.to_device(np.zeros(1000, np.float32))
    with treadle.trace(path):
        a[10:20] = np.ones(10, np.float32)
    assert spans(read(path), "copy", "copy by the host")[0]["args"] == {"bytes": 40}


def test_memory_is_a_counter(path):
    def counted():
        return cuda.current_context().memory_manager.figures()["live_bytes"]

    kept = cuda.device_array(5000, np.uint8)
    begin = counted()
    with treadle.trace(path):
        a = cuda.device_array(100000, np.uint8)
        most = counted()
        del a
        b = cuda.device_array(300, np.uint8)
        end = counted()
    events = read(path)
    samples = [event["args"]["live bytes"] for event in events if event["ph"] == "C"]
    assert samples[0] == begin and samples[-1] == end and max(samples) == most
    assert [span["name"] for span in spans(events, "memory")] == ["allocate", "free", "allocate"]
    assert spans(events, "memory")[0]["args"] == {"bytes": most - begin, "device": 0}
    del kept, b


def test_waits_say_for_which_stream_and_after_what(path):
    stream, other = cuda.stream(), cuda.stream()
    a = cuda.to_device(np.ones(4_000_000, np.float32))
    event = cuda.event()
    add[1, 1, stream](a, a)
    stream.synchronize()
    with treadle.trace(path):
        for _ in range(20):
            add[31250, 128, stream](a, a)
        event.record(stream)
        event.wait(other)
        stream.synchronize()
    events = read(path)
    label = f"Stream 0x{int(stream):x}"
    (wait,) = spans(events, "stream_wait")
    assert wait["args"]["waits_for"] == label and wait["args"]["stream"] == f"Stream 0x{int(other):x}"
    assert label in [wait["args"]["stream"] for wait in spans(events, "wait")]


def test_a_wait_names_the_work_that_it_is_for(path):
    stream = cuda.stream()
    a = cuda.to_device(np.ones(1 << 22, np.float32))
    with treadle.trace(path):
        for _ in range(20):
            add[1 << 15, 128, stream](a, a)
        stream.synchronize()
    assert "add" in [wait["args"].get("after") for wait in spans(read(path), "wait")]


def test_callbacks_run_on_the_streams_track(path):
    stream, called = cuda.stream(), threading.Event()
    with treadle.trace(path):
        stream.add_callback(lambda *_: called.set())
        assert called.wait(20)
    events = read(path)
    (call,) = spans(events, "callback")
    assert target(events, call)["name"] == "callback"


def test_each_thread_has_a_track(path):
    a = cuda.to_device(np.ones(100, np.float32))
    add[1, 128](a, a)
    go = threading.Barrier(4)

    def work():
        go.wait()
        for _ in range(200):
            add[1, 128](a, a)

    threads = [threading.Thread(target=work) for _ in range(4)]
    with treadle.trace(path) as recorded:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert repr(recorded) == f"<trace {str(path)!r}, being recorded>"
    events = read(path)
    launches = defaultdict(int)
    for call in spans(events, "launch"):
        launches[call["tid"]] += 1
    assert sorted(launches.values()) == [200] * 4
    assert launches.keys() <= named(events, "thread_name", "tid").keys()
    for call in spans(events, "launch")[::50]:
        assert target(events, call)["name"] == "add"


def test_names_of_living_threads_are_pythons(path):
    name = 'the "first" \\ wörker\n'
    done = threading.Event()
    a = cuda.to_device(np.ones(100, np.float32))

    def work():
        add[1, 128](a, a)
        done.set()
        over.wait(20)

    over = threading.Event()
    thread = threading.Thread(target=work, name=name)
    with treadle.trace(path):
        thread.start()
        done.wait(20)
    over.set()
    thread.join()
    assert name in named(read(path), "thread_name", "tid").values()


def test_names_of_kernels_are_text(path):
    scope = {"cuda": cuda}
    exec("def größe(a):\n    a[0] = 1\n", scope)
    with treadle.trace(path):
        cuda.jit(scope["größe"])[1, 1](cuda.device_array(1))
    assert [call["name"] for call in spans(read(path), "launch")] == ["launch größe"]


def test_nothing_is_recorded_before_and_after(path):
    a = cuda.to_device(np.ones(100, np.float32))
    add[1, 128](a, a)
    recorded = treadle.trace(path).start()
    recorded.stop()
    add[1, 128](a, a)
    events = read(path)
    assert spans(events, "launch") == [] and spans(events, "run") == []


def test_one_at_a_time(path, tmp_path):
    other = treadle.trace(tmp_path / "other.json")
    with treadle.trace(path):
        with pytest.raises(RuntimeError, match=r"being recorded into '.*run\.json'.*'.*other\.json'"):
            other.start()
        assert not (tmp_path / "other.json").exists()
    with pytest.raises(RuntimeError, match="is not being recorded: call its start"):
        other.stop()
    with other:
        pass
    read(tmp_path / "other.json")


def test_a_path_that_cannot_be_written_is_an_error_before_anything_starts(tmp_path):
    for path, error in [(tmp_path / "none" / "run.json", FileNotFoundError), (tmp_path, IsADirectoryError)]:
        with pytest.raises(error):
            treadle.trace(path).start()
    with pytest.raises(TypeError):
        treadle.trace(3)
    with treadle.trace(tmp_path / "run.json"):
        pass


def test_a_full_disk_is_an_error_that_names_the_file():
    recorded = treadle.trace("/dev/full").start()
    with pytest.raises(OSError) as caught:
        recorded.stop()
    assert caught.value.errno == errno.ENOSPC and caught.value.filename == "/dev/full"
    assert not treadle._core.is_tracing()


def test_the_file_replaces_a_longer_one(path):
    path.write_text("x" * 100_000)
    with treadle.trace(path):
        assert len(path.read_text()) == 100_000  # the old one, as long as there is no new one
    read(path)


def test_an_error_in_the_block_is_raised_and_the_file_written(path):
    with pytest.raises(ZeroDivisionError), treadle.trace(path):
        _ = 1 / 0
    read(path)


def program(text, *arguments):
    return subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


HEAD = """
import os, sys, warnings
import numpy as np
import treadle
from treadle import _core, cuda

@cuda.jit
def add(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += b[i]

a = cuda.to_device(np.ones(100, np.float32))
"""


def test_the_end_of_the_process_writes_the_file(path):
    result = program(HEAD + "treadle.trace(sys.argv[1]).start()\nadd[1, 128](a, a)\n", path)
    assert (result.returncode, result.stderr) == (0, "")
    (call,) = spans(events := read(path), "launch")
    assert target(events, call)["name"] == "add"


def test_a_child_records_nothing_and_leaves_the_file_alone(path):
    fork = """
with treadle.trace(sys.argv[1]) as recorded:
    add[1, 128](a, a)
    warnings.simplefilter("ignore")  # Python's own, about forks with threads
    child = os.fork()
    if child == 0:
        add[1, 128](a, a)
        assert not treadle._core.is_tracing()
        recorded.stop()
        with treadle.trace(sys.argv[1] + ".child"):
            add[1, 128](a, a)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    add[1, 128](a, a)
"""
    result = program(HEAD + fork, path)
    assert (result.returncode, result.stderr) == (0, "")
    assert len(spans(read(path), "launch")) == 2
    assert len(spans(read(f"{path}.child"), "launch")) == 1


def test_many_events_are_all_there(path):
    a = cuda.to_device(np.ones(100, np.float32))
    add[1, 128](a, a)
    stream = cuda.stream()
    with treadle.trace(path):
        for _ in range(5000):
            add[1, 128](a, a)
            add[1, 128, stream](a, a)
    events = read(path)
    assert len(spans(events, "launch")) == len(spans(events, "run")) == 10_000
    assert sum(event["ph"] == "s" for event in events) == 10_000


def test_recording_goes_on_while_threads_come_and_go(tmp_path):
    """Traces begin and end while others launch: nobody writes into what was taken away."""
    a = cuda.to_device(np.ones(100, np.float32))
    add[1, 128](a, a)
    over = threading.Event()

    def work():
        while not over.is_set():
            for _ in range(20):
                add[1, 128](a, a)
            cuda.default_stream().synchronize()  # else more is queued than runs, and each trace is longer than the last

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for i in range(30):
            with treadle.trace(tmp_path / f"{i}.json"):
                add[1, 128](a, a)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    for i in range(30):
        read(tmp_path / f"{i}.json")


def test_otherwise_nothing_is_left_open(path):
    before = len(os.listdir("/proc/self/fd"))
    with treadle.trace(path):
        pass
    assert len(os.listdir("/proc/self/fd")) == before
