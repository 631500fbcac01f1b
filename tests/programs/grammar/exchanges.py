"""Random kernels without races: barriers, collectives and atomics under nested ifs, loops, breaks and early returns.

`make(seed)` gives a `Made`; equal seeds give equal kernels. Each kernel has one of these styles:

- "barriers": exchanges of the block anywhere. Threads meet, each at its own barrier.
- "together": one warp collective, naming the whole warp, anywhere. Lanes meet, each at its own place.
- "masks": all warp collectives, naming exactly the converged lanes; exchanges of the block where the lanes of a warp
  have not diverged.
- "wild": as "masks", but with exchanges of the block anywhere. Some of these kernels deadlock.
"""

from dataclasses import dataclass, field, replace

from cooperation import kernels_exchange, kernels_positions
from cooperation.kernels_cases import CONTEXT, HEAD, RAGGED, TAIL, TYPES, WHOLE, Case
from cooperation.kernels_positions import FULL, KINDS

from programs.grammar.control import Branch, Control
from programs.grammar.scope import Frame, Place, indented

STYLES = ("barriers", "barriers", "together", "masks", "masks", "wild")
WARP = tuple(name for name, c in kernels_exchange.PLAIN.items() if c.is_warp)
PLAIN_BARRIERS = (
    ("syncthreads", "device_barrier", "dynamic_shared"),
    ("shared_atomic", "shared_atomic_used"),
    ("global_atomic", "global_atomic_used"),
)
VOTING_BARRIERS = ("syncthreads_count", "syncthreads_and", "syncthreads_or")
LANES_APART = ("affine", "varying")  # conditions under which lanes of one warp may diverge
OWN_CELLS = 8  # of the global arrays: exchanges use the first cells of `acc`, loose atomics the last cells of `tot`


@dataclass
class Made:
    seed: int
    style: str
    case: Case = field(repr=False)
    used: list  # [construct, position, kind of condition] of every exchange

    @property
    def source(self):
        return self.case.source


@dataclass
class Lanes(Place):
    """The context of a statement, and which lanes of a warp are here."""

    mask: str = FULL
    is_apart: bool = False  # whether only some lanes of a warp may be here
    position: str = "top"
    kind: str = "none"
    loop: "Loop | None" = None
    top_of_function: bool = True

    def under(self, mask, position, kind):
        """The context of statements in an arm."""
        is_apart = self.is_apart or kind in LANES_APART
        return self.inside(mask=mask, is_apart=is_apart, position=position, kind=kind, top_of_function=False)


@dataclass
class Loop:
    """The loop around a statement. `live`: the variable with the mask of the lanes still in it."""

    live: str
    counter: str
    body: int  # the depth of statements directly in it
    kind: str  # how the counter varies
    breaks_apart: bool  # whether only some lanes of a warp may break
    may_break: bool = True  # every lane in `live` is here: none has continued


class Exchanges(Control):
    ends = 0.0  # what leaves a loop or the kernel has to say which lanes stay

    def __init__(self, seed):
        super().__init__(seed)
        self.style = self.pick(*STYLES)
        self.constructs, self.functions, self.exchanges = {}, [], []
        self.frame, self.fixed, self.budget = Frame(), set(), 0

    @property
    def has_masks(self):
        return self.style in ("masks", "wild")

    # The available exchanges.

    def choose_constructs(self):
        names = []
        if self.style == "together":
            names = [self.pick(*WARP)]
        if self.has_masks:
            names = self.random.sample(WARP, 3)
        if self.style == "barriers" and self.chance(0.4):
            names = [self.pick(*VOTING_BARRIERS)]
        elif self.style != "together":
            groups = self.random.sample(PLAIN_BARRIERS, self.number(1, 2))
            names += [self.pick(*group) for group in groups]
        for name in names:
            self.constructs[name] = kernels_exchange.construct(name, self.random.randrange(60))

    def possible(self, place):
        """The constructs that cannot deadlock here (in the style "wild" they may)."""
        anywhere = self.style in ("barriers", "together", "wild")
        return [name for name, c in self.constructs.items() if c.is_warp or anywhere or not place.is_apart]

    # Conditions.

    def condition(self, place):
        """(text, kind)"""
        kind = self.pick(*KINDS)
        if kind == "varying" and self.chance(0.5):
            what = self.pick("x + r", "r + tid", "x + lane * 3")
            counter = f" + {place.loop.counter}" if place.loop else ""
            return f"(({what}{counter}) % {self.number(2, 4)} == 0)", kind
        if kind == "grid" and place.loop and self.chance(0.5):
            return f"({place.loop.counter} == 1)", place.loop.kind
        text = kernels_positions.condition(kind, self.random.randrange(60))
        return text.replace("data[i]", "x") if place.in_function else text, kind

    # Statements: each returns lines, and may change the context of the statements that follow.

    def makers(self, place):
        deeper = place.depth < 3
        return [
            (self._exchange, 6), (self._compute, 1), (self._loose_atomic, 0 if place.in_function else 1),
            (self._if, 4 if deeper else 0), (self._loop, 4 if deeper and place.loops < 2 else 0),
            (self._leave_loop, 4 if place.loop else 0), (self._return, 1), (self._call, 1),
        ]  # fmt: skip

    def _exchange(self, place):
        names = self.possible(place)
        if not names:
            return self._compute(place)
        name = self.pick(*names)
        self.exchanges.append([name, place.position, place.kind])
        mask = place.mask if self.has_masks else FULL
        return kernels_exchange.exchange(self.constructs[name], mask, self.random.randrange(60), mask != FULL)

    def _compute(self, place):
        return [self.pick("r = (r * 3 + x) & 0xFFFFF", "r += tid", "r = r ^ (x * 5)", "r += e * 100")]

    def _loose_atomic(self, place):
        """An atomic operation whose result no thread uses; the host checks the sum."""
        cell = self.pick("x % 8", "lane % 8", "3", "warp % 8")
        return [f"cuda.atomic.add(tot, (block, {OWN_CELLS} + {cell}), {self.pick('1', 'x', 'r')})"]

    def branch(self, place):
        test, kind = self.condition(place)
        inside, outside, before, otherwise = place.mask, place.mask, (), ()
        if self.has_masks and kind in LANES_APART:
            inside, outside = self.fresh("m"), self.fresh("m")
            before = (f"{inside} = cuda.ballot_sync({place.mask}, {test})",)
            otherwise = (f"{outside} = {place.mask} & ~{inside}",)
        arms = place.under(inside, "if", kind), place.under(outside, "else", kind)
        return Branch(test, *arms, before, otherwise, has_elif=False)

    def _loop(self, place):
        kind = self.pick(*KINDS)
        trips = kernels_positions.trips(kind, self.random.randrange(60))
        position = self.pick("for", "while")
        live, counter = self.fresh("live"), self.fresh("k")
        varies = kind if position == "while" else "grid"
        loop = Loop(live, counter, body=place.depth + 1, kind=varies, breaks_apart=self.chance(0.4))
        inside = place.under(live if self.has_masks else FULL, position, kind)
        inside.loop, inside.loops = loop, place.loops + 1
        inside.is_apart |= loop.breaks_apart
        body = self.block(self.number(1, 3), inside)
        if not self.has_masks:
            if position == "for":
                return [f"for {counter} in range({trips}):", *indented(body)]
            return [f"{counter} = {trips}", f"while {counter} > 0:", f"    {counter} -= 1", *indented(body)]
        # Every round begins with a ballot of the lanes that take part in it.
        count = f"{live} = cuda.ballot_sync({live}, {{}})".format
        if position == "for":
            head = [count(f"{counter} < {trips}"), f"if {counter} >= {trips}:", "    break"]
            return [f"{live} = {place.mask}", f"for {counter} in range(4):", *indented(head + body)]
        head = [count(f"{counter} > 0"), f"if {counter} <= 0:", "    break", f"{counter} -= 1"]
        return [f"{live} = {place.mask}", f"{counter} = {trips}", "while True:", *indented(head + body)]

    def _narrow(self, place, test, variable):
        """From here on only lanes for which `test` fails: lines that compute their mask."""
        if not self.has_masks:
            return []
        line = f"{variable} = cuda.ballot_sync({place.mask}, not {test})"
        place.mask = variable
        return [line]

    def _leave_loop(self, place):
        """break or continue of some threads. All lanes still in the loop must know which ones break."""
        loop = place.loop
        if self.has_masks and place.depth != loop.body:
            return self._compute(place)
        test, kind = self.condition(place)
        may_break = not self.has_masks or (loop.may_break and (loop.breaks_apart or kind not in LANES_APART))
        word = self.pick("break", "continue") if may_break else "continue"
        lines = self._narrow(place, test, loop.live if word == "break" else self.fresh("m"))
        loop.may_break &= word == "break"
        self._after(place, word, kind)
        return [*lines, f"if {test}:", f"    {word}", *self._rest(place)]

    def _rest(self, place):
        """Mostly an exchange of the lanes that continue."""
        return self._exchange(place) if self.chance(0.7) else []

    def _after(self, place, word, kind):
        place.position, place.kind = f"after_{word}", kind
        place.is_apart |= kind in LANES_APART and word != "return"

    def _return(self, place):
        """An early return of some threads, also from a device function."""
        if place.in_function and self.has_masks and not place.top_of_function:
            return self._compute(place)
        test, kind = self.condition(place)
        if place.in_function:
            lines = self._narrow(place, test, self.fresh("m"))
            self._after(place, "function_return", kind)
            return [*lines, f"if {test}:", "    return r, e", *self._rest(place)]
        # A mask may keep naming lanes that have exited.
        in_loop = place.loop is not None and place.mask == place.loop.live
        lines = [] if in_loop or self.chance(0.5) else self._narrow(place, test, self.fresh("m"))
        self._after(place, "return", kind)
        lines += [f"if {test}:", f"    out[i] = r + {self.number(1, 9)}", "    return"]
        return lines + self._rest(place)

    def _call(self, place):
        """A call of a device function with its own statements."""
        if place.depth >= 3:
            return self._exchange(place)
        mask = "mask" if self.has_masks else FULL
        inside = place.inside(mask=mask, position="function", loop=None, loops=0, in_function=True)
        inside.top_of_function = True
        body = self.block(self.number(1, 2), inside)
        name = self.fresh("walk")
        arrays = [a for c in self.constructs.values() for a in c.arrays]
        names = [*CONTEXT, "n", *arrays]
        text = [f"def {name}({', '.join([*names, 'mask'])}):", *indented([*body, "return r, e"])]
        self.functions.append("@cuda.jit(device=True)\n" + "\n".join(text) + "\n")
        return [f"r, e = {name}({', '.join([*names, place.mask])})"]

    # The kernel.

    def make(self, seed):
        self.choose_constructs()
        constructs = [*self.constructs.values()]
        place = Lanes()
        lines = [line for c in constructs for line in c.setup.split("\n") if line]
        lines += self.block(self.number(3, 5), place)
        place.position, place.kind = "end", "none"
        lines += self._exchange(place)
        functions = dict.fromkeys(c.functions for c in constructs)
        if self.has_masks:
            functions[kernels_exchange.NEXT_MEMBER] = None
        options = self.pick("", "opt=0")
        source = "\n".join([*functions, *self.functions]) + HEAD.format(options=options)
        source += "\n".join(indented(lines)) + "\n" + TAIL
        source = source.replace("{t}", self.pick(*TYPES))
        what = next((c for c in constructs if "acc" in c.arrays), constructs[0])
        what = replace(what, cells=2 * OWN_CELLS, dynamic=8)
        launches = [(*self.pick(*RAGGED), 3), (*self.pick(*WHOLE), 2)]
        return Made(seed, self.style, Case(f"random {seed}", source, launches, what), self.exchanges)


def make(seed):
    return Exchanges(seed).make(seed)
