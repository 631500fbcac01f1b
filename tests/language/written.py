# Kernels of the language tests that are written as text.

import numpy as np
from treadle import cuda


def made(lines, rules, names=None, **options):
    """The function `kernel` that the lines define, compiled; it knows `cuda` and `names`."""
    namespace = {"cuda": cuda, **(names or {})}
    exec("\n".join(lines) + "\n", namespace)
    return cuda.jit(namespace["kernel"], rules=rules, **options)


def body_of(statement, parameters, **names):
    """A Python function with these parameters, of a `for` statement, or of statements with "; " between them, each of
    which has a line, from the second on."""
    namespace = {"np": np, **names}
    lines = [statement] if statement.startswith("for") else statement.split("; ")
    exec(f"def body({parameters}):\n" + "".join(f"    {line}\n" for line in lines), namespace)
    return namespace["body"]
