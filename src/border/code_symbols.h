// The symbols that generated CPU code may name: the interface of an image to the runtime that loads it.
#pragma once

#include "border/kernel_abi.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace treadle::cpu {

/// Incremented with each change of a symbol's meaning; images state the version that they were compiled for.
constexpr uint32_t codeSymbolsVersion = 1;

struct CodeSymbol {
  std::string_view name, what;
};

/// For their arguments, see border/kernel_abi.h for the runtime's own. Further symbols are the vector math routines,
/// "treadle_vm_..." (math/routine_symbols.h), and a 64-bit word per captured device array, "treadle_captured_0" and so
/// on (CapturedDeviceArray::symbol).
inline constexpr CodeSymbol codeSymbols[] = {
    {pollWordSymbol, "the 32-bit word that back edges look at"},
    {safepointSymbol, "what they call if it is not 0"},
    {failSymbol, "ends a launch"},
    {printSymbol, "prints for the lanes of a warp"},
    {allocateSymbol, "memory for arrays of the lanes"},
    {timerSymbol, "a monotonic clock"},
    {runBlockSymbol, "runs the warps of a block as fibers"},
    {barrierSymbol, "waits for the block, in a fiber"},
    {gatherSymbol, "waits for lanes, in a fiber"},
    {yieldSymbol, "lets other fibers run"},
    {gridBarrierSymbol, "waits for all blocks"},
    {clusterBarrierSymbol, "waits for the blocks of the cluster"},
    {breakpointSymbol, "stops a debugger"},
    {blockYieldSymbol, "lets other blocks run"},
    // Library functions to which LLVM may lower operations without instructions.
    {"memcpy", "C's"},
    {"memset", "C's"},
    {"memmove", "C's"},
    {"floorf", "C's"},
    {"floor", "C's"},
    {"ceilf", "C's"},
    {"ceil", "C's"},
    {"truncf", "C's"},
    {"trunc", "C's"},
    {"roundevenf", "C's, rounding to even"},
    {"roundeven", "C's, rounding to even"},
    {"fmaf", "C's"},
    {"fma", "C's"},
    {"fminf", "C's"},
    {"fmin", "C's"},
    {"fmaxf", "C's"},
    {"fmax", "C's"},
    // For processors without F16C, as in GCC's runtime library.
    {"__extendhfsf2", "float (_Float16)"},
    {"__truncsfhf2", "_Float16 (float)"},
    {"__truncdfhf2", "_Float16 (double)"},
};

constexpr bool isCodeSymbol(std::string_view name) {
  return std::ranges::find(codeSymbols, name, &CodeSymbol::name) != std::end(codeSymbols);
}

} // namespace treadle::cpu
