"""Files whose code needs SLEEF, on machines that lack it: an error that says so, and none for other files."""

import subprocess

import pytest
from c_programs import build, environment
from treadle import cuda, float32

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <treadle/treadle.h>

/* In place of the C library's, whose answer it gives but for SLEEF. */
void *dlopen(const char *name, int flags) {
  void *const next = dlsym(RTLD_NEXT, "dlopen");
  void *(*real)(const char *, int);
  memcpy(&real, &next, sizeof real);
  return name && strstr(name, "libsleef") ? NULL : real(name, flags);
}

int main(int count, char **arguments) {
  treadle_device device;
  treadle_image image;
  treadle_image_source source;
  treadle_status status;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.path = arguments[count - 1];
  if (treadle_device_open("cpu", 0, &device) != TREADLE_OK)
    return 1;
  status = treadle_image_load(device, &source, &image);
  if (status == TREADLE_OK) {
    treadle_kernel kernel;
    status = treadle_image_kernel(image, NULL, &kernel);
  }
  printf("%s: %s\n", treadle_status_name(status), status == TREADLE_OK ? "" : treadle_last_error());
  return 0;
}
"""


def cube_roots(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = float32(x[i] ** (1 / 3)) + cuda.cbrt(x[i])


def doubled(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] *= 2


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.c").write_text(PROGRAM)
    return build([folder / "main.c"], folder / "main", options=["-rdynamic", "-ldl"])


@pytest.mark.parametrize(("kernel", "says"), [
    (cube_roots, "TREADLE_ERROR_UNSUPPORTED: treadle_image_load: libsleef.so.3"),
    (doubled, "TREADLE_OK"),
])  # fmt: skip
def test_loads_only_what_it_can_run(program, tmp_path, kernel, says):
    image = tmp_path / "kernel.image"
    cuda.jit(kernel).save(image, "void(float32[::1])", "cpu")
    result = subprocess.run(
        [program, image], env=environment("cpu"), capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.startswith(says)
