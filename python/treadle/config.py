"""Settings as attributes, under the names of `numba.core.config`: reading one gives what holds, writing one changes it
for this process, from the next use on.

    from treadle import config
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0

An attribute is called as Numba's variable without `NUMBA_` (docs/settings.md), or as Treadle's without `TREADLE_` where
Numba has none; four have other names in Numba (`CUDA_DEALLOCS_COUNT`, `CUDA_DEALLOCS_RATIO`, `CUDA_DEBUGINFO_DEFAULT`,
`NUMBA_NUM_THREADS`). What a program writes counts before the environment, and this before the file
`.numba_config.yaml` of the working directory, which is read when `treadle.cuda` is imported. None, written, means: as
the environment says. Other attributes that Numba has can be read and written, without effect; of those in `REASONS` a
NumbaWarning says so, where something other than the default is written. AttributeError for names
that Numba has not, ValueError for values that a setting cannot have.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

from treadle import _core

FILE = ".numba_config.yaml"

_OTHER_NAMES = {
    "NUMBA_CUDA_DEBUGINFO": "CUDA_DEBUGINFO_DEFAULT",
    "NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT": "CUDA_DEALLOCS_COUNT",
    "NUMBA_CUDA_MAX_PENDING_DEALLOCS_RATIO": "CUDA_DEALLOCS_RATIO",
    "NUMBA_NUM_THREADS": "NUMBA_NUM_THREADS",
}

# Treadle's variable of each attribute with an effect.
_VARIABLES = {
    _OTHER_NAMES.get(name, name.removeprefix("NUMBA_").removeprefix("TREADLE_")): variable
    for name, variable in _core.setting_names().items()
}

# Numba's other settings, with its defaults. Nothing in Treadle reads them.
_WITHOUT_EFFECT = {
    "ALWAYS_WARN_UNINIT_VAR": 0, "ANNOTATE": 0, "BOUNDSCHECK": None, "CAPTURED_ERRORS": "new_style",
    "CHROME_TRACE": "", "COLOR_SCHEME": "no_color", "CUDA_INCLUDE_PATH": "",
    "CUDA_USE_NVIDIA_BINDING": 0,
    "CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY": 0, "CUDA_NVRTC_EXTRA_SEARCH_PATHS": "",
    "DEBUG": 0, "DEBUGINFO_DEFAULT": 0, "DEBUG_ARRAY_OPT": 0, "DEBUG_ARRAY_OPT_RUNTIME": 0,
    "DEBUG_ARRAY_OPT_STATS": 0, "DEBUG_FRONTEND": 0, "DEBUG_INLINE_CLOSURE": 0, "DEBUG_JIT": 0,
    "DEBUG_NRT": 0, "DEBUG_PRINT_AFTER": "none", "DEBUG_PRINT_BEFORE": "none", "DEBUG_PRINT_WRAP": "none",
    "DEBUG_TYPEINFER": 0, "DEVELOPER_MODE": 0, "DIFF_IR": 0, "DISABLE_INTEL_SVML": 0, "DISABLE_JIT": 0,
    "DUMP_BYTECODE": 0, "DUMP_CFG": 0, "DUMP_FUNC_OPT": 0, "DUMP_SSA": 0, "ENABLE_AVX": 1, "ENABLE_PROFILING": 0,
    "ENABLE_SYS_MONITORING": 0, "EXTEND_VARIABLE_LIFETIMES": 0, "FULL_TRACEBACKS": 0, "FUNCTION_CACHE_SIZE": 128,
    "GDB_BINARY": "gdb", "HIGHLIGHT_DUMPS": 0, "HTML": None, "JIT_COVERAGE": 0, "LLVM_PASS_TIMINGS": 0,
    "LLVM_REFPRUNE_FLAGS": "all", "LLVM_REFPRUNE_PASS": 1, "LOOP_VECTORIZE": 1, "NRT_STATS": 0,
    "PARALLEL_DIAGNOSTICS": 0, "PARFOR_MAX_TUPLE_SIZE": 100, "SHOW_HELP": 0, "SLP_VECTORIZE": 0,
    "THREADING_LAYER": "default", "THREADING_LAYER_PRIORITY": ["tbb", "omp", "workqueue"], "TRACE": 0,
    "USE_LEGACY_TYPE_SYSTEM": 1, "USE_LLVMLITE_MEMORY_MANAGER": None, "USE_RVSDG_FRONTEND": 0, "WARNINGS": 0,
}  # fmt: skip

# Variables without `NUMBA_` that programs for CUDA devices may set, and why they have no effect.
REASONS = {
    "CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY": "the driver compiles PTX of its own version, and nothing is linked",
    "CUDA_INCLUDE_PATH": "no CUDA C++ is compiled",
    "CUDA_MLIR_DISABLE_LTO_OPT": "nothing is optimised when code is linked",
    "CUDA_MLIR_DUMP_NVVM": "TREADLE_DUMP writes all that the compiler is given",
    "CUDA_MLIR_ICE_FULL_TB": "tracebacks are never shortened",
    "CUDA_MLIR_OLD_DISPATCHER_RETAIN_LIMIT": "no dispatcher is ever replaced by another",
    "CUDA_MLIR_TEST_BIN_DIR": "no test needs it",
    "CUDA_NVRTC_EXTRA_SEARCH_PATHS": "no CUDA C++ is compiled",
    "CUDA_USE_NVIDIA_BINDING": "the driver is called without a library in between",
    "DEVELOPER_MODE": "tracebacks are never shortened",
    "DISABLE_JIT": "Numba ignores it under cuda.jit, too; NUMBA_ENABLE_CUDASIM and the CPU device are for debugging",
    "FULL_TRACEBACKS": "tracebacks are never shortened",
    "NRT_STATS": "kernels allocate no memory that could be counted",
}

_CAPABILITIES = {"FORCE_CUDA_CC": None, "CUDA_DEFAULT_PTX_CC": (9, 0)}
_UNSET_IS_NONE = ("CPU_NAME", "CPU_FEATURES")


def _read(name):
    found = _core.setting(_VARIABLES[name])
    if name in _CAPABILITIES:
        return tuple(map(int, found.split("."))) if found else _CAPABILITIES[name]
    if name == "OPT":
        return 3 if found == "max" else int(found)
    return None if found == "" and name in _UNSET_IS_NONE else found


def _text(name, value):
    if value is None:
        return ""
    if name in _CAPABILITIES and isinstance(value, (tuple, list)):
        return ".".join(map(str, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _write(name, value):
    variable = _VARIABLES[name]
    text, before = _text(name, value), _core.setting(variable)
    _core.set_setting(variable, text)
    try:
        _read(name)
    except ValueError:
        _core.set_setting(variable, str(before))
        raise ValueError(f"config.{name} cannot be {value!r}") from None


class _Config(ModuleType):
    """The module: the attributes are properties, in effect."""

    def __getattr__(self, name):
        if name in _VARIABLES:
            return _read(name)
        if name in _WITHOUT_EFFECT:
            return _WITHOUT_EFFECT[name]
        raise AttributeError(f"there is no setting {name!r}: docs/settings.md of Treadle lists them", name=name)

    def __setattr__(self, name, value):
        if name in _VARIABLES:
            _write(name, value)
        elif name in _WITHOUT_EFFECT:
            if name in REASONS and value != _WITHOUT_EFFECT[name]:
                _warn_without_effect(name)
            super().__setattr__(name, value)
        elif name in vars(self) or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f"there is no setting {name!r}: docs/settings.md of Treadle lists them", name=name)

    def __dir__(self):
        return sorted({*vars(self), *_VARIABLES, *_WITHOUT_EFFECT})


def _warn_without_effect(name):
    from warnings import warn

    from treadle.errors import NumbaWarning

    warn(f"config.{name} has no effect: {REASONS[name]}", NumbaWarning, stacklevel=3)


def has_effect(name):
    """Whether an attribute of this name is a Treadle setting."""
    return name in _VARIABLES


def reload_config():
    """Reads `.numba_config.yaml` of the working directory again. The environment is read whenever it matters anyway.

    The file may name libraries to load: if another user may have written it, a warning says so, and its settings are
    ignored.
    """
    values = _contents(FILE) if os.path.isfile(FILE) else {}
    known = {variable: variable for variable in _VARIABLES.values()} | _core.setting_names()
    given = {}
    for key, value in values.items():
        given.update({known[name]: value for prefix in ("NUMBA_", "TREADLE_")
                      if (name := prefix + str(key).upper()) in known})  # fmt: skip
    for name, variable in _VARIABLES.items():
        _core.set_setting(variable, _text(name, given.get(variable)), is_from_file=True)


def _contents(path):
    """A dict; empty, with a warning, if it cannot be read."""
    from warnings import warn

    try:
        yaml = import_module("yaml")
    except ImportError:
        warn(f"{path} is there, but PyYAML is not: install it (pip install pyyaml), or set variables", stacklevel=3)
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            trouble = _core.why_not_trusted(file.fileno(), path) or _trouble_of_folder()
            found = None if trouble else yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        warn(f"{path} cannot be read, so its settings do not hold: {error}", stacklevel=3)
        return {}
    if trouble:
        warn(f"{path} is not read, so its settings do not hold: {trouble}", stacklevel=3)
    if found is None or isinstance(found, dict):
        return found or {}
    warn(f"{path} must have lines such as 'cuda_low_occupancy_warnings: 0', found {found!r}", stacklevel=3)
    return {}


def _trouble_of_folder():
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _core.why_not_trusted(folder, os.getcwd())
    finally:
        os.close(folder)


sys.modules[__name__].__class__ = _Config
