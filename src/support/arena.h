// Memory for trees: nodes are never freed one by one; they are released with their arena.
#pragma once

#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

/// Owns the nodes of one tree. Nodes are trivially destructible, so that the whole tree is freed in one step.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  template <typename T, typename... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (memory.allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <typename T> std::span<T> list(std::span<const T> items) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    if (items.empty())
      return {};
    T *copy = static_cast<T *>(memory.allocate(items.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void *>(copy), items.data(), items.size_bytes());
    return {copy, items.size()};
  }
  template <typename T> std::span<T> list(const std::vector<T> &items) { return list(std::span<const T>(items)); }

  std::string_view text(std::string_view characters) {
    std::span<char> copy = list(std::span<const char>(characters.data(), characters.size()));
    return {copy.data(), copy.size()};
  }

private:
  std::pmr::monotonic_buffer_resource memory{4096};
};

} // namespace treadle
