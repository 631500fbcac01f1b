# Judges mutated programs: each is refused, or runs with bounds checks; compared if the oracle has an answer.

import ast
import os
import re
import signal
import tempfile
import warnings

import sources
from oracle.kernel_values import Watch
from treadle import CompileError

from programs.grammar import effects, numbers
from programs.grammar.mutations import mutated
from programs.judges import effects as judge_of_effects
from programs.judges import oracle
from programs.judges.numbers import load_program

# Mutants read local arrays that they have not filled.
os.environ["FAKE_CUDA_ALLOW"] = ",".join(filter(None, [os.environ.get("FAKE_CUDA_ALLOW"), "undefined-value"]))

INTERNALS = re.compile(r"treadle::|LLVM|llvm|Traceback|nullptr|[Ii]nternal error")


def make(item):
    """A mutated program that Python itself can compile. `item`: a seed of one over numbers, or ["effects", seed]."""
    kind, seed = item if isinstance(item, list) else ("numbers", item)
    program = (effects if kind == "effects" else numbers).make(seed)
    program.source = mutated(program.source, seed)
    return program


def expected(program):
    """The contents of the arrays after a correct run, or None if the oracle has no answer."""
    try:
        kernel = oracle.translated(program, Watch())
        arrays = oracle.run_oracle(kernel, program, aliased=False)
    except Exception:
        # Mutants leave the oracle's model in any way.
        return None
    return None if kernel.module.may_contract else arrays


def _too_long(*_):
    raise TimeoutError


def run_with_effects(program):
    """A mutated program with effects. No result is known to be right, so it only has to survive."""
    text = re.sub(
        r"@cuda\.jit\(.*\)\ndef (kernel|other)\(", r"@cuda.jit(debug=True, opt=False)\ndef \1(", program.source
    )
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            module = sources.load(text, folder)
        except Exception:
            return {"kind": "no program"}
        try:
            judge_of_effects.run_treadle(program, module, 0)
        except CompileError as error:
            return refused(error)
        except (IndexError, ZeroDivisionError, AssertionError, ValueError, RecursionError, RuntimeError) as error:
            return {"kind": "stopped"} if str(error) else {"differences": [f"{type(error).__name__} without a text"]}
    return {"kind": "ran"}


def run_over_numbers(program):
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(4)
    try:
        want = expected(program)
    finally:
        signal.alarm(0)
    named = oracle.arguments_of(program, aliased=False)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            try:
                kernel = load_program(program, folder, "debug=True, opt=False").kernel
            except Exception:
                return {"kind": "no module"}  # of the host's code: the numbers that kernels capture
            kernel[program.grid, program.block](*named.values())
        except CompileError as error:
            return refused(error)
        except (IndexError, ZeroDivisionError, AssertionError, ValueError, RecursionError) as error:
            # The oracle divides floats as kernels without debug do, including by 0.
            is_right = want is not None and not isinstance(error, ZeroDivisionError)
            if is_right or not str(error):
                return {"differences": [f"{type(error).__name__} in a right program: {error}"]}
            return {"kind": "stopped"}
    if want is None:
        return {"kind": "ran"}
    found = {n: v for n, v in named.items() if hasattr(v, "dtype")}
    wrong = oracle.differences(want, found)
    return {"differences": wrong} if wrong else {"kind": "compared"}


def outcome(program):
    """{"kind": compared | ran | stopped | refused} or {"differences": [...]}."""
    return run_with_effects(program) if isinstance(program, effects.Program) else run_over_numbers(program)


def work(item):
    return outcome(make(item))


def refused(error):
    """Checks that an error is fit for users."""
    text = str(error)
    # The random name of the program's folder may hold any of these words.
    if INTERNALS.search(text.replace(os.path.dirname(error.file), "")) or len(text.splitlines()) > 15 or not error.line:
        return {"differences": [f"a poor message: {text}"]}
    return {"kind": "refused", "message": f"{type(error).__name__}: {error.message}"}


# --- smaller programs -------------------------------------------------------------------------------------------------


def environment_of(item):
    return {}


def ways(program):
    return [None]


def is_valid(item, source, way):
    """Any program is, whose loops end."""
    loops = sum(isinstance(node, (ast.For, ast.While)) for node in ast.walk(ast.parse(source)))
    return source.count("fuel > ") >= loops


def failure(item, source, way):
    program = make(item)
    program.source = source
    return "differs" if "differences" in outcome(program) else ""
