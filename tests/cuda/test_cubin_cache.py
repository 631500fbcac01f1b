"""Machine code that programs keep for those that come later: when it is used, and when it is not."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import runs

# Prints what the first launch of `add` asks of the driver, and what it gives.
LAUNCH = """
import json
from treadle import _core
x = zeros()
with fake.trace() as traced:
    add[1, 128](x, 1)
cache = _core.code_cache(0) or {}
print(json.dumps({
    "links": traced.all_names.count("cuLinkComplete"), "loads": traced.all_names.count("cuModuleLoadDataEx"),
    "result": x.copy_to_host()[[0, -1]].tolist(), **cache}))
"""


def on(folder, **settings):
    return {"TREADLE_CODE_CACHE_LIMIT": None, "TREADLE_CODE_CACHE_DIR": str(folder), **settings}


def launch(folder, program=LAUNCH, **settings):
    said = json.loads(runs.run(program, **on(folder, **settings)))
    assert said["result"] == [1.0, 1.0]
    return said


def entries(folder):
    return sorted(Path(folder).rglob("cubins/*.entry"))


def test_a_later_process_finds_what_one_has_linked(tmp_path):
    first = launch(tmp_path)
    assert (first["links"], first["loads"], first["missed"], first["written"]) == (1, 1, 1, 1)
    assert first["folder"] == str(tmp_path / "cubins") and first["trouble"] == ""
    (entry,) = entries(tmp_path)
    assert entry.stat().st_size == first["bytes"] and entry.stat().st_mode & 0o777 == 0o600
    second = launch(tmp_path)
    assert (second["links"], second["loads"], second["found"], second["written"]) == (0, 1, 1, 0)
    assert len(entries(tmp_path)) == 1


def test_what_a_kernel_is_made_of_besides_code_is_found_too(tmp_path):
    """Addresses of captured arrays, the record of failed checks, strings, shared memory, kernels for copies."""
    program = """
from treadle import _core
table = np.arange(100, dtype=np.float32)
held = cuda.to_device(table + 1)

@cuda.jit(debug=True, opt=False)
def checked(x, i):
    cuda.syncthreads()
    x[i] = held[i] + table[i]

@cuda.jit
def shown(x):
    tile = cuda.shared.array(32, np.float32)
    tile[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    cuda.syncthreads()
    print("tile", tile[31 - cuda.threadIdx.x])

x = zeros()
checked[1, 1](x, 3)
print(x[3])
try:
    checked[1, 1](x, 100)
    cuda.synchronize()
except IndexError as error:
    print(error)
shown[1, 32](x)
cuda.synchronize()
square = cuda.to_device(np.arange(64, dtype=np.float32).reshape(8, 8))
print(cuda.to_device(square[::2, ::3].copy_to_host()).copy_to_host().sum(), square.T.copy_to_host()[1, 0])
print(_core.code_cache(0)["written"])
"""
    first = runs.run(program, **on(tmp_path)).splitlines()
    second = runs.run(program, **on(tmp_path)).splitlines()
    assert first[0] == "7.0" and "out of bounds in line" in first[1] and first[2] == "tile 0.000000"
    assert second[:-1] == first[:-1]
    assert int(first[-1]) >= 2 and second[-1] == "0"


@pytest.mark.parametrize(
    ("what", "settings"),
    [("capability", {"FAKE_CUDA_CAPABILITY": "80"}), ("options", {"TREADLE_DEBUGINFO": "1", "TREADLE_OPT": "0"})],
)
def test_other_code_is_another_entry(tmp_path, what, settings):
    launch(tmp_path)
    other = launch(tmp_path, **settings)
    assert (other["links"], other["found"]) == (1, 0), what
    assert len(entries(tmp_path)) == 2


def test_the_code_of_another_capability_is_not_found_for_the_same_text(tmp_path):
    """PTX that the settings have made for an older capability is the same on both devices."""
    launch(tmp_path, TREADLE_FORCE_CC="8.0")
    said = launch(tmp_path, TREADLE_FORCE_CC="8.0", FAKE_CUDA_CAPABILITY="80")
    assert (said["links"], said["found"]) == (1, 0)


def test_an_edited_kernel_is_another_entry(tmp_path):
    launch(tmp_path)
    assert multiplied(tmp_path)["links"] == 1


def test_another_driver_makes_its_own(tmp_path):
    launch(tmp_path / "cache")
    driver = tmp_path / "driver"
    shutil.copytree(runs.LIBRARIES, driver, symlinks=True, ignore=shutil.ignore_patterns("CMakeFiles", "*_tests"))
    for library in driver.glob("libcuda*"):
        if not library.is_symlink():
            os.utime(library, (1, 1))
    assert launch(tmp_path / "cache", LD_LIBRARY_PATH=str(driver))["links"] == 1
    assert launch(tmp_path / "cache", LD_LIBRARY_PATH=str(driver))["links"] == 0
    assert launch(tmp_path / "cache")["links"] == 0


@pytest.mark.parametrize("damage", ["first byte", "last byte", "half", "empty"])
def test_a_damaged_entry_is_made_anew(tmp_path, damage):
    launch(tmp_path)
    (entry,) = entries(tmp_path)
    whole = entry.read_bytes()
    place = {"first byte": 0, "last byte": len(whole) - 1}.get(damage)
    if place is None:
        entry.write_bytes(whole[: len(whole) // 2 if damage == "half" else 0])
    else:
        entry.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    said = launch(tmp_path)
    assert (said["refused"], said["links"], said["written"]) == (1, 1, 1)
    assert entry.read_bytes() == whole


MULTIPLIED = """
@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * FACTOR + value
"""


def multiplied(folder, factor=2, **settings):
    """As `launch`, with another kernel."""
    return launch(folder, MULTIPLIED.replace("FACTOR", str(factor)) + LAUNCH, **settings)


def age(*paths, hours=3):
    for path in paths:
        then = path.stat().st_mtime - 3600 * hours
        os.utime(path, (then, then))


def test_the_entry_of_another_kernel_is_not_run(tmp_path):
    launch(tmp_path)
    (own,) = entries(tmp_path)
    multiplied(tmp_path)
    (other,) = set(entries(tmp_path)) - {own}
    own.write_bytes(other.read_bytes())
    assert launch(tmp_path)["refused"] == 1


def test_an_entry_that_others_can_write_is_not_run(tmp_path):
    launch(tmp_path)
    entries(tmp_path)[0].chmod(0o660)
    said = launch(tmp_path)
    assert (said["refused"], said["links"]) == (1, 1) and entries(tmp_path)[0].stat().st_mode & 0o777 == 0o600


def test_links_are_not_followed(tmp_path):
    launch(tmp_path)
    (entry,) = entries(tmp_path)
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert launch(tmp_path)["refused"] == 1 and not entry.is_symlink()


def test_what_was_used_longest_ago_goes(tmp_path):
    multiplied(tmp_path, 2)
    (used,) = entries(tmp_path)
    bytes_of_one = multiplied(tmp_path, 3)["bytes"] // 2
    (unused,) = set(entries(tmp_path)) - {used}
    age(used, unused)
    multiplied(tmp_path, 2)
    multiplied(tmp_path, 4, TREADLE_CODE_CACHE_LIMIT=str(int(bytes_of_one * 2.9)))
    assert used.exists() and not unused.exists() and len(entries(tmp_path)) == 2


def test_what_ended_processes_left_is_removed(tmp_path):
    launch(tmp_path)
    left, recent = (tmp_path / "cubins" / name for name in (".new-left", ".new-recent"))
    left.touch()
    recent.touch()
    age(left)
    multiplied(tmp_path)
    assert not left.exists() and recent.exists()


def test_code_that_the_driver_does_not_take_is_made_anew(tmp_path):
    launch(tmp_path)
    refusing = LAUNCH.replace("with fake", "fake.inject('cuModuleLoadDataEx', 200)\nwith fake")
    said = launch(tmp_path, refusing)
    assert (said["found"], said["links"], said["loads"], said["written"]) == (1, 1, 2, 1)
    assert launch(tmp_path)["links"] == 0


@pytest.mark.parametrize("call", ["cuLinkCreate", "cuLinkAddData", "cuLinkComplete", "cuDeviceGetAttribute"])
def test_where_nothing_can_be_linked_the_driver_compiles(tmp_path, call):
    failing = LAUNCH.replace("with fake", f"fake.inject('{call}', fake.UNKNOWN)\nwith fake")
    said = launch(tmp_path, failing)
    assert said["loads"] == 1 and said["written"] == 0 and entries(tmp_path) == []
    assert launch(tmp_path)["written"] == 1


def test_text_that_the_driver_does_not_take_fails_as_without(tmp_path):
    program = """
from treadle.cuda.cudadrv import driver
try:
    cuda.current_context().create_module_ptx(".version 7.8\\n.target sm_80\\n.address_size 64\\n.nonsense")
except Exception as error:
    print(type(error).__name__, error)
"""
    plain = runs.run(program)
    assert "nonsense" in plain and runs.run(program, **on(tmp_path)) == plain
    assert entries(tmp_path) == []


def test_in_a_capture(tmp_path):
    """Also one of other software, which calls that captures forbid would end."""
    program = """
import json
from treadle import _core
x, stream = zeros(), cuda.stream()
with cuda.graph(stream) as graph:
    add[1, 128, stream](x, 1)
graph.replay(stream)
stream.synchronize()
print(json.dumps({"result": x.copy_to_host()[[0, -1]].tolist(), **_core.code_cache(0)}))
"""
    assert launch(tmp_path, program)["written"] == 1
    assert launch(tmp_path, program)["found"] == 1


def test_limit_0_keeps_nothing(tmp_path):
    said = launch(tmp_path, TREADLE_CODE_CACHE_LIMIT="0")
    assert (said["links"], said["loads"]) == (0, 1) and "folder" not in said
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    launch(tmp_path)
    os.chmod(tmp_path / "cubins", 0o777)
    said = launch(tmp_path)
    assert (said["links"], said["found"], said["failed"]) == (1, 0, 1)
    assert "can be written by others" in said["trouble"]
    told = runs.run("from treadle.__main__ import main; main(['info'])", **on(tmp_path))
    assert re.search(r"machine code for device 0: .*cubins can be written by others", told)


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ({"NUMBA_CACHE_DIR": "{0}/numba"}, "numba/cubins"),
        ({"XDG_CACHE_HOME": "{0}/xdg"}, "xdg/treadle/cubins"),
        ({"XDG_CACHE_HOME": "not/absolute", "HOME": "{0}"}, ".cache/treadle/cubins"),
        ({"XDG_CACHE_HOME": None, "HOME": "{0}"}, ".cache/treadle/cubins"),
    ],
)
def test_where_it_is(tmp_path, settings, folder):
    settings = {name: text and text.format(tmp_path) for name, text in settings.items()}
    launch(tmp_path, **{"TREADLE_CODE_CACHE_DIR": None, **settings})
    assert [entry.parent for entry in entries(tmp_path)] == [tmp_path / folder]
    told = runs.run("from treadle.__main__ import main; main(['info'])", **{**on(""), **settings})
    assert re.search(rf"machine code for device 0: \d+ bytes in 1 entries, .*{folder}", told)


def test_without_a_home_nothing_is_kept():
    said = launch("", TREADLE_CODE_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
    assert said["links"] == 0 and "folder" not in said


@pytest.mark.deep
def test_32_processes_at_once(tmp_path):
    command = [sys.executable, "-c", runs.HEAD + LAUNCH]
    environment = runs.environment(**on(tmp_path))
    children = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(32)
    ]
    for child in children:
        out, error = child.communicate(timeout=300)
        said = json.loads(out)
        assert (child.returncode, error, said["result"]) == (0, "", [1.0, 1.0])
        assert said["refused"] == said["failed"] == 0
        assert said["links"] == said["written"] == 1 - said["found"]
    assert len(entries(tmp_path)) == len(list((tmp_path / "cubins").iterdir())) == 1
    assert launch(tmp_path)["found"] == 1
