// Scoped: a variable that has another value while something lives.
#pragma once

#include <utility>

namespace treadle {

/// Gives `place` a value, and puts back what it was when the scope ends, however it ends.
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
