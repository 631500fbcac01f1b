# python -m differential.reduce SEED: the smallest program found in which Treadle still differs (run in tests/).
"""Deletes statements, unwraps blocks and replaces expressions by their parts as long as the difference stays."""

import ast
import copy
import select
import sys
import tempfile
import warnings

import children
from oracle.kernel_values import Watch

from differential import generator, launch, worker


def differs(seed, source, variant):
    """Whether a variant of a program with the data of `seed` gives a wrong result; False if the oracle has none."""
    program = generator.make(seed)
    program.source = source
    try:
        want = launch.run_oracle(launch.translated(program, Watch()), program, variant.aliased)
    except Exception:
        return False
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            module = worker.load_program(program, folder, worker.options_of(variant))
            found = worker.run(module.kernel, program, variant)
        except Exception:
            return False
    return bool(launch.differences(want, found))


def work(case):
    """The child's part: see `children`."""
    seed, source, variant = case
    return differs(seed, source, worker.Variant(*variant))


class Judge:
    """Asks a child, which may crash (counts as wrong) or hang (does not)."""

    def __init__(self, environment):
        self.child = children.Child("differential.reduce", environment)

    def still_wrong(self, *case):
        self.child.give(case)
        ready, _, _ = select.select([self.child.process.stdout], [], [], 20)
        if not ready:
            self.child.stop()
            return False
        result = self.child.result()
        return result is True or (isinstance(result, dict) and "crash" in result)


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


def main():
    seed = int(sys.argv[1])
    program, judge = generator.make(seed), Judge(worker.environment_of(seed))
    for variant in worker.variants(program):
        if judge.still_wrong(seed, program.source, variant):
            source = shrink(program.source, lambda text: judge.still_wrong(seed, text, variant))  # noqa: B023
            print(f"# rules {program.rules}, grid {program.grid}, block {program.block}, {variant}")
            print(f"# inputs {program.inputs}, outputs {program.outputs}, {worker.environment_of(seed)}\n{source}")
            return
    print("no difference")


if __name__ == "__main__":
    main()
