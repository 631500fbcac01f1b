"""Shows arrays of kernels in gdb and cuda-gdb: shape, dtype and the first elements.

`source PATH` in the debugger, or in ~/.gdbinit, with the path that `python -m treadle.gdb_arrays` prints. The debugger
runs this file by a Python of its own, without Treadle.
"""

# The maximum number of elements shown along each axis.
MOST = 8


def is_array(fields, name):
    """Whether a structure with these fields is one of Treadle's arrays, or of Numba's."""
    return name is not None and name.startswith("array(") and {"data", "nitems", "itemsize"} <= set(fields)


def text(shape, strides, read):
    """Nested brackets with the first elements; `read`: the text of the element at an offset in bytes."""

    def axis(shape, strides, offset):
        if not shape:
            return read(offset)
        shown = [axis(shape[1:], strides[1:], offset + k * strides[0]) for k in range(min(shape[0], MOST))]
        return "[" + ", ".join(shown + ["..."] * (shape[0] > MOST)) + "]"

    return axis(shape, strides, 0)


class Printer:
    """gdb's pretty printer for one array."""

    def __init__(self, gdb, value):
        self.gdb, self.value = gdb, value

    def to_string(self):
        data = self.value["data"]
        fields = {field.name for field in self.value.type.fields()}
        shape, strides = (self._numbers(name) if name in fields else () for name in ("shape", "strides"))
        head = f"shape={shape}, dtype={data.type.target()}"
        try:
            return f"array({head}, {text(shape, strides, self._read)})"
        except self.gdb.MemoryError:
            return f"array({head}, its elements cannot be read)"

    def _numbers(self, name):
        field = self.value[name]
        low, high = field.type.range()
        return tuple(int(field[k]) for k in range(low, high + 1))

    def _read(self, offset):
        data = self.value["data"]
        byte = self.gdb.lookup_type("char").pointer()
        return str((data.cast(byte) + offset).cast(data.type).dereference())


def register(gdb):
    """Registers the printer with the debugger, once."""

    def find(value):
        kind = value.type.strip_typedefs()
        if kind.code != gdb.TYPE_CODE_STRUCT or not is_array([field.name for field in kind.fields()], kind.name):
            return None
        return Printer(gdb, value)

    find.__name__ = "treadle"
    if all(getattr(known, "__name__", "") != "treadle" for known in gdb.pretty_printers):
        gdb.pretty_printers.append(find)


if __name__ == "__main__":
    try:
        import gdb  # type: ignore[import-untyped]
    except ImportError:
        print(__file__)
    else:
        register(gdb)
