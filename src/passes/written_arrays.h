// written_arrays: which array parameters a kernel may write.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

namespace treadle {

/// By parameter: a store or an atomic operation may reach it, here or in a device function. A parameter whose arrays
/// cannot be followed (they go into tuples, or come out of calls) counts as written.
llvm::BitVector writtenParameters(const TypedFunction &function);

/// By parameter: an array whose elements are stored to, and which nothing else is done with.
llvm::BitVector onlyStoredParameters(const TypedFunction &function);

/// Threads tell each other something: by warp operations, fences or atomic operations, or by barriers. What one of them
/// has read may then be another value when it is read again, without any store in the thread's own code.
bool communicates(const TypedFunction &function, bool alsoByBarriers);

/// An array of the device is captured, here or in a device function. What a launch knows about overlap does not tell
/// whether one of its arguments is the same memory.
bool capturesDeviceArray(const TypedFunction &function);

} // namespace treadle
