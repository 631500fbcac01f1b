# What a C program pays for launches and exchanges of arrays by treadle.h: on the CPU device, and on a CUDA driver
# that does nothing.
import importlib.util
import os
import subprocess
import sys
from typing import NamedTuple

import peers
from harness import BENCH, BUILD, ROOT, Report, parse

SAVE = """
import sys
from treadle import cuda
A = "float32[::1]"
@cuda.jit(f"void({A}, {A}, {A}, {A})")
def add(a, b, c, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i] + c[i]
add.save(sys.argv[1], target=sys.argv[2])
"""
ROWS = [
    ("launch with 4 arrays", "launch"),
    ("the driver's part of a launch", "driver"),
    ("export of an array", "export"),
    ("export, import, free", "export_import"),
    ("to DLPack and its deleter", "dlpack"),
    ("a call that looks up a handle", "lookup"),
]


class Place(NamedTuple):
    """Where a program runs: by which variables, and what its image is made for."""

    environment: dict
    target: str


def built():
    program = BUILD / "capi_loop"
    (library,) = importlib.util.find_spec("treadle").submodule_search_locations
    command = ["gcc", "-O2", f"-I{ROOT / 'include'}", str(BENCH / "capi_loop.c"), "-o", str(program), f"-L{library}"]
    subprocess.run([*command, "-l:libtreadle.so.0", "-ldl", f"-Wl,-rpath,{library}"], check=True)
    return program


def measured(program, place, tiny):
    environment = {**os.environ, **place.environment}
    file = str(BUILD / f"capi_{place.target}.image")
    subprocess.run([sys.executable, "-c", SAVE, file, place.target], env=environment, check=True)
    loop = [] if place.target == "cpu" else [str(peers.NULL_DRIVER / "liblaunch_loop.so")]
    command = [str(program), file, "0.001" if tiny else "0.04", *loop]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return {what: float(value) for what, value in map(str.split, printed.splitlines())}


def main():
    arguments = parse("Launches and exchanges of a C program.")
    report = Report("capi", "what launches and exchanges of arrays cost a C program", arguments)
    BUILD.mkdir(parents=True, exist_ok=True)
    program = built()
    cpu = measured(program, Place({"TREADLE_DEVICE": "cpu", "TREADLE_CPU_THREADS": "1"}, "cpu"), arguments.tiny)
    cuda = measured(program, Place(peers.on_driver(peers.NULL_DRIVER), "sm_80"), arguments.tiny)
    report.say("\nns each, medians of 15 turns")
    table = [[what, *(f"{found[key]:.1f}" if key in found else "" for found in (cpu, cuda))] for what, key in ROWS]
    report.table(["", "CPU", "CUDA"], table)
    report.goal("ns: launch on CUDA over the driver's call", cuda["launch"] - cuda["driver"], 25, at_least=False)
    report.goal("ns: launch on the CPU device", cpu["launch"], 150, at_least=False)
    report.goal("ns: export and import of one array", cpu["export_import"], 20, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
