"""Options of cuda.jit that few kernels have: argument handlers, dumps, profiles, ABIs, cost models, ptxas's."""

import io
import pstats
import re
import subprocess
import sys

import numpy as np
import pytest
from treadle import config, cuda, float32, float64, int64, void


def increment(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


class Boxed:
    """What kernels do not take, and the handler unpacks."""

    def __init__(self, values):
        self.values = values


class Unboxing:
    def __init__(self, calls=None):
        self.calls = [] if calls is None else calls

    def prepare_args(self, ty, val, stream, retr):
        self.calls.append((self, ty, type(val).__name__, stream))
        if isinstance(val, Boxed):
            copy = np.array(val.values, np.float32)
            retr.append(lambda: val.values.__setitem__(slice(None), copy.tolist()))
            return float32[::1], copy
        return ty, val


class TestExtensions:
    """A18."""

    def test_handlers_prepare_arguments(self):
        @cuda.jit(extensions=[Unboxing()])
        def scale(a, factor):
            a[cuda.grid(1)] *= factor

        box = Boxed([1.0, 2.0, 3.0])
        scale[1, 3](box, 2)
        assert box.values == [2, 4, 6]
        assert scale.signatures == [(float32[::1], int64)]
        plain = np.ones(3, np.float32)
        scale[1, 3](plain, 5)
        assert plain.tolist() == [5, 5, 5]

    def test_they_get_types_and_the_stream(self):
        calls = []
        first, last = Unboxing(calls), Unboxing(calls)
        kernel = cuda.jit(lambda a, n: None, extensions=[first, last])
        stream = cuda.stream()
        kernel[1, 1, stream](Boxed([1.0]), 4)
        assert calls == [
            (last, None, "Boxed", stream), (first, float32[::1], "ndarray", stream),
            (last, int64, "int", stream), (first, int64, "int", stream),
        ]  # fmt: skip
        calls.clear()
        kernel.forall(1)(Boxed([1.0]), 4)
        kernel[1, 1](Boxed([1.0]), 4)
        assert [stream for *_, stream in calls] == [0] * 8
        assert kernel.extensions == [first, last]

    def test_afterwards_runs_what_they_left_in_order(self):
        done = []

        class Noting:
            def prepare_args(self, ty, val, stream, retr):
                retr.append(lambda: done.append(val))
                return ty, val

        a = np.zeros(2, np.float32)
        kernel = cuda.jit(extensions=[Noting()])(lambda a, n: None)
        kernel[1, 1](a, 3)
        assert done[0] is a and done[1] == 3
        with pytest.raises(TypeError):
            kernel[1, 1](a, object())
        assert len(done) == 2

    def test_signatures_and_pickles_keep_them(self):
        import pickle

        kernel = cuda.jit(void(float32[::1]), extensions=[Unboxing()])(increment)
        box = Boxed([1.0])
        kernel[1, 1](box)
        assert box.values == [2.0]
        assert pickle.loads(pickle.dumps(kernel)) is kernel

    def test_without_any_a_kernel_is_a_plain_one(self):
        for given in (None, [], ()):
            assert type(cuda.jit(increment, extensions=given)) is type(cuda.jit(increment))

    def test_what_is_no_handler(self):
        with pytest.raises(TypeError, match="extensions must have a method prepare_args"):
            cuda.jit(increment, extensions=[object()])


# Option: what is printed, and a text that is there.
DUMPS = {
    "dump": [("typed", "kernel increment"), ("llvm", "define")],
    "dump_numba_ir": [("typed", "kernel increment")],
    "dump_mlir": [("llvm", "define")],
    "dump_llvmir": [("optimized", "define")],
    "dump_ptx": [("ptx", ".visible .entry")],
    "dump_ast": [("syntax", "def increment(a):")],
    "dump_ast_after_all": [("syntax", "def increment(a):")],
    "print_before_all": [("llvm", "define")],
    "print_after_all": [("optimized", "define")],
}


def headings(text):
    return re.findall(r"^-+(\w+) of increment (\(.*\)) -> none-+$", text, re.M)


class TestDumps:
    """A19; AE2's NUMBA_DUMP_*."""

    @pytest.mark.parametrize("option", DUMPS)
    def test_options_print_to_stderr(self, option, capsys):
        kernel = cuda.jit(increment, **{option: True})
        kernel[1, 1](np.zeros(1, np.float32))
        out, err = capsys.readouterr()
        assert out == ""
        assert headings(err) == [(stage, "(array(float32, 1d, C))") for stage, _ in DUMPS[option]]
        assert all(text in err for _, text in DUMPS[option])
        kernel[1, 1](np.zeros(1, np.float32))
        assert capsys.readouterr() == ("", "")

    def test_machine_code(self, capsys):
        cuda.jit(void(float32[:]), dump_cubin=True)(increment)
        err = capsys.readouterr().err
        assert headings(err) == [("asm", "(array(float32, 1d, A))")]

    @pytest.mark.parametrize(
        ("setting", "stage"),
        [("DUMP_IR", "typed"), ("DUMP_LLVM", "llvm"), ("DUMP_OPTIMIZED", "optimized"), ("DUMP_ASSEMBLY", "asm")],
    )
    def test_settings_print_to_stdout(self, setting, stage, capsys):
        setattr(config, setting, 1)
        try:
            cuda.jit(void(float32[:]))(increment)
        finally:
            setattr(config, setting, None)
        out, err = capsys.readouterr()
        assert (headings(out), err) == ([(stage, "(array(float32, 1d, A))")], "")
        cuda.jit(void(float32[:]))(increment)
        assert capsys.readouterr() == ("", "")

    def test_profiles(self, capsys, tmp_path):
        kernel = cuda.jit(increment, profile_jit=True)
        a = np.zeros(1, np.float32)
        kernel[1, 1](a)
        err = capsys.readouterr().err
        assert err.startswith("profile of compiling increment\n") and "function calls" in err and a[0] == 1
        kernel[1, 1](a)
        assert capsys.readouterr().err == ""
        path = tmp_path / "compilation.prof"
        cuda.jit(void(float32[:]), profile_jit=str(path))(increment)
        assert pstats.Stats(str(path), stream=io.StringIO()).total_calls > 0

    def test_help_prints_the_table_and_exits(self):
        code = "from treadle import cuda\ncuda.jit(help=True)\nprint('not reached')"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert result.returncode == 0 and result.stderr == ""
        assert result.stdout.startswith("the options of cuda.jit are\n")
        assert "max_registers" in result.stdout and "not reached" not in result.stdout

    @pytest.mark.parametrize("options", [{"dump": "yes"}, {"profile_jit": 3}])
    def test_wrong_values(self, options):
        with pytest.raises(ValueError, match=f"{next(iter(options))} must be True"):
            cuda.jit(increment, **options)


def plus_one(x):
    return x + 1


class TestAbi:
    """A17."""

    @pytest.mark.parametrize(("options", "symbol"), [
        ({"abi": "c"}, "plus_one"), ({"abi": "c", "abi_info": {"abi_name": "one_more"}}, "one_more"),
        ({"capi": True}, "plus_one"), ({"capi": "other_name"}, "other_name"),
    ])  # fmt: skip
    def test_symbols(self, options, symbol):
        function = cuda.jit(device=True, **options)(plus_one)
        ptx, result = cuda.compile_ptx(function, (float64,), device=True, abi="c")
        assert re.findall(r"\.visible \.func .*?(\w+)\(", ptx) == [symbol] and result is float64

        @cuda.jit
        def kernel(a):
            a[0] = function(a[0])

        a = np.ones(1)
        kernel[1, 1](a)
        assert a[0] == 2

    def test_wrong_values(self):
        with pytest.raises(NotImplementedError, match="abi must be 'numba' or 'c', found 'cpp'"):
            cuda.jit(plus_one, device=True, abi="cpp")
        with pytest.raises(NotImplementedError, match="kernels have an ABI of their own"):
            cuda.jit(increment, abi="c")
        with pytest.raises(ValueError, match="a symbol must be an identifier of C, found 'a-b'"):
            cuda.jit(plus_one, device=True, capi="a-b")
        with pytest.raises(ValueError, match="abi_info must be a dict"):
            cuda.jit(plus_one, device=True, abi="c", abi_info="name")
        assert cuda.jit(increment, abi="numba", capi=False).options.symbol == ""


class TestInline:
    """A6: a cost model is asked for each compilation."""

    @pytest.mark.parametrize("answer", [True, False])
    def test_cost_models_are_asked(self, answer):
        asked = []

        def model(call, caller, callee):
            asked.append(callee)
            return answer

        function = cuda.jit(device=True, inline=model)(plus_one)

        @cuda.jit(void(float64[:]))
        def kernel(a):
            a[0] = function(a[0])

        assert asked and set(asked) == {function}
        calls = kernel.inspect("llvm").count("alwaysinline"), kernel.inspect("llvm").count("noinline")
        always = cuda.jit(device=True, inline="always" if answer else "never")(plus_one)

        @cuda.jit(void(float64[:]))
        def twin(a):
            a[0] = always(a[0])

        assert calls == (twin.inspect("llvm").count("alwaysinline"), twin.inspect("llvm").count("noinline"))
        a = np.ones(1)
        kernel[1, 1](a)
        assert a[0] == 2

    def test_its_errors_end_the_compilation(self):
        def model(call, caller, callee):
            raise ZeroDivisionError("no answer")

        function = cuda.jit(device=True, inline=model)(plus_one)
        kernel = cuda.jit(lambda a: function(a[0]))
        with pytest.raises(ZeroDivisionError, match="no answer"):
            kernel[1, 1](np.ones(1))


class TestAssembler:
    """A14."""

    def test_features(self):
        def version(**options):
            ptx = cuda.jit(void(float32[:]), cc=(8, 0), **options)(increment).inspect_ptx((float32[:],))
            return re.search(r"^\.version (\S+)", ptx, re.M)[1]

        assert version() == "7.0"
        assert version(features="+ptx80") == "8.0"
        assert version(features="+ptx63,+ptx78") == "7.8"
        assert version(features="+ptx65") == "7.0"
        for wrong in ("ptx80", "+sm_90", "+ptx99"):
            with pytest.raises(ValueError, match="features must be versions of PTX"):
                cuda.jit(increment, features=wrong)

    def test_ptxas_options(self):
        options = cuda.jit(increment, ptxas_options="-O1 --maxrregcount=32 -lineinfo -v").options
        assert (options.opt, options.max_registers, options.lineinfo) == (1, 32, True)
        assert cuda.jit(increment, ptxas_options=["--opt-level=0"], max_registers=16).options.opt == 0
        assert cuda.jit(increment, ptxas_options="-O1", opt=2).options.opt == 2
        with pytest.raises(NotImplementedError, match="ptxas_options '--dlcm=cg' is not known"):
            cuda.jit(increment, ptxas_options="--dlcm=cg")


def test_launch_bounds_hold_on_every_device():
    """Also for a launcher that is made of a kernel compiled before."""
    kernel = cuda.jit(void(float32[:]), launch_bounds=64)(increment)
    a = np.zeros(128, np.float32)
    kernel[2, 64](a)
    with pytest.raises(ValueError, match="a block of 65 x 1 x 1 has 65 threads; the kernel's launch_bounds allow 64"):
        kernel[2, 65](a)
    with pytest.raises(ValueError, match="has 128 threads; the kernel's launch_bounds allow 64"):
        kernel.configure(1, (32, 4))
    assert a.tolist() == [1] * 128


def test_stats():
    kernel = cuda.jit(increment)
    assert kernel.stats == (None, {}, {})
    kernel[1, 1](np.zeros(1, np.float32))
    kernel[1, 1](np.zeros(1, np.float32))
    kernel[1, 1](np.zeros(1, np.float64))
    path, hits, misses = kernel.stats
    assert (path, hits, misses) == (None, {}, {(float32[::1],): 1, (float64[::1],): 1})
    assert kernel.stats.cache_misses == misses and kernel.stats._fields == ("cache_path", "cache_hits", "cache_misses")


def test_metadata():
    @cuda.jit
    def kernel(a):
        tile = cuda.shared.array(8, float32)
        tile[0] = a[0]
        a[0] = tile[0]

    assert kernel.get_metadata() == {}
    kernel.compile((float32[:],))
    known = kernel.get_metadata((float32[:],))
    assert known["shared"] == 32 and known["variants"] == 1
    assert kernel.get_metadata() == {(float32[:],): known}
    with pytest.raises(ValueError, match="kernel is not compiled for"):
        kernel.get_metadata((float64[:],))


def test_second_names_of_attributes():
    device = cuda.get_current_device()
    for first, second in (
        ("MAX_SHARED_MEMORY_PER_BLOCK", "SHARED_MEMORY_PER_BLOCK"), ("MAX_REGISTERS_PER_BLOCK", "REGISTERS_PER_BLOCK"),
        ("VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", "VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED"),
        ("MAXIMUM_TEXTURE2D_LAYERED_WIDTH", "MAXIMUM_TEXTURE2D_ARRAY_WIDTH"),
        ("MAXIMUM_TEXTURE2D_LAYERED_HEIGHT", "MAXIMUM_TEXTURE2D_ARRAY_HEIGHT"),
        ("MAXIMUM_TEXTURE2D_LAYERED_LAYERS", "MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES"),
    ):  # fmt: skip
        assert getattr(device, first) == getattr(device, second)
        assert second in dir(device)
    with pytest.raises(AttributeError, match="devices have no attribute 'SHARED_MEMORY'"):
        device.SHARED_MEMORY  # noqa: B018


def test_modules_of_a_context():
    context = cuda.current_context()
    assert len(context.modules) == 0
    for make in (context.create_module_ptx, context.create_module_image):
        with pytest.raises(
            NotImplementedError, match="the CPU device runs no PTX of others: write the kernel in Python"
        ):
            make(b".version 8.0")
    for wrong in (5, None, 2.5, ["a"], (1, 2)):
        found = f", found {type(wrong).__name__}"
        with pytest.raises(TypeError, match="ptx must be the text of PTX, a str or bytes" + found):
            context.create_module_ptx(wrong)
        with pytest.raises(TypeError, match="image must be PTX, a cubin or a fatbin, as bytes" + found):
            context.create_module_image(wrong)
    with pytest.raises(TypeError, match="image must be PTX, a cubin or a fatbin, as bytes, found str"):
        context.create_module_image(".version 8.0")
    assert len(context.modules) == 0


def test_float16_is_supported():
    assert cuda.is_float16_supported() is True
    assert cuda.is_bfloat16_supported() == cuda.get_current_device().supports_bfloat16
    assert cuda.is_fp8_supported() == cuda.get_current_device().supports_fp8
