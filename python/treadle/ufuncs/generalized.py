"""`guvectorize`: a function of small arrays over whole arrays, on the device."""

import math
import re

import numpy

from treadle import _core, intrinsics
from treadle.kernels.jit import jit
from treadle.typing.conversion import dtype_of
from treadle.typing.signatures import signature_from
from treadle.ufuncs import elementwise, operands, shapes
from treadle.ufuncs.loops import cast_loop, device_function, index_lines, plain_name
from treadle.ufuncs.options import checked_options, required_function
from treadle.ufuncs.vectorized import VectorizedFunction, chosen, compiled_for, dtypes_of, signature_list, split_outputs

_GROUP = re.compile(r"\(([^()]*)\)")
_LAYOUT = re.compile(r"\([^()]*\)(,\([^()]*\))*->\([^()]*\)(,\([^()]*\))*")


def parse_layout(text):
    """(names of the core axes of each operand, those of each result) of a layout such as "(m,n),(n)->(m)". ValueError
    if it is invalid."""
    if not isinstance(text, str):
        raise TypeError(f"the layout is a text such as '(n),()->(n)', found {text!r}")
    plain = re.sub(r"\s", "", text)
    if not _LAYOUT.fullmatch(plain):
        raise ValueError(f"{text!r} is no layout: write it as '(m,n),(n,p)->(m,p)', with () for a number")
    sides = [[tuple(filter(None, group.split(","))) for group in _GROUP.findall(side)] for side in plain.split("->")]
    for names in (*sides[0], *sides[1]):
        for name in names:
            if not name.isidentifier():
                raise ValueError(f"{text!r} is no layout: axes have names, found {name!r}")
    known = {name for names in sides[0] for name in names}
    for names in sides[1]:
        for name in names:
            if name not in known:
                raise ValueError(
                    f"{text!r}: the axis {name!r} of the result is in no operand, so its extent is not known"
                )
    return sides[0], sides[1]


class _Overload:
    """A signature: its dtypes, and of which operands the function takes arrays."""

    def __init__(self, dtypes, is_array):
        self.dtypes = dtypes
        self.is_array = is_array
        self.kernels = {}


class CUDAGeneralizedUFunc(VectorizedFunction):
    """A function of small arrays over whole arrays, made by `guvectorize`.

    Each operand's last axes, as many as the layout gives it, go to one call of the function; the axes before them are
    broadcast, and there is one thread for each of their elements. Called with operands, and arrays for the results
    after them or as `out=`; results that are not given are allocated, uninitialised. `stream=` is what the work is
    queued on. Results are device arrays if any operand is one, otherwise NumPy arrays. Raises ValueError for extents
    that do not match the layout, TypeError for operands that no signature takes.
    """

    def __init__(self, function, layout, options):
        super().__init__(function, options)
        self.signature = layout
        self.inputs, self.outputs = parse_layout(layout)
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        if function.__code__.co_argcount != self.nargs:
            raise ValueError(
                f"{function.__name__} takes {function.__code__.co_argcount} parameters, and its layout {layout!r} has "
                f"{self.nargs} operands and results"
            )
        self._overloads = []
        self._core = device_function(function)

    def __repr__(self):
        return f"<gufunc {self.__name__!r} {self.signature}>"

    @property
    def types(self):
        """The signatures as in NumPy's `ufunc.types`, such as "ff->f"."""
        characters = ["".join(dtype.char for dtype in known.dtypes) for known in self._overloads]
        return [f"{text[: self.nin]}->{text[self.nin :]}" for text in characters]

    def add(self, sig):
        """Adds a signature. TypeError for one that returns something, ValueError for one that does not fit the layout,
        CompileError if the function cannot be compiled for it."""
        signature = signature_from(sig)
        result = signature.return_type
        if result is not None and result.name != "none":
            raise TypeError(
                f"guvectorized functions cannot return values: signature {signature} specifies {result} return type"
            )
        if len(signature.args) != self.nargs:
            raise ValueError(
                f"{self.__name__}: the signature {signature} has {len(signature.args)} types, and the layout "
                f"{self.signature!r} {self.nargs} operands and results"
            )
        names = (*self.inputs, *self.outputs)
        for place, (type_, axes) in enumerate(zip(signature.args, names, strict=True)):
            ndim = type_.ndim if type_._is_array else 0
            if ndim != len(axes) and not (ndim == 1 and not axes):
                raise ValueError(
                    f"{self.__name__}: parameter {place + 1} is {type_} in the signature, and has {len(axes)} axes in "
                    f"the layout {self.signature!r}"
                )
            if place >= self.nin and not type_._is_array:
                raise ValueError(
                    f"{self.__name__}: results are written, so parameter {place + 1} is an array: {type_}[:]"
                )
        self._core.compile_device(signature.args)
        elements = [type_.dtype if type_._is_array else type_ for type_ in signature.args]
        overload = _Overload(tuple(map(dtype_of, elements)), tuple(type_._is_array for type_ in signature.args))
        self._overloads.append(overload)
        return overload

    def _overload_for(self, inputs, outputs):
        given = dtypes_of(inputs)
        wanted = tuple(None if out is None else out.dtype for out in outputs)
        for (before, results), known in self._of_calls.items():
            if before == given and all(one in (None, other) for one, other in zip(wanted, results, strict=True)):
                return known
        of_calls = self._of_calls.values()
        found = chosen([(known.dtypes, known) for known in self._overloads if known not in of_calls], inputs)
        if found is not None:
            return found
        if self.is_fixed:
            raise TypeError(
                f"{self.__name__}: no signature takes operands of types {', '.join(map(str, given))}: it has "
                + ", ".join(self.types)
            )
        if any(out is None for out in outputs):
            raise TypeError(
                f"{self.__name__} has no signature for these operands, so the types of the results are not known: pass "
                "arrays for them, or give signatures"
            )
        types = []
        for place, (dtype, axes) in enumerate(zip((*given, *wanted), (*self.inputs, *self.outputs), strict=True)):
            operands.check_dtype(dtype, self.__name__, times=True)
            element = _core.element_type(dtype)
            is_array = axes or place >= self.nin
            types.append(_core.array_type(element, max(1, len(axes)), "A") if is_array else element)
        self._of_calls[given, wanted] = self.add(tuple(types))
        return self._of_calls[given, wanted]

    def __call__(self, *args, out=None, stream=0, **unknown):
        if unknown:
            raise TypeError(f"{self.__name__}() has no keyword {next(iter(unknown))!r}, only out and stream")
        inputs, outputs = split_outputs(self, args, out)
        overload = self._overload_for(inputs, outputs)
        on_device = any(map(operands.is_device, (*inputs, *outputs)))
        arrays = [
            value if hasattr(value, "strides") and not isinstance(value, numpy.generic) else numpy.asarray(value, dtype)
            for value, dtype in zip(inputs, overload.dtypes, strict=False)
        ]
        extents, loop_shape = self._extents(arrays, outputs)
        arrays = [self._prepared(place, array, overload, stream) for place, array in enumerate(arrays)]
        results = []
        for place, (names, given) in enumerate(zip(self.outputs, outputs, strict=True), self.nin):
            shape = loop_shape + tuple(extents[name] for name in names)
            results.append(self._result(shape, overload.dtypes[place], given, (arrays, on_device, stream)))
        if 0 not in loop_shape:
            self._launch(overload, (*arrays, *results), loop_shape, stream)
        for place in self.options.writable_args:
            if arrays[place] is not inputs[place]:
                inputs[place][...] = arrays[place].copy_to_host(stream=stream)
        delivered = [
            elementwise.delivered(result, given, on_device, stream)
            for result, given in zip(results, outputs, strict=True)
        ]
        return delivered[0] if len(delivered) == 1 else tuple(delivered)

    def _extents(self, arrays, outputs):
        """(extent by the name of each core axis, shape of the axes before them)."""
        extents: dict = {}
        loops = []
        for place, (names, array) in enumerate(zip((*self.inputs, *self.outputs), (*arrays, *outputs), strict=True)):
            if array is None:
                continue
            if len(array.shape) < len(names):
                raise ValueError(
                    f"{self.__name__}: operand {place} has shape {array.shape}, and the layout {self.signature!r} "
                    f"gives it {len(names)} axes"
                )
            split = len(array.shape) - len(names)
            for name, extent in zip(names, array.shape[split:], strict=True):
                if extents.setdefault(name, extent) != extent:
                    raise ValueError(
                        f"{self.__name__}: operand {place} has a mismatch in its core dimension {name!r}: size "
                        f"{extent} is different from {extents[name]}"
                    )
            loops.append(array.shape[:split])
        shape = shapes.broadcast(loops, self.__name__)
        for place, given in enumerate(outputs):
            if given is not None and given.shape[: len(given.shape) - len(self.outputs[place])] != shape:
                raise ValueError(
                    f"{self.__name__}: result {place} has shape {given.shape}, and the operands broadcast to {shape}"
                )
        return extents, shape

    def _prepared(self, place, array, overload, stream):
        """An operand with elements of the signature's type, accessible to kernels."""
        dtype = overload.dtypes[place]
        if array.dtype != dtype:
            if place in self.options.writable_args:
                raise TypeError(f"{self.__name__}: operand {place} is written, so it must be of {dtype}: {array.dtype}")
            array = converted(array, dtype, stream)
        if not operands.is_device(array) and not operands.host_is_visible():
            array = operands.on_device(array, stream)
        return array

    def _result(self, shape, dtype, given, where):
        """The array that the kernel writes: `given`, if it has that dtype and does not overlap the operands."""
        arrays, on_device, stream = where
        if given is not None and given.dtype != dtype and not numpy.can_cast(dtype, given.dtype, "same_kind"):
            raise TypeError(
                f"{self.__name__}: cannot cast the result from {dtype} to {given.dtype} with casting='same_kind'"
            )
        visible = operands.host_is_visible()
        if given is not None and (operands.is_device(given) or visible):
            is_apart = not any(array is given or elementwise.overlaps(array, given) for array in arrays)
            if given.dtype == dtype and is_apart:
                return given
        if visible and not on_device:
            return numpy.empty(shape, dtype)
        return operands.new_array(shape, dtype, stream)

    def _launch(self, overload, arrays, loop_shape, stream):
        names = (*self.inputs, *self.outputs)
        steps = []
        for array, axes in zip(arrays, names, strict=True):
            split = len(array.shape) - len(axes)
            steps.append(shapes.stretched(array.shape[:split], array.strides[:split], loop_shape))
        merged, steps = shapes.coalesced(loop_shape, steps)
        views = []
        for place, (array, axes) in enumerate(zip(arrays, names, strict=True)):
            split = len(array.shape) - len(axes)
            shape, strides = merged + array.shape[split:], steps[place] + array.strides[split:]
            if not axes and overload.is_array[place]:
                shape, strides = (*shape, 1), (*strides, array.itemsize)
            if len(shape) > shapes.MOST_AXES:
                raise ValueError(
                    f"{self.__name__}: kernels take arrays of at most {shapes.MOST_AXES} axes, operand {place} needs "
                    f"{len(shape)}"
                )
            views.append(array if shape == array.shape else operands.strided(array, shape, strides))
        count = math.prod(merged)
        threads = min(128, count)
        self._kernel(overload, len(merged))[-(-count // threads), threads, stream](count, *views)

    def _kernel(self, overload, ndim):
        found = overload.kernels.get(ndim)
        if found is None:
            names = {"cuda": intrinsics, "core": self._core}
            exec(compile(self._text(ndim), f"<gufunc {self.__name__}>", "exec"), names)
            kernel = names[f"gufunc_{plain_name(self.__name__)}"]
            found = overload.kernels[ndim] = jit(kernel, **self.options.for_kernels)
        return found

    def _text(self, ndim):
        parameters = [f"x{place}" for place in range(self.nargs)]
        lines = [
            f"def gufunc_{plain_name(self.__name__)}(count, {', '.join(parameters)}):",
            "    row = cuda.grid(1)",
            "    if row < count:",
        ]
        lines += index_lines(f"x{self.nin}", ndim + 1, 0, " " * 8)
        index = ", ".join(f"i{axis}" for axis in range(ndim))
        lines.append(f"        core({', '.join(f'{name}[{index}]' for name in parameters)})")
        return "\n".join(lines) + "\n"


def converted(array, dtype, stream=0):
    """A host or device array with its elements as another dtype."""
    if not operands.is_device(array):
        return array.astype(dtype)
    return elementwise.run(cast_loop(dtype), [array], [None], elementwise.How(stream=stream))[0]


def guvectorize(ftylist_or_layout, layout=None, **options):
    """Makes a function of small arrays, which writes its results, a function of whole arrays:
    `guvectorize(signatures, layout)`, or `guvectorize(layout)`, which compiles for the types of each call.

    `signatures`: texts such as "void(float32[:], float32, float32[:])", void(...) or tuples of types, one or a list.
    `layout`: which axes each operand and result has, "(m,n),(n)->(m)"; () is a number, which as a result is an array
    of one element. `target`, `identity` and other options as of `vectorize`; `writable_args`: places of operands that
    the function writes, too. Raises TypeError for options that Numba does not have, ValueError for layouts that are
    none, and for another target. Returns a decorator that makes a CUDAGeneralizedUFunc.

    >>> import numpy
    >>> from treadle import guvectorize
    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")
    ... def total(x, out):
    ...     out[0] = 0
    ...     for value in x:
    ...         out[0] += value
    >>> total(numpy.arange(6.0).reshape(2, 3))
    array([ 3., 12.])
    """
    signatures = [] if layout is None else signature_list(ftylist_or_layout)
    layout = ftylist_or_layout if layout is None else layout
    checked = checked_options(TypeError, options)
    parse_layout(layout)

    def decorate(function):
        plain = required_function(function, "guvectorize")
        return compiled_for(CUDAGeneralizedUFunc(plain, layout, checked), signatures)

    return decorate


class CUDAGUFuncVectorize(CUDAGeneralizedUFunc):
    """With `add` and `build_ufunc`: the class that Numba's own `guvectorize` creates for target="cuda"."""

    def __init__(self, func, sig, identity=None, cache=False, **more):
        targetoptions = more.get("targetoptions") or {}
        writable = more.get("writable_args") or ()
        function = required_function(func, "guvectorize")
        given = {"identity": identity, "cache": cache, "writable_args": writable, **targetoptions}
        super().__init__(function, sig, checked_options(TypeError, given))

    @property
    def pyfunc(self):
        """The Python function."""
        return self.py_func
