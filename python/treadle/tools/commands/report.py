"""`treadle report FILE.py:KERNEL`: the page of `treadle.report`."""

import sys

from treadle.errors import CompileError
from treadle.kernels.reporting import report
from treadle.tools.commands.kernels import kernel_at


def arguments(parser):
    """Adds what the command takes."""
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="a file, which is run, and the name of a kernel in it")
    parser.add_argument("--signature", help='such as "void(float32[:], int32)"; optional where the file compiles one')
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--cc", help="the compute capability that PTX is made for, such as 9.0")
    target.add_argument("--cpu", action="store_true", help="machine code for this processor")
    parser.add_argument("-o", "--output", default="report.html", help="the page (default: report.html)")


def run(given):
    """Writes the page; the exit code is 2 on failure."""
    try:
        kernel = kernel_at(given.kernel)
        report(kernel, given.output, given.signature, "cpu" if given.cpu else given.cc)
    except (CompileError, OSError, TypeError, ValueError) as error:
        print(f"treadle report: {error}", file=sys.stderr)
        return 2
    print(given.output)
    return 0
