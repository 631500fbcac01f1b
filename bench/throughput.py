# Speed of kernels on two cores at default accuracy, compared with OpenMP C, Numba's prange, PoCL and Dr.Jit.
import peers
import workloads
from harness import Report, SideError, chosen, geomean, measure, parse, start_sides, wall_and_cpu

# Dr.Jit compiles expressions over whole arrays; the other kernels are none.
OF_DRJIT = ("black_scholes_f32", "black_scholes_f64")
OTHERS = ("Numba prange", "PoCL", "Dr.Jit")
C_VARIANTS = ["natural", "simd", "fast", "wide", "simd wide", "fast wide", "simd fast", "simd fast wide"]


def open_cases(sides, name, arguments):
    """Every case of one kernel by label, checked against NumPy; reports and omits cases that cannot be opened."""
    wanted = [("treadle", "treadle", {}), ("treadle", "treadle fastmath", {"fastmath": True})]
    wanted += [("OpenMP C", f"C {variant}", {"variant": variant}) for variant in [*C_VARIANTS, "libmvec"]]
    wanted += [("Numba prange", "Numba prange", {}), ("PoCL", "PoCL", {})]
    if name in OF_DRJIT:
        wanted += [("Dr.Jit", "Dr.Jit", {})]
    workload = workloads.make(name, arguments.tiny)
    cases = {}
    for side, label, options in wanted:
        if side not in sides:
            continue
        case = sides[side].open(name, label, tiny=arguments.tiny, **options)
        case.turn(0.0, least=1, keep=False)
        relaxed = "fast" in label or "libmvec" in label
        workload.check(case.outputs(), label, slack=100 if relaxed else 1)
        cases[label] = case
    return cases


def compare(name, cases, arguments, rows):
    rounds, seconds = (1, 0.01) if arguments.tiny else (5, 0.12)
    measure(list(cases.values()), rounds=rounds, seconds=seconds)
    variants = [f"C {variant}" for variant in C_VARIANTS if f"C {variant}" in cases]
    best = min(variants, key=lambda label: cases[label].median, default="C natural")
    rows.append({"name": name, "cases": cases, "best": best})


def time_cells(row):
    cases = row["cases"]
    cells = [row["name"]]
    for label in ("treadle", "treadle fastmath", "C natural", row["best"], "C libmvec", *OTHERS):
        cells.append(wall_and_cpu(cases[label]) if label in cases else "-")
    return [*cells[:5], row["best"][2:], *cells[5:]]


def ratios(rows, label_of):
    """The peer's time over ours, for the kernels that have both."""
    found = {}
    for row in rows:
        label = label_of(row)
        if label in row["cases"] and "treadle" in row["cases"]:
            found[row["name"]] = row["cases"][label].median / row["cases"]["treadle"].median
    return found


def summary(report, rows):
    natural = ratios(rows, lambda row: "C natural")
    best = ratios(rows, lambda row: row["best"])
    pocl = ratios(rows, lambda row: "PoCL")
    prange = ratios(rows, lambda row: "Numba prange")
    libmvec = ratios(rows, lambda row: "C libmvec")
    report.say("\nhow many times faster treadle is at default accuracy")
    columns = {"natural C": natural, "best C": best, "C + libmvec": libmvec, "Numba prange": prange, "PoCL": pocl}
    columns["Dr.Jit"] = ratios(rows, lambda row: "Dr.Jit")
    table = [
        [row["name"], *(f"{column[row['name']]:.2f}" if row["name"] in column else "-" for column in columns.values())]
        for row in rows
    ]
    table.append(["geomean", *(f"{geomean(column.values()):.2f}" for column in columns.values())])
    report.table(["kernel", *columns], table)
    if natural:
        report.goal("geomean over natural C", geomean(natural.values()), 2.0)
        report.goal("least over natural C", min(natural.values()), 0.7)
        report.goal("geomean over the best C", geomean(best.values()), 1.1)
        rest = [ratio for name, ratio in best.items() if name != "mandelbrot"]
        report.goal("geomean over the best C without mandelbrot", geomean(rest), 0.95)
    if pocl:
        report.goal("geomean over PoCL", geomean(pocl.values()), 4.0)


def main():
    arguments = parse("Kernels on two cores beside OpenMP C, Numba, PoCL and Dr.Jit.")
    report = Report("throughput", "kernels on two cores, launch included", arguments)
    makers = {
        "treadle": peers.ours,
        "OpenMP C": peers.openmp,
        "Numba prange": peers.numba_prange,
        "PoCL": peers.pocl,
        "Dr.Jit": peers.drjit,
    }
    sides = start_sides(makers, arguments, report)
    rows = []
    for name in chosen(workloads.ALL, arguments):
        try:
            cases = open_cases(sides, name, arguments)
            compare(name, cases, arguments, rows)
        except (SideError, ValueError) as error:
            report.fail(name, error)
    report.say("\nms of wall time (and of CPU time), medians")
    heads = ["kernel", "treadle", "fastmath", "natural C", "best C", "which", "C + libmvec", *OTHERS]
    report.table(heads, [time_cells(row) for row in rows])
    summary(report, rows)
    report.close()


if __name__ == "__main__":
    main()
