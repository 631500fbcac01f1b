"""Kernels as files of images, and the C++ headers of such files."""

import os

from treadle import _core
from treadle.kernels.cpp_header import header_text
from treadle.kernels.options import Options
from treadle.types import void
from treadle.typing.signatures import kernel_signature
from treadle.whole_files import WholeFile, check_apart, write_files


def save(path, kernels, target="cpu", header=None):
    """`Dispatcher.save` for several kernels: `kernels` is a list of (name, kernel, signature or None). Both files are
    written, or none."""
    paths = [path] if header is None else [path, header]
    check_apart([WholeFile(one) for one in paths])
    given = [(name, kernel, _signature(kernel, signature)) for name, kernel, signature in kernels]
    names = [name for name, _, _ in given]
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"the name of a kernel in a file must be an identifier, found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"the file would have two kernels {name!r}: give them names")
    contents = []
    if header is not None:
        text = header_text(os.path.basename(os.fsdecode(path)), [(*one, parameters_of(one[1])) for one in given])
        contents.append(text.encode())
    saved = [(kernel, signature, name, parameters_of(kernel)) for name, kernel, signature in given]
    contents.insert(0, _core.file_of_images(saved, targets_of(target)))
    write_files(list(zip(paths, contents)))


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
    return kernel_signature(given, kernel.__name__)
