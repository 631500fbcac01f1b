// Whole: what the parts of inference ask of all of it.
#pragma once

#include "infer/tree/tree.h"
#include "types/number_rules.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace treadle {

/// nullopt: not known while compiling.
using Extents = std::optional<std::vector<int64_t>>;

/// The parts call each other along one order only; what leads back, goes through this interface.
/// Implemented by Expressions, which is constructed with the parts and outlives them.
class Whole {
public:
  /// Types an expression inside the one that a part types.
  virtual typed::Expr *expr(const syntax::Expr &expression) = 0;
  /// A call of the function with that key in the builtins table, or in the library.
  virtual typed::Expr *applied(std::string_view key, const Items &operands, SourceSpan span) = 0;
  virtual typed::Expr *compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) = 0;
  virtual typed::Expr *binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) = 0;
  /// The extents of an array or array expression, if they are compile-time constants. While solving, any are taken for
  /// known: the type does not depend on them.
  virtual Extents constantExtents(const typed::Expr &value) = 0;
  /// The parameter that the expression is, with the caller's value.
  virtual std::optional<uint32_t> parameterRead(const syntax::Expr &expression) const = 0;

protected:
  ~Whole() = default;
};

/// What every part works with: it appends to the tree, and asks the whole.
struct Context {
  Tree &tree;
  Whole &whole;
};

} // namespace treadle
