"""Dispatchers: created by `cuda.jit`, they compile and launch functions."""

from _operator import index

from treadle import _core
from treadle.source.texts import hold
from treadle.types import void
from treadle.typing.signatures import check_kernel_result, signature_from

TYPE_CHECKING = False  # importing typing costs 4 ms
if TYPE_CHECKING:
    from typing import Any


class Dispatcher(_core.Dispatcher):
    """A kernel or device function. `kernel[grid, block](*args)` launches; the first launch with new types compiles.

    `grid` and `block` are ints or tuples of one to three. Further items: the stream (0), the bytes of dynamic shared
    memory (0), and the blocks of a cluster, an int or a tuple that divides the grid: at most 8 on GPUs of compute
    capability 9.0 and above, or 16 where they have room, as on the CPU device. Launching raises TypeError for arguments
    that kernels do not support or no signature accepts, ValueError for invalid configurations, CudaAPIError 720 for a
    grid that is too large to synchronise, and CompileError (TypingError, ...) if the function cannot be compiled.
    """

    specialized = False
    _closed = False  # whether launches are restricted to compiled signatures
    _best_blocks: "Any"  # threads of forall's blocks, by device, argument types and bytes of shared memory
    _waits = False  # restored, but not yet given the objects that it refers to
    _sent: "Any" = None  # the key under which it travels, and the objects that it referred to at that time
    # Set by make_dispatcher, as by functools.update_wrapper.
    __name__: str
    __qualname__: str
    __wrapped__: "Any"
    options: "Any"
    _given: "Any"

    @property
    def __treadle_options__(self):
        inline = self.options.inline
        if callable(inline):  # a cost model; the expression and the caller that Numba passes to it do not exist here
            inline = bool(inline(None, None, self))
        return {
            "rules": self.options.rules,
            "force_inline": inline is True,
            "never_inline": inline is False,
            "signatures": [signature.args for signature in self._given],
        }

    @property
    def extensions(self):
        """The handlers of arguments, in the order given."""
        return list(self.options.extensions)

    def __reduce__(self):
        from treadle.kernels.travel import reduced

        return reduced(self)

    def __setstate__(self, state):
        from treadle.kernels.travel import fill

        fill(self, state)

    def _finish(self, state):
        """The last step of restoring: names, and compilation for explicit signatures."""
        self.specialized = state["specialized"]
        _name(self)
        _compile_given(self, state["given"])
        if state["closed"]:
            self.disable_compile()

    def __repr__(self):
        return f"<{'device function' if self.options.device else 'kernel'} {self.__qualname__}>"

    def configure(self, griddim, blockdim, stream=0, sharedmem=0, cluster=None):
        """The same as `self[griddim, blockdim, stream, sharedmem, cluster]`."""
        return self[griddim, blockdim, stream, sharedmem, cluster]

    def bind(self, griddim, blockdim, stream=0, *args, sharedmem=0):
        """`self[griddim, blockdim, stream, sharedmem]` with arguments, as an object whose calls launch: the cheapest
        launch there is. `bound[i] = value` exchanges an argument for the calls that follow, and is cheap where it has
        the same type. The arguments are kept alive.

        Raises TypeError for wrong arguments, and what the brackets raise. Device arrays and numbers cost least; arrays
        of the host and of other libraries are read at each call.

        >>> import numpy as np
        >>> from treadle import cuda
        >>> @cuda.jit
        ... def copy(to, source):
        ...     i = cuda.grid(1)
        ...     if i < to.size:
        ...         to[i] = source[i]
        >>> x, y = cuda.to_device(np.arange(3.0)), cuda.to_device(np.zeros(3))
        >>> launch = copy.bind(1, 32, 0, y, x)
        >>> launch()
        >>> launch[1] = cuda.to_device(np.ones(3))
        >>> launch()
        >>> y.copy_to_host().tolist()
        [1.0, 1.0, 1.0]
        """
        return self[griddim, blockdim, stream, sharedmem].bind(*args)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launcher with one thread per task, in blocks of `tpb` threads (0: chosen). Does nothing for 0 tasks.

        Raises ValueError for negative numbers, TypeError for values that are not integers.
        """
        from treadle.kernels.forall import ForAll

        return ForAll(self, index(ntasks), index(tpb), stream, sharedmem)

    def _best_block(self, types, sharedmem):
        """The threads of the best block for arguments of these types, or of the signatures that they may be converted
        to: the least that is best for one of them."""
        found = [signature for signature in _core.overloads_of(self) if signature.args == types]
        if not found and not self._closed:
            found = [self.compile(_core.Signature(types, void)).signature]
        found = found or _core.overloads_of(self)
        return min(_core.potential_block(self, signature, (0, sharedmem, 0))[1] for signature in found)

    def specialize(self, *args):
        """A dispatcher fixed to the types of these arguments. Raises RuntimeError if this one is already
        specialised."""
        if self.specialized:
            raise RuntimeError(f"{self.__name__} is already specialized")
        fixed = make_dispatcher(type(self), self.py_func, self.options, [_core.Signature(_core.types_of(*args), void)])
        fixed.specialized = True
        return fixed

    def compile(self, sig):
        """Compiles one signature ahead of a launch and returns its `Overload`."""
        signature = signature_from(sig)
        if not self.options.device:
            check_kernel_result(signature, self.__name__)
            signature = _core.Signature(signature.args, void)
        return _overload(self, _core.compile_overload(self, signature))

    def compile_device(self, args, return_type=None):
        """Infers a device function for these argument types and returns its `Overload`."""
        return _overload(self, _core.compile_overload(self, _core.Signature(tuple(args), return_type)))

    @property
    def stats(self):
        """A named tuple (cache_path, cache_hits, cache_misses): the cache folder, or None, and the numbers of cache
        hits and misses, as {argument types: count}. A signature has one code or more: for different launches, and for
        different devices.

        >>> from treadle import cuda
        >>> @cuda.jit("void(float32[:])", cache=False)
        ... def zero(x):
        ...     x[cuda.grid(1)] = 0
        >>> zero.stats
        CacheStats(cache_path=None, cache_hits={}, cache_misses={(array(float32, 1d, A),): 1})
        """
        from treadle.kernels.statistics import cache_stats

        return cache_stats(self)

    def get_metadata(self, signature=None):
        """The attributes of one signature's compiled code, a dict, or {argument types: dict}.

        Its keys: registers, shared, local, const, context (bytes of each), threads (most of a block; 0: the device's),
        variants (how many kernels were made for different launches).
        """
        if signature is not None:
            return _core.code_attributes(self, self._signature(signature))
        return {found.args: _core.code_attributes(self, found) for found in _core.overloads_of(self)}

    def disable_compile(self, val=True):
        """With `val` true, from now on only signatures that are already compiled can be launched."""
        _core.forbid_new_signatures(self, val)
        self._closed = bool(val)

    def recompile(self):
        """Compiles all signatures again, with the current values of globals and closure variables."""
        self._sent = None
        self._best_blocks.clear()
        signatures = _core.overloads_of(self)
        _core.clear_overloads(self)
        for signature in signatures:
            self.compile(signature)

    @property
    def overloads(self):
        """Compiled variants: {tuple of argument types: Overload}."""
        return {signature.args: _overload(self, signature) for signature in _core.overloads_of(self)}

    @property
    def signatures(self):
        """The compiled tuples of argument types, in the order of their compilation."""
        return [signature.args for signature in _core.overloads_of(self)]

    @property
    def nopython_signatures(self):
        """The same, including the type of the result."""
        return _core.overloads_of(self)

    def _signature(self, given):
        """The compiled signature to use: `given`, or the only one."""
        compiled = _core.overloads_of(self)
        if given is not None:
            wanted = signature_from(given).args
            for signature in compiled:
                if signature.args == wanted:
                    return signature
            raise ValueError(f"{self.__name__} is not compiled for {signature_from(given)}")
        if not compiled:
            raise ValueError(f"{self.__name__} is not compiled yet: launch it, or call compile(signature)")
        if len(compiled) > 1:
            raise ValueError(f"{self.__name__} is compiled for several signatures: give one of {compiled}")
        return compiled[0]

    def inspect(self, stage, signature=None):
        """One stage of the compilation as text.

        `stage`: "syntax", "typed", "types" (of expressions, by line, column, last line and column), "passes" (what each
        did, and its time), "llvm", "optimized", "asm" (machine code for the CPU) or "ptx". `signature`: one of the
        compiled ones; optional if there is just one. Raises ValueError if there is no such stage or signature.
        """
        if stage == "syntax":
            return _core.syntax(self.py_func)
        meant = self._signature(signature)
        return _core.inspect_stage(self, meant, stage, self._ptx_target() if stage == "ptx" else 0)

    def _ptx_target(self):
        return self.options.cc or _core.device_compute_capability(_core.current_device())

    def _inspect_all(self, stage, signature, cc=0):
        if signature is not None:
            return _core.inspect_stage(self, self._signature(signature), stage, cc)
        return {found.args: _core.inspect_stage(self, found, stage, cc) for found in _core.overloads_of(self)}

    def inspect_ptx(self, signature=None):
        """PTX: a string for the given signature, or else {argument types: string}."""
        return self._inspect_all("ptx", signature, self._ptx_target())

    inspect_asm = inspect_ptx

    def inspect_llvm(self, signature=None):
        """The LLVM IR from which the PTX was made, in the form of `inspect_ptx`."""
        return self._inspect_all("llvm", signature, self._ptx_target())

    def _machine_code(self, signature):
        from treadle.kernels.toolkit import machine_code

        target = self._ptx_target()
        return machine_code(_core.inspect_stage(self, signature, "ptx", target), target, self.__name__)

    def _disassembled(self, signature, *options):
        from treadle.kernels.toolkit import disassembled

        if signature is not None or self.specialized:
            return disassembled(self._machine_code(self._signature(signature)), *options)
        return {found.args: disassembled(self._machine_code(found), *options) for found in _core.overloads_of(self)}

    def inspect_sass(self, signature=None):
        """Machine code of the current GPU, or of `cc`, as `nvdisasm -gi` shows it: a string for the given signature, or
        else {argument types: string}.

        nvdisasm is found on PATH, by CUDA_HOME, or in PyPI's nvidia-cuda-nvdisasm; where it is not found, RuntimeError
        says so. The machine code is that of `cuda.compile_cubin`; CudaSupportError where it cannot be made.
        """
        return self._disassembled(signature, "-gi")

    def inspect_sass_cfg(self, signature=None):
        """`inspect_sass`, as a graph of the control flow, in the language of Graphviz: what `nvdisasm -cfg` prints."""
        return self._disassembled(signature, "-cfg")

    def inspect_types(self, file=None):
        """Prints the typed tree of each compiled signature."""
        for signature in _core.overloads_of(self):
            print(f"{self.__name__} {signature}", file=file)
            print("-" * 80, file=file)
            print(_core.inspect_stage(self, signature, "typed"), file=file)

    def report(self, path, signature=None, cc=None):
        """`treadle.report` of this kernel."""
        from treadle.kernels.reporting import report

        report(self, path, signature, cc)

    def save(self, path, signature=None, target="cpu", *, header=None, name=None):
        """Writes the kernel as a file of images, which programs without Python load by `treadle.h` (docs/c-api.md).

        `signature`: one of its signatures or a new one, optional where one is compiled. `target`: what the code is for,
        a text with commas or a list: "cpu", for x86-64-v2, -v3 and -v4; "cpu:native", this machine; "cpu:" and a
        processor as LLVM names it; "sm_80". `header`: the path of a C++ header with a launch function, if one is
        wanted. `name`: what programs ask for, the function's name otherwise. For each target there is code that assumes
        what most launches keep to, and code that assumes nothing.

        Raises TypeError for device functions, ValueError without a signature, for unknown targets, and for kernels that
        other processes cannot run: with captured device arrays, or with exceptions of local classes. CompileError,
        OSError.

        >>> from treadle import cuda
        >>> @cuda.jit
        ... def double(x):
        ...     i = cuda.grid(1)
        ...     if i < x.size:
        ...         x[i] *= 2
        >>> double.save("/tmp/treadle-double.image", "void(float32[::1])", "sm_90,cpu:x86-64-v3")
        """
        from treadle.kernels.saving import save

        save(path, [(name or self.__name__, self, signature)], target, header)

    def _per_signature(self, signature, attribute):
        if signature is not None or self.specialized:
            return getattr(_overload(self, self._signature(signature)), attribute)
        return {found.args: getattr(_overload(self, found), attribute) for found in _core.overloads_of(self)}

    def get_regs_per_thread(self, signature=None):
        """Registers per thread of one signature, or {argument types: registers}."""
        return self._per_signature(signature, "regs_per_thread")

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of static shared memory per block."""
        return self._per_signature(signature, "shared_mem_per_block")

    def get_memory_per_block(self, signature=None):
        """Bytes that the CPU device allocates for a block of 1024 threads; see `Overload.memory_per_block`."""
        return self._per_signature(signature, "memory_per_block")

    @property
    def memory_per_block(self):
        """Bytes that the CPU device allocates for a block of 1024 threads, for the signature that needs most; 0 before
        the first compilation. See `Overload.memory_per_block`.
        """
        found = self._per_signature(None, "memory_per_block")
        return found if isinstance(found, int) else max(found.values(), default=0)

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of local arrays per thread."""
        return self._per_signature(signature, "local_mem_per_thread")

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory."""
        return self._per_signature(signature, "const_mem_size")

    def get_max_threads_per_block(self, signature=None):
        """The largest number of threads that a block may have."""
        return self._per_signature(signature, "max_threads_per_block")


def _overload(dispatcher, signature):
    # Imported when first needed, to keep importing treadle cheap.
    from treadle.kernels.overload import Overload

    return Overload(dispatcher, signature)


def make_dispatcher(kind, function, options, signatures):
    """The dispatcher of a plain function, of that class; compiles the signatures, after which only these can be
    launched."""
    dispatcher = _core.Dispatcher.__new__(
        kind, function, options.rules, options.device, options.core(options.symbol_of(function)),
        options.dumps, options.cache,
    )  # fmt: skip
    hold(function)
    dispatcher.options = options
    dispatcher._best_blocks = {}
    _name(dispatcher)
    _compile_given(dispatcher, signatures)
    return dispatcher


def _name(dispatcher):
    function = dispatcher.py_func
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(dispatcher, name, getattr(function, name, None))
    dispatcher.__wrapped__ = function


def _compile_given(dispatcher, signatures):
    options = dispatcher.options
    dispatcher._given = signatures
    for signature in signatures:
        if not options.device:
            check_kernel_result(signature, dispatcher.__name__)
            signature = _core.Signature(signature.args, void)
        if options.profile is None:
            _core.compile_overload(dispatcher, signature)
        else:
            dispatcher.compile(signature)
    if signatures and not options.device:
        dispatcher.disable_compile()
