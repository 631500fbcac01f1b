"""Code that one build of Treadle has cached is not for another one, whichever of its libraries differs."""

import contextlib
import os
import sysconfig
from pathlib import Path

import pytest
import treadle
from cached_programs import MAIN, Folder, hits, twice

PACKAGE = Path(treadle.__file__).parent
EXTENSION = sysconfig.get_config_var("EXT_SUFFIX")  # other Pythons have modules of their own beside it
LIBRARIES = ["libtreadle.so.0", "libtreadle-compiler.so", "_core"]
# In front of a build id of 20 bytes: the lengths of the owner's name and of the id, the kind of note, the owner's name.
NOTE = b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0"


@pytest.fixture
def folder(tmp_path, run_python):
    return Folder(tmp_path, run_python)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A folder with a copy of the package: its libraries are files of its own, all else is linked."""
    folder = tmp_path_factory.mktemp("copy")
    (folder / "treadle").mkdir()
    for entry in PACKAGE.iterdir():
        target = folder / "treadle" / entry.name
        if entry.name.startswith(tuple(LIBRARIES)):
            target.write_bytes(entry.read_bytes())
        elif entry.name != "__pycache__":
            target.symlink_to(entry.resolve())
    return folder


def library(copy, name):
    (found,) = (copy / "treadle").glob(name + EXTENSION if name == "_core" else name)
    return found


def with_another_id(content):
    """The same library as the linker would write it after a change that this Python cannot make: with another id."""
    assert content.count(NOTE) == 1
    place = content.index(NOTE) + len(NOTE)
    return content[:place] + bytes(255 ^ byte for byte in content[place : place + 20]) + content[place + 20 :]


@contextlib.contextmanager
def changed(file, content):
    before = file.read_bytes()
    file.unlink()  # a process may still have it open, and sources are links
    file.write_bytes(content)
    yield
    file.unlink()
    file.write_bytes(before)


def test_copies_of_one_build_share_what_they_keep(folder, copy):
    folder.say()
    assert hits(folder.say(PYTHONPATH=f"{copy}{os.pathsep}{folder.path}"))


@pytest.mark.parametrize("name", LIBRARIES)
def test_builds_that_differ_in_one_library_share_nothing(folder, copy, name):
    paths = {"PYTHONPATH": f"{copy}{os.pathsep}{folder.path}"}
    assert hits(twice(folder, **paths))
    file = library(copy, name)
    with changed(file, with_another_id(file.read_bytes())):
        said = folder.say(**paths)
        assert said == ([1, 4, 7, 10], 1, 1)
        assert hits(folder.say(**paths)), "it has entries of its own"
    assert hits(folder.say(**paths)), "and those of the other one are as they were"


def test_another_way_of_finding_functions_in_texts_shares_nothing(folder, copy):
    paths = {"PYTHONPATH": f"{copy}{os.pathsep}{folder.path}"}
    assert hits(twice(folder, **paths))
    source = copy / "treadle" / "source" / "functions.py"
    text = source.read_text()
    with changed(source, (text + "\n# A comment makes no difference.\n").encode()):
        assert hits(folder.say(**paths))
    with changed(source, text.replace("_MAX_CUTS = 16", "_MAX_CUTS = 16\ndef more():\n    return 1\n").encode()):
        assert not hits(folder.say(**paths))


def test_a_compiler_that_was_replaced_meanwhile_is_refused(folder, copy):
    """What was found is of the compiler that was there: the program does not go on with another one."""
    paths = {"PYTHONPATH": f"{copy}{os.pathsep}{folder.path}"}
    folder.say(**paths)
    file = library(copy, "libtreadle-compiler.so")
    (folder.path / "other.so").write_bytes(with_another_id(file.read_bytes()))
    program = MAIN + (
        "import os\n"
        "first = values(kernels.k)\n"
        f"os.replace({str(folder.path / 'other.so')!r}, {str(file)!r})\n"
        "exec(open(kernels.__file__).read().replace('+ 1', '+ 2'))\n"
        "try: values(k)\n"
        "except Exception as error: say([first, str(error)], kernels.k)\n"
    )
    before = file.read_bytes()
    try:
        said = folder.say(program, **paths)
    finally:
        file.unlink()
        file.write_bytes(before)
    first, error = said.result
    assert first == [1, 4, 7, 10] and hits(said)
    assert error == f"{file} has been replaced since this program began: start the program again"


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_build_without_ids_keeps_nothing(folder, copy, name):
    file = library(copy, name)
    content = file.read_bytes()
    with changed(file, content.replace(NOTE, NOTE.replace(b"GNU", b"GNV"))):
        for _ in range(2):
            assert folder.say(PYTHONPATH=f"{copy}{os.pathsep}{folder.path}") == ([1, 4, 7, 10], 1, 1)
    assert folder.entries() == []
