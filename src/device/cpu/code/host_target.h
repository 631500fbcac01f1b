// The target that code for the CPU device is compiled for.
#pragma once

#include "support/export.h"

#include <functional>
#include <string>

namespace treadle {
struct Target;
}

namespace treadle::cpu {

/// This machine's features, as `cpu_features.h` detects them, and its caches. If a setting names a processor or
/// features, `choose` computes these from what the machine has: Compiler::chosenFeatures.
TREADLE_API Target hostTarget(const std::function<std::string(const std::string &here)> &choose);

} // namespace treadle::cpu
