// The table of type names.
#include "types/names/type_names.h"

#include "types/names/type_code.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace treadle {

namespace {

std::vector<TypeName> makeNames() {
  using namespace types;
  std::vector<TypeName> names = {
      {"none", none()},        {"void", none()},
      {"boolean", boolean()},  {"bool_", boolean()},
      {"bool", boolean()},     {"b1", boolean()},
      {"int8", int8()},        {"i1", int8()},
      {"char", int8()},        {"int16", int16()},
      {"i2", int16()},         {"short", int16()},
      {"int32", int32()},      {"i4", int32()},
      {"intc", int32()},       {"int64", int64()},
      {"i8", int64()},         {"int_", intp()},
      {"intp", intp()},        {"ssize_t", intp()},
      {"long_", int64()},      {"longlong", int64()},
      {"uint8", uint8()},      {"u1", uint8()},
      {"byte", uint8()},       {"uchar", uint8()},
      {"uint16", uint16()},    {"u2", uint16()},
      {"ushort", uint16()},    {"uint32", uint32()},
      {"u4", uint32()},        {"uintc", uint32()},
      {"uint64", uint64()},    {"u8", uint64()},
      {"uint", uint64()},      {"uintp", uint64()},
      {"size_t", uint64()},    {"ulong", uint64()},
      {"ulonglong", uint64()}, {"float16", float16()},
      {"f2", float16()},       {"float32", float32()},
      {"f4", float32()},       {"float_", float32()},
      {"float64", float64()},  {"f8", float64()},
      {"double", float64()},   {"complex64", complex64()},
      {"c8", complex64()},     {"complex128", complex128()},
      {"c16", complex128()},
  };
  return names;
}

struct DtypeName {
  std::string_view name;
  NumberCode number;
};

/// NumPy's names that Numba lacks, or uses for other types.
// clang-format off
constexpr DtypeName dtypeNames[] = {
    {"int", NumberCode::Int64}, {"float", NumberCode::Float64}, {"float_", NumberCode::Float64},
    {"complex", NumberCode::Complex128}, {"complex_", NumberCode::Complex128},
    {"byte", NumberCode::Int8}, {"ubyte", NumberCode::UInt8}, {"long", NumberCode::Int64},
    {"half", NumberCode::Float16}, {"single", NumberCode::Float32}, {"csingle", NumberCode::Complex64}, {"cdouble", NumberCode::Complex128},
    {"p", NumberCode::Int64}, {"P", NumberCode::UInt64},
};
// clang-format on

/// None if it is neither one of these names nor one of NumPy's characters.
NumberCode codeNamed(std::string_view name) {
  const auto *const row = std::ranges::find(dtypeNames, name, &DtypeName::name);
  if (row != std::end(dtypeNames))
    return row->number;
  return name.size() == 1 ? numberOfCharacter(name[0]) : NumberCode::None;
}

/// '>' is the non-native byte order; '|' means that there is none.
std::string_view withoutByteOrder(std::string_view dtype) {
  if (dtype.size() > 1 && (dtype[0] == '<' || dtype[0] == '=' || dtype[0] == '|'))
    dtype.remove_prefix(1);
  return dtype;
}

} // namespace

std::span<const TypeName> typeNames() {
  static const std::vector<TypeName> &names = *new std::vector<TypeName>(makeNames());
  return names;
}

const Type *typeNamed(std::string_view name) {
  for (const TypeName &row : typeNames())
    if (row.name == name)
      return row.type;
  return nullptr;
}

const Type *numberNamed(std::string_view dtype) {
  dtype = withoutByteOrder(dtype);
  if (const NumberCode number = codeNamed(dtype); number != NumberCode::None)
    return typeOf(number);
  const Type *named = typeNamed(dtype);
  return named && named->isNumber() ? named : nullptr;
}

} // namespace treadle
