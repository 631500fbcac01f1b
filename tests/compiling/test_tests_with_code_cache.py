"""A part of the tests, with the compilation cache on as users have it: empty, then with what the first run has cached.

All others have it off, as what one test compiles must not serve another (tests/conftest.py).
"""

import os
import re
import sys
from pathlib import Path

import processes
import pytest

TESTS = Path(__file__).resolve().parents[1]
KERNELS = (
    "arrays_of_functions", "atomic_operations", "block_reduction", "calls_kept", "captured_arrays",
    "captured_device_arrays", "closures", "complex_array", "dynamic_shared", "functions_of_one_factory", "heap_arrays",
    "kernel_called_from_kernel", "kernel_print", "lambdas_and_nested_functions", "math_functions", "raise_in_debug",
    "records", "recursion", "retyped_names", "rows_in_variables", "tuple_unpacking",
)  # fmt: skip
SELECTIONS = {
    "kernels": ["tests/kernels/test_kernels.py", "-k", " or ".join(f"test_result[{name}]" for name in KERNELS)],
    "language": [
        f"tests/language/test_{name}.py" for name in ("enumerations", "names", "unpacking", "values_of_arguments")
    ],
    "python": [
        f"tests/{name}.py"
        for name in (
            "arrays/test_records",
            "compiling/test_images",
            "compiling/test_signatures",
            "launches/test_arguments",
            "launches/test_launch",
        )
    ],
}


def run(words, folder):
    """(how many tests have passed, how many entries were written), all in one process."""
    settings = {"TREADLE_CODE_CACHE_LIMIT": str(1 << 30), "TREADLE_CODE_CACHE_DIR": str(folder)}
    # Not what pytest-xdist has told this process.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")} | settings
    before = set(folder.rglob("*.entry"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *words]
    result = processes.run(command, timeout=600, env=environment, cwd=TESTS.parent)
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-2000:]
    passed = int(re.search(r"(\d+) passed", result.stdout)[1])
    return passed, len(set(folder.rglob("*.entry")) - before)


@pytest.mark.share(every=4)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_they_pass_with_an_empty_folder_and_with_a_full_one(selection, tmp_path):
    passed, written = run(SELECTIONS[selection], tmp_path)
    assert written > 20
    again, more = run(SELECTIONS[selection], tmp_path)
    assert again == passed
    assert more <= written // 20, "the second finds what the first has kept"
