// DLPack's structs and constants, as in dlpack.h 1.3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle::dlpack {

struct Version {
  uint32_t major, minor;
};
/// The version of exported tensors, and the newest that can be imported: minor versions only add constants.
inline constexpr Version ownVersion{1, 3};

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, CudaManaged = 13 };

struct Device {
  int32_t type, id;
  bool operator==(const Device &) const = default;
};

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Bfloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E3M4 = 7,
  Float8E4M3 = 8,
  Float8E4M3B11Fnuz = 9,
  Float8E4M3Fn = 10,
  Float8E4M3Fnuz = 11,
  Float8E5M2 = 12,
  Float8E5M2Fnuz = 13,
  Float8E8M0Fnu = 14,
  Float6E2M3Fn = 15,
  Float6E3M2Fn = 16,
  Float4E2M1Fn = 17,
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
  bool operator==(const DataType &) const = default;
};

struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: C order without gaps
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *); ///< may be null, as that of the next
};

/// IsPadded: elements of less than 8 bits occupy a byte each.
enum Flag : uint64_t { ReadOnly = 1, IsCopied = 2, IsPadded = 4 };

/// The layout is the same in every major version up to and including `flags`.
struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

/// The beginning of every version of the exchange table. One of another major version may link to older ones.
struct ExchangeHeader {
  Version version;
  ExchangeHeader *previous; ///< null: none
};

/// DLPack's C exchange API: a Python type exports and imports tensors without Python calls. Functions return 0, or -1
/// with a Python error (the first one: after calling `setError`, which may be null). None of them orders work on
/// streams.
struct ExchangeTable {
  using SetError = void (*)(void *context, const char *kind, const char *message);

  ExchangeHeader header;
  /// A new tensor like the prototype, whose data and strides are ignored. Does not need the host's lock.
  int (*allocate)(Tensor *prototype, ManagedTensorVersioned **made, void *context, SetError setError);
  int (*give)(void *object, ManagedTensorVersioned **given); ///< exports: the caller owns the tensor
  int (*take)(ManagedTensorVersioned *tensor,
              void **object);              ///< imports: takes ownership of the tensor, even on failure
  int (*lend)(void *object, Tensor *lent); ///< borrows: valid as long as the object; may be null
  int (*workStream)(int32_t deviceType, int32_t device, void **stream);
};

static_assert(sizeof(ExchangeHeader) == 16 && sizeof(ExchangeTable) == 56);
static_assert(offsetof(ExchangeTable, allocate) == 16 && offsetof(ExchangeTable, give) == 24 &&
              offsetof(ExchangeTable, take) == 32 && offsetof(ExchangeTable, lend) == 40 &&
              offsetof(ExchangeTable, workStream) == 48);
static_assert(sizeof(Version) == 8 && sizeof(Device) == 8 && sizeof(DataType) == 4);
static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, device) == 8 && offsetof(Tensor, ndim) == 16 &&
              offsetof(Tensor, dtype) == 20 && offsetof(Tensor, shape) == 24 && offsetof(Tensor, strides) == 32 &&
              offsetof(Tensor, byteOffset) == 40);
static_assert(sizeof(ManagedTensor) == 64 && offsetof(ManagedTensor, context) == 48 &&
              offsetof(ManagedTensor, deleter) == 56);
static_assert(sizeof(ManagedTensorVersioned) == 80 && offsetof(ManagedTensorVersioned, context) == 8 &&
              offsetof(ManagedTensorVersioned, deleter) == 16 && offsetof(ManagedTensorVersioned, flags) == 24 &&
              offsetof(ManagedTensorVersioned, tensor) == 32);

} // namespace treadle::dlpack
