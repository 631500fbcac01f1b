# Kernels made from text: modules written to files, so that their source can be found like a user's.

import importlib.util
import itertools
from pathlib import Path

HEADER = """import math
import operator
import numpy as np
from treadle import cuda
from treadle import boolean, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from treadle import complex64, complex128
"""
_numbers = itertools.count()


def load(text, folder, header=HEADER):
    """The module with the source `text`, imported from its own file in `folder`."""
    path = Path(folder) / f"generated_{next(_numbers)}.py"
    path.write_text(f"{header}\n{text}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
