"""Errors for names of `numba.cuda` that Treadle does not have: they say what to use instead.

`reporter` makes the `__getattr__` of the modules of `treadle.cuda`; `treadle.redirect` asks `advice` for whole modules.
"""

import re
import sys
from importlib import import_module
from opcode import opname

# By module or name, without `numba.`; names that are not listed have the advice of the enclosing module.
_ADVICE = {
    "cuda.kernels": "write a kernel: examples/reduction.py and examples/radix_sort.py have some",
    "cuda.ufuncs": "write a kernel over the flat arrays",
    "cuda.fp16": "the functions that cuda.fp16 lists, and those of math, which take float16",
    "cuda.bf16": "kernels have no bfloat16: use float32",
    "cuda.fp8": "kernels have no numbers of 8 bits: use float32",
    "cuda.bfloat16": "kernels have no bfloat16: use float32",
    "cuda.libdevice": "the functions of math, which are libdevice's where it is installed",
    "cuda.libdevicedecl": "the functions of math, which are libdevice's where it is installed",
    "cuda.libdevicefuncs": "the functions of math, which are libdevice's where it is installed",
    "cuda.libdeviceimpl": "the functions of math, which are libdevice's where it is installed",
    "cuda.cache_hints": "plain loads and stores: x[i]",
    "cuda.vector_types": "tuples, or a record with one field for each component",
    "cuda.cg": "cuda.cg.this_grid(), of treadle.cuda",
    "cuda.config_default_cc": "treadle.config.CUDA_DEFAULT_PTX_CC",
    "cuda.numba_cuda_default_ptx_cc": "treadle.config.CUDA_DEFAULT_PTX_CC",
    "cuda.implementation": "treadle.__version__",
    "cuda.prepare_shape_strides_dtype": "cuda.device_array, which checks shape, strides and dtype",
    "cuda.shfl_sync_intrinsic": "cuda.shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync",
    "cuda.vote_sync_intrinsic": "cuda.all_sync, any_sync, eq_sync, ballot_sync",
    "cuda.api": "the functions of treadle.cuda",
    "cuda.device_init": "the functions of treadle.cuda",
    "cuda.decorators": "cuda.jit",
    "cuda.intrinsics": "the functions of treadle.cuda",
    "cuda.stubs": "the functions of treadle.cuda",
    "cuda.cudadrv": "cuda.current_context(), or the driver's own Python package, cuda-bindings",
    "cuda.declare_device": "write the function in Python, under cuda.jit(device=True)",
    "cuda.test": "Treadle's tests are run from its source tree, by ./dev test",
    "cuda.tests": "Treadle's tests are run from its source tree, by ./dev test",
    "cuda.compiler": "cuda.compile, cuda.compile_ptx and kernel.inspect(stage): the compiler has no passes in Python",
    "cuda.core": "cuda.compile, cuda.compile_ptx and kernel.inspect(stage): the compiler has no passes in Python",
    "cuda.codegen": "cuda.compile_ptx, and kernel.inspect(stage)",
    "cuda.lowering": "functions in Python, under cuda.jit(device=True): there is no IR to write by hand",
    "cuda.cudaimpl": "functions in Python, under cuda.jit(device=True): there is no IR to write by hand",
    "cuda.cudamath": "functions in Python, under cuda.jit(device=True): there is no IR to write by hand",
    "cuda.mathimpl": "functions in Python, under cuda.jit(device=True): there is no IR to write by hand",
    "cuda.printimpl": "print(...) in the kernel",
    "cuda.nvvmutils": "the functions of treadle.cuda, such as cuda.atomic.add: there is no IR to write by hand",
    "cuda.cgutils": "functions in Python, under cuda.jit(device=True): there is no IR to write by hand",
    "cuda.cudadecl": "functions in Python, under cuda.jit(device=True)",
    "cuda.extending": "functions in Python under cuda.jit(device=True), and records for types of your own",
    "cuda.models": "records: a structured dtype, by types.from_dtype",
    "cuda.datamodel": "records: a structured dtype, by types.from_dtype",
    "cuda.typing": "types: treadle.types",
    "cuda.types": "treadle.types has the types that kernels know",
    "cuda.target": "cuda.jit(cc=...) and TREADLE_CPU choose what code is made for",
    "cuda.descriptor": "cuda.jit(cc=...) and TREADLE_CPU choose what code is made for",
    "cuda.serialize": "pickle and cloudpickle, which take kernels and device functions as they are",
    "cuda.debuginfo": "cuda.jit(debug=True) and cuda.jit(lineinfo=True)",
    "cuda.cuda_paths": "TREADLE_LIBDEVICE is the one path: nothing else of a CUDA toolkit is needed",
    "cuda.memory_management": "cuda.current_context().memory_manager: kernels have no objects that are counted",
    "cuda.simulator": "the CPU device, TREADLE_DEVICE=cpu: it runs every kernel, under any debugger of native code",
    "cuda.testing": "unittest and pytest: nothing has to be skipped on the CPU device",
    "cuda.cudadrv.nvvm": "cuda.compile_ptx: Treadle makes PTX by LLVM, without libNVVM",
    "cuda.cudadrv.nvrtc": "functions in Python: Treadle does not compile CUDA C++",
    "cuda.cudadrv.linkable_code": "functions in Python: Treadle links with no code of others",
    "cuda.cudadrv.libs": "TREADLE_LIBDEVICE is the one path: nothing else of a CUDA toolkit is needed",
    "cuda.cudadrv.drvapi": "the driver's own Python package, cuda-bindings",
    "cuda.cudadrv.enums": "the driver's own Python package, cuda-bindings",
    "cuda.cudadrv.rtapi": "the driver's own Python package, cuda-bindings",
    "cuda.cudadrv.driver": "cuda.current_context(), cuda.stream(), cuda.event(), or the driver's own Python package, "
    "cuda-bindings",
    "cuda.cudadrv.devicearray": "cuda.DeviceNDArray, cuda.to_device, cuda.device_array",
    "cuda.cudadrv.dummyarray": "cuda.DeviceNDArray, whose views are arrays of the device",
    "cuda.cudadrv.runtime": "cuda.runtime.get_version()",
    "cuda.dispatcher": "cuda.jit, and the attributes of the kernel that it returns",
}
_ADVICE |= {f"types.{name}": instead for names, instead in (
    ("List ListType Set DictType", "kernels have no lists, sets and dicts: use arrays and tuples"),
    ("unicode_type UnicodeType Bytes", "kernels have texts of fixed widths: types.UnicodeCharSeq(7), types.CharSeq(5)"),
    ("Literal IntegerLiteral StringLiteral BooleanLiteral literal", "constants of the kernel: closure variables"),
    ("CPointer voidptr RawPointer MemInfoPointer", "arrays: kernels have no pointers"),
    ("Dispatcher CUDADispatcher Function FunctionType ExternalFunction pyfunc_type", "functions that kernels capture"),
    ("pyobject PyObject Object deferred_type ffi ffi_forced_object", "numbers, arrays, tuples and records"),
    ("Dim3 dim3 GridGroup grid_group", "functions of the kernel: cuda.threadIdx, cuda.cg.this_grid()"),
    ("bfloat16 Bfloat16", "float32"),
    ("EnumMember IntEnumMember", "cuda.typeof(member)"),
) for name in names.split()}  # fmt: skip
# Vector types: float4, uint32x2.
_VECTORS = re.compile(r"cuda\.(u?(char|short|int|long|longlong)|float|double|(u?int|float)\d+x)[1-4]")
_LINKED = "functions in Python: Treadle links with no code of others"
_ADVICE |= {f"cuda.{name}": _LINKED for name in (
    "Archive", "CUSource", "Cubin", "Fatbin", "LTOIR", "LinkableCode", "Object", "PTXSource"
)}  # fmt: skip
_ADVICE |= {f"cuda.{name}": _ADVICE["cuda.cache_hints"] for name in (
    "ldca", "ldcg", "ldcs", "ldcv", "ldlu", "stcg", "stcs", "stwb", "stwt"
)}  # fmt: skip


def advice(name):
    """What to use instead of a module or a module's name, under its name in Numba ("numba.cuda.reduce"). None if
    unknown."""
    name = name.removeprefix("numba.")
    if _VECTORS.fullmatch(name):
        name = "cuda.vector_types"
    parts = name.split(".")
    around = [".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
    # The advice for a name is the same in whichever module it is looked up.
    for place in (name, f"cuda.{parts[-1]}", f"types.{parts[-1]}", *around):
        if place in _ADVICE:
            return _ADVICE[place]
    return None


def report(module, name):
    """Raises the error for a name that a module of Treadle, `treadle.cuda.x`, does not have.

    To be called by the module's `__getattr__`. AttributeError; ImportError for `from treadle.cuda.x import name`, which
    would drop the text of an AttributeError.
    """
    original = f"numba.{module.removeprefix('treadle.')}.{name}"
    instead = advice(original)
    text = f"module {module!r} has no attribute {name!r}"
    if instead is not None:
        text = f"Treadle has no '{original}'. Instead: {instead}"
    if _is_import(sys._getframe(1)):
        raise ImportError(text, name=module)
    raise AttributeError(text, name=name)


def _is_import(frame):
    """Whether the caller of a module's `__getattr__`, below this frame, is executing `from module import name`."""
    while frame.f_code.co_name in ("__getattr__", "submodule"):
        frame = frame.f_back
    return frame.f_lasti >= 0 and opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def submodule(package, name):
    """The `__getattr__` of a package: returns its submodule of this name. Raises what `report` does.

    Numba imports all of them with `numba.cuda`, so programs use `cuda.compiler` without an import of their own.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    try:
        return import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
    return report(package, name)


def reporter(module, *others):
    """A module's `__getattr__`: it looks in the other modules, then raises what `report` does."""

    def __getattr__(name):
        if not name.startswith("_"):
            for other in map(import_module, others):
                try:
                    return getattr(other, name)
                except (AttributeError, ImportError):
                    pass
            report(module, name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__
