"""What every device must do: memory, attributes, launches (tests/device), streams and events (tests/python)."""

from gpu.borrowed import tests_of

HOST = "the host cannot look at its memory"

globals().update(
    tests_of(
        "device/test_conformance.py",
        {
            "test_host_view": HOST,
            "test_unknown_devices": "what it expects is said where there is no GPU",
        },
    )
)
