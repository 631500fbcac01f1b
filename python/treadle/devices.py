"""The device that kernels run on, as Numba describes devices."""

from treadle import _core


class _Name(str):
    """A name that is text, and that programs for older versions may decode."""

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """The device. Every CU_DEVICE_ATTRIBUTE_* is an attribute without that prefix, such as MAX_THREADS_PER_BLOCK."""

    id = 0

    @property
    def name(self):
        """The processor's name."""
        return _Name(_core.device_name())

    @property
    def compute_capability(self):
        """A tuple such as (9, 0)."""
        return divmod(_core.device_compute_capability(), 10)

    def __getattr__(self, attribute):
        number = _core.device_attribute_numbers().get(attribute)
        if number is None:
            raise AttributeError(f"devices have no attribute '{attribute}'")
        value = _core.device_attribute(number)
        setattr(self, attribute, value)
        return value

    def __dir__(self):
        return [*super().__dir__(), *_core.device_attribute_numbers()]

    def __repr__(self):
        return f"<CPU device {self.id} '{self.name}'>"

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(("treadle device", self.id))


_device = Device()


def get_current_device():
    """The device of this thread."""
    return _device


def is_available():
    """True where kernels can be launched, which the CPU device always allows. Never raises."""
    try:
        _core.device_compute_capability()
    except Exception:
        return False
    return True


def detect():
    """Prints what device there is, and returns True where kernels can run on it."""
    if not is_available():
        print("No device found")
        return False
    major, minor = _device.compute_capability
    print("Found 1 device")
    print(f"id 0    {_device.name}    [SUPPORTED]")
    print(f"                      Compute Capability: {major}.{minor}")
    print(f"                                 Workers: {_device.MULTIPROCESSOR_COUNT}")
    return True


def synchronize():
    """Waits until all launches and copies on the device are done."""
    _core.synchronize()
