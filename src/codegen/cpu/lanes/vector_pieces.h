// Splitting and joining a warp's vectors, and converting complex elements to and from their two parts.
#pragma once

#include "codegen/cpu/lanes/lane_sets.h"

namespace treadle::codegen {

/// Concatenates vectors of one type, a power of two of them.
llvm::Value *concatenated(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> pieces);
/// Elements [first, first + count).
llvm::Value *pieceOf(llvm::IRBuilder<> &b, llvm::Value *vector, unsigned first, unsigned count);

/// A warp's complex elements: in memory interleaved parts; in registers one vector for each part.
class ComplexElements {
public:
  using Parts = llvm::SmallVector<llvm::Value *, 2>;

  /// `part`: the type of a part; `registerBytes`: the register size to use.
  ComplexElements(llvm::IRBuilder<> &b, llvm::Type *part, unsigned registerBytes)
      : b(b), part(part), registerBytes(registerBytes) {}

  /// All parts in memory order.
  llvm::Value *zipped(llvm::Value *real, llvm::Value *imaginary);
  Parts unzipped(llvm::Value *elements);

  /// One load or store per lane, in ascending order.
  Parts load(llvm::ArrayRef<llvm::Value *> pointers, llvm::Align alignment);
  void store(llvm::ArrayRef<llvm::Value *> pointers, const Parts &parts, llvm::Align alignment);

private:
  unsigned partsIn(unsigned bytes) const { return bytes * 8 / part->getScalarSizeInBits(); }

  llvm::IRBuilder<> &b;
  llvm::Type *part;
  unsigned registerBytes;
};

} // namespace treadle::codegen
