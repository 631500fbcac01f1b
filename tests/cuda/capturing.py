"""Programs on the stand-in in which other software captures streams."""

import runs

HEAD = """
import ctypes
import gc
import weakref
driver = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name

def fetched(x):
    call("cuCtxSynchronize")
    host = np.zeros(100, np.float32)
    place, source = ctypes.c_void_p(host.ctypes.data), ctypes.c_uint64(x.device_ctypes_pointer.value)
    call("cuMemcpyDtoH_v2", place, source, ctypes.c_size_t(host.nbytes))
    assert (host == host[0]).all(), host
    return host[0]

class Theirs:
    '''A stream of other software, captured in a block.'''
    def __init__(self, flags=1, mode=0):
        self.stream, self.graph, self.executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.mode = mode
        call("cuStreamCreate", ctypes.byref(self.stream), flags)
        self.handle = self.stream.value
    def __enter__(self):
        call("cuStreamBeginCapture_v2", self.stream, self.mode)
        return cuda.external_stream(self.handle)
    def __exit__(self, *_):
        call("cuStreamEndCapture", self.stream, ctypes.byref(self.graph))
        call("cuGraphInstantiateWithFlags", ctypes.byref(self.executable), self.graph, ctypes.c_ulonglong(0))
        call("cuGraphDestroy", self.graph)
    def replay(self, times=1):
        for _ in range(times):
            call("cuGraphLaunch", self.executable, self.stream)
    def end(self):
        call("cuStreamSynchronize", self.stream)
        call("cuGraphExecDestroy", self.executable)

def refused(function, *arguments, text=""):
    try:
        function(*arguments)
    except errors.CudaAPIError as error:
        assert error.code == 900 and text in str(error), error
    else:
        raise AssertionError(f"{function} was not refused")

x = zeros()
add[1, 128](x, 0)  # compiled and loaded before
cuda.synchronize()
"""


def run(program, **settings):
    assert runs.run(HEAD + program, **settings) == ""
