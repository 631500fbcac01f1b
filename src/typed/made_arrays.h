// made_arrays: where the arrays that a function makes go: to its caller, or into the next turn of a loop.
#pragma once

#include "typed/typed.h"

namespace treadle::typed {

struct MadeArrays {
  bool mayBeResult = false; ///< FunctionHeader::givesArrays
  /// An assignment of an array that is made in a loop, to a variable that may be read after the loop has made the array
  /// again, which is the same memory; and the expression that makes it. nullptr if there is none.
  const Assign *kept = nullptr;
  const Expr *made = nullptr;
};

/// Linear in the function's size, but for arrays that go through many variables. Callees must be finished.
/// Conservative: what cannot be followed is taken as kept.
MadeArrays followMadeArrays(const TypedFunction &function);

} // namespace treadle::typed
