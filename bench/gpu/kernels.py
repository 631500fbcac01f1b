# Kernels on a GPU by its own clock, beside the same in CUDA C by nvcc -O3, and numba-cuda's.
import peers
from gpu_code import KERNELS
from gpu_code_tools import Tools
from harness import BUILD, Side, SideError, chosen, geomean, measure, start_sides, us

# Larger than those for two cores, where that keeps a GPU busy longer than a launch takes.
SIZES = {
    "saxpy_stride": {"n": 1 << 25, "blocks": 2048},
    "black_scholes_f32": {"n": 1 << 22},
    "black_scholes_f64": {"n": 1 << 22},
    "stencil": {"rows": 4096, "columns": 4096},
    "matmul": {"n": 1024},
    "nbody": {"n": 16384},
    "reduce_tree": {"n": 1 << 24},
    "reduce_shuffle": {"n": 1 << 24},
    "histogram": {"n": 1 << 26, "blocks": 2048},
}
OURS, NVCC, NUMBA = "treadle", "nvcc -O3", "numba-cuda"
# A thread's sum in another order: more terms than on two cores.
SLACK = 8


def python_side(label, module):
    return Side(label, "gpu_python", peers.python_of(label), {**peers.on_driver(None), "BENCH_CUDA": module})


def driver_side():
    return Side(NVCC, "gpu_driver", environment=peers.on_driver(None))


class KernelTable:
    def __init__(self, report, arguments, device):
        self.report, self.arguments, self.device = report, arguments, device
        makers = {
            OURS: lambda: python_side(OURS, "treadle.cuda"),
            NVCC: driver_side,
            NUMBA: lambda: python_side(NUMBA, "numba.cuda"),
        }
        self.sides = start_sides(makers, arguments, report)
        self.tools = self.find_tools()

    def find_tools(self):
        try:
            tools = Tools()
            self.report.say(tools.versions())
            return tools
        except OSError as error:
            self.report.say(f"{NVCC}: left out, {error}")
            self.sides.pop(NVCC, None)
            return None

    def options(self, label, name):
        options = {"tiny": True} if self.arguments.tiny else {"size": SIZES.get(name)}
        if label == NVCC:
            suffix = "ptx" if self.device.is_stand_in else "cubin"
            path = BUILD / "gpu" / f"{name}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            self.tools.build(name, self.device.architecture, path)
            options["cubin"] = str(path)
        return options

    def cases_of(self, name):
        """{label: Case} of a kernel, each with a correct result."""
        import workloads

        size = {} if self.arguments.tiny else SIZES.get(name, {})
        workload = workloads.make(name, self.arguments.tiny, **size)
        cases = {}
        for label, side in self.sides.items():
            try:
                case = side.open(name, label, **self.options(label, name))
                workload.check(case.outputs(), label, SLACK)
                cases[label] = case
            except (SideError, OSError, ValueError) as error:
                self.report.fail(f"{name}, {label}", str(error).splitlines()[0])
        return cases

    def measure(self):
        """{kernel: {label: seconds}}"""
        found = {}
        for name in chosen(KERNELS, self.arguments):
            cases = self.cases_of(name)
            measure(list(cases.values()), rounds=1 if self.arguments.tiny else 7, seconds=0.05, least=3, rest=0.01)
            found[name] = {label: case.median for label, case in cases.items()}
            for case in cases.values():
                case.close()
        return found

    def say(self):
        found = self.measure()
        labels = [label for label in (OURS, NVCC, NUMBA) if label in self.sides]
        rows, ratios = [], {label: [] for label in labels[1:]}
        for name, times in found.items():
            row = [name, *(us(times[label]) if label in times else "-" for label in labels)]
            for label in labels[1:]:
                both = label in times and OURS in times
                ratio = times[label] / times[OURS] if both else None
                ratios[label] += [ratio] if both else []
                row.append(f"{ratio:.2f}" if both else "-")
            rows.append(row)
        means = [f"{geomean(ratios[label]):.2f}" for label in labels[1:]]
        rows.append(["geomean", *[""] * len(labels), *means])
        self.report.section("Kernels: us by the GPU's clock, medians; how many times as long theirs take")
        self.report.table(["kernel", *labels, *(f"{label} / ours" for label in labels[1:])], rows)
        for side in self.sides.values():
            side.close()
