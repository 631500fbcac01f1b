// Narrows vectors, and shifts elements out of words.
#include "codegen/cpu/lanes/lane_words.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace treadle::codegen {

Narrowed narrowed(Value *vector) {
  if (auto *zext = dyn_cast<ZExtInst>(vector))
    return {zext->getOperand(0), false};
  auto *sext = dyn_cast<SExtInst>(vector);
  if (!sext)
    return {vector, true};
  const Narrowed whole{sext->getOperand(0), true};
  auto *trunc = dyn_cast<TruncInst>(whole.vector);
  const Narrowed inner = trunc ? narrowed(trunc->getOperand(0)) : whole;
  return inner.bits() + (inner.isSigned ? 0 : 1) <= whole.bits() ? inner : whole;
}

Value *elementOfWord(IRBuilder<> &b, const Narrowed &narrow, unsigned lane, llvm::Type *type) {
  const unsigned bits = narrow.bits(), inWord = 64 / bits, shift = lane % inWord * bits;
  const unsigned lanes = cast<FixedVectorType>(narrow.vector->getType())->getNumElements();
  Value *words = b.CreateBitCast(narrow.vector, FixedVectorType::get(b.getInt64Ty(), lanes / inWord));
  Value *word = b.CreateExtractElement(words, uint64_t(lane / inWord));
  if (narrow.isSigned)
    return b.CreateSExtOrTrunc(b.CreateAShr(b.CreateShl(word, 64 - shift - bits), 64 - bits), type);
  return b.CreateZExtOrTrunc(b.CreateAnd(b.CreateLShr(word, shift), (uint64_t(1) << bits) - 1), type);
}

} // namespace treadle::codegen
