"""The C++ headers of `treadle compile` compile, whatever kernels, parameters and files are called."""

import re
import subprocess

import pytest
from c_programs import ROOT
from treadle import cuda
from treadle.kernels.cpp_names import is_free, named, namespace, shown
from treadle.kernels.saving import save

COMPILERS = ("g++", "clang++-19")


def preprocessed(compiler, *options):
    """What a compiler makes of a program that includes nothing but what a header does."""
    text = "#include <complex>\n#include <cstdint>\n#include <treadle/treadle.h>\n"
    words = [compiler, "-std=gnu++17", "-x", "c++", f"-I{ROOT}/include", *options, "-E", "-"]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def check(folder, compiler):
    (folder / "main.cpp").write_text('#include "made.h"\nint main() {}\n')
    words = [compiler, "-fsyntax-only", f"-I{ROOT}/include", folder / "main.cpp"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def kernel(name, parameters, signature):
    names = {"cuda": cuda}
    exec(f"def {name}({parameters}):\n    pass\n", names)
    return cuda.jit(signature)(names[name])


FILES = ["a\nb.image", "line \\\n.image", "main.image", "random.image", "exp.image", "j0.image", "time.image",
         "std.image", "linux.image", "class.image", "timespec.image", "size_t.image", "2d.image", "a².image",
         "größe.image", ".image", "Kernels.image", "__x.image"]  # fmt: skip


@pytest.mark.parametrize("compiler", COMPILERS)
def test_names_of_everything(tmp_path, compiler):
    kernels = [
        ("k", kernel("k", "a, b, b_0", "void(float32[::1], UniTuple(float32, 2), float32)"), None),
        ("Kernels", kernel("Kernels", "linux, unix, int_, std", "void(int32, int32, int32, int32)"), None),
        *((name, kernel("x", "config, arguments, kernels, errno", "void(int8, int8, int8, int8)"), None)
          for name in ("int", "int_", "load", "launch", "EOF", "main", "größe")),
        ("last", kernel("last", "_, NULL, I, __x, __LINE__, _Bool, NAN, x", f"void({'complex64, ' * 7}int8)"), None),
    ]  # fmt: skip
    for file in FILES:
        save(tmp_path / file, kernels, "cpu:native", tmp_path / "made.h")
        check(tmp_path, compiler)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_macros_that_such_a_header_sees_are_no_names(compiler):
    names = set(re.findall(r"^#define (\w+)", preprocessed(compiler, "-dM"), re.MULTILINE))
    assert len(names) > 300 and sorted(name for name in names if is_free(name) and not name.startswith("_")) == []


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_is_outside_of_namespaces_is_no_namespace(tmp_path, compiler):
    words = sorted(set(re.findall(r"\b[A-Za-z]\w*\b", preprocessed(compiler, "-P"))))
    lines = ["#include <complex>", "#include <cstdint>", "#include <treadle/treadle.h>"]
    (tmp_path / "all.cpp").write_text("\n".join(lines + [f"namespace {word} {{}}" for word in words]))
    most = "-fmax-errors=0" if compiler == "g++" else "-ferror-limit=0"
    done = subprocess.run([compiler, "-std=gnu++17", "-fsyntax-only", most, f"-I{ROOT}/include", tmp_path / "all.cpp"],
                          capture_output=True, text=True)  # fmt: skip
    refused = {words[int(line) - 4] for line in re.findall(r"all\.cpp:(\d+):\d+: error", done.stderr)}
    kept = sorted(word for word in refused if namespace(word) == word)
    assert len(refused) > 100
    for word in kept:  # an error in one line may cause others in later lines
        (tmp_path / "all.cpp").write_text("\n".join([*lines, f"namespace {word} {{}}"]))
        words = [compiler, "-std=gnu++17", "-fsyntax-only", f"-I{ROOT}/include", tmp_path / "all.cpp"]
        assert subprocess.run(words, capture_output=True).returncode == 0, word


def test_names_stay_where_they_can():
    assert named(["x", "N", "Scale", "rows_2", "größe"]) == ["x", "N", "Scale", "rows_2", "größe"]
    assert named(["int", "int_", "x", "x"], ("x",)) == ["int2_", "int_", "x_", "x2_"]
    assert namespace("axpy") == "axpy" and namespace("exp") == "exp_" and namespace("") == "kernels"
    assert shown("a\nb\udce9ü") == "a\\nb\\udce9ü"
