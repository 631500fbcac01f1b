# A function whose source text is not available.
# ERROR SourceError 0:0
# TWIN 19:     cuda.jit(lambda out: None)[1, 1](np.zeros(4))
import ast
import types

import numpy as np

from treadle import cuda


tree = ast.parse("def kernel(out):\n    out[0] = 1\n")
tree.body[0].body[0].value.value = 2
code = compile(tree, "nowhere.py", "exec")
kernel = types.FunctionType(code.co_consts[0], globals())


def run():
    cuda.jit(kernel)[1, 1](np.zeros(4))


# MESSAGE
# nowhere.py:1: error: 'kernel' is not in line 1 of nowhere.py any more
#   help:     the file has changed since it was imported: import it again, or restart Python
