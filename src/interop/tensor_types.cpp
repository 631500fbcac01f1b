// DLPack's codes of the number types.
#include "interop/tensor_types.h"

#include "interop/opaque_types.h"
#include "types/type.h"

#include <array>

namespace treadle {

namespace {

struct CodeRow {
  TypeKind kind;
  bool isSigned;
  dlpack::TypeCode code;
  const char *name;
};
constexpr CodeRow codeRows[] = {
    {TypeKind::Bool, false, dlpack::Bool, "bool"},         {TypeKind::Int, true, dlpack::Int, "int"},
    {TypeKind::Int, false, dlpack::UInt, "uint"},          {TypeKind::Float, true, dlpack::Float, "float"},
    {TypeKind::Complex, true, dlpack::Complex, "complex"},
};

const CodeRow *rowOf(uint8_t code) {
  for (const CodeRow &row : codeRows)
    if (row.code == code)
      return &row;
  return nullptr;
}

/// Null: there is no such number.
const Type *numberOf(const CodeRow &row, unsigned bits) {
  const bool isPowerOf2 = (bits & (bits - 1)) == 0;
  switch (row.kind) {
  case TypeKind::Bool:
    return bits == 8 ? types::boolean() : nullptr;
  case TypeKind::Int:
    return isPowerOf2 && bits >= 8 && bits <= 64 ? types::integer(bits, row.isSigned) : nullptr;
  case TypeKind::Float:
    return bits == 16 || bits == 32 || bits == 64 ? types::floating(bits) : nullptr;
  case TypeKind::Complex:
    return bits == 64 ? types::complex64() : bits == 128 ? types::complex128() : nullptr;
  default:
    return nullptr;
  }
}

/// The number types by code and bytes, which is all that usual tensors ask for. Never changes.
struct NumbersOfCodes {
  static constexpr size_t codes = dlpack::Bool + 1, sizes = 256 / 8; ///< `bits` is a byte
  std::array<std::array<const Type *, sizes>, codes> types{};

  NumbersOfCodes() {
    for (const CodeRow &row : codeRows)
      for (unsigned bytes = 1; bytes < sizes; ++bytes)
        types[row.code][bytes] = numberOf(row, bytes * 8);
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
  for (const CodeRow &row : codeRows)
    if (row.kind == element->kind() && (!element->isInt() || row.isSigned == element->isSigned()))
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
  const std::string name = row ? row->name + bits : "type code " + std::to_string(type.code) + " of " + bits + " bits";
  return type.lanes == 1 ? name : std::to_string(type.lanes) + " lanes of " + name;
}

std::string nameOf(const dlpack::Device &device) {
  std::string type = "device type " + std::to_string(device.type);
  if (device.type == dlpack::Cpu)
    type = "kDLCPU";
  if (device.type == dlpack::Cuda)
    type = "kDLCUDA";
  if (device.type == dlpack::CudaHost)
    type = "kDLCUDAHost";
  if (device.type == dlpack::CudaManaged)
    type = "kDLCUDAManaged";
  return type + ' ' + std::to_string(device.id);
}

} // namespace treadle
