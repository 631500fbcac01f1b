// WarpModel: conditional expressions. A uniform condition branches; a varying one selects, and expensive operands are
// computed under a mask.
#include "codegen/cpu/warp/warp_model.h"

#include "support/scoped.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

/// Nesting levels that are computed without checking whether any lane remains.
constexpr unsigned levelsAtOnce = 8;

namespace {

bool isConstant(const Leaf &leaf, uint64_t value) {
  auto *constant = dyn_cast<ConstantInt>(leaf.value);
  return constant && constant->getZExtValue() == value;
}

} // namespace

/// One of several nested conditionals: some lanes take a cheap value, the others continue with the rest.
struct WarpModel::ChoiceLevel {
  Value *test;
  Lanes value;
  bool isThen; ///< the value belongs to the lanes in which the test holds
};

/// The level's value for the lanes of the test, or for the others, and `others` for the rest.
/// `a and b` is a conjunction of masks, which keeps what is known of them, where a select would not.
Lanes WarpModel::chosen(const ChoiceLevel &level, const Lanes &others, bool isBool) {
  IRBuilder<> &b = e->builder;
  if (isBool && !level.isThen && isConstant(level.value[0], 0))
    return {sets->bothConditions(level.test, others[0].value)};
  const Lanes &then = level.isThen ? level.value : others, &otherwise = level.isThen ? others : level.value;
  Lanes result;
  for (unsigned leaf = 0; leaf < then.size(); ++leaf)
    result.push_back(e->apply({Leaf(level.test), then[leaf], otherwise[leaf]},
                              [&](LanesRef v) { return b.CreateSelect(v[0], v[1], v[2]); }));
  return result;
}

/// Cheap arms have no effects and cannot fail, so both are computed, also for lanes that take the other.
Lanes WarpModel::emitConditional(const typed::Conditional &expression) {
  Value *test = splatIfAffine(e->emitLeaf(*expression.test));
  if (auto *constant = dyn_cast<ConstantInt>(test))
    return e->emit(constant->isOne() ? *expression.then : *expression.otherwise);
  if (isCheap(*expression.then) && isCheap(*expression.otherwise)) {
    const Lanes then = e->emit(*expression.then), otherwise = e->emit(*expression.otherwise);
    if (expression.type->isBool() && isConstant(otherwise[0], 0))
      return {sets->bothConditions(test, then[0].value)};
    return chosen({test, then, true}, otherwise, false);
  }
  return test->getType()->isVectorTy() ? emitVaryingConditional(expression, test)
                                       : emitUniformConditional(expression, test);
}

/// A branch, with the mask as it is. Calls in an arm may split the fiber; then the mask is computed again after it.
Lanes WarpModel::emitUniformConditional(const typed::Conditional &expression, Value *test) {
  BasicBlock *then = e->newBlock("then"), *otherwise = e->newBlock("else"), *done = e->newBlock("value");
  Value *before = mask;
  const unsigned divergedBefore = divergences;
  e->builder.CreateCondBr(test, then, otherwise);
  SmallVector<std::pair<BasicBlock *, Lanes>, 2> ends;
  for (auto [block, value] : {std::pair(then, expression.then), std::pair(otherwise, expression.otherwise)}) {
    const MaskScope same(mask, mask);
    e->builder.SetInsertPoint(block);
    Lanes lanes = e->emit(*value);
    e->builder.CreateBr(done);
    ends.push_back({e->builder.GetInsertBlock(), lanes});
  }
  e->builder.SetInsertPoint(done);
  Lanes result = mergeLanes(ends);
  joinLanes(before, divergences != divergedBefore);
  return result;
}

/// If it is cheap to test that all lanes take one arm, as for a guard, that case has separate code.
Lanes WarpModel::emitVaryingConditional(const typed::Conditional &expression, Value *test) {
  Value *all = sets->knownAll(test);
  if (!all || versionDepth > 0 || program.analysis.usesFibers)
    return emitChoices(expression, test);
  BasicBlock *whole = e->newBlock("all"), *some = e->newBlock("some"), *done = e->newBlock("value");
  e->builder.CreateCondBr(all, whole, some);
  SmallVector<std::pair<BasicBlock *, Lanes>, 2> ends;
  for (BasicBlock *block : {whole, some}) {
    e->builder.SetInsertPoint(block);
    const Scoped<unsigned> deeper(versionDepth, versionDepth + 1);
    Lanes lanes = block == whole ? e->emit(*expression.then) : emitChoices(expression, test);
    e->builder.CreateBr(done);
    ends.push_back({e->builder.GetInsertBlock(), lanes});
  }
  e->builder.SetInsertPoint(done);
  return mergeLanes(ends);
}

/// As long as one side is cheap, uses selects; the rest is computed for the lanes that need it.
/// `x if a else y if b else z`: the tests after the first must be cheap, as they run for lanes that are decided
/// already.
Lanes WarpModel::emitChoices(const typed::Conditional &expression, Value *test) {
  SmallVector<ChoiceLevel, levelsAtOnce> levels;
  const typed::Expr *rest = &expression;
  Value *lanes = mask;
  while (levels.size() < levelsAtOnce && rest->kind == typed::ExprKind::Conditional) {
    const auto &choice = rest->as<typed::Conditional>();
    const bool isThen = isCheap(*choice.then);
    if ((!isThen && !isCheap(*choice.otherwise)) || (!levels.empty() && !isCheap(*choice.test)))
      break;
    Value *condition = levels.empty() ? test : splat(e->emitLeaf(*choice.test));
    levels.push_back({condition, e->emit(isThen ? *choice.then : *choice.otherwise), isThen});
    lanes = isThen ? sets->without(lanes, condition) : sets->both(lanes, condition);
    rest = isThen ? choice.otherwise : choice.then;
  }
  if (levels.empty())
    return emitBothArms(expression, test);
  Lanes value = isCheap(*rest) ? e->emit(*rest) : emitForLanes(lanes, *rest);
  for (const ChoiceLevel &level : llvm::reverse(levels))
    value = chosen(level, value, expression.type->isBool());
  return value;
}

/// The value is valid for these lanes only.
/// Assignments within the expression keep the values of all other lanes, as liveness is not known inside expressions.
/// The result goes through variables, since the code may be skipped.
Lanes WarpModel::emitForLanes(Value *lanes, const typed::Expr &expression) {
  IRBuilder<> &b = e->builder;
  WarpFrame &data = storage(*e->frame);
  Value *before = mask;
  const unsigned divergedBefore = divergences;
  BasicBlock *start = b.GetInsertBlock();
  SmallVector<AllocaInst *, 4> results;
  {
    const Scoped<bool> waits(data.everythingWaits, true);
    const Scoped<unsigned> some(partial, partial + 1);
    emitUnder(
        lanes, nullptr,
        [&] {
          for (const Leaf &leaf : e->emit(expression)) {
            Value *vector = splat(leaf);
            AllocaInst *result = entryAlloca(vector->getType(), "either");
            // Defined before the branch: otherwise loops would carry values of earlier iterations along.
            IRBuilder<>(start->getTerminator()).CreateStore(Constant::getNullValue(vector->getType()), result);
            b.CreateStore(vector, result);
            results.push_back(result);
          }
        },
        false);
  }
  joinLanes(before, divergences != divergedBefore);
  Lanes value;
  for (AllocaInst *result : results)
    value.push_back(b.CreateLoad(result->getAllocatedType(), result));
  return value;
}

/// The second arm's lanes are computed from the mask after the first, in which lanes may have gone elsewhere.
Lanes WarpModel::emitBothArms(const typed::Conditional &expression, Value *test) {
  Value *before = mask;
  const Lanes then = emitForLanes(sets->both(before, test), *expression.then);
  const Lanes otherwise = emitForLanes(sets->without(mask, test), *expression.otherwise);
  return chosen({test, then, true}, otherwise, false);
}

} // namespace treadle::codegen
