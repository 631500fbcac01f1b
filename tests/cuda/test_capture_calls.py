# What captures cost: the calls of the driver.

import runs
from capturing import HEAD


def test_calls_of_a_captured_launch_and_of_a_replay():
    assert runs.answer(
        HEAD
        + """
import json
launch = add[1, 128]
for _ in range(4):
    launch(x, 0)
cuda.synchronize()
with cuda.graph() as graph:
    with fake.trace() as captured:
        launch(x, 1)
with fake.trace() as replayed:
    graph.replay()
with fake.trace() as launched:
    launch(x, 1)
print(json.dumps([captured.all_names, replayed.all_names, launched.all_names]))
"""
    ) == [
        ["cuCtxGetCurrent", "cuStreamGetCaptureInfo", "cuCtxGetCurrent", "cuCtxGetCurrent", "cuStreamGetCaptureInfo",
         "cuCtxGetCurrent", "cuStreamGetCaptureInfo", "cuCtxGetCurrent", "cuLaunchKernelEx"],
        ["cuCtxGetCurrent", "cuGraphLaunch"],
        ["cuCtxGetCurrent", "cuLaunchKernelEx"],
    ]  # fmt: skip


def test_calls_that_ask_and_relax():
    """Once for a launch on a stream that others may capture, not for other streams; and around what captures forbid."""
    asks = ["cuCtxGetCurrent", "cuStreamGetCaptureInfo"]
    relaxed = "cuThreadExchangeStreamCaptureMode"
    assert runs.answer(
        HEAD
        + """
import json
def names(function, *arguments):
    with fake.trace() as traced:
        function(*arguments)
    return traced.all_names

theirs, ours, shown = Theirs().handle, cuda.stream(), cuda.stream()
shown.handle
for stream in (theirs, ours, shown):
    add[1, 128, stream](x, 0)
cuda.synchronize()
answers = [names(add[1, 128, stream], x, 0) for stream in (theirs, ours, shown)]
cuda.synchronize()
made, context = [], cuda.current_context()
answers.append(names(lambda: made.append(cuda.device_array(5_000_000))))
answers.append(names(lambda: (made.clear(), context.deallocations.clear(), context.memory_manager.trim())))
print(json.dumps(answers))
"""
    ) == [
        [*asks, "cuCtxGetCurrent", "cuLaunchKernelEx", "cuCtxGetCurrent", "cuEventRecord"],
        ["cuCtxGetCurrent", "cuLaunchKernelEx"],
        [*asks, "cuCtxGetCurrent", "cuLaunchKernelEx"],
        ["cuCtxGetCurrent", relaxed, "cuMemAlloc", relaxed],
        ["cuCtxGetCurrent", relaxed, "cuMemFree", relaxed],
    ]
