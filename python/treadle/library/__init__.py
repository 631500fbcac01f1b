"""The part of the kernel library that is written in CUDA Python: maps the compiler's keys to functions.

The compiler asks for keys that its own table of builtins does not have: "math.ldexp", "numpy.sum", "array.sum" for a
method of arrays, "divmod" for a function of Python. The functions are compiled as device functions, under the number
rules of their caller; a mistake in one is reported as a mistake of the call.
"""

import importlib

# The modules that provide the keys with a prefix; "" for Python's builtins.
_MODULES = {
    "": ("python_functions",),
    "cmath": ("complex_functions",),
    "math": ("math_functions", "integer_functions", "python_functions"),
    "number": ("number_functions",),
    "numpy": (
        "math_functions",
        "integer_functions",
        "complex_functions",
        "numpy_arrays",
        "numpy_axes",
        "numpy_nan_functions",
        "numpy_numbers",
        "times",
        "numpy_choices",
        "numpy_floats",
    ),
    "array": ("numpy_arrays", "numpy_axes"),
    "computed": ("numpy_arrays", "numpy_axes", "numpy_nan_functions"),
    "operator": ("numpy_arrays", "assignments"),
    "time": ("times",),
    "cuda.fp16": ("half_functions",),
}
_SHOWN = {"numpy": "np", "computed": "np", "array": "the array's method"}
# The NumPy functions of implementations with other names.
_CALLED = {"computed.taken": "take", "computed.taken_row": "take", "computed.taken_rows": "take"}
_CALLED |= {"computed.pick": "take", "computed.converted": "astype", "computed.copied": "copy"}
_CALLED |= {"computed.flat": "ravel", "computed.zero": "imag"}


class LibraryFunction:
    """A function of the library, as seen by the compiler."""

    __treadle_options__: dict = {}

    def __init__(self, key, function, options):
        prefix, _, name = key.rpartition(".")
        name = _CALLED.get(key, name)
        shown = _SHOWN.get(prefix, prefix)
        self.py_func = function
        self.__treadle_options__ = {
            "library": f"{shown}{' ' if ' ' in shown else '.' if shown else ''}{name}()",
            **options,
        }


_functions: dict[str, LibraryFunction] = {}


def provides(*keys, elementwise=False, into=""):
    """Registers a function for these keys. With `elementwise`, the compiler applies it to elements of arrays.

    `into` names the array parameter in which it stores its result. If it reads one other array, it reads each element
    before it stores the one at the same place, and both may be the same array; if it reads several, in any order, they
    must not share memory with it. The compiler refuses calls where it sees that this does not hold.
    """

    def provide(function):
        for key in keys:
            _functions[key] = LibraryFunction(key, function, {"elementwise": elementwise, "into": into})
        return function

    return provide


def function_for(key):
    """The LibraryFunction for a key, or None."""
    for module in _MODULES.get(key.rpartition(".")[0], ()):
        importlib.import_module(f"treadle.library.{module}")
    return _functions.get(key)
