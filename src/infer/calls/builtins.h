// Builtins: calls by name of everything that is neither Python's nor the user's: builtins, types, methods.
#pragma once

#include "infer/calls/array_calls.h"
#include "infer/calls/number_calls.h"
#include "infer/calls/series_calls.h"
#include "infer/calls/thread_calls.h"
#include "infer/calls/time_calls.h"
#include "infer/calls/type_calls.h"

namespace treadle {

class Builtins {
public:
  Builtins(Values &values, bool allowsHeap)
      : tree(values.tree), arrays(values, allowsHeap), numbers(values), series(values), threads(values), times(values),
        typeCalls(values), characters(values.characters) {}

  /// `arguments` gets its keywords moved to their positions.
  typed::Expr *callBuiltin(const Builtin &row, Arguments &arguments);
  typed::Expr *callMethod(typed::Expr *value, std::string_view method, const Arguments &arguments);
  /// A call of a type: a conversion.
  typed::Expr *callTypeObject(const Type *type, const Arguments &arguments);
  /// upper(), lower(), startswith(), endswith(); nullptr for others.
  typed::Expr *callTextMethod(typed::Expr *value, std::string_view method, const Arguments &arguments);

  Tree &tree;
  ArrayCalls arrays;
  NumberCalls numbers;
  SeriesCalls series;
  ThreadCalls threads;
  TimeCalls times;
  TypeCalls typeCalls;

private:
  using Call = typed::Expr *(*)(Builtins &, const Builtin &, const Arguments &);
  struct Methods;
  static Call callOf(BuiltinRule rule);
  void placeKeywords(const Builtin &row, Arguments &arguments);

  Characters &characters;
};

} // namespace treadle
