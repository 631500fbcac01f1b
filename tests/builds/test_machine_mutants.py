# Seeded defects of the machine that runs PTX: each must turn its own C++ tests red.

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.deep

SOURCES = Path(__file__).resolve().parent.parent / "ptxmachine"
FLAGS = ["-std=c++20", "-O1", "-w", "-frounding-math", "-ffp-contract=off"]


class Defect(NamedTuple):
    """`search`, which is in `file` exactly once, becomes `replace`; then the tests must fail."""

    name: str
    file: str
    search: str
    replace: str


DEFECTS = [
    # Arithmetic.
    Defect(
        "high_half_is_low",
        "integer_rows",
        "sizeof(T) * 8);\n}\ntemplate <class T> Wide<T> wide",
        "0);\n}\ntemplate <class T> Wide<T> wide",
    ),
    Defect(
        "saturates_at_one_less", "integer_rows", "value > INT32_MAX ? INT32_MAX", "value > INT32_MAX ? INT32_MAX - 1"
    ),
    Defect("quotient_by_zero_is_zero", "integer_rows", "return static_cast<T>(~T{0});", "return T{0};"),
    Defect("remainder_by_zero_is_zero", "integer_rows", "  if (b == 0)\n    return a;", "  if (b == 0)\n    return 0;"),
    Defect("min_is_max", "integer_rows", "BINARY(Min, b < a ? b : a)", "BINARY(Min, b < a ? a : b)"),
    Defect("difference_of_unsigned", "integer_rows", "a < b ? difference(b, a) : difference(a, b)", "difference(a, b)"),
    Defect(
        "product_of_32_bits",
        "integer_rows",
        "return static_cast<T>(static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8);",
        "return value;",
    ),
    Defect("shift_wraps", "bit_rows", "by >= sizeof(T) * 8 ? T{0} : ", ""),
    Defect("shift_right_fills_with_zeros", "bit_rows", "value < 0 ? -1 : 0", "0"),
    Defect("funnel_never_clamps", "bit_rows", "(by > 32 ? 32 : by)", "(by & 31)"),
    Defect(
        "field_without_sign",
        "bit_rows",
        "isField ? static_cast<bool>(static_cast<uint64_t>(value) >> (position + at) & 1) : fills",
        "isField && static_cast<bool>(static_cast<uint64_t>(value) >> (position + at) & 1)",
    ),
    Defect(
        "highest_bit_of_sign",
        "bit_rows",
        "value < 0 ? static_cast<U>(~value) : static_cast<U>(value)",
        "static_cast<U>(value)",
    ),
    Defect(
        "leading_zeros_are_trailing",
        "bit_rows",
        "std::countl_zero(static_cast<std::make_unsigned_t<T>>(a))",
        "std::countr_zero(static_cast<std::make_unsigned_t<T>>(a))",
    ),
    Defect("rounds_to_nearest_only", "float_math", "if (modes[static_cast<size_t>(rounding)] != before)", "if (false)"),
    Defect(
        "flushes_nothing",
        "float_math",
        "return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;",
        "return value;",
    ),
    Defect("minus_zero_is_zero", "float_math", "return std::signbit(a) ? a : b;", "return a;"),
    Defect(
        "min_hands_nan_on",
        "float_math",
        "    return std::isnan(a) ? b : a;\n  if (a == b)\n    return std::signbit(a) ? a : b;",
        "    return a;\n  if (a == b)\n    return std::signbit(a) ? a : b;",
    ),
    Defect("saturates_to_two", "float_math", "value < 1 ? value : T{1}", "value < 2 ? value : T{2}"),
    Defect(
        "fused_twice_rounded",
        "float_rows",
        "[](T a, T b, T c) { return canonical(std::fma(a, b, c)); }",
        "[](T a, T b, T c) { return canonical(a * b + c); }",
    ),
    Defect("copysign_swapped", "float_rows", "return std::copysign(b, a);", "return std::copysign(a, b);"),
    Defect("ne_of_nan", "compare_rows", "return !isUnordered && a != b;", "return a != b;"),
    Defect("geu_is_ge", "compare_rows", "return isUnordered || a >= b;", "return a >= b;"),
    Defect("set_gives_one", "compare_rows", "? 0xFFFF : 0xFFFFFFFF;", "? 0xFFFF : 1;"),
    Defect("average_rounds_down", "video_rows", "(a + b + (a + b >= 0)) >> 1", "(a + b) >> 1"),
    Defect("video_never_saturates", "video_rows", "if (i.flags & Saturate)", "if (false)"),
    Defect("sum_of_one_half", "atomic_rows", "shift < sizeof(T) * 8; shift += 16", "shift < 16; shift += 16"),
    Defect("copies_arrive_early", "async_rows", "copy.group + left >= s.warp", "copy.group + left > s.warp"),
    Defect("stack_is_never_restored", "stack_rows", "piece.lane == lane && piece.offset >= top", "false"),
    Defect("tag_of_some_lanes", "step", "othersTag == noTag || othersTag == tag ? tag : 0", "tag"),
    Defect(
        "conversion_wraps",
        "convert_rows",
        "static_cast<To>(wide < low ? low : wide > high ? high : wide)",
        "static_cast<To>(wide)",
    ),
    Defect("nan_is_largest", "convert_rows", "static_cast<To>(uint64_t{1} << 63) : To{0};", "To{0} : To{0};"),
    Defect(
        "rounds_down_for_up",
        "convert_rows",
        "  default:\n    return std::ceil(value);",
        "  default:\n    return std::floor(value);",
    ),
    Defect("half_ties_up", "small_floats", "rest == 0.5 && std::fmod(whole, 2) != 0", "rest == 0.5"),
    Defect("half_has_no_subnormals", "small_floats", "exponent - 1 < lowest ? lowest : exponent - 1", "exponent - 1"),
    # Lanes and control.
    Defect("branch_takes_all_lanes", "warp", "groups[take(taken)].pc = target;", "groups[current].pc = target;"),
    Defect("guard_ignores_negation", "warp", "(values.at[lane] & 1) != i.isGuardNegated", "values.at[lane] & 1"),
    Defect(
        "groups_of_other_places_merge",
        "warp",
        "group.pc != target.pc || group.frame != target.frame",
        "group.frame != target.frame",
    ),
    Defect("a_call_forgets_its_caller", "warp", "frame->returnTo = group.pc;", "frame->returnTo = 0;"),
    Defect("results_are_lost", "warp", "each < frame->site->results.size(); ++each", "each < 0; ++each"),
    Defect("undefined_guards_pass", "warp", "group.mask & ~group.frame->defined[i.guard]", "LaneMask{0}"),
    # Linking.
    Defect("internal_names_meet", "linker", "isInternal(each) && users[each.name].size() > 1", "false"),
    Defect("bodies_hide_nothing", "linker", "if (!hidden.contains(each.name))", "if (true)"),
    Defect(
        "weak_functions_stay", "linker", "known.linkage == Linkage::Weak && function.linkage != Linkage::Weak", "false"
    ),
    Defect(
        "functions_are_defined_twice",
        "linker",
        "    else if (function.linkage != Linkage::Weak)\n      defineTwice(function.name);",
        "",
    ),
    Defect("common_variables_clash", "linker", "else if (!isReplaceable(variable))", "else"),
    Defect("signatures_may_differ", "linker", " || function.results.size() != known.results.size()", ""),
    Defect("files_are_those_of_the_first", "linker", "statement.source.file += firstFile;", ";"),
    # Checks.
    Defect(
        "bounds_are_one_byte_longer",
        "memory_access",
        "if (offset + access.bytes > region->bytes)",
        "if (offset + access.bytes > region->bytes + 600)",
    ),
    Defect("no_alignment", "memory_access", "if (address % access.bytes)", "if (false)"),
    Defect("strays_pass", "memory_access", "if (meant && meant != region)", "if (false)"),
    Defect(
        "shared_strays_pass",
        "memory_access",
        "    if (!isInside(found))\n      outOfBounds",
        "    if (false)\n      outOfBounds",
    ),
    Defect(
        "vectors_end_with_their_variable",
        "memory_access",
        "access.certain ? access.certain : access.bytes",
        "access.bytes",
    ),
    Defect("constants_are_written", "memory_access", "region->isConstant && access.kind != AccessKind::Read", "false"),
    Defect("read_only_loads_are_plain", "memory_access", "now.isReadOnly = access.isReadOnly;", ""),
    Defect(
        "memory_is_always_written",
        "memory_rows",
        "return !target.written || target.written->all(target.offset, bytes);",
        "return true;",
    ),
    Defect("stores_leave_no_mark", "memory_rows", "target.written->set(target.offset, bytes, isDefinedNow);", ";"),
    Defect("one_of_the_lanes_reads", "memory_rows", "same |= LaneMask{1} << lane;", "same = LaneMask{1} << lane;"),
    Defect("silent_stores_race", "memory_rows", "now.kind = AccessKind::Silent;", ";"),
    Defect("aligned_barriers_take_parts", "barrier_rows", "if (arrived != warp.alive)", "if (false)"),
    Defect("counts_may_differ", "block", "barrier.expected != count", "false"),
    Defect("barriers_order_nothing", "block", "    ++round;", "    ;"),
    Defect("warp_barriers_order_nothing", "warp_rows", "warp.clock.meet(members);", ";"),
    Defect(
        "shuffles_from_nobody",
        "warp_rows",
        "(x.defined & x.members) >> from & 1 ? LaneMask{1} << lane : 0",
        "LaneMask{1} << lane",
    ),
    Defect("any_lane_may_call", "warp_rows", "if (!(members >> lane & 1))", "if (false)"),
    Defect("fences_publish_nothing", "knowledge", "fences[lane] = {true, ++time, round, external[lane]};", "++time;"),
    Defect(
        "atomics_publish_without_a_fence",
        "knowledge",
        "return fences[lane].happened ? snapshot(lane, fences[lane]) : nullptr;",
        "return snapshot(lane, {true, time + 1, 0, external[lane]});",
    ),
    Defect(
        "acquired_without_a_fence",
        "order",
        "  if (acquires)\n    s.warp.clock.fence",
        "  if (true)\n    s.warp.clock.fence",
    ),
    Defect("reads_do_not_race", "shadow", "if (!past && kind == AccessKind::Write)", "if (false)"),
    Defect(
        "the_last_cell_decides",
        "shadow",
        "  const bool isWrite = past != nullptr;",
        "  const bool isWrite = conflictWrites = past != nullptr;",
    ),
    Defect("atomics_race", "shadow", "!knowsWrite && !(cell.write.isStrong && now.isStrong)", "!knowsWrite"),
]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


class Build:
    def __init__(self, folder):
        self.sources = folder / "ptxmachine"
        shutil.copytree(SOURCES, self.sources)
        self.objects = {}
        for source in sorted(self.sources.glob("*.cpp")):
            self.objects[source.stem] = self.compiled(source, folder / f"{source.stem}.o")
        self.folder = folder

    def compiled(self, source, target):
        """Paths are relative, so that ccache knows what another folder had."""
        name = source.relative_to(self.sources.parent)
        command = ("ccache", "clang++-19", *FLAGS, "-I.", "-c", str(name), "-o", str(target))
        made = run(*command, cwd=self.sources.parent)
        assert made.returncode == 0, made.stderr
        return target

    def tests_pass(self, objects):
        program = self.folder / "tests"
        linked = run("clang++-19", *map(str, objects.values()), "-lgtest_main", "-lgtest", "-o", str(program))
        assert linked.returncode == 0, linked.stderr
        try:
            return run(str(program), "--gtest_brief=1", timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def users_of(self, header):
        """The sources that include a header, through others too."""
        found, names = set(), {header}
        while names:
            name = names.pop()
            for file in self.sources.iterdir():
                if re.search(rf'#include "(ptxmachine/)?{name}"', file.read_text()) and file.name not in found:
                    found.add(file.name)
                    if file.suffix == ".h":
                        names.add(file.name)
        return [name.removesuffix(".cpp") for name in found if name.endswith(".cpp")]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    made = Build(tmp_path_factory.mktemp("machine"))
    assert made.tests_pass(made.objects), "the machine's tests fail without a defect"
    return made


def test_there_are_enough():
    assert len(DEFECTS) == len({defect.name for defect in DEFECTS}) >= 40


@pytest.mark.share
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_defect_is_caught(defect, build):
    source = build.sources / f"{defect.file}.cpp"
    header = not source.exists()
    source = source.with_suffix(".h") if header else source
    text = source.read_text()
    assert text.count(defect.search) == 1, f"{text.count(defect.search)} places in {source.name}"
    source.write_text(text.replace(defect.search, defect.replace))
    try:
        objects = dict(build.objects)
        for name in build.users_of(source.name) if header else [defect.file]:
            objects[name] = build.compiled(build.sources / f"{name}.cpp", build.folder / f"mutant-{name}.o")
        assert not build.tests_pass(objects), f"{defect.name} survives"
    finally:
        source.write_text(text)
