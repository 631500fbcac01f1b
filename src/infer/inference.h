// Inference: one function instance, from its syntax to its typed tree. Split over files by Python construct.
#pragma once

#include "infer/expression_rules.h"
#include "infer/flow_builder.h"

namespace treadle {

/// The phases, in order:
/// 1. flow: which definition reaches which use; branches known to be dead are gone;
/// 2. solve: types of definitions, by a worklist: an assignment is evaluated again when something it reads has changed
///    its type;
/// 3. slots: definitions that meet with one type share a slot; those that meet with different ones are copied;
/// 4. build: the tree, once, by the same functions that evaluate expressions in phase 2.
/// What expressions do to the function differs between phases 2 and 4; Phase has both.
class Inference : private ExpressionRules {
public:
  Inference(Compilation &compilation, const InstanceRequest &request);
  std::shared_ptr<TypedFunction> run();

private:
  class Solving;
  class Building;

  // inference.cpp
  void buildFlow();
  void bindParameters();
  void solve();
  void evaluate(const FlowAssignment &assignment);
  void finish();
  void finishResult();

  // infer_define.cpp
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
  void buildRaise(const syntax::Raise &statement);
  std::string_view literalArguments(const std::vector<const syntax::Expr *> &arguments);
  void buildAssert(const syntax::Assert &statement);

  // infer_assign.cpp
  void assign(const syntax::Assign &statement);
  void assignTo(const syntax::Expr &target, typed::Expr *value);
  // infer_consteval.cpp
  bool evaluatesBlock(const syntax::Assign &statement);
  // infer_assign.cpp
  Items unpacked(typed::Expr *value, const syntax::Sequence &targets);
  Items unpackedSeries(typed::Expr *series, size_t count, SourceSpan span);
  void checkKept(const typed::Expr &value, SourceSpan span);
  void unpack(const syntax::Sequence &targets, typed::Expr *value);
  void augment(const syntax::AugAssign &statement);
  /// What an assignment writes: the element at `indices`, the row that they select, or a slice.
  struct Destination {
    typed::Expr *array = nullptr;
    Items indices;
    const syntax::Expr *slice = nullptr; ///< not yet applied to `array`
  };
  Destination destinationOf(const syntax::Expr &target);
  void assignToDestination(const syntax::Expr &target, typed::Expr *value);
  void augmentNamedArray(typed::Expr *array, const syntax::AugAssign &statement);
  void augmentArray(typed::Expr *array, const syntax::AugAssign &statement);
  void augmentElement(Destination destination, const syntax::AugAssign &statement);
  void defineFunction(const syntax::FunctionDef &statement, NodeId node);
  void store(const Destination &destination, typed::Expr *value, SourceSpan span);
  // infer_record.cpp
  void storeRecord(typed::Expr *target, typed::Expr *value, SourceSpan span);
  // infer_slice.cpp
  void storeView(typed::Expr *target, typed::Expr *value, SourceSpan span);
  [[noreturn]] void failMoreAxes(SourceSpan span) const;
  void storeTuple(typed::Expr *view, typed::Expr *value, SourceSpan span);
  void storeItems(typed::Expr *view, const Items &items, SourceSpan span);
  void raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span,
                  std::string_view exception = "ValueError") final;
  typed::Expr *assignedExtent(const typed::Expr &view, const typed::Expr *source, unsigned axis, SourceSpan span);
  void checkFits(const typed::Expr &view, const typed::Expr &source, SourceSpan span);
  // infer_alias.cpp
  struct Place;
  /// Which elements of an operand each element of a value reads: that at its place, others that are known at run time
  /// only, or all along an axis.
  enum class Reach : uint8_t { Same, Chosen, All };
  struct ArrayRead {
    const typed::Expr *array;
    Reach reach;
  };
  static Reach ownReach(const Type &type);
  static Reach reachOf(const Type &type);
  bool isBoundOnce(const typed::Slot &slot) const;
  std::optional<Place> placeOf(const typed::Expr *array) const;
  bool isSameNumber(const typed::Expr *left, const typed::Expr *right, bool isNamed) const;
  bool isSameView(const typed::View &left, const typed::View &right, bool isNamed) const;
  std::optional<int64_t> shiftAlong(const typed::ViewAxis &target, const typed::ViewAxis &read, bool isNamed) const;
  int directionOf(const typed::View *target, const typed::View *read, bool isNamed) const;
  void appendReads(const typed::Expr &value, Reach reach, std::vector<ArrayRead> &reads) const;
  bool isShort(const typed::ViewAxis &axis) const;
  std::optional<int> directionBetween(const Place &target, const Place &read, Reach reach) const;
  bool isDescending(const typed::Expr &target, const typed::Expr &value, SourceSpan span) const;
  size_t sameViews(const Place &left, const Place &right) const;
  void checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) const;
  // infer_elementwise.cpp
  void checkBroadcast(const typed::Expr &value, SourceSpan span);

  // infer_loop.cpp
  struct Iteration {
    enum class Kind : uint8_t { Range, Counted, Unrolled } kind;
    Items parts; ///< Range: start, stop, step, in the counter's type; Unrolled: the items; Counted: what has the items
  };
  Iteration iterate(const syntax::For &loop);
  void bindElement(const syntax::For &loop);
  void requestUnroll(const syntax::For &loop, size_t count);
  void unrollEarly(const syntax::For &loop);
  void makeCopies(const syntax::For &loop, size_t count);
  void buildFor(const syntax::For &loop);
  void buildRange(const syntax::For &loop, const Iteration &iteration);
  void buildCounted(const syntax::For &loop, typed::Expr *series);
  void buildUnrolled(const syntax::For &loop, const Iteration &iteration);
  void buildWhile(const syntax::While &loop);

  // infer_function.cpp
  [[noreturn]] void failRecursionThroughBarrier(SourceSpan span) const;
  [[noreturn]] void failRecursionWithHeap(SourceSpan span) const;
  void followMadeArrays();

  Solver solver;
  UnrolledBodies unrolled;
  Arena copies;         ///< of unrolled loop bodies
  size_t copyCount = 0; ///< of bodies of loops over consteval(...)
  SourceSpan recursion; ///< the first place where the function calls itself
};

} // namespace treadle
