// expression_types: a listing of the types of a function's expressions by source position, for human readers.
#pragma once

#include "typed/typed.h"

#include <string>

namespace treadle {

/// A line "line column end-line end-column type" for each position in the function's own text that has a type: assigned
/// names, and expressions. Sorted by position, without duplicates; lines and columns as in SourceSpan. Code of other
/// functions, and code that Treadle made, is not included.
std::string expressionTypes(const TypedFunction &function);

} // namespace treadle
