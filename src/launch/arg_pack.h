// ArgPack: writes the arguments of a launch into the parameter block of a kernel.
#pragma once

#include "launch/arguments.h"
#include "support/export.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace treadle {

struct Image;
struct ParameterLeaf;

/// Writes exactly the bytes of the kernel's parameter layout, except for the grid barrier's word, which is not an
/// argument: the launching stream writes it. Made once per image; packing allocates nothing.
class ArgPack {
public:
  /// Throws InternalError if the layout does not fit the signature.
  TREADLE_API explicit ArgPack(const Image &image);

  uint32_t size() const { return blockBytes; }
  /// Converts scalars to the signature's types; overload resolution has allowed the conversions. `block` has size()
  /// bytes.
  TREADLE_API void pack(std::span<const ArgumentLeaf> leaves, char *block) const;
  /// The same for one of the leaves.
  TREADLE_API void packLeaf(unsigned index, const ArgumentLeaf &leaf, char *block) const;
  /// Whether the kernel reads any part of that leaf.
  bool reads(unsigned index) const { return !stepsOf(index).empty(); }
  /// The offset in the block of a leaf of that type, if it is stored unconverted and nothing else of it is.
  TREADLE_API std::optional<uint32_t> placeOf(unsigned index, NumberCode number) const;

private:
  enum class Step : uint8_t {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Float16,
    Float32,
    Float64,
    Imag32,
    Imag64,
    HasValue,
    Pointer,
    Extent32,
    Extent64,
    Stride
  };
  struct Instruction {
    Step step;
    uint8_t index;
    uint16_t argument;
    uint32_t offset;
  };
  static Step scalarStep(const Type *type, const ParameterLeaf &leaf);
  TREADLE_API std::span<const Instruction> stepsOf(unsigned index) const;
  static void run(const Instruction &instruction, const ArgumentLeaf &leaf, char *block);

  std::vector<Instruction> program;
  uint32_t blockBytes;
  uint32_t leavesNeeded = 0;
};

/// The leaves of a type in order, tuples depth first: what ParameterLeaf::argument counts.
TREADLE_API void appendLeaves(const Type *type, std::vector<const Type *> &leaves);

} // namespace treadle
