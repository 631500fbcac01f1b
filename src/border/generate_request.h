// GenerateRequest: the typed tree to make code of, and all that the code depends on besides.
#pragma once

#include "border/compile_options.h"
#include "border/compiler.h"
#include "border/target.h"
#include "types/facts.h"

#include <optional>
#include <string>

namespace treadle {

/// The text of a stage that replaces the compiler's: PTX, or the optimised LLVM IR of the CPU.
struct ReplacedStage {
  std::string file; ///< for errors
  std::string text;
};

struct GenerateRequest {
  TypedRef function;
  Target target;
  Facts facts;
  CompileOptions options;
  bool keepStages = false; ///< fill Image::stages
  std::optional<ReplacedStage> replaced = std::nullopt;
};

} // namespace treadle
