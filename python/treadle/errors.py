"""Exceptions and warnings, under Numba's names, so that programs written for Numba catch what they expect.

Every mistake in a kernel is a `CompileError`; its text has the position, the source line with a caret under the
mistake, what was found, what was expected and what to do. The parts are its attributes `message`, `file`, `line`,
`column` (from 1), `found`, `expected`, `remedy`; line and column are 0 if the position is not known.
"""


class _Raised(Exception):
    """Not Exception itself: Python gives a class further bases only beside one of Python code (treadle.redirect)."""


class CompileError(_Raised):
    """A kernel or device function cannot be compiled. Base of all errors found while compiling."""

    # Not those of other bases, which treadle.redirect adds where Numba is installed.
    __init__ = Exception.__init__
    __str__ = Exception.__str__

    message = ""
    file = ""
    line = 0
    column = 0
    found = ""
    expected = ""
    remedy = ""


NumbaError = CompileError


class TypingError(CompileError):
    """A value has a type that does not fit its context."""


class UnsupportedError(CompileError):
    """The function uses a Python construct that kernels do not support."""


class NotDefinedError(CompileError, NameError):
    """A name is not a parameter, local, global or builtin."""


class ConstantInferenceError(CompileError):
    """A value must be known at compile time (the shape of a shared array, say) and is not."""


class RequireLiteralValue(TypingError):
    """An argument must be a literal."""


class NumbaTypeError(TypingError, TypeError):
    """Wrong number of arguments, or a kernel that returns a value."""


class NumbaValueError(TypingError, ValueError):
    """A constant is out of its allowed range."""


class NumbaIndexError(TypingError, IndexError):
    """A constant index is outside its tuple, or there are more indices than axes."""


class NumbaAttributeError(TypingError, AttributeError):
    """A value has no such attribute in kernels."""


class NumbaNotImplementedError(TypingError, NotImplementedError):
    """A function or method that kernels cannot call."""


class LoweringError(CompileError):
    """The target has no code for a well-typed function."""


CudaLoweringError = LoweringError


class SourceError(CompileError):
    """The source text of a function cannot be found."""


class CompileLimitError(CompileError):
    """A function is nested too deeply or too large to compile."""


UnsupportedBytecodeError = UnsupportedError


class InternalCompilerError(RuntimeError):
    """A bug in Treadle. Please report it with the program that triggers it."""


class NumbaKeyError(TypingError, KeyError):
    """Never raised: for programs that name it."""


class NumbaAssertionError(TypingError, AssertionError):
    """Never raised: for programs that name it."""


class DeprecationError(CompileError):
    """Never raised: for programs that name it."""


class NumbaRuntimeError(CompileError):
    """Never raised: for programs that name it."""


class KernelRuntimeError(RuntimeError):
    """Never raised, as kernels raise Python's own exceptions: for programs that name it. `tid`, `ctaid`: the indices of
    a thread and its block."""

    def __init__(self, msg, tid=None, ctaid=None):
        super().__init__(f"An exception was raised in thread={tid} block={ctaid}\n\t{msg}")
        self.msg, self.tid, self.ctaid = msg, tid, ctaid


class CudaSupportError(RuntimeError):
    """CUDA was requested but there is no driver or no device."""


class CudaDriverError(Exception):
    """Base of the errors that devices report."""


class CudaAPIError(CudaDriverError):
    """A driver call failed. `code`: the driver's error code. `msg`: what failed, and what to do."""

    def __init__(self, code, msg):
        super().__init__(code, msg)
        self.code = code
        self.msg = msg

    def __str__(self):
        return f"[{self.code}] {self.msg}"


class CudaRuntimeError(CudaDriverError):
    """Never raised, as the CUDA runtime is not used: for programs that name it."""


class CCSupportError(CudaSupportError):
    """A device's compute capability is too low."""


class DeadMemoryError(RuntimeError):
    """Never raised: for programs that name it."""


class NvvmError(Exception):
    """Never raised, as libNVVM is not used: for programs that name it."""


class NvvmSupportError(NvvmError, ImportError):
    """Never raised: for programs that name it."""


class NvrtcError(Exception):
    """Never raised, as NVRTC is not used: for programs that name it."""


class NvrtcCompilationError(NvrtcError):
    """Never raised: for programs that name it."""


class NvrtcSupportError(NvrtcError):
    """Never raised: for programs that name it."""


class DeviceLost(CudaAPIError):
    """An error in a kernel, or of the hardware, has ended everything on the device. Its text names the operation that
    showed it. Every use of the device raises this until `cuda.close()` or the device's `reset()`.
    """


class LinkerError(RuntimeError):
    """The driver could not link the code; the text includes its log."""


class TreadleWarning(UserWarning):
    """Code compiles but may not do what its author meant."""

    __init__ = UserWarning.__init__
    __str__ = UserWarning.__str__


NumbaWarning = TreadleWarning


class NumbaPerformanceWarning(TreadleWarning):
    """Code or a launch is correct but slower than necessary."""


class NumbaDebugInfoWarning(TreadleWarning):
    """An option asks for debug information that is not available."""


class NumbaInvalidConfigWarning(TreadleWarning):
    """Options contradict each other."""


# The others that programs name to silence them. None of them is given.


class NumbaDeprecationWarning(TreadleWarning, DeprecationWarning):
    """A form that will go."""


class NumbaPendingDeprecationWarning(TreadleWarning, PendingDeprecationWarning):
    """A form that will go, some time."""


class NumbaExperimentalFeatureWarning(TreadleWarning):
    """A feature that may change."""


class NumbaParallelSafetyWarning(TreadleWarning):
    """A parallel loop that may not be safe."""


class NumbaTypeSafetyWarning(TreadleWarning):
    """A conversion that may lose information."""


class NumbaPedanticWarning(TreadleWarning):
    """Something that is unusual."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """Something unusual in an intermediate representation."""


class NumbaSystemWarning(TreadleWarning):
    """Something that the system lacks."""


class NvvmWarning(TreadleWarning):
    """A message of libNVVM."""
