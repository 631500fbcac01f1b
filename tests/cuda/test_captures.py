# Launches into the streams of other software while it captures them into a graph.

import pytest
import runs

PROGRAM = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name

x = zeros()
add[1, 128](x, 0)  # compiled and loaded before
cuda.synchronize()
theirs, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuStreamCreate", ctypes.byref(theirs), KIND)
call("cuStreamBeginCapture_v2", theirs, 0)
stream = cuda.external_stream(theirs.value)
add[1, 128, stream](x, 1)
add[1, 128, stream](x, 2)
call("cuStreamEndCapture", theirs, ctypes.byref(graph))
call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
for _ in range(3):
    call("cuGraphLaunch", executable, theirs)
call("cuStreamSynchronize", theirs)
host = np.zeros(100, np.float32)
place, source = ctypes.c_void_p(host.ctypes.data), ctypes.c_uint64(x.device_ctypes_pointer.value)
call("cuMemcpyDtoH_v2", place, source, ctypes.c_size_t(host.nbytes))
assert (host == 9).all(), host
"""


@pytest.mark.parametrize("kind", [0, 1], ids=["blocking", "non-blocking"])
def test_launches_become_nodes_of_the_graph(kind):
    assert runs.run(PROGRAM.replace("KIND", str(kind))) == ""
