"""Exceptions and warnings, under Numba's names, so that programs written for Numba catch what they expect.

Every mistake in a kernel is a `CompileError`; its text has the position, the source line with a caret under the
mistake, what was found, what was expected and what to do. The parts are its attributes `message`, `file`, `line`,
`column` (from 1), `found`, `expected`, `remedy`; line and column are 0 if the position is not known.
"""

from treadle.inspection import TellsSignature as _TellsSignature


class _Raised(Exception):
    """Not Exception itself: Python allows assigning further bases only next to one written in Python
    (treadle.redirect)."""


class CompileError(_Raised):
    """A kernel or device function cannot be compiled. Base of all errors found while compiling."""

    # Excludes those of other bases, which treadle.redirect adds if Numba is installed.
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
    """Never raised; defined for programs that catch it."""


class NumbaAssertionError(TypingError, AssertionError):
    """Never raised; defined for programs that catch it."""


class DeprecationError(CompileError):
    """Never raised; defined for programs that catch it."""


class NumbaRuntimeError(CompileError):
    """Never raised; defined for programs that catch it."""


class KernelRuntimeError(RuntimeError):
    """Never raised, as kernels raise Python's own exceptions; defined for programs that catch it. `tid`,
    `ctaid`: the indices of a thread and its block."""

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
    """Never raised, as the CUDA runtime is not used; defined for programs that catch it."""


class CCSupportError(CudaSupportError):
    """A device's compute capability is too low."""


class DeadMemoryError(RuntimeError):
    """Never raised; defined for programs that catch it."""


class NvvmError(Exception):
    """Never raised, as libNVVM is not used; defined for programs that catch it."""


class NvvmSupportError(NvvmError, ImportError):
    """Never raised; defined for programs that catch it."""


class NvrtcError(Exception):
    """Never raised, as NVRTC is not used; defined for programs that catch it."""


class NvrtcCompilationError(NvrtcError):
    """Never raised; defined for programs that catch it."""


class NvrtcSupportError(NvrtcError):
    """Never raised; defined for programs that catch it."""


class DeviceLost(CudaAPIError):
    """A sticky error: a fault in a kernel or the hardware has destroyed the device's context. The text names the
    operation that reported it. Every use of the device raises this until `cuda.close()` or the device's `reset()`.
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


# Never issued; defined for programs that filter them.


class NumbaDeprecationWarning(TreadleWarning, DeprecationWarning):
    """A deprecated form."""


class NumbaPendingDeprecationWarning(TreadleWarning, PendingDeprecationWarning):
    """A form to be deprecated."""


class NumbaExperimentalFeatureWarning(TreadleWarning):
    """An experimental feature."""


class NumbaParallelSafetyWarning(TreadleWarning):
    """A parallel loop with possible races."""


class NumbaTypeSafetyWarning(TreadleWarning):
    """A conversion that may lose information."""


class NumbaPedanticWarning(TreadleWarning):
    """Unusual code."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """An unmet assumption about intermediate code."""


class NumbaSystemWarning(TreadleWarning):
    """A limitation of the system."""


class NvvmWarning(TreadleWarning):
    """A message of libNVVM."""


for _class in (CompileError, InternalCompilerError, CudaSupportError, CudaDriverError, DeadMemoryError, NvvmError,
               NvrtcError, LinkerError, TreadleWarning):  # fmt: skip
    _class.__signature__ = _TellsSignature(lambda *args: None)  # type: ignore[union-attr]
