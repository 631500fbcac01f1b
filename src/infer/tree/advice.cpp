// The texts of the advice.
#include "infer/tree/advice.h"

#include "builtins/builtin.h"

#include <algorithm>

namespace treadle {

/// `sqrt(x)` without an import: names of builtins are looked for in the modules in this order.
std::string insteadOfBareName(std::string_view name) {
  if (findBuiltin(name) || std::find(std::begin(numberTypes), std::end(numberTypes), name) != std::end(numberTypes))
    return "import it: from treadle import " + std::string(name);
  for (const char *module : {"cuda", "math", "numpy"})
    if (const std::string key = std::string(module) + "." + std::string(name); findBuiltin(key))
      return "write " + key +
             (std::string_view(module) == "cuda" ? ", after from treadle import cuda"
                                                 : ", after import " + std::string(module));
  return "";
}

/// `cuda.threadIdx` alone, `cuda.grid + 1`, `f` for `f()`.
std::string useOfFunction(const Type &type) {
  if (type.is(TypeKind::Function))
    return "write parentheses to call a function: " + std::string(type.text()) + "(...)";
  if (!type.is(TypeKind::Builtin))
    return {};
  const std::string key(type.text());
  if (findBuiltin(key + ".x"))
    return "write one of its coordinates: " + key + ".x, " + key + ".y, " + key + ".z";
  if (key == "cuda.grid" || key == "cuda.gridsize")
    return "call it with the number of axes: " + key + "(1)";
  return findBuiltin(key) ? "write parentheses to call a function: " + key + "(...)" : "";
}

/// `x[i].sum()` is a common slip for `x.sum()`; `x.tolist()` has no counterpart in kernels.
std::string insteadOfMethod(const Type &type, std::string_view method) {
  constexpr std::string_view totals[] = {"sum", "prod", "min", "max", "mean", "any", "all", "std", "var"};
  if (type.isNumber() && method == "astype")
    return "convert the number by its type: float32(x), int64(x)";
  if (type.isNumber() && std::find(std::begin(totals), std::end(totals), method) != std::end(totals))
    return "this is one number: call the method of the array, or of a row of it";
  if (!type.isArray() && !type.is(Series::Elementwise))
    return {};
  if (method == "tolist" || method == "append" || method == "resize")
    return "kernels have no lists: loop over the elements";
  return "write a loop over the elements";
}

/// There are NumPy functions that kernels have; only those that they lack come here.
std::string insteadOfFunction(std::string_view key) {
  return key.starts_with("numpy.") ? "write a loop over the elements, or call it on the host" : "";
}

} // namespace treadle
