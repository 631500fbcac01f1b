# Defects of functions of elements: wrong loops, axes merged that are apart, results over operands, lost elements.

from mutants.tree import Mutant

FOLDER = "python/treadle/ufuncs/"


def vectorized(name):
    return f"tests/ufuncs/test_vectorize.py::test_{name}"


def of_types(name):
    return f"tests/ufuncs/test_vectorize_types.py::test_{name}"


def generalized(name):
    return f"tests/ufuncs/test_guvectorize.py::test_{name}"


def of_numpy(name):
    return f"tests/ufuncs/test_numpy_ufuncs.py::test_{name}"


MUTANTS = [
    Mutant("axes_are_merged_if_one_operand_allows_it", FOLDER + "shapes.py", "merged and all(outer == step",
           "merged and any(outer == step", vectorized("strides")),
    Mutant("results_overwrite_operands", FOLDER + "elementwise.py", "    if end <= first or last <= begin:",
           "    if True:", vectorized("operands_that_overlap_the_result")),
    Mutant("any_cast_is_safe_enough", FOLDER + "vectorized.py", 'numpy.can_cast(value.dtype, dtype, "safe")',
           'numpy.can_cast(value.dtype, dtype, "same_kind")',
           vectorized("the_first_loop_to_which_all_operands_cast_safely")),
    Mutant("dates_keep_the_unit_they_come_in", FOLDER + "loops.py", 'if unit == "generic" else lambda',
           "if unit else lambda", "tests/ufuncs/test_ufuncs_of_dates.py"),
    Mutant("the_last_partial_result_is_lost", FOLDER + "reductions.py",
           "for place in range(chunk + part.shape[0], count, part.shape[0]):",
           "for place in range(chunk + part.shape[0], count - 1, part.shape[0]):", vectorized("reduce")),
    Mutant("known_calls_write_over_operands", FOLDER + "quick.py", "call is None or last_overlaps(values)",
           "call is None", vectorized("calls_that_are_made_again")),
    Mutant("keys_without_strides", "src/python/arrays/operand_key.cpp",
           "  return std::ranges::copy(operand.extents.strides, to).out;", "  return to;",
           vectorized("calls_that_are_made_again")),
    Mutant("core_axes_need_not_match", FOLDER + "generalized.py",
           "if extents.setdefault(name, extent) != extent:", "if extents.setdefault(name, extent) < 0:",
           generalized("wrong_uses")),
    Mutant("order_does_not_matter_to_subtraction", FOLDER + "numpy_ufuncs.py",
           "in_order = name not in table.COMMUTATIVE", "in_order = False", of_numpy("reductions")),
    Mutant("narrow_sums", FOLDER + "numpy_ufuncs.py", "widest if given.itemsize < widest.itemsize else given", "given",
           of_numpy("reductions")),
    Mutant("the_first_signature_that_casts", FOLDER + "vectorized.py",
           "if all(is_weak(value) or value.dtype == dtype for value, dtype in zip(inputs, dtypes, strict=False)):",
           "if True:", of_types("the_signature_of_the_operands_types_comes_before_those_that_cast")),
    Mutant("calls_take_the_loops_of_earlier_ones", FOLDER + "vectorized.py",
           "for loop in self.loops if loop.inputs not in self._of_calls]", "for loop in self.loops]",
           of_types("what_was_called_before_does_not_count")),
    Mutant("shifts_by_the_width", FOLDER + "real_functions.py", "return x << y if y >= 0 and y < 64 else x - x",
           "return x << y", of_numpy("every_type_at_the_edges[left_shift]")),
]  # fmt: skip
