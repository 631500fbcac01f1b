// Arguments: the arguments of a call, evaluated.
#pragma once

#include "builtins/builtin.h"
#include "infer/tree/tree.h"

#include <string_view>
#include <utility>
#include <vector>

namespace treadle {

/// The arguments of a call, evaluated in Python's order.
struct Arguments {
  Items positional;
  std::vector<std::pair<std::string_view, typed::Expr *>> keywords;
  const syntax::Call *call;
  SourceSpan span;
};

/// The name as users write it: "math.sqrt()", "max()".
std::string shownName(const Builtin &row);
[[noreturn]] void failArgument(const Tree &tree, const Builtin &row, const typed::Expr &argument,
                               std::string_view expected);

} // namespace treadle
