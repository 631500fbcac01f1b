"""`treadle.report`: collects the facts about a kernel for an HTML page."""

import os

from treadle import _core
from treadle.kernels.options import Options, capability
from treadle.kernels.report_page import page
from treadle.kernels.requests import request_of
from treadle.typing.signatures import kernel_signature
from treadle.whole_files import write_files

_LONGEST = 40  # characters of an expression that is shown with its type


def report(kernel, path, signature=None, cc=None):
    """Writes an HTML page about a kernel: its source with the types of its expressions beside the code made of it.

    `kernel`: a function under `cuda.jit`. `path`: of the page, which needs no other file. `signature`: one of its
    signatures or a new one, optional where one is compiled; `cc`: the compute capability of the PTX, a tuple such as
    (9, 0); "cpu": machine code for this processor. Without `cc`, what the thread's device runs.

    The page marks the instructions of a line of the source, shows registers, memory and occupancy as far as they
    are known, the launches of this process by their configuration, and what makes the code slower than it might be.
    Raises TypeError for what is no kernel, ValueError without a signature, CompileError, and OSError.

    >>> import treadle
    >>> from treadle import cuda
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> treadle.report(double, "/tmp/treadle-example.html", "void(float32[:])", cc=(9, 0))
    """
    path = os.fspath(path)
    # File names need not be UTF-8.
    write_files([(path, page(facts_of(kernel, signature, cc)).encode("utf-8", "backslashreplace"))])


def facts_of(kernel, signature=None, cc=None):
    """The page's content, as a dict of plain values."""
    options = getattr(kernel, "options", None)
    if not isinstance(options, Options) or options.device:
        raise TypeError(f"a report is about a kernel, a function under cuda.jit that can be launched; found {kernel!r}")
    wanted = _signature(kernel, signature)
    made = _core.compile_for_report(kernel.py_func, wanted, _request(kernel, cc))
    text, first = _core.syntax_text(kernel.py_func)
    lines = text.split("\n")
    return {
        "name": kernel.__qualname__, "file": kernel.py_func.__code__.co_filename, "first": first, "lines": lines,
        "types": types_by_line(made["types"], lines, first), "signature": made["signature"], "kind": made["kind"],
        "cc": made["cc"], "code": made["code"], "facts": _core.usual_facts(), "made": made,
        "launches": _core.launch_counts(kernel), "resources": _resources(kernel, wanted, made),
        "version": _core.__version__,
    }  # fmt: skip


def _signature(kernel, given):
    if given is None:
        return kernel._signature(None)
    return kernel_signature(given, kernel.__name__)


def _request(kernel, cc):
    if cc is None:
        on_cpu = not _core.runs_foreign_code(_core.current_device())
        cc = "cpu" if on_cpu else _core.device_compute_capability(_core.current_device())
    elif cc != "cpu":
        cc = capability(cc)
    request = request_of(kernel.options, 0 if cc == "cpu" else cc, _core.usual_facts())
    if cc == "cpu":
        request.cc = 0
    options = request.options
    options.lineinfo = True
    request.options = options
    return request


def types_by_line(places, lines, first):
    """{line: [(text, type)]}: names, attributes, elements and calls, in the order of their places, each once."""
    found: dict[int, list] = {}
    for place in places.splitlines():
        line, column, end_line, end_column, type_name = place.split(" ", 4)
        row = int(line) - first
        if line != end_line or not 0 <= row < len(lines):
            continue
        # Columns count bytes.
        text = lines[row].encode()[int(column) : int(end_column)].decode(errors="replace").strip()
        if not text or len(text) > _LONGEST or not (text[0].isalpha() or text[0] == "_"):
            continue
        of_line = found.setdefault(int(line), [])
        if (text, type_name) not in of_line:
            of_line.append((text, type_name))
    return found


def _resources(kernel, signature, made):
    """{name: number} of a thread or block, and where they come from."""
    if made["kind"] == "cpu":
        return {"shared": made["shared"], "local": made["local"], "context": made["context"], "from": "the compiler"}
    known = _of_driver(kernel, signature, made["cc"]) or _of_ptxas(made["code"], made["cc"])
    return known or {"shared": made["shared"], "local": made["local"], "from": "the compiler"}


def _of_driver(kernel, signature, cc):
    """The driver's data on the kernel, if it can run it."""
    here = _core.current_device()
    compiled = any(one.args == signature.args for one in _core.overloads_of(kernel))
    if not compiled or not _core.runs_foreign_code(here) or _core.device_compute_capability(here) != cc:
        return None
    known = _core.code_attributes(kernel, signature)
    names = ("registers", "shared", "local", "const", "threads")
    return {name: known[name] for name in names} | {"from": "the CUDA driver"}


def _of_ptxas(code, cc):
    """ptxas's data, if it is on the path."""
    import re
    import shutil
    import subprocess

    ptxas = shutil.which("ptxas")
    if ptxas is None:
        return None
    command = [ptxas, "-v", f"-arch=sm_{cc}", "-", "-o", "/dev/null"]
    result = subprocess.run(command, input=code, capture_output=True, text=True, timeout=120)
    said = result.stdout + result.stderr
    registers = re.search(r"Used (\d+) registers", said)
    if result.returncode != 0 or not registers:
        return None

    def number(pattern):
        found = re.search(pattern, said)
        return int(found.group(1)) if found else 0

    known = {
        "registers": int(registers.group(1)), "shared": number(r"(\d+) bytes smem"),
        "local": number(r"(\d+) bytes stack frame"), "spilled": number(r"(\d+) bytes spill stores"), "from": "ptxas",
    }  # fmt: skip
    return known | ({"const": number(r"(\d+) bytes cmem")} if "cmem" in said else {})
