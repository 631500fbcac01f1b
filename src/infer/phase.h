// Phase: what differs between the two phases of inference that evaluate expressions.
#pragma once

#include "infer/flow.h"
#include "typed/typed.h"

#include <string_view>

namespace treadle {

/// A call of a function that stores its result into an argument (CalledFunction::into).
struct StoringCall {
  std::string_view function, into, operand; ///< as users call it; the names of two of its parameters
  bool readsInOrder;                        ///< elements of the operand, before those at the same places are stored
  SourceSpan span;
};

/// Solving asks expressions for their types, building for their trees; the rules for expressions are the same. A rule
/// asks the phase for everything that the function keeps of it.
class Phase {
public:
  virtual ~Phase() = default;
  /// The function in which effects, arrays and callees are noted.
  virtual TypedFunction &noted() = 0;
  virtual uint32_t nextAllocation() = 0;
  virtual typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span) = 0;
  /// A name whose type is known, and whose value is not.
  virtual typed::Expr *read(const FlowNode &node, SourceSpan span) = 0;
  virtual void define(NodeId node, typed::Expr *value, SourceSpan span) = 0;
  /// Called where something has no type. Returns only if it will never have one.
  virtual void awaitType() = 0;
  /// An assignment to an element or a field.
  virtual void assignToDestination(const syntax::Expr &target, typed::Expr *value) = 0;
  /// `array op= value`.
  virtual void augmentArray(typed::Expr *array, const syntax::AugAssign &statement) = 0;
  /// Stores the elements of a value into an array.
  virtual void storeElements(typed::Expr *array, typed::Expr *value, SourceSpan span) = 0;
  /// Makes it an error if a function cannot store its result into `into` because that has memory of `operand`.
  virtual void checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) = 0;
  /// The function calls itself; `result` is the type of that call, nullptr while it is unknown.
  virtual void recur(const Type *result, SourceSpan span) = 0;
  /// Whether the order of evaluation matters.
  virtual bool settles() const = 0;
};

} // namespace treadle
