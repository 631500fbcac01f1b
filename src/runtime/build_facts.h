// This build of Treadle: its versions, and the paths of its parts.
#pragma once

#include "support/export.h"

#include <string>

namespace treadle {

struct BuildFacts {
  std::string build;    ///< the build id
  std::string llvm;     ///< the version in the compiler library
  std::string library;  ///< path of libtreadle.so
  std::string compiler; ///< path of the compiler library
  std::string features; ///< of the processor, in LLVM's notation, that code for the CPU device uses
  std::string failure;  ///< instead of the features: why the compiler library cannot be used
};
/// Loads the compiler library.
TREADLE_API BuildFacts buildFacts();

} // namespace treadle
