"""`inspect.signature` works on everything public that can be called, and gives what calls take.

Judged: a signature exists for every public function, class, type object and method of Treadle's own, and for kernels
and launches; those of the extension module's functions are what these functions accept.
"""

import ctypes
import inspect

import numpy as np
import pytest
import treadle
import treadle.cuda
import treadle.devices.modules
import treadle.errors
from treadle import cuda, float32, void


def public_callables():
    """(name, callable) of the public modules and their classes; a module each once."""
    seen, modules = set(), [("treadle", treadle)]
    while modules:
        path, module = modules.pop()
        if module.__name__ in seen:
            continue
        seen.add(module.__name__)
        for name in dir(module):
            thing = getattr(module, name)
            if name.startswith("_") or isinstance(thing, type(ctypes.c_int)):
                continue
            if inspect.ismodule(thing):
                modules += [(f"{path}.{name}", thing)] if thing.__name__.startswith("treadle") else []
            elif callable(thing):
                yield f"{path}.{name}", thing
                yield from methods_of(f"{path}.{name}", thing)


def methods_of(path, thing):
    """Those of a class of Treadle: not what it has from Python's classes."""
    if not inspect.isclass(thing) or not thing.__module__.startswith("treadle"):
        return
    for name in dir(thing):
        if not name.startswith("_") and not hasattr(Exception, name) and callable(getattr(thing, name)):
            yield f"{path}.{name}", getattr(thing, name)


def test_all_public_callables_have_signatures():
    found, without = 0, []
    for name, thing in public_callables():
        found += 1
        try:
            inspect.signature(thing)
        except (TypeError, ValueError) as error:
            without.append(f"{name}: {error}")
    assert found > 500
    assert not without, without


@pytest.mark.parametrize(
    "thing, signature",
    [
        (cuda.device_array, "(shape, dtype='float64', strides=None, order='C', stream=0)"),
        (cuda.as_cuda_array, "(obj, sync=True)"),
        (cuda.from_cuda_array_interface, "(desc, owner=None, sync=True)"),
        (cuda.is_cuda_array, "(obj, /)"),
        (float32, "(*values)"),
        (treadle.types.Signature, "(args, return_type=None)"),
        (treadle.errors.TypingError, "(*args)"),
        (treadle.errors.KernelRuntimeError, "(msg, tid=None, ctaid=None)"),
        (treadle.errors.DeviceLost, "(code, msg)"),
    ],
)
def test_signatures(thing, signature):
    assert str(inspect.signature(thing)) == signature


def test_launches_have_the_signature_of_their_kernel():
    @cuda.jit
    def scale(x, factor=2):
        x[0] *= factor

    launch = scale[1, 1]
    assert str(inspect.signature(launch)) == str(inspect.signature(scale)) == "(x, factor=2)"
    assert str(inspect.signature(launch.bind)) == "(*args)"


def test_what_signatures_say_is_taken():
    shown = cuda.device_array((2, 3), dtype="float64", strides=None, order="C", stream=0)
    assert shown.is_c_contiguous() and shown.dtype == np.float64
    assert cuda.as_cuda_array(obj=shown, sync=False) is shown
    description = shown.__cuda_array_interface__
    assert cuda.from_cuda_array_interface(desc=description, owner=shown, sync=True).shape == (2, 3)
    assert cuda.is_cuda_array(shown) and not cuda.is_cuda_array(1)
    assert treadle.types.Signature(args=(float32,), return_type=void) == void(float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cuda.as_cuda_array(),
        lambda: cuda.as_cuda_array(1),
        lambda: cuda.as_cuda_array(np.zeros(1), sync="no"),
        lambda: cuda.as_cuda_array(np.zeros(1), wait=True),
        lambda: cuda.from_cuda_array_interface([]),
        lambda: cuda.from_cuda_array_interface({}, None, 1),
        lambda: cuda.is_cuda_array(),
    ],
)
def test_other_arguments_are_refused(call):
    with pytest.raises(TypeError):
        call()
