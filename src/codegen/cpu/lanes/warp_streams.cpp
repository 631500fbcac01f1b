// WarpLanes: the choice of streaming stores.
#include "codegen/cpu/lanes/vector_pieces.h"
#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

/// The alignment that a streaming store of a warp needs; 0: never. A partial line that waits for its rest may be
/// written to memory separately: so either adjacent warps write adjacent memory, or each writes whole lines.
unsigned WarpLanes::streamAlignment(const Type *element, const Address &address) const {
  const bool isStreamed = address.slot && e->frame->function->isKernel && address.slot->isParameter &&
                          address.slot->index < program.analysis.streamed.size() &&
                          program.analysis.streamed.test(address.slot->index);
  if (!isStreamed)
    return 0;
  if (program.analysis.spansBlocks)
    return 16;
  constexpr unsigned line = 64;
  return laneCount() * element->bytes() % line == 0 ? line : 0;
}

/// A register at a time, or as much as the address is aligned to.
void WarpLanes::storePastCaches(Value *all, Value *to, unsigned alignment) {
  IRBuilder<> &b = e->builder;
  llvm::Type *type = all->getType()->getScalarType();
  const unsigned bytes = std::min(alignment, registerBytes()), some = bytes * 8 / type->getScalarSizeInBits();
  for (unsigned first = 0; first < laneCount(); first += some) {
    Value *place = b.CreateConstGEP1_64(type, to, first);
    StoreInst *made = b.CreateAlignedStore(pieceOf(b, all, first, some), place, Align(bytes));
    made->setMetadata(LLVMContext::MD_nontemporal, MDNode::get(b.getContext(), ConstantAsMetadata::get(b.getInt32(1))));
  }
}

/// Whether the array is larger than the caches, and the place in it aligned (i1).
Value *WarpLanes::streamsTo(const Address &address, const Leaf &to, uint64_t alignment) {
  IRBuilder<> &b = e->builder;
  program.emission.hasStreams = true;
  Value *isLarge = b.CreateICmpUGE(address.arrayBytes().value, b.getInt64(program.settings.streamedFrom));
  Value *place = b.CreatePtrToInt(to.value, b.getInt64Ty());
  Value *isAligned = b.CreateICmpEQ(b.CreateAnd(place, b.getInt64(alignment - 1)), b.getInt64(0));
  return b.CreateAnd(isLarge, isAligned);
}

} // namespace treadle::codegen
