"""What releases of ptxas take for something else than PTX's manual says, as GPUs have shown: in no kernel's code."""

import re

# Before 13.5 (seen in 12.4 to 13.2): widened, the result for -32768 is 32768.
NEGATIONS = re.compile(r"\b(neg|abs)\.s16\b.*")
# Before 13.5 (seen in 13.0): a float16 that a register has been computed in is converted to uint8.
RESULT = re.compile(r"^\s*[a-z]\S*\s+(%rs\d+),", re.MULTILINE)
STORE = re.compile(r"^\s*st\.\S*[usb]8\s+\[[^\]]*\], (%rs\d+);")
HALF = re.compile(r"^\s*(add|sub|mul|fma|neg|abs|min|max|cvt\.\w+\.f16\.)\S*f16")


def defects_in(ptx: str) -> list[str]:
    """The lines that meet one."""
    found = [match.group().strip() for match in NEGATIONS.finditer(ptx)]
    halves: set[str] = set()
    for line in ptx.splitlines():
        if (stored := STORE.match(line)) and stored[1] in halves:
            found.append(line.strip())
        elif made := RESULT.match(line):
            (halves.add if HALF.match(line) else halves.discard)(made[1])
    return found
