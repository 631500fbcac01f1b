// Computes the Facts of a launch from its configuration and arguments.
#pragma once

#include "device/launch_config.h"
#include "launch/arguments.h"
#include "support/export.h"
#include "types/facts.h"

#include <span>

namespace treadle {

/// The facts that follow from the configuration alone; computed once per configured launcher. Those about arrays are
/// not set.
TREADLE_API Facts factsOf(const LaunchConfig &config);

/// Adds the facts about the arguments to those of the configuration, except for Facts::rows.
TREADLE_API Facts factsOf(const Facts &configFacts, std::span<const ArgumentLeaf> leaves);

/// Facts::rows, as far as it is useful.
TREADLE_API uint64_t rowsOf(std::span<const ArgumentLeaf> leaves, const RowArrays &arrays);

/// The facts of nearly all launches, for compiling a signature before any launch.
TREADLE_API Facts likelyFacts();

} // namespace treadle
