// Strided accesses: a warp's elements that lie a constant number of elements apart, such as a column's.
#include "codegen/cpu/lanes/strided_elements.h"

#include "codegen/cpu/lanes/address_terms.h"
#include "codegen/cpu/lanes/vector_pieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Three byte counts: the offset of the access from an element, the element stride, and the element size.
constexpr const char *ofWindow = "treadle.window";

void mark(Instruction &access, uint64_t begin, uint64_t step, uint64_t size) {
  SmallVector<Metadata *, 3> numbers;
  llvm::Type *type = IntegerType::getInt64Ty(access.getContext());
  for (const uint64_t number : {begin, step, size})
    numbers.push_back(ConstantAsMetadata::get(ConstantInt::get(type, number)));
  access.setMetadata(ofWindow, MDNode::get(access.getContext(), numbers));
}

} // namespace

void markElements(Instruction &access, uint64_t step, uint64_t size) { mark(access, 0, step, size); }

void StridedElements::mark(Instruction &access, unsigned begin) {
  const uint64_t size = type->getScalarSizeInBits() / 8;
  codegen::mark(access, begin % step * size, step * size, size);
}

/// Windows in ascending order, as processors prefetch them.
Value *StridedElements::load(Value *first, Value *active, Align alignment) {
  SmallVector<Value *, 8> loaded;
  for (unsigned lane = 0; lane < lanes; lane += inRegister)
    loaded.push_back(loadRegister(window(first, lane, active, alignment)));
  return concatenated(b, loaded);
}

void StridedElements::store(Value *first, Value *values, Value *active, Align alignment) {
  for (unsigned lane = 0; lane < lanes; lane += inRegister)
    storeRegister(window(first, lane, active, alignment), pieceOf(b, values, lane, inRegister));
}

/// `pdep` moves each lane's bit to the place of its element in the window.
StridedElements::Window StridedElements::window(Value *first, unsigned lane, Value *active, Align alignment) {
  Window made{place(first, lane * step), nullptr, alignment};
  if (!active)
    return made;
  uint64_t elements = 0;
  for (unsigned i = 0; i < inRegister; ++i)
    elements |= uint64_t(1) << i * step;
  Value *bits = b.CreateBitCast(pieceOf(b, active, lane, inRegister), b.getIntNTy(inRegister));
  made.spread = b.CreateIntrinsic(b.getInt64Ty(), Intrinsic::x86_bmi_pdep_64,
                                  {b.CreateZExt(bits, b.getInt64Ty()), b.getInt64(elements)});
  return made;
}

/// For the elements in a part of the window.
Value *StridedElements::mask(const Window &window, unsigned part) {
  Value *bits = b.CreateTrunc(b.CreateLShr(window.spread, part * inRegister), b.getIntNTy(inRegister));
  return b.CreateBitCast(bits, FixedVectorType::get(b.getInt1Ty(), inRegister));
}

/// Without masks the last part is moved back, so that it ends with the last element: the bytes after that may belong to
/// another page, or be written by another thread.
unsigned StridedElements::beginOf(const Window &window, unsigned part) const {
  const unsigned last = (inRegister - 1) * step + 1 - inRegister;
  return window.spread ? part * inRegister : std::min(part * inRegister, last);
}

Value *StridedElements::loadPart(const Window &window, unsigned part) {
  auto *whole = FixedVectorType::get(type, inRegister);
  const unsigned begin = beginOf(window, part);
  Value *from = place(window.begin, begin);
  Instruction *load =
      window.spread ? static_cast<Instruction *>(b.CreateMaskedLoad(whole, from, window.alignment, mask(window, part),
                                                                    Constant::getNullValue(whole)))
                    : b.CreateAlignedLoad(whole, from, window.alignment);
  mark(*load, begin);
  return load;
}

Value *StridedElements::loadRegister(const Window &window) {
  SmallVector<Value *, 16> parts;
  for (unsigned part = 0; part < step; ++part)
    parts.push_back(loadPart(window, part));
  // Merges pairwise; each element ends up in its final position.
  for (unsigned covered = 1; parts.size() > 1; covered *= 2) {
    SmallVector<Value *, 16> wider;
    for (unsigned i = 0; i < parts.size(); i += 2) {
      SmallVector<int, 64> picked;
      for (unsigned lane = 0; lane < inRegister; ++lane) {
        const unsigned offset = lane * step, part = offset / inRegister, from = part / covered;
        const unsigned inPart = covered == 1 ? offset - beginOf(window, part) : lane;
        picked.push_back(from == i ? int(inPart) : from == i + 1 ? int(inRegister + inPart) : PoisonMaskElem);
      }
      wider.push_back(b.CreateShuffleVector(parts[i], i + 1 < parts.size() ? parts[i + 1] : parts[i], picked));
    }
    parts = std::move(wider);
  }
  return parts[0];
}

void StridedElements::storeRegister(const Window &window, Value *values) {
  for (unsigned part = 0; part < step; ++part) {
    SmallVector<int, 64> picked;
    SmallVector<Constant *, 64> isElement;
    for (unsigned i = 0; i < inRegister; ++i) {
      const unsigned offset = part * inRegister + i;
      isElement.push_back(b.getInt1(offset % step == 0));
      picked.push_back(offset % step == 0 ? int(offset / step) : PoisonMaskElem);
    }
    Value *stored = window.spread ? mask(window, part) : ConstantVector::get(isElement);
    mark(*b.CreateMaskedStore(b.CreateShuffleVector(values, picked), place(window.begin, part * inRegister),
                              window.alignment, stored),
         part * inRegister);
  }
}

std::optional<MarkedElements> MarkedElements::of(const Instruction &access) {
  const MDNode *numbers = access.getMetadata(ofWindow);
  if (!numbers)
    return std::nullopt;
  auto number = [&](unsigned i) {
    return int64_t(mdconst::extract<ConstantInt>(numbers->getOperand(i))->getZExtValue());
  };
  const Value *pointer = access.getOperand(access.mayWriteToMemory() ? 1 : 0);
  int64_t first = 0;
  if (pointer->getType()->isVectorTy()) {
    // A scatter's addresses: only those with a single base and constant offsets are known.
    const auto *places = dyn_cast<GEPOperator>(pointer);
    const auto *distances = places ? dyn_cast<Constant>(places->getOperand(1)) : nullptr;
    // Poison where a constant mask has the lane off.
    const auto *distance = distances ? dyn_cast_or_null<ConstantInt>(distances->getAggregateElement(0u)) : nullptr;
    if (!distance || places->getPointerOperandType()->isVectorTy() || !places->getSourceElementType()->isIntegerTy(8))
      return std::nullopt;
    pointer = places->getPointerOperand();
    first = distance->getSExtValue();
  }
  MarkedElements elements{AddressTerms::of(pointer, access.getDataLayout()), number(1), number(2)};
  elements.place.offset += first - number(0);
  return elements;
}

bool isOfWindow(const Instruction &access) { return access.hasMetadata(ofWindow); }

namespace {

/// Moves one load, with its address computation, before the first of the stores that it may pass.
/// What the load's address is computed from moves along, unless it reads memory itself. A limit on the distance keeps
/// the time linear in long blocks.
void loadEarly(Instruction &load, const MarkedElements &elements) {
  constexpr unsigned farthest = 200;
  SmallVector<Instruction *, 8> moved{&load};
  Instruction *to = nullptr;
  unsigned passed = 0;
  size_t count = 0;
  for (Instruction *above = load.getPrevNode(); above && ++passed < farthest; above = above->getPrevNode()) {
    const bool isNeeded = any_of(moved, [&](Instruction *one) { return is_contained(one->operands(), above); });
    if (isNeeded) {
      if (isa<PHINode>(above) || above->mayReadOrWriteMemory())
        break;
      moved.push_back(above);
      continue;
    }
    if (!above->mayWriteToMemory())
      continue;
    const std::optional<MarkedElements> stored = MarkedElements::of(*above);
    if (!stored || !stored->areBetween(elements))
      break;
    to = above;
    count = moved.size();
  }
  for (size_t i = count; to && i-- > 0;)
    moved[i]->moveBefore(to);
}

} // namespace

void loadWindowsEarly(Module &module) {
  SmallVector<Instruction *, 64> loads;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isOfWindow(instruction) && !instruction.mayWriteToMemory())
        loads.push_back(&instruction);
  // From the first to the last, so that loads keep their order.
  for (Instruction *load : loads)
    loadEarly(*load, *MarkedElements::of(*load));
}

} // namespace treadle::codegen
