"""Kernels as files of images, and the C++ headers of such files."""

import os

from treadle import _core
from treadle.options import Options
from treadle.signatures import check_kernel_result, signature_from
from treadle.types import void


def save(path, kernels, target="cpu", header=None):
    """`Dispatcher.save` for several kernels: `kernels` is a list of (name, kernel, signature or None)."""
    given = [(name, kernel, _signature(kernel, signature)) for name, kernel, signature in kernels]
    names = [name for name, _, _ in given]
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"the name of a kernel in a file must be an identifier, found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"the file would have two kernels {name!r}: give them names")
    text = None
    if header is not None:
        from treadle.cpp_header import header_text

        text = header_text(os.path.basename(os.fspath(path)), [(*one, parameters_of(one[1])) for one in given])
    saved = [(kernel, signature, name, parameters_of(kernel)) for name, kernel, signature in given]
    bytes_ = _core.file_of_images(saved, targets_of(target))
    _write(path, bytes_)
    if text is not None:
        _write(header, text.encode())


def targets_of(target):
    """The names of targets in a text with commas, or in a list."""
    names = target.split(",") if isinstance(target, str) else list(target)
    names = [name.strip() for name in names]
    if not all(names):
        raise ValueError(f"target must be one name or several, such as 'cpu' or 'sm_90,cpu', found {target!r}")
    return names


def parameters_of(kernel):
    """The names of a kernel's parameters."""
    code = kernel.py_func.__code__
    return list(code.co_varnames[: code.co_argcount])


def _signature(kernel, given):
    if not isinstance(getattr(kernel, "options", None), Options) or kernel.options.device:
        raise TypeError(f"only kernels can be saved, functions under cuda.jit that can be launched; found {kernel!r}")
    if given is None:
        return _core.Signature(kernel._signature(None).args, void)
    signature = signature_from(given)
    check_kernel_result(signature, kernel.__name__)
    return _core.Signature(signature.args, void)


def _write(path, data):
    """The file appears whole or not at all."""
    path = os.fspath(path)
    temporary = f"{path}.{os.getpid()}.new"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
