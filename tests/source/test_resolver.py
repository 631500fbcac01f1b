"""How names in kernels are resolved: constants, types, builtins, functions and arrays, and where they are found."""

# ruff: noqa: B008, B018, E731, F821
import array
import cmath
import collections
import enum
import math
import operator
import types

import numpy as np
import pytest
from treadle import cuda, errors, intrinsics
from treadle._hooks import called_function, parameter_default, resolve


def asking():
    return value


def meaning(value, path="value"):
    """What a global with that value, or what `path` reaches from it, means to a function."""
    return resolve(types.FunctionType(asking.__code__, {"value": value}), path)


def number(kind, value, literal=True):
    return {"type": kind, "value": value, "literal": literal}


class Dispatcher:
    """The result of another library's decorator."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self):
        raise AssertionError("never called while compiling")


class OwnDispatcher(Dispatcher):
    __treadle_options__ = {"rules": "cuda-python", "never_inline": True, "signatures": [(int, float), (float, float)]}


class Level(enum.IntEnum):
    LOW = 5


class Colour(enum.Enum):
    RED = 1.5


Point = collections.namedtuple("Point", "x y")


# --- finding ---------------------------------------------------------------------------------------------------------

GLOBAL = 3
shadowed = 1


def outer():
    shadowed = 2
    missing_yet: int

    def inner():
        return shadowed, GLOBAL, len, missing_yet, inner, nowhere

    result = resolve(inner, "missing_yet")
    missing_yet = 4
    return inner, result


def test_closure_comes_before_globals_and_builtins():
    inner, before = outer()
    assert before is None
    assert resolve(inner, "missing_yet") == number("int64", 4)
    assert resolve(inner, "shadowed") == number("int64", 2)
    assert resolve(inner, "GLOBAL") == number("int64", 3)
    assert resolve(inner, "len")["text"] == "len"
    assert resolve(inner, "nowhere") is None


def test_globals_are_read_when_asked():
    def function():
        return GLOBAL

    scope = {"__builtins__": {}, "GLOBAL": 1}
    function = types.FunctionType(function.__code__, scope)
    assert resolve(function, "GLOBAL")["value"] == 1
    scope["GLOBAL"] = 2.5
    assert resolve(function, "GLOBAL") == number("float64", 2.5)
    assert resolve(function, "len") is None


def test_globals_hide_builtins():
    function = types.FunctionType((lambda: max).__code__, {"max": 7, "__builtins__": __builtins__})
    assert resolve(function, "max") == number("int64", 7)


def test_xrange_is_a_name_for_range():
    assert resolve(outer, "xrange")["text"] == "xrange"


def test_function_without_a_name_yet_may_call_itself():
    scope = {}
    exec("def f(x):\n    return f(x - 1)", scope)
    function = scope.pop("f")
    assert resolve(function, "f")["type"] == "function f"
    assert called_function(function, "f")["itself"]


def test_dispatcher_and_its_function_are_one_while_they_ask():
    scope = {}
    exec("def f(x):\n    return f(x - 1)", scope)
    function = scope["f"]
    scope["f"] = OwnDispatcher(function)
    assert called_function(function, "f")["itself"]
    assert called_function(scope["f"], "f")["itself"]


# --- constants -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"type": "none"}),
        (..., {"type": "ellipsis"}),
        (True, number("bool", True)),
        (-3, number("int64", -3)),
        (2**63 - 1, number("int64", 2**63 - 1)),
        (-(2**63), number("int64", -(2**63))),
        (2**63, number("uint64", 2**63)),
        (2**64 - 1, number("uint64", 2**64 - 1)),
        (2.5, number("float64", 2.5)),
        (1 - 2j, number("complex128", 1 - 2j)),
        ("é", {"type": "str", "text": "é"}),
        (Level.LOW, number("int64", 5)),
        (np.int8(-3), number("int8", -3, False)),
        (np.uint64(2**64 - 1), number("uint64", 2**64 - 1, False)),
        (np.float32(1.5), number("float32", 1.5, False)),
        (np.float64(1.5), number("float64", 1.5, False)),
        (np.complex64(1j), number("complex64", 1j, False)),
        (np.complex128(1j), number("complex128", 1j, False)),
        (np.bool_(True), number("bool", True, False)),
        (np.str_("text"), {"type": "str", "text": "text"}),
    ],
)
def test_constants(value, expected):
    assert meaning(value) == expected


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_beyond_64_bits(value):
    assert meaning(value) == {"type": "object int beyond 64 bits"}


def test_tuples():
    assert meaning(()) == {"type": "Tuple()", "items": []}
    assert meaning((1, np.float32(2)))["items"] == [number("int64", 1), number("float32", 2.0, False)]
    nested = meaning((1, (2.0, "a")))
    assert nested["items"][1]["items"][1] == {"type": "str", "text": "a"}
    point = meaning(Point(1, 2.0))
    assert point["type"] == "Point(int64, float64)"
    assert point["items"] == [number("int64", 1), number("float64", 2.0)]


def test_enumerations():
    assert meaning(Level, "value.LOW") == number("int64", 5)
    assert meaning(Colour, "value.RED")["type"] == "Enum<float64>(Colour)"
    assert meaning(Colour, "value.RED")["items"] == [number("float64", 1.5)]


def test_attributes_of_modules_and_classes_are_read_when_asked():
    settings = types.ModuleType("settings")
    settings.BORDER = 4
    assert meaning(settings)["type"] == "module settings"
    assert meaning(settings, "value.BORDER") == number("int64", 4)
    settings.BORDER = np.arange(2, dtype=np.int8)
    assert meaning(settings, "value.BORDER")["data"] == b"\x00\x01"
    assert meaning(settings, "value.missing") is None

    class Constants:
        WIDTH = 8

    assert meaning(Constants, "value.WIDTH") == number("int64", 8)


def test_errors_of_attributes_pass():
    class Broken:
        @property
        def size(self):
            raise LookupError("broken")

    with pytest.raises(LookupError, match="broken"):
        meaning(Broken(), "value.size")


# --- types -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.float32, "float32"),
        (np.int_, "int64"),
        (np.bool_, "bool"),
        (np.longlong, "int64"),
        (np.complex128, "complex128"),
        (np.dtype("u2"), "uint16"),
        (np.dtype("f8"), "float64"),
        (np.half, "float16"),
    ],
)
def test_numpy_types(value, name):
    assert meaning(value)["names"] == name


@pytest.mark.parametrize("value", [np.datetime64(3, "7s"), np.dtype(">f4"), np.dtype("M8[7s]")])
def test_numpy_types_that_kernels_have_not(value):
    assert meaning(value)["type"].startswith("object ")


@pytest.mark.parametrize("value", [np.integer, np.floating, np.generic, np.ndarray])
def test_numpys_classes_for_isinstance(value):
    assert meaning(value)["text"] == f"numpy.{value.__name__}"


@pytest.mark.parametrize("value", [int, float, bool, complex, range, len, abs, min, print, sorted, list])
def test_pythons_own_functions_and_classes(value):
    assert meaning(value)["text"] == value.__name__


# --- functions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (math.sqrt, "math.sqrt"),
        (math.ceil, "math.ceil"),
        (cmath.sqrt, "cmath.sqrt"),
        (operator.add, "operator.add"),
        (operator.iadd, "operator.iadd"),
        (operator.__mul__, "operator.mul"),
        (operator.not_, "operator.not_"),
        (np.sqrt, "numpy.sqrt"),
        (np.zeros, "numpy.zeros"),
        (intrinsics.grid, "cuda.grid"),
        (intrinsics.threadIdx, "cuda.threadIdx"),
    ],
)
def test_builtins_are_known_by_identity(value, key):
    assert meaning(value)["text"] == key


def test_builtins_are_found_through_modules():
    assert meaning(math, "value.sin")["text"] == "math.sin"
    assert meaning(math, "value.pi") == number("float64", math.pi)
    assert meaning(math, "value.arctan")["text"] == "math.arctan"
    assert meaning(math, "value.nothing") is None
    assert meaning(intrinsics, "value.shared.array")["text"] == "cuda.shared.array"
    assert meaning(intrinsics, "value.atomic.add")["text"] == "cuda.atomic.add"
    assert meaning(intrinsics, "value.atomic.nothing") is None


def helper(x, y=2, *, z=np.float32(3)):
    return x


def test_dispatchers_of_other_libraries():
    function = lambda: callee
    function = types.FunctionType(function.__code__, {"callee": Dispatcher(helper)})
    assert resolve(function, "callee") == {"type": "function helper"}
    called = called_function(function, "callee")
    assert called["rules"] == "numba" and not called["never_inline"] and called["signatures"] == 0
    assert "def helper(x, y=..., *, z=...):" in called["syntax"]


def test_options_of_our_dispatchers():
    function = types.FunctionType((lambda: callee).__code__, {"callee": OwnDispatcher(helper)})
    called = called_function(function, "callee")
    assert (called["rules"], called["force_inline"], called["never_inline"]) == ("cuda-python", False, True)
    assert called["signatures"] == 2


def test_static_methods_are_their_functions():
    assert meaning(staticmethod(Dispatcher(helper))) == {"type": "function helper"}


def test_undecorated_functions_are_named():
    function = types.FunctionType((lambda: helper).__code__, {"helper": helper})
    assert resolve(function, "helper") == {"type": "object helper"}
    assert called_function(function, "helper") == {"undecorated": "helper"}


def test_py_func_must_be_a_function():
    class Odd:
        py_func = 3

    assert meaning(Odd())["type"] == "object Odd"


def test_objects_that_answer_to_every_name():
    class Everything:
        def __getattr__(self, name):
            return 1

    assert meaning(Everything())["type"] == "object Everything"


def test_defaults_of_parameters():
    assert parameter_default(helper, "x") is None
    assert parameter_default(helper, "y") == number("int64", 2)
    assert parameter_default(helper, "z") == number("float32", 3.0, False)
    assert parameter_default(OwnDispatcher(helper), "y") == number("int64", 2)


# --- arrays ----------------------------------------------------------------------------------------------------------


def test_host_arrays_are_copied_in_c_order():
    values = np.arange(6, dtype=np.int16).reshape(2, 3).T
    assert meaning(values) == {
        "type": "readonly array(int16, 2d, C)",
        "shape": [3, 2],
        "strides": [4, 2],
        "data": np.ascontiguousarray(values).tobytes(),
        "pointer": 0,
        "readonly": True,
    }


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16", "longlong"]
)
def test_element_types(dtype):
    values = np.array([0, 1, 2], dtype=dtype)
    found = meaning(values)
    assert found["type"] == f"readonly array({values.dtype.name}, 1d, C)"
    assert found["data"] == values.tobytes()


def test_other_buffers():
    assert meaning(array.array("f", [1, 2]))["type"] == "readonly array(float32, 1d, C)"
    assert meaning(memoryview(b"abc"))["data"] == b"abc"
    assert meaning(bytearray(b"abc"))["type"] == "readonly array(uint8, 1d, C)"


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,) * 8])
def test_shapes(shape):
    found = meaning(np.zeros(shape, np.float32))
    assert found["shape"] == list(shape)
    assert found["type"] == f"readonly array(float32, {len(shape)}d, C)"


def test_negative_strides():
    values = np.arange(4, dtype=np.int32)[::-2]
    found = meaning(values)
    assert found["strides"] == [4] and found["data"] == values.tobytes()


@pytest.mark.parametrize("values", [np.array(["a"], "U300"), np.zeros(2, ">f4"), np.zeros(2, "V8"), np.zeros((1,) * 9)])
def test_arrays_that_kernels_have_not(values):
    assert meaning(values)["type"] == f"object numpy.ndarray of dtype {values.dtype}"


class OnDeviceProperty:
    facts = None

    @property
    def __cuda_array_interface__(self):
        if self.facts is None:
            raise AttributeError("not on the device")
        return self.facts


def on_device(array, **facts):
    result = OnDeviceProperty()
    result.facts = {**array.__cuda_array_interface__, **facts}
    return result


def test_device_memory_of_other_libraries_is_captured_in_place():
    array = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    foreign = on_device(array)
    found = meaning(foreign)
    assert found["type"] == "array(float32, 2d, C)" == meaning(array)["type"]
    assert found["pointer"] == meaning(array)["pointer"] == array.device_ctypes_pointer.value

    @cuda.jit
    def kernel(out):
        out[0] = foreign[1, 2]

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 5
    foreign.facts = None  # looked at when the kernel was compiled
    array[1, 2] = 7
    kernel[1, 1](out)
    assert out[0] == 7


@pytest.mark.parametrize(
    "facts, error",
    [
        ({"data": (16, False)}, BufferError),
        ({"mask": object()}, NotImplementedError),
        ({"shape": 3}, TypeError),
        ({"version": -1}, ValueError),
    ],
)
def test_device_memory_of_other_libraries_that_cannot_be_captured(facts, error):
    with pytest.raises(error):
        meaning(on_device(cuda.to_device(np.zeros(3, np.float32)), **facts))


def test_arrays_that_do_not_fit_in_memory_are_not_captured(is_sanitized):
    if is_sanitized:
        pytest.skip("the sanitizer ends the process when an allocation fails")
    huge = np.broadcast_to(np.float64(1), 1 << 46)

    @cuda.jit
    def kernel(out):
        out[0] = huge[3]

    text = "captured arrays are copied, and the 562949953421312 bytes of this one do not fit in memory: pass it as an"
    with pytest.raises(errors.TypingError, match=text):
        kernel[1, 1](np.zeros(1))


def test_own_device_arrays_are_captured_by_pointer():
    values = cuda.to_device(np.arange(6, dtype=np.int16).reshape(2, 3))
    found = meaning(values)
    assert (found["type"], found["shape"], found["strides"], found["data"]) == (
        "array(int16, 2d, C)",
        [2, 3],
        [6, 2],
        b"",
    )
    assert found["pointer"] != 0


def test_device_memory_of_objects_that_set_the_interface_themselves_is_captured():
    array = cuda.to_device(np.zeros(3, np.int16))

    class OnDevice:
        def __init__(self):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    assert meaning(OnDevice())["pointer"] == array.device_ctypes_pointer.value


def test_tensors_that_are_not_on_the_device():
    assert meaning(OnDeviceProperty())["type"] == "object OnDeviceProperty"


# --- intrinsics on the host ------------------------------------------------------------------------------------------


def test_intrinsics_cannot_be_used_on_the_host():
    with pytest.raises(RuntimeError, match=r"cuda\.grid can only be used in a kernel or device function"):
        intrinsics.grid(1)
    with pytest.raises(RuntimeError, match=r"cuda\.shared\.array can only be used in a kernel"):
        intrinsics.shared.array(3, "f4")
    with pytest.raises(RuntimeError, match=r"cuda\.threadIdx\.x can only be used in a kernel"):
        intrinsics.threadIdx.x
    with pytest.raises(AttributeError, match=r"cuda\.threadIdx has no attribute 'w'"):
        intrinsics.threadIdx.w


def test_intrinsics_are_pickled_by_name():
    import copy
    import pickle

    for value in (intrinsics.grid, intrinsics.blockDim, intrinsics.atomic.add):
        assert pickle.loads(pickle.dumps(value)) is value
        assert copy.deepcopy(value) is value
