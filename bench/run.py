# Runs the benchmarks: all but `before` in sequence, or those named on the command line; other arguments are passed on.
import subprocess
import sys
from pathlib import Path

BENCHMARKS = {
    "import_time": "from treadle import cuda over bare Python",
    "compile_ptx": "warm, a Python function to PTX, beside numba-cuda and NVRTC",
    "gpu_code": "registers and SASS instructions beside nvcc and numba-cuda",
    "first_kernel": "the first kernel of a fresh process on the CPU device",
    "cpu_code": "warm, a Python function to CPU code, beside Numba and Taichi",
    "launch": "a launch with 1, 4 and 16 arrays on the CPU device",
    "memory": "allocation, slices, copies and launches on streams of the CPU device",
    "exchange": "arrays of other libraries as arguments, imports and exports, beside NumPy and tvm-ffi",
    "cuda_launch": "launches, allocations and the first kernel on a CUDA driver that does nothing, beside numba-cuda's",
    "capi": "launches and exchanges of arrays of a C program, on the CPU device and on a CUDA driver that does nothing",
    "soak": "costs of launches after many others, on the CPU device and on a CUDA driver that does nothing",
    "throughput": "kernels on two cores, beside OpenMP C, Numba, PoCL and Dr.Jit",
    "cpu_user_kernels": "kernels as users write them, on one thread, beside OpenMP C",
    "ufuncs": "functions of elements over whole arrays, beside NumPy and Numba's vectorize",
    "cooperation": "kernels whose threads work together, beside C, PoCL, Numba, Taichi and Warp",
    "random_numbers": "xoroshiro128p beside NumPy's generators, and the creation of its states beside numba-cuda's",
    "reduce": "cuda.reduce beside NumPy and another design of it",
    "block_shapes": "mandelbrot and stencil in other shapes of block than (32, 8)",
    "scaling": "compile time over the number of composed device functions",
    "compile_growth": "compile time over the size of kernels in many shapes",
    "compile_all": "processor time to compile every kernel of the examples, benchmarks and tests to CPU code",
    "ptxmachine": "thread instructions a second of the machine that runs PTX in place of a GPU",
    "before": "this build beside an earlier one, --before=FOLDER; only where it is named",
}


def main():
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    options = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown or "--help" in options:
        print("usage: ./dev bench [NAME...] [--record] [--tiny] [--only=KERNELS] [--without=SIDES] [--before=FOLDER]")
        for name, question in BENCHMARKS.items():
            print(f"  {name:<15}{question}")
        return f"bench: there is no benchmark '{unknown[0]}'" if unknown else 0
    failed = []
    for name in names or [name for name in BENCHMARKS if name != "before"]:
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), *options]
        if subprocess.run(command, check=False).returncode != 0:
            failed.append(name)
        print()
    return f"bench: failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
