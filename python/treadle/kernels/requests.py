"""Compile requests without a launch: rules, options, compute capability and facts."""

from treadle import _core
from treadle.kernels.options import capability

# The compute capability of compile_ptx if neither the caller nor a CUDA device specifies one.
DEFAULT_CC = 90


def request_of(options, cc, facts=None, abi_name=""):
    """The extension's request to compile a function without launching it. `cc` 0: the default one."""
    request = _core.CompileRequest()
    request.rules = options.rules
    request.device = options.device
    request.options = options.core(abi_name)
    request.cc = cc or capability(_core.setting("TREADLE_DEFAULT_PTX_CC") or None) or DEFAULT_CC
    request.facts = _facts_from({} if facts is None else facts)
    return request


def _facts_from(given):
    if not isinstance(given, dict):
        raise TypeError(f"facts must be a dict of names and values, found {given!r}")
    facts = _core.Facts()
    names = [name for name in dir(facts) if not name.startswith("_")]
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"there is no fact {name!r}; there are {', '.join(names)}")
        if name == "block_class":
            if value not in (1, 4, 8, 16, 32):
                raise ValueError(f"the fact block_class must be 1, 4, 8, 16 or 32, found {value!r}")
        elif not isinstance(value, bool):
            raise TypeError(f"the fact {name!r} must be True or False, found {value!r}")
        setattr(facts, name, value)
    return facts
