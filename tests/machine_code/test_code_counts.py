"""No change makes kernels longer without anybody noticing: their instructions are counted, not timed.

The counts in the folder code_counts are for processors and a GPU that this machine need not have. Where one changes by
more than 2 %, for the better, too, look at the code (`TREADLE_DUMP`) and at the benchmarks, then write the new ones by
`pytest -m "deep or not deep" tests/machine_code/test_code_counts.py --update`; they belong to the commit that explains
them.
"""

import re
import subprocess
from pathlib import Path

import code_counts
import pytest

STORED = Path(__file__).with_name("code_counts")
CPU = ("x86-64-v3", "x86-64-v4")
NAMES = [
    "saxpy", "saxpy_stride", "black_scholes_f32", "black_scholes_f64", "mandelbrot", "stencil", "stencil3d", "matmul",
    "nbody", "histogram", "transpose", "reduce_tree", "reduce_shuffle",
]  # fmt: skip
OF_USERS = ["spmv", "jagged_max", "gemv", "softmax", "inverse4", "tridiagonal", "column_of_rows"]
HEADS = {"sass": ("instructions", "registers")}
USUAL_HEADS = ("instructions", "of these in innermost loops")
TOLERANCE = 0.02
OWN_MATH = code_counts.ROOT / "build/dev/generated/device_math.bc"


def table(text):
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {tuple(words[:3]): tuple(map(int, words[3:])) for words in lines}


def differences(stored, found):
    """What a reader has to look at, as lines."""
    problems = [f"{' '.join(case)}: {'new' if case in found else 'gone'}" for case in stored.keys() ^ found.keys()]
    for case in stored.keys() & found.keys():
        for head, before, now in zip(HEADS.get(case[1], USUAL_HEADS), stored[case], found[case]):
            if abs(now - before) > max(TOLERANCE * before, 2):
                problems.append(f"{' '.join(case)}: {before} {head}, now {now} ({now / max(before, 1) - 1:+.0%})")
    return sorted(problems)


@pytest.fixture
def check(request, run_python, tmp_path):
    """check(group, targets, names, head): counts, and compares with the file of the group, whose first line is head."""
    code = f"import runpy, sys; sys.path.insert(0, {str(Path(code_counts.__file__).parent)!r})\n" + (
        "runpy.run_module('code_counts', run_name='__main__', alter_sys=True)"
    )
    # What would make other code: the caches' sizes are those of a target, not of this machine; libdevice has versions.
    settings = {"TREADLE_DUMP": str(tmp_path), "TREADLE_CPU_LANES": "", "TREADLE_CODE_CACHE_LIMIT": "0"}
    settings["TREADLE_LIBDEVICE"] = str(OWN_MATH)

    def compare(group, targets, names, head=""):
        found = run_python(code, str(tmp_path), ",".join(targets), *names, timeout=300, **settings)
        file = STORED / f"{group}.txt"
        if request.config.getoption("--update"):
            file.write_text(head + found)
        problems = differences(table(file.read_text()), table(found))
        assert not problems, "\n".join(["instructions have changed:", *problems])

    return compare


def test_kernels_have_as_many_instructions_as_before(check):
    check("benchmarks", [*CPU, code_counts.CAPABILITY], NAMES)


@pytest.mark.deep
def test_kernels_of_users_have_as_many_instructions_as_before(check):
    check("users", CPU, OF_USERS)


@pytest.mark.deep
def test_ptxas_makes_as_many_instructions_as_before(check, request, ptxas, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(ptxas).parent), prepend=":")
    version = re.search(r"V([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout)[1]
    head = f"# ptxas {version}\n"
    file = STORED / "sass.txt"
    if not request.config.getoption("--update") and not file.read_text().startswith(head):
        pytest.skip(f"the counts are of another version, {file.read_text().splitlines()[0][2:]}, not of {version}")
    check("sass", ["sass"], [name for name in NAMES if name != "saxpy"], head)


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        ((100, 40), None),
        ((102, 41), None),
        ((103, 40), "k sm_90 any: 100 instructions, now 103 (+3%)"),
        ((100, 43), "k sm_90 any: 40 of these in innermost loops, now 43 (+7%)"),
        ((90, 40), "k sm_90 any: 100 instructions, now 90 (-10%)"),
    ],
)
def test_what_is_a_difference(now, problem):
    case = ("k", "sm_90", "any")
    assert differences({case: (100, 40)}, {case: now}) == ([problem] if problem else [])
    assert differences({("k", "sass", "any"): (100, 40)}, {("k", "sass", "any"): (100, 43)}) == [
        "k sass any: 40 registers, now 43 (+7%)"
    ]
    assert differences({case: (100, 40)}, {}) == ["k sm_90 any: gone"]


def test_what_is_counted():
    text = "\n".join([
        "\t.text", "kernel:", "\tmovl\t$1, %eax", ".LBB0_1:", "\taddl\t$1, %eax", ".LBB0_2:", "\tincl\t%ebx",
        "\tjne\t.LBB0_2", "\tcmpl\t$9, %eax", "\tjne\t.LBB0_1", "\tje\t.LBB0_9", ".LBB0_9:", "\tretq",
        "\t.size\tkernel, 3",
    ])  # fmt: skip
    assert code_counts.counts(text) == (8, 2)
    ptx = "\n".join([
        ".visible .entry k(", "\t.param .u64 k_0", ")", "{", "\t.reg .pred \t%p<2>;", "\tmov.u32 \t%r1, 0;",
        "$L__BB0_1:", "\tadd.s32 \t%r1, %r1, 1;", "\tsetp.lt.s32 \t%p1, %r1, 9;", "\t@%p1 bra \t$L__BB0_1;",
        "\tbra.uni \t$L__BB0_2;", "$L__BB0_2:", "\t// a comment", "\tret;", "}",
    ])  # fmt: skip
    assert code_counts.counts(ptx) == (6, 3)
