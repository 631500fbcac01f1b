// expression_types: the types of a function's expressions by their positions in the source, for people to read.
#pragma once

#include "typed/typed.h"

#include <string>

namespace treadle {

/// A line "line column end-line end-column type" for each place of the function's own text that has a type: names that
/// are assigned, and expressions. In the order of their positions, each place and type once; lines and columns as
/// SourceSpan counts them. Code of other functions, and what Treadle made, has none.
std::string expressionTypes(const TypedFunction &function);

} // namespace treadle
