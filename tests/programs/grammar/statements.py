# Statements of random programs: assignments with effects on both sides, control flow of every kind, a thread's memory.

from programs.grammar.operands import Operands
from programs.grammar.scope import MASK, Cells, indented


class Statements(Operands):
    together = 0.35
    results = ("r",)

    def makers(self, place):
        deep = place.depth >= 3 or self.budget <= 0
        makers = [
            (self._assign, 4), (self._update, 4), (self._store, 4), (self._augment_element, 3), (self._unpack, 1),
            (self._tuple, 1),
            (self._result, 3), (self._slice, 3 * self.weight("memory")),
            (self._loose_atomic, 2), (self._local_array, 2 * self.weight("memory") if place.depth < 2 else 0),
            (self._if, 0 if deep else 5), (self._for, 0 if deep or place.loops > 1 else 3 * self.weight("loops")),
            (self._while, 0 if deep or place.loops > 1 else 2 * self.weight("loops")),
            (self._leave, 4 if place.leaves else 0),
            (self._return, self.weight("returns") if place.depth and place.returns else 0),
            (self._strided, 4 * self.weight("strided") if self._may_stride(place) else 0),
            (self._uniform_assign, 1 if place.uniform else 0),
        ]  # fmt: skip
        return makers + self.meetings(place, deep) if self.has_barriers and place.meets else makers

    def weight(self, theme):
        return 3 if theme in self.themes else 1

    # Assignments.

    def _uniform_assign(self, place):
        value, name = self.kept(place, uniform=True), self.fresh("u")
        self.frame.uniform.append(name)
        return [f"{name} = {value}"]

    def result(self, place, value):
        """Adds a value to the result; if that must not change, stores it to memory."""
        if "r" in self.fixed:
            return f"{self.random.choice(self.frame.cells).at(0)} = ({value}) & {MASK}"
        return f"r = (r * {self.number(3, 7)} + {value}) & {MASK}"

    def stored(self, category, place, depth=2):
        return self.kept(place, depth)

    def augmented(self, category, name, place):
        return [f"{name} {self.pick('+', '-', '^', '|')}= {self.kept(place)}", f"{name} &= {MASK}"]

    def _result(self, place):
        return [self.result(place, self.value(place))]

    def _tuple(self, place):
        """A tuple with a name, or another one for a name that has one."""
        items = ", ".join(f"int64({self.kept(place, 1)})" for _ in range(3))
        names = [q for q in self.frame.tuples if q not in self.fixed]
        if names and self.chance(0.6):
            return [f"{self.random.choice(names)} = ({items})"]
        name = self.fresh("q")
        self.frame.tuples.append(name)
        return [f"{name} = ({items})"]

    def _store(self, place):
        self.used["store"] += 1
        cells = self.random.choice(self.frame.cells)
        return [f"{cells.at(self._cell_number(place, cells))} = {self.kept(place)}"]

    def _augment_element(self, place):
        self.used["augmented element"] += 1
        cells = self.random.choice(self.frame.cells)
        names = [v for v in self.frame.varying if v not in self.fixed]
        if cells.wraps and self.chance(0.3):
            return self._augment_at_name(place, cells)
        if names and self.chance(0.4):
            # The index is read before the value changes it.
            name = self.random.choice(names)
            index = f"({name}) % {cells.size}"
            return [f"{cells.at(index)} += ({name} := {self.kept(place, 1)})"]
        index = self._cell_number(place, cells)
        return [f"{cells.at(index)} {self.pick('+', '-', '^')}= {self.kept(place, 1)}"]

    def _augment_at_name(self, place, cells):
        """The index is a name as it stands, which the value changes, in a branch or from one iteration to the next."""
        name, arm = self.fresh("v"), self.apart(place)
        start, following = self.small(place, cells.size), self.small(arm, cells.size)
        head = (
            f"if {self.condition(place)}:"
            if self.chance(0.5)
            else f"for {self.fresh('k')} in range({self.number(2, 4)}):"
        )
        lines = [f"{name} = {start}", head, f"    {cells.at(name)} {self.pick('+', '-')}= ({name} := {following})"]
        self.frame.varying.append(name)
        return lines

    def _loose_atomic(self, place):
        """All threads on few elements, which none of them reads before the launch ends."""
        self.used["atomic operation"] += 1
        op, first = self.pick(("add", 16), ("max", 32), ("xor", 48))
        index = self.pick(f"{self.small(place, 16)} + {first}", f"{self.small(place, 16)} - {64 - first}")
        return [f"cuda.atomic.{op}(acc, {index}, {self.kept(place, 1)})"]

    # Memory.

    def _slice(self, place):
        """Views of a thread's own cells: sliced, read, written, passed on."""
        every = [c for c in self.frame.cells if c.has_slices and c.size >= 6]
        if not every:
            return self._store(place)
        self.used["slice"] += 1
        cells = self.random.choice(every)
        start, stop = self.small(place, 2), f"{self.number(3, 4)} + {self.small(place, 2)}"
        form = self.number(0, 5)
        if form == 0:
            return [f"{cells.slice(start, stop)} = {self.kept(place)}"]
        others = [c for c in every if c.array != cells.array]
        if form == 4 and others:
            other, k = self.random.choice(others), self.number(0, 3)
            return [f"{cells.slice(0, 3)} = {other.slice(k, k + 3)}"]
        if form == 5 and not cells.base:
            return [self.result(place, f"{cells.view}[-{start} - 4 :][{self.pick(0, -1, 3)}]")]
        name = self.fresh("s")
        step = self.pick("", f"1 + {self.small(place, 2)}", "2") if form == 1 else ""
        lines = [f"{name} = {cells.slice(start, stop, step)}"]
        lines.append(self.result(place, f"{name}.size + {name}[{self.pick('0', '-1', f'{name}.size - 1')}]"))
        if form == 2:
            lines += [f"{name}[{self.pick('0', '-1')}] = {self.kept(place, 1)}"]
        if form == 3:
            lines += [self.result(place, f"tick({name}, {self.pick('0', '1')}) + {name}.strides[0]")]
        return lines

    def _local_array(self, place):
        """Small and large arrays, of one axis or two, written before they are read."""
        self.used["local array"] += 1
        name, index = self.fresh("a"), self.fresh("k")
        self.local_arrays.add(name)
        size = self.pick(8, 8, 9, 100)
        lines = [f"{name} = cuda.local.array({size}, {self.pick('int64', 'int32')})"]
        pattern, view = "{}", name
        if size < 100 and self.chance(0.4):
            lines = [f"{name} = cuda.local.array((2, {size}), {self.pick('int64', 'int32')})"]
            pattern, view = "1, {}", f"{name}[1]"
        cell = pattern.format(index)
        lines += [f"for {index} in range({size}):", f"    {name}[{cell}] = ({index} * 5 + {self.name()}) & {MASK}"]
        if self.chance(0.3):
            lines.append(self.result(place, f"{name}.strides[0] + {name}.strides[-1] + {name}.size"))
        self.frame.cells.append(Cells(name, pattern, size, view))
        return lines

    # Control flow.

    def counted(self, place, uniform):
        return self.small(place, 4, uniform), self.number(2, 5)

    def series(self, place, uniform):
        limit = self.number(2, 5)
        bound = self.small(place, limit, uniform)
        if not uniform and self.chance(0.25):
            return f"({', '.join(self.small(place, 9) for _ in range(3))})"
        bounds = self.pick(
            bound, f"1 + {bound}", f"{bound}, {limit + 1}", f"{limit}, {bound}, -1", f"0, {limit + 2}, 1 + {bound}"
        )
        return f"range({bounds})"

    def leaving(self, place):
        """Ways to end a function early."""
        if place.in_function:
            return [f"return {self.kept(place, 1)}"]
        return [f"out[i] = r + {self.number(1, 9)}", "return"]

    def _may_stride(self, place):
        return self.in_kernel and not place.strided and place.depth < 2 and self.budget > 3

    def _strided(self, place):
        """A loop in which the threads of the grid, or of a block, take turns at an array's elements."""
        self.used["strided loop"] += 1
        name = self.fresh("j")
        start, step, element = self.stride
        start, step = self.random.choice(start), self.random.choice(step)
        inside = self.inside(place, False, leaves="break continue" if self.chance(0.4) else "continue", strided=name)
        inside.loops += 1
        inside.returns = place.returns and self.chance(0.2)
        self.fixed.add(name)
        saved, self.frame, fixed = self.frame, self.frame.copy(), self.fixed
        if self.chance(0.5):
            # Only memory carries values from one iteration to the next.
            self.fixed = {*self.fixed, *self.frame.varying, *self.frame.tuples, "r"}
        self.frame.varying.append(name)
        body = self.block(self.number(0, 2), inside)
        body.append(f"res[{element.format(name)}] {self.pick('', '+')}= {self.kept(inside, 1)}")
        body += self.block(self.number(0, 1), inside)
        self.frame, self.fixed = saved, fixed
        if self.chance(0.25) and not any("continue" in line for line in body):
            return [f"{name} = {start}", f"while {name} < data.size:", *indented([*body, f"{name} += {step}"])]
        bound = self.pick("data.size", "data.shape[0]", "n * 10")
        return [f"for {name} in range({start}, {bound}, {step}):", *indented(body)]
