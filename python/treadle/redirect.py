"""Runs programs that import `numba.cuda` with Treadle: `python -m treadle.redirect program.py`, or `install()`.

`numba.cuda` and its submodules become `treadle.cuda`; the rest of Numba stays as installed, so that a program may use
`njit` and kernels side by side. If Numba is not installed, `numba` itself is a substitute with `cuda`, `types`, the
types (`float32`, `void`), `vectorize`, `guvectorize` and `core.errors`.
"""

import importlib.abc
import importlib.util
import os
import pkgutil
import runpy
import sys
import types
from functools import partial

from treadle import absent
from treadle.typing.numba_types import teach_types, unteach_types

USAGE = """\
usage: python -m treadle.redirect program.py [argument ...]
       python -m treadle.redirect -m module [argument ...]

Runs the program with numba.cuda being Treadle's."""

# The contents of the substitute if Numba is not installed, besides `cuda`; modules without a counterpart contain only
# other modules.
_STAND_INS = {
    "numba": None,
    "numba.config": "treadle.config",
    "numba.core": None,
    "numba.core.config": "treadle.config",
    "numba.core.errors": "treadle.errors",
    "numba.core.types": "treadle.types",
    "numba.errors": "treadle.errors",
    "numba.np": None,
    "numba.np.numpy_support": "treadle.types",
    "numba.types": "treadle.types",
}

# Modules of numba.cuda whose counterpart is not in treadle.cuda.
_ELSEWHERE = {
    "numba.cuda.config": "treadle.config",
    "numba.cuda.core.config": "treadle.config",
    "numba.cuda.core.errors": "treadle.errors",
    "numba.cuda.np.numpy_support": "treadle.types",
    "numba.cuda.simulator_init": "treadle.cuda.simulator",
    "numba.cuda.types": "treadle.types",
    "numba.cuda.typing.typeof": "treadle.types",
}
# Packages that contain only those.
_EMPTY = ("numba.cuda.core", "numba.cuda.np", "numba.cuda.typing")


class _Alias(importlib.abc.Loader):
    """Loads a module of Treadle under a second name: the same module object, which keeps its own name."""

    def __init__(self, target):
        self.target = target

    def create_module(self, spec):
        module = importlib.import_module(self.target)
        self.own = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.own  # the import system has set the second name's spec


class _Numba(types.ModuleType):
    """The substitute for a package that is not installed."""

    def __getattr__(self, name):
        import treadle.types

        if name in treadle.types.__all__ or name == "typeof":
            return getattr(treadle.types, name)
        if self.__name__ == "numba" and name in _names_of_errors():
            return getattr(importlib.import_module("treadle.errors"), name)
        if self.__name__ == "numba" and name in ("guvectorize", "vectorize"):
            return getattr(treadle, name)
        if f"{self.__name__}.{name}" in _STAND_INS or (self.__name__, name) == ("numba", "cuda"):
            return importlib.import_module(f"{self.__name__}.{name}")
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}': {_absent(self.__name__, name)}")


class _Package(types.ModuleType):
    """A package of numba.cuda in which Treadle has a few modules."""

    def __getattr__(self, name):
        return absent.submodule(self.__name__, name)


class _PackageLoader(importlib.abc.Loader):
    def create_module(self, spec):
        return _Package(spec.name, "What Treadle has of a package of numba.cuda.")

    def exec_module(self, module):
        module.__path__ = []


class _StandInLoader(importlib.abc.Loader):
    def create_module(self, spec):
        return _Numba(spec.name, "What Treadle has of Numba, which is not installed.")

    def exec_module(self, module):
        import treadle.types

        module.__path__ = []
        if module.__name__ == "numba":
            module.__all__ = [*treadle.types.__all__, *_names_of_errors(), "guvectorize", "types", "vectorize"]


def _names_of_errors():
    """The errors and warnings, which Numba has in `numba` as well as in `numba.core.errors`."""
    from treadle import errors

    kinds = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and name[0] != "_"}
    return [name for name, kind in kinds.items() if issubclass(kind, Exception)]


def _absent(package, name):
    return (
        f"Numba is not installed, and treadle.redirect has no '{package}.{name}', only numba.cuda, numba.types, "
        "numba.core.errors and the types"
    )


def _is_cuda(name):
    return name == "numba.cuda" or name.startswith("numba.cuda.")


def _is_missing(module):
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:  # not even the package
        return True


class _CudaFinder(importlib.abc.MetaPathFinder):
    """Finds `numba.cuda` and its submodules. The first finder."""

    def find_spec(self, fullname, path=None, target=None):
        if not _is_cuda(fullname):
            return None
        teach_types()
        if fullname in _EMPTY:
            return importlib.util.spec_from_loader(fullname, _PackageLoader(), is_package=True)
        counterpart = _ELSEWHERE.get(fullname, "treadle" + fullname.removeprefix("numba"))
        if _is_missing(counterpart):
            instead = absent.advice(fullname)
            text = f"Treadle has no module '{fullname}'"
            raise ModuleNotFoundError(text + (f". Instead: {instead}" if instead else ""), name=fullname)
        return importlib.util.spec_from_loader(fullname, _Alias(counterpart))


class _NumbaFinder(importlib.abc.MetaPathFinder):
    """Finds the substitute for `numba`. The last finder, so it is reached only if no other has found one."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname in _STAND_INS:
            counterpart = _STAND_INS[fullname]
            loader = _Alias(counterpart) if counterpart else _StandInLoader()
            return importlib.util.spec_from_loader(fullname, loader, is_package=counterpart is None)
        package, _, name = fullname.rpartition(".")
        if isinstance(sys.modules.get(package), _Numba):
            # Do not set the requested module's name: `from numba import njit` would hide the reason.
            raise ModuleNotFoundError(_absent(package, name), name="numba")
        return None


# --- processes of multiprocessing ------------------------------------------------------------------------------------


class _InChild:
    """Installs the redirection when unpickled: in a child process, before it imports the program's modules."""

    def __reduce__(self):
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        code = f"import sys; sys.path.append({folder!r}); import treadle.redirect; treadle.redirect.install()"
        return exec, (code, {})


def _with_redirection(prepare, name):
    return {**prepare(name), "treadle.redirect": _InChild()}


# --- the two functions -----------------------------------------------------------------------------------------------

_finders = (_CudaFinder(), _NumbaFinder())


def install():
    """Makes `numba.cuda` be `treadle.cuda`, in this process and in those that multiprocessing starts.

    Numba may be imported before or after. RuntimeError if `numba.cuda` itself has been imported already, since its
    importer would keep using the original. A second call does nothing.

    >>> import treadle.redirect
    >>> treadle.redirect.install()
    >>> from numba import cuda
    >>> cuda.__name__
    'treadle.cuda'
    >>> treadle.redirect.uninstall()
    """
    from multiprocessing import spawn

    if _finders[0] in sys.meta_path:
        return
    before = sorted(name for name in sys.modules if _is_cuda(name))
    if before:
        raise RuntimeError(
            f"{before[0]} is already imported: call treadle.redirect.install() before anything imports numba.cuda, or "
            "run the program by `python -m treadle.redirect`"
        )
    sys.meta_path.insert(0, _finders[0])
    sys.meta_path.append(_finders[1])
    spawn.get_preparation_data = partial(_with_redirection, spawn.get_preparation_data)


def uninstall():
    """Undoes `install`: `numba.cuda` is imported again from its own location. Does nothing without an `install`.

    Modules that have imported it meanwhile keep Treadle's.
    """
    from multiprocessing import spawn

    if _finders[0] not in sys.meta_path:
        return
    for finder in _finders:
        sys.meta_path.remove(finder)
    for name in [name for name, module in sys.modules.items() if _is_cuda(name) or _stands_in(name, module)]:
        del sys.modules[name]
    vars(sys.modules.get("numba", types)).pop("cuda", None)
    unteach_types()
    if isinstance(spawn.get_preparation_data, partial) and spawn.get_preparation_data.func is _with_redirection:
        spawn.get_preparation_data = spawn.get_preparation_data.args[0]


def _stands_in(name, module):
    return name in _STAND_INS and (isinstance(module, _Numba) or module.__name__ == _STAND_INS[name])


# --- python -m treadle.redirect --------------------------------------------------------------------------------------


def _fail(message):
    print(f"treadle.redirect: {message}", file=sys.stderr)
    return 2


def _run_module(name, arguments):
    try:
        found = importlib.util.find_spec(name)
        is_package = found is not None and found.submodule_search_locations is not None
        if is_package:
            found = importlib.util.find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as error:
        return _fail(f"cannot find module {name}: {error}")
    if found is None:
        return _fail(f"{name} has no module __main__" if is_package else f"there is no module named {name}")
    sys.argv[1:] = arguments  # argv[0] becomes the module's file
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _run_program(path, arguments):
    folder = pkgutil.get_importer(path)  # or an archive
    try:
        if folder is None:
            open(path, "rb").close()
        elif folder.find_spec("__main__") is None:
            return _fail(f"cannot run {path}: there is no __main__.py in it")
    except OSError as error:
        return _fail(f"cannot open {path}: {error.strerror}")
    # Python puts the program's folder first, or the folder or archive itself if that is the program; `-P` and `-I` omit
    # it.
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[:1] = [os.path.dirname(os.path.abspath(path))] if folder is None else []
    sys.argv[:] = [path, *arguments]
    runpy.run_path(path, run_name="__main__")
    return 0


def main():
    """Runs the program named on the command line, and returns the exit code: 2 if there is nothing to run."""
    arguments = sys.argv[1:]
    if not arguments:
        return _fail(f"no program was given\n{USAGE}")
    if arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if arguments == ["-m"]:
        return _fail(f"-m takes the name of a module\n{USAGE}")
    if arguments[0] != "-m" and arguments[0].startswith("-"):
        return _fail(f"there is no option {arguments[0]}\n{USAGE}")
    install()
    try:
        if arguments[0] == "-m":
            return _run_module(arguments[1], arguments[2:])
        return _run_program(arguments[0], arguments[1:])
    except Exception as error:
        return _report(error)


def _report(error):
    """Reports an uncaught exception as Python does, without the calls that started the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy"):
        trace = trace.tb_next
    error.__traceback__ = trace
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.excepthook(type(error), error, trace)
    return 1


if __name__ == "__main__":
    # Use the imported copy: programs that import treadle.redirect must share its state.
    from treadle.redirect import main as run

    sys.exit(run())
