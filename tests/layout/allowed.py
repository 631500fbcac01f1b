"""Which folder may include which, and the exceptions to the rules of test_layout.py, each with its reason."""

_TREE = {"support", "types", "border", "syntax"}
_COMPILER = _TREE | {"builtins", "infer", "typed"}
_RUNTIME = {"support", "types", "border", "device", "memory", "interop"}
_PYTHON = _RUNTIME | {"launch", "capi", "syntax"}
# The folders of src/python, each of which may include those before it.
_ROOMS = [
    "python/host", "python/source", "python/types", "python/arrays", "python/interop", "python/names", "python/launch",
]  # fmt: skip

# Each folder of src/ and the folders it may include besides itself.
MAY_INCLUDE = {
    "support": set(),
    "types": {"support"},
    "syntax": {"support", "types"},
    "border": {"support", "types"},
    "builtins": {"support", "types"},
    "typed": {"support", "types", "builtins"},
    "infer": _COMPILER,
    "passes": _COMPILER,
    "codegen": _COMPILER | {"passes"},
    "codegen/ptx": _COMPILER | {"passes", "codegen"},
    "codegen/cpu": _COMPILER | {"passes", "codegen", "math"},
    "codegen/library": _COMPILER | {"passes", "codegen/ptx", "codegen/cpu"},
    "math": {"support"},
    "device": {"support", "types", "border"},
    "device/cpu": {"support", "types", "border", "device", "math"},
    "device/cuda": {"support", "types", "border", "device"},
    "memory": {"support", "types", "border", "device"},
    "interop": {"support", "types", "border", "device", "memory"},
    "launch": _RUNTIME,
    "capi": _RUNTIME | {"launch"},
    **{room: _PYTHON | set(_ROOMS[:below]) for below, room in enumerate(_ROOMS)},
    "python": _PYTHON | set(_ROOMS),
}

# The one file of src/launch that knows which kinds of devices there are.
OPENS_DEVICES = {"src/launch/open_devices.cpp": {"device/cpu", "device/cuda"}}

GETENV = {
    "src/support/settings.cpp": "the one table of environment variables",
}

PYTHON_ENVIRONMENT: dict[str, str] = {}

DLOPEN = {
    "src/launch/runtime.cpp": "opens libtreadle-compiler.so at the first compile",
    "src/device/cuda/driver_table.cpp": "opens the CUDA driver, at the first use of a device",
    "src/math/routine_address.cpp": "opens libsleef and libmvec at the first kernel that needs them",
}

# Files of src/python whose handlers may throw: the exception leaves no function that Python calls.
THROWING_HANDLERS = {
    "src/python/host/errors.cpp": "raisePython, the one caller of these handlers, catches whatever they throw",
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
    "src/codegen/cpu/cpu_kernel.cpp:loop": "bounds, step, name and body of a loop",
    "src/codegen/cpu/warp_memory.cpp:Access": "a constructor that only stores them",
    "src/passes/liveness.cpp:walkLoop": "a loop's parts, what is live, and what runs before each round",
    "python/treadle/compiling.py:compile": _NUMBA,
    "python/treadle/compiling.py:compile_all": _NUMBA,
    "python/treadle/compiling.py:compile_ptx": _NUMBA,
    "python/treadle/devicearray.py:_device_array": _NUMBA,
    "python/treadle/cuda/cudadrv/modules.py:launch_kernel": _NUMBA,
    "python/treadle/devices.py:get_max_potential_block_size": _NUMBA,
    "python/treadle/jit.py:configure": "the items between the brackets of a launch",
    "python/treadle/host_memory.py:managed_array": _NUMBA,
    "python/treadle/host_memory.py:mapped_array": _NUMBA,
    "python/treadle/ipc.py:__init__": _NUMBA,
    "python/treadle/ipc.py:open_ipc_array": _NUMBA,
    "python/treadle/memory_pointers.py:__init__": _NUMBA,
    "python/treadle/reduction.py:__call__": _NUMBA,
    "python/treadle/forall.py:__init__": "what forall() got, stored as it is",
}
