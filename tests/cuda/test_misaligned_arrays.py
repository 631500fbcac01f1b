"""Arrays of the host whose elements lie at addresses from which a GPU cannot load them, as it sees them."""

import runs

HEAD = """
packed = np.dtype([("flag", np.uint8), ("x", np.float32), ("y", np.float64)])
def records(n=9):
    made = np.zeros(n, packed)
    made["x"] = made["y"] = np.arange(n)
    return made
def refused(call, text):
    try:
        call()
    except BufferError as error:
        assert text in str(error), error
        return
    raise AssertionError("it was launched")
"""


def test_a_copy_begins_where_the_elements_lie_right():
    runs.run(
        HEAD
        + """
packet = np.zeros(33, np.uint8)
x = packet[1:].view(np.float32)
add[1, 128](x, 3)
assert (x == 3).all()
made = records()
add[1, 128](made["y"], 1)
assign[1, 128](made["x"], made["y"])
assert made["y"].tolist() == made["x"].tolist() == list(range(1, 10))
assert not made["flag"].any()
@cuda.jit
def add_both(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] += source[i]
        to[i] += source[i]
add_both[1, 128](made["x"], made["x"])  # they have one copy
assert made["x"].tolist() == [4 * n for n in range(1, 10)]
cuda.synchronize()
"""
    )


def test_arrays_that_overlap_and_cannot_all_lie_right_are_refused():
    runs.run(
        HEAD
        + """
packet = np.zeros(64, np.uint8)
first, second = packet[1:33].view(np.float32), packet[2:34].view(np.float32)
refused(lambda: assign[1, 128](first, second), "arrays of the host share memory in such a way")
assert not packet.any()
cuda.synchronize()
"""
    )


def test_arrays_of_the_device_that_lie_wrong_are_refused():
    runs.run(
        HEAD
        + """
made, plain = cuda.to_device(records()), cuda.to_device(np.zeros(33, np.uint8))
for view in (made["x"], plain[1:].view(np.float32)):
    refused(lambda: add[1, 128](view, 1), "add: argument 1 ('x') has elements at addresses that are no multiples of 4")
    refused(lambda: assign[1, 128](zeros(), view), "assign: argument 2 ('source')")
add[1, 128](plain[1:], 1)
with fake.trace() as traced:
    add[1, 128](zeros()[1:], 1)
assert traced.of("cuLaunchKernelEx")
cuda.synchronize()
"""
    )
