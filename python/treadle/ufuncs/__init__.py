"""Functions of elements over whole arrays: `vectorize`, `guvectorize`, and NumPy's ufuncs on device arrays.

A call goes through `operands` (what the arguments are), `shapes` (broadcasting, and the fewest axes that describe all
operands), `loops` (one generated kernel for each function, types and kind of operands), `elementwise` (allocation and
launch) or `reductions`. `numpy_ufuncs` has the functions of NumPy's own ufuncs.
"""
