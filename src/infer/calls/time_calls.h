// TimeCalls: what the library asks of dates and durations.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class TimeCalls {
public:
  explicit TimeCalls(Values &values) : tree(values.tree), access(values.access) {}

  typed::Expr *callUnit(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnitFactor(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTimeOf(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTicks(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnitNamed(const Builtin &row, const Arguments &arguments);

private:
  /// Units are given to these functions as constants.
  [[noreturn]] void failUnknown(const Builtin &row, SourceSpan span) const;

  Tree &tree;
  ArrayAccess &access;
};

} // namespace treadle
