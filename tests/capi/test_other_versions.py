"""Programs of one version on the library of another: a version 1.1, with one more function, one more kind of field and
one more feature, is made here of the sources."""

import json
import re
import shutil
import subprocess

import pytest
from c_programs import PACKAGE, ROOT, build, environment

OLD = """
#include "treadle/treadle.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  treadle_device device;
  treadle_memory memory;
  struct { treadle_memory_info info; unsigned char after[64]; } room;
  unsigned i;
  memset(&room, 0xab, sizeof room);
  room.info.struct_size = sizeof room.info;
  if (treadle_device_open("cpu", 0, &device) || treadle_memory_allocate(device, 0, 100, &memory) ||
      treadle_memory_get_info(memory, &room.info))
    return puts(treadle_last_error()), 1;
  for (i = 0; i < sizeof room.after; ++i)
    if (room.after[i] != 0xab)
      return puts("written after the struct"), 1;
  printf("%u.%u %u %u %d\\n", treadle_version() >> 16, treadle_version() & 0xffff, (unsigned)room.info.bytes,
         room.info.struct_size, treadle_has("ages"));
  return 0;
}
"""

NEW = """
#include "treadle/treadle.h"
#include <stdio.h>
#pragma weak treadle_memory_age
int main(void) {
  treadle_device device;
  treadle_memory memory;
  treadle_memory_info info = {0};
  uint64_t age = 0;
  info.struct_size = sizeof info;
  info.age = 7;
  if (treadle_device_open("cpu", 0, &device) || treadle_memory_allocate(device, 0, 100, &memory) ||
      treadle_memory_get_info(memory, &info))
    return puts(treadle_last_error()), 1;
  if (treadle_has("ages") && treadle_memory_age(memory, &age))
    return puts(treadle_last_error()), 1;
  printf("%u.%u %u %u %u\\n", treadle_version() >> 16, treadle_version() & 0xffff, (unsigned)info.bytes,
         (unsigned)info.age, (unsigned)age);
  return 0;
}
"""
FUNCTION = """
treadle_status treadle_memory_age(treadle_memory memory, uint64_t *age) {
  return call(__func__, [&] {
    found<MemoryObject>(memory, "memory");
    required(age, "age") = 42;
  });
}
"""


def replaced(text, *changes):
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    """A folder with the header of version 1.1 and with its library."""
    folder = tmp_path_factory.mktemp("newer")
    shutil.copytree(ROOT / "include", folder / "include")
    shutil.copytree(ROOT / "src/capi", folder / "src/capi")
    header = folder / "include/treadle/treadle.h"
    text = replaced(
        header.read_text(),
        ("#define TREADLE_VERSION_MINOR 0", "#define TREADLE_VERSION_MINOR 1"),
        ("} treadle_memory_info;", "  uint64_t age;\n} treadle_memory_info;"),
        ("#ifdef __cplusplus\n}\n", "TREADLE_C_API treadle_status treadle_memory_age(treadle_memory memory, "
                                    "uint64_t *age);\n#ifdef __cplusplus\n}\n"),
    )  # fmt: skip
    header.write_text(text)
    memory = folder / "src/capi/memory.cpp"
    text = replaced(
        memory.read_text(),
        ("sizeof(treadle_memory_info) == 40", "sizeof(treadle_memory_info) == 48"),
        ("    writeStruct(info, filled);", "    filled.age = 42;\n    writeStruct(info, filled);"),
    )
    memory.write_text(text + FUNCTION)
    versions = folder / "src/capi/versions.cpp"
    versions.write_text(replaced(versions.read_text(), ('"launch"};', '"launch", "ages"};')))
    link(folder, [compiled(command, folder) for command in commands()])
    return folder


def commands():
    listed = json.loads((ROOT / "build/dev/compile_commands.json").read_text())
    return [one for one in listed if one["file"].startswith(str(ROOT / "src/capi/"))]


def compiled(command, folder):
    """The object of a source of src/capi as the folder has it, by the build's own command."""
    source = command["file"]
    output = folder / f"{source.rsplit('/', 1)[1]}.o"
    words = command["command"].replace(f"{ROOT}/include", f"{folder}/include")
    words = re.sub(r" -o \S+ -c \S+", f" -o {output} -c {folder}/src/capi/{output.stem}", words)
    # Headers beside the copies come first.
    words = words.replace(f"-I{ROOT}/src", f"-I{folder}/src -I{ROOT}/src")
    subprocess.run(words, shell=True, cwd=command["directory"], check=True)
    return output


def link(folder, own):
    objects = (ROOT / "build/dev/CMakeFiles/treadle_runtime.dir/src").rglob("*.o")
    others = [path for path in objects if path.parent.name != "capi"]
    command = ["clang++-19", "-shared", "-Wl,-soname,libtreadle.so.0", f"-Wl,--version-script={ROOT}/cmake/treadle.map"]
    libraries = [path for name in ("format", "math_*") for path in (ROOT / "build/dev").glob(f"libtreadle_{name}.a")]
    command += [*map(str, [*own, *others, *libraries]), "-o", str(folder / "libtreadle.so.0"), "-lpthread", "-ldl"]
    subprocess.run(command, check=True)
    (folder / "libtreadle.so").symlink_to("libtreadle.so.0")


def output(program, package):
    own = {**environment("cpu"), "LD_LIBRARY_PATH": str(package)}
    result = subprocess.run([program], env=own, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_a_program_of_1_0_on_the_library_of_1_1(newer, tmp_path):
    (tmp_path / "old.c").write_text(OLD)
    program = build([tmp_path / "old.c"], tmp_path / "old", options=["-Wl,--enable-new-dtags"])
    assert output(program, PACKAGE) == "1.0 100 40 0\n"
    assert output(program, newer) == "1.1 100 40 1\n"


def test_a_program_of_1_1_on_the_library_of_1_0(newer, tmp_path):
    (tmp_path / "new.c").write_text(NEW)
    options = ["-Wl,--enable-new-dtags"]
    program = build([tmp_path / "new.c"], tmp_path / "new", include=newer / "include", package=newer, options=options)
    assert output(program, newer) == "1.1 100 42 42\n"
    assert output(program, PACKAGE) == "1.0 100 7 0\n"
