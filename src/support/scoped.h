// Scoped: sets a variable for the duration of a scope.
#pragma once

#include <utility>

namespace treadle {

/// Sets `place`, and restores its old value when the scope is left, also by an exception.
template <typename T> class Scoped {
public:
  Scoped(T &place, T value) : place(place), before(std::exchange(place, std::move(value))) {}
  ~Scoped() { place = std::move(before); }
  Scoped(const Scoped &) = delete;
  Scoped &operator=(const Scoped &) = delete;

private:
  T &place;
  T before;
};

} // namespace treadle
