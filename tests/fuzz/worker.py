# The child of the fuzz test: one mutant, compiled, run with bounds checks, compared if the oracle has an answer.

import os
import re
import signal
import tempfile
import warnings

import programs.generator
import programs.worker
import sources
from differential import launch
from differential.worker import load_program
from oracle.kernel_values import Watch

from fuzz import mutate

INTERNALS = re.compile(r"treadle::|LLVM|llvm|Traceback|nullptr|[Ii]nternal error")


def expected(program):
    """The contents of the arrays after a correct run, or None if the oracle has no answer."""
    try:
        kernel = launch.translated(program, Watch())
        arrays = launch.run_oracle(kernel, program, aliased=False)
    except Exception:
        # Mutants leave the oracle's model in any way.
        return None
    return None if kernel.module.may_contract else arrays


def _too_long(*_):
    raise TimeoutError


def run_with_effects(seed):
    """A mutated program of tests/programs. No result is known to be right, so it only has to survive."""
    from treadle import CompileError

    program = programs.generator.make(seed)
    text = mutate.mutated(program.source, seed)
    text = re.sub(r"@cuda\.jit\(.*\)\ndef (kernel|other)\(", r"@cuda.jit(debug=True, opt=False)\ndef \1(", text)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            module = sources.load(text, folder)
        except Exception:
            return {"kind": "no program"}
        try:
            programs.worker.run_treadle(program, module, 0)
        except CompileError as error:
            return refused(error)
        except (IndexError, ZeroDivisionError, AssertionError, ValueError, RecursionError, RuntimeError) as error:
            return {"kind": "stopped"} if str(error) else {"wrong": [f"{type(error).__name__} without a text"]}
    return {"kind": "ran"}


def work(item):
    """`item`: a seed, or ["effects", seed]. {"kind": compared | ran | stopped | refused} or {"wrong": [...]}."""
    return run_with_effects(item[1]) if isinstance(item, list) else run(item)


def run(seed):
    from treadle import CompileError

    program = mutate.make(seed)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(4)
    try:
        want = expected(program)
    finally:
        signal.alarm(0)
    named = launch.arguments_of(program, aliased=False)
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
        except (IndexError, ZeroDivisionError, AssertionError, ValueError) as error:
            # The oracle divides floats as kernels without debug do, including by 0.
            is_right = want is not None and not isinstance(error, ZeroDivisionError)
            if is_right or not str(error):
                return {"wrong": [f"{type(error).__name__} in a right program: {error}"]}
            return {"kind": "stopped"}
    if want is None:
        return {"kind": "ran"}
    found = {n: v for n, v in named.items() if hasattr(v, "dtype")}
    wrong = launch.differences(want, found)
    return {"wrong": wrong} if wrong else {"kind": "compared"}


def refused(error):
    """Checks that an error is fit for users."""
    text = str(error)
    # The random name of the program's folder may hold any of these words.
    if INTERNALS.search(text.replace(os.path.dirname(error.file), "")) or len(text.splitlines()) > 15 or not error.line:
        return {"wrong": [f"a poor message: {text}"]}
    return {"kind": "refused", "error": f"{type(error).__name__}: {error.message}"}
