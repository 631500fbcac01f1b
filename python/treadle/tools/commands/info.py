"""`treadle info`: devices, versions, settings and caches, as text or as JSON."""

import json
import platform
import sys

from treadle import _core
from treadle.devices.availability import cuda_error
from treadle.devices.devices import gpus

# Libraries that Treadle exchanges arrays with, or uses if they are installed.
LIBRARIES = ("numpy", "cupy", "torch", "jax", "pyarrow", "ml_dtypes", "scipy", "yaml", "numba")

# The replacement for a section that failed, with the reason.
_FAILED = "cannot be shown"


def arguments(parser):
    """Adds what the command takes."""
    parser.add_argument("--json", action="store_true", help="print JSON: {section: {name: value}}")


def run(given):
    """Prints the sections; the exit code is 1 if no kernel can run, or a section fails."""
    found = sections()
    print(json.dumps(found, indent=2) if given.json else text(found), flush=True)
    return 1 if "none" in found["devices"] or any(_FAILED in values for values in found.values()) else 0


def sections():
    """{section: {name: value}}, in the order in which they are printed. Values are texts, numbers, lists or dicts."""
    makers = {"versions": versions, "libraries": libraries, "devices": devices, "CPU code": cpu_code,
              "settings": settings, "caches": caches}  # fmt: skip
    return {name: _made(make) for name, make in makers.items()}


def _made(make):
    """A failure in one section does not affect the others."""
    try:
        return make()
    except Exception as error:
        return {_FAILED: str(error) or type(error).__name__}


def versions():
    """Versions of Treadle and its components."""
    facts = _core.build_facts()
    found = {
        "treadle": _core.__version__, "build": facts["build"], "LLVM": facts["llvm"],
        "Python": f"{platform.python_version()} ({sys.executable})", "system": platform.platform(),
        "library": facts["library"], "compiler library": facts["compiler"],
    }  # fmt: skip
    if "failure" in facts:
        found["compiler cannot be used"] = facts["failure"]
    return found


def libraries():
    """{library: version} of those that are installed. They are not imported."""
    from importlib import metadata

    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version({"yaml": "PyYAML"}.get(name, name))
        except metadata.PackageNotFoundError:
            continue
    return found


def devices():
    """{device: description}; if there is none, why."""
    error = cuda_error()
    if error is not None:
        return {"none": str(error)}
    found = {}
    for device in gpus:
        free, total = device.get_primary_context().get_memory_info()
        about = {
            "name": str(device.name), "kind": _core.device_kind(device.id),
            "compute capability": "{}.{}".format(*device.compute_capability), "UUID": device.uuid,
            "memory": f"{total} bytes, {free} free", "multiprocessors": device.MULTIPROCESSOR_COUNT,
        }  # fmt: skip
        about.update(_core.device_details(device.id))
        found[f"device {device.id}"] = about
    return found


def cpu_code():
    """The processor features that code for the CPU device uses."""
    features = _core.build_facts().get("features", "")
    return {"features": sorted(name[1:] for name in features.split(",") if name.startswith("+"))}


def settings():
    """{variable: value and its source} of those that differ from their defaults."""
    found = {}
    for variable, value, origin, given_as in _core.setting_states():
        if origin != "default":
            where = f"the environment: {given_as}" if origin == "environment" else f"the {origin}"
            found[variable] = {"value": value, "from": where}
    return found


def caches():
    """A list of caches: {cache: its content}."""
    if cuda_error() is not None:
        return {}
    found = {}
    for device in gpus:
        figures = _core.memory_figures(device.id)
        limit = _core.memory_limits(device.id)[2]
        found[f"memory of device {device.id}"] = (
            f"{figures['cached_bytes']} bytes in {figures['cached_count']} blocks, at most {limit} bytes, this process"
        )
        if (code := _core.code_cache(device.id)) is not None:
            found[f"machine code for device {device.id}"] = _kept(code)
    for name, figures in (_core.code_cache_counts() or {}).items():
        found[f"compiled {name}"] = _kept(figures)
    return found


def _kept(code):
    return code["trouble"] or (
        f"{code['bytes']} bytes in {code['entries']} entries, at most {code['limit_bytes']} bytes, {code['folder']}"
    )


def text(found):
    """The sections as they are printed."""
    return "\n\n".join(f"{name}\n" + "\n".join(_lines(values) or ["  none"]) for name, values in found.items())


def _lines(values, depth=1):
    lines = []
    for name, value in values.items():
        if isinstance(value, dict) and set(value) == {"value", "from"}:
            value = f"{value['value']} (from {value['from']})"
        if isinstance(value, dict):
            lines += ["  " * depth + name, *_lines(value, depth + 1)]
        else:
            shown = " ".join(map(str, value)) if isinstance(value, list) else value
            lines.append("  " * depth + f"{name}: {shown}")
    return lines
