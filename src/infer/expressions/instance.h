// Instance: one instance of a function while it is typed: what was asked for, its names, and its tree so far.
#pragma once

#include "infer/flow/flow.h"
#include "infer/values/values.h"

namespace treadle {

/// Members are constructed in this order. The tree keeps a reference to the source, which the function's syntax owns;
/// exceptions in the library say no place, as its source is not the user's.
struct Instance {
  Instance(Compilation &compilation, const InstanceRequest &request, Whole &whole)
      : compilation(compilation), request(request), whole(whole), values({tree, whole}, compilation) {}

  Compilation &compilation;
  const InstanceRequest &request;
  Whole &whole;
  const Scope &scope = *request.scope;
  const SourceRef &source = request.known->called.syntax->source();
  /// Shared, as callers keep the functions that they call.
  const std::shared_ptr<TypedFunction> out = std::make_shared<TypedFunction>();
  Flow flow;
  Tree tree{source, request.rules, request.known->called.libraryName.empty()};
  Values values;
};

} // namespace treadle
