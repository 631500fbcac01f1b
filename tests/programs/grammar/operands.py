# Expressions of random programs: any operand may have an effect, and Python defines their order.

from programs.grammar.control import Control
from programs.grammar.scope import MASK

ITERATIONS = 3  # of a loop, about
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Operands(Control):
    """Integers below about 2 ** 24 in magnitude. `uniform`: one value for all threads of a block."""

    # Values without effects.

    def atom(self, uniform=False):
        frame = self.frame
        names = frame.uniform if uniform or not frame.varying else frame.varying + frame.uniform[:1]
        if names and self.chance(0.7):
            return self.random.choice(names)
        if self.tables and self.chance(0.3):
            return self.table_element(uniform)
        return str(self.number(0, 9))

    def table_element(self, uniform=False):
        """An element of an array that the program captures."""
        name, size = self.random.choice(self.tables)
        self.used["captured array"] += 1
        index = f"{self.name(uniform)} % {size}"
        return f"{name}[{self.pick(index, f'{index} - {size}')}]"

    def name(self, uniform=False):
        names = self.frame.uniform if uniform else self.frame.varying or self.frame.uniform
        return self.random.choice(names) if names else "3"

    def value(self, place, depth=2, uniform=False):
        if depth <= 0:
            return self.atom(uniform)
        if not uniform and self.chance(self.effects):
            return self.effect(place)
        if uniform and place.uniform and self.chance(self.effects * 0.6):
            return self.uniform_effect()
        makers = [
            (self._sum, 5), (self._product, 2), (self._remainder, 3), (self._choice, 2), (self._extreme, 1),
            (self._item, 0 if uniform else 2), (self._call, 0 if uniform else self.calls), (self._constant_call, 1),
            (self._data, 0 if uniform else 2), (self._cell, 0 if uniform else 2),
            (self._item_of_name, 3 if self.frame.tuples and not uniform else 0),
        ]  # fmt: skip
        return self.weighted(makers)(place, depth - 1, uniform)

    def small(self, place, limit, uniform=False):
        """A value from 0 to limit - 1."""
        form = self.pick("({}) % " + str(limit), "abs({}) % " + str(limit))
        if limit & (limit - 1) == 0:
            form = "({}) & " + str(limit - 1)
        return "(" + form.format(self.value(place, 1, uniform)) + ")"

    def kept(self, place, depth=2, uniform=False):
        """A value for a variable: bounded, however many iterations a loop has."""
        return f"({self.value(place, depth, uniform)}) & {MASK}"

    def _sum(self, place, depth, uniform):
        op = self.pick("+", "-", "+", "^", "|")
        return f"({self.value(place, depth, uniform)} {op} {self.value(place, depth, uniform)})"

    def _product(self, place, depth, uniform):
        return f"(({self.value(place, depth, uniform)}) & 63) * {self.number(2, 9)}"

    def _remainder(self, place, depth, uniform):
        return f"({self.value(place, depth, uniform)}) {self.pick('%', '//', '%')} {self.number(2, 9)}"

    def _choice(self, place, depth, uniform):
        test, arm = self.condition(place, depth, uniform), self.apart(place)
        return f"({self.value(arm, depth, uniform)} if {test} else {self.value(arm, depth, uniform)})"

    def _extreme(self, place, depth, uniform):
        first, second = self.value(place, depth, uniform), self.value(place, depth, uniform)
        return f"{self.pick('min', 'max')}({first}, {second})"

    def _item(self, place, depth, uniform):
        """An item of a tuple display: all items are evaluated, then the index."""
        self.used["item of a tuple"] += 1
        items = [self.value(place, depth) for _ in range(3)]
        form = self.number(0, 4)
        if form == 0:
            return f"({', '.join(items)})[{self.number(-3, 2)}]"
        if form == 1:
            return f"({', '.join(items)})[{self.pick('1:', ':2', '::2', '::-1')}][{self.pick(0, 1, -1)}]"
        items = [f"int64({item})" for item in items]  # of one type, if the index is known at run time only
        return f"({', '.join(items)})[{self.small(place, 3)}{self.pick('', ' - 3')}]"

    def _item_of_name(self, place, depth, uniform):
        self.used["item of a tuple with a name"] += 1
        index = self.small(place, 3)
        return f"{self.random.choice(self.frame.tuples)}[{self.pick(index, index + ' - 3', self.number(-3, 2))}]"

    def _data(self, place, depth, uniform):
        index = self.small(place, 64)
        return f"data[{self.pick(index, index, index + ' - 64', 'i', 'i - 16') if self.in_kernel else index}]"

    def _cell(self, place, depth, uniform):
        cells = self.random.choice(self.frame.cells)
        return cells.at(self._cell_number(place, cells))

    def _cell_number(self, place, cells):
        """The number of a cell: constant, computed, or counted from the end if it is a plain index."""
        if self.chance(0.5):
            return str(self.number(0, cells.size - 1))
        number = self.small(place, cells.size)
        if cells.wraps and self.chance(0.4):
            self.used["wrapped index"] += 1
            return f"{number} - {cells.size}"
        return number

    # Values with effects.

    def effect(self, place):
        """A value whose evaluation changes something that is visible later."""
        makers = [(self._tick, 5), (self._own_atomic, 3), (self._walrus, 2), (self._call, self.calls)]
        if place.meets and self.has_barriers and (place.uniform or self.is_loose):
            makers.append((self._meeting_tick, 2))
        self.used["effect in an operand"] += 1
        return self.weighted(makers)(place, 0, False)

    def _tick(self, place, depth, uniform):
        cells = self.random.choice(self.frame.cells)
        return f"tick({cells.arguments(self.number(0, cells.size - 1))})"

    def _meeting_tick(self, place, depth, uniform):
        self.used["barrier in an operand"] += 1
        cells = self.random.choice(self.frame.cells)
        return f"meeting_tick({cells.arguments(self.number(0, cells.size - 1))})"

    def _own_atomic(self, place, depth, uniform):
        """The element is this thread's own, so the old value is known."""
        cells = self.random.choice(self.frame.cells)
        if cells.array in self.local_arrays:
            return self._tick(place, depth, uniform)
        self.used["atomic operation on an own element"] += 1
        op = self.pick("add", "add", "exch", "max", "sub")
        value = self.value(place, 1) if self.chance(0.5) else str(self.number(1, 5))
        return f"cuda.atomic.{op}({cells.atomic(self._cell_number(place, cells))}, ({value}) & {MASK})"

    def _walrus(self, place, depth, uniform):
        names = [v for v in self.frame.varying if v not in self.fixed]
        if not names:
            return self._tick(place, depth, uniform)
        name = self.random.choice(names)
        return f"({name} := ({name} + {self.number(1, 3)}) & {MASK})"

    def uniform_effect(self):
        """One value for the block, and an atomic operation of each thread."""
        self.used["effect of a uniform call"] += 1
        return f"note(acc, {self.number(0, 15)}, {self.atom(uniform=True)})"

    # Calls.

    def _call(self, place, depth, uniform):
        if not self.functions:
            return self._tick(place, depth, uniform)
        function = self.random.choice(self.functions)
        calls = function.calls * ITERATIONS**place.loops
        waits_apart = function.waits and not (place.meets and place.uniform)
        if calls > self.calls_left or waits_apart or function.takes_cells and not self.wide_cells():
            return self._tick(place, depth, uniform)
        self.calls_left -= calls
        return self.call(function, place)

    def wide_cells(self):
        return [c for c in self.frame.cells if c.size >= 8]

    def call(self, function, place):
        """Arguments by position, or by name in any order."""
        self.used[f"call: {function.kind}"] += 1
        given = []
        if function.takes_cells:
            cells = self.random.choice(self.wide_cells())
            given = [cells.view, cells.base or "0", "acc", "data"]
        values = [self.small(place, limit) for limit in function.limits]
        if function.has_default and self.chance(0.5):
            values.pop()
        if self.chance(0.4) and len(values) > 1:
            count = self.number(0, len(values) - 1)
            named = [f"{n}={v}" for n, v in zip(function.names[count:], values[count:])]
            self.random.shuffle(named)
            values = values[:count] + named
        extra = ["t", "size"] if function.waits else []
        return f"{function.name}({', '.join(given + extra + values)})"

    def _constant_call(self, place, depth, uniform):
        """Calls of functions that differ only in what they captured."""
        if not self.closures:
            return self._sum(place, depth, uniform)
        self.used["function of a factory"] += 1
        return f"{self.random.choice(self.closures)}(({self.value(place, depth, uniform)}) & 255)"

    # Conditions.

    def condition(self, place, depth=1, uniform=False):
        if uniform:
            return f"{self.value(place, depth, True)} {self.pick(*COMPARISONS)} {self.value(place, depth, True)}"
        makers = [
            (self._comparison, 6), (self._chain, 2), (self._both, 2 if depth > 0 else 0), (self._member, 1),
            (self._tuples, 1), (self._lanes, 3),
        ]  # fmt: skip
        return self.weighted(makers)(place, depth)

    def _comparison(self, place, depth):
        text = f"{self.value(place, depth)} {self.pick(*COMPARISONS)} {self.value(place, depth)}"
        return f"not ({text})" if self.chance(0.1) else text

    def _lanes(self, place, depth):
        """Conditions of every shape: half a warp, whole warps, some lanes."""
        if not self.in_kernel:
            return f"{self.name()} % {self.number(2, 4)} == {self.number(0, 1)}"
        return self.pick("t < 16", "t % 2 == 0", "t >= 32", "t % 5 == 1", "i % 3 == 0", "t == 0", "data[i] % 3 == 0")

    def _chain(self, place, depth):
        self.used["chained comparison"] += 1
        first, last = self.value(place, self.number(0, 1)), self.value(self.apart(place), 1)
        middle = self.effect(place) if self.chance(0.6) else self.value(place, 1)
        if self.chance(0.3) and first in self.frame.varying and first not in self.fixed:
            middle = f"({first} := {self.kept(place, 1)})"
        text = f"{first} {self.pick('<', '<=', '!=')} {middle} {self.pick('<', '>', '==')} {last}"
        return f"{text} != {self.effect(self.apart(place))}" if self.chance(0.2) else text

    def _both(self, place, depth):
        op = self.pick("and", "or")
        return f"({self.condition(place, depth - 1)} {op} {self.condition(self.apart(place), depth - 1)})"

    def _member(self, place, depth):
        self.used["in"] += 1
        items = ", ".join(self.small(place, 8) for _ in range(3))
        return f"{self.small(place, 8)} {self.pick('in', 'not in')} ({items})"

    def _tuples(self, place, depth):
        self.used["tuples compared"] += 1
        first, second = ([self.small(place, 4) for _ in range(2)] for _ in range(2))
        return f"({', '.join(first)}) {self.pick('==', '!=')} ({', '.join(second)})"
