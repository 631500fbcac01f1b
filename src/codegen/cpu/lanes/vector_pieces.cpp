// Splitting and joining vectors: shuffles that LLVM lowers to few instructions.
#include "codegen/cpu/lanes/vector_pieces.h"

#include "codegen/cpu/lanes/prefetch.h"

#include <numeric>

using namespace llvm;

namespace treadle::codegen {

/// By pairs of equal length, as a shuffle takes two operands of one type; LLVM keeps the pieces in their registers.
Value *concatenated(IRBuilder<> &b, ArrayRef<Value *> pieces) {
  SmallVector<Value *, warpLanes> parts(pieces.begin(), pieces.end());
  while (parts.size() > 1) {
    SmallVector<Value *, warpLanes> wider;
    for (size_t i = 0; i < parts.size(); i += 2) {
      SmallVector<int, 64> all(2 * cast<FixedVectorType>(parts[i]->getType())->getNumElements());
      std::iota(all.begin(), all.end(), 0);
      wider.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], all));
    }
    parts = std::move(wider);
  }
  return parts[0];
}

Value *pieceOf(IRBuilder<> &b, Value *vector, unsigned first, unsigned count) {
  SmallVector<int, 64> picked(count);
  std::iota(picked.begin(), picked.end(), int(first));
  return b.CreateShuffleVector(vector, picked);
}

Value *ComplexElements::zipped(Value *real, Value *imaginary) {
  SmallVector<int, 64> order;
  const unsigned lanes = cast<FixedVectorType>(real->getType())->getNumElements();
  for (unsigned lane = 0; lane < lanes; ++lane)
    order.append({int(lane), int(lane + lanes)});
  return b.CreateShuffleVector(real, imaginary, order);
}

ComplexElements::Parts ComplexElements::unzipped(Value *elements) {
  Parts parts;
  const unsigned lanes = cast<FixedVectorType>(elements->getType())->getNumElements() / 2;
  for (unsigned which = 0; which < 2; ++which) {
    SmallVector<int, warpLanes> picked;
    for (unsigned lane = 0; lane < lanes; ++lane)
      picked.push_back(int(lane * 2 + which));
    parts.push_back(b.CreateShuffleVector(elements, picked));
  }
  return parts;
}

namespace {

/// Registers have 16-byte blocks, within which one instruction shuffles two registers. Two registers of elements hold
/// the parts that one register of real and one of imaginary parts hold. Such instructions convert one pair into the
/// other if, of every two neighbouring blocks of elements, one is in the first register, the other at the same place in
/// the second. All numbers count parts.
struct Blocks {
  unsigned inRegister, inBlock;

  unsigned registerOf(unsigned lane) const { return lane / (inBlock / 2) % 2; }
  unsigned placeOf(unsigned lane) const { return lane / inBlock * inBlock + lane % (inBlock / 2) * 2; }

  /// The real (0) or imaginary (1) parts of both registers of elements.
  SmallVector<int, 16> parts(unsigned which) const {
    SmallVector<int, 16> picked;
    for (unsigned lane = 0; lane < inRegister; ++lane)
      picked.push_back(int(registerOf(lane) * inRegister + placeOf(lane) + which));
    return picked;
  }

  /// The first or second register of elements, of one of real parts and one of imaginary ones.
  SmallVector<int, 16> elements(unsigned which) const {
    SmallVector<int, 16> picked;
    for (unsigned lane = 0; lane < inRegister; ++lane)
      if (registerOf(lane) == which)
        picked.append({int(lane), int(inRegister + lane)});
    return picked;
  }
};

constexpr unsigned blockBytes = 16;

} // namespace

/// Each element is one load of both parts, into the half of a block from which the shuffles take it.
ComplexElements::Parts ComplexElements::load(ArrayRef<Value *> pointers, Align alignment) {
  const Blocks blocks{partsIn(registerBytes), partsIn(blockBytes)};
  SmallVector<Value *, 16> pieces[2];
  for (unsigned first = 0; first < pointers.size(); first += blocks.inRegister) {
    SmallVector<Value *, 8> loaded[2];
    for (unsigned lane = 0; lane < blocks.inRegister; ++lane) {
      LoadInst *element = b.CreateAlignedLoad(FixedVectorType::get(part, 2), pointers[first + lane], alignment);
      // Prefetching leaves it out: it would take the two parts for a register of adjacent elements.
      markLaneLoad(*element);
      loaded[blocks.registerOf(lane)].push_back(element);
    }
    Value *registers[] = {concatenated(b, loaded[0]), concatenated(b, loaded[1])};
    for (unsigned which = 0; which < 2; ++which)
      pieces[which].push_back(b.CreateShuffleVector(registers[0], registers[1], blocks.parts(which)));
  }
  return {concatenated(b, pieces[0]), concatenated(b, pieces[1])};
}

/// One register of elements after the other, in ascending order of lanes: the last of those that write to one place
/// wins.
void ComplexElements::store(ArrayRef<Value *> pointers, const Parts &parts, Align alignment) {
  const Blocks blocks{partsIn(registerBytes), partsIn(blockBytes)};
  for (unsigned first = 0; first < pointers.size(); first += blocks.inRegister) {
    Value *real = pieceOf(b, parts[0], first, blocks.inRegister);
    Value *imaginary = pieceOf(b, parts[1], first, blocks.inRegister);
    Value *registers[2];
    for (unsigned which = 0; which < 2; ++which)
      registers[which] = b.CreateShuffleVector(real, imaginary, blocks.elements(which));
    for (unsigned lane = 0; lane < blocks.inRegister; ++lane) {
      Value *element = pieceOf(b, registers[blocks.registerOf(lane)], blocks.placeOf(lane), 2);
      b.CreateAlignedStore(element, pointers[first + lane], alignment);
    }
  }
}

} // namespace treadle::codegen
