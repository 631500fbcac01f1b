# Cooperating threads in random programs: barriers, shared memory, waiting loops.
"""Shared memory is written between barriers by its owner, or by atomic operations that commute. In the loose style
barriers may be anywhere, and nothing is exchanged: which barriers meet may differ from thread to thread."""

from dataclasses import replace

from programs.grammar.functions import Function, Functions
from programs.grammar.scope import MASK, indented

# Of one signature: each version of a function that has shared memory would have shared memory of its own.
EXCHANGE = """
@cuda.jit("int32(int64, int64, int64, int64)", {rules}device=True)
def {name}(t, size, writes, value):
    s = cuda.shared.array(1024, int32)
    if writes:
        s[t] = value
    cuda.syncthreads()
    found = s[(t + {shift}) % size]
    cuda.syncthreads()
    return found
"""

GUARDED = """
@cuda.jit({rules}device=True)
def {name}(t, size, writes, value):
    if value < 0:
        return int32(0)
    return {inner}(t, size, writes, value)
"""

READY = """
@cuda.jit({rules}device=True)
def ready(flag, k):
    return cuda.atomic.add(flag, k, 0) != 0
"""


class Meetings(Functions):
    """Barriers and waiting."""

    def make_exchanges(self):
        """Functions with their own shared memory, called directly and through others."""
        name, guard = self.fresh("f"), self.fresh("f")
        self.module.add(EXCHANGE.format(rules=self.rules_of_function(), name=name, shift=self.number(1, 5)))
        self.module.add(GUARDED.format(rules=self.rules_of_function(), name=guard, inner=name))
        names, limits = ["writes", "value"], [2, 64]
        for each, kind in ((name, "exchange"), (guard, "guarded exchange")):
            self.functions.append(Function(each, kind, names, limits, takes_cells=False, waits=True))
        # What is read later was written before any thread could leave.
        return [f"r = (r + {self.pick(name, guard)}(t, size, 1, t)) & {MASK}"]

    def shared_setup(self):
        """Shared arrays of the kernel, written by all threads before any can leave."""
        lines = []
        if self.has_exchange:
            self.counters = self.pick(8, 16, 32)
            lines = ["cells = cuda.shared.array(1024, int64)", "cells[t] = t"]
            lines += ["rows = cuda.shared.array((2, 1024), int32)", "rows[0, t] = t", "rows[1][t] = t + 1"]
            lines += [
                f"sums = cuda.shared.array({self.counters}, int32)",
                f"if t < {self.counters}:",
                "    sums[t] = 0",
            ]
            # In blocks of fewer threads the rest is written by the first thread.
            lines += [f"for q in range(size, {self.counters}):", "    if t == 0:", "        sums[q] = 0"]
            lines.append("cuda.syncthreads()")
            lines += self.make_exchanges() if self.chance(0.5) else []
        return lines

    def meetings(self, place, deep):
        together = place.uniform and self.in_kernel
        exchange = 3 if together and self.has_exchange else 0
        loop = 3 if together and not deep and place.loops < 2 else 0
        return [
            (self._barrier, 3 if place.uniform or self.is_loose else 0), (self._exchange, exchange),
            (self._shared_atomic, exchange), (self._vote, exchange / 3), (self._meeting_loop, loop),
            (self._endless_loop, loop / 2), (self._leave_at_barrier, 1 if together and place.returns else 0),
            (self._shared_view, exchange / 2), (self._shared_rows, exchange / 4),
            (self._meeting_store, 1 if place.uniform or self.is_loose else 0),
        ]  # fmt: skip

    def _barrier(self, place):
        self.used["barrier"] += 1
        return ["cuda.syncthreads()"]

    def _meeting_store(self, place):
        """Threads meet in the value and in the index, in this order."""
        self.used["barrier in an operand"] += 1
        cells = self.random.choice(self.frame.cells)
        first, second = self._meeting_tick(place, 0, False), self._meeting_tick(place, 0, False)
        return [f"{cells.at(f'({first}) % {cells.size}')} = {second}"]

    def _exchange(self, place):
        self.used["exchange"] += 1
        lines = [f"cells[t] = {self.kept(place, 1)}", "cuda.syncthreads()"]
        other = self.pick(
            f"(t + {self.number(1, 40)}) % size", f"(t + {self.number(1, 9)}) % size - 1024", "size - 1 - t"
        )
        return [*lines, f"r = (r * 3 + cells[{other}]) & {MASK}", "cuda.syncthreads()"]

    def _shared_view(self, place):
        self.used["view of shared memory"] += 1
        name, value = self.fresh("s"), self.kept(place, 1)
        first, step = self.pick(("0", ""), ("t", ""), ("0", " : 2"), ("t", " : 3"))
        lines = [f"{name} = cells[{first} : size{step}]"]
        if first == "t":
            lines.append(self.pick(f"cells[t] = {value}", f"{name}[0] = {value}", f"{name}[0] += tick({name}, 0)"))
        else:
            lines.append(
                f"cells[t] = {value}" if step else self.pick(f"{name}[t] = {value}", f"{name}[t - size] = {value}")
            )
        lines += ["cuda.syncthreads()", f"r = (r * 3 + {name}[-1] + {name}.size) & {MASK}", "cuda.syncthreads()"]
        return lines

    def _shared_rows(self, place):
        """Two axes, and rows of them as arrays."""
        self.used["rows of shared memory"] += 1
        row = self.number(0, 1)
        lines = [f"rows[{row}, t] = {self.kept(place, 1)}", f"rows[{1 - row}][t] = {self.kept(place, 1)}"]
        found = f"rows[{row - 2}][size - 1 - t] + rows[{1 - row}, t - 1024]"
        return [*lines, "cuda.syncthreads()", f"r = (r * 3 + {found}) & {MASK}", "cuda.syncthreads()"]

    def _shared_atomic(self, place):
        """Few elements, many threads; indices that count from the end in some lanes, all, or none."""
        self.used["atomic operation in shared memory"] += 1
        z = self.counters
        index = self.pick(f"t - {z}", f"(t & {2 * z - 1}) - {z}", f"t % {z}", f"{self.small(place, z)} - {z}")
        inside = replace(place, uniform=False, meets=False) if index == f"t - {z}" else place
        update = f"cuda.atomic.{self.pick('add', 'add', 'xor')}(sums, {index}, {self.pick('1', self.kept(inside, 1))})"
        lines = [f"if t < {2 * z}:", "    " + update] if index == f"t - {z}" else [update]
        lines += ["cuda.syncthreads()", f"r = (r * 3 + sums[{self.pick(f't % {z}', f't % {z} - {z}')}]) & {MASK}"]
        return [*lines, "cuda.syncthreads()"]

    def _vote(self, place):
        self.used["vote"] += 1
        which = self.pick("count", "and", "or")
        return [f"r = (r * 3 + cuda.syncthreads_{which}({self.condition(place)})) & {MASK}"]

    def _count(self, place):
        """(lines, number of iterations of a loop around a barrier): the same for all threads, computed in any way."""
        form = self.number(0, 4)
        if form == 0:
            return [], f"note(acc, {self.number(0, 15)}, {self.number(1, 3)})"
        if form == 1:
            name, k = self.fresh("a"), self.number(0, 1)
            lines = [f"{name} = cuda.local.array(2, {self.pick('int32', 'int64')})"]
            lines += [f"{name}[{k}] = {self.number(1, 3)}"] if self.chance(0.6) else []
            if len(lines) == 1:
                return lines, f"{name}[{k}] * 0 + {self.number(1, 3)}"
            return lines, f"{name}[{k}]"
        return [], self.small(place, 4, uniform=True)

    def _meeting_loop(self, place):
        self.used["loop around a barrier"] += 1
        before, count = self._count(place)
        name = self.fresh("k")
        body = self.scoped(self.number(0, 2), place.inside(loops=place.loops + 1, leaves=""), [name])
        body.insert(self.number(0, 1) * len(body), "cuda.syncthreads()")
        if self.chance(0.4):
            return [*before, f"{name} = 0", f"while {name} < {count}:", f"    {name} += 1", *indented(body)]
        return self.with_else(place, True, [*before, f"for {name} in range({count}):", *indented(body)])

    def _endless_loop(self, place):
        """`while True`, left by `break` or `return` of all threads at once, or one after the other."""
        self.used["endless loop around a barrier"] += 1
        name = self.fresh("w")
        ends_kernel = place.returns and self.chance(0.5)
        inside = place.inside(loops=place.loops + 1, leaves="")
        # Threads that have left by break would wait at later barriers while the others are still here.
        late = self.pick("", " + t % 2", " + t % 3") if ends_kernel else ""
        test = f"if {name} == {self.number(1, 3)}{late}:"
        body = [f"{name} += 1", "cuda.syncthreads()", *self.scoped(self.number(0, 1), inside, [name])]
        body += [test, *indented(self.leaving(place) if ends_kernel else ["break"])]
        return [f"{name} = 0", "while True:", *indented(body)]

    def _leave_at_barrier(self, place):
        """Some threads wait once more, then exit."""
        self.used["barrier before a return"] += 1
        body = ["cuda.syncthreads()", *self.leaving(place)]
        return [f"if {self.condition(place)}:", *indented(body), *self._barrier(place)]

    # Waiting loops.

    def waiting(self):
        """Some threads wait for what others write; all live threads take part, and there are at least two."""
        self.used["waiting loop"] += 1
        k = self.flags
        self.flags += 64
        if self.chance(0.3):
            return self._lock(k)
        everyone, count, me = self.pick(("grid", "min(total, 64)", "i"), ("blocks", "min(blocks, 64)", "blk"))
        waits = self._waits(k, count)
        lines = [f"if {me} == 0:", *indented(waits), f"elif {me} < 64:"]
        signal = self.pick("cuda.atomic.exch(flag, {}, 1)", "cuda.atomic.max(flag, {}, 1)").format(f"{me} + {k}")
        return [f"if {count} > 1:", *indented([*lines, "    " + signal])]

    def _waits(self, k, count):
        """Lines that wait until flags 1 to count - 1 are set."""
        j, n, done = self.fresh("j"), self.fresh("n"), self.fresh("done")
        read = f"cuda.atomic.add(flag, {k} + {j}, 0)"
        read = self.pick(read, f"cuda.atomic.or_(flag, {k} + {j}, 0)", f"cuda.atomic.cas(flag, {k} + {j}, 2, 2)")
        is_set = f"{read} != 0"
        if self.needs_ready and self.chance(0.4):
            is_set = f"ready(flag, {k} + {j})"
        one = f"{j} = {self.pick('1', f'{count} - 1')}"
        forms = [
            [one, f"while not ({is_set}):", "    pass"],
            [one, f"{done} = False", f"while not {done}:", f"    if {is_set}:", f"        {done} = True"],
            [one, "while True:", f"    if {is_set}:", "        break"],
            [one, "while True:", f"    if not ({is_set}):", "        continue", "    break"],
            [f"{j} = 1", f"while {j} < {count}:", f"    if {is_set}:", f"        {j} += 1"],
            [f"{n} = 0", f"while {n} < {count} - 1:", f"    {n} = 0", f"    for {j} in range(1, {count}):"]
            + [f"        {n} += {read}"],
            [one, f"for {n} in range(2000000000):", f"    if {is_set}:", "        break"],
            [f"{n} = 0", f"while {n} != {count} - 1:", f"    {n} = 0", f"    for {j} in range(1, {count}):"]
            + [f"        {n} = {n} + 1 if {is_set} else {n}"],
            [f"for {j} in range(1, {count}):", f"    {n} = 0", f"    while {n} == 0:", f"        {n} = {read}"],
            [f"{j} = 1", f"{n} = {read}", f"while {n} == 0:", f"    {n} = {read}"],
        ]  # fmt: skip
        return [*self.random.choice(forms), f"r = (r + {self.number(1, 50)}) & {MASK}"]

    def _lock(self, k):
        """A sum under a lock, which threads acquire one after the other."""
        got = self.fresh("done")
        who = self.pick("i % 3 == 0", "t < 16", "t == 0", "i >= 0")
        if who == "i >= 0":
            self.used["lock for all threads"] += 1
        change = ["cuda.threadfence()", f"flag[{k + 1}] += 1", "cuda.threadfence()"]  # CUDA wants both
        section = [*change, f"cuda.atomic.exch(flag, {k}, 0)"]
        take = f"cuda.atomic.cas(flag, {k}, 0, 1)"
        form = self.number(0, 3)
        if form == 0:
            lines = [f"while {take} != 0:", "    pass", *section]
        elif form == 1:
            lines = [f"{got} = False", f"while not {got}:", f"    if {take} == 0:"]
            lines += indented(indented([*section, f"{got} = True"]))
        elif form == 2:
            lines = ["while True:", f"    if {take} == 0:", *indented(indented([*section, "break"]))]
        else:
            lines = [f"{got} = cuda.atomic.add(flag, {k + 2}, 1)", f"while cuda.atomic.add(flag, {k + 3}, 0) != {got}:"]
            lines += ["    pass", *change, f"cuda.atomic.add(flag, {k + 3}, 1)"]
        return [f"if {who}:", *indented(lines)]
