"""Programs on two GPUs of the stand-in."""

import runs
from program_heads import DEVICES, RAISES

HEAD = f"""
{DEVICES}{RAISES}
def settle():
    for context in contexts:
        context.synchronize()

def names(call):
    settle()
    with fake.trace() as traced:
        call()
    return traced.names

here, there = full(0), full(1)
"""


def run(program, **settings):
    assert runs.run(HEAD + program, FAKE_CUDA_DEVICES="2", **settings) == ""
