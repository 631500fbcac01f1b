"""`vectorize`: a function of scalars as a function of whole arrays, on the device."""

import numpy

from treadle import _core
from treadle.typing.conversion import dtype_of
from treadle.typing.signatures import signature_from
from treadle.ufuncs import elementwise, operands
from treadle.ufuncs.loops import Loop, device_function
from treadle.ufuncs.options import checked_options, function_of, required_function
from treadle.ufuncs.quick import QuickCalls

_WEAK = {bool: numpy.dtype(bool), int: numpy.dtype("int64"), float: numpy.dtype("f8"), complex: numpy.dtype("c16")}
_KINDS = {bool: "?biufc", int: "iufc", float: "fc", complex: "c"}


def is_weak(value):
    """True for Python's own numbers."""
    return type(value) in _WEAK


def fits(value, dtype):
    """Whether an operand may enter a loop of this dtype: by a cast that loses nothing, or a Python number of its
    kind."""
    kinds = _KINDS.get(type(value))
    if kinds is not None:
        return dtype.kind in kinds or dtype.kind == "b" and "?" in kinds
    return numpy.can_cast(value.dtype, dtype, "safe")


def dtypes_of(inputs):
    """The dtypes of operands, as NumPy 2 has them: Python's numbers take the type of the numbers beside them, or one
    of their kind as wide; on their own they are int64, float64 and complex128."""
    beside = [value.dtype for value in inputs if not is_weak(value) and value.dtype.kind in "?biufc"]
    return tuple(
        value.dtype
        if not is_weak(value)
        else numpy.result_type(*beside, type(value)(0))
        if beside and type(value) is not bool
        else _WEAK[type(value)]
        for value in inputs
    )


def chosen(given, inputs):
    """The first signature whose dtypes the operands have, or else to which all can be cast without loss; None if there
    is none. `given`: (dtypes, what they are of)."""
    if all(map(is_weak, inputs)):
        # Nothing determines their width.
        inputs = [dtype.type(value) for value, dtype in zip(inputs, dtypes_of(inputs), strict=True)]
    fitting = [(dtypes, found) for dtypes, found in given if all(map(fits, inputs, dtypes))]
    for dtypes, found in fitting:
        if all(is_weak(value) or value.dtype == dtype for value, dtype in zip(inputs, dtypes, strict=False)):
            return found
    return fitting[0][1] if fitting else None


class VectorizedFunction:
    """A Python function over whole arrays: what those made by `vectorize` and `guvectorize` have in common."""

    nin: int
    nout: int
    # Set as by functools.update_wrapper.
    __name__: str
    __qualname__: str

    def __init__(self, function, options):
        self.py_func = self.__wrapped__ = function
        self.options = options
        self.identity = options.identity
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(self, name, getattr(function, name, None))
        self.is_fixed = False
        self._of_calls = {}  # what was compiled for the types of a call

    def __reduce__(self):
        return self.__qualname__

    @property
    def nargs(self):
        """The number of operands and results."""
        return self.nin + self.nout

    @property
    def types(self):
        """The signatures as in NumPy's `ufunc.types`, such as "ff->f"."""
        raise NotImplementedError

    @property
    def ntypes(self):
        """How many signatures there are."""
        return len(self.types)

    # Numba's way to create one by hand: vectorizer = Vectorize(f); vectorizer.add(signature); vectorizer.build_ufunc().

    def disable_compile(self):
        """From now on the present signatures are the only ones."""
        self.is_fixed = True

    def build_ufunc(self):
        """The function itself."""
        return self


class CUDAUFuncDispatcher(VectorizedFunction):
    """A function of elements over whole arrays, made by `vectorize`.

    Called with arrays of the host or the device, numbers and lists, which are broadcast as by NumPy; `out=` is an array
    for the result, or a tuple of one; `where=` a bool array of the elements to compute; `casting=` NumPy's rule for
    the conversion to `out`; `stream=` what the work is queued on. The result is a device array if any of them is one,
    otherwise a NumPy array, or a NumPy scalar without axes. Raises TypeError for operands that no signature takes and
    for a result that cannot be cast to `out`, ValueError for shapes that do not broadcast.

    The loop is that of the signature with the types of the operands, or else of the first to which all can be cast
    without loss. Without signatures, one is compiled for each new combination of types.
    """

    nout = 1
    signature = None

    def __init__(self, function, options):
        self.nin = function.__code__.co_argcount
        if self.nin == 0:
            raise ValueError(f"{function.__name__} takes no parameters: a function of elements takes one or more")
        super().__init__(function, options)
        self.loops = []
        self._core = None
        self.max_blocksize = 1024

    def __repr__(self):
        return f"<ufunc {self.__name__!r}>"

    @property
    def types(self):
        """The signatures as in NumPy's `ufunc.types`, such as "ff->f"."""
        return [loop.characters for loop in self.loops]

    @property
    def functions(self):
        """The signatures as dtypes: {tuple of operands: result}."""
        return {loop.inputs: loop.outputs[0] for loop in self.loops}

    @property
    def max_blocksize(self):
        """The most threads that a block of its launches has."""
        return self._max_blocksize

    @max_blocksize.setter
    def max_blocksize(self, threads):
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ValueError(f"max_blocksize must be an int from 1 on, found {threads!r}")
        self._max_blocksize = min(threads, 1024)
        self._quick = QuickCalls()

    @max_blocksize.deleter
    def max_blocksize(self):
        self.max_blocksize = 1024

    def add(self, sig):
        """Adds the loop of a signature, whose result is inferred if it names none. TypeError and ValueError for an
        invalid signature of this function, CompileError if the function cannot be compiled for it."""
        signature = signature_from(sig)
        if len(signature.args) != self.nin:
            raise TypeError(
                f"{self.__name__} takes {self.nin} parameters, and its signature {signature} has {len(signature.args)}"
            )
        loop = self._loop(signature.args, signature.return_type)
        self._quick = QuickCalls()
        self.loops = [*(known for known in self.loops if known.inputs != loop.inputs), loop]
        return loop

    def _loop(self, arguments, result):
        for type_ in (*arguments, result):
            if not (type_ is None or type_._is_number or operands.is_time(type_)):
                raise TypeError(f"{self.__name__}: a signature of a ufunc is made of numbers and dates, found {type_}")
        if self._core is None:
            self._core = device_function(self.py_func)
        # Compiled even if the result is given: mistakes are reported at the signature.
        inferred = self._core.compile_device(arguments).signature.return_type
        if not (inferred._is_number or operands.is_time(inferred)):
            raise TypeError(f"{self.__name__}: a function of elements returns a number or date, found {inferred}")
        dtypes = tuple(dtype_of(type_) for type_ in arguments)
        return Loop(self.__name__, self._core, (dtypes, (dtype_of(result or inferred),)), self.options.for_kernels)

    def loop_for(self, inputs):
        """The loop that takes these operands."""
        dtypes = dtypes_of(inputs)
        if dtypes in self._of_calls:
            return self._of_calls[dtypes]
        of_signatures = [(loop.inputs, loop) for loop in self.loops if loop.inputs not in self._of_calls]
        found = chosen(of_signatures, inputs)
        if found is not None:
            return found
        for dtype in dtypes:
            operands.check_dtype(dtype, self.__name__, times=True)
        if not self.is_fixed:
            self._of_calls[dtypes] = self.add(tuple(map(_core.element_type, dtypes)))
            return self._of_calls[dtypes]
        raise TypeError(
            f"{self.__name__}: no signature takes operands of types {', '.join(map(str, dtypes))}: it has "
            + ", ".join(self.types)
        )

    def __call__(self, *args, out=None, **kwargs):
        if not kwargs:
            if out is None:
                call = self._quick.find(args)
                if call is not None:
                    return call(args)
            else:
                call = self._quick.find_with_out((*args, out))
                if call is not None:
                    return call((*args, out))
        return self._call(args, out=out, **kwargs)

    def _call(self, args, *, out=None, where=True, casting="same_kind", stream=0, **unknown):
        if unknown:
            raise TypeError(
                f"{self.__name__}() has no keyword {next(iter(unknown))!r}, only out, where, casting and stream"
            )
        inputs, outputs = split_outputs(self, args, out)
        loop = self.loop_for(inputs)
        mask = mask_from(where, self.__name__)
        elementwise.check_casts(loop, inputs, outputs, casting)
        if len(args) == self.nin and mask is None and not stream and casting == "same_kind":
            self._quick.keep(args, outputs[0], (loop, self._max_blocksize))
        return elementwise.run(loop, inputs, outputs, elementwise.How(mask, stream, self._max_blocksize))[0]

    def reduce(self, array, axis=0, **options):
        """`self(self(a[0], a[1]), a[2])...` along `axis`: an int, a tuple, or None for all.

        The order of elements is the device's choice: the function must be associative and commutative.

        `dtype`, `out` and `keepdims` are NumPy's. `initial`, also called `init`, is what the reduction begins with. A
        NumPy array gives a NumPy scalar or array, a device array of one axis a scalar, of more axes a device array.
        Raises ValueError for a function that does not take two operands and, if there is neither `initial` nor an
        `identity`, for an axis of no elements.
        """
        from treadle.ufuncs.reductions import reduce_by_function

        return reduce_by_function(self, array, axis, options)

    def outer(self, A, B, **kwargs):
        """The function of each element of `A` with each element of `B`; the shape is `A.shape + B.shape`."""
        if self.nin != 2:
            raise ValueError(f"{self.__name__}: outer is for functions of two operands, this one has {self.nin}")
        A, B = operands.operand(A, self.__name__), operands.operand(B, self.__name__)
        return self(operands.with_trailing_axes(A, getattr(B, "ndim", 0)), B, **kwargs)


def split_outputs(function, args, out):
    """(operands, outputs) from the arguments of a call; None for an output that is not given."""
    name = function.__name__
    if not function.nin <= len(args) <= function.nin + function.nout:
        raise TypeError(
            f"{name}() takes from {function.nin} to {function.nin + function.nout} positional arguments, {len(args)} "
            "given"
        )
    given = args[function.nin :]
    if given and out is not None:
        raise TypeError(f"{name}(): out is given both by position and by name")
    if out is not None:
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != function.nout:
            raise ValueError(f"{name}(): out must have {function.nout} arrays, found {len(given)}")
    given += (None,) * (function.nout - len(given))
    inputs = [operands.operand(value, name) for value in args[: function.nin]]
    return inputs, [None if value is None else operands.output(value, name) for value in given]


def mask_from(where, name):
    """The array that `where=` means; None if it is True."""
    if where is True:
        return None
    mask = operands.operand(where, name)
    if isinstance(mask, (bool, numpy.bool_)):
        mask = numpy.array(mask)
    if getattr(mask, "dtype", None) != numpy.dtype(bool):
        raise TypeError(f"{name}: where must be a bool or an array of bools, found {where!r}")
    return mask


def vectorize(ftylist_or_function=(), target="cuda", identity=None, **options):
    """Makes a function of scalars a function of whole arrays: bare, `vectorize(signatures)`, `vectorize(**options)`.

    `ftylist_or_function`: the function, or signatures such as "float32(float32, float32)" or float64(float64), one or a
    list; without them the function is compiled by the first call with new types. `identity`: 0, 1, "reorderable" or
    None, what the reduction of no elements gives. `target`: "cuda", "cpu" or "parallel", which all mean the thread's
    device. Options: `nopython`, `cache`, `fastmath` and others of Numba's, see docs/ufuncs.md. Raises KeyError for
    options that Numba does not have, ValueError for another target. Returns a CUDAUFuncDispatcher, or a decorator.

    >>> import numpy
    >>> from treadle import vectorize
    >>> @vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    ... def weighted(x, w):
    ...     return x * w
    >>> weighted(numpy.arange(3, dtype=numpy.float32), numpy.float32(2))
    array([0., 2., 4.], dtype=float32)
    """
    checked = checked_options(KeyError, {"target": target, "identity": identity, **options})
    if callable(ftylist_or_function) and function_of(ftylist_or_function) is not None:
        return CUDAUFuncDispatcher(function_of(ftylist_or_function), checked)
    signatures = signature_list(ftylist_or_function)

    def decorate(function):
        return compiled_for(CUDAUFuncDispatcher(required_function(function, "vectorize"), checked), signatures)

    return decorate


def compiled_for(made, signatures):
    """The function, compiled for these signatures and, if there are any, for no other types."""
    for signature in signatures:
        made.add(signature)
    if signatures:
        made.disable_compile()
    return made


def signature_list(given):
    """The signatures of a decorator: a list of them, or one."""
    if given is None:
        return []
    if isinstance(given, str) or hasattr(type(given), "__treadle_signature__") or isinstance(given, _core.Signature):
        return [given]
    return list(given)


class CUDAVectorize(CUDAUFuncDispatcher):
    """`CUDAVectorize(function)` with `add` and `build_ufunc`: the class that Numba's own `vectorize` creates for
    target="cuda"."""

    def __init__(self, func, identity=None, cache=False, targetoptions=None):
        function = required_function(func, "vectorize")
        options = checked_options(KeyError, {"identity": identity, "cache": cache, **(targetoptions or {})})
        super().__init__(function, options)

    @property
    def pyfunc(self):
        """The Python function."""
        return self.py_func
