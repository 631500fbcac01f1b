# PoCL's side: the same kernels in OpenCL C over the same arrays, in place, on PoCL's CPU device.
import fresh
import numpy as np
import pyopencl as cl

from sides import common


def _device():
    for platform in cl.get_platforms():
        if platform.name == "Portable Computing Language":
            return platform.get_devices(cl.device_type.CPU)[0]
    raise RuntimeError("no PoCL among the OpenCL platforms")


device = _device()
context = cl.Context([device])
queue = cl.CommandQueue(context)


def versions():
    return f"{device.version}, pyopencl {cl.VERSION_TEXT}"


def open_case(name, kind="run", **options):
    return Run(name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        text, number = fresh.source(f"opencl/{name}.cl")
        self.kernel = getattr(cl.Program(context, text).build(), f"{name}_{number}")
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        self.buffers = [
            cl.Buffer(context, flags, hostbuf=argument) if isinstance(argument, np.ndarray) else argument
            for argument in self.workload.arguments
        ]
        self.kernel.set_args(*self.buffers, *map(np.int32, self.workload.extents))
        blocks = common.grid_of(self.workload)
        self.threads = tuple(count * size for count, size in zip(blocks, self.workload.block, strict=True))

    def run(self):
        cl.enqueue_nd_range_kernel(queue, self.kernel, self.threads, self.workload.block)
        queue.finish()

    def outputs(self):
        made = []
        for position in self.workload.outputs:
            array = np.empty_like(self.workload.arguments[position])
            cl.enqueue_copy(queue, array, self.buffers[position])
            made.append(array)
        return made
