// Names: literals, names and lambdas as values, and what is captured from outside of the function.
#pragma once

#include "infer/expressions/instance.h"

namespace treadle {

class Names {
public:
  explicit Names(Instance &instance)
      : compilation(instance.compilation), request(instance.request), scope(instance.scope), flow(instance.flow),
        tree(instance.tree), out(*instance.out) {}

  /// A constant that counts as a literal.
  typed::Expr *literal(const syntax::Literal &literal);
  typed::Expr *string(const syntax::String &string);
  typed::Expr *lambda(const syntax::Lambda &expression);
  /// The value of a name, local or not.
  typed::Expr *read(const syntax::Name &name);
  /// The value of a definition; `name` for messages.
  typed::Expr *readNode(NodeId id, SourceSpan span, std::string_view name);
  /// What Python has found, under the name by which the source reached it.
  typed::Expr *captured(const CapturedValue &value, SourceSpan span, std::string_view name);
  /// A value of a type that exists only at compile time; threadIdx.x and the like become operations.
  typed::Expr *unit(const Type *type, SourceSpan span);
  /// The handle of the object of a dotted name; 0 if the name is local to the function, or undefined.
  uint64_t outsideObject(const syntax::Expr &expression);

private:
  typed::Expr *outsideName(const syntax::Name &name);
  typed::Expr *capturedArray(const CapturedValue &value, SourceSpan span, std::string_view name);

  Compilation &compilation;
  const InstanceRequest &request;
  const Scope &scope;
  const Flow &flow;
  Tree &tree;
  TypedFunction &out;
  std::map<const void *, uint32_t> capturedIds; ///< of arrays, by CapturedValue::object
};

} // namespace treadle
