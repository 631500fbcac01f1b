"""Members of enumerations as values of run time (E8) and as arguments (C5): what Python makes of the same function."""

import enum
import pickle
import types

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import NumbaTypeError, NumbaValueError, TypingError, UnsupportedError


class Level(enum.Enum):
    LOW = 1
    MIDDLE = 2
    HIGH = 3
    TOP = 3  # another name of HIGH


class Other(enum.Enum):
    LOW = 1
    HIGH = 3


class Colour(enum.Enum):
    RED = 1.5
    BLUE = -2.0


class Wide(enum.Enum):
    A = np.int8(5)
    B = np.int8(-7)


class Switch(enum.Enum):
    ON = True
    OFF = False


class Planet(enum.Enum):
    """As in Python's documentation."""

    MERCURY = (3.303e23, 2.4397e6)
    EARTH = (5.976e24, 6.37814e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "text"


class Count(enum.IntEnum):
    ONE = 1
    FIVE = 5


class Right(enum.Flag):
    NOTHING = 0
    READ = 1
    WRITE = 2
    BOTH = 3  # loops leave out what is no one bit
    RUN = 4


class Mask(enum.IntFlag):
    NOTHING = 0
    A = 1
    B = 2
    BOTH = 3
    D = 8


class Always(enum.Enum):
    """Says itself what it is equal to, so that only Python knows."""

    X = 1
    Y = 2

    def __eq__(self, other):
        return True

    __hash__ = enum.Enum.__hash__


@cuda.jit(device=True)
def picked(i):
    return Level.HIGH if i > 3 else Level.LOW


@cuda.jit(device=True)
def is_high(level):
    return level is Level.HIGH


@cuda.jit(device=True)
def step(level):
    if level is Level.LOW:
        return Level.MIDDLE
    if level == Level.MIDDLE:
        return Level.HIGH
    return Level.LOW


@cuda.jit(device=True)
def found(i):
    return Colour.RED if i % 2 else None


class Zero(enum.Enum):
    NOTHING = 0
    ONE = 1


@cuda.jit(device=True)
def maybe(i):
    if i % 3 == 0:
        return Zero.NOTHING
    return Zero.ONE if i % 3 == 1 else None


N = 12
# What each thread computes of its number: as a kernel, and as Python does.
EXPRESSIONS = [
    "picked(i) == Level.HIGH", "picked(i) != Level.HIGH", "picked(i) is Level.LOW", "picked(i) is not Level.LOW",
    "picked(i) == Level.TOP", "picked(i).value", "picked(i)._value_", "is_high(picked(i))", "is_high(Level.MIDDLE)",
    "step(step(picked(i))).value", "picked(i) == Other.HIGH", "picked(i) != Other.HIGH", "picked(i) is Other.HIGH",
    "picked(i) == 3", "3 != picked(i)", "picked(i) is None", "picked(i) == None", "bool(picked(i))",
    "picked(i) in (Level.MIDDLE, Level.HIGH)", "picked(i) not in (Other.HIGH, Level.LOW)",
    "(picked(i), i) == (Level.HIGH, i)", "(picked(i), Level.LOW)[i % 2 * 0].value",
    "Level(i % 3 + 1).value", "Level(i % 3 + 1) is picked(i)", "Level(2) is Level.MIDDLE", "Level(2.0).value",
    "Level(float(i % 3 + 1)) is Level.MIDDLE", "Level(picked(i)) is Level.HIGH", 'Level["TOP"] is picked(i)',
    "len(Level.TOP.name)", "Level.TOP.name == 'HIGH'", "isinstance(picked(i), Level)",
    "isinstance(picked(i), (Other, int, tuple))", "(Colour.RED if i % 2 else Colour.BLUE).value",
    "Colour(1.5 if i % 2 else -2) is Colour.RED", "found(i) is None", "found(i) == Colour.RED",
    "maybe(i) == Zero.NOTHING", "maybe(i) != Zero.NOTHING", "maybe(i) is Zero.NOTHING", "Zero.ONE == maybe(i)",
    "maybe(i) == maybe(i + 1)", "maybe(i) != maybe(2)",
    "(Wide.A if i % 3 else Wide.B).value", "Wide(5) == Wide.A", "(Switch.ON if i > 5 else Switch.OFF) is Switch.ON",
    "Switch(i > 4).value", "(Planet.EARTH if i % 2 else Planet.MERCURY) == Planet.EARTH",
    "(Planet.EARTH if i % 2 else Planet.MERCURY).value[1]", "Planet.EARTH.radius + Planet.MERCURY.mass",
    "Mixed.NUMBER.value", "Mixed.TEXT.value == 'text'", "Mixed.NUMBER == Mixed.TEXT", "Mixed.NUMBER is Mixed.NUMBER",
    "Mixed.NUMBER == Level.LOW", "Count(i % 2 * 4 + 1) + 1", "Count(i % 2 * 4 + 1).value",
    "(Count.ONE if i > 4 else Count.FIVE) == 5", "(Right.READ | Right.WRITE).value", "bool(Right(i % 8) & Right.WRITE)",
    "(Right(i % 8) ^ Right.RUN).value", "Right(i % 8) == Right.READ | Right.RUN", "1 if Right(i % 8) else 0",
    "Mask(i).value", "(Mask.A | Mask.B) + i", "(Right.BOTH & Right(i % 8)) is Right.NOTHING",
    "1 if Right.NOTHING else 2",
    "Right(3) is Right.BOTH", "Right['NOTHING'].value", "len(Right.BOTH.name)", "Mask.BOTH + Mask.NOTHING",
    "Mask['BOTH']",
    "bool(Right.NOTHING)", "not Right.BOTH", "~Mask.A", "~(Mask.A | Mask.D)", "i & ~Mask.BOTH", "~Mask['BOTH']",
    "~Mask.BOTH.value", "~(Mask.A + 1)", "~Mask.NOTHING",
]  # fmt: skip
TEXT = "def work(i, out):\n" + "".join(f"    out[i, {k}] = {text}\n" for k, text in enumerate(EXPRESSIONS))


def in_python(work, *arguments, threads=N):
    """Runs what `work` does on the host, the device functions in it as Python's."""
    names = dict(globals())
    for name in ("picked", "is_high", "step", "found", "maybe"):
        names[name] = types.FunctionType(globals()[name].py_func.__code__, names)
    host = types.FunctionType(work.__code__, names)
    for i in range(threads):
        host(i, *arguments)


def as_kernel(text, rules, **options):
    names = dict(globals())
    exec(compile(text, "<members>", "exec"), names)
    device = cuda.jit(names["work"], device=True, rules=rules)

    @cuda.jit(rules=rules, **options)
    def kernel(out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            device(i, out)

    return kernel, names["work"]


def test_values_of_run_time(rules):
    kernel, work = as_kernel(TEXT, rules)
    kernel[2, 8](out := np.zeros((N, len(EXPRESSIONS))))
    in_python(work, expected := np.zeros_like(out))
    for k, text in enumerate(EXPRESSIONS):
        assert out[:, k].tolist() == expected[:, k].tolist(), text


def test_in_variables_and_loops(rules):
    text = """
def work(i, out):
    level = Level.LOW
    for k in range(i):
        level = step(level)
        if level is Level.HIGH and k > 4:
            break
    pair = (level, Other.LOW)
    level, other = pair
    out[i, 0] = level.value * 10 + other.value
    for member in Level:
        out[i, 1] = out[i, 1] * 10 + member.value
        if member is level:
            out[i, 2] = 1
    for count in Count:
        out[i, 3] += count
    for right in Right:
        out[i, 6] = out[i, 6] * 10 + right.value
    for bit in Mask:
        out[i, 7] = out[i, 7] * 10 + bit
    others = Mask.B
    out[i, 8] = 15 & ~others
    colour = Colour.BLUE
    for each in (Colour.RED, Colour.BLUE):
        if i % 3 == 1:
            colour = each
    out[i, 4] = colour.value
    while level is not Level.HIGH:
        level = step(level)
        out[i, 5] += 1
"""
    kernel, work = as_kernel(text, rules)
    kernel[2, 8](out := np.zeros((N, 9)))
    in_python(work, expected := np.zeros_like(out))
    assert out.tolist() == expected.tolist()
    # Python 3.10 has composite members in loops, later ones have not.
    assert out[0, 6:8].tolist() == [int("".join(str(int(one.value)) for one in kind)) for kind in (Right, Mask)]


@cuda.jit
def compared(level, colour, both, planet, right, out):
    i = cuda.grid(1)
    out[i, 0] = level == Level.HIGH
    out[i, 1] = level is Level.LOW
    out[i, 2] = level.value
    out[i, 3] = is_high(level)
    out[i, 4] = colour == Colour.BLUE
    out[i, 5] = both[1] is level
    out[i, 6] = planet.value[0] == Planet.EARTH.mass
    out[i, 7] = bool(right & Right.WRITE)
    out[i, 8] = isinstance(level, Level) and not isinstance(level, Other)


@pytest.mark.parametrize("level", Level)
def test_arguments_are_members(level):
    for colour, right in ((Colour.RED, Right.WRITE | Right.RUN), (Colour.BLUE, Right.READ)):
        out = np.zeros((3, 9))
        compared[1, 3](level, colour, (1, Level.HIGH), Planet.EARTH, right, out)
        expected = [
            level == Level.HIGH, level is Level.LOW, level.value, level is Level.HIGH, colour == Colour.BLUE,
            level is Level.HIGH, True, bool(right & Right.WRITE), True,
        ]  # fmt: skip
        assert out.tolist() == [[float(value) for value in expected]] * 3


def test_one_compilation_serves_all_members_of_a_class():
    @cuda.jit
    def kernel(member, out):
        out[0] = member == Level.LOW

    out = np.zeros(1)
    for member, equal in ((Level.LOW, 1), (Level.HIGH, 0), (Other.LOW, 0), (1, 0), (Level.LOW, 1)):
        kernel[1, 1](member, out)
        assert out[0] == equal, member
    names = [str(signature[0]) for signature in kernel.overloads]
    assert names == ["Enum<int64>(Level)", "Enum<int64>(Other)", "int64"]


def test_types_of_members():
    assert str(cuda.typeof(Level.LOW)) == "Enum<int64>(Level)"
    assert str(cuda.typeof(Colour.RED)) == "Enum<float64>(Colour)"
    assert cuda.typeof(Level.LOW) == cuda.typeof(Level.TOP) != cuda.typeof(Other.LOW)
    assert str(cuda.typeof(Level.LOW).dtype) == "int64"
    assert str(cuda.typeof(Count.ONE)) == "int64"

    @cuda.jit([(cuda.typeof(Level.LOW), "float64[::1]")])
    def kernel(member, out):
        out[0] = member is Level.HIGH

    kernel[1, 1](Level.HIGH, out := np.zeros(1))
    assert out[0] == 1
    with pytest.raises(TypeError):
        kernel[1, 1](Other.HIGH, out)
    assert pickle.loads(pickle.dumps(cuda.typeof(Level.LOW))) == cuda.typeof(Level.LOW)
    pickle.loads(pickle.dumps(kernel))[1, 1](Level.LOW, out)
    assert out[0] == 0


def test_members_that_kernels_do_not_have_arrive_as_their_values():
    @cuda.jit
    def kernel(value, out):
        out[0] = value + 1

    for member in (Mixed.NUMBER, Always.X):
        kernel[1, 1](member, out := np.zeros(1))
        assert out[0] == 2
    with pytest.raises(TypingError, match=r"\[unichr x 4\] \+ int64"):
        kernel[1, 1](Mixed.TEXT, np.zeros(1))


def test_two_classes_of_one_name_differ():
    def made(value):
        class Level(enum.Enum):
            LOW = value

        return Level

    first, second = made(1), made(1)

    @cuda.jit
    def kernel(member, out):
        out[0] = member == first.LOW
        out[1] = first.LOW == second.LOW

    kernel[1, 1](first.LOW, out := np.ones(2))
    assert out.tolist() == [1, 0]
    kernel[1, 1](second.LOW, out)
    assert out.tolist() == [0, 0]


@pytest.mark.parametrize(
    "statement, error, message",
    [
        ("out[0] = Level.LOW < Level.HIGH", TypingError, "the operator < is not defined"),
        ("out[0] = Level.LOW <= 1", TypingError, "the operator <= is not defined"),
        ("out[0] = Level.LOW + 1", TypingError, r"the operator \+ is not defined"),
        ("y = ~Right.READ", TypingError, "the operator ~ is not defined"),
        ("y = Right.READ + Right.RUN", TypingError, r"the operator \+ is not defined"),
        ("y = Level.LOW if n else Other.LOW", TypingError, "do not go together"),
        ("y = Level.LOW if n else 3", TypingError, "do not go together"),
        ("y = Mixed.NUMBER if n else Mixed.TEXT", TypingError, "do not go together"),
        ("y = Level(7)", NumbaValueError, "this is no value of Level"),
        ("y = Count(7)", NumbaValueError, "this is no value of Count"),
        ("y = Right(8)", NumbaValueError, "this is no value of Right"),
        ("y = Mask(-1)", NumbaValueError, "this is no value of Mask"),
        ("out[0] = ~Mask(n)", UnsupportedError, "~ of flags that are known only at run time"),
        ("out[0] = ~(Mask.A | n)", UnsupportedError, "~ of flags that are known only at run time"),
        ("y = Level(1j)", TypingError, "complex128 is no value of Level"),
        ("y = Level(Other.LOW)", TypingError, r"Enum<int64>\(Other\) is no value of Level"),
        ("y = Level()", NumbaTypeError, "'Level' takes one value"),
        ("y = Level(1, value=2)", NumbaTypeError, "'Level' takes one value"),
        ("y = Mixed(n)", TypingError, "'Mixed' cannot be called in a kernel"),
        ("out[0] = (Level.LOW if n else Level.HIGH).name == 'LOW'", TypingError, "have only the value"),
        ("y = Level.LOW.colour", TypingError, "has no attribute 'colour'"),
        ("out[0] = Level.LOW", TypingError, "cannot be stored"),
        ("out[Level.LOW] = 1", TypingError, "an index must be an integer"),
        ("y = int(Level.LOW)", TypingError, "cannot be an argument of int"),
        ("y, = Level.LOW", TypingError, "only a tuple or an array can be unpacked"),
        ("y = len(Level.LOW)", TypingError, "cannot be an argument of len"),
        ("y = out == Level.LOW", TypingError, "the operator == is not defined"),
        ("print(Level.LOW)", TypingError, "cannot be printed"),
    ],
)
def test_mistakes(statement, error, message):
    names = dict(globals())
    exec(compile(f"def kernel(out, n):\n    {statement}\n", "<members>", "exec"), names)
    with pytest.raises(error, match=message):
        cuda.jit(names["kernel"])[1, 1](np.zeros(4), 2)


@pytest.mark.parametrize(
    "name, good, bad",
    [("Level", 3, 4), ("Count", 5, 4), ("Right", 7, 8), ("Right", 0, 9), ("Colour", 1.5, 1.0), ("Mask", 21, -1)],
)
def test_a_value_that_no_member_has_is_found_under_debug(name, good, bad):
    names = dict(globals())
    exec(compile(f"def kernel(out, x):\n    out[0] = {name}(x).value\n", "<members>", "exec"), names)
    kernel = cuda.jit(names["kernel"], debug=True, opt=False)
    kernel[1, 1](out := np.zeros(1), good)
    assert out[0] == good
    with pytest.raises(ValueError, match=f"this is no value of {name}, in line 2, column 14 of kernel"):
        kernel[1, 1](out, bad)
        cuda.synchronize()


def test_such_a_value_equals_no_member_without_debug():
    @cuda.jit
    def kernel(x, out):
        level = Level(x)
        out[0] = level.value
        for member in Level:
            out[1] += member == level

    kernel[1, 1](8, out := np.zeros(2))
    assert out.tolist() == [8, 0]
