// The entry point of inference: syntax, argument types and a rule set in, a typed tree out.
#pragma once

#include "border/compiler.h"

namespace treadle {

/// Throws CompileError for the user's mistakes. Calls `request.names`, with its preconditions (the GIL).
InferResult infer(const InferRequest &request);

} // namespace treadle
