// ExpressionRules: from the syntax of an expression to its typed value.
#pragma once

#include "infer/builtin_rules.h"
#include "infer/flow.h"
#include "infer/solver.h"

#include <map>

namespace treadle {

class ExpressionRules : public BuiltinRules {
protected:
  ExpressionRules(Compilation &compilation, const InstanceRequest &request)
      : BuiltinRules(compilation, request), request(request), scope(*request.scope),
        out(std::make_shared<TypedFunction>()) {}

  // infer_expr.cpp
  typed::Expr *expr(const syntax::Expr &expression);
  typed::Expr *string(const syntax::String &string);
  typed::Expr *literal(const syntax::Literal &literal);
  typed::Expr *name(const syntax::Name &name);
  typed::Expr *captured(const CapturedValue &value, SourceSpan span, std::string_view name);
  /// What is called: a nested function itself, which need not be handed on.
  typed::Expr *calleeValue(const syntax::Expr &callee);
  // infer_stmt.cpp
  typed::Expr *test(const syntax::Expr &expression);
  uint64_t outsideObject(const syntax::Expr &expression);

  // prune.cpp
  std::optional<bool> decide(const syntax::Expr &test);
  bool isLiteralUnroll(const syntax::Expr &iterable);
  /// The answer of a decided test, after what Python evaluates before it knows: f in `f() and False`.
  typed::Expr *knownTest(const syntax::Expr &test, bool answer);

  // infer_consteval.cpp
  /// The value, where all names that the code may read are known before anything is typed; else nullptr.
  const CapturedValue *evaluatedEarly(const syntax::Consteval &code);
  /// Without arrays: can be made an expression before anything is typed.
  static bool isPlain(const CapturedValue &value);

  // infer_attribute.cpp
  typed::Expr *arrayAttribute(typed::Expr *array, const syntax::Attribute &expression);
  // infer_record.cpp
  std::optional<uint32_t> attributeField(const typed::Expr &value, const syntax::Attribute &expression);
  std::optional<uint32_t> subscriptField(const typed::Expr &value, const syntax::Expr &index);
  // infer_member.cpp
  /// The members of an enumeration in a tuple; nullptr if it is none.
  typed::Expr *membersOf(const Type &type, SourceSpan span);
  // infer_index.cpp
  /// `array`: evaluated before the index.
  bool isIndexArray(const Type &type, SourceSpan span);
  Items indicesOf(typed::Expr *&array, const syntax::Expr &index, bool takesArray = false);
  // infer_computed.cpp
  void indexFlat(typed::Expr *&array, Items &indices, typed::Expr *index, SourceSpan span);
  // infer_slice.cpp
  bool isViewIndex(const syntax::Expr &index);
  typed::Expr *sliceView(typed::Expr *array, const syntax::Expr &index, SourceSpan span);
  // infer_call.cpp
  void evaluateArguments(const syntax::Call &call, Arguments &arguments);
  // infer_elementwise.cpp
  typed::Expr *applied(std::string_view key, const Items &operands, SourceSpan span) final;

  // infer_function.cpp
  std::optional<uint32_t> parameterRead(const syntax::Expr &expression) const final;
  Binding defaultOf(const InstanceRequest &request, const syntax::Parameter &parameter, SourceSpan span);
  void checkClosure(const Type &type, SourceSpan span) const;
  bool mayChange(uint32_t name) const;

  void define(NodeId node, typed::Expr *value, SourceSpan span) { phase->define(node, value, span); }

  const InstanceRequest &request;
  const Scope &scope;
  std::shared_ptr<TypedFunction> out;
  Flow flow;
  /// What evaluatedEarly() has found in this flow.
  std::unordered_map<const syntax::Consteval *, const CapturedValue *> early;

private:
  // infer_expr.cpp
  typed::Expr *readNode(NodeId id, SourceSpan span, std::string_view name);
  typed::Expr *outsideName(const syntax::Name &name);
  typed::Expr *sequence(const syntax::Sequence &sequence);
  typed::Expr *conditional(const syntax::Conditional &expression);
  typed::Expr *chosen(typed::Expr *test, typed::Expr *then, typed::Expr *otherwise, SourceSpan span);
  /// The result of `make`; while solving, nullptr where it has no type yet.
  template <typename Make> typed::Expr *sideOf(Make make);
  // infer_format.cpp
  typed::Expr *joinedString(const syntax::Sequence &expression);
  struct Formatted;
  void format(const syntax::Format &part, Formatted &made);
  // infer_expr.cpp
  typed::Expr *walrus(const syntax::Walrus &expression);
  typed::Expr *lambda(const syntax::Lambda &expression);
  typed::Expr *capturedArray(const CapturedValue &value, SourceSpan span, std::string_view name);

  // prune.cpp
  bool isKnownThroughout(const syntax::Expr &test);
  std::optional<bool> decideCompare(const syntax::Compare &test);
  std::optional<bool> decideNone(const syntax::Expr &value);
  typed::Expr *known(const syntax::Expr &expression);
  static bool isKept(const FlowNode &node);
  typed::Expr *knownName(const syntax::Name &name);
  typed::Expr *knownAttribute(const syntax::Attribute &attribute);
  typed::Expr *knownTuple(const syntax::Sequence &sequence);
  typed::Expr *knownCall(const syntax::Call &call);
  const Type *knownType(const syntax::Expr &expression);
  const Type *knownElement(const syntax::Subscript &subscript);

  // infer_consteval.cpp
  typed::Expr *evaluated(const syntax::Consteval &code);
  typed::Expr *comprehension(const syntax::Comprehension &expression);
  const CapturedValue &evaluate(const syntax::Consteval &code, std::vector<ConstevalName> names);
  void checkMeaning(const syntax::Consteval &code);
  const CapturedValue *earlySource(NodeId id);
  /// Of the names that a nested function captures where it is called.
  std::vector<const CapturedValue *> sourcesAt(const syntax::Expr &place, const Scope &nested);
  std::optional<ConstevalName> knownEarly(const syntax::Name &name);
  ConstevalName knownNow(const syntax::Name &name);

  // infer_attribute.cpp
  typed::Expr *attribute(const syntax::Attribute &expression);
  typed::Expr *attributeOf(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *numberAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *tupleAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *typeAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *outsideAttribute(typed::Expr *value, const syntax::Attribute &expression);
  [[noreturn]] void failAttribute(const typed::Expr &value, const syntax::Attribute &expression,
                                  const std::vector<std::string_view> &candidates);

  // infer_operator.cpp, infer_compare.cpp
  typed::Expr *unary(const syntax::Unary &expression);
  typed::Expr *binary(const syntax::Binary &expression);
  typed::Expr *boolean(const syntax::Boolean &expression);
  typed::Expr *booleanFrom(const syntax::Boolean &expression, size_t position);
  typed::Expr *truthOfBoolean(const syntax::Boolean &expression, size_t position);
  typed::Expr *compare(const syntax::Compare &expression);
  typed::Expr *compareFrom(const syntax::Compare &expression, size_t position, typed::Expr *left);

  // infer_index.cpp, infer_slice.cpp
  typed::Expr *subscript(const syntax::Subscript &expression);
  typed::Expr *elementOf(typed::Expr *array, const syntax::Subscript &expression);
  typed::Expr *tupleItem(typed::Expr *tuple, const syntax::Subscript &expression);
  std::vector<int64_t> constantPositions(const syntax::Slice &slice, int64_t count, SourceSpan span);
  // infer_text.cpp
  typed::Expr *textItem(const Type &text, const syntax::Subscript &expression);
  // infer_characters.cpp
  typed::Expr *characterItem(typed::Expr *text, const syntax::Subscript &expression);
  typed::Expr *characterSlice(typed::Expr *text, const syntax::Subscript &expression);
  typed::Expr *tupleSlice(typed::Expr *tuple, const syntax::Subscript &expression);
  typed::Expr *sliceBound(const syntax::Expr *bound);
  typed::ViewAxis sliceAxis(const syntax::Slice &slice);
  std::vector<typed::ViewAxis> viewAxes(const typed::Expr &array, const syntax::Expr &index);

  // infer_member.cpp
  struct Enumeration;
  std::optional<Enumeration> enumeration(const Type &type, SourceSpan span);
  typed::Expr *memberNamed(const typed::Expr &value, const syntax::Subscript &expression);
  typed::Expr *memberAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *callEnumeration(const Type &classType, const Arguments &arguments);
  static const Type *typeOfValues(const Enumeration &enumeration);
  typed::Expr *checkedMember(const Enumeration &wanted, typed::Expr *value, SourceSpan span);
  const CapturedValue *flagsIn(const syntax::Expr &expression, unsigned depth = 8);
  typed::Expr *otherFlags(const CapturedValue &flags, typed::Expr *value, SourceSpan span);

  // infer_call.cpp
  typed::Expr *call(const syntax::Call &expression);
  typed::Expr *callValue(typed::Expr *callee, Arguments &arguments);
  const CapturedValue *libraryOfTimes(std::string_view key, const Arguments &arguments);
  bool isForLibrary(const Builtin &row, const Arguments &arguments);
  const CapturedValue *libraryMethod(const Type &type, std::string_view name);
  typed::Expr *callObject(const typed::Expr &callee, const Arguments &arguments);
  typed::Expr *makeNamedTuple(const Type *classType, const CapturedValue &fields, const Arguments &arguments);

  // infer_elementwise.cpp
  typed::Expr *callElementwise(std::string_view key, size_t operands, Arguments &arguments);
  std::optional<size_t> elementwiseOperands(std::string_view key);
  typed::Expr *elementwiseAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *elementwiseItem(typed::Expr *value, const syntax::Subscript &expression);
  typed::Expr *placeholderOf(const Type &type, SourceSpan span);
  const Type *elementTypeOf(const Type &ofValue, SourceSpan span) final;
  // infer_like.cpp
  Extents constantExtents(const typed::Expr &value) final;
  Extents extentsOfVariable(const typed::Slot &slot);
  Extents extentsOfView(const typed::View &view);
  Extents extentsOfExpression(const typed::Tuple &value);

  // infer_function.cpp
  typed::Expr *asHalf(const Type &function, typed::Expr *result, const Items &given);
  typed::Expr *callFunction(const Type *function, const Arguments &arguments);
  /// One value per parameter; nullptr where the default holds.
  Items matchParameters(const syntax::Function &function, const Arguments &arguments);
  void bindArguments(InstanceRequest &request, Items &values, const Arguments &arguments);
  typed::Expr *callNested(const Compilation::Nested &nested, const Items &captures, const Arguments &arguments,
                          const std::vector<const CapturedValue *> &sources = {});
  typed::Expr *callClosure(typed::Expr *closure, Arguments &arguments);
  Items capturesAt(const syntax::Expr &place, const Scope &nested);
  typed::Expr *handedOn(typed::Expr *value, const syntax::Expr &place);
  bool isClosure(const Type &type) const;
  void checkInto(const InstanceRequest &callee, const Items &values, SourceSpan span);
  void chooseSignature(const InstanceRequest &request, Items &values, const Arguments &arguments);
  const Type *recursiveResult(SourceSpan span);
  bool bindConstants(InstanceRequest &callee, const Items &values);
  std::optional<uint32_t> literalParameter(const typed::Expr *value, const Arguments &arguments) const;
  std::shared_ptr<const TypedFunction> instanceOf(InstanceRequest &callee, const Items &values,
                                                  const Arguments &arguments);
  typed::Expr *makeCall(InstanceRequest &callee, const Items &values, const Arguments &arguments);

  std::map<const typed::Slot *, Extents> variableExtents; ///< those that extentsOfVariable() has found
  std::map<const void *, uint32_t> capturedIds;           ///< of arrays, by CapturedValue::object
};

template <typename Make> typed::Expr *ExpressionRules::sideOf(Make make) {
  try {
    return make();
  } catch (const Solver::NotYet &) {
    return nullptr;
  }
}

} // namespace treadle
