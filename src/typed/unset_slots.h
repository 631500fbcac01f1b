// unset_slots: variables that may be read before they are assigned.
#pragma once

#include "typed/typed.h"

#include <vector>

namespace treadle::typed {

/// The slots that some path reads before it assigns them, in order; parameters are never included. One walk: tests are
/// not analysed, except that `while True` ends only by `break`, and loops over nonempty constant ranges have a first
/// iteration. Precondition: each `break` and `continue` is in a loop.
std::vector<Slot *> unsetSlots(const TypedFunction &function);

} // namespace treadle::typed
