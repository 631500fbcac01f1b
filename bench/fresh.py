# Fresh copies of kernels, so that no two repetitions of a compile benchmark share source, name, IR or object.
import importlib.util
import itertools
import os
import re
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
FOLDER = BENCH.parent / "build" / "bench" / "fresh" / str(os.getpid())
_numbers = itertools.count()


def renamed(text, number):
    """`text` with new names for all functions that it defines."""
    names = re.findall(r"^def (\w+)|\b(?:void|double|float|int) (\w+)\((?=\w)", text, re.MULTILINE)
    for name in sorted({first or second for first, second in names}, key=len, reverse=True):
        text = re.sub(rf"\b{name}\b(?!\.)", f"{name}_{number}", text)
    return text


def source(path, replacements=()):
    """The text of a kernel file with new names, and the number with which they end."""
    number = next(_numbers)
    text = (BENCH / "kernels" / path).read_text().replace("SALT = 0\n", f"SALT = {number}\n")
    for old, new in replacements:
        text = text.replace(old, new)
    return renamed(text, number), number


def function(folder, name, replacements=()):
    """The kernel `name` of kernels/FOLDER/NAME.py from a new file with new names, imported but not compiled."""
    text, number = source(f"{folder}/{name}.py", replacements)
    return getattr(module(f"{name}_{number}", text), f"{name}_{number}")


def module(name, text):
    """A module with the given text, imported from its own file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded
