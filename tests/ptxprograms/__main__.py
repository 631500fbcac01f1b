"""python -m ptxprograms NAME...: runs programs, or families of them, in every way and prints what is wrong."""

import contextlib
import ctypes
import os
import sys
import tempfile

import machine

from ptxprograms import launches, units, variants

ROUNDS = 2  # each launch has another seed of the machine


@contextlib.contextmanager
def output():
    """Gives a function for the sorted lines that are written to file descriptor 1 meanwhile."""
    sys.stdout.flush()
    saved, lines = os.dup(1), []
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield lambda: lines
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            lines += sorted(file.read().decode().splitlines())


def recorded(run, *arguments):
    with output() as lines:
        arrays = run(*arguments)
    return arrays, lines()


def compare(program, want, have, fast):
    """What differs between the arrays and the printed lines of two runs."""
    found = []
    for at, (before, expected, got) in enumerate(zip(program.arrays(), want[0], have[0])):
        tolerance = {"within": fast} if fast else program.tolerances.get(id(before), {})
        found += [f"array {at}{line}" for line in launches.differences(expected, got, **tolerance)]
    if want[1] != have[1]:
        found.append(f"printed {have[1]}, not {want[1]}")
    return found


def problems(program):
    want = recorded(units.run_on_host, program)
    for what in variants.names(program):
        for turn in range(ROUNDS):
            print(f"{program.name}, {what}, round {turn}", file=sys.stderr, flush=True)
            try:
                have = recorded(variants.run_on_machine, program, what)
            except machine.Failed as error:
                yield f"{program.name}, {what}: {error}"
                break
            for line in compare(program, want, have, program.fast if what == "nvrtc fast" else 0):
                yield f"{program.name}, {what}, round {turn}: {line}"


def main(words):
    """Names of programs, or of families."""
    found = [each for each in launches.names() if not words or each[0] in words or each[1] in words]
    programs = [each for family, name in found for each in units.programs_of(family) if each.name == name]
    for program in programs:  # NVRTC crashes in a process that has started a driver which is none
        for what in variants.names(program):
            variants.text(program.family, what)
    wrong = [line for program in programs for line in problems(program)]
    for line in wrong:
        print(line)
    return len(wrong) > 0 or not programs


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
