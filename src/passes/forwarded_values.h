// forwarded_values: elements that a thread has just stored or loaded are not loaded again.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which loads of elements whose values the same thread has just stored, or loaded, are reads
/// of variables. Null if there are none. `noOverlap`: Facts::noOverlap, for captured arrays too. Needs a kernel that is
/// not compiled with debug. What the kernel does stays the same, as far as threads do not race: stores remain, and only
/// elements in global memory count that each thread of the block has for itself, since programs let threads store to
/// one place and read which of them was the last, and share other memory from one instruction to the next.
std::shared_ptr<TypedFunction> forwardValues(const TypedFunction &kernel, bool noOverlap);

} // namespace treadle
