// The target that code for the CPU device is made for.
#pragma once

#include "border/target.h"
#include "support/export.h"

#include <functional>
#include <string>

namespace treadle::cpu {

/// This machine's features, as `cpu_features.h` detects them, and its caches. Only where a setting names a processor or
/// features, `choose` is asked for these, given what is here: Compiler::chosenFeatures.
TREADLE_API Target hostTarget(const std::function<std::string(const std::string &here)> &choose);

} // namespace treadle::cpu
