"""Who may include whom, and the exceptions to the rules of test_layout.py, each with its reason."""

_TREE = {"support", "types", "syntax"}
_COMPILER = _TREE | {"builtins", "infer", "typed"}
_RUNTIME = {"support", "types", "device", "memory", "interop"}

# Each folder of src/ and the folders it may include besides itself.
MAY_INCLUDE = {
    "support": set(),
    "types": {"support"},
    "syntax": {"support", "types"},
    "builtins": {"support", "types"},
    "typed": {"support", "types", "builtins"},
    "infer": _COMPILER,
    "passes": _COMPILER,
    "codegen": _COMPILER | {"passes"},
    "codegen/ptx": _COMPILER | {"passes", "codegen"},
    "codegen/cpu": _COMPILER | {"passes", "codegen"},
    "device": {"support", "types"},
    "device/cpu": {"support", "types", "device"},
    "device/cuda": {"support", "types", "device"},
    "memory": {"support", "types", "device"},
    "interop": {"support", "types", "device", "memory"},
    "launch": _RUNTIME | {"device/cpu", "device/cuda"},
    "capi": _RUNTIME | {"launch"},
    "python": _RUNTIME | {"launch", "capi", "syntax", "device/cpu", "device/cuda"},
}

# The contracts between the two libraries: plain data and abstract classes that both halves see.
BORDER_HEADERS = {
    "launch/image.h": "what the compiler makes and devices load",
    "launch/compiler.h": "the door between the two libraries",
    "infer/name_resolver.h": "what inference asks Python",
    "device/cpu/kernel_abi.h": "how generated CPU code is called",
}

GETENV = {
    "src/support/settings.cpp": "the one table of environment variables",
}

PYTHON_ENVIRONMENT: dict[str, str] = {}

DLOPEN = {
    "src/launch/runtime.cpp": "opens libtreadle-compiler.so at the first compile",
    "src/codegen/cpu/vector_math.cpp": "opens libsleef and libmvec at the first kernel that needs them",
}

LONG_FILES: dict[str, str] = {}

# "file:function": reason.
LONG_FUNCTIONS: dict[str, str] = {}

MANY_PARAMETERS: dict[str, str] = {}
