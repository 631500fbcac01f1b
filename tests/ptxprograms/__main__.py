"""python -m ptxprograms NAME...: runs these programs in every way and prints what is wrong; without names, all."""

import contextlib
import ctypes
import os
import sys
import tempfile

import machine

from ptxprograms import launches, toolkit, units, variants

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
    for what, text in variants.texts(program).items():
        if what in ("nvcc sm_90", "nvrtc compute_90"):
            toolkit.assembled(text, "sm_90")
        for turn in range(ROUNDS):
            print(f"{program.name}, {what}, round {turn}", file=sys.stderr, flush=True)
            try:
                have = recorded(variants.run_on_machine, program, text)
            except machine.Failed as error:
                yield f"{program.name}, {what}: {error}"
                break
            for line in compare(program, want, have, program.fast if what == "nvrtc fast" else 0):
                yield f"{program.name}, {what}, round {turn}: {line}"


def main(names):
    wrong = [line for name in names for line in problems(launches.find(name))]
    for line in wrong:
        print(line)
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [name for _, name in launches.names()]))
