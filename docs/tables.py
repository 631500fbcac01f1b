"""Prints into docs/, src/README.md and README.md what the code says better: settings, error classes, the list of source
files; what of numba.cuda works; and what the last run on a GPU was.

`tables.py` rewrites the tables; `tables.py --check` only says which are out of date, and fails if any is.
A table stands between the lines `<!-- table NAME -->` and `<!-- end -->`.
"""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import feature_rows
from gpu_runs import last_run

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build/dev/treadle"

# The folders of src/ in the order data flows, with what each is for.
FOLDERS = {
    "support": "What everything leans on: errors with source spans, settings, memory for trees.",
    "support/text": "JSON, and numbers in the C locale.",
    "support/format": "What {fmt} is compiled to.",
    "support/files": "Files, the on-disk LRU cache, traces as files, and what identifies a library.",
    "types": "Types and what is said in terms of them: signatures, the facts of a launch, the two rules for numbers.",
    "types/names": "Types as NumPy, the struct module, signatures and tokens name them.",
    "border": "What compiler and runtime both see: plain data and abstract classes, below either.",
    "math": "The routines of vector math: which there are, by which symbols code names them, where they are.",
    "math/own": "Vector routines of our own, compiled once for each instruction set.",
    "syntax": "A Python function as a tree with positions and without types.",
    "builtins": "The table of everything that kernels can call.",
    "infer": "From syntax and a signature to the typed tree.",
    "infer/flow": "Names before they have types: scopes, definitions and what they reach; copies of syntax.",
    "infer/tree": "Building a typed tree: nodes, statements, conversions, constants; and texts for messages.",
    "infer/instances": "Each function for each list of types, once: its key, the types of its definitions, its slots.",
    "infer/values": "From typed values to typed values: arrays, texts, sequences, members of enumerations, operators.",
    "infer/calls": "Calls of builtins, of types and of methods, on typed arguments.",
    "infer/expressions": "From the syntax of an expression to a typed value: one part for each kind of expression.",
    "infer/statements": "From the syntax of a statement to typed statements: assignments, stores into arrays, loops.",
    "infer/aliasing": "Whether an assignment reads what it has written.",
    "typed": "The typed tree, the one form that both generators read.",
    "passes": "The passes over a typed tree, and the order in which they run.",
    "passes/analyses": "What is found out about a typed tree: which slots, loops, arrays and barriers it has.",
    "passes/grid": "How the threads of a grid become warps, regions between barriers and shares of workers.",
    "passes/ranges": "The possible values of integers, and what follows from them.",
    "passes/rewrites": "Rewrites of a typed tree: each copies the tree and changes no result.",
    "codegen": "What both generators share: the meaning of every operation over lanes, optimisation, images.",
    "codegen/ptx": "One thread per lane: PTX.",
    "codegen/cpu": "One warp per vector: native code.",
    "codegen/cpu/lanes": "Values of a warp's lanes as vectors: arithmetic, masks, memory, atomics.",
    "codegen/cpu/warp": "Control flow of a warp: branches, loops, calls, fibers, collectives.",
    "codegen/cpu/machine": "From LLVM IR to linked machine code: the optimiser, the target, the object linker.",
    "codegen/ptx/math": "Functions that PTX lacks, compiled to bitcode when Treadle is built.",
    "codegen/library": "What only the finished compiler library needs.",
    "device": "Devices and what is made from them, abstractly.",
    "device/cpu": "The CPU as a device.",
    "device/cpu/threads": "Worker threads and fibers, and the memory that they use while kernels run.",
    "device/cpu/code": "Machine code: loading it, what it calls, and which features the processor has.",
    "device/cuda": "CUDA devices.",
    "device/cuda/driver": "The CUDA driver's functions, contexts and events.",
    "device/cuda/code": "Modules: code that the driver has loaded.",
    "memory": "Owned memory and views of it.",
    "interop": "Arrays of other libraries: what protocols say of them, checked.",
    "runtime": "What there is once in a process: the devices, the compiler library, the code cache, events, captures.",
    "launch": "What happens at each launch: from arguments to a kernel that runs.",
    "capi": "The C API of include/treadle/treadle.h.",
    "python": "The extension module: the only folder that sees Python. Its rooms, each of which sees those before it:",
    "python/host": "Python as the host: errors, the GIL, references, and streams and devices as Python objects.",
    "python/source": "From a Python function to its syntax tree.",
    "python/types": "Types and Python: names, dtypes, kinds of values, host memory.",
    "python/arrays": "Device arrays as Python objects.",
    "python/interop": "The protocols of exchange, in Python's terms.",
    "python/names": "What the names in a kernel mean.",
    "python/launch": "Dispatchers, launchers and their arguments.",
}


def settings() -> str:
    rows = subprocess.run([PROGRAMS / "settings_table"], capture_output=True, text=True, check=True).stdout
    return "| variable | value | default | Numba's name | what it does |\n|---|---|---|---|---|\n" + rows


def without_effect() -> str:
    from treadle.config import REASONS

    rows = "".join(f"| `NUMBA_{name}` | {reason} |\n" for name, reason in REASONS.items())
    return "| variable | why it changes nothing |\n|---|---|\n" + rows


def math() -> str:
    rows = subprocess.run([PROGRAMS / "math_table"], capture_output=True, text=True, check=True).stdout
    return "| function | type | CUDA | CPU | own | the CPU's routine |\n|---|---|---|---|---|---|\n" + rows


def errors() -> str:
    """The exception classes of treadle.errors with the first sentence of their docstrings, below their bases."""
    from treadle import errors as module

    found = inspect.getmembers(module, inspect.isclass)
    classes = {item for name, item in found if item.__module__.startswith("treadle") and not name.startswith("_")}
    lines = ["| class | is a | raised when |", "|---|---|---|"]
    for item in sorted(classes, key=lambda c: (len(c.__mro__), c.__name__)):
        named = [base.__base__ if base.__name__.startswith("_") else base for base in item.__bases__]
        bases = ", ".join(f"`{base.__name__}`" for base in named)
        sentence = " ".join((inspect.getdoc(item) or "").partition("\n\n")[0].split())
        lines.append(f"| `{item.__name__}` | {bases} | {sentence} |")
    return "\n".join(lines) + "\n"


def codes() -> str:
    """The driver's results that Treadle gives itself."""
    from treadle import _core

    rows = sorted((number, name) for name, number in vars(_core.CudaResult).items() if name.isupper())
    return "| code | the driver's name |\n|---|---|\n" + "".join(f"| {n} | `CUDA_ERROR_{name}` |\n" for n, name in rows)


def first_sentence(path: Path) -> str:
    """Of the comment that a file starts with."""
    comment = re.match(r"(?://[^\n]*\n)+", path.read_text())
    assert comment, f"{path} does not say what it is"
    text = " ".join(line.lstrip("/ ") for line in comment.group().splitlines())
    return re.split(r"(?<=\.)\s+(?=[A-Z])", text)[0]


def sources() -> str:
    """A section per folder, a line per file. The order of lines that are there is kept; new files come last."""
    before = (ROOT / "src/README.md").read_text()
    order = {name: index for index, name in enumerate(re.findall(r"^- `([^`]+)`", before, re.M))}
    sections = []
    for folder, purpose in FOLDERS.items():
        here = [path for path in (ROOT / "src" / folder).glob("*") if path.suffix in (".h", ".cpp", ".c")]
        stems: dict[str, list[Path]] = {}
        for path in sorted(here, key=lambda p: (p.suffix != ".h", p.name)):
            stems.setdefault(path.stem, []).append(path)
        if not stems:
            continue
        keys = sorted(stems, key=lambda stem: (order.get(f"{folder}/{stem}", len(order)), stem))
        lines = [f"- `{folder}/{stem}`: {first_sentence(stems[stem][0])}" for stem in keys]
        sections.append(f"## {folder}\n\n{purpose}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(sections)


def gpu() -> str:
    return last_run(ROOT / "bench/results")


TABLES = {
    "settings": ("docs/settings.md", settings),
    "without_effect": ("docs/settings.md", without_effect),
    "math": ("docs/math.md", math),
    "errors": ("docs/errors.md", errors),
    "codes": ("docs/errors.md", codes),
    "sources": ("src/README.md", sources),
    "gpu": ("README.md", gpu),
    "totals": ("docs/migrating.md", feature_rows.totals),
    "rows": ("docs/migrating.md", feature_rows.table),
}


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, (page, make) in TABLES.items():
        path = ROOT / page
        text = path.read_text()
        pattern = re.compile(rf"(<!-- table {name} -->\n).*?(\n?<!-- end -->)", re.S)
        assert pattern.search(text), f"{page} has no place for the table {name}"
        table = make().rstrip("\n")
        updated = pattern.sub(lambda match, table=table: f"{match.group(1)}\n{table}\n\n<!-- end -->", text)
        if updated == text:
            continue
        stale.append(page)
        if not check:
            path.write_text(updated)
    print(
        "\n".join(f"{page} {'is out of date: run ./dev docs' if check else 'is new'}" for page in stale)
        or "all up to date"
    )
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
