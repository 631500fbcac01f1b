// TypedBuilder: typed functions built by hand, for tests of everything after inference.
#pragma once

#include "typed/nodes.h"
#include "typed/typed.h"

#include <algorithm>
#include <memory>
#include <string>

namespace treadle::test {

using namespace typed;

/// Makes one function. Slots first (parameters before others), then nodes, then `finish`.
class TypedBuilder {
public:
  explicit TypedBuilder(std::string name, bool isKernel = true) : made(std::make_shared<TypedFunction>()) {
    made->name = std::move(name);
    made->isKernel = isKernel;
    made->signature.result = types::none();
  }

  Slot *parameter(std::string_view name, const Type *type) {
    made->signature.arguments.push_back(type);
    ++made->parameterCount;
    return slot(name, type, true);
  }
  Slot *local(std::string_view name, const Type *type) { return slot(name, type, false); }

  // Expressions.
  Expr *integer(int64_t value, const Type *type = types::int64()) { return nodes().integer(type, value, here); }
  Expr *real(double value, const Type *type = types::float64()) { return nodes().real(type, value, here); }
  Expr *boolean(bool value) { return nodes().boolean(value, here); }
  Expr *read(Slot *slot) { return nodes().read(slot, here); }
  Expr *op(Operation operation, const Type *type, std::initializer_list<Expr *> operands) {
    return nodes().operation(operation, type, operands, here);
  }
  /// The result has the first operand's type.
  Expr *op(Operation operation, std::initializer_list<Expr *> operands) {
    return op(operation, (*operands.begin())->type, operands);
  }
  Expr *compare(Operation operation, Expr *left, Expr *right) { return op(operation, types::boolean(), {left, right}); }
  Expr *convert(Expr *value, const Type *type) { return op(Operation::Convert, type, {value}); }
  Expr *choose(Expr *test, Expr *then, Expr *otherwise) { return nodes().conditional(test, then, otherwise, here); }
  Expr *both(Expr *left, Expr *right) { return choose(left, right, boolean(false)); }
  Expr *either(Expr *left, Expr *right) { return choose(left, boolean(true), right); }
  Expr *load(Expr *array, const std::vector<Expr *> &indices) { return nodes().load(array, indices, here); }
  Expr *load(Slot *array, Expr *index) { return load(read(array), {index}); }
  Expr *extent(Slot *array, int axis = 0) { return nodes().attribute(read(array), ArrayAttribute::Shape, axis, here); }
  Expr *attribute(Slot *array, ArrayAttribute which) { return nodes().attribute(read(array), which, -1, here); }
  Expr *grid() { return op(Operation::GridX, types::int64(), {}); }
  Expr *tuple(const std::vector<Expr *> &items) {
    std::vector<const Type *> parts;
    for (Expr *item : items)
      parts.push_back(item->type);
    return nodes().tuple(types::tuple(parts), items, here);
  }
  Expr *item(Expr *tuple, uint32_t index) { return nodes().item(tuple, index, here); }
  Expr *block(const std::vector<Stmt *> &body, Expr *value) { return nodes().block(body, value, here); }
  Expr *call(const std::shared_ptr<const TypedFunction> &callee, const std::vector<Expr *> &arguments) {
    if (std::find(made->callees.begin(), made->callees.end(), callee) == made->callees.end())
      made->callees.push_back(callee);
    Expr base{ExprKind::Call, callee->signature.result, here};
    return made->nodes.make<Call>(base, callee.get(), made->nodes.list(arguments));
  }
  Expr *allocate(Space space, const Type *element, const std::vector<int64_t> &shape, uint32_t id = 0) {
    const Type *type = types::array(element, {unsigned(shape.size()), Layout::C, false, space});
    return made->nodes.make<Allocation>(Expr{ExprKind::Allocation, type, here}, id,
                                        std::span<const int64_t>(made->nodes.list(shape)), 0u);
  }
  Expr *captured(CapturedArray array) {
    Expr base{ExprKind::Captured, array.type, here};
    made->captured.push_back(std::move(array));
    return made->nodes.make<Captured>(base, uint32_t(made->captured.size() - 1));
  }
  Expr *atomicAdd(Slot *array, Expr *index, Expr *value) {
    Indexed at{read(array), made->nodes.list(std::vector<Expr *>{index})};
    return made->nodes.make<Atomic>(Expr{ExprKind::Atomic, value->type, here}, AtomicOperation::Add, at, value);
  }

  // Statements.
  Stmt *assign(Slot *slot, Expr *value) { return nodes().assign(slot, value, here); }
  Stmt *store(Expr *array, const std::vector<Expr *> &indices, Expr *value) {
    return make<Store>(StmtKind::Store, Indexed{array, made->nodes.list(indices)}, value);
  }
  Stmt *store(Slot *array, Expr *index, Expr *value) { return store(read(array), {index}, value); }
  Stmt *effect(Expr *value) { return nodes().effect(value, here); }
  Stmt *branch(Expr *test, const std::vector<Stmt *> &then, const std::vector<Stmt *> &otherwise = {}) {
    return make<If>(StmtKind::If, test, body(then), body(otherwise));
  }
  Stmt *loop(Expr *test, const std::vector<Stmt *> &statements, const std::vector<Stmt *> &otherwise = {}) {
    return make<While>(StmtKind::While, test, body(statements), body(otherwise));
  }
  struct Bounds {
    Expr *start, *stop, *step;
  };
  Stmt *count(Slot *slot, Bounds bounds, const std::vector<Stmt *> &statements,
              const std::vector<Stmt *> &otherwise = {}) {
    return make<Range>(StmtKind::Range, slot, slot->type, bounds.start, bounds.stop, bounds.step, body(statements),
                       body(otherwise));
  }
  Stmt *leave() { return make<Break>(StmtKind::Break); }
  Stmt *next() { return make<Continue>(StmtKind::Continue); }
  Stmt *barrier() {
    made->hasBarrier = true;
    return make<treadle::typed::Barrier>(StmtKind::Barrier, BarrierKind::Plain, nullptr);
  }
  Stmt *gridBarrier() {
    made->hasGridBarrier = true;
    return make<treadle::typed::Barrier>(StmtKind::Barrier, BarrierKind::Grid, nullptr);
  }
  Stmt *giveBack(Expr *value = nullptr) { return make<Return>(StmtKind::Return, value); }

  Body body(const std::vector<Stmt *> &statements) { return nodes().body(statements); }
  std::shared_ptr<TypedFunction> finish(const std::vector<Stmt *> &statements, const Type *result = nullptr) {
    made->body = body(statements);
    if (result)
      made->signature.result = result;
    return made;
  }

  /// The span of the nodes made from now on.
  SourceSpan here;
  TypedFunction &function() { return *made; }

private:
  using Break = Stmt;
  using Continue = Stmt;
  using Barrier = Stmt;

  Nodes nodes() { return Nodes(made->nodes); }
  template <typename T, typename... Fields> T *make(StmtKind kind, Fields... fields) {
    if constexpr (sizeof...(Fields) == 0)
      return made->nodes.make<T>(kind, here);
    else
      return nodes().template statement<T>(kind, here, fields...);
  }
  Slot *slot(std::string_view name, const Type *type, bool isParameter) {
    Slot *slot = made->nodes.make<Slot>(static_cast<uint32_t>(made->slots.size()), type, made->nodes.text(name), here,
                                        isParameter);
    made->slots.push_back(slot);
    return slot;
  }

  std::shared_ptr<TypedFunction> made;
};

} // namespace treadle::test
