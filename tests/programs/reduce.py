# python -m programs.reduce SEED: the smallest program found with which Treadle still fails (run in tests/).

import ast
import re
import select
import sys

import children
from differential.reduce import shrink

from programs import generator, worker

LIMIT = 4.0  # seconds of processor time for a program that normally ends within a fraction of one


def program_of(seed, source, launch):
    program = generator.make(seed)
    program.source, program.launches = source, [program.launches[launch]]
    return program


def work(item):
    """The child's part. `what`: "model" checks that the program is valid; "treadle" says how Treadle fails."""
    what, seed, source, launch = item
    program = program_of(seed, source, launch)
    if what == "model":
        try:
            # Without turns, an endless loop would hang the model.
            program.spins = True
            expected = worker.expect(program)
            return None not in expected and not worker.races(program, expected)
        except Exception:
            return False
    try:
        lines = worker.compare(program, worker.expect(program))
    except Exception as error:
        return f"{type(error).__name__}: {getattr(error, 'message', error)}"[:40]
    return "differs" if lines else ""


# What keeps each thread's cells separate: these lines are kept unchanged or removed.
NUMBERS_OF_THREADS = re.compile(r"    (?:t|i|w|b|blk|size|total) = .*")


def keeps_apart(source, text):
    """Whether each thread of a smaller program still has its own cells."""
    if not set(NUMBERS_OF_THREADS.findall(text)) <= set(NUMBERS_OF_THREADS.findall(source)):
        return False
    for node in ast.walk(ast.parse(text)):
        pairs = [(node.value, node.slice)] if isinstance(node, ast.Subscript) else []
        if isinstance(node, ast.Call):
            pairs = zip(node.args, node.args[1:])
        if any(not is_own(array, index) for array, index in pairs):
            return False
    return True


def is_own(array, index):
    """Whether an index names the thread, for arrays in which each thread has its own elements."""
    if not isinstance(array, ast.Name) or array.id not in ("own", "c", "res", "out"):
        return True
    names = {each.id for each in ast.walk(index) if isinstance(each, ast.Name)}
    if array.id == "res":
        return any(name.startswith("j") for name in names)
    return bool(names & {"i", "w", "b", "k"})


class Judge:
    """Asks children, which may crash or hang."""

    def __init__(self, seed, launch):
        self.seed, self.launch = seed, launch
        self.children = {what: children.Child("programs.reduce", {}) for what in ("model", "treadle")}

    def ask(self, what, source):
        child = self.children[what]
        child.give((what, self.seed, source, self.launch))
        while not select.select([child.process.stdout], [], [], 0.2)[0]:
            if child.is_over(LIMIT):
                child.stop()
                return "hangs"
        result = child.result()
        return "crashes" if isinstance(result, dict) else result

    def problem(self, source):
        """How Treadle fails: "" if it does not, or if the text is not a valid program."""
        return self.ask("treadle", source) if self.ask("model", source) is True else ""

    def stop(self):
        for child in self.children.values():
            child.stop()


def reduced(seed):
    """(problem, launch, source) of the smallest program found, or None if nothing is wrong."""
    program = generator.make(seed)
    for launch in range(len(program.launches)):
        judge = Judge(seed, launch)
        try:
            if problem := judge.problem(program.source):
                return problem, program.launches[launch], smallest(program.source, judge, problem)
        finally:
            judge.stop()
    return None


def smallest(source, judge, problem):
    return shrink(source, lambda text: keeps_apart(source, text) and judge.problem(text) == problem)


def main():
    found = reduced(int(sys.argv[1]))
    if found is None:
        sys.exit("Treadle and the model agree")
    problem, launch, source = found
    print(f"# {problem}; blocks, block shape, kernels: {launch}\n{source}")


if __name__ == "__main__":
    main()
