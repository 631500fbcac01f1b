# What `from treadle import cuda` adds to bare Python and to a program that has imported NumPy, compared with Numba.
#
# Treadle imports NumPy only where it is needed, and `from treadle import cuda` does not: neither figure includes the
# import of NumPy itself. After NumPy, importing Treadle is cheaper, since both need some of the same modules.
import sys

import peers
import processes
from harness import Report, is_wanted, parse

OURS, NUMBAS = "from treadle import cuda", "from numba import cuda"
# Measures the import alone: next to NumPy's it would be lost in the variation of whole processes.
AFTER_NUMPY = """
import numpy, time
begin = time.perf_counter()
{}
print(1e3 * (time.perf_counter() - begin))
"""


def main():
    arguments = parse(f"{OURS} over bare Python, and after NumPy.")
    report = Report("import_time", "what imports add, medians of fresh processes", arguments)
    sides = [(sys.executable, OURS)]
    if is_wanted("numba.cuda", arguments):
        try:
            sides.append((peers.environment("numba"), NUMBAS))
        except OSError as error:
            report.say(f"numba-cuda: left out, {error}")
    programs = [
        (python, line) for python, own in sides for line in ("pass", "import numpy", own, f"import numpy; {own}")
    ]
    repetitions = 3 if arguments.tiny else 31
    found = processes.medians({program: [program[0], "-c", program[1]] for program in programs}, repetitions)
    after = processes.medians(
        {line: [python, "-c", AFTER_NUMPY.format(line)] for python, line in sides}, repetitions, printed=True
    )
    rows = []
    for python, line in programs:
        if line != "pass":
            rows.append(
                [
                    line,
                    f"{found[python, line] - found[python, 'pass']:.2f}",
                    f"{after[line]:.2f}" if line in after else "",
                ]
            )
    report.table(["import", "ms over bare Python", "ms after NumPy"], rows)
    over = found[sys.executable, OURS] - found[sys.executable, "pass"]
    report.goal(f"ms for {OURS} over bare Python", over, 5, at_least=False)
    report.goal(f"ms for {OURS} after NumPy", after[OURS], 5, at_least=False)
    if NUMBAS in after:
        report.say(f"after NumPy, {NUMBAS} takes {after[NUMBAS] / after[OURS]:.0f} times as long")
    report.close()


if __name__ == "__main__":
    main()
