# Launches of a C program by treadle.h on a GPU, beside a loop in C over the driver's call.
import subprocess

import peers
from harness import BUILD

import capi


def say_c_launches(report, arguments, gpu):
    """Nanoseconds of the launching thread's processor time. Where the GPU does not keep up, both wait for it."""
    report.section("A C program by treadle.h: ns of processor time each, medians")
    BUILD.mkdir(parents=True, exist_ok=True)
    try:
        found = capi.measured(capi.built(), capi.Place(peers.on_driver(None), gpu.architecture), arguments.tiny)
    except (OSError, subprocess.CalledProcessError) as error:
        return report.fail("launches of a C program", str(error))
    return report.table(["", "ns"], [[what, f"{found[key]:.1f}"] for what, key in capi.ROWS if key in found])
