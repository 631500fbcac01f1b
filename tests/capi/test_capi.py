"""The C API: its header, its layouts, its symbols, and the cases of programs/ on each kind of device."""

import re
import subprocess
from pathlib import Path

import processes
import pytest
from c_programs import PACKAGE, PROGRAMS, ROOT, build, environment, names_of_cases

HEADER = ROOT / "include/treadle/treadle.h"
SYMBOLS = Path(__file__).resolve().parent / "symbols.txt"
CASES = names_of_cases()


@pytest.mark.parametrize("case", [name for name in CASES if name != "conversions"])
def test_case(case, cases, device, images):
    result = processes.run([cases, case, images], timeout=120, env=environment(device))
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "passed\n")


def test_every_conversion_comes_back_or_is_refused(cases, device, images):
    test_case("conversions", cases, device, images)


def test_every_case_is_run(cases):
    assert subprocess.run([cases], capture_output=True, text=True, check=True).stdout.split() == CASES


@pytest.mark.parametrize(
    "compiler, standard",
    [(compiler, standard) for compiler in ("gcc", "clang-19") for standard in ("c99", "c11", "c17")]
    + [(compiler, f"c++{year}") for compiler in ("g++", "clang++-19") for year in (11, 14, 17, 20)],
)
def test_header_compiles_and_has_its_layout(compiler, standard, tmp_path):
    source = tmp_path / ("layout.cpp" if "++" in standard else "layout.c")
    source.write_text((PROGRAMS / "layout.c").read_text())
    build([source], tmp_path / "layout", compiler, standard)


DLPACK = """
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct { void* data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t* shape; int64_t* strides;
                 uint64_t byte_offset; } DLTensor;
typedef struct DLManagedTensor { DLTensor dl_tensor; void* manager_ctx;
                                 void (*deleter)(struct DLManagedTensor*); } DLManagedTensor;
typedef struct DLManagedTensorVersioned { uint32_t major, minor; void* manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned*); uint64_t flags; DLTensor dl_tensor; } DLManagedTensorVersioned;
"""
"""As dlpack.h declares them."""

WITH_DLPACK = """
int main(void) {
  DLManagedTensorVersioned *tensor = 0;
  DLManagedTensor *legacy = 0;
  return treadle_array_to_dlpack(0, 0, &tensor) == TREADLE_ERROR_ARGUMENT &&
         treadle_array_from_dlpack_legacy(legacy, 0, 0) == TREADLE_ERROR_ARGUMENT &&
         sizeof *tensor == sizeof(treadle_dl_versioned) && sizeof *legacy == sizeof(treadle_dl_managed) ? 0 : 1;
}
"""


@pytest.mark.parametrize("compiler, standard, suffix", [("gcc", "c99", "c"), ("g++", "c++11", "cpp")])
@pytest.mark.parametrize("is_first", [True, False])
def test_dlpack_h_may_be_included_before_and_after(compiler, standard, suffix, is_first, tmp_path):
    own = '#include "treadle/treadle.h"\n'
    source = tmp_path / f"program.{suffix}"
    source.write_text("#include <stdint.h>\n" + (DLPACK + own if is_first else own + DLPACK) + WITH_DLPACK)
    program = build([source], tmp_path / "program", compiler, standard)
    assert subprocess.run([program], env=environment("cpu")).returncode == 0


def exported():
    """Names with their versions."""
    command = ["nm", "-D", "--defined-only", str(PACKAGE / "libtreadle.so.0")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[-1] for line in lines if " T treadle_" in line]
    return {tuple(name.split("@@")) for name in names if not name.startswith("treadle_cpu_")}


def test_symbols_are_the_stored_ones():
    """A symbol that is there once stays: programs have been linked with it. New ones are added with their version."""
    stored = [line.split() for line in SYMBOLS.read_text().splitlines() if not line.startswith("#")]
    assert stored == sorted(stored)
    assert exported() == {(name, node) for name, node, _ in stored}
    assert {version for _, _, version in stored} == {"1.0"}


def test_header_declares_what_is_exported():
    declared = re.findall(r"TREADLE_C_API [^;(]*?\b(treadle_\w+)\(", HEADER.read_text())
    assert sorted(declared) == sorted(name for name, _ in exported())


def test_every_declaration_has_a_comment_before_it_or_its_group():
    """Functions without one follow another function of which the comment speaks, too."""
    lines = HEADER.read_text().splitlines()
    bare = [
        line
        for before, line in zip(lines, lines[1:], strict=False)
        if line.startswith("TREADLE_C_API") and before.strip() == ""
    ]
    assert bare == []


def test_no_python_and_no_compiler_is_loaded_for_memory_alone(tmp_path):
    source = tmp_path / "program.c"
    source.write_text(
        """
        #include "treadle/treadle.h"
        #include <stdio.h>
        #include <string.h>
        int main(void) {
          treadle_device device;
          treadle_memory memory;
          char line[4096];
          FILE *const maps = fopen("/proc/self/maps", "r");
          if (treadle_device_open("cpu", 0, &device) || treadle_memory_allocate(device, 0, 100, &memory))
            return puts(treadle_last_error()), 1;
          while (fgets(line, sizeof line, maps))
            if (strstr(line, "libpython") || strstr(line, "treadle-compiler"))
              return puts(line), 2;
          return 0;
        }
        """
    )
    program = build([source], tmp_path / "program")
    result = subprocess.run([program], env=environment("cpu"), capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")
