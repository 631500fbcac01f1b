# Runs a kernel's source thread by thread, in Python, by the oracle's rules.
"""`Kernel(source, rules, types)` translates; calling it runs a launch. Arrays are `kernel_values.Array`s."""

import inspect
import itertools

import numpy as np

from oracle import number_types as nt
from oracle.kernel_code import Module
from oracle.kernel_exprs import ArrayType, RecordType
from oracle.kernel_values import Array, Helpers, Rejected


def array_of(values):
    """A NumPy array as an oracle array with its own list. Records are dictionaries."""
    names = values.dtype.names
    if not names:
        return Array(values.ravel().tolist(), values.dtype.name, values.shape)
    records = [dict(zip(names, record, strict=True)) for record in values.ravel().tolist()]
    fields = RecordType(tuple((name, values.dtype[name].name) for name in names))
    return Array(records, fields, values.shape)


def numpy_of(array):
    """The elements of an oracle array."""
    places = [range(n) for n in array.shape]
    flat = [array.data[array.place(*where)] for where in itertools.product(*places)]
    if isinstance(array.dtype, RecordType):
        return np.array([tuple(record.values()) for record in flat], list(array.dtype.fields)).reshape(array.shape)
    return np.array(flat, dtype=nt.dtype(array.dtype)).reshape(array.shape)


def type_of(argument):
    """The oracle's type of a kernel argument: an Array, a NumPy scalar or a Python number."""
    if isinstance(argument, Array):
        return ArrayType(argument.dtype, len(argument.shape))
    if isinstance(argument, np.generic):
        return argument.dtype.name
    return {bool: nt.BOOL, int: "int64", float: "float64"}[type(argument)]


class Kernel:
    """The function `kernel` of a source text, for one tuple of argument types."""

    def __init__(self, source, rules, argument_types, watch=None):
        """`watch`: a `Watch`, if threads may race."""
        self.watch = watch
        self.module = Module(source, rules, Helpers())
        symbol, _ = self.module.function("kernel", tuple(argument_types))
        self.text = "\n".join(self.module.texts)
        names = self.module.helpers
        self.hits = names["hit"] = bytearray(2 * len(self.module.notes) + 2)
        if watch:
            watch.install(names)
        exec(compile(self.text, "<oracle>", "exec"), names)
        self.function = names[symbol]

    @property
    def mask_depth(self):
        return self.module.mask_depth

    def used(self):
        """(construct, how it varied, later iteration) of everything that ran."""
        return [
            (kind, shape, bool(later))
            for position, (kind, shape) in enumerate(self.module.notes)
            for later in (0, 1)
            if self.hits[2 * position + later]
        ]

    def __call__(self, grid, block, *arguments):
        values = [a.item() if isinstance(a, np.generic) else a for a in arguments]
        for place in itertools.product(*(range(n) for n in reversed(grid))):
            self._run_block(tuple(reversed(place)), grid, block, values)

    def _run_block(self, place, grid, block, values):
        shared = {}

        def shared_array(line, shape, dtype):
            if line not in shared:
                shared[line] = Array([None] * int(np.prod(shape)), dtype, shape)
            return shared[line]

        threads = [
            (x, y, z, *place, *block, *grid, shared_array)
            for z in range(block[2])
            for y in range(block[1])
            for x in range(block[0])
        ]
        try:
            if inspect.isgeneratorfunction(self.function):
                self._run_in_step({t[:6]: self.function(t, *values) for t in threads})
            else:
                for t in threads:
                    if self.watch:
                        self.watch.thread = t[:6]
                    self.function(t, *values)
        except TypeError as error:
            raise Rejected(f"shared memory was read before it was written: {error}") from error

    def _run_in_step(self, threads):
        """Runs each thread to its next barrier, until all have ended; barriers wait for threads that have not ended."""
        ended = object()
        while threads:
            for name, thread in list(threads.items()):
                if self.watch:
                    self.watch.thread = name
                if next(thread, ended) is ended:
                    del threads[name]
