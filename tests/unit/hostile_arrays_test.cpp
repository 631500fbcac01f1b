// Descriptions of arrays that are wrong in one to three fields: refused, or exactly what they say, by a model that
// counts in 128 bits. HOSTILE_ARRAYS in the environment: how many of each protocol.
#include "interop/interface_reader.h"
#include "interop/interface_types.h"
#include "interop/opaque_types.h"
#include "interop/tensor_reader.h"
#include "interop/tensor_types.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>

namespace treadle {
namespace {

using Wide = __int128;

constexpr size_t room = 16; ///< more axes than arrays can have, so that readers may look at all that is claimed
constexpr dlpack::DataType numbers[] = {
    {dlpack::Bool, 8, 1},      {dlpack::Int, 8, 1},    {dlpack::Int, 16, 1},    {dlpack::Int, 32, 1},
    {dlpack::Int, 64, 1},      {dlpack::UInt, 8, 1},   {dlpack::UInt, 16, 1},   {dlpack::UInt, 32, 1},
    {dlpack::UInt, 64, 1},     {dlpack::Float, 32, 1}, {dlpack::Float, 64, 1},  {dlpack::Complex, 64, 1},
    {dlpack::Complex, 128, 1}, {dlpack::Float, 16, 1}, {dlpack::Bfloat, 16, 1}, {dlpack::Float8E5M2, 8, 1}};

/// What DLPack has no types for, and what is none.
const std::array<const char *, 12> otherTypestrs{"<M8[ns]", "<m8[25s]", "<M8",  "<M8[xs]", "<M8[", "<m8[3]",
                                                 "|S3",     "<U2",      "|V12", "|V12",    "<V2",  "|V0"};

/// Records of 12 bytes.
const Type *pair() {
  const RecordField fields[] = {{"mass", types::float32(), 0, {}}, {"at", types::float64(), 4, {}}};
  return types::record(fields, 12);
}

/// An array as both protocols can describe it. Strides in elements.
struct Claim {
  dlpack::DataType type{};
  int32_t ndim = 0;
  std::array<int64_t, room> shape{}, strides{};
  bool hasShape = true, hasStrides = true;
  uintptr_t data = 0;
  uint64_t offset = 0; ///< bytes
};

bool fitsInt64(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

/// What the rules say of a claim. `isInBytes`: its strides are read as bytes.
class Model {
public:
  Model(const Claim &claim, const Type *element, bool isInBytes)
      : claim(claim), element(element), isInBytes(isInBytes) {}

  bool accepts() {
    if (!element || claim.ndim < 0 || claim.ndim > 8 || (claim.ndim > 0 && !claim.hasShape))
      return false;
    return readAxes() && (isEmpty || hasMemory());
  }
  Wide address(const std::array<int64_t, room> &index) const {
    Wide at = Wide(claim.data) + claim.offset;
    for (int axis = 0; axis < claim.ndim; ++axis)
      at += index[size_t(axis)] * strides[size_t(axis)];
    return at;
  }

  Wide first = 0, last = 0; ///< bytes, from element [0, ..., 0]
  bool isEmpty = false;

private:
  bool readAxes() {
    const Wide item = element->bytes();
    Wide packed = item;
    for (int i = claim.ndim - 1; i >= 0; --i) {
      const auto axis = size_t(i);
      const int64_t extent = claim.shape[axis];
      if (extent < 0 || extent > int64_t(1) << 47)
        return false;
      isEmpty |= extent == 0;
      strides[axis] = !claim.hasStrides ? packed : Wide(claim.strides[axis]) * (isInBytes ? 1 : item);
      if (!fitsInt64(strides[axis]) && extent > 1)
        return false;
      packed *= std::max<int64_t>(extent, 1);
      if (!fitsInt64(packed))
        return false;
    }
    return true;
  }

  bool hasMemory() {
    last = element->bytes();
    bool isAligned = (Wide(claim.data) + claim.offset) % Wide(element->alignment()) == 0;
    for (int i = 0; i < claim.ndim; ++i) {
      const auto axis = size_t(i);
      if (claim.shape[axis] == 1)
        continue;
      const Wide span = strides[axis] * (claim.shape[axis] - 1);
      (span < 0 ? first : last) += span;
      isAligned &= strides[axis] % Wide(element->alignment()) == 0;
    }
    const Wide begin = Wide(claim.data) + claim.offset;
    return claim.data != 0 && isAligned && fitsInt64(last - first) && begin + first >= 0 && begin + last <= INT64_MAX;
  }

  const Claim &claim;
  const Type *const element;
  const bool isInBytes;
  std::array<Wide, room> strides{};
};

/// Whatever was read is exported as what it is. Numbers that kernels do not know have a name, and no typestr of their
/// own.
void checkNames(const Type *element) {
  if (!element || !element->isOpaque())
    return;
  if (const std::optional<dlpack::DataType> tensorType = tensorTypeOf(element)) {
    EXPECT_EQ(elementOfTensor(*tensorType, true), element) << element->name();
    EXPECT_EQ(opaqueNamed(element->text()), element) << element->name();
    EXPECT_EQ(opaqueBytes(typestrOf(element)), element->bytes()) << element->name();
  } else {
    EXPECT_EQ(elementOfTypestr(typestrOf(element)), element) << element->name();
  }
}

class HostileArrays : public testing::Test {
protected:
  using Random = std::mt19937_64;

  uint64_t below(uint64_t limit) { return random() % limit; }
  template <typename Range> auto oneOf(const Range &range) { return range[below(std::size(range))]; }

  /// An array in the arena.
  Claim valid() {
    Claim claim;
    claim.type = oneOf(numbers);
    const auto item = int64_t(elementOfTensor(claim.type)->bytes());
    claim.ndim = int32_t(below(5));
    claim.shape.fill(1);
    claim.strides.fill(1);
    int64_t step = 1, back = 0;
    for (size_t axis = size_t(claim.ndim); axis-- > 0;) {
      claim.shape[axis] = int64_t(below(4));
      claim.strides[axis] = below(8) == 0 ? 0 : step * (below(3) == 0 ? -1 : 1);
      if (claim.strides[axis] < 0)
        back += step * std::max<int64_t>(claim.shape[axis] - 1, 0);
      step *= std::max<int64_t>(claim.shape[axis], 1) + int64_t(below(2));
    }
    claim.data = reinterpret_cast<uintptr_t>(arena.data());
    claim.offset = uint64_t((back + int64_t(below(4))) * item);
    claim.hasStrides = back > 0 || below(3) > 0;
    return claim;
  }

  int64_t strange(int64_t value) {
    const auto bits = uint64_t(value);
    const int64_t values[] = {0,
                              1,
                              -1,
                              2,
                              int64_t(bits + 1),
                              int64_t(bits - 1),
                              int64_t(-bits),
                              7,
                              int64_t(1) << 31,
                              int64_t(1) << 47,
                              (int64_t(1) << 47) + 1,
                              int64_t(1) << 60,
                              INT64_MAX,
                              INT64_MIN,
                              int64_t(random()) >> below(63)};
    return oneOf(values);
  }

  void change(Claim &claim) {
    const size_t axis = below(uint64_t(std::clamp(claim.ndim, 1, 8)));
    switch (below(12)) {
    case 0:
    case 1:
      claim.shape[axis] = strange(claim.shape[axis]);
      break;
    case 2:
    case 3:
      claim.strides[axis] = strange(claim.strides[axis]);
      claim.hasStrides = true;
      break;
    case 4:
      claim.ndim = oneOf(std::array{-1, 0, 1, 7, 8, 9, 15, 1 << 20, INT32_MAX, INT32_MIN});
      break;
    case 5:
      claim.type.code = uint8_t(below(20));
      break;
    case 6:
      claim.type.bits = oneOf(std::array<uint8_t, 10>{0, 1, 4, 6, 8, 16, 24, 32, 64, 128});
      break;
    case 7:
      claim.type.lanes = uint16_t(below(3));
      break;
    case 8:
      claim.data = oneOf(
          std::array<uintptr_t, 7>{0, 1, 8, claim.data + 1, claim.data + 4, UINTPTR_MAX - 15, uintptr_t(1) << 63});
      break;
    case 9:
      claim.offset = uint64_t(strange(int64_t(claim.offset)));
      break;
    case 10:
      claim.hasStrides = !claim.hasStrides;
      break;
    default:
      claim.hasShape = below(4) > 0;
    }
  }

  /// Compares what was read with the model. Nothing: it was refused.
  void check(Model &model, const std::optional<ForeignArray> &array) {
    ASSERT_EQ(array.has_value(), model.accepts()) << "after " << accepted + refused;
    if (!array) {
      ++refused;
      return;
    }
    ++accepted;
    const ArrayView *const view = &array->view;
    ASSERT_EQ(array->memory.empty(), model.isEmpty);
    if (model.isEmpty)
      return;
    const auto begin = reinterpret_cast<uintptr_t>(arena.data());
    std::array<int64_t, room> index{};
    ASSERT_EQ(Wide(reinterpret_cast<uintptr_t>(view->data)), model.address(index));
    ASSERT_EQ(Wide(reinterpret_cast<uintptr_t>(array->memory.data())), model.address(index) + model.first);
    ASSERT_EQ(Wide(array->memory.size()), model.last - model.first);
    if (model.address(index) + model.first < begin || model.address(index) + model.last > begin + arena.size())
      return;
    constexpr int64_t enough = 256; // of a stride of 0 there may be 2^47
    for (int64_t i = 0; i < std::min(view->count(), enough); ++i) {
      int64_t rest = i, offset = 0;
      for (unsigned axis = view->ndim; axis-- > 0; rest /= view->shape[axis]) {
        index[axis] = rest % view->shape[axis];
        offset += index[axis] * view->strides[axis];
      }
      const char *const element = view->data + offset;
      ASSERT_EQ(Wide(reinterpret_cast<uintptr_t>(element)), model.address(index));
      sum += element[view->itemBytes - 1]; // for sanitizers
    }
    ++walked;
  }

  void report(const char *what) {
    std::printf("  %s: %lu accepted, %lu of them walked through, %lu refused in %zu ways\n", what, accepted, walked,
                refused, reasons.size());
    EXPECT_GE(accepted * 10, (accepted + refused) * 3);
    EXPECT_GE(reasons.size(), 8u);
  }

  /// The reason without its numbers.
  void note(std::string reason) {
    std::erase_if(reason, [](char letter) { return letter == '-' || (letter >= '0' && letter <= '9'); });
    ++reasons[reason.substr(0, 40)];
  }

  static uint64_t count() {
    const char *const given = std::getenv("HOSTILE_ARRAYS");
    return given ? std::strtoull(given, nullptr, 10) : 500'000;
  }

  Random random{20261125};
  alignas(16) std::array<char, 8192> arena{};
  uint64_t accepted = 0, refused = 0, walked = 0;
  int64_t sum = 0;
  std::map<std::string, uint64_t> reasons;
};

TEST_F(HostileArrays, Tensors) {
  for (uint64_t i = 0; i < count(); ++i) {
    Claim claim = valid();
    for (uint64_t changes = below(4); changes > 0; --changes)
      change(claim);
    const dlpack::Tensor tensor{.data = reinterpret_cast<void *>(claim.data), // NOLINT
                                .device = {dlpack::Cpu, 0},
                                .ndim = claim.ndim,
                                .dtype = claim.type,
                                .shape = claim.hasShape ? claim.shape.data() : nullptr,
                                .strides = claim.hasStrides ? claim.strides.data() : nullptr,
                                .byteOffset = claim.offset};
    const bool isPadded = below(2) == 0;
    std::optional<ForeignArray> array;
    try {
      array.emplace(TensorReader(tensor, isPadded ? dlpack::IsPadded : 0).description());
    } catch (const UsageError &error) {
      note(error.what());
    }
    // An address that wraps around is none, whatever there is to be read.
    const bool wraps = Wide(claim.data) + claim.offset > UINTPTR_MAX;
    Model model(claim, wraps ? nullptr : elementOfTensor(claim.type, isPadded), false);
    checkNames(elementOfTensor(claim.type, isPadded));
    check(model, array);
    if (HasFatalFailure())
      return;
  }
  report("tensors");
}

TEST_F(HostileArrays, Interfaces) {
  for (uint64_t i = 0; i < count(); ++i) {
    Claim claim = valid();
    for (uint64_t changes = below(4); changes > 0; --changes)
      change(claim);
    claim.data += claim.offset;
    claim.offset = 0;
    claim.hasShape = true;
    claim.ndim = std::clamp(claim.ndim, 0, 8); // more cannot be said
    const Type *const number = elementOfTensor(claim.type);
    std::string typestr = below(8) == 0 ? oneOf(otherTypestrs) : number ? typestrOf(number) : "<f3";
    const Type *const record = below(8) == 0 ? pair() : nullptr; // what a descr says
    if (below(20) == 0)
      typestr[below(typestr.size())] = "<>|=tbiufcmMOSUV0123456789[x"[below(28)];
    const Type *element = record ? record : elementOfTypestr(typestr);
    checkNames(element);
    if (element) // bytes, from here on
      for (int64_t &stride : claim.strides)
        stride = int64_t(uint64_t(stride) * element->bytes());
    InterfaceFields fields{.typestr = typestr,
                           .shape = {claim.shape.data(), size_t(claim.ndim)},
                           .data = claim.data,
                           .version = int64_t(below(20)) - 1,
                           .record = record};
    const size_t stridesMore = below(20) == 0 ? 1 : 0;
    if (claim.hasStrides)
      fields.strides = std::span<const int64_t>(claim.strides.data(), size_t(claim.ndim) + stridesMore);
    if (below(4) == 0)
      fields.stream = int64_t(below(4)) - 1;
    const bool isStreamWrong = fields.version >= 3 && fields.stream && *fields.stream < 1;
    const bool areStridesWrong = claim.hasStrides && stridesMore != 0;
    if (isStreamWrong || areStridesWrong || fields.version < 0 || (record && opaqueBytes(typestr) != record->bytes()))
      element = nullptr;
    std::optional<ForeignArray> array;
    try {
      array.emplace(InterfaceReader(fields).description());
    } catch (const UsageError &error) {
      note(error.what());
    }
    Model model(claim, element, true);
    check(model, array);
    if (HasFatalFailure())
      return;
  }
  report("interfaces");
}

} // namespace
} // namespace treadle
