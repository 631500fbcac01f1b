"""Records in the device's memory, as the host uses them."""

from _operator import index

from treadle.devices.devicearray import DeviceNDArray


class DeviceRecord(DeviceNDArray):
    """One record in the device's memory: an element of an array of records, or a copy of a `numpy.void`.

    Its fields are accessed by name, and in kernels as attributes of the record.

    >>> import numpy
    >>> from treadle import cuda
    >>> particles = cuda.to_device(numpy.zeros(3, [("mass", "f4"), ("position", "f4", (2,))]))
    >>> particle = particles[1]
    >>> particle["mass"] = 2.5
    >>> float(particle["mass"]), particle["position"].shape
    (2.5, (2,))
    >>> particles.copy_to_host()["mass"].tolist()
    [0.0, 2.5, 0.0]
    """

    __slots__ = ()

    def __getitem__(self, name):
        if name is Ellipsis or name == ():
            return self
        return super().__getitem__(self._name(name))

    def _name(self, field):
        if isinstance(field, str):
            return field
        names = self.dtype.names
        if not -len(names) <= index(field) < len(names):
            raise IndexError(f"the record has {len(names)} fields, found index {field}")
        return names[field]

    def setitem(self, key, value, stream=0):
        super().setitem(key if key is Ellipsis or key == () else self._name(key), value, stream)

    def copy_to_host(self, ary=None, stream=0):
        """The record as a `numpy.void`, or copied into `ary`: a record or a 0-d array of the same dtype."""
        host = super().copy_to_host(stream=stream)
        if ary is None:
            return host[()]
        if getattr(ary, "dtype", None) != self.dtype:
            raise TypeError(f"expected a record of {self.dtype}, found {getattr(ary, 'dtype', type(ary).__name__)}")
        for name in ary.dtype.names:
            ary[name] = host[name]
        return ary
