"""Kernels with argument handlers or a profile of their compilations: launches pass through Python first.

`cuda.jit(extensions=[...])`, `cuda.jit(profile_jit=...)`. Other kernels do not use this module.
"""

from treadle import _core
from treadle.kernels.dispatcher import Dispatcher


def _type_of(value):
    """The type that a kernel would see; None for a value that only a handler understands."""
    try:
        return _core.types_of(value)[0]
    except TypeError:
        return getattr(value, "_numba_type_", None)


class ExtendedLauncher:
    """A configured launch. Calling it runs the handlers, launches, and calls the functions that they have left in
    `retr`."""

    def __init__(self, dispatcher, launcher, stream):
        self.dispatcher = dispatcher
        self._launcher = launcher
        self._stream = stream

    def __repr__(self):
        return repr(self._launcher)

    def __call__(self, *args):
        after: list = []
        arguments = [self._prepared(value, after) for value in args]
        self.dispatcher.profiled(self._launcher, *arguments)
        for work in after:
            work()

    def _prepared(self, value, after):
        """The argument as converted by the handlers; the last one runs first, as in Numba."""
        type_ = _type_of(value)
        for handler in reversed(self.dispatcher.options.extensions):
            type_, value = handler.prepare_args(type_, value, stream=self._stream, retr=after)
        return value


class ExtendedDispatcher(Dispatcher):
    """A kernel with `extensions` or `profile_jit`."""

    def __getitem__(self, key):
        stream = key[2] if isinstance(key, tuple) and len(key) > 2 else 0
        return ExtendedLauncher(self, super().__getitem__(key), stream)

    def compile(self, sig):
        """`Dispatcher.compile`, with a profile if one is asked for."""
        return self.profiled(super().compile, sig)

    def profiled(self, work, *args):
        """Runs `work`; where that compiles something and `profile_jit` is given, prints or saves the profile."""
        target = self.options.profile
        if target is None:
            return work(*args)
        from cProfile import Profile

        before, profile = _core.compilation_counts(self), Profile()
        try:
            return profile.runcall(work, *args)
        finally:
            if _core.compilation_counts(self) != before:
                self._report(profile, target)

    def _report(self, profile, target):
        import sys
        from pstats import Stats

        print(f"profile of compiling {self.__qualname__}", file=sys.stderr)
        Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(30)
        if target is not True:
            profile.dump_stats(target)
