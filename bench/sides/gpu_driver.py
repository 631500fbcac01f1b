# CUDA C by nvcc -O3 on a GPU, and copies by the driver alone, called by ctypes. Times are the GPU's, as in gpu_python.
import ctypes
import os

import numpy as np

from sides import common

DRIVER = ctypes.CDLL("libcuda.so.1")
REPEATS = 2 if os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") == "1" else 20
HOLD = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .entry hold(.param .u64 gate) {
  .reg .pred %p; .reg .b32 %value, %count; .reg .b64 %gate;
  ld.param.u64 %gate, [gate];
  mov.u32 %count, 0;
again:
  ld.volatile.global.u32 %value, [%gate];
  add.u32 %count, %count, 1;
  setp.ne.u32 %p, %value, 0;
  @%p bra done;
  setp.lt.u32 %p, %count, 20000000;
  @%p bra again;
done:
  ret;
}
"""


def call(name, *arguments):
    result = getattr(DRIVER, name)(*arguments)
    if result != 0:
        raise RuntimeError(f"{name} gave {result}")


def made(name, *arguments):
    """The handle or address that a function of the driver returns through its first parameter."""
    value = ctypes.c_void_p()
    call(name, ctypes.byref(value), *arguments)
    return value


call("cuInit", 0)
call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", 0))


def versions():
    version = ctypes.c_int()
    call("cuDriverGetVersion", ctypes.byref(version))
    return f"a driver of CUDA {version.value // 1000}.{version.value % 1000 // 10}, called by ctypes"


def open_case(name, kind="kernel", **options):
    return {"kernel": Kernel, "copy": Copy}[kind](name, **options)


def function_of(image, entry):
    return made("cuModuleGetFunction", made("cuModuleLoadData", image), entry.encode())


def shape(axes):
    return [ctypes.c_uint(extent) for extent in (*axes, 1, 1)[:3]]


class Prepared:
    """A launch with its parameters, which live as long as it does."""

    def __init__(self, function, grid, block, values):
        self.function, self.grid, self.block, self.values = function, shape(grid), shape(block), values
        self.pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))

    def __call__(self, stream):
        call("cuLaunchKernel", self.function, *self.grid, *self.block, 0, stream, self.pointers, None)


def on_device(array):
    memory = made("cuMemAlloc_v2", ctypes.c_size_t(array.nbytes))
    call("cuMemcpyHtoD_v2", memory, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
    call("cuCtxSynchronize")  # the copy may still be under way, and other streams do not wait for it
    return memory


def parameter_of(argument):
    if isinstance(argument, np.ndarray):
        return on_device(argument)
    return np.ctypeslib.as_ctypes_type(argument.dtype)(argument.item())


class Kernel:
    def __init__(self, name, cubin, tiny=False, size=None):
        self.workload = common.workloads.make(name, tiny, **(size or {}))
        self.parameters = [parameter_of(argument) for argument in self.workload.arguments]
        with open(cubin, "rb") as file:
            function = function_of(file.read() + b"\0", name)  # PTX ends so, and cubins have a size
        extents = [ctypes.c_int(extent) for extent in self.workload.extents]
        values = [*self.parameters, *extents]
        self.launch = Prepared(function, common.grid_of(self.workload), self.workload.block, values)
        self.stream = made("cuStreamCreate", 1)
        self.begin, self.end = made("cuEventCreate", 0), made("cuEventCreate", 0)
        memory = made("cuMemHostAlloc", ctypes.c_size_t(4), 2)
        self.gate = ctypes.c_int.from_address(memory.value)
        self.hold = Prepared(function_of(HOLD, "hold"), (1,), (1,), [ctypes.c_uint64(memory.value)])
        self.launch(self.stream)
        call("cuStreamSynchronize", self.stream)

    def run(self):
        self.gate.value = 0
        self.hold(self.stream)
        call("cuEventRecord", self.begin, self.stream)
        for _ in range(REPEATS):
            self.launch(self.stream)
        call("cuEventRecord", self.end, self.stream)
        self.gate.value = 1
        call("cuStreamSynchronize", self.stream)

    def measured(self):
        milliseconds = ctypes.c_float()
        call("cuEventElapsedTime", ctypes.byref(milliseconds), self.begin, self.end)
        return milliseconds.value / 1e3 / REPEATS

    def outputs(self):
        arguments = self.workload.arguments
        for place in self.workload.cleared:
            call("cuMemsetD8_v2", self.parameters[place], 0, ctypes.c_size_t(arguments[place].nbytes))
        call("cuCtxSynchronize")
        self.launch(self.stream)
        call("cuStreamSynchronize", self.stream)
        results = []
        for place in self.workload.outputs:
            result = np.empty_like(arguments[place])
            size = ctypes.c_size_t(result.nbytes)
            call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), self.parameters[place], size)
            results.append(result)
        return results


class Copy:
    def __init__(self, name, size, pinned):
        self.size = ctypes.c_size_t(size)
        self.own = np.ones(size, np.uint8)
        self.device = on_device(self.own)
        self.host = made("cuMemHostAlloc", self.size, 1) if pinned else ctypes.c_void_p(self.own.ctypes.data)
        self.run = {"to the device": self.to_device, "to the host": self.to_host}[name]

    def to_device(self):
        call("cuMemcpyHtoD_v2", self.device, self.host, self.size)
        call("cuCtxSynchronize")

    def to_host(self):
        call("cuMemcpyDtoH_v2", self.host, self.device, self.size)
