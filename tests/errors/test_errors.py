# Runs every wrong program, checking its error's class, position and exact text, and its right twin, which must run.
"""A file begins with what is wrong in it, `# ERROR class line:column` (0:0 outside of kernels) and one or more
`# TWIN line: text`, which replace lines by others and make the program right. `run()` compiles and launches. The exact
text stands at its end, below `# MESSAGE`. `pytest tests/errors --update` writes the texts anew: read them before you
commit them.
"""

import importlib.util
import re
import sys
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(p for p in FOLDER.glob("*.py") if p.stem not in ("__init__", "test_errors"))
MARK = "\n# MESSAGE\n"
INTERNALS = re.compile(r"treadle::|LLVM|(?<!dump_)llvm|Traceback|src/|0x[0-9a-f]{6}|nullptr|\bSlot\b|[Ii]nternal")


class Program:
    """A file, taken apart."""

    def __init__(self, path):
        self.path = path
        self.text, _, message = path.read_text().partition(MARK)
        self.message = "\n".join(line.removeprefix("#").removeprefix(" ") for line in message.splitlines())
        lines = self.text.splitlines()
        _, _, self.error, place = lines[1].split(" ")
        self.line, self.column = map(int, place.split(":"))
        self.twins = [re.fullmatch(r"# TWIN (\d+):(?: (.*))?", line) for line in lines if line.startswith("# TWIN")]

    def twin(self):
        lines = self.text.splitlines()
        for edit in self.twins:
            lines[int(edit[1]) - 1] = (edit[2] or "").replace("\\n", "\n")
        return "\n".join(lines) + "\n"

    def rewrite(self, error):
        """Class, place and message as they are now."""
        lines = self.text.rstrip("\n").splitlines()
        lines[1] = f"# ERROR {type(error).__name__} {getattr(error, 'line', 0)}:{getattr(error, 'column', 0)}"
        message = "\n".join(("# " + line).rstrip() for line in self.shown(error).splitlines())
        self.path.write_text("\n".join(lines) + "\n\n" + MARK + message + "\n")

    def shown(self, error):
        """The text without the folder, which differs from machine to machine."""
        return str(error).replace(str(self.path), self.path.name)


def run(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.run()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_error(path, request):
    program = Program(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            run(path, f"errors.{path.stem}")
        except Exception as raised:
            error = raised
        else:
            pytest.fail(f"no error; expected {program.error}")
    text = program.shown(error)
    assert not INTERNALS.search(text), text
    assert len(text.splitlines()) <= 15 or not getattr(error, "line", 0), text
    assert error.__cause__ is None, "the error shows another error as its cause or context"
    assert error.__context__ is None, "the error shows another error as its cause or context"
    assert frames(error) <= 4, "the traceback leads through the compiler"
    if request.config.getoption("update"):
        program.rewrite(error)
        return
    found = type(error).__name__, getattr(error, "line", 0), getattr(error, "column", 0)
    assert found == (program.error, program.line, program.column), text
    assert text == program.message


def frames(error):
    """Frames of the traceback below run(): what a user sees beside their own lines."""
    files = []
    trace = error.__traceback__
    while trace:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return sum("treadle" in Path(f).parts[-2:-1] for f in files)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_twin(path, tmp_path):
    """One edit away stands a right program: the error is about the mistake and nothing else."""
    program = Program(path)
    assert program.twins, "no twin"
    twin = tmp_path / path.name
    twin.write_text(program.twin())
    try:
        run(twin, f"twins.{path.stem}")
    finally:
        sys.modules.pop(f"twins.{path.stem}", None)
