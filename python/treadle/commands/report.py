"""`treadle report FILE.py:KERNEL`: the page of `treadle.report`."""

import os
import sys
from importlib import util


def arguments(parser):
    """Adds what the command takes."""
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="a file, which is run, and the name of a kernel in it")
    parser.add_argument("--signature", help='such as "void(float32[:], int32)"; optional where the file compiles one')
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--cc", help="the compute capability that PTX is made for, such as 9.0")
    target.add_argument("--cpu", action="store_true", help="machine code for this processor")
    parser.add_argument("-o", "--output", default="report.html", help="the page (default: report.html)")


def run(given):
    """Writes the page; the exit code is 2 where that cannot be done."""
    from treadle.errors import CompileError
    from treadle.reporting import report

    try:
        kernel = _kernel(given.kernel)
        report(kernel, given.output, given.signature, "cpu" if given.cpu else given.cc)
    except (CompileError, OSError, TypeError, ValueError) as error:
        print(f"treadle report: {error}", file=sys.stderr)
        return 2
    print(given.output)
    return 0


def _kernel(place):
    """The object with that name, perhaps with dots, in the module that the file makes."""
    path, colon, name = place.rpartition(":")
    if not colon or not name:
        raise ValueError(f"the kernel must be given as FILE.py:KERNEL, found {place!r}")
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path!r}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path!r} is no Python file: its name must end in .py")
    found = util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{path} has no {name!r}")
        found = getattr(found, part)
    return found
