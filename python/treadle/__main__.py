"""`python -m treadle COMMAND`, which is also the program `treadle`: `compile`, `info`, `report`."""

import re
import sys
from pathlib import Path

from treadle import _core

# Each command's module has `arguments(parser)`, which adds its arguments, and `run(given)`, which returns the exit
# code. Imported only when the command is run.
COMMANDS = {
    "compile": ("treadle.tools.commands.compile", "kernels as a file that C and C++ programs load, with a C++ header"),
    "info": ("treadle.tools.commands.info", "what Treadle finds on this machine: devices, versions, settings, caches"),
    "report": ("treadle.tools.commands.report", "an HTML page about a kernel: its source beside its code"),
}


def main(words=None):
    """Runs the command that `words` (default: those of the process) name, and returns the exit code."""
    import argparse
    from importlib import import_module

    parser = argparse.ArgumentParser(prog="treadle", description="CUDA Python for GPUs and for the CPU.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    words = sys.argv[1:] if words is None else words
    parser.add_argument("--dump", metavar="FOLDER", help="write the stages of what is compiled, and print its passes")
    chosen = words[2:3] if words[:1] == ["--dump"] else words[:1]
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if chosen == [name]:
            command.set_defaults(run=import_module(module).run)
            import_module(module).arguments(command)
    given = parser.parse_args(words)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # file names need not be valid text
    try:
        return _dumped(given) if given.dump else given.run(given)
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = None
        return 1


def _dumped(given):
    """Runs a command with the setting TREADLE_DUMP, then prints a line for each pass: its time, and what it did."""
    _core.set_setting("TREADLE_DUMP", given.dump)
    code = given.run(given)
    for path in sorted(Path(given.dump).glob("*.passes.txt")):
        print("\n".join(re.findall(r"^(?:# .*|\S.* \(\d+ us\): .*)$", path.read_text(), re.M)), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
