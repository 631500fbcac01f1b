// The semantics of operations on machine values. Scalars and vectors alike: LLVM's builder takes both.
#pragma once

#include "builtins/operation.h"
#include "types/type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

class LaneValues;

/// A number's parts: one value, or real and imaginary part.
struct ComplexValue {
  llvm::Value *real;
  llvm::Value *imag;
};

/// LLVM's type of a float. Throws InternalError for a width that is not implemented.
llvm::Type *floatType(llvm::LLVMContext &context, const Type *type);

/// Whether the value was just widened from integers of at most 32 bits, which are then its operand.
bool isWidened(const llvm::Value *value);

/// Emits operations. All operands of a call have one shape. Every lane is defined, active or not.
class Arithmetic {
public:
  Arithmetic(llvm::IRBuilder<> &builder, LaneValues &model) : b(builder), model(model) {}

  llvm::Value *convertInteger(llvm::Value *value, const Type *from, const Type *to);
  llvm::Value *integerToFloat(llvm::Value *value, const Type *from, const Type *to);
  /// Saturates; NaN becomes 0.
  llvm::Value *floatToInteger(llvm::Value *value, const Type *to);
  llvm::Value *roundedToOdd(llvm::Value *value);
  llvm::Value *convertReal(llvm::Value *value, const Type *from, const Type *to);

  llvm::Value *integerBinary(Operation op, const Type *type, llvm::Value *x, llvm::Value *y);
  /// Popc, Brev, Clz, Ffs.
  llvm::Value *bits(Operation op, llvm::Value *x);
  llvm::Value *floatBinary(Operation op, llvm::Value *x, llvm::Value *y);
  llvm::Value *compareIntegers(Operation op, const Type *left, llvm::Value *x, const Type *right, llvm::Value *y);
  llvm::Value *compareFloats(Operation op, llvm::Value *x, llvm::Value *y);
  /// Python's // and %; the result is unspecified where the divisor is 0.
  llvm::Value *floorDivide(const Type *type, llvm::Value *x, llvm::Value *y, bool isRemainder);
  /// Precondition: the operands are not negative and the divisor is not 0 where it matters.
  llvm::Value *divideNonNegative(llvm::Value *x, llvm::Value *y, bool isRemainder);
  /// Both operands are floats.
  llvm::Value *powFloat(llvm::Value *base, llvm::Value *exponent);
  llvm::Value *powInteger(const Type *type, llvm::Value *base, llvm::Value *exponent);
  /// Float base, int64 exponent.
  llvm::Value *powByInteger(llvm::Value *base, llvm::Value *exponent);
  llvm::Value *roundDigits(llvm::Value *x, llvm::Value *digits);
  llvm::Value *roundExact(llvm::Value *scaled, llvm::Value *lost);
  llvm::Value *unaryFloat(Operation op, llvm::Value *x);

  ComplexValue complexMultiply(ComplexValue x, ComplexValue y);
  ComplexValue complexDivide(ComplexValue x, ComplexValue y);
  ComplexValue complexPow(ComplexValue x, ComplexValue y);
  ComplexValue complexPowByInteger(ComplexValue x, llvm::Value *exponent);

  /// The scalar type or vector of it that has the shape of `like`.
  llvm::Type *shaped(llvm::Type *scalar, llvm::Value *like);
  llvm::Value *anyLane(llvm::Value *condition);

private:
  /// For processors without a vector instruction for these.
  llvm::Value *longToDouble(llvm::Value *value, bool isSigned);
  llvm::Value *doubleToLong(llvm::Value *value, bool isSigned);
  llvm::Value *floatDivideFloor(llvm::Value *x, llvm::Value *y, bool isRemainder);
  llvm::Value *compareMixedSign(Operation op, llvm::Value *isSigned, llvm::Value *isUnsigned);
  llvm::Value *safeDivisor(llvm::Value *divisor, llvm::Value *alsoBad);
  /// Square and multiply while any lane has exponent bits left; `step(result, base)` multiplies.
  using Parts = llvm::SmallVector<llvm::Value *, 2>;
  Parts powerLoop(Parts one, Parts base, llvm::Value *exponent,
                  llvm::function_ref<Parts(const Parts &, const Parts &)> multiply);
  Parts powerUnrolled(Parts one, Parts base, uint64_t exponent,
                      llvm::function_ref<Parts(const Parts &, const Parts &)> multiply);
  Parts power(const Parts &one, const Parts &base, llvm::Value *exponent,
              llvm::function_ref<Parts(const Parts &, const Parts &)> multiply);

  llvm::IRBuilder<> &b;
  LaneValues &model;
};

} // namespace treadle::codegen
