"""Exceptions and warnings. Numba's names, so that programs written for it catch what they expect.

Everything that is wrong with a kernel is a `CompileError`; its text has the place, the source line with a caret under
the mistake, what was found, what was expected and what to do. The parts are attributes of it: `message`, `file`,
`line`, `column` (from 1), `found`, `expected`, `remedy`; line and column are 0 where the place is not known.
"""


class CompileError(Exception):
    """A kernel or device function cannot be compiled. Base of all errors found while compiling."""

    message = ""
    file = ""
    line = 0
    column = 0
    found = ""
    expected = ""
    remedy = ""


NumbaError = CompileError


class TypingError(CompileError):
    """A value has a type that does not fit where it stands."""


class UnsupportedError(CompileError):
    """The function uses a construct of Python that kernels cannot have."""


class NotDefinedError(CompileError, NameError):
    """A name that is no parameter, local, global or builtin."""


class ConstantInferenceError(CompileError):
    """A value must be known while compiling (the shape of a shared array, say) and is not."""


class RequireLiteralValue(TypingError):
    """An argument must be a literal."""


class NumbaTypeError(TypingError, TypeError):
    """Wrong number of arguments, or a kernel that returns a value."""


class NumbaValueError(TypingError, ValueError):
    """A constant is outside what is allowed."""


class NumbaIndexError(TypingError, IndexError):
    """A constant index is outside its tuple, or there are more indices than axes."""


class NumbaAttributeError(TypingError, AttributeError):
    """A value has no attribute of that name in kernels."""


class NumbaNotImplementedError(TypingError, NotImplementedError):
    """A function or method that kernels cannot call."""


class LoweringError(CompileError):
    """A well-typed function for which the target has no code."""


class SourceError(CompileError):
    """The source text of a function cannot be found."""


class CompileLimitError(CompileError):
    """A function is nested deeper or is larger than what is compiled."""


UnsupportedBytecodeError = UnsupportedError


class InternalCompilerError(RuntimeError):
    """A bug in Treadle. Please report it with the program that shows it."""


class CudaSupportError(RuntimeError):
    """CUDA was asked for and there is no driver, or no device."""


class CudaDriverError(Exception):
    """Base of what a device refuses."""


class CudaAPIError(CudaDriverError):
    """A call of the driver failed. `code`: the driver's number. `msg`: what failed, and what to do."""

    def __init__(self, code, msg):
        super().__init__(code, msg)
        self.code = code
        self.msg = msg

    def __str__(self):
        return f"[{self.code}] {self.msg}"


class LinkerError(RuntimeError):
    """The driver could not link the code; the text has its log."""


class TreadleWarning(UserWarning):
    """Code that compiles and may not do what its author meant."""


NumbaWarning = TreadleWarning


class NumbaPerformanceWarning(TreadleWarning):
    """Code or a launch that is right and slower than it need be."""


class NumbaDebugInfoWarning(TreadleWarning):
    """An option asks for debug information that cannot be had."""


class NumbaInvalidConfigWarning(TreadleWarning):
    """Options that contradict each other."""
