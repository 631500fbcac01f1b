# The cost of exchanging arrays on the CPU device: compared with NumPy, PyTorch, JAX, tvm-ffi and nanobind.
import peers
from harness import Report, Side, measure, parse, start_sides
from sides.common import LAUNCHES

OWN = ["own argument", "ndarray argument", "interface argument", "attribute", "as_cuda_array", "interface", "capsule",
       "ours from NumPy", "NumPy from NumPy", "NumPy from ours"]  # fmt: skip
SHARED = ["own argument", "tensor argument", "table argument", "PyTorch argument", "PyTorch float argument",
          "ours through C", "PyTorch through C", "tvm-ffi's through C", "ours from PyTorch", "NumPy from PyTorch",
          "PyTorch from NumPy", "PyTorch from ours", "JAX from NumPy", "JAX from ours", "NumPy's into nanobind",
          "ours into nanobind"]  # fmt: skip
ROWS = [
    # description, case, what is subtracted, goal in nanoseconds
    ("launch with an ndarray, over one with a device array", "ndarray argument", ["own argument"], 60),
    ("with what has __cuda_array_interface__, over that and the attribute", "interface argument",
     ["own argument", "attribute"], 250),
    ("as_cuda_array, over the attribute", "as_cuda_array", ["attribute"], None),
    ("__cuda_array_interface__ of a device array", "interface", [], 150),
    ("__dlpack__ of a device array", "capsule", [], 150),
]  # fmt: skip
RATIOS = [
    # description, case, the peer's case; the goal is 1.0
    ("from_dlpack(ndarray): ours over NumPy's", "ours from NumPy", "NumPy from NumPy"),
    ("np.from_dlpack: of a device array over of an ndarray", "NumPy from ours", "NumPy from NumPy"),
]
SHARED_ROWS = [
    ("launch with a tensor of tvm-ffi (__dlpack__), over one with a device array", "tensor argument",
     ["own argument"], 300),
    ("with an array of a class of C++ (exchange table)", "table argument", ["own argument"], 60),
    ("with a tensor of PyTorch of int64 (exchange table)", "PyTorch argument", ["own argument"], None),
    ("with one of float32, which is asked for gradients and negation", "PyTorch float argument",
     ["own argument"], None),
]  # fmt: skip
SHARED_RATIOS = [
    ("through a C function of tvm-ffi and back: ours over PyTorch's", "ours through C", "PyTorch through C"),
    ("from_dlpack(PyTorch's): ours over NumPy's", "ours from PyTorch", "NumPy from PyTorch"),
]
# The same without a goal: what takes a device array, over an ndarray.
OTHER_RATIOS = [
    ("torch.from_dlpack", "PyTorch from ours", "PyTorch from NumPy"),
    ("jax.numpy.from_dlpack", "JAX from ours", "JAX from NumPy"),
    ("a function of nanobind's", "ours into nanobind", "NumPy's into nanobind"),
]


def main():
    arguments = parse("Exchange of arrays with other libraries.")
    report = Report("exchange", "exchange of arrays with other libraries on the CPU device", arguments)
    makers = {
        "treadle": lambda: Side("treadle", "exchange_loops"),
        "libraries": lambda: Side("libraries", "exchange_loops", peers.adopters()),
    }
    sides = start_sides(makers, arguments, report)
    ours = {name: sides["treadle"].open(name) for name in OWN}
    peer = sides.get("libraries")
    shared = {name: peer.open(name) for name in SHARED} if peer else {}
    measure([*ours.values(), *shared.values()], rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.02)
    report.say("\nns each, medians, with Python's loop around each step")
    say(report, ours, ROWS, RATIOS)
    if shared:
        report.say("\nin one process with those libraries")
        times = say(report, shared, SHARED_ROWS, SHARED_RATIOS)
        for what, case, other in OTHER_RATIOS:
            report.say(f"times, a device array over an ndarray into {what}: {times[case] / times[other]:.2f}")
    report.close()


def say(report, cases, rows, ratios):
    times = {name: 1e9 * case.median / LAUNCHES for name, case in cases.items()}
    report.table(["", "ns"], [[name, f"{time:.0f}"] for name, time in times.items()])
    for what, case, subtracted, limit in rows:
        nanoseconds = times[case] - sum(times[other] for other in subtracted)
        if limit is None:
            report.say(f"{what}: {nanoseconds:.0f} ns")
        else:
            report.goal(f"ns: {what}", nanoseconds, limit, at_least=False)
    for what, case, peer in ratios:
        report.goal(f"times: {what}", times[case] / times[peer], 1.0, at_least=False)
    return times


if __name__ == "__main__":
    main()
