"""Which folder may include which, and the exceptions to the rules of test_layout.py, each with its reason."""

_SUPPORT = {"support", "support/files", "support/text"}
_TREE = _SUPPORT | {"types", "border", "syntax"}
_COMPILER = _TREE | {"builtins", "typed"}
_VALUES = _COMPILER | {"infer/flow", "infer/instances", "infer/tree", "infer/values"}
_STATEMENTS = _VALUES | {"infer/aliasing", "infer/calls", "infer/expressions"}
_PASSES = _COMPILER | {"passes/analyses", "passes/ranges"}
_CODEGEN = _PASSES | {"passes", "passes/grid", "codegen"}
_DEVICE = _SUPPORT | {"types", "border", "device"}
_MEMORY = _DEVICE | {"memory"}
_RUNTIME = _MEMORY | {"interop", "types/names"}
_PYTHON = _RUNTIME | {"runtime", "launch", "capi", "syntax"}
# The folders of src/python, each of which may include those before it.
_ROOMS = [
    "python/host", "python/source", "python/types", "python/arrays", "python/interop", "python/names", "python/launch",
]  # fmt: skip

# Each folder of src/ and the folders it may include besides itself.
MAY_INCLUDE = {
    "support": set(),
    "support/text": {"support"},
    "support/format": set(),
    "support/files": {"support", "support/text"},
    "types": _SUPPORT,
    "types/names": _MEMORY,
    "syntax": _SUPPORT | {"types"},
    "border": _SUPPORT | {"types"},
    "builtins": _SUPPORT | {"types"},
    "typed": _SUPPORT | {"types", "builtins"},
    "infer": _STATEMENTS | {"infer/statements"},
    "infer/aliasing": _VALUES,
    "infer/calls": _VALUES,
    "infer/expressions": _VALUES | {"infer/calls"},
    "infer/flow": _COMPILER,
    "infer/instances": _COMPILER | {"infer/flow"},
    "infer/statements": _STATEMENTS,
    "infer/tree": _COMPILER | {"infer/flow"},
    "infer/values": _COMPILER | {"infer/flow", "infer/instances", "infer/tree"},
    "passes": _PASSES | {"passes/grid", "passes/rewrites"},
    "passes/analyses": _COMPILER,
    "passes/grid": _COMPILER | {"passes/analyses"},
    "passes/ranges": _COMPILER | {"passes/analyses"},
    "passes/rewrites": _PASSES,
    "codegen": _PASSES | {"passes"},
    "codegen/ptx": _CODEGEN,
    "codegen/cpu": _CODEGEN | {"codegen/cpu/lanes", "codegen/cpu/machine", "codegen/cpu/warp"},
    "codegen/cpu/lanes": _CODEGEN | {"math"},
    "codegen/cpu/machine": _CODEGEN | {"math", "codegen/cpu/lanes"},
    "codegen/cpu/warp": _CODEGEN | {"codegen/cpu/lanes"},
    "codegen/library": _CODEGEN | {"infer", "codegen/ptx", "codegen/cpu", "codegen/cpu/machine"},
    "math": _SUPPORT,
    "device": _SUPPORT | {"types", "border"},
    "device/cpu": _DEVICE | {"math", "device/cpu/code", "device/cpu/threads"},
    "device/cpu/code": _DEVICE | {"math"},
    "device/cpu/threads": _DEVICE,
    "device/cuda": _DEVICE | {"device/cuda/code", "device/cuda/driver"},
    "device/cuda/code": _DEVICE | {"device/cuda/driver"},
    "device/cuda/driver": _DEVICE,
    "memory": _DEVICE,
    "interop": _MEMORY | {"types/names"},
    "runtime": _RUNTIME,
    "launch": _RUNTIME | {"runtime"},
    "capi": _RUNTIME | {"runtime", "launch"},
    **{room: _PYTHON | set(_ROOMS[:below]) for below, room in enumerate(_ROOMS)},
    "python": _PYTHON | set(_ROOMS),
}

# Rooms of python/treadle, each above those that it may import: (modules beside the folder, the rooms below).
_BASE = ("absent", "config", "errors", "forks", "inspection", "intrinsics", "whole_files")
_KERNELS = ("base", "typing", "library", "source", "devices")
ROOMS_OF_PYTHON: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "base": (_BASE, ()),
    "typing": (("types",), ("base",)),
    "library": ((), ("base", "typing")),
    "source": ((), ("base", "typing", "library")),
    "devices": ((), ("base", "typing")),
    "kernels": ((), _KERNELS),
    "ufuncs": ((), (*_KERNELS, "kernels")),
    "tools": (("__main__", "gdb_arrays"), (*_KERNELS, "kernels")),
    "treadle": ((), (*_KERNELS, "kernels", "ufuncs", "tools")),
    # Names of another project, which nothing imports.
    "cuda": (("redirect",), (*_KERNELS, "kernels", "ufuncs", "tools", "treadle")),
}

_NUMPY = "NumPy"
_CTYPES = "ctypes, weakref"
_FEW = "few programs need it"

# Modules of ours that are imported in functions, by the module that does it, each with what that saves at start-up, of
# `import treadle`, of `cuda.jit` or of a context. Where the other module is there anyway, the import is at the top.
IMPORTED_LATER: dict[str, dict[str, str]] = {
    "treadle": {"ufuncs.numpy_ufuncs": _NUMPY},
    "treadle.config": {"errors": "made for a warning only"},
    "treadle.cuda.cudadrv.devicearray": {"devices.host_arrays": _NUMPY},
    "treadle.devices.devicearray": {
        "devices.devices": _FEW, "devices.ipc_arrays": _FEW, "devices.memory_pointers": _CTYPES,
    },
    "treadle.devices.devices": {
        "devices.host_arrays": _NUMPY, "devices.host_memory": _FEW, "devices.ipc": _CTYPES,
        "devices.memory_managers": "abc, contextlib", "devices.memory_pointers": _CTYPES, "devices.modules": _CTYPES,
    },
    "treadle.devices.host_memory": {"devices.host_arrays": _NUMPY},
    "treadle.devices.memory": {"devices.memory": "collections, for a class that its module makes on first use"},
    "treadle.devices.new_arrays": {"typing.dtypes": "needed by the first copy"},
    "treadle.kernels.dispatcher": {
        "kernels.forall": _FEW, "kernels.overload": _FEW, "kernels.reporting": _FEW, "kernels.saving": _FEW,
        "kernels.statistics": "collections", "kernels.toolkit": "subprocess, tempfile", "kernels.travel": "pickle",
    },
    "treadle.kernels.jit": {"kernels.extended": _FEW},
    "treadle.redirect": {"errors": "runs before treadle is imported", "types": "runs before treadle is imported"},
    "treadle.source.names": {"library": "the functions of the library, for kernels that call some"},
    "treadle.types": {"absent": "made for an error only", "typing.type_classes": _FEW},
    "treadle.typing.conversion": {"errors": "made for an error only"},
    "treadle.typing.dtypes": {"typing.numba_types": "an optional library: only where Numba is imported"},
    "treadle.ufuncs.vectorized": {"ufuncs.reductions": "the compiler of kernels"},
}  # fmt: skip

# The one file of src/runtime that knows which kinds of devices there are.
OPENS_DEVICES = {"src/runtime/open_devices.cpp": {"device/cpu", "device/cpu/code", "device/cpu/threads", "device/cuda"}}

GETENV = {
    "src/support/settings.cpp": "the one table of environment variables",
}

PYTHON_ENVIRONMENT: dict[str, str] = {}

# Who asks the processor what it has, besides src/device/cpu/code/cpu_features.cpp.
HOST_FEATURES = {
    "tests/math/routines.cpp": "calls routines without the library, those that run here: nothing is compared",
}

DLOPEN = {
    "src/runtime/runtime.cpp": "opens libtreadle-compiler.so at the first compile",
    "src/device/cuda/driver/driver_table.cpp": "opens the CUDA driver, at the first use of a device",
    "src/math/routine_address.cpp": "opens libsleef and libmvec at the first kernel that needs them",
}

# Files of src/python whose handlers may throw: the exception leaves no function that Python calls.
THROWING_HANDLERS = {
    "src/python/host/errors.cpp": "raisePython, the one caller of these handlers, catches whatever they throw",
}

_SLOTS = "an object in C's layout, whose fields Python's own functions visit, clear and free"

# Files of src/python that count references without nanobind's owners.
RAW_REFERENCES = {
    "src/python/arrays/device_array_object.cpp": _SLOTS,
    "src/python/host/device_functions.cpp": "memory that may still be registered is never freed",
    "src/python/host/held_reference.cpp": "references that threads without the GIL give up",
    "src/python/launch/argument_reader.cpp": "temporaries of a launch, in a list without allocations",
    "src/python/launch/bound_object.cpp": f"{_SLOTS}; launches take arrays of pointers",
    "src/python/launch/dispatcher_object.cpp": _SLOTS,
    "src/python/launch/launcher_object.cpp": _SLOTS,
    "src/python/names/captured_value.cpp": "an owner for code that does not see Python",
    "src/python/types/value_kinds.cpp": "classes that live as long as the process",
}

LONG_FILES: dict[str, str] = {}

# "file:function": reason.
LONG_FUNCTIONS: dict[str, str] = {}

_NUMBA = "the signature is Numba's"
_BINDING = "called by Python, with each of its arguments"
_C_API = "a function of the C API, whose arguments C has no better form for"
_OPERANDS = "operation, and two operands that are a type and a value each"

MANY_PARAMETERS: dict[str, str] = {
    "src/capi/arrays.cpp:treadle_array_create": _C_API,
    "src/capi/memory.cpp:treadle_memory_write": _C_API,
    "src/capi/memory.cpp:treadle_memory_read": _C_API,
    "src/capi/memory.cpp:treadle_memory_copy": _C_API,
    "src/capi/memory.cpp:treadle_memory_fill": _C_API,
    "src/python/arrays/device_array_maker.cpp:newArrayOf": _BINDING,
    "src/python/arrays/device_array_views.cpp:viewBuffer": _BINDING,
    "src/codegen/arithmetic.cpp:compareIntegers": _OPERANDS,
    "src/codegen/cpu/warp/cpu_kernel.cpp:loop": "bounds, step, name and body of a loop",
    "src/codegen/cpu/lanes/warp_memory.cpp:Access": "a constructor that only stores them",
    "src/passes/analyses/liveness.cpp:walkLoop": "a loop's parts, what is live, and what runs before each round",
    "python/treadle/kernels/compiling.py:compile": _NUMBA,
    "python/treadle/kernels/compiling.py:compile_all": _NUMBA,
    "python/treadle/kernels/compiling.py:compile_ptx": _NUMBA,
    "python/treadle/devices/new_arrays.py:make_array": _NUMBA,
    "python/treadle/devices/modules.py:launch_kernel": _NUMBA,
    "python/treadle/devices/devices.py:get_max_potential_block_size": _NUMBA,
    "python/treadle/kernels/dispatcher.py:configure": "the items between the brackets of a launch",
    "python/treadle/devices/host_memory.py:managed_array": _NUMBA,
    "python/treadle/devices/host_memory.py:mapped_array": _NUMBA,
    "python/treadle/devices/ipc.py:__init__": _NUMBA,
    "python/treadle/devices/ipc_arrays.py:open_ipc_array": _NUMBA,
    "python/treadle/devices/memory_pointers.py:__init__": _NUMBA,
    "python/treadle/kernels/reduction.py:__call__": _NUMBA,
    "python/treadle/kernels/forall.py:__init__": "what forall() got, stored as it is",
}
