// StaticValues: what is known before anything is typed: values, types and tests, and what consteval(...) yields.
#pragma once

#include "infer/calls/builtins.h"
#include "infer/expressions/attributes.h"

namespace treadle {

class StaticValues {
public:
  StaticValues(Instance &instance, Builtins &builtins, Names &names, Attributes &attributes)
      : compilation(instance.compilation), request(instance.request), source(instance.source), flow(instance.flow),
        tree(instance.tree), operators(instance.values.operators), builtins(builtins), names(names),
        attributes(attributes) {}

  // static_values.cpp
  /// The truth of a test; nullopt if it is found at run time.
  std::optional<bool> decide(const syntax::Expr &test);
  /// Of a decided test: whether it needs no code.
  bool isKnownThroughout(const syntax::Expr &test);
  bool isLiteralUnroll(const syntax::Expr &iterable);
  const CapturedValue *flagsIn(const syntax::Expr &expression, unsigned depth = 8);

  // static_code.cpp
  /// The value, if all names that the code may read are known before typing; else nullptr.
  const CapturedValue *evaluatedEarly(const syntax::Consteval &code);
  /// The value, with what is known by now; while solving it may wait for types.
  typed::Expr *evaluated(const syntax::Consteval &code);
  /// Of the names that a nested function captures at its call.
  std::vector<const CapturedValue *> sourcesAt(const syntax::Expr &place, const Scope &nested);
  /// For a new flow.
  void clear() { early.clear(); }

private:
  std::optional<bool> decideCompare(const syntax::Compare &test);
  std::optional<bool> decideNone(const syntax::Expr &value);
  typed::Expr *known(const syntax::Expr &expression);
  typed::Expr *knownName(const syntax::Name &name);
  typed::Expr *knownAttribute(const syntax::Attribute &attribute);
  typed::Expr *knownTuple(const syntax::Sequence &sequence);
  typed::Expr *knownCall(const syntax::Call &call);
  const Type *knownType(const syntax::Expr &expression);
  const Type *knownElement(const syntax::Subscript &subscript);

  const CapturedValue &evaluate(const syntax::Consteval &code, std::vector<ConstevalName> names);
  void checkMeaning(const syntax::Consteval &code);
  const CapturedValue *earlySource(NodeId id);
  std::optional<ConstevalName> knownEarly(const syntax::Name &name);
  ConstevalName knownNow(const syntax::Name &name);

  Compilation &compilation;
  const InstanceRequest &request;
  const SourceRef &source;
  const Flow &flow;
  Tree &tree;
  Operators &operators;
  Builtins &builtins;
  Names &names;
  Attributes &attributes;
  /// Results of evaluatedEarly() in this flow.
  std::unordered_map<const syntax::Consteval *, const CapturedValue *> early;
};

/// Contains no arrays: can become an expression before typing.
bool isPlain(const CapturedValue &value);

} // namespace treadle
