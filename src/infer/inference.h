// Inference: one function instance, from its syntax to its typed tree. Split over files by Python construct.
#pragma once

#include "builtins/builtin.h"
#include "infer/compilation.h"
#include "infer/flow.h"
#include "infer/flow_builder.h"
#include "infer/mistake.h"
#include "infer/solver.h"
#include "typed/nodes.h"

#include <utility>

namespace treadle {

/// What differs between the two phases of inference that evaluate expressions.
class Phase {
public:
  virtual ~Phase() = default;
  /// Of what effects, arrays and callees are noted.
  virtual TypedFunction &noted() = 0;
  virtual uint32_t nextAllocation() = 0;
  virtual typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span) = 0;
  /// A name that has a type, and no value that is known.
  virtual typed::Expr *read(const FlowNode &node, SourceSpan span) = 0;
  virtual void define(NodeId node, typed::Expr *value, SourceSpan span) = 0;
  /// Where something has no type: comes back only where it never will.
  virtual void awaitType() = 0;
  /// An assignment to an element or a field.
  virtual void assignToPlace(const syntax::Expr &target, typed::Expr *value) = 0;
  /// The function calls itself; `result` is what that gives, as far as it is known.
  virtual void recur(const Type *result, SourceSpan span) = 0;
  /// Whether the order of evaluation matters.
  virtual bool settles() const = 0;
};

/// The phases, in order:
/// 1. flow: which definition reaches which use; branches known to be dead are gone;
/// 2. solve: types of definitions, by a worklist: an assignment is evaluated again when what it reads changed its type;
/// 3. slots: definitions that meet with one type share a slot; those that meet with different ones are copied;
/// 4. build: the tree, once, by the same functions that evaluate expressions in phase 2.
/// What they do to the function in phase 2, and what in phase 4, is Phase's business.
class Inference {
public:
  Inference(Compilation &compilation, const InstanceRequest &request);
  std::shared_ptr<TypedFunction> run();

private:
  class Solving;
  class Building;
  using Items = std::vector<typed::Expr *>;

  // inference.cpp: the phases, and what all of them use
  void buildFlow();
  void bindParameters();
  void solve();
  void evaluate(const FlowAssignment &assignment);
  void finish();
  void finishResult();
  [[noreturn]] void fail(SourceSpan span, const Mistake &mistake) const;
  [[noreturn]] void failTyping(SourceSpan span, std::string message, std::string remedy = {}) const;
  [[noreturn]] void failUnsupported(SourceSpan span, std::string message, std::string remedy = {}) const;
  void emit(typed::Stmt *statement) { statements->push_back(statement); }
  typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span);
  /// The value in a form that can be read again by duplicate(); a temporary is assigned where it is not simple.
  typed::Expr *once(typed::Expr *value);
  /// A new node for the value of a simple expression: no node may stand in two places of a tree.
  typed::Expr *duplicate(const typed::Expr *simple);
  /// As once(), but also a slot that may change before the value is read becomes a temporary.
  typed::Expr *storedOnce(typed::Expr *value);
  /// A constant of the compilation as new nodes.
  typed::Expr *copyConstant(const typed::Expr &constant);
  /// The statements that `make` emits, in front of the value that it returns.
  template <typename Make> typed::Expr *inBlock(SourceSpan span, Make make);
  template <typename Make> typed::Body collect(Make make);

  // infer_order.cpp
  enum class Settled : uint8_t {
    Ordered,  ///< all of them will be evaluated, in whatever order
    Optional, ///< some may be left out, or be evaluated under a condition
  };
  /// Operands in Python's order become operands that may be evaluated as `how` says: those with effects, and what such
  /// effects would change, are assigned to temporaries, from left to right. Nothing happens where there are no effects.
  /// Whoever makes a node that does not evaluate its operands as Python does calls it.
  void settle(Items &operands, Settled how = Settled::Ordered);
  /// The result behind what other values do that are not needed themselves.
  typed::Expr *after(const Items &dropped, typed::Expr *result);
  /// The statements, which Python runs behind the value; that is a temporary then where they could change it.
  void emitBehind(typed::Expr *&value, typed::Body statements);

  // prune.cpp
  std::optional<bool> decide(const syntax::Expr &test);
  bool isKnownThroughout(const syntax::Expr &test);
  /// The answer of a test that is decided, behind what Python evaluates first: f in `f() and False`.
  typed::Expr *knownTest(const syntax::Expr &test, bool answer);
  std::optional<bool> decideCompare(const syntax::Compare &test);
  std::optional<bool> decideNone(const syntax::Expr &value);
  typed::Expr *known(const syntax::Expr &expression);
  typed::Expr *knownName(const syntax::Name &name);
  typed::Expr *knownAttribute(const syntax::Attribute &attribute);
  const Type *knownType(const syntax::Expr &expression);

  // infer_define.cpp
  void define(NodeId node, typed::Expr *value, SourceSpan span) { phase->define(node, value, span); }
  void assignNode(NodeId node, typed::Expr *value, SourceSpan span);
  void copyOnwards(NodeId id, typed::Slot *slot, typed::Expr *value, SourceSpan span);
  void warnAboutLoss(const FlowNode &node, const typed::Expr &value, SourceSpan span);
  void assignParameters();

  // infer_stmt.cpp
  void buildBody(syntax::Body body);
  void buildStatement(const syntax::Stmt &statement);
  void buildIf(const syntax::If &statement);
  void buildReturn(const syntax::Return &statement);
  void buildExpression(const syntax::ExprStmt &statement);
  uint64_t outsideObject(const syntax::Expr &expression);
  void buildRaise(const syntax::Raise &statement);
  std::string_view literalArguments(const std::vector<const syntax::Expr *> &arguments);
  void buildAssert(const syntax::Assert &statement);
  void emitValue(typed::Expr *value, SourceSpan span);
  typed::Expr *test(const syntax::Expr &expression);

  // infer_assign.cpp
  void assign(const syntax::Assign &statement);
  void assignTo(const syntax::Expr &target, typed::Expr *value);
  void unpack(const syntax::Sequence &targets, typed::Expr *value);
  void augment(const syntax::AugAssign &statement);
  /// What an assignment writes: the element at `indices`, the row that they leave, or a slice.
  struct Place {
    typed::Expr *array = nullptr;
    Items indices;
    const syntax::Expr *slice = nullptr; ///< not yet applied to `array`
  };
  Place placeOf(const syntax::Expr &target);
  void assignToPlace(const syntax::Expr &target, typed::Expr *value);
  void augmentElement(Place place, const syntax::AugAssign &statement);
  void defineFunction(const syntax::FunctionDef &statement, NodeId node);
  void store(const Place &place, typed::Expr *value, SourceSpan span);

  // infer_record.cpp
  std::optional<uint32_t> attributeField(const typed::Expr &value, const syntax::Attribute &expression);
  std::optional<uint32_t> subscriptField(const typed::Expr &value, const syntax::Expr &index);
  typed::Expr *fieldOf(typed::Expr *array, uint32_t field, SourceSpan span);
  void selectField(typed::Expr *&array, Items &indices, uint32_t field, SourceSpan span);
  void storeRecord(typed::Expr *target, typed::Expr *value, SourceSpan span);

  // infer_loop.cpp
  struct Iteration {
    enum class Kind : uint8_t { Range, Array, Tuple, Unrolled, Together } kind;
    /// Range: start, stop, step of the counter's type; Unrolled: the items; else the array or tuple, of Together
    /// several.
    Items parts;
    typed::Expr *start = nullptr; ///< Together: of enumerate
  };
  Iteration iterate(const syntax::For &loop);
  Iteration iterateRange(const syntax::Call &call, const Builtin &row);
  typed::Expr *placeholder(const Type *type, SourceSpan span);
  void bindElement(const syntax::For &loop);
  void requestUnroll(const syntax::For &loop, size_t count);
  void buildFor(const syntax::For &loop);
  void buildRange(const syntax::For &loop, const Iteration &iteration);
  Iteration iterateTogether(const syntax::Call &call, const Builtin &row);
  typed::Expr *elementAt(const Iteration &iteration, const typed::Expr &index, SourceSpan span);
  typed::Expr *countOf(const typed::Expr &container, SourceSpan span);
  void buildCounted(const syntax::For &loop, Iteration iteration);
  void buildUnrolled(const syntax::For &loop, const Iteration &iteration);
  void buildWhile(const syntax::While &loop);

  // infer_expr.cpp
  typed::Expr *expr(const syntax::Expr &expression);
  typed::Expr *literal(const syntax::Literal &literal);
  typed::Expr *name(const syntax::Name &name);
  typed::Expr *readNode(NodeId id, SourceSpan span, std::string_view name);
  typed::Expr *outsideName(const syntax::Name &name);
  typed::Expr *sequence(const syntax::Sequence &sequence);
  typed::Expr *makeTuple(const Items &items, SourceSpan span);
  typed::Expr *conditional(const syntax::Conditional &expression);
  typed::Expr *chosen(typed::Expr *test, typed::Expr *then, typed::Expr *otherwise, SourceSpan span);
  /// What `make` gives; nullptr while solving when it has no type yet.
  template <typename Make> typed::Expr *sideOf(Make make);
  const Type *unifyOperands(const typed::Expr &left, const typed::Expr &right) const;
  typed::Expr *walrus(const syntax::Walrus &expression);
  typed::Expr *lambda(const syntax::Lambda &expression);
  typed::Expr *captured(const CapturedValue &value, SourceSpan span, std::string_view name);
  typed::Expr *capturedArray(const CapturedValue &value, SourceSpan span, std::string_view name);
  /// A name of a type that has no value at run time; the threads' numbers have one.
  typed::Expr *unit(const Type *type, SourceSpan span);

  // infer_attribute.cpp
  typed::Expr *attribute(const syntax::Attribute &expression);
  typed::Expr *attributeOf(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *arrayAttribute(typed::Expr *array, const syntax::Attribute &expression);
  typed::Expr *numberAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *tupleAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *outsideAttribute(typed::Expr *value, const syntax::Attribute &expression);
  [[noreturn]] void failAttribute(const typed::Expr &value, const syntax::Attribute &expression,
                                  const std::vector<std::string_view> &candidates);

  // infer_operator.cpp
  typed::Expr *unary(const syntax::Unary &expression);
  typed::Expr *unaryValue(UnaryOperator op, typed::Expr *operand, SourceSpan span);
  typed::Expr *binary(const syntax::Binary &expression);
  typed::Expr *binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *joinTuples(typed::Expr *left, typed::Expr *right, SourceSpan span);
  [[noreturn]] void failOperands(std::string_view op, const typed::Expr &left, const typed::Expr &right,
                                 SourceSpan span);
  typed::Expr *compute(Operation op, const OperationTypes &types, const Items &operands, SourceSpan span);

  // infer_compare.cpp
  typed::Expr *boolean(const syntax::Boolean &expression);
  typed::Expr *booleanFrom(const syntax::Boolean &expression, size_t position);
  typed::Expr *truthOfBoolean(const syntax::Boolean &expression, size_t position);
  typed::Expr *compare(const syntax::Compare &expression);
  typed::Expr *compareFrom(const syntax::Compare &expression, size_t position, typed::Expr *left);
  typed::Expr *comparison(syntax::Comparison op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *isSame(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *contains(typed::Expr *container, typed::Expr *value, SourceSpan span);

  // convert.cpp
  typed::Expr *convert(typed::Expr *value, const Type *type);
  typed::Expr *convertOptional(typed::Expr *value, const Type *type);
  typed::Expr *convertTuple(typed::Expr *value, const Type *type);
  /// Where there is no implicit conversion it is an error with that message.
  typed::Expr *convertFor(typed::Expr *value, const Type *type, std::string_view message, SourceSpan span);
  typed::Expr *truth(typed::Expr *value);
  /// The value of an Optional, as Numba unwraps it wherever a value is needed.
  typed::Expr *unwrap(typed::Expr *value);
  /// Items of a tuple, each to be used once; temporaries are assigned where needed.
  Items itemsOf(typed::Expr *tuple);
  typed::Expr *itemOf(typed::Expr *tuple, uint32_t index, SourceSpan span);
  Operand operandOf(const typed::Expr &value) const;
  std::optional<int64_t> constantInteger(const typed::Expr &value) const;

  // infer_index.cpp
  typed::Expr *subscript(const syntax::Subscript &expression);
  typed::Expr *elementOf(typed::Expr *array, const syntax::Subscript &expression);
  typed::Expr *tupleItem(typed::Expr *tuple, const syntax::Subscript &expression);
  typed::Expr *tupleSlice(typed::Expr *tuple, const syntax::Subscript &expression);
  /// `array`: evaluated before the index.
  Items indicesOf(typed::Expr *&array, const syntax::Expr &index);
  typed::Expr *checkedIndex(typed::Expr *index, SourceSpan span);
  void checkIndexCount(const typed::Expr &array, size_t count, SourceSpan span);
  void checkStorable(const typed::Expr &array, SourceSpan span);
  // infer_slice.cpp
  bool isViewIndex(const syntax::Expr &index);
  typed::Expr *sliceBound(const syntax::Expr *bound);
  typed::ViewAxis sliceAxis(const syntax::Slice &slice);
  std::vector<typed::ViewAxis> viewAxes(const typed::Expr &array, const syntax::Expr &index);
  typed::Expr *sliceView(typed::Expr *array, const syntax::Expr &index, SourceSpan span);
  void storeView(typed::Expr *target, typed::Expr *value, SourceSpan span);
  typed::Expr *extentOf(const typed::Expr &array, unsigned axis, SourceSpan span);
  typed::Expr *broadcastIndex(const typed::Expr &source, unsigned axis, typed::Slot *counter, SourceSpan span);
  typed::Expr *assignedExtent(const typed::Expr &view, const typed::Expr *source, unsigned axis, SourceSpan span);
  void checkFits(const typed::Expr &view, const typed::Expr &source, SourceSpan span);
  // infer_index.cpp
  typed::Expr *rowView(typed::Expr *array, const Items &indices, SourceSpan span);
  /// Indices of a view of a view into one view, so that a[i][j] is one access.
  void mergeRowView(typed::Expr *&array, Items &indices);
  const Type *rowType(const Type *array, size_t count) const;

  // infer_call.cpp
  struct Arguments {
    Items positional;
    std::vector<std::pair<std::string_view, typed::Expr *>> keywords;
    const syntax::Call *call;
    SourceSpan span;
  };
  typed::Expr *call(const syntax::Call &expression);
  typed::Expr *callValue(typed::Expr *callee, Arguments &arguments);
  typed::Expr *callMethod(typed::Expr *value, std::string_view method, const Arguments &arguments);
  typed::Expr *callTypeObject(const Type *type, const Arguments &arguments);
  typed::Expr *callObject(const typed::Expr &callee, const Arguments &arguments);
  typed::Expr *makeNamedTuple(const Type *classType, const CapturedValue &fields, const Arguments &arguments);
  void evaluateArguments(const syntax::Call &call, Arguments &arguments);

  // infer_function.cpp
  typed::Expr *callFunction(const Type *function, const Arguments &arguments);
  /// One value per parameter; nullptr where the default holds.
  Items matchParameters(const syntax::Function &function, const Arguments &arguments);
  void bindArguments(InstanceRequest &request, Items &values, const Arguments &arguments);
  Binding defaultOf(const InstanceRequest &request, const syntax::Parameter &parameter, SourceSpan span);
  void bindCaptures(InstanceRequest &request, Items &values, const Arguments &arguments);
  void chooseSignature(const InstanceRequest &request, Items &values, const Arguments &arguments);
  void checkEscape(const typed::Expr &value, SourceSpan span);
  const Type *recursiveResult(SourceSpan span);
  [[noreturn]] void failRecursionThroughBarrier(SourceSpan span) const;
  typed::Expr *makeCall(const InstanceRequest &request, const Items &values, const Arguments &arguments);

  // infer_builtin.cpp, infer_builtin_cuda.cpp
  using BuiltinMethod = typed::Expr *(Inference::*)(const Builtin &row, const Arguments &arguments);
  static BuiltinMethod methodOf(BuiltinRule rule);
  typed::Expr *callBuiltin(const Builtin &row, Arguments &arguments);
  void placeKeywords(const Builtin &row, Arguments &arguments);
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
  typed::Expr *refuseOutsideLoop(const Builtin &row, const Arguments &arguments);
  typed::Expr *refuseCall(const Builtin &row, const Arguments &arguments);
  typed::Expr *callGrid(const Builtin &row, const Arguments &arguments);
  typed::Expr *callArray(const Builtin &row, const Arguments &arguments);
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
  typed::Expr *callGridGroup(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLaneMask(const Builtin &row, const Arguments &arguments);
  // infer_builtin_cuda.cpp
  typed::Expr *callConstArray(const Builtin &row, const Arguments &arguments);
  typed::Indexed atomicPlace(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAtomic(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPrint(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBreakpoint(const Builtin &row, const Arguments &arguments);
  std::vector<int64_t> constantShape(const typed::Expr &shape, const Builtin &row);
  const Type *elementType(const typed::Expr &dtype, const Builtin &row);
  uint32_t alignmentOf(const typed::Expr &alignment);
  [[noreturn]] void failArgument(const Builtin &row, const typed::Expr &argument, std::string_view expected);

  Compilation &compilation;
  const InstanceRequest &request;
  const Scope &scope;
  const SourceRef &source;
  const NumberRules rules;
  std::shared_ptr<TypedFunction> out;
  Flow flow;
  Solver solver;
  UnrolledBodies unrolled;
  Arena copies; ///< of unrolled loop bodies
  std::unique_ptr<Arena> scratch;
  typed::Nodes nodes;
  Phase *phase = nullptr; ///< while expressions are evaluated
  SourceSpan recursion;   ///< the first call of the function by itself
  std::vector<typed::Stmt *> scratchStatements;
  std::vector<typed::Stmt *> *statements = &scratchStatements;
  std::map<const void *, uint32_t> capturedIds; ///< of arrays, by CapturedValue::object
};

template <typename Make> typed::Expr *Inference::inBlock(SourceSpan span, Make make) {
  std::vector<typed::Stmt *> own;
  struct Restore {
    std::vector<typed::Stmt *> *&place, *outer;
    ~Restore() { place = outer; }
  } restore{statements, statements};
  statements = &own;
  typed::Expr *value = make();
  return nodes.block(own, value, span);
}

template <typename Make> typed::Expr *Inference::sideOf(Make make) {
  try {
    return make();
  } catch (const Solver::NotYet &) {
    return nullptr;
  }
}

template <typename Make> typed::Body Inference::collect(Make make) {
  std::vector<typed::Stmt *> own;
  struct Restore {
    std::vector<typed::Stmt *> *&place, *outer;
    ~Restore() { place = outer; }
  } restore{statements, statements};
  statements = &own;
  make();
  return nodes.body(own);
}

} // namespace treadle
