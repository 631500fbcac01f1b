"""No file of a CUDA toolkit is opened but libdevice, where it is installed (docs/math.md)."""

import os
import re
import shutil
import subprocess

import pytest
import runs

# Before each of these functions of the C library, its path goes to the file that OPENED names.
LOGGER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char *path) {
  const char *log = getenv("OPENED");
  static int (*open_)(const char *, int, ...);
  if (!open_) open_ = dlsym(RTLD_NEXT, "open");
  if (!log || !path) return;
  int file = open_(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0) return;
  char line[4200];
  int bytes = snprintf(line, sizeof line, "%s\n", path);
  if (write(file, line, bytes) != bytes) abort();
  close(file);
}
#define OPENS(name, before, last)                                                          \
  int name(before const char *path, int flags, ...) {                                      \
    va_list list; va_start(list, flags); unsigned mode = va_arg(list, unsigned); va_end(list); \
    static int (*next)(); if (!next) next = (int (*)())dlsym(RTLD_NEXT, #name);            \
    note(path); return next(last path, flags, mode); }
#define COMMA ,
OPENS(open, , )
OPENS(open64, , )
OPENS(openat, int folder COMMA, folder COMMA)
OPENS(openat64, int folder COMMA, folder COMMA)
FILE *fopen(const char *path, const char *mode) {
  static FILE *(*next)(const char *, const char *); if (!next) next = dlsym(RTLD_NEXT, "fopen");
  note(path); return next(path, mode); }
FILE *fopen64(const char *path, const char *mode) {
  static FILE *(*next)(const char *, const char *); if (!next) next = dlsym(RTLD_NEXT, "fopen64");
  note(path); return next(path, mode); }
void *dlopen(const char *path, int flags) {
  static void *(*next)(const char *, int); if (!next) next = dlsym(RTLD_NEXT, "dlopen");
  note(path); return next(path, flags); }
int access(const char *path, int mode) {
  static int (*next)(const char *, int); if (!next) next = dlsym(RTLD_NEXT, "access");
  note(path); return next(path, mode); }
"""
TOOLKIT = re.compile(r"/nvvm|libdevice|nvrtc|nvjitlink|cudart|ptxas|nvidia|/cuda-[0-9]|toolkit", re.IGNORECASE)

PROGRAM = """
import math, sys

@cuda.jit
def needs_math(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = math.sin(x[i]) + math.pow(x[i], 1.5) + math.erf(x[i])

x = zeros()
needs_math[4, 32](x)
cuda.synchronize()
open(sys.argv[1]).close()
"""


@pytest.fixture
def logger(tmp_path):
    compiler = shutil.which("clang-19") or shutil.which("cc")
    assert compiler, "no C compiler"
    library = tmp_path / "logger.so"
    source = tmp_path / "logger.c"
    source.write_text(LOGGER)
    subprocess.run([compiler, "-std=gnu17", "-w", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    return library


def test_no_other_file_of_a_toolkit_is_opened(logger, tmp_path):
    if os.environ.get("LD_PRELOAD"):
        pytest.skip("a library is preloaded already, which wraps the same functions")
    toolkit = tmp_path / "toolkit"
    toolkit.mkdir()
    (toolkit / "probe").write_text("")
    log = tmp_path / "log"
    runs.run(
        PROGRAM, str(toolkit / "probe"), LD_PRELOAD=str(logger), OPENED=str(log),
        CUDA_HOME=str(toolkit), CUDA_PATH=str(toolkit),
    )  # fmt: skip
    opened = log.read_text().splitlines()
    assert any(path.endswith("libcuda.so.1") for path in opened)
    found = [path for path in opened if TOOLKIT.search(path) and not path.endswith("/libdevice.10.bc")]
    assert found == [str(toolkit / "probe")], found  # which the program itself has opened
