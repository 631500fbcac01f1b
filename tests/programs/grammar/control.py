# Statements of all kinds of random programs: assignments, branches, loops, and ways out of them.
"""What a kind of program has of its own is in a few methods: `condition`, `stored` values of variables, what
`augmented` assignments there are, the `series` of a loop, how a kernel's thread is `leaving`."""

from dataclasses import dataclass, replace

from programs.grammar.scope import BOOL, INT, UINT, Choices, Place, indented


@dataclass
class Branch:
    """An `if`: its test, the contexts of its arms, the lines before it and at the head of the other arm."""

    test: str
    inside: Place
    outside: Place
    before: tuple = ()
    otherwise: tuple = ()
    has_elif: bool = True


class Control(Choices):
    """Each maker returns lines and may add names to the frame; blocks remove them again."""

    categories = (INT,)  # of new variables
    together = 0.0  # how often the threads of a block go the same way
    ends = 0.25  # how often an arm ends in a jump ...
    else_leaves = 0.5  # ... and the else clause of a loop
    endless = 0.3  # how many loops end by a jump alone
    results = ()  # integers that may be changed anywhere

    def block(self, count, place):
        lines = []
        for _ in range(count):
            lines += self.statement(place)
        return lines or ["pass"]

    def scoped(self, count, place, names=()):
        """A block of its own; `names`: loops' variables, which are not assigned to."""
        saved, self.frame = self.frame, self.frame.copy()
        self.fixed.update(names)
        (self.frame.uniform if place.uniform else self.frame.varying).extend(names)
        lines = self.block(count, place)
        self.frame = saved
        return lines

    def statement(self, place):
        self.budget -= 1
        return self.weighted([(maker, weight) for maker, weight in self.makers(place) if weight])(place)

    # Assignments.

    def _assign(self, place):
        category = self.pick(*self.categories)
        value, name = self.stored(category, place), self.fresh("v")
        self.frame.of(category).append(name)
        return [f"{name} = {value}"]

    def changeable(self, *categories):
        """[(category, variable that may be changed)]"""
        found = [(c, v) for c in categories or self.categories for v in self.frame.of(c) if v not in self.fixed]
        return found + [(INT, v) for v in self.results if v not in self.fixed and (INT in categories or not categories)]

    def _update(self, place):
        found = self.changeable()
        if not found:
            return self._assign(place)
        category, name = self.random.choice(found)
        if category in (UINT, BOOL) or self.chance(0.5):
            return [f"{name} = {self.stored(category, place)}"]
        return self.augmented(category, name, place)

    def _unpack(self, place):
        """Two or three variables, of any types, and their values, or two that change places."""
        found = self.changeable()
        if len(found) < 2:
            return self._assign(place)
        chosen = self.random.sample(found, min(self.pick(2, 2, 3), len(found)))
        values = [self.stored(category, place, 1) for category, _ in chosen]
        if len({category for category, _ in chosen}) == 1 and self.chance(0.4):
            values = [self.moved(category, name) for category, name in reversed(chosen)]
        return [f"{', '.join(name for _, name in chosen)} = {', '.join(values)}"]

    def moved(self, category, name):
        """A variable as the value of another one of the same category."""
        return name

    # Branches.

    def inside(self, place, uniform, **changes):
        """The context of a block that the threads enter together or not."""
        return place.inside(uniform=place.uniform and uniform, **changes)

    def branch(self, place):
        uniform = self.chance(self.together)
        inside = self.inside(place, uniform)
        return Branch(self.condition(place, self.number(0, 2), uniform), inside, inside)

    def _if(self, place):
        branch = self.branch(place)
        lines = [*branch.before, f"if {branch.test}:", *indented(self.arm(self.number(1, 3), branch.inside))]
        while branch.has_elif and self.chance(0.2):
            test = self.condition(branch.inside, 1, branch.inside.uniform)
            lines += [f"elif {test}:", *indented(self.arm(self.number(1, 2), branch.inside))]
        if self.chance(0.45):
            # The last arm falls through, so that what follows is reached.
            arm = self.scoped(self.number(1, 2), branch.outside)
            lines += ["else:", *indented([*branch.otherwise, *arm])]
        return lines

    def arm(self, count, place):
        lines = self.scoped(count, place)
        return lines + self.jump(place) if self.chance(self.ends) else lines

    # Loops.

    def loop_place(self, place):
        """The context of the body of a loop, which all threads may run together."""
        inside = self.inside(place, self.chance(self.together), loops=place.loops + 1)
        # Threads that leave one by one are no longer together.
        inside.leaves = "" if inside.uniform else "break continue"
        return inside

    def with_else(self, place, uniform, lines):
        """A loop's else clause, in which `break` and `continue` refer to the enclosing loop."""
        if not self.chance(0.35):
            return lines
        self.used["else of a loop"] += 1
        inside = self.inside(place, uniform)
        last = [self.random.choice(place.leaves.split())] if place.leaves and self.chance(self.else_leaves) else []
        return [*lines, "else:", *indented(self.scoped(self.number(0, 2) if last else 1, inside) + last)]

    def _for(self, place):
        self.used["for"] += 1
        inside = self.loop_place(place)
        name = self.fresh("k")
        head = f"for {name} in {self.series(place, inside.uniform)}:"
        body = self.scoped(self.number(1, 3), inside, [name])
        return self.with_else(place, inside.uniform, [head, *indented([*body, *self.late_jump(inside, name)])])

    def _while(self, place):
        self.used["while"] += 1
        inside = self.loop_place(place)
        name, uniform = self.fresh("w"), inside.uniform
        start, end = self.counted(place, uniform)
        test = f"{name} < {end}"
        if not uniform and self.chance(0.4):
            test += f" and {self.condition(self.apart(place), 1)}"
        body = self.scoped(self.number(1, 3), inside, [name])
        if not uniform and self.chance(self.endless):
            leave = self.leaving(inside) if inside.returns and not place.in_function and self.chance(0.5) else ["break"]
            body = [f"{name} += 1", f"if {name} > {self.number(2, 5)}:", *indented(leave), *body]
            return [f"{name} = {start}", "while True:", *indented(body)]
        body = [f"{name} += 1", *body, *self.late_jump(inside, name)]
        return self.with_else(place, uniform, [f"{name} = {start}", f"while {test}:", *indented(body)])

    def late_jump(self, place, counter):
        """Some threads leave a loop in a later iteration, or at any time."""
        if not place.leaves or not self.chance(0.3):
            return []
        late = f"{counter} {self.pick('>', '>=', '==')} {self.number(1, 2)}"
        test = self.pick(self.condition(place, 1), late, f"{late} and {self.condition(self.apart(place), 0)}")
        return [f"if {test}:", *indented(self.jump(place))]

    # Ways out.

    def jump(self, place):
        """Leaves a loop, or the function."""
        kinds = [*place.leaves.split() * 2, *(["return"] if place.returns else [])]
        kind = self.random.choice(kinds) if kinds else None
        return [] if kind is None else self.leaving(place) if kind == "return" else [kind]

    def _leave(self, place):
        return [f"if {self.condition(place)}:", f"    {self.random.choice(place.leaves.split())}"]

    def _return(self, place):
        self.used["return"] += 1
        lines = [f"if {self.condition(place)}:", *indented(self.leaving(place))]
        if place.in_function:
            place.uniform = False
        return lines

    def apart(self, place):
        """The context of an operand that not all threads evaluate."""
        return replace(place, uniform=False)
