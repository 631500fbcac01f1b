// InlineList: a vector with inline storage for its first items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace treadle {

/// Grows like a vector; the first `Capacity` items are stored inside.
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

} // namespace treadle
