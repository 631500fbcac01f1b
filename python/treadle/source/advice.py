"""Message texts about objects that kernels cannot use."""

import difflib
import random
import sys
from types import BuiltinMethodType, MethodType, ModuleType

from treadle import absent

# By the names of functions in treadle.cuda.
_INSTEAD = {
    "synchronize": "in a kernel, cuda.syncthreads() waits for the threads of the block; the host waits for kernels",
    "device_array": "in a kernel, cuda.local.array and cuda.shared.array make arrays",
    "device_array_like": "in a kernel, np.empty_like, cuda.local.array and cuda.shared.array make arrays",
    "to_device": "copy the array in front of the launch, and pass the copy to the kernel",
    "stream": "the stream of a launch is the third item of its brackets: kernel[grid, block, stream]",
}
_IN_FRONT = "call it in front of the launch, and pass what it gives to the kernel"
_RANDOM = (
    "cuda.random has the random numbers of kernels: xoroshiro128p_uniform_float32(states, i), and "
    "create_xoroshiro128p_states on the host for the states"
)


def on(thing, attribute):
    """(message, remedy), either of which may be "": for an object that kernels cannot call, or a missing attribute."""
    if attribute:
        return "", _on_attribute(thing, attribute)
    if _is_random(thing):
        return "is not a function of kernels", _RANDOM
    module = getattr(thing, "__module__", None) or ""
    name = getattr(thing, "__name__", "")
    if isinstance(module, str) and module.partition(".")[0] == "treadle" and not isinstance(thing, (type, ModuleType)):
        return "belongs to the host: kernels cannot call it", _INSTEAD.get(name, _IN_FRONT)
    if isinstance(thing, MethodType):
        return (
            "is a method of a Python object, and kernels can only call device functions",
            "write a device function, under @cuda.jit(device=True), that takes what the method reads as arguments",
        )
    return "", ""


def _is_random(thing):
    owner = getattr(thing, "__self__", None) if isinstance(thing, (BuiltinMethodType, MethodType)) else None
    numpy_random = sys.modules.get("numpy.random")
    known = (
        (random.Random,) if numpy_random is None else (random.Random, numpy_random.RandomState, numpy_random.Generator)
    )
    return isinstance(owner, known)


def _on_attribute(thing, attribute):
    if isinstance(thing, ModuleType) and thing.__name__.partition(".")[0] == "treadle":
        instead = absent.advice(f"numba.{thing.__name__.removeprefix('treadle.')}.{attribute}")
        if instead is not None:
            return f"use {instead}"
    close = difflib.get_close_matches(attribute, [name for name in dir(thing) if not name.startswith("_")], 1)
    return f"did you mean '{close[0]}'?" if close else ""
