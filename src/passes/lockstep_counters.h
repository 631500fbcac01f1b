// lockstep_counters: variables that count the rounds of a loop are one number for all threads of a warp that are in it.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which loops like
///
///     j = 0
///     while j < m and text[i + j] == pattern[j]:
///         j += 1
///
/// count in variables of their own, which are assigned to j in each round. Where threads leave such a loop one after
/// another, j is a vector, as it is read after the loop by threads that have left; the other variable is a number, and
/// what it is an index of is read from one place, or from adjacent ones. Null if there is no such loop.
std::shared_ptr<TypedFunction> countInLockstep(const TypedFunction &kernel);

} // namespace treadle
