"""What tests of the front end check: the syntax tree as treadle._core prints it."""

import pytest
from treadle import errors
from treadle._core import syntax


def body(function):
    """The printed tree without the line of the `def` and without line numbers and indentation."""
    return [line[4:].strip() for line in syntax(function).splitlines()[1:]]


def line_numbers(function):
    return [int(line[:4]) for line in syntax(function).splitlines()]


def refusal(function):
    with pytest.raises(errors.SourceError) as caught:
        syntax(function)
    return caught.value
