// Computes the Facts of a launch from its configuration and arguments.
#pragma once

#include "device/launch_config.h"
#include "launch/arguments.h"
#include "support/export.h"
#include "types/facts.h"

#include <span>

namespace treadle {

/// What the configuration alone says; computed once per configured launcher. The facts about arrays are not set.
TREADLE_API Facts factsOf(const LaunchConfig &config);

/// Adds what the arguments say to the facts of the configuration.
TREADLE_API Facts factsOf(const Facts &configFacts, std::span<const ArgumentLeaf> leaves);

/// What nearly all launches have in common: what to compile for when a signature is given before any launch.
TREADLE_API Facts likelyFacts();

} // namespace treadle
