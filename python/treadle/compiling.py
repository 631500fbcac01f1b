"""Compilation without a launch: PTX and machine code for a function and a signature."""

from treadle import _core
from treadle.options import Options, capability
from treadle.signatures import check_kernel_result, signature_from
from treadle.types import void

# The compute capability of compile_ptx if neither the caller nor a CUDA device specifies one.
DEFAULT_CC = 90


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
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi must be 'numba' or 'c', found {abi!r}")
    if abi == "c" and not device:
        raise NotImplementedError("kernels have an ABI of their own: the C ABI is for device functions")
    if forceinline:
        raise ValueError("forceinline needs LTO output")
    if abi_info is not None and not isinstance(abi_info, dict):
        raise ValueError(f"abi_info must be a dict such as {{'abi_name': 'f'}}, found {abi_info!r}")
    function, options = _request(
        pyfunc,
        {
            "debug": debug, "lineinfo": lineinfo, "device": device, "fastmath": fastmath, "opt": opt, "rules": rules,
            "launch_bounds": launch_bounds, "max_registers": max_registers,
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


def request_of(options, cc, facts=None, abi_name=""):
    """What the extension needs to compile a function without launching it. `cc` 0: the default one."""
    request = _core.CompileRequest()
    request.rules = options.rules
    request.device = options.device
    request.options = options.core(abi_name)
    request.cc = cc or capability(_core.setting("TREADLE_DEFAULT_PTX_CC") or None) or DEFAULT_CC
    request.facts = _facts_from({} if facts is None else facts)
    return request


def _facts_from(given):
    if not isinstance(given, dict):
        raise TypeError(f"facts must be a dict of names and values, found {given!r}")
    facts = _core.Facts()
    names = [name for name in dir(facts) if not name.startswith("_")]
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"there is no fact {name!r}; there are {', '.join(names)}")
        if name == "block_class":
            if value not in (1, 4, 8, 16, 32):
                raise ValueError(f"the fact block_class must be 1, 4, 8, 16 or 32, found {value!r}")
        elif not isinstance(value, bool):
            raise TypeError(f"the fact {name!r} must be True or False, found {value!r}")
        setattr(facts, name, value)
    return facts


def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, cc=None, opt=None, abi="numba",
                abi_info=None, forceinline=False, launch_bounds=None, max_registers=None, rules=None,
                facts=None):  # fmt: skip
    """`compile` for PTX; compiles a kernel unless `device` is true."""
    return compile(
        pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, "ptx", forceinline, launch_bounds,
        max_registers, rules, facts,
    )  # fmt: skip


def compile_all(pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, cc=None, opt=None, abi="c",
                abi_info=None, output="ptx", forceinline=False, launch_bounds=None, max_registers=None, rules=None,
                facts=None):  # fmt: skip
    """`compile`, with a list in place of the code: the function's, then one for each item that it is linked with, which
    are none. Returns `([code], type of the result)`, and raises what `compile` does.
    """
    code, result = compile(
        pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, output, forceinline, launch_bounds,
        max_registers, rules, facts,
    )  # fmt: skip
    return [code], result


def compile_cubin(pyfunc, sig, cc=None, **options):
    """The machine code of a kernel, as bytes: a cubin, which `Context.create_module_image` loads.

    `cc`: compute capability; None: that of the current device if it is a GPU, else that of `compile_ptx`. `options`:
    those of `compile_ptx`; with `device=True` of a device function. Made by the driver of the current GPU where that is
    of this capability, otherwise by `ptxas`, found on PATH, by CUDA_HOME, or in PyPI's nvidia-cuda-nvcc. Raises
    CudaSupportError where there is neither, RuntimeError or CudaAPIError with what they say of code that they do not
    take, and what `compile_ptx` raises.
    """
    from treadle.toolkit import machine_code

    current = _core.current_device()
    wanted = capability(cc)
    if not wanted and _core.device_kind(current) == "CUDA":
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
    from treadle.jit import Dispatcher, jit

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
