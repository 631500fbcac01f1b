// narrow_floats: variables of float64 whose values are all float32 become variables of float32.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which variables of float64 are of float32, if only values that float32 holds are assigned to
/// them: elements of float32 arrays, constants, the choices, minima and maxima of these, as in
/// `v = x[i] if i < n else 0` and `best = max(best, x[i])`. Where such a value is rounded to float32 in the end, it is
/// chosen, added, subtracted or multiplied as one. All results stay the same: float64 has more than twice the digits,
/// so that rounding to it first changes nothing. Null if there is nothing to change.
std::shared_ptr<TypedFunction> narrowFloats(const TypedFunction &kernel);

} // namespace treadle
