"""Compilation without a launch: PTX and machine code for a function and a signature."""

from treadle import _core
from treadle.kernels.dispatcher import Dispatcher
from treadle.kernels.jit import jit
from treadle.kernels.options import Options, capability
from treadle.kernels.requests import request_of
from treadle.kernels.toolkit import machine_code
from treadle.types import void
from treadle.typing.signatures import check_kernel_result, signature_from


def _request(pyfunc, options):
    """(plain function, checked options); a dispatcher's own rules are kept."""
    own = getattr(pyfunc, "options", None)
    if isinstance(own, Options):
        options["rules"] = own.rules
    function = getattr(pyfunc, "py_func", pyfunc)
    if not isinstance(function, type(_request)):
        raise TypeError(f"expected a Python function to compile, found {pyfunc!r} of type {type(pyfunc).__name__}")
    return function, Options({name: value for name, value in options.items() if value is not None})


def compile(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=True,
    fastmath=False,
    cc=None,
    opt=None,
    abi="c",
    abi_info=None,
    output="ptx",
    forceinline=False,
    launch_bounds=None,
    max_registers=None,
    rules=None,
    facts=None,
):
    """Compiles a function for a signature and returns `(code, type of the result)`.

    `device`: True for a device function, False for a kernel. `abi`: "c" (`abi_info={"abi_name": symbol}` may name the
    symbol) or "numba". `cc`: compute capability, a tuple such as (8, 0). `facts`: what holds for every launch, a dict
    with any of offsets_fit_int32, grid_fits_int32, no_overlap, aligned16, full_warps (bools) and block_class (32, 16,
    8, 4, 1); by default nothing is assumed. Raises NotImplementedError for another `abi` or `output`, or a kernel with
    the C ABI; ValueError for `forceinline`, which needs LTO output; TypeError for a kernel that returns something, or
    for facts that are not a dict of bools; CompileError.
    """
    if output not in ("ptx", "ltoir"):
        raise NotImplementedError(f"output must be 'ptx', found {output!r}")
    if output == "ltoir":
        raise NotImplementedError(
            "output='ltoir' is not supported: LTO-IR is made by NVIDIA's compiler, and Treadle's is LLVM; use 'ptx', "
            "which linkers take as well"
        )
    if forceinline:
        raise ValueError("forceinline needs LTO output")
    if abi_info is not None and not isinstance(abi_info, dict):
        raise ValueError(f"abi_info must be a dict such as {{'abi_name': 'f'}}, found {abi_info!r}")
    function, options = _request(
        pyfunc,
        {
            "debug": debug, "lineinfo": lineinfo, "device": device, "fastmath": fastmath, "opt": opt, "rules": rules,
            "launch_bounds": launch_bounds, "max_registers": max_registers, "abi": abi,
        },
    )  # fmt: skip
    signature = signature_from(sig)
    if not device:
        check_kernel_result(signature, function.__name__)
        signature = _core.Signature(signature.args, void)
    own = getattr(pyfunc, "options", None)
    known = own.symbol_of(function) if isinstance(own, Options) else ""
    abi_name = (abi_info or {}).get("abi_name", (known or function.__name__) if abi == "c" else "")
    return _core.compile_function(function, signature, request_of(options, capability(cc), facts, abi_name))


def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, cc=None, opt=None, abi="numba",
                abi_info=None, forceinline=False, launch_bounds=None, max_registers=None, rules=None,
                facts=None):  # fmt: skip
    """`compile` for PTX; compiles a kernel unless `device` is true."""
    return compile(**locals())


def compile_all(pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, cc=None, opt=None, abi="c",
                abi_info=None, output="ptx", forceinline=False, launch_bounds=None, max_registers=None, rules=None,
                facts=None):  # fmt: skip
    """`compile`, with a list in place of the code: the function's only, as nothing is linked in. Returns `([code], type
    of the result)`, and raises what `compile` does.
    """
    code, result = compile(**locals())
    return [code], result


def compile_cubin(pyfunc, sig, cc=None, **options):
    """The machine code of a kernel, as bytes: a cubin, which `Context.create_module_image` loads.

    `cc`: compute capability; None: that of the current device if it is a GPU, else that of `compile_ptx`. `options`:
    those of `compile_ptx`; with `device=True` of a device function. Assembled by the driver of the current GPU if that
    has this capability, otherwise by `ptxas`, found on PATH, by CUDA_HOME, or in PyPI's nvidia-cuda-nvcc. Raises
    CudaSupportError if neither is available, RuntimeError or CudaAPIError with their messages for code that they
    reject, and what `compile_ptx` raises.
    """
    current = _core.current_device()
    wanted = capability(cc)
    if not wanted and _core.runs_foreign_code(current):
        wanted = _core.device_compute_capability(current)
    ptx, _ = compile_ptx(pyfunc, sig, cc=wanted or None, **options)
    name = getattr(pyfunc, "__name__", "a kernel")
    return machine_code(ptx, wanted or request_of(Options({}), 0).cc, name)


def compile_mlir(pyfunc, sig, optimized=False, **options):
    """Raises NotImplementedError: Treadle's compiler has no MLIR. Its stages are shown by `kernel.inspect`."""
    stage = "optimized" if optimized else "llvm"
    raise NotImplementedError(
        f"Treadle compiles by LLVM, without MLIR: kernel.inspect({stage!r}) shows its code for a compiled signature"
    )


def compile_for(fn, *args):
    """Compiles a kernel, or a plain function as one, for the types of these arguments, without launching it.

    Returns its `Overload`: `signature`, `inspect(stage)`, `regs_per_thread` and so on. Raises what a launch raises for
    arguments of other types, and CompileError.
    """
    kernel = fn if isinstance(fn, Dispatcher) else jit(fn)
    types = _core.types_of(*args)
    if kernel.options.device:
        return kernel.compile_device(types)
    return kernel.compile(_core.Signature(types, void))


def compile_for_current_device(pyfunc, sig, **options):
    """`compile` for the compute capability of the current device."""
    return compile(pyfunc, sig, cc=_core.device_compute_capability(_core.current_device()), **options)


def compile_ptx_for_current_device(pyfunc, sig, **options):
    """`compile_ptx` for the compute capability of the current device."""
    return compile_ptx(pyfunc, sig, cc=_core.device_compute_capability(_core.current_device()), **options)
