// Lowers expressions of the typed tree to leaves.
#include "border/compile_options.h"
#include "codegen/arithmetic.h"
#include "codegen/emitter.h"
#include "codegen/narrow_integers.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

EmitOptions optionsOf(const Analysis &analysis) {
  EmitOptions options;
  options.debug = analysis.options.debug;
  options.fastMath = analysis.options.fastMath;
  options.facts = analysis.facts;
  options.source = analysis.kernel->source;
  options.ranges = &analysis.ranges;
  options.gridIds = &analysis.gridIds;
  options.waiting = &*analysis.waiting;
  return options;
}

/// Flags apply to all float operations. None of them lets LLVM reassociate, or assume that there are no NaN and
/// infinities: sums keep their order, and programs test for both.
Emitter::Emitter(llvm::Module &module, LaneModel &model, const EmitOptions &options)
    : builder(module.getContext()), module(module), model(model), options(options) {
  FastMathFlags flags;
  flags.setAllowContract(true); // like nvcc's -fmad=true
  if (options.fastMath) {
    flags.setApproxFunc();
    flags.setAllowReciprocal();
    flags.setNoSignedZeros();
  }
  builder.setFastMathFlags(flags);
}

llvm::Type *Emitter::llvmType(const Type *type) const {
  auto &context = module.getContext();
  switch (type->kind()) {
  case TypeKind::Bool:
    return llvm::Type::getInt1Ty(context);
  case TypeKind::Int:
    return llvm::Type::getIntNTy(context, type->bits());
  case TypeKind::Float:
    return floatType(context, type);
  default:
    failCheck("a type with one leaf", __FILE__, __LINE__);
  }
}

llvm::Type *Emitter::partType(const Type *complex) const { return llvmType(complex->element()); }

/// LLVM's i1 has no defined size in memory, and NumPy's bool is a byte, of which any number but 0 is true.
llvm::Type *Emitter::memoryType(const Type *element) const {
  if (element->isBool())
    return llvm::Type::getInt8Ty(module.getContext());
  return element->isComplex() ? partType(element) : llvmType(element);
}

/// Any byte but 0 is true: memory may hold others than NumPy stores, as in a view of bytes.
Value *Emitter::fromMemory(const Type *element, Value *value) {
  return element->isBool() ? builder.CreateICmpNE(value, Constant::getNullValue(value->getType())) : value;
}

Value *Emitter::toMemory(const Type *element, Value *value) {
  if (!element->isBool())
    return value;
  return builder.CreateZExt(value, value->getType()->getWithNewType(builder.getInt8Ty()));
}

/// The order that Lanes describes. Generators, parameters and debug information rely on it: a leaf has no name.
void Emitter::leafTypes(const Type *type, SmallVectorImpl<llvm::Type *> &out) const {
  switch (type->kind()) {
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::Float:
    out.push_back(llvmType(type));
    return;
  case TypeKind::Complex:
    out.append(2, partType(type));
    return;
  case TypeKind::Optional:
    out.push_back(llvm::Type::getInt1Ty(module.getContext()));
    leafTypes(type->element(), out);
    return;
  case TypeKind::Tuple:
    for (const Type *item : type->items())
      leafTypes(item, out);
    return;
  case TypeKind::Array: {
    out.push_back(PointerType::get(module.getContext(), 0));
    const unsigned words = type->ndim() * (type->layout() == Layout::Any ? 2 : 1);
    out.append(words, llvm::Type::getInt64Ty(module.getContext()));
    return;
  }
  default:
    return;
  }
}

unsigned Emitter::leafCount(const Type *type) const {
  SmallVector<llvm::Type *, 8> types;
  leafTypes(type, types);
  return types.size();
}

/// Also the value of an absent optional, and of types without leaves.
Lanes Emitter::zero(const Type *type) {
  SmallVector<llvm::Type *, 8> types;
  leafTypes(type, types);
  Lanes result;
  for (llvm::Type *leaf : types)
    result.push_back(Constant::getNullValue(leaf));
  return result;
}

Value *Emitter::constant(const Type *type, int64_t value) const {
  return ConstantInt::get(llvmType(type), uint64_t(value), type->isSigned());
}

ConstantInt *Emitter::int64(int64_t value) { return builder.getInt64(uint64_t(value)); }

BasicBlock *Emitter::newBlock(const char *name) {
  return BasicBlock::Create(builder.getContext(), name, builder.GetInsertBlock()->getParent());
}

namespace {

/// Other constants have no leaves, or are arrays without elements, of which any pointer and zeros will do.
Lanes emitConstant(Emitter &e, const typed::Const &constant) {
  const Type *type = constant.type;
  if (type->isInteger())
    return {Leaf(e.constant(type, constant.integer))};
  if (type->isFloat())
    return {Leaf(ConstantFP::get(e.llvmType(type), constant.real))};
  if (type->isComplex())
    return {Leaf(ConstantFP::get(e.partType(type), constant.real)),
            Leaf(ConstantFP::get(e.partType(type), constant.imag))};
  return e.zero(type);
}

/// With the model's own method, if it has one.
std::optional<Leaf> emitComparison(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  if (!isComparison(expression.op))
    return std::nullopt;
  const typed::Expr &left = *expression.operands[0], &right = *expression.operands[1];
  if (left.type != right.type || !left.type->isInt() || !left.type->isSigned())
    return std::nullopt;
  return e.model.compare({expression.op, operands[0][0], operands[1][0], e.range(left), e.range(right)});
}

/// With the model's own method, if it has one.
std::optional<Leaf> emitComputation(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  const Operation op = expression.op;
  if (!expression.type->isInt() || (op != Operation::Add && op != Operation::Sub && op != Operation::Mul))
    return std::nullopt;
  const typed::Expr &left = *expression.operands[0], &right = *expression.operands[1];
  return e.model.compute({op, operands[0][0], operands[1][0], e.range(left), e.range(right), e.range(expression)});
}

/// `max(best, x)` as `x > best ? x : best` if `best` is never NaN.
/// If the other is NaN the comparison fails and `best` stays, which is what `max` of a number and NaN gives. Of -0.0
/// and 0.0 either may be the result, as with the intrinsic that is used otherwise.
std::optional<Leaf> emitOrderedExtreme(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  const bool isMaximum = expression.op == Operation::Max;
  if ((!isMaximum && expression.op != Operation::Min) || !expression.type->isFloat())
    return std::nullopt;
  const bool isFirst = e.model.isOrdered(*expression.operands[0]);
  if (!isFirst && !e.model.isOrdered(*expression.operands[1]))
    return std::nullopt;
  return e.apply({operands[isFirst ? 0 : 1][0], operands[isFirst ? 1 : 0][0]}, [&](ArrayRef<Value *> v) {
    Value *isBetter = isMaximum ? e.builder.CreateFCmpOGT(v[1], v[0]) : e.builder.CreateFCmpOLT(v[1], v[0]);
    return e.builder.CreateSelect(isBetter, v[1], v[0]);
  });
}

/// Division of integers known to be nonnegative by a positive one: there truncation is flooring.
bool isPositiveDivision(Emitter &e, const typed::OperationExpr &expression) {
  const bool isDivision = expression.op == Operation::FloorDiv || expression.op == Operation::Mod;
  return isDivision && expression.type->isInt() && e.range(*expression.operands[0]).isNonNegative() &&
         e.range(*expression.operands[1]).low >= 1;
}

/// No rounding and no test for -1 or 0 is left; with an affine dividend the model may keep the shape.
Leaf emitPositiveDivision(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  if (operands[0][0].isAffine())
    if (std::optional<Leaf> found = e.model.divideByConstant(expression.op, operands[0][0], operands[1][0]))
      return *found;
  Arithmetic arithmetic(e.builder, e.model);
  auto isSmall = [&](const typed::Expr *operand) { return e.range(*operand).high <= int64_t(UINT32_MAX); };
  // 64-bit division takes several times as long as 32-bit division.
  const bool isNarrow = expression.type->bits() == 64 && llvm::all_of(expression.operands, isSmall);
  // One by one: the divisor's uniformity must stay visible.
  auto word = [&](const Lanes &operand) {
    return e.apply(operand[0], [&](ArrayRef<Value *> v) -> Value * {
      return isNarrow ? e.builder.CreateTrunc(v[0], v[0]->getType()->getWithNewBitWidth(32)) : v[0];
    });
  };
  return e.apply({word(operands[0]), word(operands[1])}, [&](ArrayRef<Value *> v) -> Value * {
    Value *result = arithmetic.divideNonNegative(v[0], v[1], expression.op == Operation::Mod);
    return isNarrow ? e.builder.CreateZExt(result, result->getType()->getWithNewBitWidth(64)) : result;
  });
}

/// Debug: a zero divisor ends the thread, as in Python; but NumPy's functions yield infinities and NaN.
void checkDivisor(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  const bool isDivision =
      expression.op == Operation::TrueDiv || expression.op == Operation::FloorDiv || expression.op == Operation::Mod;
  if (!e.options.debug || !isDivision)
    return;
  const Type *type = expression.operands[1]->type;
  if (type->isBool() || (!type->isInteger() && e.frame->function->isLibrary))
    return;
  Leaf isZero = e.apply(operands[1], [&](ArrayRef<Value *> parts) {
    Value *areZero = nullptr;
    for (Value *part : parts) {
      Value *zero = Constant::getNullValue(part->getType());
      Value *is = zero->getType()->isFPOrFPVectorTy() ? e.builder.CreateFCmpOEQ(part, zero)
                                                      : e.builder.CreateICmpEQ(part, zero);
      areZero = areZero ? e.builder.CreateAnd(areZero, is) : is;
    }
    return areZero;
  });
  e.model.emitCheck(isZero, Fault::DivisionByZero, e.placeOf(expression.span));
}

/// From the most specific way to the general one. `gridIds` first, since its operands need no code then; checks before
/// any way that computes, as they apply to all of them. Narrow forms come before the model's own comparisons and sums,
/// which take leaves of the type as it is.
Lanes emitOperation(Emitter &e, const typed::OperationExpr &expression) {
  if (e.options.gridIds)
    if (auto grid = e.options.gridIds->replaced.find(&expression); grid != e.options.gridIds->replaced.end())
      return {e.model.identity(grid->second, expression.type)};
  if (expression.op == Operation::Convert) {
    const typed::Expr &operand = *expression.operands[0];
    // Thread indices are created in the wide type directly: the model knows their bounds.
    if (operand.kind == typed::ExprKind::Operation && expression.type->isInt() &&
        isOfClass(operand.as<typed::OperationExpr>().op, OperationClass::Identity))
      return {e.model.identity(operand.as<typed::OperationExpr>().op, expression.type)};
    return e.convert(e.emit(operand), operand.type, expression.type, e.range(operand));
  }
  SmallVector<Lanes, 2> operands;
  SmallVector<const Type *, 2> types;
  for (const typed::Expr *operand : expression.operands) {
    operands.push_back(e.emit(*operand));
    types.push_back(operand->type);
  }
  if (expression.op == Operation::BroadcastFirst)
    return {e.model.broadcastFirst(operands[0][0])};
  checkDivisor(e, expression, operands);
  if (isPositiveDivision(e, expression))
    return {emitPositiveDivision(e, expression, operands)};
  if (const std::optional<Leaf> narrow = emitNarrow(e, expression, operands))
    return {*narrow};
  if (const std::optional<Leaf> compared = emitComparison(e, expression, operands))
    return {*compared};
  if (const std::optional<Leaf> computed = emitComputation(e, expression, operands))
    return {*computed};
  if (const std::optional<Leaf> extreme = emitOrderedExtreme(e, expression, operands))
    return {*extreme};
  return e.operation(expression.op, expression.type, types, operands);
}

} // namespace

/// An atomic operation that is an expression has a use; those for their effect alone go through emitStatement.
Lanes Emitter::emit(const typed::Expr &expression) {
  switch (expression.kind) {
  case typed::ExprKind::Const:
    return emitConstant(*this, expression.as<typed::Const>());
  case typed::ExprKind::Slot:
    return model.readSlot(*frame, *expression.as<typed::SlotRead>().slot, {0, leafCount(expression.type)});
  case typed::ExprKind::Operation:
    return emitOperation(*this, expression.as<typed::OperationExpr>());
  case typed::ExprKind::Conditional:
    return model.emitConditional(expression.as<typed::Conditional>());
  case typed::ExprKind::Call:
    return emitCall(expression.as<typed::Call>());
  case typed::ExprKind::Load:
    return emitLoad(expression.as<typed::Load>());
  case typed::ExprKind::View:
    return emitView(expression.as<typed::View>());
  case typed::ExprKind::Attribute:
    return emitAttribute(expression.as<typed::Attribute>());
  case typed::ExprKind::Tuple: {
    Lanes result;
    for (const typed::Expr *item : expression.as<typed::Tuple>().items)
      result.append(emit(*item));
    return result;
  }
  case typed::ExprKind::Item:
    return emitItem(expression.as<typed::Item>());
  case typed::ExprKind::ItemAt:
    return emitItemAt(expression.as<typed::ItemAt>());
  case typed::ExprKind::Block: {
    const auto &block = expression.as<typed::Block>();
    model.emitBody(block.body);
    return emit(*block.value);
  }
  case typed::ExprKind::Allocation:
    return emitAllocation(expression.as<typed::Allocation>());
  case typed::ExprKind::HeapArray:
    return emitHeapArray(expression.as<typed::HeapArray>());
  case typed::ExprKind::Captured:
    return emitCaptured(expression.as<typed::Captured>());
  case typed::ExprKind::WarpOp:
    return emitWarpOp(expression.as<typed::WarpOp>());
  case typed::ExprKind::Atomic:
    return emitAtomic(expression.as<typed::Atomic>(), true);
  }
  failCheck("a known kind of expression", __FILE__, __LINE__);
}

} // namespace treadle::codegen
