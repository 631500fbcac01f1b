// Takes addresses apart.
#include "codegen/cpu/lanes/address_terms.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Adds an index of a GEP, in units of `scale` bytes.
void addIndex(AddressTerms &terms, const Value *value, int64_t scale) {
  using namespace PatternMatch;
  const Value *term = nullptr;
  const APInt *number = nullptr;
  terms.index = value;
  terms.factor = scale;
  // Narrower ones wrap before they are part of an address.
  if (!value->getType()->isIntegerTy(64))
    return;
  if (match(terms.index, m_AddLike(m_Value(term), m_APInt(number)))) {
    terms.offset += number->getSExtValue() * scale;
    terms.index = term;
  }
  if (match(terms.index, m_Mul(m_Value(term), m_APInt(number)))) {
    terms.factor = number->getSExtValue() * scale;
    terms.index = term;
  } else if (match(terms.index, m_Shl(m_Value(term), m_APInt(number))) && number->ult(32)) {
    terms.factor = scale << number->getZExtValue();
    terms.index = term;
  }
}

} // namespace

AddressTerms AddressTerms::of(const Value *pointer, const DataLayout &layout) {
  APInt constant(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  AddressTerms terms{pointer->stripAndAccumulateConstantOffsets(layout, constant, true), nullptr, 1, 0};
  const auto *step = dyn_cast<GEPOperator>(terms.base);
  if (step && step->getNumIndices() == 1 && !step->getType()->isVectorTy()) {
    terms.base = step->getPointerOperand();
    addIndex(terms, step->getOperand(1), int64_t(layout.getTypeAllocSize(step->getSourceElementType())));
  }
  terms.offset += constant.getSExtValue();
  return terms;
}

} // namespace treadle::codegen
