"""How many instructions the benchmarks' kernels have, for processors and a GPU that need not be there.

`python code_counts.py FOLDER TARGETS KERNEL...` prints them: one line for each kernel, target and specialisation.
FOLDER is for dumps, TARGETS has commas between its names. Of `sass` they are what the first ptxas on PATH makes.
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "bench" / "kernels" / "cuda_python"
CAPABILITY = "sm_90"
# In the order of their images (Dispatcher::imagesFor).
FACTS = ("usual", "any")
# An instruction has 16 bytes, with the opcode in the lowest bits; code is padded by some that do nothing.
SASS_BYTES, SASS_OPCODE, SASS_NOP = 16, 0xFFF, 0x918

_LABEL = re.compile(r"^(\.LBB\w+|\$L__BB\w+):")
_INSTRUCTION = re.compile(r"^\t(?![.#/{}(])(.*)")
_BRANCH = re.compile(r"(?:^j\w+\s+|\bbra(?:\.uni)?\s+)(\.LBB\w+|\$L__BB\w+)")


def counts(text):
    """(instructions, of these in innermost loops) of assembly or PTX. A loop is what a branch jumps back over."""
    places, begins, instructions = {}, {}, 0
    for line in text.splitlines():
        if label := _LABEL.match(line):
            places[label[1]] = instructions
        elif instruction := _INSTRUCTION.match(line):
            instructions += 1
            if (branch := _BRANCH.search(instruction[1])) and branch[1] in places:
                begins[places[branch[1]]] = instructions
    loops = {range(begin, end) for begin, end in begins.items()}
    innermost = [loop for loop in loops if not any(other != loop and _contains(loop, other) for other in loops)]
    return instructions, len({place for loop in innermost for place in loop})


def _contains(outer, inner):
    return outer.start <= inner.start and inner.stop <= outer.stop


def opened(name):
    """(kernel, what the benchmark calls it with) of that name, of the benchmarks or of those that users write."""
    import importlib.util

    import users
    import workloads

    if (path := KERNELS / f"{name}.py").exists():
        workload = workloads.make(name, tiny=True)
    else:
        path = KERNELS.parent / "users" / f"{users.families()[name]}.py"
        workload = users.make(name, tiny=True)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name), workload


def compiled(name, target, folder):
    """Yield (facts, text) of the kernel of that name."""
    import treadle
    from sides import common
    from treadle.kernels.saving import save

    kernel, workload = opened(name)
    of_gpu = target in ("sass", CAPABILITY)
    stage, wanted = ("ptx", CAPABILITY) if of_gpu else ("asm", f"cpu:{target}")
    before = set(folder.glob(f"{name}.*"))
    signature = common.signature(treadle, workload)
    save(str(folder / "images"), [(name, kernel, signature)], wanted, str(folder / "images.h"))
    new = sorted(set(folder.glob(f"{name}.*.{stage}.txt")) - before, key=lambda path: int(path.name.split(".")[1]))
    assert len(new) == len(FACTS), new
    yield from ((facts, path.read_text()) for facts, path in zip(FACTS, new))


def sass_counts(ptx, folder):
    """(instructions, registers) of the machine code that ptxas makes."""
    text, code = folder / "assembled.ptx", folder / "assembled.cubin"
    text.write_text(ptx.partition("\n")[2])  # without the signature that a dump begins with
    command = ["ptxas", "-O3", f"-arch={CAPABILITY}", "-v", str(text), "-o", str(code)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stderr
    words = struct.iter_unpack("<QQ", b"".join(_text_sections(code.read_bytes())))
    return sum(word & SASS_OPCODE != SASS_NOP for word, _ in words), int(re.search(r"Used (\d+) registers", said)[1])


def _text_sections(elf):
    """The contents of the sections of a 64-bit ELF file whose names begin with `.text`."""
    (table,), (size, count, names) = struct.unpack_from("<Q", elf, 0x28), struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<II16xQQ", elf, table + place * size) for place in range(count)]
    for name, _, offset, length in sections:
        if elf.startswith(b".text", sections[names][2] + name):
            assert length % SASS_BYTES == 0
            yield elf[offset : offset + length]


def lines(folder, targets, names):
    for name in names:
        for target in targets:
            for facts, text in compiled(name, target, folder):
                found = sass_counts(text, folder) if target == "sass" else counts(text)
                yield " ".join([name, target, facts, *map(str, found)])


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "bench"))
    print("\n".join(lines(Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:])))
