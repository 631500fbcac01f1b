"""Files of traces: a recording ends whatever becomes of its file, and has bounds."""

import json
import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest
import treadle
from treadle import _core, cuda
from treadle.errors import TreadleWarning


@cuda.jit
def add(x):
    x[0] += 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json"


def record(path, **options):
    """A trace of one launch; returns its events."""
    x = np.zeros(1)
    with treadle.trace(path, **options):
        add[1, 1](x)
    return json.loads(path.read_text())["traceEvents"]


def names_of_threads(events):
    return {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}


@pytest.mark.parametrize("name", [os.fsdecode(b"caf\xe9"), "\ud800", 'a "quoted"\n\\name', "é", ""])
def test_threads_have_any_names(path, name):
    def work():
        add[1, 1](np.zeros(1))
        ready.set()
        over.wait()

    ready, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=work, name=name)
    recorded = treadle.trace(path).start()
    thread.start()
    ready.wait()
    recorded.stop()
    over.set()
    thread.join()
    shown = thread.name.encode(errors="backslashreplace").decode()
    assert shown in names_of_threads(json.loads(path.read_text())["traceEvents"])


def test_a_recording_ends_whatever_fails_behind_it(path, monkeypatch):
    path.write_text("old")
    recorded = treadle.trace(path).start()
    monkeypatch.setattr(treadle.tools.tracing, "_names_of_threads", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        recorded.stop()
    assert not _core.is_tracing() and path.read_text() == "old" and os.listdir(path.parent) == [path.name]
    with pytest.raises(RuntimeError, match="is not being recorded"):
        recorded.stop()
    monkeypatch.undo()
    assert record(path)


def test_descriptors_that_a_daemon_closes(path):
    """A file is opened when it is written; of a pipe, nothing is left to write to."""
    program = """
import os, sys
import numpy as np
import treadle
from treadle import _core, cuda
recorded = treadle.trace(sys.argv[1]).start()
os.closerange(3, 256)
cuda.to_device(np.zeros(1))
recorded.stop()
recorded = treadle.trace(sys.argv[2]).start()
os.closerange(3, 256)
other = os.open(sys.argv[1] + ".other", os.O_RDWR | os.O_CREAT)
try:
    recorded.stop()
except OSError as error:
    print(error.filename == sys.argv[2], _core.is_tracing(), os.fstat(other).st_size)
"""
    pipe = path.parent / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run([sys.executable, "-c", program, path, pipe], capture_output=True, text=True, timeout=60)
    os.close(reader)
    assert (done.stdout, done.stderr) == ("True False 0\n", "")
    assert json.loads(path.read_text())["traceEvents"]


def test_the_working_directory_may_change(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with treadle.trace("run.json"):
        monkeypatch.chdir(tmp_path / "elsewhere")
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "run.json"]


def test_links_stay_and_pipes_are_written_through(tmp_path):
    link, pipe = tmp_path / "link.json", tmp_path / "pipe"
    link.symlink_to("target.json")
    record(link)
    assert link.is_symlink() and not (tmp_path / "target.json").is_symlink()
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    with treadle.trace(pipe):
        add[1, 1](np.zeros(1))
    reader.join()
    assert json.loads(received[0])["traceEvents"] and stat.S_ISFIFO(os.lstat(pipe).st_mode)


def test_a_recording_has_a_limit(path):
    x = np.zeros(1)
    full = pytest.warns(TreadleWarning, match=r"run.json' is full, and \d+ events are left out: record less, or give")
    with full, treadle.trace(path, limit=1 << 20):
        for _ in range(20_000):
            add[1, 1](x)
    contents = json.loads(path.read_text())
    events = contents["traceEvents"]
    (mark,) = [event for event in events if event["ph"] == "i"]
    dropped = int(contents["otherData"]["dropped_events"])
    assert mark["name"] == f"the recording is full: {dropped} events are left out"
    launches = [event for event in events if event.get("cat") == "launch"]
    assert 1000 < len(launches) < 20_000 and mark["ts"] >= max(event["ts"] for event in launches)
    assert record(path) and int(json.loads(path.read_text())["otherData"]["dropped_events"]) == 0


@pytest.mark.parametrize("limit, error", [(0, ValueError), (-5, ValueError), ((1 << 20) - 1, ValueError),
                                          (1 << 64, ValueError), (1.5, TypeError), ("1 GB", TypeError)])  # fmt: skip
def test_limits_that_are_none(path, limit, error):
    with pytest.raises(error):
        treadle.trace(path, limit=limit)
