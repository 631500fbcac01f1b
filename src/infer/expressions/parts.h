// ExpressionParts: the parts that type syntax, together. Each uses those before it.
#pragma once

#include "infer/expressions/constant_extents.h"
#include "infer/expressions/functions.h"
#include "infer/expressions/subscripts.h"

namespace treadle {

/// What a part needs of those after it, it asks through Whole.
struct ExpressionParts {
  explicit ExpressionParts(Instance &instance)
      : builtins(instance.values, instance.request.allowsHeap), names(instance), enumerations(instance, names),
        attributes(instance, builtins.arrays, names, enumerations), statics(instance, builtins, names, attributes),
        subscripts(instance, enumerations), functions(instance, names, statics), extents(instance) {}

  Builtins builtins;
  Names names;
  Enumerations enumerations;
  Attributes attributes;
  StaticValues statics;
  Subscripts subscripts;
  Functions functions;
  ConstantExtents extents;
};

} // namespace treadle
