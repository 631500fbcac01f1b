"""Waiting for the CUDA device: other threads run, and Ctrl-C ends the wait, not the work."""

from gates import gated


def test_a_copy_behind_blocking_streams_lets_other_threads_run():
    """It waits for them on the legacy default stream, as the driver's own copy would: there with the GIL."""
    gated("""
flag = cuda.mapped_array(1, np.int32)
flag[0] = 0
blocking, x = cuda.stream(), zeros()
wait[1, 1, blocking](flag)
threading.Timer(0.3, lambda: flag.__setitem__(0, 1)).start()
assert (x.copy_to_host() == 0).all()
""")


def test_ctrl_c_ends_a_copy_behind_blocking_streams():
    gated("""
import _thread
flag = cuda.mapped_array(1, np.int32)
flag[0] = 0
blocking, x = cuda.stream(), zeros()
wait[1, 1, blocking](flag)
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    x.copy_to_host()
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("the copy was not ended")
flag[0] = 1
assert (x.copy_to_host() == 0).all()
""")


def test_ctrl_c_leaves_work_running_and_its_memory_in_use():
    """Kernels on a GPU cannot be ended: the wait is, and nothing that the kernel uses is handed out."""
    gated("""
import _thread
gate = Gate()
a = cuda.device_array(1000, np.float32, stream=gate.stream)
add[4, 256, gate.stream](a, 1)
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    gate.stream.synchronize()
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("the wait was not ended")
place = address(a)
del a
context.deallocations.clear()
held = [cuda.device_array(1000, np.float32) for _ in range(12)]
assert place not in map(address, held)
gate.open()
del held
x = zeros()
add[1, 128](x, 1)
assert (x.copy_to_host() == 1).all()
""")  # fmt: skip


def test_ctrl_c_at_a_launch_with_host_arrays():
    """The launch ends with the kernel still running, whose staged memory stays in use."""
    gated("""
import _thread

@cuda.jit
def wait_and_write(flag, x):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass
    x[cuda.grid(1)] = 7

flag = cuda.mapped_array(1, np.int32)
flag[0] = 0
stream = cuda.stream(nonblocking=True)
host = np.zeros(32, np.float32)
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    wait_and_write[1, 32, stream](flag, host)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("the launch was not ended")
assert (host == 0).all()
staged = {one.handle for one in fake.live("device")}
held = [cuda.device_array(32, np.float32) for _ in range(12)]
assert not staged & set(map(address, held))
flag[0] = 1
stream.synchronize()
wait_and_write[1, 32, stream](flag, host)
assert (host == 7).all()
""")  # fmt: skip


def test_dropping_a_kernel_waits_for_nothing():
    """The driver unloads modules after all work: those of dropped kernels stay until nothing runs."""
    gated("""
def dropped():
    @cuda.jit
    def local(x):
        x[0] += 1
    x = zeros()
    local[1, 1](x)
    cuda.default_stream().synchronize()
    del local
    gc.collect()

gate = Gate()
dropped()
context.deallocations.clear()
assert fake.calls_of("cuModuleUnload") == 0
gate.open()
cuda.synchronize()
assert fake.calls_of("cuModuleUnload") == 1
dropped()
assert fake.calls_of("cuModuleUnload") == 2
gate = Gate()
dropped()
gate.open()
cuda.get_current_device().reset()
dropped()
assert fake.calls_of("cuModuleUnload") == 3
""")
