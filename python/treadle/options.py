"""The options of `cuda.jit` in one table, and their translation for the compiler."""

from treadle._core import CompileOptions, setting

# name: what it does. The error for an unknown option shows this table.
OPTIONS = {
    "device": "True: a device function, which only kernels call",
    "inline": "'always', 'never' or 'auto', or a bool: whether calls of a device function are inlined",
    "forceinline": "True: like inline='always'",
    "debug": "True: check bounds of indices and integer division; errors are raised after the launch",
    "lineinfo": "True: line numbers in the generated code",
    "opt": "optimisation, 0 to 3 or a bool",
    "opt_level": "another name of opt",
    "fastmath": "True: cheaper, less accurate math functions and division",
    "fast_math": "another name of fastmath",
    "max_registers": "registers a thread may use on CUDA",
    "launch_bounds": "most threads of a block, or (threads, least blocks of a multiprocessor, most of a cluster)",
    "rules": "'numba' or 'cuda-python': the rules of types and arithmetic",
    "annotations_as_signatures": "True: annotations of all parameters are the signature",
    "argtypes": "types of the arguments, with restype: the old way of writing a signature",
    "restype": "type of the result",
    "target": "accepted for old programs: 'cuda', 'gpu' or 'cpu'",
    "bind": "accepted for old programs, without effect",
    "cache": "accepted; compiled code is not kept between processes",
    "link": "files to link with; none are supported yet, so it must be empty",
    "extensions": "argument handlers; none are supported yet, so it must be empty",
    "cc": "compute capability that inspect_ptx shows code for, a tuple such as (8, 0)",
    "chip": "the same as a string such as 'sm_80'",
}

_RULES = ("numba", "cuda-python")
_CORE_OPTIONS = (
    "debug", "lineinfo", "fastmath", "opt", "max_registers", "max_threads", "min_blocks", "cluster_rank"
)  # fmt: skip


def option_table():
    """The options, one per line."""
    width = max(map(len, OPTIONS))
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in OPTIONS.items())


def _inline(value):
    names = {"always": True, "never": False, "auto": None}
    if isinstance(value, str):
        if value not in names:
            raise ValueError(f"inline must be 'always', 'never', 'auto' or a bool, found {value!r}")
        return names[value]
    return True if value else None


def _flag(options, *names):
    """The first of the names that is given, as a bool. Numbers are accepted for old programs; None counts as not
    given."""
    for name in names:
        value = options.get(name)
        if value is None:
            continue
        if isinstance(value, (str, bytes)) or not (isinstance(value, (bool, int)) or hasattr(value, "__bool__")):
            raise ValueError(f"{name} must be True or False, found {value!r}")
        return bool(value)
    return False


def _registers(value):
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"max_registers must be an int from 0 (no limit) on, found {value!r}")
    return value


def _optimization(options):
    if "opt" in options and "opt_level" in options:
        raise ValueError("opt and opt_level are the same option: give one of them")
    value = options.get("opt", options.get("opt_level"))
    if value is None:
        known = setting("TREADLE_OPT")
        value = {"0": 0, "1": 1, "2": 2, "3": 3, "max": 3}.get(known)
        if value is None:
            raise ValueError(f"TREADLE_OPT must be 0, 1, 2, 3 or max, found {known!r}")
    if isinstance(value, bool):
        return 3 if value else 0
    if value not in (0, 1, 2, 3):
        raise ValueError(f"opt must be 0, 1, 2, 3 or a bool, found {value!r}")
    return int(value)


def _launch_bounds(value):
    if value is None:
        return 0, 0, 0
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(parts) <= 3 or not all(type(part) is int and part >= 0 for part in parts):
        raise ValueError(f"launch_bounds must be an int or a tuple (threads, blocks, cluster), found {value!r}")
    if not 1 <= parts[0] <= 1024:
        raise ValueError(f"launch_bounds allows {parts[0]} threads; a block has 1 to 1024")
    return (*parts, 0, 0)[:3]


def capability(cc, chip=None):
    """Compute capability times ten from (8, 0), 80, 8.0, "8.0" or chip "sm_80"; 0 if neither is given."""
    if chip is not None:
        text = str(chip).removeprefix("sm_").removeprefix("compute_").rstrip("af")
        if not text.isdigit():
            raise ValueError(f"chip must be like 'sm_80', found {chip!r}")
        return int(text)
    if cc is None:
        return 0
    if isinstance(cc, (tuple, list)) and len(cc) == 2:
        return int(cc[0]) * 10 + int(cc[1])
    if isinstance(cc, int) and not isinstance(cc, bool):
        return cc
    try:
        return round(float(cc) * 10)
    except (TypeError, ValueError):
        raise ValueError(f"cc must be a tuple such as (8, 0), found {cc!r}") from None


class Options:
    """Checked options of one function. Raises ValueError for unknown names and values."""

    def __init__(self, options):
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            raise ValueError(f"unknown option {unknown[0]!r} of cuda.jit; the options are\n{option_table()}")
        for name in ("link", "extensions"):
            if options.get(name):
                raise NotImplementedError(f"{name}= is not supported: {OPTIONS[name]}")
        self.given = dict(options)
        self.device = _flag(options, "device")
        self.rules = options.get("rules", "numba")
        if self.rules not in _RULES:
            raise ValueError(f"rules must be 'numba' or 'cuda-python', found {self.rules!r}")
        self.inline = True if _flag(options, "forceinline") else _inline(options.get("inline", "auto"))
        self.debug = _flag(options, "debug") if options.get("debug") is not None else setting("TREADLE_DEBUGINFO") != 0
        self.lineinfo = _flag(options, "lineinfo")
        self.fastmath = _flag(options, "fastmath", "fast_math")
        self.opt = _optimization(options)
        self.max_registers = _registers(options.get("max_registers"))
        self.max_threads, self.min_blocks, self.cluster_rank = _launch_bounds(options.get("launch_bounds"))
        self.cc = capability(options.get("cc"), options.get("chip"))

    def core(self, abi_name=""):
        """The options that change the code, as the extension takes them. `abi_name`: the symbol of a C device
        function."""
        options = CompileOptions()
        for name in _CORE_OPTIONS:
            setattr(options, name, getattr(self, name))
        options.abi_name = abi_name
        return options
