// The table of number types that kernels lack, and NumPy's non-numeric types.
#include "interop/opaque_types.h"

#include "types/type.h"

#include <algorithm>
#include <array>
#include <span>

namespace treadle {

namespace {

struct Row {
  const char *name;
  const char *typestr;
  uint8_t bytes;
  dlpack::TypeCode code;
  uint8_t bits;
};
constexpr Row rows[] = {
    {"bfloat16", "<V2", 2, dlpack::Bfloat, 16},
    {"complex32", "|V4", 4, dlpack::Complex, 32}, // two float16, and aligned as these
    {"float8_e3m4", "|V1", 1, dlpack::Float8E3M4, 8},
    {"float8_e4m3", "|V1", 1, dlpack::Float8E4M3, 8},
    {"float8_e4m3b11fnuz", "|V1", 1, dlpack::Float8E4M3B11Fnuz, 8},
    {"float8_e4m3fn", "|V1", 1, dlpack::Float8E4M3Fn, 8},
    {"float8_e4m3fnuz", "|V1", 1, dlpack::Float8E4M3Fnuz, 8},
    {"float8_e5m2", "|V1", 1, dlpack::Float8E5M2, 8},
    {"float8_e5m2fnuz", "|V1", 1, dlpack::Float8E5M2Fnuz, 8},
    {"float8_e8m0fnu", "|V1", 1, dlpack::Float8E8M0Fnu, 8},
    {"float6_e2m3fn", "|V1", 1, dlpack::Float6E2M3Fn, 6},
    {"float6_e3m2fn", "|V1", 1, dlpack::Float6E3M2Fn, 6},
    {"float4_e2m1fn", "|V1", 1, dlpack::Float4E2M1Fn, 4},
};
constexpr size_t rowCount = std::size(rows);

/// In the order of the rows.
std::span<const Type *const> rowTypes() {
  static const auto types = [] {
    std::array<const Type *, rowCount> made{};
    std::ranges::transform(rows, made.begin(), [](const Row &row) {
      return types::opaque(row.name, row.bytes, std::min(row.bytes, uint8_t(2)));
    });
    return made;
  }();
  return types;
}

/// Null: not in the table.
const Row *rowOf(const Type *element) {
  const std::span<const Type *const> types = rowTypes();
  const auto found = std::ranges::find(types, element);
  return found == types.end() ? nullptr : &rows[found - types.begin()];
}

const Row *rowOf(const dlpack::DataType &type) {
  const auto found = std::ranges::find_if(
      rows, [&](const Row &row) { return row.code == type.code && row.bits == type.bits && type.lanes == 1; });
  return found == std::end(rows) ? nullptr : found;
}

const Type *typeOf(const Row *row) { return row ? rowTypes()[size_t(row - rows)] : nullptr; }

/// "[ns]", "[25s]"; empty is generic time.
bool isUnit(std::string_view text) {
  if (text.empty())
    return true;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']')
    return false;
  text = text.substr(1, text.size() - 2);
  text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  constexpr std::string_view units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
  return std::ranges::find(units, text) != std::end(units);
}

constexpr size_t bytesOfCharacter = 4; ///< of 'U'
constexpr size_t mostBytes = 1u << 30;
constexpr std::string_view dates = "datetime64", times = "timedelta64";

} // namespace

const Type *opaqueNamed(std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const Row &row) { return std::string_view(row.name); });
  return found == std::end(rows) ? nullptr : typeOf(found);
}

const Type *opaqueOfTypestr(char kind, size_t number, std::string_view unit) {
  const bool isTime = kind == 'M' || kind == 'm';
  if (number == 0 || number > mostBytes || (isTime ? !isUnit(unit) : !unit.empty()))
    return nullptr;
  const std::string numbered = kind + std::to_string(number);
  switch (kind) {
  case 'M':
  case 'm':
    return number == 8 ? types::opaque(std::string(kind == 'M' ? dates : times).append(unit), 8, 8) : nullptr;
  case 'S':
  case 'V':
    return types::opaque(numbered, uint32_t(number), 1);
  case 'U':
    return number <= mostBytes / bytesOfCharacter
               ? types::opaque(numbered, uint32_t(number * bytesOfCharacter), bytesOfCharacter)
               : nullptr;
  default:
    return nullptr;
  }
}

std::string typestrOfOpaque(const Type *element) {
  if (const Row *const row = rowOf(element))
    return row->typestr;
  const std::string_view name = element->text();
  if (name.starts_with(dates))
    return "<M8" + std::string(name.substr(dates.size()));
  if (name.starts_with(times))
    return "<m8" + std::string(name.substr(times.size()));
  return (name.starts_with('U') ? "<" : "|") + std::string(name);
}

const Type *opaqueOfTensor(const dlpack::DataType &type, bool isPadded) {
  const Row *const row = rowOf(type);
  return row && (row->bits >= 8 || isPadded) ? typeOf(row) : nullptr;
}

std::optional<dlpack::DataType> tensorTypeOfOpaque(const Type *element) {
  const Row *const row = rowOf(element);
  return row ? std::optional(dlpack::DataType{row->code, row->bits, 1}) : std::nullopt;
}

const char *nameOfOpaque(const dlpack::DataType &type) {
  const Row *const row = rowOf(type);
  return row ? row->name : nullptr;
}

} // namespace treadle
