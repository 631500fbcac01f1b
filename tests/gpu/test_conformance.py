"""What every device must do: memory, attributes, launches."""

from gpu_borrowed import ON_STAND_IN, borrowed_from

LEFT_OUT = {
    "test_host_view": "the host cannot look at its memory",
    "test_unknown_devices": "what it expects is said where there is no GPU",
}
if ON_STAND_IN:
    LEFT_OUT["test_a_handler_that_raises_ends_a_copy"] = "it takes minutes there"

globals().update(borrowed_from("device/test_conformance.py", LEFT_OUT))
