"""The module of exchanged_arrays.cpp, compiled with nanobind's sources."""

import functools
import importlib.util
import subprocess
import sysconfig
from pathlib import Path


@functools.cache  # a class of nanobind's exists once
def load(folder):
    """Compiles it into the folder, unless it is there and as new as its source."""
    import nanobind

    library = folder / f"exchanged_arrays{sysconfig.get_config_var('EXT_SUFFIX')}"
    source = Path(__file__).parent / "exchanged_arrays.cpp"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        root = Path(nanobind.include_dir()).parent
        ours = Path(__file__).resolve().parents[2] / "src"
        includes = [sysconfig.get_path("include"), nanobind.include_dir(), root / "ext/robin_map/include", ours]
        sources = [source, root / "src/nb_combined.cpp"]
        command = ["c++", "-std=c++20", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-fvisibility=hidden"]
        command += [f"-I{path}" for path in includes] + [str(source) for source in sources] + ["-o", str(library)]
        subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location("exchanged_arrays", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
