# Processes that run PTX on the machine are as before for all else.


def test_nothing_else_finds_the_driver(run_python):
    run_python("""
import ctypes, os, sys
sys.path.insert(0, "tests")
from treadle import cuda
import machine

before = dict(os.environ)
machine.driver()
assert dict(os.environ) == before
assert machine.LIBRARY.name in open("/proc/self/maps").read()
try:
    ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD)
except OSError:
    pass
else:
    raise AssertionError("libcuda.so.1 is loaded")
""")
