// Packs arguments with a small program that is compiled from the image's parameter layout.
#include "launch/arg_pack.h"

#include "border/image.h"
#include "support/error.h"
#include "support/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace treadle {

namespace {

/// Truncating, saturating, NaN to 0, as in kernels.
int64_t truncated(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return value >= 18446744073709551616.0 ? -1 : int64_t(uint64_t(value));
  if (value < -9223372036854775808.0)
    return std::numeric_limits<int64_t>::min();
  return int64_t(value);
}

int64_t integerOf(const ArgumentLeaf &leaf) {
  switch (leaf.kind) {
  case ArgumentLeaf::Kind::Signed:
  case ArgumentLeaf::Kind::Unsigned:
    return leaf.integer;
  case ArgumentLeaf::Kind::Real:
  case ArgumentLeaf::Kind::Complex:
    return truncated(leaf.real);
  default:
    return 0;
  }
}

double realOf(const ArgumentLeaf &leaf) {
  switch (leaf.kind) {
  case ArgumentLeaf::Kind::Signed:
    return double(leaf.integer);
  case ArgumentLeaf::Kind::Unsigned:
    return double(uint64_t(leaf.integer));
  case ArgumentLeaf::Kind::Real:
  case ArgumentLeaf::Kind::Complex:
    return leaf.real;
  default:
    return 0;
  }
}

/// From an integer directly to float32: going through double would round twice.
float floatOf(const ArgumentLeaf &leaf) {
  if (leaf.kind == ArgumentLeaf::Kind::Signed)
    return float(leaf.integer);
  if (leaf.kind == ArgumentLeaf::Kind::Unsigned)
    return float(uint64_t(leaf.integer));
  return float(realOf(leaf));
}

double imagOf(const ArgumentLeaf &leaf) { return leaf.kind == ArgumentLeaf::Kind::Complex ? leaf.imag : 0; }

bool isTrue(const ArgumentLeaf &leaf) {
  if (leaf.kind == ArgumentLeaf::Kind::Real || leaf.kind == ArgumentLeaf::Kind::Complex)
    return leaf.real != 0 || imagOf(leaf) != 0;
  return integerOf(leaf) != 0;
}

template <typename T> void store(char *to, T value) { std::memcpy(to, &value, sizeof value); }

} // namespace

void appendLeaves(const Type *type, std::vector<const Type *> &leaves) {
  if (!type->isTuple()) {
    leaves.push_back(type);
    return;
  }
  for (const Type *item : type->items())
    appendLeaves(item, leaves);
}

ArgPack::Step ArgPack::scalarStep(const Type *type, const ParameterLeaf &leaf) {
  if (type->isOptional())
    type = type->element();
  const bool isWide = leaf.bytes == 8;
  if (type->isComplex())
    return leaf.index == 0 ? (isWide ? Step::Float64 : Step::Float32) : (isWide ? Step::Imag64 : Step::Imag32);
  if (type->isFloat()) {
    TREADLE_CHECK(leaf.bytes == 2 || leaf.bytes == 4 || leaf.bytes == 8);
    return isWide ? Step::Float64 : leaf.bytes == 2 ? Step::Float16 : Step::Float32;
  }
  if (type->isBool())
    return Step::Bool;
  TREADLE_CHECK(type->isInt());
  return leaf.bytes == 1 ? Step::Int8 : leaf.bytes == 2 ? Step::Int16 : leaf.bytes == 4 ? Step::Int32 : Step::Int64;
}

ArgPack::ArgPack(const Image &image) : blockBytes(image.parameters.size) {
  std::vector<const Type *> leaves;
  for (const Type *argument : image.signature.arguments)
    appendLeaves(argument, leaves);
  leavesNeeded = uint32_t(leaves.size());
  for (const ParameterLeaf &leaf : image.parameters.leaves) {
    TREADLE_CHECK(leaf.offset + leaf.bytes <= blockBytes);
    if (leaf.source == ParameterLeaf::Source::GridBarrier)
      continue; // not an argument: the device's stream writes it
    TREADLE_CHECK(leaf.argument < leaves.size());
    Step step = Step::Pointer;
    switch (leaf.source) {
    case ParameterLeaf::Source::Scalar:
      step = scalarStep(leaves[leaf.argument], leaf);
      break;
    case ParameterLeaf::Source::HasValue:
      step = Step::HasValue;
      break;
    case ParameterLeaf::Source::Pointer:
    case ParameterLeaf::Source::GridBarrier:
      break;
    case ParameterLeaf::Source::Extent:
      step = leaf.bytes == 4 ? Step::Extent32 : Step::Extent64;
      break;
    case ParameterLeaf::Source::Stride:
      step = Step::Stride;
      break;
    }
    program.push_back({step, leaf.index, leaf.argument, leaf.offset});
  }
  std::ranges::stable_sort(program, {}, &Instruction::argument); // for stepsOf
}

inline void ArgPack::run(const Instruction &instruction, const ArgumentLeaf &leaf, char *block) {
  char *to = block + instruction.offset;
  switch (instruction.step) {
  case Step::Pointer:
    store(to, leaf.data);
    break;
  case Step::Extent32:
    store(to, int32_t(leaf.shape[instruction.index]));
    break;
  case Step::Extent64:
    store(to, leaf.shape[instruction.index]);
    break;
  case Step::Stride:
    store(to, leaf.strides[instruction.index]);
    break;
  case Step::Bool:
    store(to, uint8_t(isTrue(leaf)));
    break;
  case Step::Int8:
    store(to, int8_t(integerOf(leaf)));
    break;
  case Step::Int16:
    store(to, int16_t(integerOf(leaf)));
    break;
  case Step::Int32:
    store(to, int32_t(integerOf(leaf)));
    break;
  case Step::Int64:
    store(to, integerOf(leaf));
    break;
  case Step::Float16:
    store(to, halfBits(realOf(leaf)));
    break;
  case Step::Float32:
    store(to, floatOf(leaf));
    break;
  case Step::Float64:
    store(to, realOf(leaf));
    break;
  case Step::Imag32:
    store(to, float(imagOf(leaf)));
    break;
  case Step::Imag64:
    store(to, imagOf(leaf));
    break;
  case Step::HasValue:
    store(to, uint8_t(leaf.kind != ArgumentLeaf::Kind::None));
    break;
  }
}

void ArgPack::pack(std::span<const ArgumentLeaf> leaves, char *block) const {
  TREADLE_CHECK(leaves.size() == leavesNeeded);
  for (const Instruction &instruction : program)
    run(instruction, leaves[instruction.argument], block);
}

std::span<const ArgPack::Instruction> ArgPack::stepsOf(unsigned index) const {
  return std::ranges::equal_range(program, index, {}, &Instruction::argument);
}

void ArgPack::packLeaf(unsigned index, const ArgumentLeaf &leaf, char *block) const {
  for (const Instruction &instruction : stepsOf(index))
    run(instruction, leaf, block);
}

std::optional<uint32_t> ArgPack::placeOf(unsigned index, NumberCode number) const {
  const NumberRow &row = rowOf(number);
  const std::span<const Instruction> steps = stepsOf(index);
  if (steps.size() != 1 || row.kind == TypeKind::None || row.kind == TypeKind::Complex)
    return std::nullopt;
  ParameterLeaf asItIs;
  asItIs.bytes = row.bytes;
  return steps[0].step == scalarStep(typeOf(number), asItIs) ? std::optional(steps[0].offset) : std::nullopt;
}

} // namespace treadle
