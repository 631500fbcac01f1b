"""The smallest program found with which Treadle fails in the same way, by removing parts of one: `smallest`."""

import ast
import copy
import importlib
import select

import children

LIMIT = 4.0  # seconds of processor time for a program that normally ends within a fraction of one


def edits(tree):
    """(position of a node, edit), each removing one part: first whole statements, then the headers of blocks, then
    smaller expressions."""
    for position, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if not isinstance(body, list):
                continue
            for k in range(len(body)):
                yield position, lambda n, f=field, i=k: _without(n, f, i)
                if getattr(body[k], "body", None) and not isinstance(body[k], ast.FunctionDef):
                    yield position, lambda n, f=field, i=k: _unwrapped(n, f, i)
    for position, node in enumerate(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and name not in ("target", "func") and not isinstance(value, ast.Name):
                parts = [c for c in ast.iter_child_nodes(value) if isinstance(c, ast.expr)]
                for k in range(len(parts)):
                    yield position, lambda n, f=name, i=k: _part(n, f, i)
                yield position, lambda n, f=name: setattr(n, f, ast.Constant(1))


def _without(node, field, k):
    body = getattr(node, field)
    del body[k]
    if not body and field == "body":
        body.append(ast.Pass())


def _unwrapped(node, field, k):
    body = getattr(node, field)
    body[k : k + 1] = body[k].body


def _part(node, field, k):
    parts = [c for c in ast.iter_child_nodes(getattr(node, field)) if isinstance(c, ast.expr)]
    setattr(node, field, parts[k])


def shrink(source, still_wrong):
    """The smallest program found for which `still_wrong(text)` holds, as it does for `source`."""
    before = None
    while before != source:
        before, place = source, 0
        tree = ast.parse(source)
        choices = list(edits(tree))
        while place < len(choices):
            text = _smaller(tree, *choices[place])
            if text and len(text) < len(source) and still_wrong(text):
                source, tree = text, ast.parse(text)
                choices = list(edits(tree))
            else:
                place += 1
    return source


def _smaller(tree, position, edit):
    """The text of a program after an edit, or None if Python cannot compile it."""
    new = copy.deepcopy(tree)
    try:
        edit(list(ast.walk(new))[position])
        text = ast.unparse(ast.fix_missing_locations(new)) + "\n"
        compile(text, "", "exec", dont_inherit=True)
    except Exception:
        return None
    return text


# --- what is asked of children ----------------------------------------------------------------------------------------


def judge_of(kind):
    """The module that judges programs of that kind. For smaller programs it has
    - `ways(program)`: the ways to run one, as JSON values,
    - `is_valid(item, source, way)`: whether a text has one right result, by the judge's model alone,
    - `failure(item, source, way)`: how Treadle fails, "" if it does not."""
    return importlib.import_module(f"programs.judges.{kind}")


def work(question):
    """The child's part: calls a function of a judge."""
    judge, function, *case = question
    return getattr(importlib.import_module(judge), function)(*case)


class Asked:
    """Children that are asked about programs, and may crash or hang."""

    def __init__(self, judge, item, way):
        self.judge, self.item, self.way = judge.__name__, item, way
        environment = judge.environment_of(item)
        self.children = {what: children.Child("programs.smallest", environment) for what in ("is_valid", "failure")}

    def ask(self, what, source):
        child = self.children[what]
        child.give((self.judge, what, self.item, source, self.way))
        while not select.select([child.process.stdout], [], [], 0.2)[0]:
            if child.is_over(LIMIT):
                child.stop()
                return "hangs"
        result = child.result()
        if isinstance(result, dict):
            return "crashes" if "crash" in result else result["error"].strip().splitlines()[-1][:40]
        return result

    def problem(self, source):
        """How Treadle fails: "" if it does not, or if the text is not a valid program."""
        return self.ask("failure", source) if self.ask("is_valid", source) is True else ""

    def stop(self):
        for child in self.children.values():
            child.stop()


def smallest(judge, item):
    """(problem, way to run it, source) of the smallest program found, or None if nothing is wrong."""
    program = judge.make(item)
    for way in judge.ways(program):
        asked = Asked(judge, item, way)
        try:
            if problem := asked.problem(program.source):
                return problem, way, shrink(program.source, lambda text: asked.problem(text) == problem)  # noqa: B023
        finally:
            asked.stop()
    return None
