// Computes the Facts of a launch from its configuration and arguments.
#pragma once

#include "device/launch_config.h"
#include "launch/arguments.h"
#include "support/export.h"
#include "types/facts.h"

#include <array>
#include <span>

namespace treadle {

struct LaneAxes;
struct RowArrays;

/// What follows from a configuration alone; computed once per configured launcher.
struct ConfigFacts {
  Facts facts;                    ///< of warps along x, without those about arrays
  std::array<uint8_t, 3> classes; ///< Facts::blockClass of warps along each axis
  std::array<bool, 3> hasWarps;   ///< by axis: it has at least as many threads as a warp
  int64_t threads;                ///< of the grid, at most int64's maximum

  /// The facts of warps along that axis.
  Facts along(unsigned axis) const;
  /// The facts for a kernel: along the axis that it prefers, if warps there have as many threads.
  Facts of(const LaneAxes &lanes) const;
};
TREADLE_API ConfigFacts factsOf(const LaunchConfig &config);

/// Adds the facts about the arguments to those of the configuration, except for Facts::rows.
TREADLE_API Facts factsOf(const Facts &configFacts, std::span<const ArgumentLeaf> leaves);

/// Whether two elements of the array may share memory.
bool overlapsItself(const ArgumentLeaf &array);

/// Facts::rows, as far as it is useful.
TREADLE_API uint64_t rowsOf(std::span<const ArgumentLeaf> leaves, const RowArrays &arrays);

/// Facts::tables, of these arguments, for a launch of so many threads.
TREADLE_API uint8_t tablesOf(std::span<const ArgumentLeaf> leaves, std::span<const unsigned> arguments,
                             int64_t threads);

/// The most common facts, for compiling a signature before any launch.
TREADLE_API Facts likelyFacts();

} // namespace treadle
