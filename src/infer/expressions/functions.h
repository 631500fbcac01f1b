// Functions: calls of device functions, nested functions and lambdas, and nested functions as values.
#pragma once

#include "infer/expressions/static_values.h"

namespace treadle {

class Functions {
public:
  Functions(Instance &instance, Names &names, StaticValues &statics)
      : compilation(instance.compilation), request(instance.request), scope(instance.scope), source(instance.source),
        out(instance.out), flow(instance.flow), tree(instance.tree), whole(instance.whole), names(names),
        statics(statics) {}

  typed::Expr *callFunction(const Type *function, const Arguments &arguments);
  /// `arguments`: already evaluated, after the closure.
  typed::Expr *callClosure(typed::Expr *closure, Arguments &arguments);
  /// `place`: the name or lambda, at which the flow has noted the captured variables.
  typed::Expr *handedOn(typed::Expr *value, const syntax::Expr &place);
  bool isClosure(const Type &type) const;
  /// Fails for closures whose variables may still change, also in tuples.
  void checkClosure(const Type &type, SourceSpan span) const;
  /// The value of a parameter that got no argument; it must be a constant.
  Binding defaultOf(const InstanceRequest &callee, const syntax::Parameter &parameter, SourceSpan span);

private:
  /// One value per parameter; nullptr for the default.
  Items matchParameters(const syntax::Function &function, const Arguments &arguments);
  void bindArguments(InstanceRequest &callee, Items &values, const Arguments &arguments);
  typed::Expr *callNested(const Compilation::Nested &nested, const Items &captures, const Arguments &arguments,
                          const std::vector<const CapturedValue *> &sources = {});
  Items capturesAt(const syntax::Expr &place, const Scope &nested);
  void checkInto(const InstanceRequest &callee, const Items &values, SourceSpan span);
  void chooseSignature(const InstanceRequest &callee, Items &values, const Arguments &arguments);
  const Type *recursiveResult(SourceSpan span);
  bool bindConstants(InstanceRequest &callee, const Items &values);
  std::optional<uint32_t> literalParameter(const typed::Expr *value, const Arguments &arguments) const;
  std::shared_ptr<const TypedFunction> instanceOf(InstanceRequest &callee, const Items &values,
                                                  const Arguments &arguments);
  typed::Expr *makeCall(InstanceRequest &callee, const Items &values, const Arguments &arguments);

  Compilation &compilation;
  const InstanceRequest &request;
  const Scope &scope;
  const SourceRef &source;
  const std::shared_ptr<TypedFunction> &out;
  const Flow &flow;
  Tree &tree;
  Whole &whole;
  Names &names;
  StaticValues &statics;
};

} // namespace treadle
