// spin_loops: loops that wait for what another thread writes.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// The loop ends only when somebody else has written: all that ends it is read from one place again and again, by a
/// load, an exchange or an atomic operation that changes nothing. Loops with a barrier are none: everybody is in them.
/// Wrong in one direction only: a loop that ends by itself may be called one that waits, which costs time.
bool isSpinLoop(const typed::While &loop);

/// Has such a loop, in itself or in a device function it calls.
bool hasSpinLoop(const TypedFunction &function);

} // namespace treadle
