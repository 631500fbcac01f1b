// The types for which a kernel or device function is compiled: its arguments and its result.
#pragma once

#include "types/type.h"

#include <string>
#include <vector>

namespace treadle {

/// How many numbers, arrays and Nones an argument consists of: items of tuples count one by one.
TREADLE_API unsigned argumentLeaves(const Type *type);

/// Argument types in order, and the return type; independent of any launch.
struct Signature {
  std::vector<const Type *> arguments;
  const Type *result = nullptr; ///< nullptr: to be inferred

  bool operator==(const Signature &) const = default;
  /// "(array(float32, 1d, C), int64) -> none"
  TREADLE_API std::string name() const;
};

} // namespace treadle
