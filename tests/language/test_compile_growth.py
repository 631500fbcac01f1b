"""Compilations whose work must not double with each part of the source, in a child of little memory and time."""

import pytest

CHILD = """
import linecache, resource, sys
from treadle import cuda

def compiled(text, name):
    names = {"cuda": cuda}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), names)
    for rules in ("numba", "cuda-python"):
        for options in ({}, {"debug": True}):
            cuda.jit("(int64[::1], int64[::1])", rules=rules, **options)(names["kernel"])
    cuda.compile_ptx(names["kernel"], "void(int64[::1], int64[::1])", cc=(9, 0))

HEAD = "def kernel(x, o):\\n    i = cuda.grid(1)\\n    v = x[i]\\n"
compiled(HEAD + "    o[i] = v\\n", "<first>")
used = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), resource.RLIM_INFINITY))
compiled(sys.stdin.read(), "<grown>")
"""

HEAD = "def kernel(x, o):\n    i = cuda.grid(1)\n    v = x[i]\n"


def assigning_arms(n):
    """A table of units, an interpreter's opcodes, a machine of states."""
    arms = "".join(
        f"    {'elif' if k else 'if'} v == {k}:\n        r = {k * 7 % 11}\n        s += r\n" for k in range(n)
    )
    return HEAD + "    s = 0\n" + arms + "    else:\n        r = 0\n    o[i] = r + s + x[i]\n"


def arms_with_a_variable_each(n):
    arms = "".join(f"    {'elif' if k else 'if'} v == {k}:\n        r{k} = v\n        s += r{k}\n" for k in range(n))
    return HEAD + "    s = 0\n" + arms + "    o[i] = s + x[i]\n"


def nested(n, header):
    lines = "".join(
        "    " * (k + 1) + header.format(k=k) + "\n" + "    " * (k + 2) + f"a{k} = v + {k}\n" for k in range(n)
    )
    return HEAD + lines + "    " * (n + 1) + "o[i] += v + " + " + ".join(f"a{k}" for k in range(n)) + "\n"


def for_loops(n):
    return nested(n, "for k{k} in range(x[{k}]):")


def while_loops(n):
    return nested(n, "while x[{k}] > o[i] + {k}:")


def branches(n):
    return nested(n, "if x[{k}] > v:")


def walruses(n):
    tests = " and ".join(f"(a{k} := v * {k}) > x[{k}]" for k in range(n))
    return HEAD + f"    if {tests}:\n        o[i] = a{n - 1}\n"


def chained_conditions(n):
    return HEAD + "    o[i] = " + " ".join(f"(r := {k}) if v == {k} else" for k in range(n)) + " v\n"


def functions_that_call_twice(n, one, first):
    return f"def kernel(x, o):\n    i = cuda.grid(1)\n{first}" + "".join(
        one.format(k=k, j=k - 1) for k in range(1, n + 1)
    )


def closures(n):
    """One calls the one before it twice."""
    one = "    f{k} = lambda q: f{j}(q) + f{j}(q + 1)\n"
    return functions_that_call_twice(n, one, "    f0 = lambda q: q * x[i]\n") + f"    o[i] = f{n}(x[i])\n"


def nested_functions(n):
    one = "    def f{k}(q):\n        return f{j}(q) + f{j}(q + 1)\n"
    return functions_that_call_twice(n, one, "    def f0(q):\n        return q * x[i]\n") + f"    o[i] = f{n}(x[i])\n"


def device_functions(n, options=""):
    one = f"@cuda.jit(device=True{options})\n" + "def f{k}(q):\n    return f{j}(q) + f{j}(q + 1)\n"
    first = f"@cuda.jit(device=True{options})\ndef f0(q):\n    return q + 1\n"
    chain = first + "".join(one.format(k=k, j=k - 1) for k in range(1, n + 1))
    return chain + HEAD + f"    o[i] = f{n}(v)\n"


def functions_put_in_place(n):
    return device_functions(n, ', inline="always"')


SIZES = {
    assigning_arms: 200, arms_with_a_variable_each: 200, for_loops: 19, while_loops: 19, branches: 60, walruses: 100,
    chained_conditions: 100, closures: 24, nested_functions: 24, device_functions: 24, functions_put_in_place: 24,
}  # fmt: skip


@pytest.mark.parametrize("shape", SIZES, ids=lambda shape: shape.__name__)
def test_large_kernels_compile(shape, run_python):
    run_python(CHILD.replace("sys.stdin.read()", repr(shape(SIZES[shape]))), timeout=120)
