// Printing: the functions that the driver gives to kernels: vprintf and __assertfail.
#pragma once

#include "launch.h"

namespace ptxmachine {

void printFormatted(Step &s, const CallSite &site);
[[noreturn]] void failAssertion(Step &s, const CallSite &site);

} // namespace ptxmachine
