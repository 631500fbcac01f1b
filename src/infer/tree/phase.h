// Phase: the difference between the two phases of inference that evaluate expressions.
#pragma once

#include "infer/flow/flow.h"
#include "typed/typed.h"

#include <string_view>

namespace treadle {

/// A call of a function that stores its result into an argument (CalledFunction::into).
struct StoringCall {
  std::string_view function, into, operand; ///< the user's name for it; the names of two of its parameters
  bool readsInOrder; ///< elements of the operand are read before those at the same places are stored
  SourceSpan span;
};

/// Solving evaluates expressions for their types, building for their trees; the rules for expressions are the same. A
/// rule calls the phase for every effect on the function.
class Phase {
public:
  virtual ~Phase() = default;
  /// The function in which effects, arrays and callees are recorded.
  virtual TypedFunction &noted() = 0;
  /// The id of a shared or local array; unique in the compilation, not only in the function.
  virtual uint32_t nextAllocation() = 0;
  /// A variable; without a name it is a temporary.
  virtual typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span) = 0;
  /// A name whose type is known, but whose value is not.
  virtual typed::Expr *read(const FlowNode &node, SourceSpan span) = 0;
  /// Assigns a value to a definition of the flow.
  virtual void define(NodeId node, typed::Expr *value, SourceSpan span) = 0;
  /// Called if something has no type. Returns only if it will never have one.
  virtual void awaitType() = 0;
  /// An assignment to an element or a field.
  virtual void assignToDestination(const syntax::Expr &target, typed::Expr *value) = 0;
  /// `array op= value`.
  virtual void augmentArray(typed::Expr *array, const syntax::AugAssign &statement) = 0;
  /// Stores the elements of a value into an array.
  virtual void storeElements(typed::Expr *array, typed::Expr *value, SourceSpan span) = 0;
  /// An error if a function cannot store its result into `into` because that shares memory with `operand`.
  virtual void checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) = 0;
  /// A recursive call; `result` is its type, nullptr while it is unknown.
  virtual void recur(const Type *result, SourceSpan span) = 0;
  /// An expression of the source has a type, which may be missing in the tree: a tuple unpacked at once has no node.
  virtual void evaluated(SourceSpan span, const Type *type) = 0;
  /// Whether the order of evaluation matters.
  virtual bool settles() const = 0;
};

} // namespace treadle
