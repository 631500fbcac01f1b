// Order: what strong operations and fences release and acquire.
#pragma once

#include "launch.h"

namespace ptxmachine {

void fence(Step &s, LaneMask lanes);
/// Takes over what the location has released, with a fence after it at once if `acquires`.
void noteStrongRead(Step &s, const Instruction &i, unsigned lane, const Target &target, bool acquires);
/// A store starts a new release sequence.
void noteStrongStore(Step &s, const Instruction &i, unsigned lane, const Target &target);
/// A read-modify-write continues the one that is there.
void noteStrongUpdate(Step &s, unsigned lane, const Target &target);

} // namespace ptxmachine
