# Texts and members of enumerations: constants, whose operations are done while compiling.

import enum

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

NAME = "größe"


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Count(enum.IntEnum):
    ONE = 1
    FIVE = 5


MODE = Level.HIGH
EXPRESSIONS = """
NAME[0] == "g"
NAME[-1] == "e" and NAME[2] == "ö"
NAME[1:3] == "rö"
NAME[::-1] == "eßörg"
NAME[10:] == "" and len(NAME[10:]) == 0
len(NAME) + 10 * len(NAME[1:]) + 100 * len("")
NAME + "!" == "größe!"
("a" + "b")[1] == "b"
"abc".upper() == "ABC" and "A1c".lower() == "a1c"
("ö" in NAME) + 2 * ("x" in NAME) + 4 * ("" in NAME) + 8 * ("x" not in NAME)
("abc" < "abd") + 2 * ("b" <= "a") + 4 * ("ab" > "a") + 8 * ("z" >= "ö") + 16 * ("a" != "a")
(NAME == 3) + 2 * (NAME != 3) + 4 * (2.5 == "a") + 8 * (1j != "a") + 16 * (NAME == (1, 2)) + 32 * (True != NAME)
(NAME in (1, NAME)) + 2 * ("1" in (1, 2)) + 4 * ("a" not in (1, "b")) + 8 * (out[0] == "0") + 16 * ("a" != Count.ONE)
NAME.startswith("gr") + 2 * NAME.endswith("e") + 4 * NAME.startswith("x")
MODE == Level.HIGH
(MODE is Level.LOW) + 2 * (MODE != Level.LOW) + 4 * (MODE is Level["HIGH"])
Level.HIGH.value + 10 * Level["LOW"].value + 100 * len(Level.HIGH.name)
Level.HIGH.name + Level.LOW.name == "HIGHLOW"
Count.ONE + 2 + Count.FIVE.value * 10
(Count.FIVE > Count.ONE) + 2 * (Count.FIVE == 5) + 4 * (Count["ONE"] == Count.ONE)
Count.ONE | Count.FIVE << 3
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_in_python(rules, expression):
    namespace = {**globals()}
    exec(f"def kernel(out):\n    out[0] = {expression}\n", namespace)
    cuda.jit(namespace["kernel"], rules=rules)[1, 1](out := np.zeros(1))
    assert out[0] == eval(expression, {**namespace, "out": [0.0]})


def test_texts_are_arguments_of_device_functions_and_choose_branches(rules):
    @cuda.jit(device=True, rules=rules)
    def combine(how, x, k):
        if how[0] == "a":
            return x + 1
        if how.upper() == "SUB":
            return x - 1
        return how[k] == "u"

    @cuda.jit(rules=rules)
    def kernel(out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            out[i, 0] = combine("add", i, 0)
            out[i, 1] = combine("sub", x=i, k=0)
            out[i, 2] = combine(how="mul", x=0, k=1)

    kernel[1, 64](out := np.zeros((40, 3), np.int64))
    assert out.tolist() == [[i + 1, i - 1, 1] for i in range(40)]


def test_members_of_an_int_enum_are_integers(rules):
    def kernel(member, out):
        i = cuda.grid(1)
        other = Count.ONE if i % 2 else Count.FIVE
        out[i] = (member == Count.FIVE) * 100 + member * 10 + other
        for each in (Count.ONE, Count.FIVE):
            out[i] += 1000 * (each == other)

    cuda.jit(kernel, rules=rules)[1, 40](Count.FIVE, out := np.zeros(40, np.int64))
    assert out.tolist() == [1150 + (1 if i % 2 else 5) for i in range(40)]


@pytest.mark.parametrize(
    "expression, message",
    [
        ("NAME[7]", "outside of the text"),
        ("NAME[int(out[0])]", "must be known while compiling"),
        ("NAME[: int(out[0])]", "must be known while compiling"),
        ("NAME[::0]", "must not be zero"),
        ("NAME.upper()", "beyond ASCII"),
        ("NAME.title()", "no attribute 'title'"),
        ("NAME + 1", "not defined"),
        ("NAME < 1", "not defined"),
        ("Level['MIDDLE']", "is no member of Level"),
        ("Level['HIGH.value']", "is no member of Level"),
    ],
)
def test_refused(rules, expression, message):
    namespace = {**globals()}
    exec(f"def kernel(out):\n    out[0] = {expression}\n", namespace)
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(1))
    assert caught.value.line == 2
