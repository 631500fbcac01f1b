"""Kernels as commands name them: FILE.py:KERNEL."""

import os
import sys
from importlib import util


def kernel_at(place):
    """The object with that name, perhaps with dots, in the file's module; a file is run once. Raises ValueError."""
    path, colon, name = place.rpartition(":")
    if not colon or not name:
        raise ValueError(f"the kernel must be given as FILE.py:KERNEL, found {place!r}")
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path!r}")
    found = _module(path)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{path} has no {name!r}")
        found = getattr(found, part)
    return found


def _module(path):
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == path:
        return known
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path!r} is no Python file: its name must end in .py")
    made = util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made
