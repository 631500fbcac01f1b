// Loops that are unrolled because LLVM or later passes make better code of what they then are.
#pragma once

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace treadle::codegen {

/// Marks loops with a small constant number of rounds to be unrolled in full by loop-unroll, whatever LLVM takes for
/// their size. Loops of at most 64 rounds of shifts and bitwise operations: in straight code LLVM recognises reversed
/// bits and bytes, merges shifts, and drops bits that are not used. Loops of at most 8 rounds that access the next
/// column in each: accesses to one row are made together (lowerStridedAccesses()). Precondition: loops are rotated, and
/// variables are no longer in memory.
void markUnrolledLoops(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

} // namespace treadle::codegen
