"""The cost of importing, without a clock: which modules `from treadle import cuda` imports, and that the others are
imported on demand."""

# The modules that every program with kernels needs. Others are imported on demand, in functions and by
# `cuda.__getattr__`. Python's own modules cost as much as ours; `bench/import_time.py` measures them.
IMPORTED = {
    "_operator", "atexit", "treadle", "treadle._core", "treadle.cuda", "treadle.devices", "treadle.devices.devicearray",
    "treadle.devices.new_arrays", "treadle.inspection", "treadle.intrinsics", "treadle.types", "treadle.typing",
    "treadle.typing.conversion",
}  # fmt: skip


def test_the_import_loads_no_other_modules(run_python):
    code = """
import sys
before = set(sys.modules)
from treadle import cuda
print(*sorted(set(sys.modules) - before))
"""
    assert set(run_python(code).split()) <= IMPORTED


def test_names_imported_later_are_there(run_python):
    code = """
from treadle import cuda
assert set(cuda.__all__) <= set(dir(cuda)), set(cuda.__all__) - set(dir(cuda))
names = {}
exec("from treadle.cuda import *", names)
assert set(cuda.__all__) <= set(names), set(cuda.__all__) - set(names)
assert all(getattr(cuda, name) is names[name] for name in cuda.__all__)
try:
    cuda.no_such_name
except AttributeError as error:
    print(error)
"""
    assert run_python(code) == "module 'treadle.cuda' has no attribute 'no_such_name'\n"
