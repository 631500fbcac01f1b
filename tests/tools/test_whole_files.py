"""Files that Treadle writes: whole or not at all; links, pipes and devices stay what they are."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest
from treadle.whole_files import WholeFile, write_files


def kind(path):
    return stat.S_IFMT(os.lstat(path).st_mode)


def test_files_are_made_and_replaced(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"a longer one")
    old.chmod(0o640)
    with old.open("rb") as opened:
        write_files([(old, b"first"), (str(new), b"second")])
        assert opened.read() == b"a longer one"  # whoever reads the old one goes on
    assert (old.read_bytes(), new.read_bytes()) == (b"first", b"second")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]


def test_new_files_have_the_modes_that_the_process_gives(tmp_path):
    before = os.umask(0o027)
    try:
        write_files([(tmp_path / "new", b"")])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.parametrize("wrong, error", [("none/file", FileNotFoundError), ("", FileNotFoundError),
                                          ("folder", IsADirectoryError), ("new/", FileNotFoundError)])  # fmt: skip
def test_all_or_none(tmp_path, monkeypatch, wrong, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(error) as caught:
        write_files([("old", b"new"), ("another", b"new"), (wrong, b"new")])
    assert caught.value.filename == wrong
    assert sorted(os.listdir(tmp_path)) == ["folder", "old"] and (tmp_path / "old").read_bytes() == b"old"


def test_a_full_disk_leaves_what_was_there(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(OSError) as caught:
        write_files([(tmp_path / "old", b"new"), ("/dev/full", b"new")])
    assert caught.value.errno == errno.ENOSPC and caught.value.filename == "/dev/full"
    assert (tmp_path / "old").read_bytes() == b"old" and os.listdir(tmp_path) == ["old"]


def test_links_stay(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, target in (("to_file", "folder/there"), ("to_nothing", "folder/new"), ("to_link", "to_file")):
        (tmp_path / name).symlink_to(target)
    (tmp_path / "folder/there").write_bytes(b"old")
    for name in ("to_file", "to_nothing", "to_link"):
        write_files([(tmp_path / name, name.encode())])
        assert kind(tmp_path / name) == stat.S_IFLNK
    assert (tmp_path / "folder/there").read_bytes() == b"to_link"
    assert (tmp_path / "folder/new").read_bytes() == b"to_nothing"
    assert sorted(os.listdir(tmp_path / "folder")) == ["new", "there"]


def test_pipes_and_devices_are_written_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    data = bytes(range(256)) * 1000
    write_files([(pipe, data), ("/dev/null", b"nowhere"), ("/dev/null", b"again")])
    reader.join()
    assert received == [data] and kind(pipe) == stat.S_IFIFO and kind("/dev/null") == stat.S_IFCHR


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1"])
def test_what_is_open_is_not_replaced(tmp_path, name):
    program = (
        "from treadle.whole_files import write_files\nimport sys\n"
        f"write_files([({name!r}, b'written\\n')])\nsys.stdout.write('printed\\n')"
    )
    with open(tmp_path / "output", "a+") as output:
        subprocess.run([sys.executable, "-c", program], stdout=output, check=True, timeout=60)
        output.seek(0)
        assert output.read() == "written\nprinted\n"


def test_two_paths_of_one_file(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(ValueError, match=r"link' and '.*file' are one file, and both would be written: name two"):
        write_files([(tmp_path / "link", b"1"), (tmp_path / "file", b"2")])
    assert (tmp_path / "file").read_bytes() == b"old"


def refuse(monkeypatch, function, number, applies):
    """Has a function of os fail for the paths for which `applies` answers True."""
    original = getattr(os, function)

    def refusing(path, *rest, **named):
        if applies(os.fspath(path)):
            raise OSError(number, os.strerror(number), path)
        return original(path, *rest, **named)

    monkeypatch.setattr(os, function, refusing)


@pytest.mark.parametrize("function, number", [("open", errno.EACCES), ("open", errno.EROFS), ("replace", errno.EBUSY)])
def test_a_file_that_cannot_be_replaced_is_written_itself(tmp_path, monkeypatch, function, number):
    """The folder is another user's, or the file is mounted."""
    path = tmp_path / "file"
    path.write_bytes(b"a longer old one")
    refuse(monkeypatch, function, number, lambda one: one.endswith(".new"))
    before = path.stat().st_ino
    write_files([(path, b"new")])
    assert path.read_bytes() == b"new" and path.stat().st_ino == before and os.listdir(tmp_path) == ["file"]


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    """Though the folder would allow it. Root may write everything: the system is made to answer as to others."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError) as caught:
        write_files([(path, b"new")])
    assert caught.value.filename == str(path) and path.read_bytes() == b"old" and os.listdir(tmp_path) == ["file"]


def test_a_descriptor_that_the_program_has_closed_is_nobody_elses(tmp_path):
    """It may have become another file's."""
    file = WholeFile(tmp_path / "new")
    file.begin()
    os.close(file.descriptor)
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    try:
        assert other == file.descriptor
        with pytest.raises(OSError) as caught:
            file.write(b"data")
        assert caught.value.errno == errno.EBADF and caught.value.filename == str(tmp_path / "new")
        file.abandon()
        assert os.fstat(other).st_size == 0 and os.listdir(tmp_path) == ["other"]
    finally:
        os.close(other)


def test_names_that_are_no_texts(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    write_files([(path, b"data")])
    assert os.listdir(os.fsencode(tmp_path)) == [b"caf\xe9"]
