"""Every example at a small size, against its NumPy twin or an exact answer."""

from gpu.borrowed import tests_of

globals().update(tests_of("python/test_examples.py", {}))
