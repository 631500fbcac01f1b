// LiteralArithmetic: operations on literal integers, whose results are literals too, as they are to Python.
#pragma once

#include "support/arena.h"
#include "syntax/syntax.h"

#include <optional>
#include <unordered_map>

namespace treadle {

/// Python computes what consists of literals alone exactly, before anything looks at its types: 10**-6 is a float,
/// 1 << 63 a number beyond int64, 2**64 - 1 one of 64 bits. For one tree, whose nodes live in `nodes`.
class LiteralArithmetic {
public:
  explicit LiteralArithmetic(Arena &nodes) : nodes(nodes) {}

  // Each returns `operation`, or the literal that is to be in the tree in its place.
  syntax::Expr *combined(syntax::Binary *operation);
  /// `operation`: `-operand`.
  syntax::Expr *negated(syntax::Expr *operation, const syntax::Expr &operand);

private:
  using Wide = __int128;

  std::optional<Wide> valueOf(const syntax::Expr &expression) const;
  syntax::Literal *literal(SourceSpan span, syntax::LiteralKind kind);
  syntax::Expr *tooLarge(SourceSpan span);
  /// `areInt64`: the operands, so that int64 arithmetic gives what fits.
  syntax::Expr *settled(syntax::Expr *operation, Wide value, bool areInt64);

  Arena &nodes;
  /// Of operations on literals that stay in the tree, and of literals that no integer type can hold.
  std::unordered_map<const syntax::Expr *, Wide> known;
};

} // namespace treadle
