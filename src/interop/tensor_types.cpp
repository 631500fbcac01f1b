// DLPack's codes of the number types.
#include "interop/tensor_types.h"

#include "interop/opaque_types.h"
#include "types/names/number_code.h"

#include <array>
#include <fmt/core.h>

namespace treadle {

namespace {

struct CodeRow {
  char letter; ///< as of NumberRow
  dlpack::TypeCode code;
  const char *name;
};
constexpr CodeRow codeRows[] = {
    {'b', dlpack::Bool, "bool"},   {'i', dlpack::Int, "int"},         {'u', dlpack::UInt, "uint"},
    {'f', dlpack::Float, "float"}, {'c', dlpack::Complex, "complex"},
};

const CodeRow *rowOf(uint8_t code) {
  for (const CodeRow &row : codeRows)
    if (row.code == code)
      return &row;
  return nullptr;
}

/// The number types by code and bytes: a fast path for usual tensors. Constant.
struct NumbersOfCodes {
  static constexpr size_t codes = dlpack::Bool + 1, sizes = 256 / 8; ///< `bits` is a byte
  std::array<std::array<const Type *, sizes>, codes> types{};

  NumbersOfCodes() {
    for (const CodeRow &row : codeRows)
      for (unsigned bytes = 1; bytes < sizes; ++bytes)
        types[row.code][bytes] = typeWith(row.letter, bytes);
  }
  static const NumbersOfCodes &instance() {
    static const auto *const made = new NumbersOfCodes;
    return *made;
  }
};

} // namespace

std::optional<dlpack::DataType> tensorTypeOf(const Type *element) {
  if (element->isOpaque())
    return tensorTypeOfOpaque(element);
  const NumberCode number = numberCode(element);
  for (const CodeRow &row : codeRows)
    if (row.letter == rowOf(number).letter)
      return dlpack::DataType{row.code, uint8_t(element->bytes() * 8), 1};
  return std::nullopt;
}

const Type *elementOfTensor(const dlpack::DataType &type, bool isPadded) {
  const NumbersOfCodes &numbers = NumbersOfCodes::instance();
  const bool isNumber = type.code < numbers.types.size() && type.lanes == 1;
  const Type *const number = isNumber ? numbers.types[type.code][type.bits / 8u] : nullptr;
  return number && number->bytes() * 8 == type.bits ? number : opaqueOfTensor(type, isPadded);
}

std::string nameOf(const dlpack::DataType &type) {
  if (const char *const opaque = nameOfOpaque(type))
    return opaque;
  const CodeRow *const row = rowOf(type.code);
  const std::string bits = std::to_string(type.bits);
  const std::string name = row ? row->name + bits : fmt::format("type code {} of {} bits", type.code, bits);
  return type.lanes == 1 ? name : fmt::format("{} lanes of {}", type.lanes, name);
}

std::string nameOf(const dlpack::Device &device) {
  std::string type = fmt::format("device type {}", device.type);
  if (device.type == dlpack::Cpu)
    type = "kDLCPU";
  if (device.type == dlpack::Cuda)
    type = "kDLCUDA";
  if (device.type == dlpack::CudaHost)
    type = "kDLCUDAHost";
  if (device.type == dlpack::CudaManaged)
    type = "kDLCUDAManaged";
  return fmt::format("{} {}", type, device.id);
}

} // namespace treadle
