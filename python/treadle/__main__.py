"""`python -m treadle COMMAND`, which is also the program `treadle`: `compile`, `info`, `report`."""

import sys

# Each command's module has `arguments(parser)`, which adds what the command takes, and `run(given)`, which returns the
# exit code. Imported for the command that is run alone.
COMMANDS = {
    "compile": ("treadle.commands.compile", "kernels as a file that C and C++ programs load, with a C++ header"),
    "info": ("treadle.commands.info", "what Treadle finds on this machine: devices, versions, settings, caches"),
    "report": ("treadle.commands.report", "an HTML page about a kernel: its source beside its code"),
}


def main(words=None):
    """Runs the command that `words` (default: those of the process) name, and returns the exit code."""
    import argparse
    from importlib import import_module

    parser = argparse.ArgumentParser(prog="treadle", description="CUDA Python for GPUs and for the CPU.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    words = sys.argv[1:] if words is None else words
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if words[:1] == [name]:
            command.set_defaults(run=import_module(module).run)
            import_module(module).arguments(command)
    given = parser.parse_args(words)
    try:
        return given.run(given)
    except BrokenPipeError:  # whoever reads has seen enough
        sys.stdout = None
        return 1


if __name__ == "__main__":
    sys.exit(main())
