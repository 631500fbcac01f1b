"""A kernel on a cluster: Dask sends it to processes, each of which runs it over partitions of an array.

python examples/dask_cluster.py [elements] [processes]        # needs Dask: pip install distributed

A kernel travels like any other object, with the text it was compiled from and the constants it has captured; each
process compiles it once, for its own device. Set TREADLE_CPU_THREADS so that the processes share the cores.
"""

import sys

import numpy as np
from treadle import cuda


def make_kernel(steps):
    """A kernel that captures `steps`: how many terms of the continued fraction it takes."""

    @cuda.jit
    def fraction(x, out):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for _ in range(steps):
                value = x[i] + 1.0 / value
            out[i] = value

    return fraction


def fraction_numpy(x, steps):
    value = x.copy()
    for _ in range(steps):
        value = x + 1.0 / value
    return value


def run_partition(kernel, x):
    """What each process does with a partition: on a GPU the arrays would stay there between kernels."""
    out = cuda.device_array_like(x)
    kernel[(x.size + 255) // 256, 256](cuda.to_device(x), out)
    return out.copy_to_host()


def on_cluster(client, x, steps, partitions):
    """The fraction of every element, computed by the processes of a `distributed.Client`."""
    kernel = make_kernel(steps)
    # Keys made from the data would be shared with an earlier scatter of it, whose release may drop the new parts.
    parts = client.scatter(np.array_split(x, partitions), hash=False)
    return np.concatenate(client.gather([client.submit(run_partition, kernel, part) for part in parts]))


def main(elements=1_000_000, processes=2):
    from distributed import Client, LocalCluster

    x = np.linspace(1, 2, elements)
    options = {"n_workers": processes, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        found = on_cluster(client, x, 20, 4 * processes)
    print("largest difference from NumPy:", np.abs(found - fraction_numpy(x, 20)).max())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
