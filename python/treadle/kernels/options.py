"""The options of `cuda.jit` in one table, and their translation for the compiler."""

from treadle._core import CompileOptions, setting

# name: what it does. The error for an unknown option shows this table. Numba's other names of options, and its options
# without effect, are rows as well: `jit` and `compile` take them all, and nothing may import the modules of Numba's
# names (treadle.cuda), where a table of their own would have to be.
OPTIONS = {
    "device": "True: a device function, which only kernels call",
    "inline": "'always', 'never' or 'auto', a bool, or a function (call, caller, callee) -> bool that is asked at each "
    "compilation: whether calls of a device function are inlined",
    "forceinline": "True: like inline='always'",
    "debug": "True: check bounds of indices and integer division; errors are raised after the launch. Debug "
    "information, with opt=False for variables as well",
    "lineinfo": "True: line numbers in the generated code, for profilers",
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
    "experimental_ast_transforms": "a bool, accepted without effect: consteval and what is known while compiling need "
    "no option",
    "cache": "False: the compiled code is not kept for later processes, as it is otherwise",
    "shared_memory_carveout": "shared memory's share of a multiprocessor's on CUDA: 0 to 100 percent, 'maxl1' (0), "
    "'maxshared' (100), -1 or 'default' (the driver's choice)",
    "link": "files to link with; none are supported yet, so it must be empty",
    "lto": "accepted if it is not True: Treadle links no LTO-IR",
    "extensions": "argument handlers: objects with prepare_args(type, value, stream=..., retr=...)",
    "abi": "of a device function, 'numba' or 'c': whether its symbol is its name",
    "abi_info": "a dict; 'abi_name': the symbol of a device function with the C ABI",
    "capi": "True, or a symbol: like abi='c', with the function's name or this symbol",
    "features": "the least version of PTX to write, such as '+ptx80'; unset, the least that the code needs",
    "ptxas_options": "options of ptxas: -O0 to -O3, --maxrregcount=N, --generate-line-info, as opt=, max_registers=, "
    "lineinfo= here",
    "dump": "True: print the typed tree and the code generated from it, to stderr",
    "dump_numba_ir": "True: print the typed tree",
    "dump_mlir": "True: print the code as it is generated",
    "dump_llvmir": "True: print the code as it is optimised",
    "dump_ptx": "True: print the PTX",
    "dump_cubin": "True: print the machine code of the CPU device; that of GPUs is the driver's",
    "dump_ast": "True: print the function as it was read",
    "dump_ast_after_all": "another name of dump_ast",
    "print_before_all": "True: print the code before it is optimised",
    "print_after_all": "True: print the code after it is optimised",
    "profile_jit": "True: print a profile of Python's part of compilations to stderr; a path: save it there, too",
    "help": "True: print this table, and exit",
    "cc": "compute capability that inspect_ptx shows code for, a tuple such as (8, 0)",
    "chip": "the same as a string such as 'sm_80'",
}

# The stages that options print.
_STAGES = {
    "dump": ("typed", "llvm"),
    "dump_numba_ir": ("typed",),
    "dump_mlir": ("llvm",),
    "dump_llvmir": ("optimized",),
    "dump_ptx": ("ptx",),
    "dump_cubin": ("asm",),
    "dump_ast": ("syntax",),
    "dump_ast_after_all": ("syntax",),
    "print_before_all": ("llvm",),
    "print_after_all": ("optimized",),
}

_RULES = ("numba", "cuda-python")
_CORE_OPTIONS = [name for name in vars(CompileOptions) if not name.startswith("_") and name != "abi_name"]


def option_table():
    """The options, one per line."""
    width = max(map(len, OPTIONS))
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in OPTIONS.items())


def _inline(value):
    names = {"always": True, "never": False, "auto": None}
    if isinstance(value, str):
        if value not in names:
            raise ValueError(f"inline must be 'always', 'never', 'auto', a bool or a function, found {value!r}")
        return names[value]
    return value if callable(value) else True if value else None


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


def _carveout(value):
    if value is None:
        return -1
    percent = {"default": -1, "maxl1": 0, "maxshared": 100}.get(value.lower()) if isinstance(value, str) else value
    if isinstance(percent, bool) or not isinstance(percent, int) or not -1 <= percent <= 100:
        raise ValueError(
            f"shared_memory_carveout must be an int from -1 to 100, 'default', 'maxl1' or 'maxshared', found {value!r}"
        )
    return percent


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


def _extensions(value):
    found = tuple(value or ())
    for one in found:
        if not callable(getattr(one, "prepare_args", None)):
            raise TypeError(
                f"extensions must have a method prepare_args(type, value, stream=..., retr=...), found {one!r}"
            )
    return found


def _symbol(options, device):
    """True: the function's name; a text: this; empty: none."""
    abi, info, capi = options.get("abi", "numba"), options.get("abi_info"), options.get("capi", False)
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi must be 'numba' or 'c', found {abi!r}")
    if not isinstance(capi, (bool, str)):
        raise ValueError(f"capi must be True, False or a symbol, found {capi!r}")
    if info is not None and not isinstance(info, dict):
        raise ValueError(f"abi_info must be a dict such as {{'abi_name': 'f'}}, found {info!r}")
    name = (info or {}).get("abi_name", capi if capi else True)
    if abi == "numba" and not capi:
        return ""
    if not device:
        raise NotImplementedError("kernels have an ABI of their own: the C ABI is for device functions")
    if name is not True and not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(f"a symbol must be an identifier of C, found {name!r}")
    return name


_PTX_VERSIONS = (60, 61, 62, 63, 64, 65, *range(70, 79), *range(80, 86))


def _ptx_version(features):
    """Times ten; 0: what the code needs."""
    if not features:
        return 0
    versions = [word.strip().removeprefix("+ptx") for word in str(features).split(",")]
    if not all(word.isdecimal() and int(word) in _PTX_VERSIONS for word in versions):
        raise ValueError(f"features must be versions of PTX from +ptx60 to +ptx85, found {features!r}")
    return max(map(int, versions))


def _of_ptxas(options):
    """The options with those of ptxas as Treadle's own. The driver assembles PTX: there is no ptxas to be told more."""
    text = options.get("ptxas_options")
    if not text:
        return options
    import re

    translated = dict(options)
    for word in re.split(r"[ ,]+", text) if isinstance(text, str) else text:
        if match := re.fullmatch(r"(?:-O|--opt-level=|-opt-level=)([0-3])", word):
            translated.setdefault("opt", int(match[1]))
        elif match := re.fullmatch(r"--?maxrregcount=(\d+)", word):
            translated.setdefault("max_registers", int(match[1]))
        elif word in ("--generate-line-info", "-lineinfo"):
            translated.setdefault("lineinfo", True)
        elif word not in ("-v", "--verbose"):
            raise NotImplementedError(f"ptxas_options {word!r} is not known: the driver assembles Treadle's PTX")
    return translated


def _dumps(options):
    """The stages to print, in the order of compilation."""
    wanted = {stage for name, stages in _STAGES.items() if _flag(options, name) for stage in stages}
    return ",".join(stage for stage in ("syntax", "typed", "llvm", "optimized", "ptx", "asm") if stage in wanted)


def _profile(value):
    if value is not None and not isinstance(value, (bool, str)) and not hasattr(value, "__fspath__"):
        raise ValueError(f"profile_jit must be True, False or a path, found {value!r}")
    return value or None


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
        if options.get("help"):
            print(f"the options of cuda.jit are\n{option_table()}")
            raise SystemExit(0)
        if options.get("link"):
            raise NotImplementedError(f"link= is not supported: {OPTIONS['link']}")
        if options.get("lto"):
            raise NotImplementedError("lto=True is not supported: Treadle links no LTO-IR")
        self.given = dict(options)
        options = _of_ptxas(options)
        self.ptx_version = _ptx_version(options.get("features"))
        self.device = _flag(options, "device")
        self.rules = options.get("rules", "numba")
        if self.rules not in _RULES:
            raise ValueError(f"rules must be 'numba' or 'cuda-python', found {self.rules!r}")
        self.inline = True if _flag(options, "forceinline") else _inline(options.get("inline", "auto"))
        _flag(options, "experimental_ast_transforms")
        self.debug = _flag(options, "debug") if options.get("debug") is not None else setting("TREADLE_DEBUGINFO") != 0
        self.lineinfo = _flag(options, "lineinfo")
        self.fastmath = _flag(options, "fastmath", "fast_math")
        self.opt = _optimization(options)
        self.max_registers = _registers(options.get("max_registers"))
        self.max_threads, self.min_blocks, self.cluster_rank = _launch_bounds(options.get("launch_bounds"))
        self.carveout = _carveout(options.get("shared_memory_carveout"))
        self.cc = capability(options.get("cc"), options.get("chip"))
        self.extensions = _extensions(options.get("extensions"))
        self.symbol = _symbol(options, self.device)
        self.dumps = _dumps(options)
        self.cache = options.get("cache") is None or _flag(options, "cache")
        self.profile = _profile(options.get("profile_jit"))

    def symbol_of(self, function):
        """The symbol of a device function with the C ABI; empty for others."""
        return function.__name__ if self.symbol is True else self.symbol

    def core(self, abi_name=""):
        """The options that change the code, for the extension. `abi_name`: `symbol_of` the function."""
        options = CompileOptions()
        for name in _CORE_OPTIONS:
            setattr(options, name, getattr(self, name))
        options.abi_name = abi_name
        return options
