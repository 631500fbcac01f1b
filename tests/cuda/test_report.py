# Pages about kernels that a CUDA device runs, and what `treadle info` says of one.

import runs


def test_resources_are_the_drivers():
    said = runs.run(
        """
import re, tempfile
path = tempfile.mktemp()
x = zeros()
add[2, 64](x, 1)
add.report(path)
text = re.sub("<[^>]*>", "|", open(path).read())
known = add.get_metadata(add.signatures[0])
print("from the CUDA driver" in text, "compute capability 9.0" in text, "Occupancy|" in text)
print(f"registers of a thread||{known['registers']}|" in text, "2 × 1 × 1||64 × 1 × 1||0||1" in text)
"""
    )
    assert said == "True True True\nTrue True\n"


def test_without_a_launch_the_driver_is_not_asked():
    said = runs.run(
        """
import os, tempfile
os.environ["PATH"] = ""  # without ptxas
path = tempfile.mktemp()
add.report(path, "void(float32[:], int32)")
text = open(path).read()
print("from the CUDA driver" in text, "neither the CUDA driver nor ptxas is here to say" in text)
print("Occupancy without registers, which are not known" in text)
"""
    )
    assert said == "False True\nTrue\n"


def test_info_has_what_the_driver_says():
    said = runs.run(
        """
from treadle.tools.commands.info import sections
found = sections()["devices"]["device 0"]
print(found["kind"], found["compute capability"], found["CUDA version of the driver"])
"""
    )
    assert said == "CUDA 9.0 12.9\n"
