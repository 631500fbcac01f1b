"""What is around launches: profilers, the carveout of shared memory, blocks by occupancy, grids too large to
synchronise, machine code, breakpoints."""

import stat
import subprocess
import sys

import numpy as np
import pytest
from treadle import _core, cuda, errors, float32, int32, types, void
from treadle.kernels import toolkit
from treadle.kernels.options import Options


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit(device=True)
def add(a, b):
    return a + b


VECTOR = (float32[::1],)


def is_cuda():
    return "CUDA" in repr(cuda.get_current_device())


class TestProfiling:
    def test_nothing_happens_without_a_profiler(self):
        x = cuda.to_device(np.zeros(4))
        assert cuda.profile_start() is None
        increment[1, 4](x)
        assert cuda.profile_stop() is None
        with cuda.profiling() as nothing:
            increment[1, 4](x)
        assert nothing is None and (x.copy_to_host() == 2).all()

    def test_errors_leave_the_block(self):
        with pytest.raises(KeyError), cuda.profiling():
            raise KeyError


class TestCarveout:
    @pytest.mark.parametrize(
        "given, percent",
        [(None, -1), (-1, -1), (0, 0), (37, 37), (100, 100), ("default", -1), ("MaxL1", 0), ("maxshared", 100)],
    )
    def test_values(self, given, percent):
        assert Options({"shared_memory_carveout": given}).carveout == percent

    @pytest.mark.parametrize("given", [-2, 101, True, 1.5, "most", "", (1,)])
    def test_refused(self, given):
        with pytest.raises(ValueError, match=r"shared_memory_carveout must be an int from -1 to 100.*, found"):
            cuda.jit(shared_memory_carveout=given)

    @pytest.mark.parametrize("given", ["default", "maxshared", 50])
    def test_kernels_do_the_same(self, given):
        kernel = cuda.jit(increment.py_func, shared_memory_carveout=given)
        x = cuda.to_device(np.zeros(100))
        kernel[4, 32](x)
        assert (x.copy_to_host() == 1).all()


class TestOccupancy:
    def test_forall_with_a_chosen_block(self):
        @cuda.jit
        def blocks(out, shape):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = i
                shape[0] = cuda.blockDim.x

        for count in (1, 31, 1000, 2100):
            out, shape = cuda.to_device(np.full(count, -1)), cuda.to_device(np.zeros(1, np.int32))
            blocks.forall(count)(out, shape)
            assert out.copy_to_host().tolist() == list(range(count))
            (overload,) = blocks.overloads.values()
            best = cuda.current_context().get_max_potential_block_size(overload, None, 0, 0)[1]
            assert shape.copy_to_host()[0] == (best if is_cuda() else 256)

    def test_launch_bounds(self):
        kernel = cuda.jit(increment.py_func, launch_bounds=64)
        x = cuda.to_device(np.zeros(1000))
        kernel.forall(1000)(x)
        assert (x.copy_to_host() == 1).all()

    def test_kernels_with_signatures(self):
        @cuda.jit([void(float32[::1], int32), void(float32[::1], float32)])
        def assign(x, value):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = value

        x = cuda.to_device(np.zeros(100, np.float32))
        assign.forall(100)(x, np.int16(3))
        assert (x.copy_to_host() == 3).all()
        assign.recompile()
        assign.forall(100)(x, np.float32(4.5))
        assert (x.copy_to_host() == 4.5).all()

    def test_blocks_of_functions(self):
        increment[1, 1](cuda.to_device(np.zeros(1)))
        overload = next(iter(increment.overloads.values()))
        context = cuda.current_context()
        most = context.device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        asked = []

        def bytes_of(threads):
            asked.append(threads)
            return most if threads <= 96 else most + 1

        if not is_cuda():
            with pytest.raises(ValueError, match="shared memory"):
                context.get_max_potential_block_size(overload, bytes_of, 0, 128)
            return
        assert context.get_max_potential_block_size(overload, bytes_of, 0, 128)[1] == 96
        assert asked == [128, 96, 64, 32]
        with pytest.raises(ValueError, match="no block of this kernel"):
            context.get_max_potential_block_size(overload, lambda threads: most + 1, 0, 128)

    def test_numbers_that_are_none(self):
        increment[1, 1](cuda.to_device(np.zeros(1)))
        overload = next(iter(increment.overloads.values()))
        for block in (0, 1025, 1.5):
            with pytest.raises((ValueError, TypeError)):
                cuda.current_context().get_active_blocks_per_multiprocessor(overload, block, 0)


def test_a_grid_that_is_too_large():
    @cuda.jit
    def together(x):
        cuda.cg.this_grid().sync()
        x[0] = 1

    x = cuda.to_device(np.zeros(1))
    together[1, 32](x)
    (overload,) = together.overloads.values()
    most = overload.max_cooperative_grid_blocks(32)
    with pytest.raises(errors.CudaAPIError, match=f"at most {most} of this shape can") as caught:
        together[most + 1, 32](x)
    assert caught.value.code == 720
    together[most, 32](x)
    assert x.copy_to_host()[0] == 1


class TestCompilation:
    def test_lists_of_codes(self):
        codes, result = cuda.compile_all(add, (int32, int32), cc=(8, 0))
        assert (codes, result) == ([cuda.compile(add, (int32, int32), cc=(8, 0))[0]], types.int64)
        codes, result = cuda.compile_all(increment, VECTOR, device=False, abi="numba")
        assert codes == [cuda.compile_ptx(increment, VECTOR)[0]] and result == types.none

    @pytest.mark.parametrize("compiler", ["compile", "compile_all"])
    @pytest.mark.parametrize(
        "function, options, error, said",
        [
            (add, {"output": "cubin"}, NotImplementedError, "output must be 'ptx', found 'cubin'"),
            (add, {"output": "ltoir"}, NotImplementedError, "LTO-IR is made by NVIDIA's compiler"),
            (add, {"abi": "fastcall"}, NotImplementedError, "abi must be 'numba' or 'c', found 'fastcall'"),
            (add, {"device": False}, NotImplementedError, "the C ABI is for device functions"),
            (add, {"forceinline": True}, ValueError, "forceinline needs LTO output"),
            (add, {"abi_info": "f"}, ValueError, "abi_info must be a dict"),
            (add, {"device": False, "abi": "numba"}, TypeError, "a kernel must have void return type"),
        ],
    )
    def test_errors(self, compiler, function, options, error, said):
        signature = int32(int32, int32) if error is TypeError else (int32, int32)
        with pytest.raises(error, match=said):
            getattr(cuda, compiler)(function, signature, **options)

    def test_debug(self):
        @cuda.jit
        def read(x, i):
            x[0] = x[i]

        plain, checked = (
            cuda.compile(read, (float32[::1], int32), device=False, abi="numba", debug=debug)[0]
            for debug in (False, True)
        )
        assert "treadle_error" not in plain and "treadle_error" in checked

    def test_for_arguments(self):
        x = cuda.to_device(np.zeros(3, np.float32))
        kernel = cuda.jit(increment.py_func)
        overload = cuda.compile_for(kernel, x)
        assert list(kernel.overloads) == [overload.signature.args] and "float32" in repr(overload)
        assert cuda.compile_for(increment.py_func, x).signature == overload.signature
        assert cuda.compile_for(add, 1, 2.5).signature.return_type == types.float64
        with pytest.raises(TypeError):
            cuda.compile_for(kernel, object())

    def test_there_is_no_mlir(self):
        with pytest.raises(NotImplementedError, match=r"kernel.inspect\('llvm'\)"):
            cuda.compile_mlir(increment, VECTOR)
        with pytest.raises(NotImplementedError, match=r"kernel.inspect\('optimized'\)"):
            cuda.compile_mlir(increment, VECTOR, optimized=True)

    def test_machine_code(self, ptxas):
        code = cuda.compile_cubin(increment, VECTOR, cc=(8, 0))
        assert type(code) is bytes and code.startswith(b"\x7fELF") and b"increment" in code
        assert cuda.compile_cubin(increment, VECTOR, cc=(9, 0)) != code

    def test_ptxas_says_what_is_wrong(self, ptxas):
        with pytest.raises(RuntimeError, match=r"ptxas has failed with exit code [0-9]+: .*syntax error"):
            toolkit.assembled(".version 8.0\n.target sm_80\nnonsense\n", 80, ptxas)

    def test_without_any_assembler(self, monkeypatch):
        monkeypatch.setattr(toolkit, "find_tool", lambda name: None)
        with pytest.raises(errors.CudaSupportError, match="for compute capability 7.5.*nvidia-cuda-nvcc"):
            cuda.compile_cubin(increment, VECTOR, cc=(7, 5))


@pytest.fixture
def tools(tmp_path):
    """A function that makes a program of a shell script, in the toolkit that the setting names."""
    folder = tmp_path / "toolkit" / "bin"
    folder.mkdir(parents=True)

    def make(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    _core.set_setting("TREADLE_CUDA_TOOLKIT", str(folder.parent))
    yield make
    _core.set_setting("TREADLE_CUDA_TOOLKIT", "")


class TestMachineCode:
    def test_what_nvdisasm_says(self, tools, ptxas, monkeypatch):
        shown = tools("nvdisasm", 'echo "$1" && head -c 4 "$2" | tail -c 3 && grep -c increment "$2"')
        monkeypatch.setattr(toolkit, "find_tool", {"nvdisasm": str(shown), "ptxas": ptxas}.get)
        kernel = cuda.jit("void(float32[::1])", cc=(8, 0))(increment.py_func)
        (key,) = kernel.signatures
        assert kernel.inspect_sass() == {key: kernel.inspect_sass(key)}
        option, rest = kernel.inspect_sass(key).split("\n", 1)
        assert option == "-gi" and rest.startswith("ELF") and int(rest[3:]) > 0
        assert kernel.inspect_sass_cfg(key).startswith("-cfg\nELF")
        specialized = increment.specialize(np.zeros(3, np.float32))
        specialized.options.cc = 80
        assert specialized.inspect_sass().startswith("-gi\nELF")

    def test_where_tools_are_looked_for(self, tools, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        by_home = tools("nvdisasm", "exit 0")
        assert toolkit.find_tool("nvdisasm") == str(by_home)
        _core.set_setting("TREADLE_CUDA_TOOLKIT", "")
        monkeypatch.setattr(toolkit, "SYSTEMS", str(tmp_path))
        assert toolkit.find_tool("nvdisasm") is None
        package = tmp_path / "site" / "nvidia" / "cu13" / "bin" / "nvdisasm"
        package.parent.mkdir(parents=True)
        package.write_bytes(by_home.read_bytes())
        monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
        assert toolkit.find_tool("nvdisasm") is None, "it cannot be run"
        package.chmod(0o755)
        assert toolkit.find_tool("nvdisasm") == str(package)

    def test_errors(self, tools, ptxas, monkeypatch):
        kernel = cuda.jit("void(float32[::1])", cc=(8, 0))(increment.py_func)
        monkeypatch.setattr(toolkit, "find_tool", {"ptxas": ptxas}.get)
        with pytest.raises(RuntimeError, match="nvdisasm, which was not found: install nvdisasm.*nvidia-cuda-nvdisasm"):
            kernel.inspect_sass()
        failing = tools("nvdisasm", "echo no such code >&2; exit 3")
        monkeypatch.setattr(toolkit, "find_tool", {"ptxas": ptxas, "nvdisasm": str(failing)}.get)
        with pytest.raises(RuntimeError, match="nvdisasm has failed with exit code 3: no such code"):
            kernel.inspect_sass()


BREAKING = """
import numpy as np
from treadle import cuda

@cuda.jit
def stop(x):
    if cuda.threadIdx.x == 3:
        breakpoint()
    x[cuda.grid(1)] = 1

x = cuda.to_device(np.zeros(64))
stop[2, 32](x)
print(int(x.copy_to_host().sum()))
"""


class TestBreakpoints:
    def test_nothing_happens_without_a_debugger(self):
        result = subprocess.run([sys.executable, "-c", BREAKING], capture_output=True, text=True, timeout=60)
        assert (result.returncode, result.stdout, result.stderr) == (0, "64\n", "")

    @pytest.mark.skipif(is_cuda(), reason="GPUs have a debugger of their own")
    def test_a_debugger_stops(self):
        """A tracer in place of a debugger: it counts the traps, and lets the program go on."""
        from tracer import traps_of

        traps, status, output = traps_of([sys.executable, "-c", BREAKING], timeout=60)
        assert (traps, status, output) == (2, 0, "64\n")

    def test_ptx(self, assemble):
        @cuda.jit
        def stop(x):
            if x[0] > 3:
                breakpoint()
            cuda.intrin.breakpoint()

        ptx = cuda.compile_ptx(stop, VECTOR, cc=(8, 0))[0]
        assert ptx.count("brkpt;") == 2
        assemble(ptx, "sm_80")
