"""Compilation without a launch: PTX for a function and a signature."""

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
        raise NotImplementedError("output='ltoir' needs NVIDIA's compiler, which Treadle does not use")
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi must be 'numba' or 'c', found {abi!r}")
    if abi == "c" and not device:
        raise NotImplementedError("kernels have an ABI of their own: the C ABI is for device functions")
    if forceinline:
        raise ValueError("forceinline needs LTO output")
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


def compile_for_current_device(pyfunc, sig, **options):
    """`compile` for the compute capability of the current device."""
    return compile(pyfunc, sig, cc=_core.device_compute_capability(_core.current_device()), **options)


def compile_ptx_for_current_device(pyfunc, sig, **options):
    """`compile_ptx` for the compute capability of the current device."""
    return compile_ptx(pyfunc, sig, cc=_core.device_compute_capability(_core.current_device()), **options)
