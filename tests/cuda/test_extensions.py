"""Argument handlers on the CUDA device (A18): they may copy to it themselves, on the launch's stream."""

import runs

PROGRAM = """
class Frame:
    def __init__(self, values):
        self.values = np.array(values, np.float32)

class Frames:
    def prepare_args(self, ty, val, stream, retr):
        if not isinstance(val, Frame):
            return ty, val
        device = cuda.to_device(val.values, stream=stream)
        retr.append(lambda: device.copy_to_host(val.values, stream=stream))
        return None, device

kernel = cuda.jit(extensions=[Frames()])(add.py_func)
frame, stream = Frame(range(6)), cuda.stream()
kernel[1, 32, stream](frame, 2)
stream.synchronize()
print(frame.values.tolist())
kernel[1, 32](zeros(), 1)
"""


def test_handlers_copy_to_the_device():
    assert runs.run(PROGRAM) == "[2.0, 3.0, 4.0, 5.0, 6.0, 7.0]\n"
