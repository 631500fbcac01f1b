// What a kernel or device function is compiled for: its argument types and what it returns.
#pragma once

#include "types/type.h"

#include <string>
#include <vector>

namespace treadle {

/// Argument types and return type in order; depends on no launch.
struct Signature {
  std::vector<const Type *> arguments;
  const Type *result = nullptr; ///< nullptr: to be inferred

  bool operator==(const Signature &) const = default;
  /// "(array(float32, 1d, C), int64) -> none"
  TREADLE_API std::string name() const;
};

} // namespace treadle
