// The symbols of vector routines: how generated code names them, "treadle_vm_exp_f32_avx2".
#pragma once

#include "math/routine_table.h"
#include "support/export.h"

#include <optional>
#include <string>
#include <string_view>

namespace treadle::math {

/// What routines compute with: "f32", "i64", "u32".
struct RoutineType {
  enum class Element : uint8_t { Float, Signed, Unsigned };
  Element element = Element::Float;
  unsigned bits = 32; ///< of an element: 32 or 64
};

/// The symbol of a routine that the table or the list of our own routines has by this name. `fast`: the cheapest one,
/// where it differs.
TREADLE_API std::string routineSymbol(std::string_view name, RoutineType type, VectorIsa isa, bool fast = false);

/// The parts of the symbol of a function of the table.
struct RoutineKey {
  const MathRoutineRow *row;
  unsigned bits;
  VectorIsa isa;
  bool fast;

  unsigned lanes() const { return vectorBytes(isa) * 8 / bits; }
  const TypeChoice &choice() const { return bits == 32 ? row->f32 : row->f64; }
  RoutineSource source() const { return (fast ? choice().fast : choice().normal).on(isa); }
};

/// Nothing for names that no function of the table has.
std::optional<RoutineKey> parseSymbol(std::string_view symbol);

} // namespace treadle::math
