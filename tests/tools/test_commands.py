"""`python -m treadle`: its commands as users call them."""

import json
import os
import re
import subprocess
import sys

import pytest
import treadle
from treadle import _core, cuda

KERNEL = """
import sys
from treadle import cuda, float32, void

assert __name__ != "__main__"

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

@cuda.jit(void(float32[:]))
def compiled(x):
    x[0] = 1

class Kernels:
    inside = compiled
"""


def treadle_command(*words, **settings):
    command = [sys.executable, "-m", "treadle", *map(str, words)]
    environment = {name: value for name, value in os.environ.items() if name != "TREADLE_CACHE_LIMIT"}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment | settings)


def info(**settings):
    result = treadle_command("info", "--json", **settings)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_info_says_what_is_there():
    found = info()
    assert found["versions"]["treadle"] == treadle.__version__
    assert re.fullmatch(r"[0-9a-f]{32}", found["versions"]["build"])
    assert re.fullmatch(r"19\.\d+\.\d+", found["versions"]["LLVM"])
    for library in ("library", "compiler library"):
        assert os.path.exists(found["versions"][library])
    assert len(found["devices"]) == len(cuda.gpus)
    device = found["devices"]["device 0"]
    assert device["name"] == cuda.gpus[0].name and device["kind"] == _core.device_kind(0)
    assert device["compute capability"] == "{}.{}".format(*cuda.gpus[0].compute_capability)
    assert found["libraries"]["numpy"]
    assert "avx2" in found["CPU code"]["features"]
    assert "memory of device 0" in found["caches"]


def test_info_says_where_settings_come_from():
    assert "TREADLE_CACHE_LIMIT" not in info()["settings"]
    settings = info(TREADLE_CACHE_LIMIT="1000", NUMBA_OPT="2")["settings"]
    assert settings["TREADLE_CACHE_LIMIT"] == {"value": "1000", "from": "the environment: TREADLE_CACHE_LIMIT"}
    assert settings["TREADLE_OPT"] == {"value": "2", "from": "the environment: NUMBA_OPT"}


def test_states_of_settings_name_their_sources():
    def state():
        return {name: rest for name, *rest in _core.setting_states()}["TREADLE_DUMP_IR"]

    assert state()[:2] == ["0", "default"]
    try:
        _core.set_setting("TREADLE_DUMP_IR", "0", is_from_file=True)
        assert state()[:2] == ["0", "file"]
        _core.set_setting("TREADLE_DUMP_IR", "0")
        assert state()[:2] == ["0", "program"]
    finally:
        _core.set_setting("TREADLE_DUMP_IR", "", is_from_file=True)
        _core.set_setting("TREADLE_DUMP_IR", "")


def test_info_is_text_for_people():
    result = treadle_command("info", TREADLE_CACHE_LIMIT="1000")
    assert result.returncode == 0
    assert "  TREADLE_CACHE_LIMIT: 1000 (from the environment: TREADLE_CACHE_LIMIT)\n" in result.stdout
    assert f"  treadle: {treadle.__version__}\n" in result.stdout
    assert "libraries\n" in result.stdout and "{" not in result.stdout


def test_info_where_there_is_no_device_says_why_and_fails():
    settings = {"TREADLE_DEVICE": "cuda", "TREADLE_DISABLE_CUDA": "1"}
    result = treadle_command("info", "--json", **settings)
    assert result.returncode == 1
    found = json.loads(result.stdout)
    assert "CUDA is disabled" in found["devices"]["none"] and found["caches"] == {}
    assert treadle_command("info", **settings).returncode == 1


def test_dump_writes_stages_and_tells_what_passes_did(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(KERNEL)
    folder = tmp_path / "stages"
    result = treadle_command(
        "--dump", folder, "compile", f"{program}:compiled", "--target", "sm_90", "-o", tmp_path / "kernels.image"
    )
    assert result.returncode == 0, result.stderr
    first, passes = result.stderr.partition("# compiled (array(float32, 1d, A)) -> none for sm_90: ")[::2]
    assert first.startswith("# compiled (array(float32, 1d, A)) -> none for cpu: ")
    passes = passes.splitlines()[1:]
    assert [line.partition(" (")[0] for line in passes[:3]] == ["rules", "overlap", "waiting loops"]
    assert re.fullmatch(r"rules \(\d+ us\): changed nothing", passes[0])
    assert {path.name.split(".")[2] for path in folder.iterdir()} >= {"typed", "passes", "llvm", "optimized", "ptx"}


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_info_shows_the_rest_where_a_setting_is_wrong(words):
    result = treadle_command("info", *words, TREADLE_CODE_CACHE_LIMIT="1G")
    assert (result.returncode, result.stderr) == (1, "")
    assert "TREADLE_CODE_CACHE_LIMIT must be an integer, found '1G'" in result.stdout
    assert treadle.__version__ in result.stdout and "cannot be shown" in result.stdout


def test_names_that_completion_offers():
    import importlib

    importlib.import_module("treadle.source.functions")
    assert set(treadle.__all__) <= set(dir(treadle)) and set(cuda.__all__) <= set(dir(cuda))
    assert {name for name in dir(treadle) if not name.startswith("_")} <= set(treadle.__all__)


def test_commands_that_do_not_exist():
    for words in ([], ["compute"]):
        result = treadle_command(*words)
        assert result.returncode == 2 and "COMMAND" in result.stderr
    assert "report" in treadle_command("--help").stdout


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


def test_report_writes_the_page(program, tmp_path):
    output = tmp_path / "out.html"
    words = ["report", f"{program}:double", "--signature", "void(float32[:])", "--cc", "8.6", "-o", output]
    result = treadle_command(*words)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{output}\n", "")
    assert "compute capability 8.6" in output.read_text()


@pytest.mark.parametrize("name", ["compiled", "Kernels.inside"])
def test_report_of_a_compiled_signature(program, tmp_path, name):
    output = tmp_path / "out.html"
    assert treadle_command("report", f"{program}:{name}", "--cpu", "-o", output).returncode == 0
    assert "machine code for this processor" in output.read_text()


@pytest.mark.parametrize(
    "words, said",
    [
        (["{program}:double"], "double is not compiled yet"),
        (["{program}:none"], "has no 'none'"),
        (["{program}"], "must be given as FILE.py:KERNEL"),
        (["none.py:double"], "there is no file 'none.py'"),
        (["{program}:double", "--signature", "void(float32)"], "treadle report: "),
        (["{program}:sys"], "a report is about a kernel"),
        (["{program}:compiled", "-o", "/none/at/all.html"], "No such file"),
        (["{program}:compiled", "--cc", "9.0", "--cpu"], "not allowed with"),
        (["{program}:compiled", "--cc", "new"], "cc must be"),
    ],
)
def test_report_refuses(program, words, said):
    result = treadle_command("report", *(word.format(program=program) for word in words))
    assert result.returncode == 2 and said in result.stderr
    assert "Traceback" not in result.stderr and not os.path.exists("report.html")


@pytest.mark.parametrize("words", [["-o", "kernels.h"], ["-o", "a.image", "--header", "a.image"]])
def test_the_header_does_not_replace_the_image(program, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    result = treadle_command("compile", f"{program}:compiled", *words)
    assert result.returncode == 2 and "are one file, and both would be written: name two" in result.stderr
    assert os.listdir(tmp_path) == ["kernels.py"] or "__pycache__" in os.listdir(tmp_path)
    assert not os.path.exists(words[1])


def test_both_files_or_none(program, tmp_path):
    image = tmp_path / "a.image"
    result = treadle_command("compile", f"{program}:compiled", "-o", image, "--header", tmp_path / "none/a.h")
    assert result.returncode == 2 and "No such file" in result.stderr and not image.exists()


def test_files_whose_names_are_no_texts(program, tmp_path):
    image = os.fsencode(tmp_path) + b"/caf\xe9.image"
    command = [sys.executable, "-m", "treadle", "compile", f"{program}:compiled", "-o", image]
    result = subprocess.run(command, capture_output=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, b"")
    with open(image, "rb") as made, open(os.fsencode(tmp_path) + b"/caf\xe9.h", encoding="utf-8") as header:
        assert made.read(13) == b"treadle image" and "caf\\udce9.image" in header.readline()


def test_a_device_has_no_header(program, tmp_path):
    result = treadle_command("compile", f"{program}:compiled", "-o", "/dev/null")
    assert (result.returncode, result.stdout, result.stderr) == (0, "/dev/null\n", "")
    assert not os.path.exists("/dev/null.h")


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m treadle info --json | head -n 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("{\n", "")
