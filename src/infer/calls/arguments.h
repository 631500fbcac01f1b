// Arguments: the arguments of a call, evaluated.
#pragma once

#include "builtins/builtin.h"
#include "infer/tree/tree.h"

#include <string_view>
#include <utility>
#include <vector>

namespace treadle {

/// The arguments of a call, evaluated in Python's order.
/// `call` is nullptr where a rule calls a function that is not called in the source (Whole::applied).
struct Arguments {
  Items positional;
  std::vector<std::pair<std::string_view, typed::Expr *>> keywords;
  const syntax::Call *call;
  SourceSpan span;
};

/// The name as users write it: "math.sqrt()", "max()".
std::string shownName(const Builtin &row);
/// `expected` names what the builtin takes, as part of a sentence.
[[noreturn]] void failArgument(const Tree &tree, const Builtin &row, const typed::Expr &argument,
                               std::string_view expected);
/// The value of an argument that must be a real number.
typed::Expr *realArgument(Tree &tree, const Builtin &row, typed::Expr *argument);

} // namespace treadle
