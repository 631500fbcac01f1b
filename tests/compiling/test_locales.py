"""Numbers are written as Python writes them, whatever locale the program has chosen."""

import shutil
import subprocess

import pytest

# With a comma for a point, and points between thousands, as in much of Europe.
LOCALE = """comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
"""
PROGRAM = """
import locale, sys
import numpy as np
from treadle import cuda

locale.setlocale(locale.LC_ALL, "xx_XX")
assert locale.str(1.5) == "1,5"

@cuda.jit
def kernel(x, out):
    print(x[0], 1234567.25, f"{x[0]:.3f} {2.5:8.2f} {-0.125}", 1234567)
    out[0] = np.float64(x[0] * 1234.5)

x, out = np.array([0.5]), np.zeros(1)
kernel[1, 1](x, out)
cuda.synchronize()
assert out[0] == 617.25
try:
    cuda.device_array(1 << 46, np.uint8)
except Exception as error:
    print(error)
ptx, _ = cuda.compile_ptx(lambda x: x * 1234.5, "float64(float64)", device=True)
print("0d40934A0000000000" in ptx)
"""


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    """A folder for LOCPATH, which has the locale xx_XX."""
    localedef = shutil.which("localedef")
    if localedef is None:
        pytest.skip("localedef is not installed (Debian: libc-bin)")
    folder = tmp_path_factory.mktemp("locales")
    (folder / "source").write_text(LOCALE)
    # It warns of all that the locale has not, and makes it nevertheless.
    subprocess.run([localedef, "-c", "-i", "source", "-f", "ANSI_X3.4-1968", str(folder / "xx_XX")], cwd=folder,
                   capture_output=True)  # fmt: skip
    assert (folder / "xx_XX" / "LC_NUMERIC").exists()
    return folder


def test_no_locale_changes_how_numbers_are_written(run_python, locales):
    said = run_python(PROGRAM, LOCPATH=str(locales), TREADLE_DEVICE="cpu", TREADLE_CPU_MEMORY=str(3 << 29))
    printed, refused, is_same_ptx = said.splitlines()
    assert printed == "0.500000 1234567.250000 0.500     2.50 -0.125 1234567"
    assert "64.0 TiB were asked for, 1.5 GiB of 1.5 GiB are free" in refused
    assert is_same_ptx == "True"
