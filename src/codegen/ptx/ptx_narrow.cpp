// Integers of 64 bits that are known to fit 32: GPUs work on words of 32 bits and take several steps for more.
#include "codegen/arithmetic.h"
#include "codegen/ptx/ptx_lane_model.h"
#include "passes/interval.h"

#include <llvm/IR/Module.h>

namespace treadle::ptx {

using namespace llvm;
using intervals::fitsInt32;
using intervals::fitsUint32;
using treadle::Type;

namespace {

bool isLong(const Leaf &leaf) { return leaf.value->getType()->isIntegerTy(64); }

} // namespace

std::optional<Leaf> PtxLaneModel::compare(const Comparison &comparison) {
  const auto &[op, left, right, leftRange, rightRange] = comparison;
  const bool isSigned = fitsInt32(leftRange) && fitsInt32(rightRange);
  if (!isLong(left) || (!isSigned && !(fitsUint32(leftRange) && fitsUint32(rightRange))))
    return std::nullopt;
  const Type *word = isSigned ? types::int32() : types::uint32();
  IRBuilder<> &b = e->builder;
  return Leaf(codegen::Arithmetic(b, *this).compareIntegers(op, word, b.CreateTrunc(left.value, b.getInt32Ty()), word,
                                                            b.CreateTrunc(right.value, b.getInt32Ty())));
}

std::optional<Leaf> PtxLaneModel::compute(const Computation &computation) {
  const auto &[op, left, right, leftRange, rightRange, range] = computation;
  const bool isSigned = fitsInt32(leftRange) && fitsInt32(rightRange) && fitsInt32(range);
  const bool isUnsigned = fitsUint32(leftRange) && fitsUint32(rightRange) && fitsUint32(range);
  if (!isLong(left) || (!isSigned && !isUnsigned))
    return std::nullopt;
  IRBuilder<> &b = e->builder;
  Value *x = b.CreateTrunc(left.value, b.getInt32Ty()), *y = b.CreateTrunc(right.value, b.getInt32Ty());
  Value *word = nullptr;
  if (op == Operation::Add)
    word = b.CreateAdd(x, y, "", isUnsigned, isSigned);
  else if (op == Operation::Sub)
    word = b.CreateSub(x, y, "", isUnsigned, isSigned);
  else
    word = b.CreateMul(x, y, "", isUnsigned, isSigned);
  llvm::Type *type = left.value->getType();
  return Leaf(range.isNonNegative() ? b.CreateZExt(word, type, "", /*IsNonNeg=*/fitsInt32(range))
                                    : b.CreateSExt(word, type));
}

} // namespace treadle::ptx
