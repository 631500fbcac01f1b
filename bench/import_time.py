# What `import treadle` adds to bare Python, beside `from numba import cuda`.
import sys

import peers
import processes
from harness import Report, is_wanted, parse


def main():
    arguments = parse("import treadle over bare Python.")
    report = Report("import_time", "what an import adds to bare Python, medians of fresh processes", arguments)
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "treadle": [sys.executable, "-c", "import treadle"],
        "NumPy": [sys.executable, "-c", "import numpy"],
    }
    if is_wanted("numba.cuda", arguments):
        try:
            numba = peers.environment("numba")
            commands["bare beside Numba"] = [numba, "-c", "pass"]
            commands["numba.cuda"] = [numba, "-c", "from numba import cuda"]
        except OSError as error:
            report.say(f"numba-cuda: left out, {error}")
    found = processes.medians(commands, 3 if arguments.tiny else 31)
    over = {label: found[label] - found["bare"] for label in ("treadle", "NumPy") if label in found}
    if "numba.cuda" in found:
        over["numba.cuda"] = found["numba.cuda"] - found["bare beside Numba"]
    report.table(["import", "ms over bare Python"], [[label, f"{value:.2f}"] for label, value in over.items()])
    if "treadle" in over:
        report.goal("ms for import treadle", over["treadle"], 5, at_least=False)
        if "numba.cuda" in over:
            report.say(f"numba.cuda takes {over['numba.cuda'] / over['treadle']:.0f} times as long")
    report.close()


if __name__ == "__main__":
    main()
