// The semantics of operations on real numbers: conversions, integer and float arithmetic, comparisons.
#include "codegen/arithmetic.h"

#include "codegen/lane_values.h"
#include "support/error.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;

namespace treadle::codegen {

llvm::Type *Arithmetic::shaped(llvm::Type *scalar, Value *like) {
  if (auto *vector = dyn_cast<VectorType>(like->getType()))
    return VectorType::get(scalar, vector->getElementCount());
  return scalar;
}

/// For loops that a whole warp runs until no lane needs another round.
Value *Arithmetic::anyLane(Value *condition) {
  return condition->getType()->isVectorTy() ? b.CreateOrReduce(condition) : condition;
}

/// A number is true unless it is 0; a narrower type takes its low bits.
Value *Arithmetic::convertInteger(Value *value, const Type *from, const Type *to) {
  if (to->isBool())
    return from->isBool() ? value : b.CreateICmpNE(value, Constant::getNullValue(value->getType()));
  llvm::Type *target = shaped(b.getIntNTy(to->bits()), value);
  return b.CreateIntCast(value, target, from->isSigned() && !from->isBool());
}

llvm::Type *floatType(LLVMContext &context, const Type *type) {
  TREADLE_CHECK(type->bits() == 16 || type->bits() == 32 || type->bits() == 64);
  if (type->bits() == 16)
    return llvm::Type::getHalfTy(context);
  return type->bits() == 32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
}

bool isWidened(const Value *value) {
  return (isa<SExtInst>(value) || isa<ZExtInst>(value)) &&
         cast<CastInst>(value)->getSrcTy()->getScalarSizeInBits() <= 32;
}

/// The halves become the low digits of 2^84 and 2^52: of the three float operations only the last one rounds.
Value *Arithmetic::longToDouble(Value *value, bool isSigned) {
  llvm::Type *wide = shaped(b.getDoubleTy(), value);
  const auto bits = [&](uint64_t number) { return ConstantInt::get(value->getType(), number); };
  Value *low = b.CreateOr(b.CreateAnd(value, bits(0xFFFFFFFF)), bits(0x4330000000000000));
  Value *high = b.CreateOr(b.CreateLShr(value, 32), bits(0x4530000000000000));
  if (isSigned)
    high = b.CreateXor(high, bits(0x80000000));
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  // What the two exponents add, and of signed numbers the flipped sign, which adds 2^63.
  const double excess = isSigned ? 0x1p84 + 0x1p63 + 0x1p52 : 0x1p84 + 0x1p52;
  Value *most = b.CreateFSub(b.CreateBitCast(high, wide), ConstantFP::get(wide, excess));
  return b.CreateFAdd(most, b.CreateBitCast(low, wide));
}

/// Of a float in the integers' range: its halves, each exact, as the low digits of 2^52.
Value *Arithmetic::doubleToLong(Value *value, bool isSigned) {
  llvm::Type *integers = shaped(b.getInt64Ty(), value);
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  const auto number = [&](double x) { return ConstantFP::get(value->getType(), x); };
  Value *whole = b.CreateUnaryIntrinsic(Intrinsic::trunc, value);
  Value *high = b.CreateUnaryIntrinsic(Intrinsic::floor, b.CreateFMul(whole, number(0x1p-32)));
  Value *low = b.CreateFSub(whole, b.CreateFMul(high, number(0x1p32)));
  // With 1.5 * 2^52 the exponent stays the same where the half is negative.
  Value *highBits = b.CreateBitCast(b.CreateFAdd(high, number(isSigned ? 0x1.8p52 : 0x1p52)), integers);
  Value *lowBits = b.CreateBitCast(b.CreateFAdd(low, number(0x1p52)), integers);
  return b.CreateOr(b.CreateShl(highBits, 32), b.CreateAnd(lowBits, ConstantInt::get(integers, 0xFFFFFFFF)));
}

/// A value that was just widened from 32 bits is left to LLVM, which converts it from these.
Value *Arithmetic::integerToFloat(Value *value, const Type *from, const Type *to) {
  llvm::Type *target = shaped(floatType(b.getContext(), to), value);
  const bool isLong = value->getType()->isVectorTy() && from->bits() == 64 && target->getScalarType()->isDoubleTy();
  if (isLong && !model.convertsLongs() && !isWidened(value))
    return longToDouble(value, from->isSigned());
  return from->isSigned() && !from->isBool() ? b.CreateSIToFP(value, target) : b.CreateUIToFP(value, target);
}

/// LLVM's conversions are poison outside of the integer's range, so such lanes convert 0 and the limits are selected
/// afterwards. NaN fails both comparisons, and so becomes 0.
Value *Arithmetic::floatToInteger(Value *value, const Type *to) {
  if (Value *made = model.floatToInteger(value, to))
    return made;
  llvm::Type *type = value->getType();
  const unsigned bits = to->bits();
  const double limit = std::ldexp(1.0, to->isSigned() ? int(bits) - 1 : int(bits));
  Value *tooHigh = b.CreateFCmpOGE(value, ConstantFP::get(type, limit));
  // Between the lower bound and the next integer below it, truncation yields the bound itself.
  Value *lowest = ConstantFP::get(type, to->isSigned() ? -limit : 0.0);
  Value *tooLow = b.CreateFCmpOLT(value, lowest);
  Value *isUsable = b.CreateAnd(b.CreateFCmpOGE(value, lowest), b.CreateNot(tooHigh));
  Value *usable = b.CreateSelect(isUsable, value, Constant::getNullValue(type));
  // Narrow integers go through 32 bits, for which there are vector instructions.
  const unsigned wide = std::max(bits, 32u);
  llvm::Type *wideType = shaped(b.getIntNTy(wide), value);
  Value *whole = nullptr;
  if (bits == 64 && type->isVectorTy() && !model.convertsLongs())
    whole = doubleToLong(b.CreateFPExt(usable, shaped(b.getDoubleTy(), usable)), to->isSigned());
  else
    whole = to->isSigned() || bits < 32 ? b.CreateFPToSI(usable, wideType) : b.CreateFPToUI(usable, wideType);
  llvm::Type *target = shaped(b.getIntNTy(bits), value);
  whole = b.CreateTrunc(whole, target);
  const APInt highest = to->isSigned() ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  const APInt least = to->isSigned() ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  whole = b.CreateSelect(tooHigh, ConstantInt::get(target, highest), whole);
  return b.CreateSelect(tooLow, ConstantInt::get(target, least), whole);
}

/// float64 to float32 rounded to odd: rounded once more, the result is as if from float64. A half has 13 digits less.
Value *Arithmetic::roundedToOdd(Value *value) {
  Value *nearest = b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));
  llvm::Type *bitsType = shaped(b.getInt32Ty(), value);
  Value *back = b.CreateFPExt(nearest, value->getType());
  Value *isExact = b.CreateFCmpUEQ(back, value); // or NaN
  Value *isAway =
      b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back), b.CreateUnaryIntrinsic(Intrinsic::fabs, value));
  Value *bits = b.CreateBitCast(nearest, bitsType);
  // Bits of floats of one sign are in the order of their magnitudes: one less is the next float towards zero.
  Value *towardsZero = b.CreateSub(bits, b.CreateZExt(isAway, bitsType));
  Value *odd = b.CreateOr(towardsZero, ConstantInt::get(bitsType, 1));
  return b.CreateBitCast(b.CreateSelect(isExact, bits, odd), nearest->getType());
}

Value *Arithmetic::convertReal(Value *value, const Type *from, const Type *to) {
  if (from == to)
    return value;
  if (from->isInteger() && to->isInteger())
    return convertInteger(value, from, to);
  // Every half is a float32, which converts to anything else. Conversely, integers that float32 rounds are beyond the
  // largest half.
  if (from == types::float16() && to != types::float32())
    return convertReal(convertReal(value, from, types::float32()), types::float32(), to);
  if (to == types::float16() && from->isInteger())
    return convertReal(integerToFloat(value, from, types::float32()), types::float32(), to);
  if (to == types::float16() && from == types::float64())
    value = roundedToOdd(value);
  if (from->isInteger())
    return integerToFloat(value, from, to);
  if (to->isBool())
    return b.CreateFCmpUNE(value, Constant::getNullValue(value->getType()));
  if (to->isInt())
    return floatToInteger(value, to);
  return b.CreateFPCast(value, shaped(floatType(b.getContext(), to), value));
}

/// A division by 0 is undefined behaviour to LLVM, also in a lane that is masked out, whose divisor is whatever was
/// left there; a scalar one traps on the CPU.
Value *Arithmetic::safeDivisor(Value *divisor, Value *alsoBad) {
  if (auto *constant = dyn_cast<Constant>(divisor)) {
    // Splat or scalar: a constant is suitable for every lane or for none.
    Constant *one = constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    if (auto *number = dyn_cast_or_null<ConstantInt>(one); number && !number->isZero() && !number->isMinusOne())
      return divisor;
  }
  Value *isBad = b.CreateICmpEQ(divisor, Constant::getNullValue(divisor->getType()));
  if (alsoBad)
    isBad = b.CreateOr(isBad, alsoBad);
  if (Value *active = model.activeLanes(); active && divisor->getType()->isVectorTy())
    isBad = b.CreateOr(isBad, b.CreateNot(active));
  return b.CreateSelect(isBad, ConstantInt::get(divisor->getType(), 1), divisor);
}

/// `same`: a divisor that all lanes share and that only became a vector to meet the dividend.
Value *Arithmetic::divideNonNegative(Value *x, Value *y, bool isRemainder) {
  Value *same = x->getType()->isVectorTy() && !isa<Constant>(y) ? getSplatValue(y) : nullptr;
  if (Value *quotient = same ? model.divideByUniform(x, safeDivisor(same, nullptr)) : nullptr)
    return isRemainder ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;
  return model.divide(x, safeDivisor(y, nullptr), false, isRemainder);
}

/// C's quotient is too large by one where the remainder is not 0 and has another sign than the divisor; C's remainder
/// then lacks one divisor. By a power of two, shifts and masks round down already.
Value *Arithmetic::floorDivide(const Type *type, Value *x, Value *y, bool isRemainder) {
  if (!type->isSigned())
    return divideNonNegative(x, y, isRemainder);
  const APInt *constant = nullptr;
  if (match(y, PatternMatch::m_APInt(constant)) && constant->isStrictlyPositive() && constant->isPowerOf2())
    return isRemainder ? b.CreateAnd(x, ConstantInt::get(y->getType(), *constant - 1))
                       : b.CreateAShr(x, ConstantInt::get(y->getType(), constant->logBase2()));
  Value *zero = Constant::getNullValue(x->getType());
  // x // -1 is -x, which wraps at the minimum, where the machine instruction traps.
  Value *isMinusOne = b.CreateICmpEQ(y, Constant::getAllOnesValue(y->getType()));
  Value *divisor = safeDivisor(y, isMinusOne);
  const bool mayBeMinusOne = !isa<Constant>(isMinusOne) || !cast<Constant>(isMinusOne)->isNullValue();
  Value *quotient = nullptr, *remainder = nullptr;
  if (isRemainder) {
    remainder = model.divide(x, divisor, true, true);
  } else {
    quotient = model.divide(x, divisor, true, false);
    remainder = b.CreateSub(x, b.CreateMul(quotient, divisor));
  }
  Value *rounds = b.CreateAnd(b.CreateICmpNE(remainder, zero), b.CreateICmpSLT(b.CreateXor(remainder, y), zero));
  if (isRemainder) {
    Value *floored = b.CreateSelect(rounds, b.CreateAdd(remainder, y), remainder);
    return mayBeMinusOne ? b.CreateSelect(isMinusOne, zero, floored) : floored;
  }
  Value *floored = b.CreateAdd(quotient, b.CreateSExt(rounds, quotient->getType()));
  return mayBeMinusOne ? b.CreateSelect(isMinusOne, b.CreateNeg(x), floored) : floored;
}

namespace {

bool isSignedOperation(const Type *type) { return type->isSigned(); }

} // namespace

/// Shifts take the count modulo the number of bits; LLVM's are poison beyond. Bools are numbers
/// of one bit: their sum is `or`, as in NumPy.
Value *Arithmetic::integerBinary(Operation op, const Type *type, Value *x, Value *y) {
  const bool isSigned = isSignedOperation(type);
  auto count = [&] { return b.CreateAnd(y, ConstantInt::get(y->getType(), type->bits() - 1)); };
  switch (op) {
  case Operation::Add:
    return type->isBool() ? b.CreateOr(x, y) : b.CreateAdd(x, y);
  case Operation::Sub:
    return type->isBool() ? b.CreateXor(x, y) : b.CreateSub(x, y);
  case Operation::Mul:
    return type->isBool() ? b.CreateAnd(x, y) : b.CreateMul(x, y);
  case Operation::FloorDiv:
    return type->isBool() ? x : floorDivide(type, x, y, false);
  case Operation::Mod:
    return type->isBool() ? Constant::getNullValue(x->getType()) : floorDivide(type, x, y, true);
  case Operation::Pow:
    return type->isBool() ? b.CreateOr(x, b.CreateNot(y)) : powInteger(type, x, y);
  case Operation::BitAnd:
    return b.CreateAnd(x, y);
  case Operation::BitOr:
    return b.CreateOr(x, y);
  case Operation::BitXor:
    return b.CreateXor(x, y);
  case Operation::Shl:
    return type->isBool() ? x : b.CreateShl(x, count());
  case Operation::Shr:
    if (type->isBool())
      return x;
    return isSigned ? b.CreateAShr(x, count()) : b.CreateLShr(x, count());
  case Operation::Min:
    return b.CreateSelect(isSigned ? b.CreateICmpSLT(y, x) : b.CreateICmpULT(y, x), y, x);
  case Operation::Max:
    return b.CreateSelect(isSigned ? b.CreateICmpSGT(y, x) : b.CreateICmpUGT(y, x), y, x);
  default:
    failCheck("an integer operation", __FILE__, __LINE__);
  }
}

/// `clz` of 0 is the number of bits, and `ffs`, which counts from 1, is 0.
Value *Arithmetic::bits(Operation op, Value *x) {
  switch (op) {
  case Operation::Popc:
    return b.CreateUnaryIntrinsic(Intrinsic::ctpop, x);
  case Operation::Brev:
    return b.CreateUnaryIntrinsic(Intrinsic::bitreverse, x);
  case Operation::Clz:
    return b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse());
  default: {
    Value *zero = Constant::getNullValue(x->getType());
    Value *position = b.CreateBinaryIntrinsic(Intrinsic::cttz, x, b.getFalse());
    return b.CreateSelect(b.CreateICmpEQ(x, zero), zero, b.CreateAdd(position, ConstantInt::get(x->getType(), 1)));
  }
  }
}

/// `min` and `max` prefer a number to NaN, as CUDA's do; which of -0.0 and 0.0 they return is unspecified.
Value *Arithmetic::floatBinary(Operation op, Value *x, Value *y) {
  switch (op) {
  case Operation::Add:
    return b.CreateFAdd(x, y);
  case Operation::Sub:
    return b.CreateFSub(x, y);
  case Operation::Mul:
    return b.CreateFMul(x, y);
  case Operation::TrueDiv:
    return b.CreateFDiv(x, y);
  case Operation::FloorDiv:
    return floatDivideFloor(x, y, false);
  case Operation::Mod:
    return floatDivideFloor(x, y, true);
  case Operation::Min:
    return b.CreateBinaryIntrinsic(Intrinsic::minnum, x, y);
  case Operation::Max:
    return b.CreateBinaryIntrinsic(Intrinsic::maxnum, x, y);
  case Operation::Pow:
  case Operation::PowFloat:
    return powFloat(x, y);
  case Operation::Copysign:
    return b.CreateBinaryIntrinsic(Intrinsic::copysign, x, y);
  default:
    return model.math(op, {x, y});
  }
}

// CPython's float divmod; a zero divisor gives NumPy's results (x / 0 and NaN) instead of an exception.
Value *Arithmetic::floatDivideFloor(Value *x, Value *y, bool isRemainder) {
  Value *zero = Constant::getNullValue(x->getType());
  Value *remainder = model.math(Operation::Fmod, {x, y});
  Value *isZero = b.CreateFCmpOEQ(remainder, zero);
  Value *signsDiffer = b.CreateXor(b.CreateFCmpOLT(y, zero), b.CreateFCmpOLT(remainder, zero));
  Value *adjusts = b.CreateAnd(signsDiffer, b.CreateNot(isZero));
  Value *adjusted = b.CreateSelect(adjusts, b.CreateFAdd(remainder, y), remainder);
  Value *modulo = b.CreateSelect(isZero, b.CreateBinaryIntrinsic(Intrinsic::copysign, zero, y), adjusted);
  if (isRemainder)
    return modulo;
  Value *one = ConstantFP::get(x->getType(), 1.0);
  Value *plain = b.CreateFDiv(x, y);
  Value *quotient = b.CreateFDiv(b.CreateFSub(x, remainder), y);
  quotient = b.CreateSelect(adjusts, b.CreateFSub(quotient, one), quotient);
  // Rounded, the quotient may lie just below the integer that it stands for.
  Value *floor = b.CreateUnaryIntrinsic(Intrinsic::floor, quotient);
  Value *isShort = b.CreateFCmpOGT(b.CreateFSub(quotient, floor), ConstantFP::get(x->getType(), 0.5));
  floor = b.CreateSelect(isShort, b.CreateFAdd(floor, one), floor);
  // A quotient of 0 has the sign that the division itself gives.
  Value *signedZero = b.CreateBinaryIntrinsic(Intrinsic::copysign, zero, plain);
  Value *result = b.CreateSelect(b.CreateFCmpOEQ(quotient, zero), signedZero, floor);
  return b.CreateSelect(b.CreateFCmpOEQ(y, zero), plain, result);
}

namespace {

CmpInst::Predicate integerPredicate(Operation op, bool isSigned) {
  switch (op) {
  case Operation::Eq:
    return CmpInst::ICMP_EQ;
  case Operation::Ne:
    return CmpInst::ICMP_NE;
  case Operation::Lt:
    return isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
  case Operation::Le:
    return isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
  case Operation::Gt:
    return isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
  case Operation::Ge:
    return isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  default:
    failCheck("a comparison", __FILE__, __LINE__);
  }
}

} // namespace

/// A negative number is less than every unsigned one; any other compares as unsigned.
Value *Arithmetic::compareMixedSign(Operation op, Value *isSigned, Value *isUnsigned) {
  Value *isNegative = b.CreateICmpSLT(isSigned, Constant::getNullValue(isSigned->getType()));
  Value *compared = b.CreateICmp(integerPredicate(op, false), isSigned, isUnsigned);
  const bool holdsBelow = op == Operation::Lt || op == Operation::Le || op == Operation::Ne;
  return holdsBelow ? b.CreateOr(isNegative, compared) : b.CreateAnd(b.CreateNot(isNegative), compared);
}

/// By value, whatever the types: -1 is less than a uint64, where C would convert it.
Value *Arithmetic::compareIntegers(Operation op, const Type *left, Value *x, const Type *right, Value *y) {
  if (left == right)
    return b.CreateICmp(integerPredicate(op, left->isSigned()), x, y);
  const bool leftSigned = left->isSigned(), rightSigned = right->isSigned();
  const unsigned bits = std::max({left->bits(), right->bits(), 8u});
  auto widened = [&](Value *value, const Type *from, unsigned width) {
    return b.CreateIntCast(value, shaped(b.getIntNTy(width), value), from->isSigned());
  };
  if (leftSigned == rightSigned)
    return b.CreateICmp(integerPredicate(op, leftSigned), widened(x, left, bits), widened(y, right, bits));
  // One more bit than the unsigned operand has covers both, up to 32 bits.
  const unsigned unsignedBits = leftSigned ? right->bits() : left->bits();
  if (unsignedBits < 64) {
    const unsigned both = std::max(bits, unsignedBits == 1 ? 8 : unsignedBits * 2);
    return b.CreateICmp(integerPredicate(op, true), widened(x, left, both), widened(y, right, both));
  }
  if (leftSigned)
    return compareMixedSign(op, widened(x, left, 64), y);
  return compareMixedSign(mirrored(op), widened(y, right, 64), x);
}

/// A comparison with NaN fails, but for `!=`, which holds.
Value *Arithmetic::compareFloats(Operation op, Value *x, Value *y) {
  switch (op) {
  case Operation::Eq:
    return b.CreateFCmpOEQ(x, y);
  case Operation::Ne:
    return b.CreateFCmpUNE(x, y);
  case Operation::Lt:
    return b.CreateFCmpOLT(x, y);
  case Operation::Le:
    return b.CreateFCmpOLE(x, y);
  case Operation::Gt:
    return b.CreateFCmpOGT(x, y);
  case Operation::Ge:
    return b.CreateFCmpOGE(x, y);
  default:
    failCheck("a comparison", __FILE__, __LINE__);
  }
}

/// Comparisons find NaN and infinities, as no flag lets LLVM assume that there are none.
Value *Arithmetic::unaryFloat(Operation op, Value *x) {
  Constant *infinity = ConstantFP::getInfinity(x->getType());
  auto magnitude = [&] { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); };
  switch (op) {
  case Operation::Neg:
    return b.CreateFNeg(x);
  case Operation::Abs:
  case Operation::Fabs:
    return magnitude();
  case Operation::Sqrt:
    return b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  case Operation::Floor:
    return b.CreateUnaryIntrinsic(Intrinsic::floor, x);
  case Operation::Ceil:
    return b.CreateUnaryIntrinsic(Intrinsic::ceil, x);
  case Operation::Trunc:
    return b.CreateUnaryIntrinsic(Intrinsic::trunc, x);
  case Operation::RoundEven:
    return b.CreateUnaryIntrinsic(Intrinsic::roundeven, x);
  case Operation::IsNan:
    return b.CreateFCmpUNO(x, x);
  case Operation::IsInf:
    return b.CreateFCmpOEQ(magnitude(), infinity);
  case Operation::IsFinite:
    return b.CreateFCmpOLT(magnitude(), infinity);
  default:
    return model.math(op, {x});
  }
}

} // namespace treadle::codegen
