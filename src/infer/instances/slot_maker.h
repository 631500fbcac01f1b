// SlotMaker: slots for definitions, once their types are known.
#pragma once

#include "infer/flow/flow.h"
#include "infer/instances/compilation.h"
#include "typed/typed.h"

namespace treadle {

/// A new slot of the function, without a value.
typed::Slot *addSlot(TypedFunction &function, const Type *type, std::string_view name, SourceSpan span);

/// Definitions that meet with one type share a slot; a join of another type is written whenever one of its operands is
/// (FlowNode::copies). Definitions that are never read get none.
class SlotMaker {
public:
  SlotMaker(const InstanceRequest &request, Flow &flow, TypedFunction &out)
      : request(request), scope(*request.scope), flow(flow), out(out) {}
  void run();

private:
  void uniteJoins();
  void makeParameterSlots();
  void findCopies();
  void findConstants();
  bool needsSlot(const FlowNode &node) const;

  const InstanceRequest &request;
  const Scope &scope;
  Flow &flow;
  TypedFunction &out;
};

} // namespace treadle
