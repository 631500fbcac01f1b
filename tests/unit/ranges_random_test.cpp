// ranges against an interpreter: every value that a random function computes is within its interval in the table.
#include "passes/ranges/interval.h"
#include "passes/ranges/ranges.h"
#include "typed_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace treadle;
using namespace treadle::test;
using Op = Operation;
using Wide = __int128;

/// The bits of `value` as the type stores them, sign- or zero-extended to int64.
int64_t held(const Type *type, Wide value) {
  auto bits = static_cast<uint64_t>(value);
  if (type->isBool())
    return value != 0;
  switch (type->bits()) {
  case 8:
    return type->isSigned() ? int64_t(int8_t(bits)) : int64_t(uint8_t(bits));
  case 16:
    return type->isSigned() ? int64_t(int16_t(bits)) : int64_t(uint16_t(bits));
  case 32:
    return type->isSigned() ? int64_t(int32_t(bits)) : int64_t(uint32_t(bits));
  default:
    return int64_t(bits);
  }
}

Wide number(const Type *type, int64_t bits) {
  return type->bits() == 64 && !type->isSigned() ? Wide(uint64_t(bits)) : Wide(bits);
}

const Type *const integerTypes[] = {types::int64(), types::int64(), types::int32(), types::uint64(),
                                    types::uint8(), types::int8(),  types::uint32()};

class RandomFunction {
public:
  explicit RandomFunction(unsigned seed) : random(seed) {
    for (int k = 0; k < 3; ++k)
      slots.push_back(b.parameter("p", pickType()));
    for (int k = 0; k < 5; ++k)
      slots.push_back(b.local("v", pickType()));
  }

  std::shared_ptr<TypedFunction> make() { return b.finish(statements(6, 0)); }

private:
  TypedBuilder b{"kernel"};
  std::mt19937 random;
  std::vector<Slot *> slots;
  int loops = 0;

  unsigned below(unsigned count) { return unsigned(random() % count); }
  const Type *pickType() { return integerTypes[below(std::size(integerTypes))]; }

  int64_t number() {
    constexpr int64_t edges[] = {0,
                                 1,
                                 -1,
                                 2,
                                 3,
                                 7,
                                 31,
                                 63,
                                 64,
                                 127,
                                 128,
                                 255,
                                 -128,
                                 1000,
                                 INT32_MAX,
                                 INT32_MIN,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT64_MAX - 1,
                                 int64_t(1) << 40};
    return below(2) ? int64_t(below(20)) - 8 : edges[below(std::size(edges))];
  }

  Expr *of(const Type *type, Expr *value) { return value->type == type ? value : b.convert(value, type); }

  Expr *atom(const Type *type) {
    if (below(10) == 0)
      return of(type, b.op(Op(int(Op::ThreadIdxX) + int(below(12))), types::int32(), {}));
    if (below(4) == 0)
      return b.integer(held(type, number()), type);
    return of(type, b.read(slots[below(unsigned(slots.size()))]));
  }

  Expr *value(const Type *type, int depth) {
    if (depth == 0)
      return atom(type);
    switch (below(12)) {
    case 0:
      return b.op(std::array{Op::Neg, Op::Invert, Op::Abs}[below(3)], {value(type, depth - 1)});
    case 1:
      return of(type, value(pickType(), depth - 1));
    case 2:
      return b.choose(test(depth - 1), value(type, depth - 1), value(type, depth - 1));
    case 3: {
      Slot *slot = slots[below(unsigned(slots.size()))];
      return of(type, b.block({b.assign(slot, value(slot->type, depth - 1))}, b.read(slot)));
    }
    case 4:
      return b.item(b.tuple({value(types::int64(), 0), value(type, depth - 1)}), 1);
    default:
      break;
    }
    constexpr Op binary[] = {Op::Add, Op::Add, Op::Sub,    Op::Sub,   Op::Mul,    Op::FloorDiv, Op::Mod,
                             Op::Shl, Op::Shr, Op::BitAnd, Op::BitOr, Op::BitXor, Op::Min,      Op::Max};
    return b.op(binary[below(std::size(binary))], {value(type, depth - 1), value(type, depth - 1)});
  }

  Expr *test(int depth) {
    switch (depth <= 0 ? 5 : below(8)) {
    case 0:
      return b.both(test(depth - 1), test(depth - 1));
    case 1:
      return b.either(test(depth - 1), test(depth - 1));
    case 2:
      return b.op(Op::Not, {test(depth - 1)});
    case 3:
      return b.op(below(2) ? Op::BitAnd : Op::BitOr, {test(depth - 1), test(depth - 1)});
    case 4: {
      // A chained comparison through a copy.
      Slot *slot = slots[below(unsigned(slots.size()))];
      Slot *copy = b.local("", slot->type);
      Expr *low = b.compare(Op::Le, atom(slot->type), b.read(copy)),
           *high = b.compare(Op::Lt, b.read(copy), atom(slot->type));
      return b.block({b.assign(copy, b.read(slot))}, b.both(low, high));
    }
    default:
      break;
    }
    const Type *left = pickType(), *right = below(3) ? left : pickType();
    return b.compare(Op(int(Op::Eq) + int(below(6))), value(left, std::max(depth, 0) / 2), value(right, 0));
  }

  std::vector<Stmt *> statements(unsigned count, int depth) {
    std::vector<Stmt *> result;
    for (unsigned k = 0; k < count; ++k)
      result.push_back(statement(depth));
    return result;
  }

  Stmt *statement(int depth) {
    Slot *slot = slots[below(unsigned(slots.size()))];
    unsigned kind = below(depth < 4 ? 12 : 5);
    if (kind < 4)
      return b.assign(slot, value(slot->type, int(below(3))));
    if (kind == 4 && depth > 0 && below(2)) {
      if (loops > 0)
        return below(2) ? b.leave() : b.next();
      return b.giveBack();
    }
    if (kind <= 5)
      return b.assign(
          slot, b.op(below(2) ? Op::Add : Op::Sub, {b.read(slot), b.integer(held(slot->type, number()), slot->type)}));
    if (kind <= 8)
      return b.branch(test(2), statements(2, depth + 1), below(2) ? statements(2, depth + 1) : std::vector<Stmt *>());
    // The else clause belongs to the enclosing loop.
    std::vector<Stmt *> otherwise = below(4) == 0 ? statements(1, depth + 1) : std::vector<Stmt *>();
    ++loops;
    std::vector<Stmt *> body = statements(3, depth + 1);
    --loops;
    if (kind <= 10)
      return b.loop(test(2), body, otherwise);
    return b.count(slot, {value(slot->type, 1), value(slot->type, 1), value(slot->type, 1)}, body, otherwise);
  }
};

/// Runs a function on random values and looks up each integer that it computes.
class Interpreter {
public:
  Interpreter(const TypedFunction &function, const RangeTable &table, unsigned seed) : table(table), random(seed) {
    for (const Slot *slot : function.slots)
      values.push_back(any(slot->type));
    for (int64_t &id : identities)
      id = int64_t(random() % 64);
  }

  /// Runs until the function returns, or a step limit is reached.
  void run(const TypedFunction &function) {
    try {
      run(function.body);
    } catch (const TooLong &) {
    }
  }
  size_t checked = 0;

private:
  enum class Flow { Next, Break, Continue, Return };
  struct TooLong {};

  Flow run(Body body) {
    for (const Stmt *statement : body)
      if (Flow flow = run(*statement); flow != Flow::Next)
        return flow;
    return Flow::Next;
  }

  void countStep() {
    if (--steps < 0)
      throw TooLong();
  }

  const RangeTable &table;
  std::mt19937_64 random;
  std::vector<int64_t> values;
  int64_t identities[12];
  int steps = 3000;

  int64_t any(const Type *type) {
    return held(type, random() % 2 ? Wide(random() % 40) - 20 : Wide(int64_t(random())));
  }

  Flow run(const Stmt &statement) {
    countStep();
    switch (statement.kind) {
    case StmtKind::Assign: {
      const auto &assign = statement.as<Assign>();
      int64_t value = evaluate(*assign.value);
      values[assign.slot->index] = value;
      return Flow::Next;
    }
    case StmtKind::If:
      return run(evaluate(*statement.as<If>().test) ? statement.as<If>().then : statement.as<If>().otherwise);
    case StmtKind::While: {
      const auto &loop = statement.as<While>();
      while (evaluate(*loop.test)) {
        Flow flow = run(loop.body);
        if (flow == Flow::Break)
          return Flow::Next;
        if (flow == Flow::Return)
          return flow;
        countStep();
      }
      return run(loop.otherwise);
    }
    case StmtKind::Range:
      return runRange(statement.as<Range>());
    case StmtKind::Break:
      return Flow::Break;
    case StmtKind::Continue:
      return Flow::Continue;
    default:
      return Flow::Return;
    }
  }

  Flow runRange(const Range &loop) {
    const Type *type = loop.counter;
    Wide value = number(type, evaluate(*loop.start)), stop = number(type, evaluate(*loop.stop));
    Wide step = number(type, evaluate(*loop.step));
    for (; step > 0 ? value < stop : step < 0 && value > stop; value += step) {
      values[loop.slot->index] = held(type, value);
      Flow flow = run(loop.body);
      if (flow == Flow::Break)
        return Flow::Next;
      if (flow == Flow::Return)
        return flow;
      countStep();
    }
    return run(loop.otherwise);
  }

  int64_t evaluate(const Expr &expression) {
    int64_t value = compute(expression);
    if (expression.type->isInteger()) {
      Interval range = table.of(expression);
      ++checked;
      EXPECT_TRUE(range.low <= value && value <= range.high)
          << operationOf(expression) << " gave " << value << ", not in [" << range.low << ", " << range.high << "]";
    }
    return value;
  }

  static std::string operationOf(const Expr &expression) {
    if (expression.kind != ExprKind::Operation)
      return "expression of kind " + std::to_string(int(expression.kind));
    return std::string(operationText(expression.as<OperationExpr>().op)) + " of " + expression.type->name();
  }

  int64_t compute(const Expr &expression) {
    switch (expression.kind) {
    case ExprKind::Const:
      return expression.as<Const>().integer;
    case ExprKind::Slot:
      return values[expression.as<SlotRead>().slot->index];
    case ExprKind::Conditional: {
      const auto &choice = expression.as<Conditional>();
      return evaluate(evaluate(*choice.test) ? *choice.then : *choice.otherwise);
    }
    case ExprKind::Block:
      run(expression.as<Block>().body);
      return evaluate(*expression.as<Block>().value);
    case ExprKind::Item: {
      const auto &tuple = expression.as<Item>().tuple->as<Tuple>();
      int64_t found = 0;
      for (uint32_t k = 0; k < tuple.items.size(); ++k)
        if (int64_t item = evaluate(*tuple.items[k]); k == expression.as<Item>().index)
          found = item;
      return found;
    }
    default:
      return operate(expression.as<OperationExpr>());
    }
  }

  int64_t operate(const OperationExpr &expression) {
    if (expression.operands.empty())
      return identity(expression.op);
    const Type *type = expression.operands[0]->type;
    int64_t left = evaluate(*expression.operands[0]);
    if (expression.operands.size() == 1) {
      Wide x = number(type, left);
      switch (expression.op) {
      case Op::Neg:
        return held(expression.type, -x);
      case Op::Not:
        return left == 0;
      case Op::Invert:
        return held(expression.type, ~Wide(left));
      case Op::Abs:
        return held(expression.type, x < 0 ? -x : x);
      default:
        return held(expression.type, x);
      }
    }
    int64_t right = evaluate(*expression.operands[1]);
    const Type *rightType = expression.operands[1]->type;
    if (expression.type->isBool())
      return compare(expression.op, number(type, left), number(rightType, right));
    return held(expression.type, binary(expression, number(type, left), number(type, right)));
  }

  /// Within CUDA's limits, and blockDim and gridDim are not 0.
  int64_t identity(Op op) {
    int64_t id = identities[int(op) - int(Op::ThreadIdxX)];
    return op >= Op::BlockDimX ? id + 1 : id;
  }

  static bool compare(Op op, Wide x, Wide y) {
    switch (op) {
    case Op::Eq:
      return x == y;
    case Op::Ne:
      return x != y;
    case Op::Lt:
      return x < y;
    case Op::Le:
      return x <= y;
    case Op::Gt:
      return x > y;
    case Op::Ge:
      return x >= y;
    case Op::BitAnd:
      return x && y;
    default:
      return x || y;
    }
  }

  Wide binary(const OperationExpr &expression, Wide x, Wide y) {
    unsigned count = unsigned(y & (expression.type->bits() - 1));
    switch (expression.op) {
    case Op::Add:
      return x + y;
    case Op::Sub:
      return x - y;
    case Op::Mul:
      // The product of two numbers below 2^64 may overflow even this type; it must wrap.
      return Wide(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
    case Op::FloorDiv:
      return y == 0 ? Wide(any(expression.type)) : x / y - (x % y != 0 && (x < 0) != (y < 0));
    case Op::Mod:
      return y == 0 ? Wide(any(expression.type)) : x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
    case Op::Shl:
      return Wide(static_cast<unsigned __int128>(x) << count);
    case Op::Shr:
      return x >> count;
    case Op::BitAnd:
      return x & y;
    case Op::BitOr:
      return x | y;
    case Op::BitXor:
      return x ^ y;
    case Op::Min:
      return std::min(x, y);
    default:
      return std::max(x, y);
    }
  }
};

TEST(RangesRandom, ValuesLieInTheirRanges) {
  size_t checked = 0;
  for (unsigned seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    auto function = RandomFunction(seed).make();
    RangeTable table = findRanges(*function, {});
    for (unsigned run = 0; run < 8 && !testing::Test::HasFailure(); ++run) {
      SCOPED_TRACE("function " + std::to_string(seed) + ", run " + std::to_string(run));
      Interpreter interpreter(*function, table, seed * 100 + run);
      interpreter.run(*function);
      checked += interpreter.checked;
    }
  }
  EXPECT_GT(checked, 100000u);
}

} // namespace
