"""NumPy's functions of single numbers, and methods of numbers, that are no operations of the compiler."""
