// Values: the parts that make typed values from typed values, together.
#pragma once

#include "infer/values/operators.h"

namespace treadle {

/// One set for each instance of a function. Members are constructed in this order: each part may use those before it.
struct Values {
  Values(const Context &context, Compilation &compilation)
      : tree(context.tree), whole(context.whole), compilation(compilation), access(context), characters(context),
        sequences(context, access, characters), members(context, compilation),
        operators(context, characters, sequences, members) {}

  Tree &tree;
  Whole &whole;
  Compilation &compilation;
  ArrayAccess access;
  Characters characters;
  Sequences sequences;
  Members members;
  Operators operators;
};

} // namespace treadle
