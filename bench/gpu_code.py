# GPU code without a GPU: registers and SASS instructions of kernels, compared with nvcc's and numba-cuda's.
from dataclasses import dataclass

import peers
from gpu_code_sass import Sass, Work, is_int64
from gpu_code_tools import Tools
from harness import BUILD, Report, SideError, chosen, geomean, is_wanted, parse, start_sides

# The facts of a launch over separate arrays.
FACTS = {
    "offsets_fit_int32": True,
    "grid_fits_int32": True,
    "no_overlap": True,
    "aligned16": True,
    "full_warps": True,
    "block_class": 32,
}
KERNELS = {
    "saxpy_stride": Work("element", "STG"),
    "black_scholes_f32": Work("thread", "MUFU|STG", threads=1),
    "black_scholes_f64": Work("thread", "MUFU|STG", threads=1),
    "mandelbrot": Work("step", "FSETP"),
    "stencil": Work("thread", "LDG|STG", threads=1),
    "matmul": Work("step of k", "FFMA", around="BAR", expected=16),
    "nbody": Work("pair", "MUFU.RSQ"),
    "reduce_tree": Work("thread", "BAR|RED", threads=1, expected=10),
    "reduce_shuffle": Work("thread", "SHFL|RED", threads=1, expected=9),
    "histogram": Work("element", "ATOMS"),
    "transpose": Work("thread", "LDG|STG", threads=1, expected=8),
    "stencil3d": Work("element", "STG"),
}
OURS, NVCC, NUMBA, BARE = "treadle", "nvcc", "numba-cuda", "no facts"


@dataclass
class Code:
    """registers; instructions of the whole kernel and per unit of work; the 64-bit integer instructions among each."""

    registers: int
    size: int
    int64: int
    per_unit: float
    int64_per_unit: float


def ptx_of(label, name, sides, tools):
    if label == NVCC:
        return tools.compile(name)
    options = {"facts": FACTS} if label == OURS else {}
    case = sides[OURS if label == BARE else label].open(name, label, kind="text", **options)
    case.turn(0.0, least=1, keep=False)
    return bytes(case.outputs()[0]).decode()


def code_of(label, name, sides, tools):
    ptx = ptx_of(label, name, sides, tools)
    registers, listing = tools.assemble(ptx)
    # Kept for inspection.
    folder = BUILD / "gpu_code"
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in (("ptx", ptx), ("sass", listing)):
        (folder / f"{name}-{label.replace(' ', '_')}.{suffix}").write_text(text)
    sass = Sass(listing)
    per_unit, int64_per_unit = sass.per_unit(KERNELS[name])
    return Code(registers, len(sass.operations), sum(map(is_int64, sass.operations)), per_unit, int64_per_unit)


def collect(report, arguments, sides, tools):
    """{kernel: {label: Code}}"""
    found = {}
    labels = [label for label in (OURS, NVCC, NUMBA) if label in sides or label == NVCC]
    labels += [BARE] if OURS in sides else []
    for name in chosen(KERNELS, arguments):
        found[name] = {}
        for label in labels:
            try:
                found[name][label] = code_of(label, name, sides, tools)
            except (SideError, OSError, ValueError) as error:
                report.fail(f"{name}, {label}", str(error).splitlines()[0])
    return found


def over_nvcc(found, what):
    """{kernel: ours over nvcc's}"""
    both = {name: codes for name, codes in found.items() if OURS in codes and NVCC in codes}
    return {name: getattr(codes[OURS], what) / getattr(codes[NVCC], what) for name, codes in both.items()}


def figures(codes, labels, what):
    values = [getattr(codes[label], what) if label in codes else None for label in labels]
    return ["-" if value is None else f"{value:.1f}".removesuffix(".0") for value in values]


def ratio(ratios, name):
    return f"{ratios[name]:.2f}" if name in ratios else "-"


def say_tables(report, found, registers, instructions):
    three = (OURS, NVCC, NUMBA)
    report.say("\nregisters, SASS instructions for a unit of work, and ours over nvcc's")
    heads = ["kernel", "unit", "registers", NVCC, NUMBA, "ratio", "instructions", NVCC, NUMBA, "ratio"]
    rows = [
        [name, KERNELS[name].unit, *figures(codes, three, "registers"), ratio(registers, name)]
        + [*figures(codes, three, "per_unit"), ratio(instructions, name)]
        for name, codes in found.items()
    ]
    rows.append(["geomean", *[""] * 4, f"{geomean(registers.values()):.2f}", *[""] * 3])
    rows[-1].append(f"{geomean(instructions.values()):.2f}")
    report.table(heads, rows)
    report.say("\nof these, instructions on integers of 64 bits; all SASS, and those in it; ours without facts")
    heads = ["kernel", "int64", NVCC, NUMBA, "all", NVCC, NUMBA, "int64 of all", NVCC, NUMBA]
    rows = [
        [
            name,
            *figures(codes, three, "int64_per_unit"),
            *figures(codes, three, "size"),
            *figures(codes, three, "int64"),
        ]
        + [*figures(codes, [BARE], "registers"), *figures(codes, [BARE], "per_unit")]
        for name, codes in found.items()
    ]
    report.table([*heads, "no facts: registers", "instructions"], rows)


def only_ours(report, arguments, sides):
    """Without NVIDIA's tools only the PTX can be examined."""
    rows = []
    for name in chosen(KERNELS, arguments) if sides else []:
        try:
            lines = ptx_of(OURS, name, sides, None).splitlines()
            rows.append([name, sum(line.startswith("\t") and line.endswith(";") for line in lines)])
        except SideError as error:
            report.fail(name, str(error).splitlines()[0])
    report.table(["kernel", "lines of PTX"], rows)
    report.close()


def main():
    arguments = parse("Registers and SASS of kernels beside nvcc and numba-cuda.")
    report = Report("gpu_code", "code for compute capability 9.0, all of it assembled by the same ptxas -O3", arguments)
    if not is_wanted(NVCC, arguments):
        only_ours(report, arguments, start_sides({OURS: peers.ours}, arguments, report))
    try:
        tools = Tools()
        report.say(tools.versions())
    except OSError as error:
        report.say(f"{NVCC}: left out, {error}")
        only_ours(report, arguments, start_sides({OURS: peers.ours}, arguments, report))
    makers = {OURS: lambda: peers.ours(TREADLE_LIBDEVICE=str(tools.libdevice)), NUMBA: peers.numba_cuda}
    sides = start_sides(makers, arguments, report)
    found = collect(report, arguments, sides, tools)
    registers, instructions = over_nvcc(found, "registers"), over_nvcc(found, "per_unit")
    if registers:
        say_tables(report, found, registers, instructions)
        report.goal("geomean of registers over nvcc", geomean(registers.values()), 1.0, at_least=False)
        report.goal("geomean of instructions over nvcc", geomean(instructions.values()), 1.05, at_least=False)
        report.goal("most registers over nvcc", max(registers.values()), 1.3, at_least=False)
        report.goal("most instructions over nvcc", max(instructions.values()), 1.3, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
