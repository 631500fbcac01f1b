// Vectors of a warp in pieces: put together, taken apart, and complex elements from and to their two parts.
#pragma once

#include "codegen/cpu/lane_sets.h"

namespace treadle::codegen {

/// One after the other: vectors of one type, a power of two of them.
llvm::Value *concatenated(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> pieces);
/// Elements [first, first + count).
llvm::Value *pieceOf(llvm::IRBuilder<> &b, llvm::Value *vector, unsigned first, unsigned count);

/// A warp's complex elements: in memory the real part of each, then its imaginary part; in registers a vector of each.
class ComplexElements {
public:
  using Parts = llvm::SmallVector<llvm::Value *, 2>;

  /// `part`: the type of a part; `registerBytes`: the size of the registers that take part.
  ComplexElements(llvm::IRBuilder<> &b, llvm::Type *part, unsigned registerBytes)
      : b(b), part(part), registerBytes(registerBytes) {}

  /// All parts in the order of memory.
  llvm::Value *zipped(llvm::Value *real, llvm::Value *imaginary);
  Parts unzipped(llvm::Value *elements);

  /// One load or store for each lane, in ascending order.
  Parts load(llvm::ArrayRef<llvm::Value *> pointers, llvm::Align alignment);
  void store(llvm::ArrayRef<llvm::Value *> pointers, const Parts &parts, llvm::Align alignment);

private:
  unsigned partsIn(unsigned bytes) const { return bytes * 8 / part->getScalarSizeInBits(); }

  llvm::IRBuilder<> &b;
  llvm::Type *part;
  unsigned registerBytes;
};

} // namespace treadle::codegen
