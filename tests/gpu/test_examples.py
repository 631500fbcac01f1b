"""Every example at a small size, against its NumPy twin or an exact answer."""

from gpu_borrowed import borrowed_from

globals().update(borrowed_from("pages/test_examples.py", {}))
