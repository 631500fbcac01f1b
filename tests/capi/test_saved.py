"""`treadle compile` and `kernel.save`: files that C++ programs run without Python, and their headers."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from c_programs import PACKAGE, ROOT, WARNINGS, build, environment
from treadle import _core, cuda, float32

KERNELS = """
import math
from treadle import cuda

@cuda.jit
def axpy(x, y, out, a):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a * x[i] + y[i]

@cuda.jit("void(float64[:, ::1], complex64, Tuple((int8, boolean)), Optional(float64), none, float16)")
def register(out, z, pair, maybe, nothing, half):
    if cuda.grid(1) == 0:
        out[0, 0] = z.imag
        out[0, 1] = pair[0] if pair[1] else -1
        out[0, 2] = maybe if maybe is not None else -2
        out[0, 3] = half

@cuda.jit("void(float32[::1])")
def exponentials(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = math.exp(x[i])
"""
SIGNATURE = "void(float32[::1], float32[::1], float32[::1], float32)"

MAIN = """
#include "saved.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#define CHECK(call)  \\
  if (treadle_status status = (call))  \\
  return std::printf("%s: %s\\n", treadle_status_name(status), treadle_last_error()), 1

template <typename T> static treadle_array made(treadle_device device, const std::vector<T> &values, int ndim = 1) {
  const int64_t shape[] = {1, int64_t(values.size())};
  treadle_array_desc desc = {};
  desc.abi_major = TREADLE_VERSION_MAJOR;
  desc.struct_size = sizeof desc;
  desc.code = 2, desc.bits = 8 * sizeof(T), desc.lanes = 1;
  desc.ndim = ndim;
  desc.shape = shape + (2 - ndim);
  treadle_array array = nullptr;
  treadle_array_create(device, TREADLE_MEMORY_DEVICE, &desc, nullptr, &array);
  treadle_array_write(array, values.data(), sizeof(T) * values.size(), nullptr);
  return array;
}

static int run(const char *path) {
  treadle_device device;
  CHECK(treadle_device_open(nullptr, 0, &device));
  saved::Kernels kernels;
  CHECK(kernels.load(device, path));
  std::vector<float> values(1000);
  for (int i = 0; i < 1000; ++i)
    values[i] = float(i) / 100;
  treadle_array x = made(device, values), y = made(device, values), out = made(device, values);
  const std::vector<float> zeros(1000);
  for (unsigned block : {128u, 128u, 128u, 100u, 100u, 100u}) { // the second is no multiple of a warp
    CHECK(treadle_array_write(out, zeros.data(), 4000, nullptr));
    CHECK(kernels.axpy(saved::launch(10, block), x, y, out, 2));
    CHECK(treadle_array_read(out, values.data(), 4000, nullptr));
    for (int i = 0; i < 1000; ++i)
      if (values[i] != 2 * (float(i) / 100) + float(i) / 100)
        return std::printf("axpy: %d\\n", i), 1;
  }
  CHECK(kernels.axpy(saved::launch(10, 128), x, x, x, 0.5f)); // arrays overlap
  CHECK(kernels.exps(saved::launch(10, 128), y));
  CHECK(treadle_array_read(y, values.data(), 4000, nullptr));
  for (int i = 0; i < 1000; ++i)
    if (std::fabs(values[i] - std::exp(float(i) / 100)) > 1e-5f * values[i])
      return std::printf("exp: %d %g\\n", i, values[i]), 1;
  std::vector<double> told(4);
  treadle_array row = made(device, told, 2);
  const double given = 7.5;
  for (const double *maybe : {&given, (const double *)nullptr}) {
    CHECK(kernels.register_(saved::launch(1, 32), row, {1, 2.5f}, 3, maybe != nullptr, maybe, 1.5f));
    CHECK(treadle_array_read(row, told.data(), 32, nullptr));
    std::printf("%g %g %g %g\\n", told[0], told[1], told[2], told[3]);
  }
  treadle_kernel kernel;
  treadle_image image;
  treadle_image_source source = {};
  source.struct_size = sizeof source;
  source.path = path;
  CHECK(treadle_image_load(device, &source, &image));
  if (treadle_image_kernel(image, nullptr, &kernel) != TREADLE_ERROR_NOT_FOUND)
    return std::puts("one of several kernels was found"), 1;
  std::puts(treadle_last_error());
  CHECK(treadle_image_kernel(image, "axpy", &kernel));
  treadle_kernel_info info = {};
  info.struct_size = sizeof info;
  CHECK(treadle_kernel_get_info(kernel, &info));
  std::printf("%s\\n%s\\n", info.signature, std::strstr(info.target, "avx512f") ? "512" : info.target);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libtreadle-compiler") != line.npos)
      return std::puts("the compiler library was opened"), 1;
  return 0;
}

int main(int, char **arguments) { return run(arguments[1]); }
"""


def command(*words, **settings):
    own = {**environment("cpu"), **settings}
    return subprocess.run([sys.executable, "-m", "treadle", "compile", *words], capture_output=True, text=True, env=own)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with saved.image, for several processors and for GPUs, and with the program that runs it."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "main.cpp").write_text(MAIN)
    save(folder, *names(folder))
    program(folder, "clang++-19")
    return folder


def names(folder):
    return [f"{folder}/kernels.py:{name}" for name in ("axpy", "register", "exponentials=exps")]


def save(folder, *kernels, target="cpu,sm_75,sm_90"):
    register = "void(float64[:, ::1], complex64, Tuple((int8, boolean)), Optional(float64), none, float16)"
    signatures = [SIGNATURE, register, "void(float32[::1])"]
    words = [word for one in signatures for word in ("--signature", one)]
    done = command(*kernels, *words, "--target", target, "-o", str(folder / "saved.image"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{folder}/saved.image\n{folder}/saved.h\n"


def program(folder, compiler, standard="c++11"):
    words = [compiler, f"-std={standard}", *WARNINGS, f"-I{ROOT}/include", str(folder / "main.cpp")]
    words += ["-o", str(folder / "main"), f"-L{PACKAGE}", "-ltreadle", f"-Wl,-rpath,{PACKAGE}"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def run(folder, device, **settings):
    own = {**environment(device), **settings}
    return subprocess.run([folder / "main", folder / "saved.image"], capture_output=True, text=True, env=own)


def test_a_cpp_program_runs_kernels_of_a_file(folder, device):
    done = run(folder, device)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    first, second, several, signature, target = done.stdout.splitlines()
    assert (first, second) == ("2.5 3 7.5 1.5", "2.5 -1 -2 1.5")
    assert several.endswith("name is NULL, and the image has several kernels: axpy, exps, register")
    assert signature == "(array(float32, 1d, C), array(float32, 1d, C), array(float32, 1d, C), float32) -> none"
    assert target == "sm_90" if device == "cuda" else target == "512" or "+avx2" in target


@pytest.mark.parametrize(("processor", "has"), [("x86-64-v2", "+sse4.2"), ("x86-64-v3", "+avx2")])
def test_the_level_is_taken_that_the_machine_runs(folder, processor, has):
    *_, target, opened = run(folder, "cpu", TREADLE_CPU=processor).stdout.splitlines()
    assert has in target and ("+avx2" in target) == (has == "+avx2")
    assert opened == "the compiler library was opened", "which knows what processors have"


def test_code_for_an_older_gpu_is_taken(folder):
    done = run(folder, "cuda", FAKE_CUDA_CAPABILITY="80")
    assert done.stdout.splitlines()[-1] == "sm_75", done.stdout


def test_no_code_for_the_device(folder, tmp_path):
    (tmp_path / "main").symlink_to(folder / "main")
    save(tmp_path, *names(folder), target="sm_90,sm_86")
    done = run(tmp_path, "cuda", FAKE_CUDA_CAPABILITY="80")
    assert done.returncode == 1
    assert (
        "no image of axpy runs on this device: it is for compute capability 86, and the device's is 80" in done.stdout
    )
    done = run(tmp_path, "cpu")
    assert "no image of axpy runs on this device: it is for CUDA, and the device is no such one" in done.stdout


def test_processors_that_lack_instructions_are_refused_by_their_names(folder, tmp_path):
    (tmp_path / "main").symlink_to(folder / "main")
    save(tmp_path, *names(folder), target="cpu:sapphirerapids")
    done = run(tmp_path, "cpu", TREADLE_CPU="x86-64-v3")
    assert done.returncode == 1
    assert re.search(
        r"no image of axpy runs on this device: it uses CPU features that this machine lacks: .*avx512f", done.stdout
    )


def test_files_of_another_interface_are_refused(folder, tmp_path):
    (tmp_path / "main").symlink_to(folder / "main")
    good = (folder / "saved.image").read_bytes()
    place = good.index(b"\n") + 1
    (tmp_path / "saved.image").write_bytes(good[:place] + bytes([good[place] + 1]) + good[place + 1 :])
    done = run(tmp_path, "cpu")
    number = good[place]
    assert f"its interface to the library has the number {number + 1}, this library's has {number}" in done.stdout


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_headers_compile(folder, tmp_path, compiler, standard):
    for name in ("saved.h", "main.cpp"):
        (tmp_path / name).write_text((folder / name).read_text())
    program(tmp_path, compiler, standard)


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


def test_saving_from_python(tmp_path):
    path = tmp_path / "scale.image"
    scale.save(path, "void(float32[::1], float32)", "cpu:native", name="scaled")
    assert os.listdir(tmp_path) == ["scale.image"] and path.read_bytes().startswith(b"treadle image")
    before = path.read_bytes()
    scale.save(path, "void(float32[::1], float32)", ["cpu:native"], name="scaled", header=tmp_path / "scale.h")
    assert path.read_bytes() == before
    header = (tmp_path / "scale.h").read_text()
    assert "treadle_status scaled(const treadle_launch_config &config, treadle_array x, float factor) const {" in header


def test_saving_a_signature_that_is_compiled(tmp_path):
    kernel = cuda.jit("void(float32[::1], float32)")(scale.py_func)
    kernel.save(tmp_path / "scale.image")
    x = np.ones(4, np.float32)
    kernel[1, 32](x, 3)
    assert x.tolist() == [3, 3, 3, 3]


BOUNDED = """
from treadle import cuda

@cuda.jit("void(Tuple((int32, Tuple((float32[::1], int8)))), float32)", launch_bounds=64)
def bounded(pair, factor):
    i = cuda.grid(1)
    if i < pair[1][0].shape[0]:
        pair[1][0][i] = factor * cuda.threadIdx.x
"""

BOUNDED_MAIN = """
#include "treadle/treadle.h"
#include <stdio.h>
#include <string.h>

static treadle_kernel kernel;
static treadle_launch_config config;
static treadle_argument arguments[4];

static void launch(uint32_t threads) {
  treadle_status status;
  config.block[0] = threads;
  status = treadle_launch(kernel, &config, arguments, 4);
  printf("%s: %s\\n", treadle_status_name(status), status == TREADLE_OK ? "" : treadle_last_error());
}

int main(int count, char **words) {
  const int64_t shape[] = {100};
  treadle_device device;
  treadle_image image;
  treadle_image_source source;
  treadle_array_desc desc;
  uint32_t i;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.path = words[count - 1];
  treadle_device_open(NULL, 0, &device);
  treadle_image_load(device, &source, &image);
  treadle_image_kernel(image, "bounded", &kernel);
  for (i = 0; i < 4; ++i) {
    treadle_parameter_info info;
    info.struct_size = sizeof info;
    treadle_kernel_parameter(kernel, i, &info);
    printf("%s %s\\n", info.name, info.type);
  }
  memset(&desc, 0, sizeof desc);
  desc.abi_major = TREADLE_VERSION_MAJOR, desc.struct_size = sizeof desc;
  desc.code = 2, desc.bits = 32, desc.lanes = 1, desc.ndim = 1, desc.shape = shape;
  memset(arguments, 0, sizeof arguments);
  arguments[0].kind = arguments[2].kind = TREADLE_ARGUMENT_INT;
  arguments[1].kind = TREADLE_ARGUMENT_ARRAY, arguments[3].kind = TREADLE_ARGUMENT_FLOAT;
  treadle_array_create(device, TREADLE_MEMORY_DEVICE, &desc, NULL, &arguments[1].value.array);
  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config, config.argument_size = sizeof *arguments;
  config.grid[0] = config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  for (i = 0; i < 3; ++i)
    launch(64);
  launch(65);
  arguments[2].kind = TREADLE_ARGUMENT_FLOAT;
  launch(64);
  return 0;
}
"""


def test_names_of_parameters_and_bounds_of_launches_are_in_files(device, tmp_path):
    (tmp_path / "bounded.py").write_text(BOUNDED)
    (tmp_path / "main.c").write_text(BOUNDED_MAIN)
    done = command(f"{tmp_path}/bounded.py:bounded", "--target", "cpu,sm_75", "-o", str(tmp_path / "bounded.image"))
    assert (done.returncode, done.stderr) == (0, "")
    main = build([tmp_path / "main.c"], tmp_path / "main")
    done = subprocess.run([main, tmp_path / "bounded.image"], capture_output=True, text=True, env=environment(device))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "pair[0] int32", "pair[1][0] array(float32, 1d, C)", "pair[1][1] int8", "factor float32",
        *["TREADLE_OK: "] * 3,
        "TREADLE_ERROR_ARGUMENT: treadle_launch: launch configuration: a block of 65 x 1 x 1 has 65 threads; the "
        "kernel's launch_bounds allow 64",
        "TREADLE_ERROR_TYPE: treadle_launch: argument 2 'pair[1][1]' (int8) got a float",
    ]  # fmt: skip


table = cuda.to_device(np.arange(4.0))


def test_what_cannot_be_saved(tmp_path):
    @cuda.jit
    def captures(x):
        x[0] = table[1]

    @cuda.jit
    def recorded(x, record):
        x[0] = 1

    @cuda.jit(device=True)
    def helper(x):
        return x

    path = tmp_path / "no.image"
    with pytest.raises(ValueError, match="captures has captured the device array 'table', which only this process has"):
        captures.save(path, "void(float32[::1])")
    with pytest.raises(ValueError, match="'record' of type .*: pass numbers, arrays and tuples of them"):
        recorded.save(path, (float32[::1], *_core.types_of(np.zeros(1, [("a", "f4")])[0])), header=tmp_path / "no.h")
    with pytest.raises(TypeError, match="only kernels can be saved"):
        helper.save(path, (float32,))
    with pytest.raises(ValueError, match="there is no target 'gpu'; there are cpu, cpu:native"):
        scale.save(path, "void(float32[::1], float32)", "gpu")
    with pytest.raises(ValueError, match="the processor of a target is 'z80'; it must be a 64-bit x86 processor"):
        scale.save(path, "void(float32[::1], float32)", "cpu:z80")
    with pytest.raises(ValueError, match="target must be one name or several"):
        scale.save(path, "void(float32[::1], float32)", "cpu,")
    with pytest.raises(ValueError, match="must be an identifier, found 'a b'"):
        scale.save(path, "void(float32[::1], float32)", name="a b")
    with pytest.raises(FileNotFoundError):
        scale.save(tmp_path / "none" / "x.image", "void(float32[::1], float32)")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["kernels.py"], "the kernel must be given as FILE.py:KERNEL, found 'kernels.py'"),
        (["none.py:axpy"], "there is no file 'none.py'"),
        (["{}:nothing"], "has no 'nothing'"),
        (["{}:axpy"], "axpy is not compiled"),
        (["{}:axpy", "{}:register", "--signature", SIGNATURE], "2 kernels and 1 signatures were given"),
        (["{}:register", "{}:register"], "the file would have two kernels 'register'"),
        (["{}:axpy", "--signature", "void(text)"], "text"),
    ],
)
def test_mistakes_on_the_command_line(folder, tmp_path, words, text):
    done = command(*(word.format(folder / "kernels.py") for word in words), "-o", str(tmp_path / "out"))
    assert done.returncode == 2 and done.stderr.startswith("treadle compile: ") and text in done.stderr
    assert os.listdir(tmp_path) == []
