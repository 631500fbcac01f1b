// SeriesCalls: range(), enumerate() and zip().
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class SeriesCalls {
public:
  explicit SeriesCalls(Values &values) : tree(values.tree) {}

  typed::Expr *callRange(const Builtin &row, const Arguments &arguments);
  typed::Expr *callEnumerate(const Builtin &row, const Arguments &arguments);
  typed::Expr *callZip(const Builtin &row, const Arguments &arguments);

private:
  void checkSeries(const Builtin &row, const typed::Expr &value);

  Tree &tree;
};

} // namespace treadle
