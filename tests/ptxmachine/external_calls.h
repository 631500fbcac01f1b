// External calls: the functions that the driver gives to kernels: vprintf, __assertfail, malloc and free.
#pragma once

#include "launch.h"

#include <string_view>

namespace ptxmachine {

/// Null if the driver has no function of that name.
ExternalCall findExternal(std::string_view name);

void printFormatted(Step &s, const CallSite &site);
[[noreturn]] void failAssertion(Step &s, const CallSite &site);
void allocateMemory(Step &s, const CallSite &site);
void freeMemory(Step &s, const CallSite &site);

/// Of up to 8 bytes.
uint64_t argumentOf(const Step &s, const CallSite &site, size_t at, unsigned lane);
void giveResult(Step &s, const CallSite &site, unsigned lane, const void *value, size_t bytes);

} // namespace ptxmachine
