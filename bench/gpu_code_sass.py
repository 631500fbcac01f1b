# Parses SASS as printed by nvdisasm: blocks, loops, and the number of instructions per unit of work.
import re
from dataclasses import dataclass, field

INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][A-Z0-9_.]*)(.*?)\s*;")
LABEL = re.compile(r"^([.$][\w$.]+):")
TARGET = re.compile(r"`\(([^)]+)\)")
# 64-bit integer instructions: wide products, additions and comparisons with a carry, shifts of pairs.
INT64 = re.compile(r"^U?(?:IMAD|IADD|IADD3|LEA|ISETP|SHF|I2F|F2I|IABS|IMNMX|MOV)\b.*\.(?:WIDE|X|EX|[SU]?64)\b")
CALL_COST = 10_000


@dataclass
class Block:
    """Instructions that run in sequence, and the blocks that may follow."""

    operations: list = field(default_factory=list)
    next: list = field(default_factory=list)
    calls: int = 0


@dataclass
class Work:
    """How to find the work in a kernel's SASS.

    unit: its name.
    marker: a pattern; the path counted is one with as many matching instructions as possible.
    threads: total units per thread; None if a loop does the work, with one marker per unit.
    expected: markers on one pass of a thread, or of the loop; inner loops may contribute several iterations to it.
    around: a pattern that the loop must contain, if it is not the innermost one with markers.
    """

    unit: str
    marker: str
    threads: int | None = None
    expected: int = 0
    around: str = ""


def is_int64(operation):
    return INT64.match(operation) is not None


class Sass:
    """The kernel of an nvdisasm listing; out-of-line functions after it count as `slow` only."""

    def __init__(self, text):
        self.operations = []
        self.slow = 0
        self.blocks = self.split(self.read(text))
        self.order = self.reversed_postorder()
        self.position = {number: place for place, number in enumerate(self.order)}
        self.loops = self.find_loops()

    def read(self, text):
        """Labels and instructions of the kernel itself, in order."""
        lines, is_slow = [], False
        for line in text.splitlines():
            if label := LABEL.match(line):
                is_slow = is_slow or label.group(1).startswith("$")
                lines.append((label.group(1), None, None, None))
            elif found := INSTRUCTION.match(line):
                operation, rest = found.group(2), found.group(3)
                is_conditional = "@" in line.split("*/", 1)[1]
                if operation == "NOP":
                    continue
                if is_slow:
                    self.slow += 1
                    continue
                self.operations.append(operation)
                lines.append((None, operation, rest, is_conditional))
        # The code ends with an unreachable branch to itself.
        self.operations.pop()
        self.slow = max(0, self.slow - 1) if self.slow else 0
        return lines

    def split(self, lines):
        blocks, labels, jumps = [Block()], {}, []
        for label, operation, rest, is_conditional in lines:
            block = blocks[-1]
            if label is not None:
                if block.operations:
                    block.next.append(len(blocks))
                    blocks.append(Block())
                labels[label] = len(blocks) - 1
                continue
            block.operations.append(operation)
            block.calls += operation.startswith("CALL")
            if operation.startswith(("BRA", "EXIT", "RET")):
                is_conditional = is_conditional or operation == "BRA.DIV" or re.match(r"\s*!?U?P\d", rest)
                if operation.startswith("BRA"):
                    jumps.append((len(blocks) - 1, TARGET.search(rest).group(1)))
                if is_conditional:
                    block.next.append(len(blocks))
                blocks.append(Block())
        for source, label in jumps:
            if label in labels:
                blocks[source].next.append(labels[label])
        for block in blocks:
            block.next = [number for number in block.next if number < len(blocks)]
        return blocks

    def reversed_postorder(self):
        seen, order, stack = {0}, [], [(0, iter(self.blocks[0].next))]
        while stack:
            number, rest = stack[-1]
            for other in rest:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(self.blocks[other].next)))
                    break
            else:
                stack.pop()
                order.append(number)
        return order[::-1]

    def find_loops(self):
        """{header: blocks} of the natural loops."""
        before = {number: [] for number in self.order}
        for number in self.order:
            for other in self.blocks[number].next:
                before[other].append(number)
        loops = {}
        for number in self.order:
            for header in self.blocks[number].next:
                if self.position[header] > self.position[number]:
                    continue
                body, open_blocks = loops.setdefault(header, {header}), [number]
                while open_blocks:
                    block = open_blocks.pop()
                    if block not in body:
                        body.add(block)
                        open_blocks += before[block]
        return loops

    def best_path(self, first, body, ends, marker):
        """(markers, operations) of the shortest path without calls among those that pass the most markers."""
        best = {first: (0, 0, ())}
        found = None
        for number in self.order:
            if number not in body or number not in best:
                continue
            block = self.blocks[number]
            markers, cost, path = best[number]
            markers += sum(1 for operation in block.operations if re.match(marker, operation))
            cost += len(block.operations) + CALL_COST * block.calls
            path = (*path, number)
            if number in ends and (found is None or (-markers, cost) < (-found[0], found[1])):
                found = (markers, cost, path)
            for other in block.next:
                if other not in body or self.position[other] <= self.position[number]:
                    continue
                if other not in best or (-markers, cost) < (-best[other][0], best[other][1]):
                    best[other] = (markers, cost, path)
        markers, _, path = found
        return markers, [operation for number in path for operation in self.blocks[number].operations]

    def turn(self, header, marker):
        """best_path of one iteration of a loop."""
        body = self.loops[header]
        latches = {number for number in body if header in self.blocks[number].next}
        return self.best_path(header, body, latches, marker)

    def with_inner_turns(self, markers, operations, inside, work):
        """Adds iterations of the inner loop with the most markers until there are as many as expected."""
        if markers >= work.expected:
            return markers, len(operations), sum(map(is_int64, operations))
        inner = [self.turn(header, work.marker) for header in self.loops if header in inside]
        most, body = max(inner, key=lambda found: found[0], default=(0, []))
        turns = (work.expected - markers) / most if most else 0
        count = len(operations) + turns * len(body)
        return work.expected, count, sum(map(is_int64, operations)) + turns * sum(map(is_int64, body))

    def per_unit(self, work):
        """Instructions, and 64-bit integer instructions among them, per unit of work."""
        if work.threads is not None:
            ends = {number for number in self.order if "EXIT" in self.blocks[number].operations}
            markers, operations = self.best_path(0, set(self.order), ends, work.marker)
            _, count, wide = self.with_inner_turns(markers, operations, set(self.loops), work)
            return count / work.threads, wide / work.threads
        header = self.hot_loop(work)
        markers, operations = self.turn(header, work.marker)
        inside = {other for other in self.loops if other != header and other in self.loops[header]}
        markers, count, wide = self.with_inner_turns(markers, operations, inside, work)
        return count / markers, wide / markers

    def hot_loop(self, work):
        """The header of the loop that does the work: among the innermost loops, that with the most markers."""
        pattern = work.around or work.marker
        candidates = {header: self.turn(header, pattern)[0] for header in self.loops}
        candidates = {header: count for header, count in candidates.items() if count}
        innermost = [
            header
            for header in candidates
            if not any(other != header and other in self.loops[header] for other in candidates)
        ]
        if not innermost:
            raise ValueError(f"no loop contains {pattern}")
        return max(innermost, key=lambda header: self.turn(header, work.marker)[0])
