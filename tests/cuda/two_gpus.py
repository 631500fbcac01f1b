"""Programs on two GPUs of the stand-in."""

import runs

HEAD = """
import gc

first, second = cuda.gpus
contexts = [one.get_primary_context() for one in cuda.gpus]

def on(device, values):
    with cuda.gpus[device]:
        return cuda.to_device(np.asarray(values, np.float32))

def full(device, value=0, n=100):
    return on(device, np.full(n, value))

def holds(array, value):
    return (array.copy_to_host() == value).all()

def settle():
    for context in contexts:
        context.synchronize()

def raises(error, call, *texts, code=None):
    try:
        call()
    except error as found:
        assert code is None or found.code == code, found
        assert all(text in str(found) for text in texts), found
        return
    raise AssertionError(f"{call} raises nothing")

def names(call):
    settle()
    with fake.trace() as traced:
        call()
    return traced.names

here, there = full(0), full(1)
"""


def run(program, **settings):
    assert runs.run(HEAD + program, FAKE_CUDA_DEVICES="2", **settings) == ""
