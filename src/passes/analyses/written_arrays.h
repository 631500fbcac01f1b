// written_arrays: which array parameters a kernel may write.
#pragma once

#include "passes/analyses/uses.h"
#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

namespace treadle {

/// By parameter: whether a store or an atomic operation may reach it, here or in a device function. A parameter whose
/// arrays cannot be tracked (they are put into tuples, or returned from calls) counts as written.
llvm::BitVector writtenParameters(const TypedFunction &function);

/// By parameter: whether it is an array that is stored to and not used otherwise.
llvm::BitVector onlyStoredParameters(const TypedFunction &function, const Uses &uses);

/// Whether threads communicate: by warp operations, fences or atomic operations, or by barriers. A repeated read may
/// then return a different value without any store in the thread's own code.
bool communicates(const TypedFunction &function, bool alsoByBarriers);

/// Whether a device array is captured, here or in a device function. A launch's facts about overlap do not say whether
/// one of its arguments is the same memory.
bool capturesDeviceArray(const TypedFunction &function);

} // namespace treadle
