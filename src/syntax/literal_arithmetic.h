// LiteralArithmetic: constant folding of literal integers, as Python does it.
#pragma once

#include "support/arena.h"
#include "syntax/syntax.h"

#include <optional>
#include <unordered_map>

namespace treadle {

/// Operations on literals alone are evaluated exactly, as in Python, before any typing: 10**-6 is a float, 1 << 63 a
/// number beyond int64, 2**64 - 1 one of 64 bits. For one tree, whose nodes live in `nodes`.
class LiteralArithmetic {
public:
  explicit LiteralArithmetic(Arena &nodes) : nodes(nodes) {}

  // Each returns `operation`, or the literal that replaces it in the tree.
  syntax::Expr *combined(syntax::Binary *operation);
  /// `operation`: `-operand`.
  syntax::Expr *negated(syntax::Expr *operation, const syntax::Expr &operand);

private:
  using Wide = __int128;

  std::optional<Wide> valueOf(const syntax::Expr &expression) const;
  syntax::Literal *literal(SourceSpan span, syntax::LiteralKind kind);
  syntax::Expr *tooLarge(SourceSpan span);
  /// `areInt64`: both operands are int64, so int64 arithmetic gives any result that fits.
  syntax::Expr *settled(syntax::Expr *operation, Wide value, bool areInt64);

  Arena &nodes;
  /// Values of operations on literals that stay in the tree, and of literals that no integer type can hold.
  std::unordered_map<const syntax::Expr *, Wide> known;
};

} // namespace treadle
