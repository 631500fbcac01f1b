// Operations over leaves of any shape: affine arithmetic stays affine, the rest becomes scalars or vectors.
#include "codegen/arithmetic.h"
#include "codegen/emitter.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace treadle::codegen {

bool isUniform(const Leaf &leaf) { return !leaf.isAffine() && !leaf.value->getType()->isVectorTy(); }

namespace {

bool isZero(Value *value) {
  auto *constant = dyn_cast<Constant>(value);
  return constant && constant->isNullValue();
}

/// Strides determine how memory is accessed, so they are folded here rather than by LLVM.
Value *strideSum(IRBuilder<> &b, Value *x, Value *y) {
  if (isZero(x))
    return y;
  return isZero(y) ? x : b.CreateAdd(x, y);
}

Value *strideProduct(IRBuilder<> &b, Value *stride, Value *factor) {
  if (isZero(stride) || isZero(factor))
    return Constant::getNullValue(stride->getType());
  auto *constant = dyn_cast<ConstantInt>(stride);
  return constant && constant->isOne() ? factor : b.CreateMul(stride, factor);
}

/// An affine leaf whose strides have become 0 is uniform.
Leaf simplified(Leaf leaf) { return leaf.isAffine() && isZero(leaf.s0) && isZero(leaf.s1) ? Leaf(leaf.value) : leaf; }

} // namespace

/// Uniform operands stay scalars as long as all of them are: one instruction for the warp, and a uniform result.
Leaf Emitter::apply(ArrayRef<Leaf> leaves, function_ref<Value *(ArrayRef<Value *>)> make) {
  SmallVector<Value *, 4> values;
  const bool isScalar = llvm::all_of(leaves, isUniform);
  for (const Leaf &leaf : leaves)
    values.push_back(isScalar ? leaf.value : model.splat(leaf));
  return make(values);
}

/// Without no-wrap flags: Python's fixed-size integers wrap here, and a sum of affine values that wraps in some lanes
/// is still affine modulo 2^bits.
Leaf Emitter::addLeaves(const Leaf &left, const Leaf &right) {
  const bool isLinear = (left.isAffine() || isUniform(left)) && (right.isAffine() || isUniform(right));
  if (!isLinear || (isUniform(left) && isUniform(right)))
    return apply({left, right}, [&](ArrayRef<Value *> v) { return builder.CreateAdd(v[0], v[1]); });
  Value *zero = Constant::getNullValue(left.value->getType());
  auto stride = [&](const Leaf &leaf, Value *Leaf::*member) { return leaf.isAffine() ? leaf.*member : zero; };
  return simplified({builder.CreateAdd(left.value, right.value),
                     strideSum(builder, stride(left, &Leaf::s0), stride(right, &Leaf::s0)),
                     strideSum(builder, stride(left, &Leaf::s1), stride(right, &Leaf::s1))});
}

/// `n - i` has negative strides, and `i - i` none: it is uniform.
Leaf Emitter::subLeaves(const Leaf &left, const Leaf &right) {
  const bool isLinear = (left.isAffine() || isUniform(left)) && (right.isAffine() || isUniform(right));
  if (!isLinear || (isUniform(left) && isUniform(right)))
    return apply({left, right}, [&](ArrayRef<Value *> v) { return builder.CreateSub(v[0], v[1]); });
  Value *zero = Constant::getNullValue(left.value->getType());
  auto stride = [&](const Leaf &leaf, Value *Leaf::*member) { return leaf.isAffine() ? leaf.*member : zero; };
  auto difference = [&](Value *x, Value *y) { return isZero(y) ? x : builder.CreateSub(x, y); };
  return simplified({builder.CreateSub(left.value, right.value),
                     difference(stride(left, &Leaf::s0), stride(right, &Leaf::s0)),
                     difference(stride(left, &Leaf::s1), stride(right, &Leaf::s1))});
}

/// A product of two affine values is quadratic in the lane, so it becomes a vector.
Leaf Emitter::mulLeaves(const Leaf &left, const Leaf &right) {
  const Leaf *affine = left.isAffine() && isUniform(right)   ? &left
                       : right.isAffine() && isUniform(left) ? &right
                                                             : nullptr;
  if (!affine)
    return apply({left, right}, [&](ArrayRef<Value *> v) { return builder.CreateMul(v[0], v[1]); });
  Value *factor = affine == &left ? right.value : left.value;
  return simplified({builder.CreateMul(affine->value, factor), strideProduct(builder, affine->s0, factor),
                     strideProduct(builder, affine->s1, factor)});
}

/// By `getelementptr` and not by integers, which would hide from LLVM which array the pointer is into. Without
/// `inbounds`: inactive lanes may have addresses outside of it.
Leaf Emitter::offsetPointer(const Leaf &pointer, const Leaf &bytes) {
  auto step = [&](Value *base, Value *offset) { return builder.CreateGEP(builder.getInt8Ty(), base, offset); };
  const bool isLinear = (pointer.isAffine() || isUniform(pointer)) && (bytes.isAffine() || isUniform(bytes));
  if (!isLinear || (isUniform(pointer) && isUniform(bytes))) {
    // A vector of offsets from one pointer needs no vector of pointers.
    if (isUniform(pointer) && !isUniform(bytes))
      return step(pointer.value, model.splat(bytes));
    return apply({pointer, bytes}, [&](ArrayRef<Value *> v) { return step(v[0], v[1]); });
  }
  Value *zero = int64(0);
  auto stride = [&](const Leaf &leaf, Value *Leaf::*member) { return leaf.isAffine() ? leaf.*member : zero; };
  return simplified({step(pointer.value, bytes.value),
                     strideSum(builder, stride(pointer, &Leaf::s0), stride(bytes, &Leaf::s0)),
                     strideSum(builder, stride(pointer, &Leaf::s1), stride(bytes, &Leaf::s1))});
}

namespace {

/// Whether the stride is a constant so small that no lane is further than a quarter of an int32's range from the first
/// lane of its run.
bool isSmallStride(Value *stride) {
  auto *constant = dyn_cast<ConstantInt>(stride);
  return constant && constant->getValue().abs().ult(1u << 16);
}

} // namespace

Leaf Emitter::convertLeaf(const Leaf &leaf, const Type *from, const Type *to, const typed::Interval &range) {
  if (from == to)
    return leaf;
  Arithmetic arithmetic(builder, model);
  const bool isResize = from->isInt() && to->isInt() && leaf.isAffine();
  if (!isResize)
    return apply(leaf, [&](ArrayRef<Value *> v) { return arithmetic.convertReal(v[0], from, to); });
  if (to->bits() == from->bits())
    return leaf;
  // Steps are cut as the base is: lanes' values agree modulo the smaller power of two.
  if (to->bits() < from->bits()) {
    llvm::Type *type = builder.getIntNTy(to->bits());
    return {builder.CreateTrunc(leaf.value, type), builder.CreateTrunc(leaf.s0, type),
            builder.CreateTrunc(leaf.s1, type)};
  }
  // Widening preserves the shape only if no lane wrapped, active or not: some lane is well inside the narrow type.
  const int64_t margin = int64_t(1) << (from->bits() - 2);
  const bool isLinear = isSmallStride(leaf.s0) && (isSmallStride(leaf.s1) || model.runCount() <= 2);
  if (from->bits() < 32 || range.low < -margin || range.high > margin || !isLinear)
    return apply(leaf, [&](ArrayRef<Value *> v) { return arithmetic.convertReal(v[0], from, to); });
  llvm::Type *type = builder.getIntNTy(to->bits());
  Value *base = builder.CreateSExt(leaf.value, type);
  // With two runs, each begins near its lanes' values, however far apart the runs are: the distance may be half of the
  // narrow type's range.
  Value *s1 = isSmallStride(leaf.s1)
                  ? builder.CreateSExt(leaf.s1, type)
                  : builder.CreateSub(builder.CreateSExt(builder.CreateAdd(leaf.value, leaf.s1), type), base);
  return {base, builder.CreateSExt(leaf.s0, type), s1};
}

/// Leaf by leaf; `range` is about the whole expression and so says nothing of the items of a tuple. An array that gets
/// Layout::Any gets the strides as leaves, which are computed from the extents; its pointer stays.
Lanes Emitter::convert(const Lanes &value, const Type *from, const Type *to, const typed::Interval &range) {
  if (from == to)
    return value;
  // The first leaf tells whether there is a value.
  if (to->isOptional()) {
    if (from->isNone())
      return zero(to);
    Lanes inner = from->isOptional() ? Lanes(value.begin() + 1, value.end()) : value;
    const Type *innerType = from->isOptional() ? from->element() : from;
    Lanes result{from->isOptional() ? value[0] : Leaf(builder.getTrue())};
    result.append(convert(inner, innerType, to->element(), range));
    return result;
  }
  if (from->isArray() && to->isArray()) {
    ArrayParts parts = arrayParts(from, value);
    parts.type = to;
    return arrayLeaves(parts);
  }
  if (from->isTuple() && to->isTuple()) {
    Lanes result;
    size_t next = 0;
    for (size_t i = 0; i < from->items().size(); ++i) {
      const unsigned count = leafCount(from->items()[i]);
      result.append(convert(Lanes(value.begin() + next, value.begin() + next + count), from->items()[i], to->items()[i],
                            typed::Interval()));
      next += count;
    }
    return result;
  }
  Arithmetic arithmetic(builder, model);
  if (from->isComplex()) {
    if (to->isBool())
      return {apply(value, [&](ArrayRef<Value *> v) {
        Value *zero = Constant::getNullValue(v[0]->getType());
        return builder.CreateOr(builder.CreateFCmpUNE(v[0], zero), builder.CreateFCmpUNE(v[1], zero));
      })};
    const Type *part = to->isComplex() ? to->element() : to;
    Lanes result{convertLeaf(value[0], from->element(), part, {})};
    if (to->isComplex())
      result.push_back(convertLeaf(value[1], from->element(), part, {}));
    return result;
  }
  if (to->isComplex())
    return {convertLeaf(value[0], from, to->element(), range), Leaf(Constant::getNullValue(partType(to)))};
  return {convertLeaf(value[0], from, to, range)};
}

namespace {

/// One operation with its operands.
struct Call {
  Operation op;
  const Type *result;
  ArrayRef<const Type *> types;
  ArrayRef<Lanes> operands;
  const Leaf &leaf(unsigned i) const { return operands[i].front(); }
};

/// `apply` returns one leaf, so the parts leave it through `result`. Floats are never affine: both are scalars or
/// vectors.
Lanes complexOperation(Emitter &e, const Call &call) {
  Arithmetic arithmetic(e.builder, e.model);
  SmallVector<Leaf, 4> leaves;
  for (const Lanes &operand : call.operands)
    leaves.append(operand.begin(), operand.end());
  if (isComparison(call.op))
    return {e.apply(leaves, [&](ArrayRef<Value *> v) {
      Value *isEqual = e.builder.CreateAnd(e.builder.CreateFCmpOEQ(v[0], v[2]), e.builder.CreateFCmpOEQ(v[1], v[3]));
      return call.op == Operation::Eq ? isEqual : e.builder.CreateNot(isEqual);
    })};
  if (call.op == Operation::Abs)
    return {e.apply(leaves, [&](ArrayRef<Value *> v) { return e.model.math(Operation::Hypot, {v[0], v[1]}); })};
  Lanes result(2);
  e.apply(leaves, [&](ArrayRef<Value *> v) {
    ComplexValue x{v[0], v[1]}, y{v.size() > 2 ? v[2] : nullptr, v.size() > 3 ? v[3] : nullptr}, made{};
    switch (call.op) {
    case Operation::Neg:
      made = {e.builder.CreateFNeg(x.real), e.builder.CreateFNeg(x.imag)};
      break;
    case Operation::Conjugate:
      made = {x.real, e.builder.CreateFNeg(x.imag)};
      break;
    case Operation::Add:
      made = {e.builder.CreateFAdd(x.real, y.real), e.builder.CreateFAdd(x.imag, y.imag)};
      break;
    case Operation::Sub:
      made = {e.builder.CreateFSub(x.real, y.real), e.builder.CreateFSub(x.imag, y.imag)};
      break;
    case Operation::Mul:
      made = arithmetic.complexMultiply(x, y);
      break;
    case Operation::TrueDiv:
      made = arithmetic.complexDivide(x, y);
      break;
    case Operation::Pow:
      made = arithmetic.complexPow(x, y);
      break;
    case Operation::PowInt:
      made = arithmetic.complexPowByInteger(x, y.real);
      break;
    default:
      failCheck("a complex operation", __FILE__, __LINE__);
    }
    result = {made.real, made.imag};
    return made.real;
  });
  return result;
}

/// Sums, products and shifts by constants keep affine operands affine; all else needs vectors, if the model has no way
/// of its own. The absolute value of the minimum is itself, as in NumPy.
Leaf integerOperation(Emitter &e, const Call &call) {
  Arithmetic arithmetic(e.builder, e.model);
  const Type *type = call.types[0];
  if (call.operands.size() == 1)
    return e.apply(call.leaf(0), [&](ArrayRef<Value *> v) -> Value * {
      switch (call.op) {
      case Operation::Neg:
        return type->isBool() ? v[0] : e.builder.CreateNeg(v[0]);
      case Operation::Not:
      case Operation::Invert:
        return e.builder.CreateNot(v[0]);
      case Operation::Popc:
      case Operation::Brev:
      case Operation::Clz:
      case Operation::Ffs:
        return arithmetic.bits(call.op, v[0]);
      case Operation::Abs:
        if (!type->isSigned())
          return v[0];
        return e.builder.CreateSelect(e.builder.CreateICmpSLT(v[0], Constant::getNullValue(v[0]->getType())),
                                      e.builder.CreateNeg(v[0]), v[0]);
      default:
        failCheck("an integer operation", __FILE__, __LINE__);
      }
    });
  if (!type->isBool()) {
    if (call.op == Operation::Add)
      return e.addLeaves(call.leaf(0), call.leaf(1));
    if (call.op == Operation::Sub)
      return e.subLeaves(call.leaf(0), call.leaf(1));
    if (call.op == Operation::Mul)
      return e.mulLeaves(call.leaf(0), call.leaf(1));
    // A shift is a product, by which affine values stay affine.
    if (auto *count = dyn_cast<ConstantInt>(call.leaf(1).value);
        count && call.op == Operation::Shl && !call.leaf(1).isAffine())
      return e.mulLeaves(call.leaf(0),
                         ConstantInt::get(count->getType(), APInt::getOneBitSet(type->bits(), count->getZExtValue() &
                                                                                                  (type->bits() - 1))));
  }
  if (type->isSigned() && call.leaf(0).isAffine())
    if (std::optional<Leaf> found = e.model.divideByConstant(call.op, call.leaf(0), call.leaf(1)))
      return *found;
  return e.apply({call.leaf(0), call.leaf(1)},
                 [&](ArrayRef<Value *> v) { return arithmetic.integerBinary(call.op, type, v[0], v[1]); });
}

/// `fma` is the intrinsic, which never rounds the product, and not a product and a sum that may be fused.
Leaf floatOperation(Emitter &e, const Call &call) {
  Arithmetic arithmetic(e.builder, e.model);
  if (call.operands.size() == 1)
    return e.apply(call.leaf(0), [&](ArrayRef<Value *> v) {
      Value *value = arithmetic.unaryFloat(call.op, v[0]);
      // Rounding to an integer type.
      return call.result->isInt() && value->getType()->isFPOrFPVectorTy()
                 ? arithmetic.floatToInteger(value, call.result)
                 : value;
    });
  if (call.op == Operation::Fma)
    return e.apply({call.leaf(0), call.leaf(1), call.leaf(2)}, [&](ArrayRef<Value *> v) {
      return e.builder.CreateIntrinsic(Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
    });
  return e.apply({call.leaf(0), call.leaf(1)}, [&](ArrayRef<Value *> v) {
    if (call.op == Operation::PowInt)
      return arithmetic.powByInteger(v[0], v[1]);
    return call.op == Operation::RoundDigits ? arithmetic.roundDigits(v[0], v[1])
                                             : arithmetic.floatBinary(call.op, v[0], v[1]);
  });
}

} // namespace

/// Both values are there already. Where only one of two expressions may be evaluated, the model emits a Conditional.
Lanes Emitter::select(const Leaf &test, const Lanes &then, const Lanes &otherwise) {
  Lanes result;
  for (unsigned leaf = 0; leaf < then.size(); ++leaf)
    result.push_back(apply({test, then[leaf], otherwise[leaf]},
                           [&](ArrayRef<Value *> v) { return builder.CreateSelect(v[0], v[1], v[2]); }));
  return result;
}

/// First what only rearranges leaves, whatever their types, then by the type of the first operand: conversions are
/// nodes of their own, so that operands have the type that the operation computes in.
Lanes Emitter::operation(Operation op, const Type *result, ArrayRef<const Type *> types, ArrayRef<Lanes> operands) {
  Call call{op, result, types, operands};
  switch (op) {
  case Operation::MakeComplex:
    return {operands[0][0], operands[1][0]};
  case Operation::Real:
    return {operands[0][0]};
  case Operation::Imag:
    return {operands[0][1]};
  case Operation::MakeSome:
    return convert(operands[0], types[0], result, {});
  case Operation::MakeNone:
    return zero(result);
  case Operation::HasValue:
    return {operands[0][0]};
  case Operation::Unwrap:
    return Lanes(operands[0].begin() + 1, operands[0].end());
  case Operation::Bitcast:
    return {apply(operands[0][0], [&](ArrayRef<Value *> v) {
      return builder.CreateBitCast(v[0], Arithmetic(builder, model).shaped(llvmType(result), v[0]));
    })};
  default:
    break;
  }
  if (isOfClass(op, OperationClass::Identity))
    return {model.identity(op, result)};
  if (op == Operation::Select)
    return select(operands[0][0], operands[1], operands[2]);
  if (types[0]->isComplex())
    return complexOperation(*this, call);
  if (isComparison(op)) {
    Arithmetic arithmetic(builder, model);
    return {apply({operands[0][0], operands[1][0]}, [&](ArrayRef<Value *> v) {
      return types[0]->isInteger() ? arithmetic.compareIntegers(op, types[0], v[0], types[1], v[1])
                                   : arithmetic.compareFloats(op, v[0], v[1]);
    })};
  }
  return {types[0]->isInteger() ? integerOperation(*this, call) : floatOperation(*this, call)};
}

} // namespace treadle::codegen
