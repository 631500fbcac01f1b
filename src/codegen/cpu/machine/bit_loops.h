// Loops over the bits of a number, which LLVM simplifies once they are unrolled.
#pragma once

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace treadle::codegen {

/// Marks loops that make at most 64 rounds, a constant number, of shifts and bitwise operations, to be unrolled in full
/// by loop-unroll, whatever their size: in straight code LLVM recognises reversed bits and bytes, merges shifts, and
/// drops bits that are not used. Precondition: loops are rotated, and variables are no longer in memory.
void unrollBitLoops(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

} // namespace treadle::codegen
