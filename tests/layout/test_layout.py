"""The rules of the source tree, checked on its text: includes, lengths, and what may appear in which files only."""

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
import remote
from layout.allowed import (
    DLOPEN,
    GETENV,
    HOST_FEATURES,
    LONG_FILES,
    LONG_FUNCTIONS,
    MANY_PARAMETERS,
    MAY_INCLUDE,
    OPENS_DEVICES,
    PYTHON_ENVIRONMENT,
    THROWING_HANDLERS,
)

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 4
CPP = ("cpp", "h", "c")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)


@cache
def tracked() -> tuple[str, ...]:
    """Every file that git tracks or would add."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return tuple(sorted({name for name in names if name and (ROOT / name).is_file()}))


def files(*suffixes: str, under: str = "") -> list[str]:
    """The tracked files with one of these suffixes, in folder `under`."""
    found = [name for name in tracked() if name.startswith(under) and name.rpartition(".")[2] in suffixes]
    assert found, f"no {suffixes} under {under or 'the root'}: the rule would check nothing"
    return found


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def code(name: str) -> str:
    """A C++ file without its comments and string literals, with unchanged line breaks."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text(name), flags=re.S)


def includes(name: str) -> list[tuple[str, bool]]:
    """The includes of a C++ file, and whether each is in angle brackets."""
    return [(quoted or angled, bool(angled)) for quoted, angled in INCLUDE.findall(text(name))]


def part_of(name: str) -> str:
    """The part of the compiler or runtime that a path below src/ belongs to: a key of MAY_INCLUDE."""
    folder = name.removeprefix("src/").rpartition("/")[0]
    while folder not in MAY_INCLUDE and "/" in folder:
        folder = folder.rpartition("/")[0]
    return folder


def report(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


def test_includes_follow_the_order_of_the_folders():
    problems = []
    for name in files(*CPP, under="src/"):
        own = part_of(name)
        for included, angled in includes(name):
            if angled or not (ROOT / "src" / included).exists():
                continue
            other = part_of("src/" + included)
            if other != own and other not in MAY_INCLUDE[own] | OPENS_DEVICES.get(name, set()):
                problems.append(f"{name} includes {included}: {own} may include {sorted(MAY_INCLUDE[own])} only")
    report(problems)


def test_every_folder_has_a_rule():
    report(
        [
            f"{name}: its folder is not in MAY_INCLUDE"
            for name in files(*CPP, under="src/")
            if part_of(name) not in MAY_INCLUDE
        ]
    )


def test_the_remote_device_of_the_tests_sees_abstract_headers_only():
    """It is written as a device of another kind would be."""
    problems = [
        f"{name} includes {included}"
        for name in files(*CPP, under="tests/device/remote_device/")
        for included, angled in includes(name)
        if not angled and part_of("src/" + included) in {"device/cpu", "device/cuda"}
    ]
    report(problems)


def test_the_remote_device_of_the_tests_stays_small():
    """What every device would write in the same way belongs in src/device."""
    assert sum(text(name).count("\n") for name in files(*CPP, under="tests/device/remote_device/")) < 600


def test_every_python_test_runs_on_the_remote_device_or_says_why_not():
    present = {name for folder in remote.FOLDERS for name in files("py", under=f"{folder}/test_")}
    names = {name.rpartition("/")[2] for name in present}
    assert len(names) == len(present), "LEFT_OUT has names without folders"
    run = {name for name in remote.TESTS if name.endswith(".py")}
    left_out = {f"test_{name}.py" for name in remote.LEFT_OUT}
    report(sorted(run - present))
    run = {name.rpartition("/")[2] for name in run}
    report(sorted((names ^ (run | left_out)) | (run & left_out)))


def test_quoted_includes_exist():
    problems = []
    for name in files(*CPP, under="src/"):
        for included, angled in includes(name):
            places = [ROOT / "src" / included, ROOT / "include" / included]
            if angled or included.startswith("llvm/") or included.endswith(".inc"):
                continue
            if not any(place.exists() for place in places):
                problems.append(f"{name} includes {included}, which is not there; paths start at src/")
    report(problems)


def test_python_is_seen_by_src_python_alone():
    foreign = re.compile(r"^(Python|structmember|nanobind/.*|numpy/.*)(\.h)?$")
    report(
        [
            f"{name} includes {included}"
            for name in files(*CPP, under="src/")
            for included, _ in includes(name)
            if foreign.match(included) and not name.startswith("src/python/")
        ]
    )


def test_llvm_is_seen_by_the_sources_of_generators_and_passes_alone():
    problems = []
    for name in files(*CPP, under="src/"):
        allowed = name.startswith(("src/codegen/", "src/passes/"))
        for included, _ in includes(name):
            if included.startswith(("llvm/", "llvm-c/")) and not allowed:
                problems.append(f"{name} includes {included}")
    report(problems)


def test_llvm_is_included_in_quotes():
    names = files(*CPP, under="src/")
    report([f"{n} includes <{i}>" for n in names for i, angled in includes(n) if angled and i.startswith("llvm")])


def where(pattern: str, names: list[str], allowed: dict[str, str]) -> list[str]:
    """The matching lines outside the allowed files."""
    return [
        f"{name}:{code(name).count(chr(10), 0, match.start()) + 1} uses {match.group()}"
        for name in names
        if name not in allowed
        for match in re.finditer(pattern, code(name))
    ]


def test_numbers_are_cast_by_type_name():
    number = r"static_cast<(u?int\d+_t|unsigned|size_t|ptrdiff_t|int|float|double)>"
    report(where(number, files(*CPP, under="src/"), {}))


def test_the_environment_is_read_by_settings_alone():
    report(where(r"\b(?:secure_)?getenv\b|\benviron\b", files(*CPP, under="src/"), GETENV))


def test_the_package_reads_no_environment_itself():
    names = files("py", under="python/")
    report(
        [
            f"{n} reads the environment"
            for n in names
            if n not in PYTHON_ENVIRONMENT and re.search(r"os\.(environ|getenv)", text(n))
        ]
    )


def test_one_table_says_what_the_processor_has():
    """What LLVM and the C compiler see on a machine differs with their age: no test may compare with it."""
    names = [*files(*CPP, under="src/"), *files(*CPP, under="tests/")]
    report(where(r"\bgetHostCPU\w+|\b__builtin_cpu_\w+", names, HOST_FEATURES))


def test_libraries_are_opened_where_it_is_allowed():
    report(where(r"\bdlm?open\b", files(*CPP, under="src/"), DLOPEN))


def handlers(name: str) -> list[str]:
    """The bodies of a C++ file's catch blocks."""
    source, bodies = code(name), []
    for found in re.finditer(r"\bcatch \([^)]*\) \{", source):
        end, depth = found.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            end += 1
        bodies.append(source[found.end() : end - 1])
    return bodies


def test_handlers_in_functions_that_python_calls_cannot_throw():
    """An exception that leaves a slot ends the process: handlers call only Python's C API and noexcept functions."""
    sources = files("cpp", "h", under="src/python/")
    safe = {
        name
        for path in sources
        for name in re.findall(r"(\w+)\([^;{}()]*(?:\([^()]*\))?[^;{}()]*\) noexcept", code(path))
    }
    safe |= {"current_exception", "restore", "discard_as_unraisable", "what", "if", "return"}
    throwing = {
        f"{path}: a handler calls {called}, which may throw"
        for path in files("cpp", under="src/python/")
        for body in handlers(path)
        for called in re.findall(r"(\w+)\s*\(", body)
        if called not in safe and not re.match(r"Py_?[A-Z]", called)
    }
    throwing |= {
        f"{path}: a handler throws" for path in sources for body in handlers(path) if re.search(r"\bthrow\b", body)
    }
    report(sorted(one for one in throwing if one.partition(":")[0] not in THROWING_HANDLERS))
    report(
        [f"{path} has no such handler" for path in THROWING_HANDLERS if not any(t.startswith(path) for t in throwing)]
    )


def test_the_order_of_operations_has_no_meaning():
    """Properties of operations are columns of their table."""
    order = r"[<>]=?\s*(?:\w+::)*(?:Warp|Atomic)?Operation::\w+|(?:Warp|Atomic)?Operation::\w+\s*[<>]=?(?!\s*[({])"
    report(where(order, files(*CPP, under="src/"), {}))


def test_files_are_short():
    problems = []
    for name in files(*CPP, "py", "cmake", "sh"):
        lines = text(name).count("\n")
        if lines > MAX_FILE_LINES and name not in LONG_FILES:
            problems.append(f"{name}: {lines} lines, more than {MAX_FILE_LINES}")
    report(problems)


def test_first_line_says_what_the_file_is():
    problems = []
    for name in [*files(*CPP, "py", "cmake", "sh", "map"), "dev", ".ci/run"]:
        lines = text(name).split("\n") + [""]
        first = lines[1] if lines[0].startswith("#!") else lines[0]
        if not re.match(r'(//|#|/\*|r?""") ?\S|"[^"]+"$', first):
            problems.append(f"{name}: its first line is {first!r}, not a comment that says what the file is")
    report(problems)


def test_every_source_is_named_in_src_readme():
    guide = text("src/README.md")
    named = set(re.findall(r"`([\w./*-]+)`", guide))
    problems = [
        f"src/README.md does not name {name}"
        for name in files(*CPP, under="src/")
        if not _named(name.removeprefix("src/"), named)
    ]
    report(problems)


def _named(path: str, named: set[str]) -> bool:
    """By its path, or by its path without suffix: one line may list header and source."""
    return path in named or path.rpartition(".")[0] in named


def test_src_readme_names_no_ghosts():
    named = re.findall(r"^[-|] `([\w./-]+)`", text("src/README.md"), re.M)
    present = {name.removeprefix("src/") for name in files(*CPP, under="src/")}
    present |= {name.rpartition(".")[0] for name in present}
    report(
        [
            f"src/README.md names {name}, which is not there"
            for name in named
            if name not in present and not name.endswith("/")
        ]
    )


@cache
def cpp_functions() -> tuple[tuple[str, str, int, int], ...]:
    """File, name, lines and parameters of every C++ function with a body; lambdas belong to the enclosing function."""
    command = ["ctags", "--sort=no", "--languages=C,C++", "--kinds-C++=f", "--kinds-C=f", "--fields=+neS"]
    command += ["--output-format=json", "-f", "-", "-L", "-"]
    listing = "\n".join(files(*CPP))
    result = subprocess.run(command, cwd=ROOT, input=listing, capture_output=True, text=True, check=True)
    tags = [json.loads(line) for line in result.stdout.splitlines()]
    return tuple(
        (tag["path"], tag["name"], tag["end"] - tag["line"] + 1, _parameters(tag.get("signature", "()")))
        for tag in tags
        if tag["_type"] == "tag" and "end" in tag and not tag["name"].startswith("__anon")
    )


def test_types_have_one_definition():
    """Two classes of one name in one namespace would share a destructor, the one that the linker sees first."""
    command = ["ctags", "--sort=no", "--languages=C++", "--kinds-C++=sc", "--fields=+s", "--output-format=json"]
    command += ["--langmap=C++:+.h", "-f", "-", "-L", "-"]
    listing = "\n".join(files(*CPP, under="src/"))
    result = subprocess.run(command, cwd=ROOT, input=listing, capture_output=True, text=True, check=True)
    where: dict[str, list[str]] = {}
    for tag in map(json.loads, result.stdout.splitlines()):
        name = f"{tag.get('scope', '')}::{tag['name']}"
        if "__anon" not in name:
            where.setdefault(name, []).append(tag["path"])
    assert len(where) > 100
    report([f"{name} is defined in {' and '.join(paths)}" for name, paths in where.items() if len(paths) > 1])


def _parameters(signature: str) -> int:
    """The number of commas outside brackets in "(int a,std::map<int,int> b)", plus one."""
    inner = signature[signature.find("(") + 1 : signature.rfind(")")]
    if inner.strip() in ("", "void"):
        return 0
    depth = commas = 0
    for character in inner.replace("->", ""):
        depth += (character in "(<[{") - (character in ")>]}")
        commas += character == "," and depth == 0
    return commas + 1


def python_functions(under: str) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (name, node)
        for name in files("py", under=under)
        for node in ast.walk(ast.parse(text(name)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_cpp_functions_are_short():
    assert len(cpp_functions()) > 100
    report(
        [
            f"{path}: {name} has {lines} lines, more than {MAX_FUNCTION_LINES}"
            for path, name, lines, _ in cpp_functions()
            if lines > MAX_FUNCTION_LINES and f"{path}:{name}" not in LONG_FUNCTIONS
        ]
    )


def test_cpp_functions_have_few_parameters():
    report(
        [
            f"{path}: {name} has {parameters} parameters, more than {MAX_PARAMETERS}"
            for path, name, _, parameters in cpp_functions()
            if path.startswith("src/") and parameters > MAX_PARAMETERS and f"{path}:{name}" not in MANY_PARAMETERS
        ]
    )


def test_python_functions_are_short():
    problems = []
    for name, node in python_functions(""):
        body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
        lines = (node.end_lineno or node.lineno) - body[0].lineno + 1
        if lines > MAX_FUNCTION_LINES and f"{name}:{node.name}" not in LONG_FUNCTIONS:
            problems.append(f"{name}: {node.name} has {lines} lines, more than {MAX_FUNCTION_LINES}")
    report(problems)


def test_python_functions_have_few_positional_parameters():
    problems = []
    for name, node in python_functions("python/"):
        count = len([a for a in node.args.posonlyargs + node.args.args if a.arg not in ("self", "cls")])
        if count > MAX_PARAMETERS and f"{name}:{node.name}" not in MANY_PARAMETERS:
            problems.append(f"{name}: {node.name} has {count} positional parameters, more than {MAX_PARAMETERS}")
    report(problems)


@pytest.mark.parametrize("listed", [GETENV, DLOPEN, LONG_FILES, PYTHON_ENVIRONMENT, THROWING_HANDLERS])
def test_exceptions_name_files_that_exist_and_give_reasons(listed):
    report(
        [
            f"{name}: listed without a reason or not there"
            for name, why in listed.items()
            if not why or name not in tracked()
        ]
    )


def test_exceptions_for_functions_are_still_needed():
    long = {f"{path}:{name}" for path, name, lines, _ in cpp_functions() if lines > MAX_FUNCTION_LINES}
    long |= {f"{name}:{node.name}" for name, node in python_functions("")}
    wide = {f"{path}:{name}" for path, name, _, count in cpp_functions() if count > MAX_PARAMETERS}
    wide |= {f"{name}:{node.name}" for name, node in python_functions("")}
    report([f"{key} no longer needs its exception" for key in [*LONG_FUNCTIONS] if key not in long])
    report([f"{key} no longer needs its exception" for key in [*MANY_PARAMETERS] if key not in wide])


def test_mutants_fit_the_sources():
    """Each text that a seeded defect replaces is in its file exactly once."""
    from mutants import MUTANTS

    counts = {mutant.name: (ROOT / mutant.file).read_text().count(mutant.search) for mutant in MUTANTS}
    assert {name: count for name, count in counts.items() if count != 1} == {}


def test_what_is_installed_from_pypi_is_pinned():
    """pip gets a file of requirements/ or one wheel; such a file lists one version of a package for each Python."""
    problems = []
    for name in ["dev", *files("py", under="tests/builds/"), *files("py", under="bench/")]:
        for line in text(name).splitlines():
            if re.search(r"\bpip\b.{1,6}\binstall\b", line) and not re.search(r"-r\b|--no-index", line):
                problems.append(f"{name} installs what no file pins: {line.strip()}")
    for name in files("txt", under="requirements/"):
        for line in text(name).splitlines()[1:]:
            if not re.match(r"[\w.\[\]-]+==\S+( ; .+)?$|    --hash=", line):
                problems.append(f"{name} does not pin {line}")
    report(problems)


def test_each_list_of_packages_is_pinned():
    wanted = {name.removesuffix(".in") for name in files("in", under="requirements/")}
    assert wanted == {name.removesuffix(".txt") for name in files("txt", under="requirements/")}
    named = re.findall(r"^\| ([\w*-]+) \|", text("requirements/README.md"), re.M)
    missing = [n for n in wanted if not any(Path(n).match("requirements/" + pattern) for pattern in named)]
    assert missing == []
