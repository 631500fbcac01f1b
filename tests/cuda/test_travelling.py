"""Pickled kernels on the CUDA device (AB3): they are compiled for it where they arrive."""

import runs

PROGRAM = """
import pickle, subprocess, sys

@cuda.jit(device=True)
def twice(x):
    return 2 * x

@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = twice(x[i]) + 1

"""
USED = """
x = cuda.to_device(np.arange(4, dtype=np.float32))
kernel[1, 4](x)
add[1, 4](x, 1)
print(x.copy_to_host().tolist(), kernel.__module__)
print("sm_" in kernel.inspect_ptx()[kernel.signatures[0]])
"""


def test_kernels_arrive_on_cuda():
    data = runs.run(PROGRAM + "print(pickle.dumps([add, kernel]).hex())").strip()
    arrived = "import pickle, sys\nadd, kernel = pickle.loads(bytes.fromhex(sys.argv[1]))\n" + USED
    assert runs.run(arrived, data) == "[2.0, 4.0, 6.0, 8.0] __main__\nTrue\n"


def test_after_a_launch():
    data = runs.run(PROGRAM + USED + "print(pickle.dumps([add, kernel]).hex())").splitlines()[-1]
    arrived = "import pickle, sys\nadd, kernel = pickle.loads(bytes.fromhex(sys.argv[1]))\n" + USED
    assert runs.run(arrived, data) == "[2.0, 4.0, 6.0, 8.0] __main__\nTrue\n"
