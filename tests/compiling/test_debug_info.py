"""Debug information of PTX: what `debug=True` and `lineinfo=True` write, as ptxas takes it into machine code."""

import collections
import inspect
import re
import shutil
import subprocess

import dwarf
import numpy as np
import pytest
import treadle
from treadle import cuda, from_dtype

Point = collections.namedtuple("Point", "x y")
RECORD = np.dtype(
    [("mass", "f4"), ("at", "f8", (3,)), ("inner", [("a", "i2"), ("b", "c16")]), ("day", "M8[D]")], align=True
)
TARGETS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@pytest.fixture
def described(ptxas, tmp_path):
    """described(function, signature, ...) -> what is in the DWARF of its machine code, and the path of that."""
    if not shutil.which("llvm-dwarfdump-19"):
        pytest.skip("llvm-dwarfdump-19 is not installed (Debian: llvm-19)")

    def run(function, signature, arch="sm_80", opt=0, **options):
        cc = (int(arch[3:-1]), int(arch[-1]))
        ptx, _ = cuda.compile_ptx(function, signature, cc=cc, debug=True, opt=opt, **options)
        (tmp_path / "k.ptx").write_text(ptx)
        command = [ptxas, "-g", f"-arch={arch}", "k.ptx", "-o", "k.cubin"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return dwarf.entries(tmp_path / "k.cubin"), tmp_path / "k.cubin"

    return run


@cuda.jit(device=True)
def inlined(p, q):
    product = p * q
    return product + 1


@cuda.jit(device=True, inline="never")
def called(value):
    more = value + 3
    return more  # noqa: RET504 - a variable to be seen


def line_of(function, text):
    function = getattr(function, "py_func", function)
    lines, first = inspect.getsourcelines(function)
    (found,) = [first + k for k, line in enumerate(lines) if text in line]
    return found


def calls(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = inlined(x[i], n)
    x[0] = called(n)


CALLS = (treadle.float32[::1], treadle.int64)


@pytest.mark.parametrize("arch", TARGETS)
def test_functions(described, arch):
    unit, path = described(calls, CALLS, arch)
    assert unit.attributes["producer"] == '"treadle"' and unit.attributes["name"] == '"test_debug_info.py"'
    kernel, device = unit.function("calls"), unit.function("called")
    assert kernel.attributes["MIPS_linkage_name"] == '"calls"' and "low_pc" in kernel.attributes
    assert device.attributes["MIPS_linkage_name"] == '"called"' and device.type_name == "int64"
    assert device.own("value").tag == "formal_parameter" and device.own("more").type_name == "int64"
    assert int(kernel.attributes["decl_line"]) == line_of(calls, "def calls")
    (call,) = kernel.of("inlined_subroutine")
    assert call.name == "inlined" and int(call.attributes["call_line"]) == line_of(calls, "inlined(x[i], n)")
    assert [child.name for child in call.children] == ["p", "q", "product"]
    assert all(child.is_located() for child in call.children)


def test_lines_of_all_functions(described):
    _, path = described(calls, CALLS)
    wanted = [(calls, "i = "), (calls, "if i"), (calls, "x[i] ="), (calls, "x[0] ="), (inlined, "product ="),
              (inlined, "return"), (called, "more ="), (called, "return")]  # fmt: skip
    assert {line_of(*place) for place in wanted} <= dwarf.lines(path)


def numbers(i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, b, c64, c128, out):
    out[0] = i8 + i16 + i32 + i64 + u8 + u16 + u32 + u64
    out[1] = f32 + f64 + c64.real + c128.imag
    if b:
        out[2] = f16


def test_numbers(described):
    names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool complex64 complex128"
    types = [treadle.boolean if name == "bool" else getattr(treadle, name) for name in names.split()]
    unit, _ = described(numbers, (*types, treadle.float64[::1]))
    kernel = unit.function("numbers")
    parameters = [child for child in kernel.children if child.tag == "formal_parameter"]
    assert [p.type_name for p in parameters[:-1]] == names.split()
    encodings = [unit.type_of(p).attributes["encoding"].removeprefix("DW_ATE_") for p in parameters[:-1]]
    assert encodings == ["signed"] * 4 + ["unsigned"] * 4 + ["float"] * 3 + ["boolean"] + ["complex_float"] * 2
    sizes = [int(unit.type_of(p).attributes["byte_size"], 16) for p in parameters[:-1]]
    assert sizes == [1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 1, 8, 16]
    assert all(p.is_located() and p.attributes["address_class"] == "0x06" for p in parameters)


def arrays(a, b, zero_d, records):
    shared = cuda.shared.array(32, "float32")
    local = cuda.local.array((2, 3), "int16")
    part = b[1:, 0]
    local[1, 2] = 5
    shared[cuda.threadIdx.x] = a[0]
    one = records[1]
    one.mass = part[0] + shared[0] + local[0, 0] + zero_d[()]


ARRAYS = (
    treadle.float32[::1],
    treadle.float64[:, :],
    treadle.types.Array(treadle.float32, 0, "C"),
    from_dtype(RECORD)[::1],
)


def test_arrays(described):
    unit, _ = described(arrays, ARRAYS)
    kernel = unit.function("arrays")
    for name, data, ndim in [("a", "float32", 1), ("b", "float64", 2), ("zero_d", "float32", 0),
                             ("shared", "float32", 1), ("local", "int16", 2), ("part", "float64", 1)]:  # fmt: skip
        variable = kernel.own(name)
        assert variable.is_located(), name
        expected = [("meminfo", "void *", 0), ("parent", "void *", 8), ("nitems", "int64", 16),
                    ("itemsize", "int64", 24), ("data", f"{data} *", 32)]  # fmt: skip
        if ndim:
            axes = f"int64[{ndim}]"
            expected += [("shape", axes, 40), ("strides", axes, 40 + 8 * ndim)]
        assert unit.fields(unit.type_of(variable)) == expected, name


def test_records(described):
    unit, _ = described(arrays, ARRAYS)
    kernel = unit.function("arrays")
    pointer = unit.type_of(kernel.own("one"))
    assert pointer.tag == "pointer_type"
    record = unit.type_of(pointer)
    assert [(name, offset) for name, _, offset in unit.fields(record)] == [
        (name, RECORD.fields[name][1]) for name in RECORD.names
    ]
    assert int(record.attributes["byte_size"], 16) == RECORD.itemsize
    assert [type_name for _, type_name, _ in unit.fields(record)][:2] == ["float32", "float64[3]"]
    assert record.own("day").type_name == "datetime64[D]"
    assert unit.fields(unit.type_of(record.own("inner"))) == [("a", "int16", 0), ("b", "complex128", 8)]


def tuples(pair, mixed, point, day, out):
    nested = (pair, out, 2.5 * out[0])
    out[0] = pair[0] + mixed[1] + point.x + nested[2]
    when = day[0]
    if when == day[1]:
        out[1] = nested[0][1]


def test_tuples_and_dates(described):
    types = (
        treadle.types.UniTuple(treadle.int64, 2),
        treadle.types.Tuple((treadle.int32, treadle.float64, treadle.int8)),
        treadle.typeof(Point(np.float32(1), 2)),
        from_dtype(np.dtype("M8[ns]"))[::1],
        treadle.float64[::1],
    )
    unit, _ = described(tuples, types)
    kernel = unit.function("tuples")
    assert kernel.own("pair").type_name == "int64[2]"
    assert unit.fields(unit.type_of(kernel.own("mixed"))) == [("f0", "int32", 0), ("f1", "float64", 8),
                                                              ("f2", "int8", 16)]  # fmt: skip
    assert unit.fields(unit.type_of(kernel.own("point"))) == [("x", "float32", 0), ("y", "int64", 8)]
    nested = unit.fields(unit.type_of(kernel.own("nested")))
    assert [(name, offset) for name, _, offset in nested] == [("f0", 0), ("f1", 16), ("f2", 16 + 56)]
    date = unit.type_of(kernel.own("when"))
    assert date.attributes["encoding"] == "DW_ATE_signed" and date.attributes["byte_size"] == "0x08"


def several_types(x, n):
    value = n
    x[0] = value
    value = x[n]
    x[1] = value


def test_variables_of_several_types(described):
    unit, _ = described(several_types, (treadle.float64[::1], treadle.int64))
    variable = unit.function("several_types").own("value")
    structure = unit.type_of(variable)
    assert unit.fields(structure) == [("type", "assigned type", 0), ("_int64", "int64", 8), ("_float64", "float64", 16)]
    names = unit.type_of(structure.own("type"))
    assert [(one.name, one.attributes["const_value"]) for one in names.children] == [
        ("unassigned", "0"), ("_int64", "1"), ("_float64", "2"),
    ]  # fmt: skip
    assert variable.is_located()


def constants(x):
    flag = True
    count = 12
    half = 0.5
    if flag:
        x[count] = half


def test_constants(described):
    unit, _ = described(constants, (treadle.float64[::1],))
    kernel = unit.function("constants")
    found = [(name, kernel.own(name).type_name, kernel.own(name).is_located()) for name in ("flag", "count", "half")]
    assert found == [("flag", "bool", True), ("count", "int64", True), ("half", "float64", True)]


def test_optimised_code_has_no_locations(described):
    unit, path = described(calls, CALLS, opt=3)
    variables = unit.of("variable", "formal_parameter")
    assert {v.name for v in variables} >= {"x", "n", "i", "p", "q", "product", "value", "more"}
    assert not any(v.is_located() for v in variables)
    assert unit.attributes.get("APPLE_optimized") is None
    assert line_of(calls, "x[0] =") in dwarf.lines(path)


def test_the_library_is_not_shown(described):
    def kernel(x, n):
        x[0] = x[n:].sum()
        x[1] = np.nansum(x)

    unit, path = described(kernel, (treadle.float64[::1], treadle.int64))
    assert {v.name for v in unit.of("variable", "formal_parameter") if v.is_located()} == {"x", "n"}
    own = range(line_of(kernel, "def kernel"), line_of(kernel, "x[1]") + 1)
    assert dwarf.lines(path) <= {0, *own}


def test_where_the_files_are():
    def called_from(ptx):
        return re.search(r'^\t\.file\t1 "(.*)"', ptx, re.M)[1]

    for options in ({"debug": True}, {"lineinfo": True}, {"debug": True, "opt": 0}):
        assert called_from(cuda.compile_ptx(calls, CALLS, cc=(8, 0), **options)[0]) == __file__


@pytest.mark.parametrize("options", [{}, {"lineinfo": True}, {"opt": 0}, {"fastmath": True}], ids=str)
def test_other_code_has_no_sections(options):
    ptx = cuda.compile_ptx(calls, CALLS, cc=(8, 0), **options)[0]
    assert ".target sm_80\n" in ptx and ".debug_info" not in ptx and ".debug_abbrev" not in ptx
    assert (".loc" in ptx) == ("lineinfo" in options)
    assert ".target sm_80, debug\n" in cuda.compile_ptx(calls, CALLS, cc=(8, 0), debug=True, **options)[0]


def test_arrays_that_are_only_read_are_known_without_optimisation():
    @cuda.jit(debug=True, opt=0)
    def copy(to, source):
        to[0] = source[0]

    source = np.ones(1)
    source.flags.writeable = False
    to = np.zeros(1)
    copy[1, 1](to, source)
    assert to[0] == 1


def stored(ir, offset):
    """What is stored at that byte of a variable in memory."""
    addresses = re.findall(rf"(%\w+) = getelementptr i8, ptr %\w+, i64 {offset}\b", ir)
    return [found for address in addresses for found in re.findall(rf"store (i64 \S+), ptr {address},", ir)]


def test_arrays_have_what_numba_has():
    """Where an array is assigned, with what it is not made of here."""

    @cuda.jit(debug=True, opt=0)
    def kernel(x):
        local = cuda.local.array((5, 3), "int16")
        x[0] = local[1, 2]

    signature = (treadle.float32[::1],)
    kernel.compile(signature)
    ir = kernel.inspect_llvm(signature)
    strides, items, item = stored(ir, 56)[0], stored(ir, 16), stored(ir, 24)
    assert strides == "i64 6" and "i64 15" in items and "i64 2" in item
