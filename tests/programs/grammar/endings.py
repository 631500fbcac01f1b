# How kernels of random programs end: variables without a value, long chains of arms, windows that move, far indices.

import re

from programs.grammar.meetings import Meetings
from programs.grammar.scope import MASK, indented

UNSET = re.compile(r"\bz\d+\b")
"""Variables that may be read where nothing was assigned to them."""


def zeroed(source):
    """The text for the model: Python has no value for such variables, which are zero to Treadle. Lines keep their
    numbers."""
    functions = re.split(r"(?m)^(?=def |@)", source)
    for number, text in enumerate(functions):
        zeros = "".join(f"{name} = 0; " for name in sorted({*UNSET.findall(text)}))
        functions[number] = re.sub(r"(?m)^    (?=t = )", f"    {zeros}", text, count=1) if zeros else text
    return "".join(functions)


class Endings(Meetings):
    def ending(self, place):
        """Lines for the end of a kernel."""
        lines = []
        for _ in range(self.number(0, 3)):
            lines += self.pick(self._unset, self._chain_of_arms, self._windows, self._far, self._doubling)(place)
        return lines

    def _meeting(self):
        return ["cuda.syncthreads()"] if self.has_barriers and self.chance(0.7) else []

    def _unset(self, place):
        self.used["unassigned variable"] += 1
        first, second = self.fresh("z"), self.fresh("z")
        # With a test that the compiler cannot decide: where none of its assignments can run, a variable is an error.
        test = f"({self.condition(place)}) or i == 1"
        lines = [f"if {test}:", f"    {first} = {self.kept(place, 1)}", *self._meeting()]
        lines += [f"for {self.fresh('k')} in range({self.small(place, 3)}):", f"    {second} = {first} + 1"]
        return [*lines, *self._meeting(), self.result(place, f"{first} + 2 * {second}")]

    def _chain_of_arms(self, place):
        self.used["chain of arms that assign"] += 1
        name, by = self.fresh("v"), self.fresh("v")
        arms = self.pick(3, 5, 8, 60)
        lines = [f"{by} = {self.small(place, arms + 2)}"]
        for arm in range(arms):
            lines += [f"{'elif' if arm else 'if'} {by} == {arm}:", f"    {name} = {self.number(0, 99)}"]
        return [*lines, "else:", f"    {name} = {self.atom()}", self.result(place, f"{name} + data[i]")]

    def _windows(self, place):
        """Clamped indices, and what one run of a loop leaves to the next."""
        self.used["window that moves"] += 1
        t, d, v, last = (self.fresh(letter) for letter in "wkvv")
        low, high = self.number(-3, 1), self.number(2, 4)
        start = self.pick([f"{last} = {self.number(0, 9)}"], [])
        index = self.pick(
            f"min(max(i + {d} - {t}, 0), data.size - 1)",
            f"(i + {d} + {t}) % data.size",
            f"min(max(i - {d} + {t}, 0), data.size - 1)",
        )
        body = [f"{v} = data[{index}]"]
        if not start:
            body += [f"if {t} == 0 and {d} == {low}:", f"    {last} = {v}"]
        body += [f"r = (r * 3 + {v} + 7 * {last}) & {MASK}", f"{last} = {v}"]
        loop = [f"for {d} in range({low}, {high}):", *indented(body)]
        if start and self.chance(0.4):
            return [*start, f"{t} = {self.number(0, 9)}", *loop]
        step = self.pick(1, 7, 20)
        return [*start, f"{t} = 0", f"while {t} < {self.number(2, 30)}:", *indented([*loop, f"{t} += {step}"])]

    def _far(self, place):
        """Sums near the ends of int64, with values of a loop's variable for which a guard keeps them from wrapping."""
        self.used["index near the end of int64"] += 1
        far, d = self.fresh("v"), self.fresh("k")
        is_low, least, most = self.chance(0.5), self.number(-90, -70), self.number(70, 90)
        lines = [f"{far} = int64({-(2**63) + 2}) + i" if is_low else f"{far} = int64({2**63 - 3}) - i"]
        lines.append(f"for {d} in range({least}, {most}):")
        guard, index = (
            (f"{d} >= 0", f"max({far} + {d}, 0)") if is_low else (f"{d} <= 0", f"min({far} + {d}, data.size - 1)")
        )
        return [*lines, f"    if {guard}:", f"        r = (r * 3 + data[{index}]) & {MASK}"]

    def _doubling(self, place):
        """Functions of which each calls the one before it twice."""
        self.used["functions that call twice"] += 1
        names = [self.fresh("h") for _ in range(self.pick(2, 3, 4, 17))]
        options = self.pick(", forceinline=True", ', inline="always"', "")
        self.module.add(self.text(names[0], ["q"], [f"return (q * {self.number(2, 9)} + 1) & 255"], options))
        for before, name in zip(names, names[1:]):
            self.module.add(self.text(name, ["q"], [f"return ({before}(q) + {before}(q + 1)) & {MASK}"], options))
        call = self.result(place, f"{names[-1]}({self.small(place, 50)})")
        return [f"if i == {self.number(0, 3)}:", f"    {call}"] if len(names) > 4 else [call]
