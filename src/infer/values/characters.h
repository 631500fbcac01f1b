// Characters: texts and bytes of NumPy's fixed widths, which are tuples of character codes, zero-padded.
#pragma once

#include "infer/values/whole.h"

namespace treadle {

class Characters {
public:
  explicit Characters(const Context &context) : tree(context.tree), whole(context.whole) {}

  /// For texts that are read several times.
  typed::Expr *keptText(typed::Expr *text);
  typed::Expr *compareCharacters(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *lengthOf(typed::Expr *text, SourceSpan span);
  typed::Expr *isNotEmpty(typed::Expr *text, SourceSpan span);
  /// startswith(), `in`, endswith().
  enum class PartPlace : uint8_t { Start, Any, End };
  typed::Expr *hasPart(typed::Expr *text, typed::Expr *part, PartPlace place, SourceSpan span);
  typed::Expr *characterAt(const typed::Expr &kept, typed::Expr *index, SourceSpan span);
  typed::Expr *inCase(typed::Expr *text, bool isUpper, SourceSpan span);
  typed::Expr *allOf(const Items &tests, SourceSpan span);
  typed::Expr *anyOf(const Items &tests, SourceSpan span);

private:
  Items again(const typed::Expr &kept);
  typed::Expr *joined(Operation op, Items tests, bool ofNone, SourceSpan span);
  typed::Expr *characterFrom(typed::Expr *code, SourceSpan span);

  Tree &tree;
  Whole &whole;
};

/// Of a compile-time text.
size_t lengthOfText(const Type &text);

} // namespace treadle
