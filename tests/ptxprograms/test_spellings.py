"""Every spelling of the machine's instructions is one that ptxas takes for some target."""

import os
import re
import subprocess

import pytest

from ptxprograms import spellings

TARGETS = ["sm_90a", "sm_100a"]  # one after the other, of those that the ones before refuse


def run(ptxas, folder, text, target):
    source = folder / "spellings.ptx"
    source.write_text(text)
    command = [ptxas, f"-arch={target}", "-o", os.devnull, str(source)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


def newest_version(ptxas, folder):
    """Of PTX, as ptxas says when it is asked for too much."""
    _, output = run(ptxas, folder, spellings.module([], TARGETS[0], "99.0"), TARGETS[0])
    return re.search(r"current version is '(\d+\.\d+)'", output).group(1)


def refused(ptxas, folder, statements, target):
    """{statement: message}. ptxas names the line of each."""
    text = spellings.module(statements, target, newest_version(ptxas, folder))
    (code, output), found = run(ptxas, folder, text, target), {}
    for line, message in re.findall(r"line (\d+); error\s*: (.*)", output):
        found[statements[int(line) - spellings.FIRST_LINE]] = message
    assert found or code == 0, output[:2000]
    return found


@pytest.mark.deep
def test_ptxas_takes_what_the_machine_takes(ptxas, tmp_path):
    version = newest_version(ptxas, tmp_path)
    is_old = tuple(map(int, version.split("."))) < (9, 1)  # knows no volatile accesses of local memory
    left = [each for each in spellings.statements() if not (is_old and ".volatile.local." in each)]
    assert len(left) > 10_000
    for target in TARGETS:
        messages = refused(ptxas, tmp_path, left, target)
        left = list(messages)
    assert not left, f"{len(left)} spellings that no target has\n" + "\n".join(f"{s} {messages[s]}" for s in left[:20])


def test_the_machine_takes_them(ptxas):
    """With these operands, too: nothing of them is left out by accident."""
    heads = {statement.split(".")[0].split(" ")[0] for statement in spellings.statements()}
    assert {"add", "cvt", "ld", "st", "atom", "red", "setp", "shfl", "bar", "vadd4", "cp", "alloca"} <= heads


def test_a_spelling_that_is_none_is_refused(ptxas, tmp_path):
    messages = refused(ptxas, tmp_path, ["add.f32 %r1, %r2, %r3;", "add.relu.f32 %r1, %r2, %r3;"], TARGETS[0])
    assert list(messages) == ["add.relu.f32 %r1, %r2, %r3;"]


@pytest.mark.parametrize(
    "pattern, written", [("add.[ftz].(f32|f64)", 4), ("ret.[uni]", 2), ("exit", 1), ("fence.[sc].(cta|gpu)", 4)]
)
def test_patterns_are_written_out(pattern, written):
    assert len(spellings.opcodes(pattern)) == written
