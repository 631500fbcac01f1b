// The arguments of one launch: tokens that say their types, and leaves that hold their values.
#pragma once

#include "launch/type_code.h"
#include "memory/buffer.h"

#include <cstdint>
#include <memory>
#include <span>

namespace treadle {

/// One leaf of the flattened arguments. Arrays are not owned: they outlive the launch by contract of the caller.
struct ArgumentLeaf {
  enum class Kind : uint8_t { None, Signed, Unsigned, Real, Complex, Array };
  Kind kind;
  NumberCode number; ///< of a scalar; of an array's elements
  uint8_t ndim;
  Layout layout;
  bool isOnHost;      ///< Array: in memory of the host, which no device has
  uint32_t itemBytes; ///< Array: of one element
  union {
    int64_t integer; ///< Signed; Unsigned by its bits
    double real;     ///< Real, Complex
    char *data;      ///< Array: element [0, ..., 0]
  };
  union {
    double imag;          ///< Complex
    const int64_t *shape; ///< Array
  };
  const int64_t *strides; ///< Array, in bytes
};

/// Grows like a vector; the first `Capacity` items live inside, so that a usual launch allocates nothing.
template <typename T, unsigned Capacity> class InlineList {
public:
  InlineList() {}
  InlineList(const InlineList &) = delete;
  InlineList &operator=(const InlineList &) = delete;

  T &push() {
    if (count == capacity) [[unlikely]]
      grow();
    return items[count++];
  }
  unsigned size() const { return count; }
  T &operator[](unsigned index) { return items[index]; }
  std::span<const T> view() const { return {items, count}; }

private:
  void grow() {
    auto larger = std::make_unique<T[]>(size_t(capacity) * 2);
    std::copy(items, items + count, larger.get());
    heap = std::move(larger);
    items = heap.get();
    capacity *= 2;
  }

  T inside[Capacity];
  T *items = inside;
  unsigned count = 0;
  unsigned capacity = Capacity;
  std::unique_ptr<T[]> heap;
};

/// On the stack of the caller of Dispatcher::launch.
struct ArgumentList {
  InlineList<TypeToken, 64> tokens;
  InlineList<ArgumentLeaf, 40> leaves;
  InlineList<const std::shared_ptr<Buffer> *, 16> buffers; ///< of device arrays
  bool usesHostMemory = false;                             ///< which its owner may use again when the launch returns
  const Device *device = nullptr;                          ///< of the device arrays
  bool isUsedBefore = false;                               ///< one of the buffers is: Buffer::isUsedBefore
};

} // namespace treadle
