// BuiltinRules: calls of what kernels have by name: builtins, types, methods of numbers.
#pragma once

#include "builtins/builtin.h"
#include "infer/compilation.h"
#include "infer/value_rules.h"

#include <utility>

namespace treadle {

class BuiltinRules : public ValueRules {
protected:
  /// The arguments of a call, evaluated in Python's order.
  struct Arguments {
    Items positional;
    std::vector<std::pair<std::string_view, typed::Expr *>> keywords;
    const syntax::Call *call;
    SourceSpan span;
  };

  BuiltinRules(Compilation &compilation, const InstanceRequest &request)
      : ValueRules(request.known->called.syntax->source(), request.rules), compilation(compilation),
        allowsHeap(request.allowsHeap) {}

  // infer_call.cpp
  typed::Expr *callMethod(typed::Expr *value, std::string_view method, const Arguments &arguments);
  typed::Expr *callTypeObject(const Type *type, const Arguments &arguments);
  // infer_builtin.cpp
  typed::Expr *callBuiltin(const Builtin &row, Arguments &arguments);
  void placeKeywords(const Builtin &row, Arguments &arguments);
  [[noreturn]] void failArgument(const Builtin &row, const typed::Expr &argument, std::string_view expected);
  // infer_builtin_type.cpp
  /// isinstance(value of that type, classes); nullopt if one of the classes says nothing in kernels.
  std::optional<bool> isInstance(const Type *type, const typed::Expr &classes);
  std::optional<bool> isOfClass(const Type *type, const Type *wanted);
  const Type *enumerationIn(const Type &classes);

  // infer_text.cpp
  typed::Expr *callTextMethod(typed::Expr *value, std::string_view method, const Arguments &arguments);
  // infer_builtin_array.cpp
  /// All elements of an array in C order along one axis, as `what` gives them.
  typed::Expr *flat(typed::Expr *array, std::string_view what, SourceSpan span);
  /// With its axes in that order; in reverse order without any.
  typed::Expr *transposed(typed::Expr *array, const std::vector<int64_t> &axes);
  // infer_computed.cpp
  typed::Expr *computedFlat(std::string_view name, typed::Expr *array, SourceSpan span);
  // infer_like.cpp
  using Extents = std::optional<std::vector<int64_t>>;
  /// The extents of an array or array expression, where they are known while compiling. Solving takes any for known:
  /// its type does not depend on them.
  virtual Extents constantExtents(const typed::Expr &value) = 0;
  virtual const Type *elementTypeOf(const Type &ofValue, SourceSpan span) = 0;

  // infer_function.cpp
  /// The parameter that the expression is, with the value that the caller gave.
  virtual std::optional<uint32_t> parameterRead(const syntax::Expr &expression) const = 0;

  // infer_member.cpp
  const CapturedValue *enumerationOf(const Type &type);
  static bool derivesFrom(const CapturedValue &enumeration, const Type *classType);
  /// As NameResolver::members says; "" if the class is no enumeration.
  std::string_view seenAs(const Type &classType);
  void checkTruth(const typed::Expr &value) final;
  void checkEquality(const typed::Expr &left, const typed::Expr &right) final;
  [[noreturn]] void failOwn(const typed::Expr &value, std::string_view what, std::string_view remedy);

  Compilation &compilation;
  const bool allowsHeap; ///< InstanceRequest::allowsHeap

private:
  using BuiltinMethod = typed::Expr *(BuiltinRules::*)(const Builtin &row, const Arguments &arguments);
  struct Methods;
  static BuiltinMethod methodOf(BuiltinRule rule);
  typed::Expr *withoutHalf(typed::Expr *value);
  const Type *numpyFloat(const Items &given);
  typed::Expr *exchanged(typed::Expr *value, SourceSpan span);
  typed::Expr *callMath(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRounding(const Builtin &row, const Arguments &arguments);
  typed::Expr *callClassify(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConversion(const Builtin &row, const Arguments &arguments);
  typed::Expr *callComplex(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAbs(const Builtin &row, const Arguments &arguments);
  typed::Expr *callMinMax(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRound(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLength(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPower(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBinary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callCompare(const Builtin &row, const Arguments &arguments);
  // infer_series.cpp
  typed::Expr *callRange(const Builtin &row, const Arguments &arguments);
  typed::Expr *callEnumerate(const Builtin &row, const Arguments &arguments);
  typed::Expr *callZip(const Builtin &row, const Arguments &arguments);
  void checkSeries(const Builtin &row, const typed::Expr &value);
  typed::Expr *refuseCall(const Builtin &row, const Arguments &arguments);

  // infer_builtin_warp.cpp
  typed::Expr *warpOp(WarpOperation op, const Type *type, const Items &operands, SourceSpan span);
  typed::Expr *memberMask(const Builtin &row, typed::Expr *mask);
  typed::Expr *callBarrier(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBits(const Builtin &row, const Arguments &arguments);
  typed::Expr *callFma(const Builtin &row, const Arguments &arguments);
  typed::Expr *callSelect(const Builtin &row, const Arguments &arguments);
  typed::Expr *callShuffle(const Builtin &row, const Arguments &arguments);
  typed::Expr *callVote(const Builtin &row, const Arguments &arguments);
  typed::Expr *callHardware(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPeerArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callGridGroup(const Builtin &row, const Arguments &arguments);
  typed::Expr *callThreadNumber(const Builtin &row, const Arguments &arguments);

  // infer_builtin_cuda.cpp
  typed::Expr *callGrid(const Builtin &row, const Arguments &arguments);
  typed::Expr *callArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConstArray(const Builtin &row, const Arguments &arguments);
  typed::Indexed atomicPlace(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAtomic(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPrint(const Builtin &row, const Arguments &arguments);
  std::vector<int64_t> constantShape(const typed::Expr &shape, const Builtin &row);
  const Type *namedElementType(const typed::Expr &text);
  const Type *elementType(const typed::Expr &dtype, const Builtin &row);
  uint32_t alignmentOf(const typed::Expr &alignment);

  // infer_builtin_array.cpp
  typed::Expr *callReshape(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRavel(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTranspose(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRetype(const Builtin &row, const Arguments &arguments);
  bool isKnownShape(const typed::Expr &shape) const;
  typed::Expr *heapArray(const Builtin &row, typed::Expr *shape, const Type *element);
  typed::Expr *callNewArray(const Builtin &row, const Arguments &arguments);
  static bool isOfKnownShape(const typed::Expr &like);
  typed::Expr *callNewArrayLike(const Builtin &row, const Arguments &arguments);
  void checkPacked(const typed::Expr &array, std::string_view what);
  Items knownExtents(Items extents, typed::Expr *size, SourceSpan span);
  typed::Expr *reshaped(typed::Expr *array, const Items &extents, SourceSpan span);

  std::vector<int64_t> orderOfAxes(const Builtin &row, const typed::Expr &array, const Items &given);
  typed::Expr *resized(typed::Expr *array, const Type *element, SourceSpan span);
  // infer_computed.cpp
  typed::Expr *callAxis(const Builtin &row, const Arguments &arguments);
  typed::Expr *callComputed(const Builtin &row, const Arguments &arguments);

  // infer_builtin_type.cpp
  typed::Expr *callDType(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTypeOf(const Builtin &row, const Arguments &arguments);
  typed::Expr *callIsInstance(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBitcast(const Builtin &row, const Arguments &arguments);
  typed::Expr *callMathFloat(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRefuse(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLiterally(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLiteralUnroll(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTuple(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConsteval(const Builtin &row, const Arguments &arguments);
  // infer_time.cpp
  [[noreturn]] void failUnknown(const Builtin &row, SourceSpan span) const;
  typed::Expr *callUnit(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnitFactor(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnitNamed(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTimeOf(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTicks(const Builtin &row, const Arguments &arguments);
};

} // namespace treadle
