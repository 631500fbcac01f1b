// Row: one pattern of opcodes, what operands they take, and the function that executes them.
#pragma once

#include "instruction.h"

#include <span>

namespace ptxmachine {

/// Operands, one letter each: `r` a result, `R` results in braces or one, `P` a predicate or two as `p|q`; `v` a value,
/// `V` values in braces or one, `p` a predicate that may be negated, `m` an address, `n` a second one, `l` a label, `t`
/// branch targets. The one
/// after `?` may be missing.
struct Row {
  const char *pattern;
  const char *operands;
  /// Chooses by the spelling; null: not known after all.
  Execute (*choose)(const Spelling &);
  /// Sets `flags`; null: nothing to set.
  uint32_t (*flags)(const Spelling &) = nullptr;
};

/// All rows, by file.
std::span<const Row> integerRows();
std::span<const Row> bitRows();
std::span<const Row> carryRows();
std::span<const Row> floatRows();
std::span<const Row> approximateRows();
std::span<const Row> halfRows();
std::span<const Row> compareRows();
std::span<const Row> convertRows();
std::span<const Row> moveRows();
std::span<const Row> memoryRows();
std::span<const Row> atomicRows();
std::span<const Row> flowRows();
std::span<const Row> barrierRows();
std::span<const Row> clusterRows();
std::span<const Row> warpRows();
std::span<const Row> videoRows();
std::span<const Row> stackRows();
std::span<const Row> asyncRows();

struct FoundRow {
  const Row *row = nullptr;
  Spelling spelling;
  Execute run = nullptr;
};
/// The row that the opcode matches; row is null if there is none. The spelling refers to the opcode's characters.
FoundRow findRow(std::string_view opcode);

/// All rows in order; null after the last.
const Row *rowAt(size_t index);

} // namespace ptxmachine
