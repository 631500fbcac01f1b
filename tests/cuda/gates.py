"""Programs with streams whose work waits until a gate is opened."""

import runs

# A stream whose work waits until its gate is opened. Queries run nothing here, a thread does: the stand-in's own would
# wait for the kernel at the gate. For FAKE_CUDA_QUERIES=NEVER.
NEVER = str(10**9)
GATE = """
import gc, threading, time

@cuda.jit
def wait(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

class Gate:
    def __init__(self):
        self.flag = cuda.mapped_array(1, np.int32)
        self.flag[0] = 0
        self.stream = cuda.stream(nonblocking=True)
        wait[1, 1, self.stream](self.flag)

    def open(self):
        self.flag[0] = 1
        self.stream.synchronize()

def run_all():
    while True:
        fake.step(8)
        time.sleep(0.001)

threading.Thread(target=run_all, daemon=True).start()

def address(array):
    return array.device_ctypes_pointer.value

context = cuda.current_context()
memory = context.memory_manager
"""


def gated(program, **settings):
    runs.run(GATE + program, FAKE_CUDA_QUERIES=NEVER, **settings)
