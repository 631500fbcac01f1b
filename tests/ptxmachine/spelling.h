// Spelling: an opcode with its modifiers, matched against the pattern of a row of the table of instructions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmachine {

enum class TypeKind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Predicate };

struct Type {
  TypeKind kind = TypeKind::Bits;
  uint8_t bits = 32;
  bool isPair = false; ///< f16x2, bf16x2

  size_t bytes() const { return bits < 8 ? 1 : bits / 8; }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isFloat() const { return kind == TypeKind::Float || kind == TypeKind::BFloat; }
  bool operator==(const Type &) const = default;
};

class Spelling {
public:
  /// Whether one of the words after the opcode is `word`, as one alternative or part of one.
  bool has(std::string_view word) const;
  /// The types among the words, in order.
  std::vector<Type> types;
  Type type() const { return types.empty() ? Type{} : types.front(); }
  Type last() const { return types.empty() ? Type{} : types.back(); }
  std::vector<std::string_view> words;
};

/// Patterns are words between dots: `add`, `(s32|u32)` for one of them, `[ftz|sat]` for one or none. An alternative may
/// be several words: `[relaxed.gpu|volatile]`.
bool matches(std::string_view pattern, std::string_view opcode, Spelling &spelling);

} // namespace ptxmachine
