// Bodies of functions: registers, variables, labels, instructions.
#pragma once

#include "lexer.h"
#include "module.h"

namespace ptxmachine {

/// From before the `{` to after its `}`.
Body parseBody(Lexer &lexer);

} // namespace ptxmachine
