// ConstantExtents: the extents of arrays that are known while compiling, for np.zeros_like() and the like.
#pragma once

#include "infer/expressions/instance.h"

namespace treadle {

class ConstantExtents {
public:
  explicit ConstantExtents(Instance &instance)
      : flow(instance.flow), tree(instance.tree), whole(instance.whole), out(*instance.out) {}

  /// nullopt: known only at run time.
  Extents of(const typed::Expr &value);

private:
  Extents ofVariable(const typed::Slot &slot);
  Extents ofView(const typed::View &view);
  Extents ofExpression(const typed::Tuple &value);

  const Flow &flow;
  Tree &tree;
  Whole &whole;
  const TypedFunction &out;
  std::map<const typed::Slot *, Extents> variables; ///< results of ofVariable()
};

} // namespace treadle
