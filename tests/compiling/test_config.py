"""treadle.config, its file and its environment variables (AE1 to AE5); what settings do to compilation."""

import os
import re
import subprocess
import sys

import pytest
from treadle import config, cuda, errors, float32, void


@pytest.fixture
def changed(monkeypatch):
    """changed(name, value): sets it for one test."""
    names = []

    def change(name, value):
        names.append(name)
        setattr(config, name, value)

    yield change
    for name in names:
        setattr(config, name, None)


def twice(x):
    x[0] *= 2


# Attribute, variable of Numba's, what the variable says, what the attribute then is.
VARIABLES = [
    ("CUDA_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "0", 0),
    ("CUDA_LOW_OCCUPANCY_WARNINGS", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0", 0),
    ("CUDA_WARN_ON_IMPLICIT_COPY", "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0", 0),
    ("DISABLE_PERFORMANCE_WARNINGS", "NUMBA_DISABLE_PERFORMANCE_WARNINGS", "1", 1),
    ("CUDA_DEBUGINFO_DEFAULT", "NUMBA_CUDA_DEBUGINFO", "1", 1),
    ("OPT", "NUMBA_OPT", "2", 2),
    ("OPT", "NUMBA_OPT", "0", 0),
    ("FORCE_CUDA_CC", "NUMBA_FORCE_CUDA_CC", "8.6", (8, 6)),
    ("CUDA_DEFAULT_PTX_CC", "NUMBA_CUDA_DEFAULT_PTX_CC", "8.0", (8, 0)),
    ("DISABLE_CUDA", "NUMBA_DISABLE_CUDA", "1", 1),
    ("ENABLE_CUDASIM", "NUMBA_ENABLE_CUDASIM", "1", 1),
    ("CUDA_DRIVER", "NUMBA_CUDA_DRIVER", "/opt/libcuda.so", "/opt/libcuda.so"),
    ("CUDA_PER_THREAD_DEFAULT_STREAM", "NUMBA_CUDA_PER_THREAD_DEFAULT_STREAM", "1", 1),
    ("CUDA_DEALLOCS_COUNT", "NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT", "7", 7),
    ("CUDA_DEALLOCS_RATIO", "NUMBA_CUDA_MAX_PENDING_DEALLOCS_RATIO", "0.5", 0.5),
    ("CPU_NAME", "NUMBA_CPU_NAME", "generic", "generic"),
    ("NUMBA_NUM_THREADS", "NUMBA_NUM_THREADS", "3", 3),
    ("DUMP_LLVM", "NUMBA_DUMP_LLVM", "1", 1),
    ("CUDA_LOG_LEVEL", "NUMBA_CUDA_LOG_LEVEL", "DEBUG", "DEBUG"),
    ("CUDA_LOG_API_ARGS", "NUMBA_CUDA_LOG_API_ARGS", "1", 1),
    ("CUDA_LOG_SIZE", "NUMBA_CUDA_LOG_SIZE", "99", 99),
    ("CUDA_VERBOSE_JIT_LOG", "NUMBA_CUDA_VERBOSE_JIT_LOG", "0", 0),
]


@pytest.mark.parametrize(("attribute", "variable", "text", "value"), VARIABLES)
def test_attributes_show_the_environment(attribute, variable, text, value, monkeypatch):
    for name in (variable, "TREADLE_" + variable.removeprefix("NUMBA_").removeprefix("CUDA_"), "TREADLE_CPU"):
        monkeypatch.delenv(name, raising=False)
    assert getattr(config, attribute) != value
    monkeypatch.setenv(variable, text)
    assert getattr(config, attribute) == value


@pytest.mark.parametrize(("attribute", "variable", "text", "value"), VARIABLES)
def test_what_a_program_writes_counts_first(attribute, variable, text, value, monkeypatch, changed):
    before = getattr(config, attribute)
    changed(attribute, value)
    assert getattr(config, attribute) == value
    changed(attribute, None)
    assert getattr(config, attribute) == before


def test_takes_effect_at_once(changed):
    deallocations = cuda.current_context().deallocations
    before = deallocations.max_pending_count, deallocations.max_pending_ratio
    changed("CUDA_DEALLOCS_COUNT", 3)
    assert (deallocations.max_pending_count, deallocations.max_pending_ratio) == (3, before[1])
    changed("CUDA_DEALLOCS_RATIO", 0.75)
    assert (deallocations.max_pending_count, deallocations.max_pending_ratio) == (3, 0.75)
    changed("CUDA_DEALLOCS_COUNT", None)
    changed("CUDA_DEALLOCS_RATIO", None)
    assert (deallocations.max_pending_count, deallocations.max_pending_ratio) == before


def test_the_interfaces_settings_too(changed):
    x = cuda.device_array(3)
    assert hasattr(x, "__cuda_array_interface__")
    changed("CUDA_ARRAY_INTERFACE", "off")
    assert not hasattr(x, "__cuda_array_interface__")
    changed("CUDA_ARRAY_INTERFACE", None)
    assert hasattr(x, "__cuda_array_interface__")


def test_other_attributes_of_numba_can_be_written():
    assert config.THREADING_LAYER == "default"
    config.THREADING_LAYER = "omp"
    assert config.THREADING_LAYER == "omp"
    config.THREADING_LAYER = "default"
    assert {"THREADING_LAYER", "CUDA_LOW_OCCUPANCY_WARNINGS"} <= set(dir(config))


def test_what_has_no_effect_says_why(monkeypatch):
    for name, reason in config.REASONS.items():
        assert not config.has_effect(name) and reason
        if name.startswith("CUDA_MLIR_"):  # of the other package, which shows no attributes
            with pytest.raises(AttributeError, match=f"there is no setting '{name}'"):
                setattr(config, name, "other")
            assert not hasattr(config, name)
            continue
        before = getattr(config, name)
        monkeypatch.setattr(config, name, before)
        with pytest.warns(errors.NumbaWarning, match=f"config.{name} has no effect: {re.escape(reason)}"):
            setattr(config, name, "other")
        assert getattr(config, name) == "other"
    named = {f"CUDA_{name}" for name in ("INCLUDE_PATH", "NVRTC_EXTRA_SEARCH_PATHS")}
    named |= {"DISABLE_JIT", "NRT_STATS", "FULL_TRACEBACKS", "DEVELOPER_MODE"}
    assert named <= set(config.REASONS)


LAUNCH = """
import numpy as np
from treadle import cuda
@cuda.jit
def add(x):
    i = cuda.grid(1)
    x[i] += i + isinstance(i, int)
add[1, 4](x := np.zeros(4))
print(x.tolist(), len(add.overloads), "add" in next(iter(add.inspect_ptx().values())))
"""


def test_variables_without_effect_leave_kernels_as_they_are(tmp_path):
    values = {"CUDA_MLIR_OLD_DISPATCHER_RETAIN_LIMIT": "1", "CUDA_MLIR_DUMP_NVVM": str(tmp_path / "dumps")}
    variables = {f"NUMBA_{name}": values.get(name, "1") for name in config.REASONS}
    variables["NUMBA_CUDA_MLIR_TEST_BIN_DIR"] = str(tmp_path / "bin")
    assert run(LAUNCH, tmp_path, **variables) == run(LAUNCH, tmp_path) == ("[1.0, 2.0, 3.0, 4.0] 1 True\n", "")
    assert list(tmp_path.iterdir()) == []


def test_disable_jit_changes_nothing(tmp_path):
    assert run(LAUNCH, tmp_path, NUMBA_DISABLE_JIT="1") == ("[1.0, 2.0, 3.0, 4.0] 1 True\n", "")


def test_tracebacks_of_compile_errors_are_whole(tmp_path):
    code = """
import traceback
from treadle import cuda
def add(x):
    x[0] = missing
try:
    cuda.jit(add).compile("void(float32[:])")
except Exception as error:
    print("missing" in traceback.format_exc(), traceback.format_exc())
"""
    usual = run(code, tmp_path)[0]
    assert usual.startswith("True Traceback")
    assert usual == run(code, tmp_path, NUMBA_FULL_TRACEBACKS="1", NUMBA_DEVELOPER_MODE="1")[0]


def test_mistakes_are_named():
    with pytest.raises(AttributeError, match="there is no setting 'CUDA_LOW_OCUPANCY_WARNINGS'"):
        config.CUDA_LOW_OCUPANCY_WARNINGS = 0
    with pytest.raises(AttributeError, match="there is no setting 'NOTHING'"):
        config.NOTHING  # noqa: B018
    with pytest.raises(ValueError, match="config.CUDA_LOW_OCCUPANCY_WARNINGS cannot be 'some'"):
        config.CUDA_LOW_OCCUPANCY_WARNINGS = "some"
    with pytest.raises(ValueError, match="config.OPT cannot be 'fast'"):
        config.OPT = "fast"
    assert (config.CUDA_LOW_OCCUPANCY_WARNINGS, config.OPT) == (1, 3)


def target_of(ptx):
    return re.search(r"^\.target (\w+)", ptx, re.M)[1]


def test_default_capability(changed):
    ptx, _ = cuda.compile_ptx(twice, (float32[:],))
    assert target_of(ptx) == "sm_90"
    changed("CUDA_DEFAULT_PTX_CC", (8, 0))
    assert target_of(cuda.compile_ptx(twice, (float32[:],))[0]) == "sm_80"
    assert target_of(cuda.compile_ptx(twice, (float32[:],), cc=(7, 5))[0]) == "sm_75"


def test_forced_capability(changed):
    changed("FORCE_CUDA_CC", (8, 6))
    kernel = cuda.jit(void(float32[:]))(twice)
    assert target_of(cuda.compile_ptx(twice, (float32[:],), cc=(7, 5))[0]) == "sm_86"
    assert target_of(next(iter(kernel.inspect_ptx().values()))) == "sm_86"


def test_optimisation_and_debug(changed):
    changed("OPT", 0)
    assert cuda.jit(twice).options.opt == 0
    changed("OPT", "max")
    assert (cuda.jit(twice).options.opt, config.OPT) == (3, 3)
    changed("OPT", 0)
    assert cuda.jit(twice, opt=2).options.opt == 2
    changed("CUDA_DEBUGINFO_DEFAULT", 1)
    assert cuda.jit(twice).options.debug is True
    assert cuda.jit(twice, debug=False).options.debug is False


def run(code, folder, **settings):
    import os

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TREADLE_", "NUMBA_"))}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, env=environment | settings, timeout=60
    )
    assert result.returncode == 0, result.stderr
    return result.stdout, result.stderr


SHOWN = """
from treadle import cuda, config
print(config.CUDA_LOW_OCCUPANCY_WARNINGS, config.FORCE_CUDA_CC, config.NUMBA_NUM_THREADS, config.CPU_DEVICES)
config.CUDA_LOW_OCCUPANCY_WARNINGS = 1
print(config.CUDA_LOW_OCCUPANCY_WARNINGS)
"""


class TestFile:
    """AE4: .numba_config.yaml of the working directory."""

    @pytest.fixture
    def with_yaml(self, tmp_path):
        pytest.importorskip("yaml", reason="PyYAML is not installed")
        return tmp_path

    def test_its_keys_are_variables(self, with_yaml):
        (with_yaml / ".numba_config.yaml").write_text(
            "cuda_low_occupancy_warnings: 0\nforce_cuda_cc: 8.6\nNUM_THREADS: 2\ncpu_devices: 3\ndeveloper_mode: 1\n"
        )
        assert run(SHOWN, with_yaml) == ("0 (8, 6) 2 3\n1\n", "")

    def test_the_environment_counts_before_it(self, with_yaml):
        (with_yaml / ".numba_config.yaml").write_text("cuda_low_occupancy_warnings: 0\nnum_threads: 2\n")
        out, _ = run(SHOWN, with_yaml, NUMBA_NUM_THREADS="5", TREADLE_LOW_OCCUPANCY_WARNINGS="1")
        assert out == "1 None 5 1\n1\n"

    def test_it_may_be_empty_or_wrong(self, with_yaml):
        for text, told in (("", ""), ("- 1\n", "must have lines"), ("a: [", "cannot be read")):
            (with_yaml / ".numba_config.yaml").write_text(text)
            out, err = run(SHOWN, with_yaml)
            assert out == "1 None 0 1\n1\n"
            assert told in err and bool(told) == bool(err)

    @pytest.mark.parametrize("mode, folder_mode", [(0o666, 0o755), (0o664, 0o755), (0o644, 0o777), (0o644, 0o775)])
    def test_what_others_can_write_does_not_hold(self, with_yaml, mode, folder_mode):
        """It may name libraries that are loaded."""
        file = with_yaml / ".numba_config.yaml"
        file.write_text("cuda_low_occupancy_warnings: 0\n")
        file.chmod(0o644)
        with_yaml.chmod(0o755)
        assert run(SHOWN, with_yaml)[0].startswith("0 ")
        file.chmod(mode)
        with_yaml.chmod(folder_mode)
        out, err = run(SHOWN, with_yaml)
        assert out.startswith("1 ") and "its settings do not hold" in err
        assert "can be written by others: take that from them (chmod go-w)" in err

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
    def test_what_belongs_to_another_user_does_not_hold(self, with_yaml):
        file = with_yaml / ".numba_config.yaml"
        file.write_text("cuda_low_occupancy_warnings: 0\n")
        os.chown(file, 12345, -1)
        out, err = run(SHOWN, with_yaml)
        assert out.startswith("1 ") and ".numba_config.yaml belongs to another user" in err

    def test_without_pyyaml_it_warns(self, tmp_path):
        (tmp_path / ".numba_config.yaml").write_text("cuda_low_occupancy_warnings: 0\n")
        out, err = run("import sys; sys.modules['yaml'] = None" + SHOWN, tmp_path)
        assert out == "1 None 0 1\n1\n"
        assert "PyYAML is not: install it (pip install pyyaml)" in err

    def test_elsewhere_it_counts_for_nothing(self, tmp_path):
        (tmp_path / ".numba_config.yaml").write_text("cuda_low_occupancy_warnings: 0\n")
        (tmp_path / "below").mkdir()
        assert run(SHOWN, tmp_path / "below") == ("1 None 0 1\n1\n", "")


def test_simulator_means_the_cpu_device(tmp_path):
    code = "from treadle import cuda; print(cuda.get_current_device())"
    out, _ = run(code, tmp_path, NUMBA_ENABLE_CUDASIM="1")
    assert out.startswith("<CPU device 0")


def test_disabled_cuda(tmp_path):
    code = """
from treadle import cuda, errors
try:
    cuda.current_context()
except errors.CudaSupportError as error:
    print(error)
print(cuda.is_available(), isinstance(cuda.cuda_error(), errors.CudaSupportError))
"""
    out, _ = run(code, tmp_path, NUMBA_DISABLE_CUDA="1", TREADLE_DEVICE="cuda")
    assert out.splitlines() == [
        "CUDA is disabled by NUMBA_DISABLE_CUDA or TREADLE_DISABLE_CUDA: unset it, or run on the CPU by "
        "TREADLE_DEVICE=cpu",
        "False True",
    ]
    assert run("from treadle import cuda; print(cuda.is_available())", tmp_path, NUMBA_DISABLE_CUDA="1")[0] == "True\n"


def test_the_cpu_device_never_warns(recwarn, changed):
    import numpy as np

    changed("DISABLE_PERFORMANCE_WARNINGS", 0)
    x = np.ones(1, np.float32)
    cuda.jit(twice)[1, 1](x)
    assert x[0] == 2
    assert [w for w in recwarn if issubclass(w.category, errors.NumbaPerformanceWarning)] == []
