// made_arrays: whether the arrays that a function makes escape to its caller, or into the next iteration of a loop.
#pragma once

#include "typed/typed.h"

namespace treadle::typed {

struct MadeArrays {
  bool mayBeResult = false; ///< FunctionHeader::givesArrays
  /// An assignment of an array that a loop makes to a variable that may be read after the loop has made the array
  /// again, in the same memory; and the expression that makes it. nullptr if there is none.
  const Assign *kept = nullptr;
  const Expr *made = nullptr;
};

/// Linear in the function's size, except for arrays that go through many variables. Callees must be finished.
/// Conservative: arrays that cannot be tracked count as kept.
MadeArrays followMadeArrays(const TypedFunction &function);

} // namespace treadle::typed
