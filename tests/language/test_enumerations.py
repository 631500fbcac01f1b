"""Enumerations with rules of their own (E8, C5): what Python does, or an error; and isinstance() of their members."""

import enum
import math

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import TypingError, UnsupportedError
from treadle.source import names


class Level(enum.Enum):
    LOW = 1
    HIGH = 3


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "text"


class Count(enum.IntEnum):
    ONE = 1
    FIVE = 5


class Ratio(float, enum.Enum):
    HALF = 0.5


class Text(str, enum.Enum):
    A = "a"
    EMPTY = ""


class OtherText(str, enum.Enum):
    A = "a"


class Pair(tuple, enum.Enum):
    A = (1, 2)


class Base(enum.Enum):
    def half(self):
        return self.value / 2


class Derived(Base):
    TWO = 2


class False_(enum.Enum):  # noqa: N801
    A = 1
    B = 2

    def __bool__(self):
        return False


class Sized(enum.Enum):
    A = 1

    def __len__(self):
        return 0


class Unequal(enum.Enum):
    A = 1
    B = 2

    def __ne__(self, other):
        return True


class Equal(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return True

    __hash__ = enum.Enum.__hash__


class NoNumber(enum.Enum):
    NAN = math.nan
    ONE = 1.0


class NoNumbers(enum.Enum):
    A = (1.0, math.nan)
    B = (1.0, 2.0)


class Missing(enum.Enum):
    A = 1
    B = 2

    @classmethod
    def _missing_(cls, value):
        return cls.A


class MissingCount(enum.IntEnum):
    A = 1
    B = 2

    @classmethod
    def _missing_(cls, value):
        return cls.A


class FalseCount(enum.IntEnum):
    A = 1

    def __bool__(self):
        return False


class OddSum(enum.IntEnum):
    A = 1
    B = 2

    def __add__(self, other):
        return 100


class Shown(enum.IntEnum):
    """Says only how it is written."""

    A = 1
    B = 7

    def __str__(self):
        return "shown"

    def __repr__(self):
        return "shown"


class OddOr(enum.Flag):
    A = 1
    B = 2

    def __or__(self, other):
        return OddOr.A


BOUNDARIES = {}
if hasattr(enum, "FlagBoundary"):

    class Conforming(enum.Flag, boundary=enum.CONFORM):
        A = 1
        B = 2

    class Ejecting(enum.Flag, boundary=enum.EJECT):
        A = 1
        B = 2

    class Keeping(enum.Flag, boundary=enum.KEEP):
        A = 1
        B = 2

    class StrictMask(enum.IntFlag, boundary=enum.STRICT):
        A = 1
        B = 2

    BOUNDARIES = {kind.__name__: kind for kind in (Conforming, Ejecting, Keeping, StrictMask)}

# What Python answers, and kernels must.
ANSWERS = [
    "isinstance(Level.LOW, Level)", "isinstance(Level.LOW, enum.Enum)", "isinstance(Level.LOW, (int, str))",
    "isinstance(Mixed.NUMBER, Mixed)", "isinstance(Mixed.NUMBER, Level)", "isinstance(Mixed.TEXT, (Level, Mixed))",
    "isinstance(Mixed.TEXT, str)", "isinstance(Text.A, Text)", "isinstance(Text.A, str)",
    "isinstance(Text.A, OtherText)",
    "isinstance(Derived.TWO, Base)", "isinstance(Derived.TWO, Derived)", "isinstance(Level.LOW, Base)",
    "isinstance(FalseCount.A, FalseCount)", "isinstance(FalseCount.A, int)", "isinstance(FalseCount.A, Count)",
    "isinstance(Pair.A, Pair)", "isinstance(Pair.A, tuple)", "isinstance(Count.ONE, int)", "isinstance(1.5, Count)",
    "isinstance(True, Count)", "isinstance(1, (int, Count))", "isinstance(1, Level)", "isinstance(None, Count)",
    "isinstance(None, Level)", "isinstance(out, Count)", "isinstance('a', Count)", "isinstance(1, Text)",
    "Equal.A is Equal.B", "Equal.A is Equal.A", "Equal.A.value == Equal.B.value", "Unequal.A is Unequal.A",
    "NoNumber.NAN == NoNumber.NAN", "NoNumber.NAN is NoNumber.NAN", "NoNumber.NAN != NoNumber.ONE",
    "NoNumber.ONE.value",
    "NoNumbers.A == NoNumbers.A", "NoNumbers.A is NoNumbers.B", "Missing.A == Missing.B",
    "(Missing.A if n else Missing.B).value",
    "MissingCount.A + n", "OddSum.A.value + 1", "OddSum.B is OddSum.B", "Shown.A + Shown.B", "Shown.B == 7",
    "1 if Shown.A else 0",
    "OddOr.A is OddOr.A", "OddOr.B.value", "Text.A == Text.EMPTY", "Text.A == Text.A", "Text.A is not Text.EMPTY",
    "Text.A.value == 'a'", "bool(Mixed.TEXT)", "bool(Level.LOW)", "1 if False_.A.value else 0", "Ratio.HALF + 1",
    "Pair.A.value[1]", "Pair.A is Pair.A",
]  # fmt: skip
# What kernels refuse, as what is wrong there is the type or the value of the answer.
NOT_KNOWN = "cannot be asked in kernels, where such members are their values"
OWN_EQUALITY, OWN_TRUTH = "says itself what it is equal to", "says itself whether it is true"
REFUSED = [
    ("isinstance(Count.ONE, Count)", UnsupportedError, f"a member of Count {NOT_KNOWN}"),
    ("isinstance(7, Count)", UnsupportedError, NOT_KNOWN), ("isinstance(n, Count)", UnsupportedError, NOT_KNOWN),
    ("isinstance(n, (float, Count))", UnsupportedError, NOT_KNOWN),
    ("isinstance(n, Mixed)", UnsupportedError, NOT_KNOWN),
    ("isinstance(n, enum.Enum)", UnsupportedError, NOT_KNOWN), ("isinstance('a', Text)", UnsupportedError, NOT_KNOWN),
    ("isinstance('a', Mixed)", UnsupportedError, NOT_KNOWN), ("isinstance(0.5, Ratio)", UnsupportedError, NOT_KNOWN),
    ("isinstance((1, 2), Pair)", UnsupportedError, NOT_KNOWN), ("isinstance(None, Mixed)", UnsupportedError, NOT_KNOWN),
    ("bool(False_.A)", TypingError, OWN_TRUTH), ("1 if False_.A else 0", TypingError, OWN_TRUTH),
    ("not Sized.A", TypingError, OWN_TRUTH), ("1 if FalseCount.A else 0", TypingError, OWN_TRUTH),
    ("False_.A and n", TypingError, OWN_TRUTH), ("bool(Text.EMPTY)", TypingError, OWN_TRUTH),
    ("Equal.A == Equal.B", TypingError, OWN_EQUALITY), ("Equal.A != Equal.B", TypingError, OWN_EQUALITY),
    ("Level.LOW == Equal.A", TypingError, OWN_EQUALITY), ("Equal.A in (Equal.B,)", TypingError, OWN_EQUALITY),
    ("Equal.A == None", TypingError, OWN_EQUALITY), ("Unequal.A != Unequal.A", TypingError, OWN_EQUALITY),
    ("(1, Equal.A) == (1, Equal.B)", TypingError, OWN_EQUALITY), ("Text.A == OtherText.A", TypingError, OWN_EQUALITY),
    ("Text.A == 'a'", TypingError, OWN_EQUALITY), ("Pair.A == (1, 2)", TypingError, OWN_EQUALITY),
    ("OddSum.A + 1", TypingError, r"the operator \+ is not defined"),
    ("OddOr.A | OddOr.B", TypingError, "the operator"),
    ("Missing(n)", TypingError, "'Missing' cannot be called"),
    ("MissingCount(n)", TypingError, "says itself which values"),
    ("Equal(n)", TypingError, "'Equal' cannot be called"),
    ("NoNumber(1.0)", TypingError, "'NoNumber' cannot be called"),
    *((f"{name}(n).value", TypingError, f"'{name}' cannot be called") for name in BOUNDARIES),
]  # fmt: skip


def made(text, **options):
    names = dict(globals())
    exec(compile(f"def work(n, out):\n    out[0] = {text}\n", "<enumerations>", "exec"), names)
    return names["work"], cuda.jit(names["work"], **options)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_are_pythons(text, rules):
    work, kernel = made(text, rules=rules)
    work(2, expected := np.full(1, 9.0))
    kernel[1, 1](2, out := np.full(1, 9.0))
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("text, error, message", REFUSED)
def test_what_only_python_knows_is_refused(text, error, message, rules):
    with pytest.raises(error, match=message):
        made(text, rules=rules)[1][1, 1](2, np.zeros(1))


@pytest.mark.skipif(not BOUNDARIES, reason="Python 3.10 has no boundaries")
def test_members_of_flags_with_other_boundaries_combine():
    for kind in BOUNDARIES.values():
        name = kind.__name__
        for text in (f"({name}.A | {name}.B).value", f"({name}.B ^ {name}.A).value", f"({name}.A & {name}.B).value"):
            work, kernel = made(text)
            work(0, expected := np.zeros(1))
            kernel[1, 1](0, out := np.zeros(1))
            assert out[0] == expected[0], text


def test_arguments_whose_class_kernels_do_not_have():
    def kernel(member, out):
        if isinstance(member, Mixed):
            out[0] = 1
        else:
            out[0] = 2

    for member in (Mixed.NUMBER, Mixed.TEXT, 1, None):
        with pytest.raises(UnsupportedError, match=f"a member of Mixed {NOT_KNOWN}"):
            cuda.jit(kernel)[1, 1](member, np.zeros(1))
    cuda.jit(kernel)[1, 1](Level.LOW, out := np.zeros(1))
    assert out[0] == 2


def test_arguments_of_derived_classes():
    @cuda.jit
    def kernel(member, out):
        out[0] = isinstance(member, Base)
        out[1] = isinstance(member, enum.Enum)
        out[2] = isinstance(member, (int, Mixed))

    for member in (Derived.TWO, Level.HIGH):
        kernel[1, 1](member, out := np.full(3, 9.0))
        assert out.tolist() == [isinstance(member, Base), True, False]


def test_loops_over_classes_with_rules_of_their_own():
    @cuda.jit
    def kernel(out):
        for member in Equal:
            out[0] = out[0] * 10 + member.value
        for member in Missing:
            out[1] = out[1] * 10 + member.value
        for member in OddSum:
            out[2] = out[2] * 10 + member.value

    kernel[1, 1](out := np.zeros(3))
    assert out.tolist() == [12, 12, 12]


@pytest.mark.parametrize("more", [[], [2.5]], ids=["of one type", "of two types"])
def test_a_compilation_asks_once_for_the_type_of_all_members(more, monkeypatch):
    """Who asks looks at all members: asked for each of them, compiling would take the square of their number."""
    asked = []
    member_type = names.member_type
    monkeypatch.setattr(names, "member_type", lambda kind: asked.append(kind) or member_type(kind))
    values = [*range(40), *more]
    many = enum.Enum("many", {f"M{i}": value for i, value in enumerate(values)})

    @cuda.jit
    def kernel(out):
        for member in many:
            out[0] += member.value

    kernel[1, 1](out := np.zeros(1))
    assert out[0] == sum(values)
    assert asked == [many, many]  # what they are, and as what they arrive that kernels cannot tell from other values
