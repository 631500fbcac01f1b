// The semantics of powers, round(x, n) and complex arithmetic.
#include "codegen/arithmetic.h"

#include "codegen/lane_values.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace treadle::codegen {

using PartsRef = SmallVector<Value *, 2>;
using Multiply = function_ref<PartsRef(const PartsRef &, const PartsRef &)>;

/// Without a product with 1 at the beginning: of complex numbers it would not be exact where a part is infinite.
Arithmetic::Parts Arithmetic::powerUnrolled(Parts one, Parts base, uint64_t exponent, Multiply multiply) {
  Parts result = std::move(one);
  bool isFirst = true;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) {
      result = isFirst ? base : multiply(result, base);
      isFirst = false;
    }
    if (exponent > 1)
      base = multiply(base, base);
  }
  return result;
}

/// All lanes run as long as one has bits left. Products that a lane does not need are computed and not selected, so a
/// square that overflows after its last bit does no harm. The exponent counts as unsigned.
Arithmetic::Parts Arithmetic::powerLoop(Parts one, Parts base, Value *exponent, Multiply multiply) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *head = BasicBlock::Create(b.getContext(), "pow.head", function);
  BasicBlock *body = BasicBlock::Create(b.getContext(), "pow.body", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "pow.done", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Parts result, square;
  SmallVector<PHINode *, 4> resultPhis, squarePhis;
  for (size_t i = 0; i < one.size(); ++i) {
    resultPhis.push_back(b.CreatePHI(base[i]->getType(), 2));
    squarePhis.push_back(b.CreatePHI(base[i]->getType(), 2));
    resultPhis[i]->addIncoming(one[i], before);
    squarePhis[i]->addIncoming(base[i], before);
    result.push_back(resultPhis[i]);
    square.push_back(squarePhis[i]);
  }
  PHINode *left = b.CreatePHI(exponent->getType(), 2);
  left->addIncoming(exponent, before);
  Constant *zero = Constant::getNullValue(exponent->getType());
  b.CreateCondBr(anyLane(b.CreateICmpNE(left, zero)), body, done);
  b.SetInsertPoint(body);
  Value *isOdd = b.CreateTrunc(left, shaped(b.getInt1Ty(), left));
  Parts product = multiply(result, square);
  Parts nextSquare = multiply(square, square);
  Value *rest = b.CreateLShr(left, ConstantInt::get(left->getType(), 1));
  for (size_t i = 0; i < one.size(); ++i) {
    resultPhis[i]->addIncoming(b.CreateSelect(isOdd, product[i], result[i]), b.GetInsertBlock());
    squarePhis[i]->addIncoming(nextSquare[i], b.GetInsertBlock());
  }
  left->addIncoming(rest, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(done);
  return result;
}

/// `x ** 2` and the like: at most ten squarings in line.
Arithmetic::Parts Arithmetic::power(const Parts &one, const Parts &base, Value *exponent, Multiply multiply) {
  Constant *constant = dyn_cast<Constant>(exponent);
  Constant *scalar = constant && constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
  if (auto *number = dyn_cast_or_null<ConstantInt>(scalar); number && number->getValue().ult(1024))
    return powerUnrolled(one, base, number->getZExtValue(), multiply);
  return powerLoop(one, base, exponent, multiply);
}

Value *Arithmetic::powInteger(const Type *type, Value *base, Value *exponent) {
  Value *one = ConstantInt::get(base->getType(), 1), *zero = Constant::getNullValue(base->getType());
  auto multiply = [&](const Parts &x, const Parts &y) { return Parts{b.CreateMul(x[0], y[0])}; };
  if (!type->isSigned())
    return power({one}, {base}, exponent, multiply)[0];
  Value *isNegative = b.CreateICmpSLT(exponent, zero);
  // To the loop, which takes exponents as unsigned, a negative one would be huge.
  Value *result = power({one}, {base}, b.CreateSelect(isNegative, zero, exponent), multiply)[0];
  // 1 and -1 are the only bases whose negative powers are integers.
  Value *minusOne = Constant::getAllOnesValue(base->getType());
  Value *isOdd = b.CreateTrunc(exponent, shaped(b.getInt1Ty(), exponent));
  Value *below =
      b.CreateSelect(b.CreateICmpEQ(base, one), one,
                     b.CreateSelect(b.CreateICmpEQ(base, minusOne), b.CreateSelect(isOdd, minusOne, one), zero));
  return b.CreateSelect(isNegative, below, result);
}

// Exponents for which one operation yields the power, correctly rounded.
Value *Arithmetic::powFloat(Value *base, Value *exponent) {
  const APFloat *constant = nullptr;
  if (!match(exponent, PatternMatch::m_APFloat(constant)))
    return model.math(Operation::PowFloat, {base, exponent});
  if (constant->isExactlyValue(1.0))
    return base;
  if (constant->isExactlyValue(2.0))
    return b.CreateFMul(base, base);
  if (constant->isExactlyValue(-1.0))
    return b.CreateFDiv(ConstantFP::get(base->getType(), 1.0), base);
  if (!constant->isExactlyValue(0.5))
    return model.math(Operation::PowFloat, {base, exponent});
  // Unlike the root, the power of -0.0 is 0.0, and that of -inf is inf.
  Value *root = b.CreateUnaryIntrinsic(Intrinsic::sqrt, b.CreateFAdd(base, ConstantFP::getZero(base->getType())));
  Value *isLeast = b.CreateFCmpOEQ(base, ConstantFP::getInfinity(base->getType(), true));
  return b.CreateSelect(isLeast, ConstantFP::getInfinity(base->getType()), root);
}

/// A negative power is the inverse of the positive one, and so 0 where that overflows. The smallest int64 has no
/// positive counterpart, but its bits are 2^63 to the loop, which takes them as unsigned.
Value *Arithmetic::powByInteger(Value *base, Value *exponent) {
  Value *one = ConstantFP::get(base->getType(), 1.0), *zero = Constant::getNullValue(exponent->getType());
  Value *isNegative = b.CreateICmpSLT(exponent, zero);
  Value *magnitude = b.CreateSelect(isNegative, b.CreateNeg(exponent), exponent);
  auto multiply = [&](const Parts &x, const Parts &y) { return Parts{b.CreateFMul(x[0], y[0])}; };
  Value *result = power({one}, {base}, magnitude, multiply)[0];
  if (auto *constant = dyn_cast<Constant>(isNegative); constant && constant->isNullValue())
    return result;
  return b.CreateSelect(isNegative, b.CreateFDiv(one, result), result);
}

/// The integer nearest to scaled + lost, of which `scaled`, not negative, is the nearest float; ties to even. A tie of
/// `scaled` is not one if something was lost, and only a tie can hide one.
Value *Arithmetic::roundExact(Value *scaled, Value *lost) {
  llvm::Type *type = scaled->getType();
  Value *even = b.CreateUnaryIntrinsic(Intrinsic::roundeven, scaled);
  Value *down = b.CreateUnaryIntrinsic(Intrinsic::floor, scaled);
  Value *isTie = b.CreateFCmpOEQ(b.CreateFSub(scaled, down), ConstantFP::get(type, 0.5));
  Value *isAbove = b.CreateFCmpOGT(lost, ConstantFP::getZero(type));
  Value *nearer = b.CreateSelect(isAbove, b.CreateUnaryIntrinsic(Intrinsic::ceil, scaled), down);
  Value *isLost = b.CreateFCmpONE(lost, ConstantFP::getZero(type));
  return b.CreateSelect(b.CreateAnd(isTie, isLost), nearer, even);
}

/// Python's round(x, ndigits): the nearest number with so many digits, ties to even. Scaled by a power of ten, which is
/// exact up to 22.
Value *Arithmetic::roundDigits(Value *given, Value *digits) {
  llvm::Type *type = given->getType();
  Value *x = b.CreateUnaryIntrinsic(Intrinsic::fabs, given);
  Value *ten = ConstantFP::get(type, 10.0), *one = ConstantFP::get(type, 1.0);
  Constant *limit = ConstantInt::get(digits->getType(), 22);
  Value *isNegative = b.CreateICmpSLT(digits, Constant::getNullValue(digits->getType()));
  Value *isLong = b.CreateICmpSGT(digits, limit);
  Value *count =
      b.CreateSelect(isNegative, b.CreateNeg(digits), b.CreateSelect(isLong, b.CreateSub(digits, limit), digits));
  Value *scale = model.math(Operation::PowFloat, {ten, b.CreateSIToFP(count, type)});
  Value *second = b.CreateSelect(isLong, ConstantFP::get(type, 1e22), one);
  Value *quotient = b.CreateFDiv(x, scale), *product = b.CreateFMul(x, scale);
  // For the quotient, only the sign of what is lost matters.
  auto fused = [&](Value *factor, Value *addend) {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {factor, scale, addend});
  };
  // Fused, as a rounded product would leave a difference of 0.
  Value *lost = b.CreateSelect(isNegative, fused(b.CreateFNeg(quotient), x), fused(x, b.CreateFNeg(product)));
  Value *scaled = b.CreateSelect(isNegative, quotient, b.CreateFMul(product, second));
  Value *whole = roundExact(scaled, b.CreateSelect(isLong, ConstantFP::getZero(type), lost));
  Value *result = b.CreateSelect(
      isNegative, b.CreateFMul(whole, b.CreateSelect(unaryFloat(Operation::IsFinite, scale), scale, one)),
      b.CreateFDiv(b.CreateFDiv(whole, second), scale));
  // From 2^53 on, the digits end below the last bit of x, or the product overflows.
  Value *isShort = b.CreateFCmpOLT(scaled, ConstantFP::get(type, 0x1p53));
  return b.CreateCopySign(b.CreateSelect(isShort, result, x), given);
}

/// Python's formula, without C's repair of infinite results that come out as NaN.
ComplexValue Arithmetic::complexMultiply(ComplexValue x, ComplexValue y) {
  return {b.CreateFSub(b.CreateFMul(x.real, y.real), b.CreateFMul(x.imag, y.imag)),
          b.CreateFAdd(b.CreateFMul(x.real, y.imag), b.CreateFMul(x.imag, y.real))};
}

// CPython's division: scaled by the divisor's larger part, so that no intermediate result overflows.
ComplexValue Arithmetic::complexDivide(ComplexValue x, ComplexValue y) {
  auto magnitude = [&](Value *value) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, value); };
  Value *isReal = b.CreateFCmpOGE(magnitude(y.real), magnitude(y.imag));
  Value *large = b.CreateSelect(isReal, y.real, y.imag);
  Value *small = b.CreateSelect(isReal, y.imag, y.real);
  Value *ratio = b.CreateFDiv(small, large);
  Value *denominator = b.CreateFAdd(large, b.CreateFMul(small, ratio));
  Value *first = b.CreateSelect(isReal, x.real, x.imag);
  Value *second = b.CreateSelect(isReal, x.imag, x.real);
  Value *real = b.CreateFDiv(b.CreateFAdd(first, b.CreateFMul(second, ratio)), denominator);
  // Not one difference and its negative: for equal numbers both are 0.0, and neither is -0.0.
  Value *scaled = b.CreateFMul(first, ratio);
  Value *difference = b.CreateSelect(isReal, b.CreateFSub(second, scaled), b.CreateFSub(scaled, second));
  Value *imag = b.CreateFDiv(difference, denominator);
  return {real, imag};
}

/// In polar form, as CPython does. A base of 0 has no logarithm: its powers are 0, and its power of 0 is 1.
ComplexValue Arithmetic::complexPow(ComplexValue x, ComplexValue y) {
  Value *zero = Constant::getNullValue(x.real->getType()), *one = ConstantFP::get(x.real->getType(), 1.0);
  auto isZero = [&](ComplexValue z) {
    return b.CreateAnd(b.CreateFCmpOEQ(z.real, zero), b.CreateFCmpOEQ(z.imag, zero));
  };
  Value *length = model.math(Operation::Hypot, {x.real, x.imag});
  Value *angle = model.math(Operation::Atan2, {x.imag, x.real});
  Value *scale = b.CreateFDiv(model.math(Operation::PowFloat, {length, y.real}),
                              model.math(Operation::Exp, {b.CreateFMul(angle, y.imag)}));
  Value *phase = b.CreateFAdd(b.CreateFMul(angle, y.real), b.CreateFMul(y.imag, model.math(Operation::Log, {length})));
  Value *real = b.CreateFMul(scale, model.math(Operation::Cos, {phase}));
  Value *imag = b.CreateFMul(scale, model.math(Operation::Sin, {phase}));
  Value *baseIsZero = isZero(x), *exponentIsZero = isZero(y);
  real = b.CreateSelect(exponentIsZero, one, b.CreateSelect(baseIsZero, zero, real));
  imag = b.CreateSelect(b.CreateOr(exponentIsZero, baseIsZero), zero, imag);
  return {real, imag};
}

/// By products, which are exact for small whole numbers, where sine and cosine would leave a small imaginary part.
ComplexValue Arithmetic::complexPowByInteger(ComplexValue x, Value *exponent) {
  llvm::Type *type = x.real->getType();
  Value *one = ConstantFP::get(type, 1.0), *zero = Constant::getNullValue(type);
  Value *isNegative = b.CreateICmpSLT(exponent, Constant::getNullValue(exponent->getType()));
  Value *magnitude = b.CreateSelect(isNegative, b.CreateNeg(exponent), exponent);
  auto multiply = [&](const Parts &left, const Parts &right) {
    ComplexValue product = complexMultiply({left[0], left[1]}, {right[0], right[1]});
    return Parts{product.real, product.imag};
  };
  Parts result = power({one, zero}, {x.real, x.imag}, magnitude, multiply);
  ComplexValue positive{result[0], result[1]};
  if (auto *constant = dyn_cast<Constant>(isNegative); constant && constant->isNullValue())
    return positive;
  // As for floats, the inverse of the positive power.
  ComplexValue inverse = complexDivide({one, zero}, positive);
  return {b.CreateSelect(isNegative, inverse.real, positive.real),
          b.CreateSelect(isNegative, inverse.imag, positive.imag)};
}

} // namespace treadle::codegen
