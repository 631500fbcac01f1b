"""`cuda.jit`: from a Python function, a signature and options to a dispatcher."""

from treadle import _core
from treadle.kernels.dispatcher import Dispatcher, make_dispatcher
from treadle.kernels.options import Options
from treadle.typing.signatures import check_kernel_result, is_signature, signatures_from

_Function = type(lambda: None)


def _class_of(options):
    if options.device or not (options.extensions or options.profile):
        return Dispatcher
    from treadle.kernels.extended import ExtendedDispatcher

    return ExtendedDispatcher


def _annotated_signature(function):
    """The signature formed by the annotations of all parameters; None if one has no annotation."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    annotations = function.__annotations__
    if not names or not all(name in annotations for name in names):
        return None
    return _core.Signature(tuple(_core.type_from(annotations[name]) for name in names), annotations.get("return"))


def _decorate(function, options, signatures):
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(function.__func__, options, signatures))
    if not isinstance(function, _Function):
        # Applied to a dispatcher, of Treadle or another library.
        inner = getattr(function, "py_func", None)
        if not isinstance(inner, _Function):
            raise TypeError(f"cuda.jit compiles Python functions, found {function!r} of type {type(function).__name__}")
        function = inner
    if options.given.get("annotations_as_signatures"):
        annotated = _annotated_signature(function)
        if annotated is not None and signatures:
            raise TypeError(f"{function.__name__} has both annotations and an explicit signature")
        signatures = [annotated] if annotated is not None else signatures
    return make_dispatcher(_class_of(options), function, options, signatures)


def _old_signature(restype, argtypes):
    """jit(restype=..., argtypes=[...]) and jit(restype, *argtypes)."""
    return _core.Signature(tuple(argtypes or ()), restype)


def jit(func_or_sig=None, *argtypes, **options):
    """Compiles a function for the device: bare, `jit(signature)`, `jit(f)`, `jit(**options)`, `jit(f, **options)`.

    `func_or_sig`: the function, or a signature: a string "void(float32[:], int32)", a call void(float32[:], int32), a
    tuple of types, or a list of these. Without a signature, the function is compiled by the first launch with new
    argument types. The old form jit(restype, *argtypes) works too. Options are listed in
    `treadle.kernels.options.OPTIONS`; unknown options and invalid values raise ValueError. Returns a Dispatcher, or a
    decorator that makes one.
    """
    if isinstance(func_or_sig, _core.Type) or "argtypes" in options or "restype" in options:
        restype = options.pop("restype", func_or_sig if argtypes or func_or_sig is not None else None)
        signatures = [_old_signature(restype, argtypes or options.pop("argtypes", ()))]
        func_or_sig = None if isinstance(func_or_sig, _core.Type) else func_or_sig
    elif is_signature(func_or_sig):
        signatures = signatures_from(func_or_sig)
        func_or_sig = None
    else:
        signatures = []
    if argtypes and not signatures:
        raise TypeError(f"jit takes one function or signature, and options by name; found also {argtypes!r}")
    checked = Options(options)
    if not checked.device:
        for signature in signatures:
            check_kernel_result(signature, getattr(func_or_sig, "__name__", "cuda.jit"))
    if func_or_sig is None:
        return lambda function: _decorate(function, checked, signatures)
    return _decorate(func_or_sig, checked, signatures)


def autojit(function=None, **options):
    """`jit` with the rules "cuda-python": values stay as narrow as their operands. Accepts no signature."""
    if is_signature(function):
        raise TypeError("autojit takes no signature: it compiles for the types of each launch")
    return jit(function, **{"rules": "cuda-python", **options})
