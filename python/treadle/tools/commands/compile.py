"""`treadle compile FILE.py:KERNEL`: kernels as a file of images and a C++ header, for programs without Python."""

import os
import sys

from treadle.errors import CompileError
from treadle.kernels.saving import save
from treadle.tools.commands.kernels import kernel_at


def arguments(parser):
    """Adds what the command takes."""
    parser.add_argument(
        "kernels", metavar="FILE.py:KERNEL[=NAME]", nargs="+",
        help="a file, which is run, and the name of a kernel in it; programs ask for it by that name, or by NAME",
    )  # fmt: skip
    parser.add_argument(
        "--signature", action="append", default=[],
        help='such as "void(float32[::1], int32)", one for each kernel in order; optional where the files compile '
        "one",
    )  # fmt: skip
    parser.add_argument(
        "--target", default="cpu",
        help="what to compile for, separated by commas: cpu (x86-64-v2, -v3 and -v4 in one file), cpu:native, "
        "cpu:x86-64-v3, sm_90 (default: cpu)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", required=True, help="the file of images")
    parser.add_argument("--header", help="the C++ header (default: beside a file, with the ending .h)")


def run(given):
    """Writes the files; the exit code is 2 on failure."""
    header = given.header or _beside(given.output)
    try:
        save(given.output, _kernels(given), given.target, header)
    except (CompileError, OSError, TypeError, ValueError) as error:
        print(f"treadle compile: {error}", file=sys.stderr)
        return 2
    print(given.output if header is None else f"{given.output}\n{header}")
    return 0


def _beside(output):
    """The header of a file; None: a pipe or device has none."""
    return os.path.splitext(output)[0] + ".h" if os.path.isfile(output) or not os.path.exists(output) else None


def _kernels(given):
    """[(name, kernel, signature or None)]"""
    if len(given.signature) not in (0, len(given.kernels)):
        raise ValueError(
            f"{len(given.kernels)} kernels and {len(given.signature)} signatures were given: give one for each, or none"
        )
    signatures = given.signature or [None] * len(given.kernels)
    found = []
    for place, signature in zip(given.kernels, signatures):
        place, _, name = place.partition("=")
        found.append((name or place.rpartition(":")[2].rpartition(".")[2], kernel_at(place), signature))
    return found
