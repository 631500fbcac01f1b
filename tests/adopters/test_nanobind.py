"""nanobind: C++ functions that take and give nb::ndarray, in a module that is compiled here."""

import gc
import importlib.util
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import treadle
from treadle import cuda

nanobind = pytest.importorskip("nanobind")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nanobind")
    library = folder / f"exchanged_arrays{sysconfig.get_config_var('EXT_SUFFIX')}"
    root = Path(nanobind.include_dir()).parent
    includes = [sysconfig.get_path("include"), nanobind.include_dir(), root / "ext/robin_map/include"]
    sources = [Path(__file__).parent / "exchanged_arrays.cpp", root / "src/nb_combined.cpp"]
    command = ["c++", "-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-DNB_COMPACT_ASSERTIONS"]
    command += [f"-I{path}" for path in includes] + [str(source) for source in sources] + ["-o", str(library)]
    subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location("exchanged_arrays", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def test_ours_as_their_arguments(arrays):
    x = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert arrays.total(x) == 66
    assert arrays.total(x[::-1, ::2]) == 0 + 2 + 4 + 6 + 8 + 10
    arrays.fill(x[:, 1:2], 5)
    assert x.copy_to_host()[:, 1].tolist() == [5, 5, 5]
    assert arrays.described(cuda.device_array((2, 3), "float16")) == (2, 6, 2, 16, 1)
    with pytest.raises(TypeError):
        arrays.total(cuda.device_array((3, 4), np.int32))


def test_read_only_arrays_are_not_given_to_who_writes(arrays):
    host = np.ones(3, np.float32)
    host.flags.writeable = False
    x = treadle.from_dlpack(host)
    assert arrays.constant(x) == 1
    with pytest.raises(TypeError):
        arrays.fill(x.reshape(1, 3), 2)


def test_theirs_as_our_arguments(arrays):
    given = arrays.given()
    double[1, 32](given)
    x = treadle.from_dlpack(given)
    del given
    gc.collect()
    assert x.copy_to_host().tolist() == [2, 4, 6]
