// ArgumentKey: what identifies the arguments of a launch without reading them, and the numbers among them.
#pragma once

#include "launch/repeated_launch.h"
#include "types/names/number_code.h"

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace treadle::python {

/// Whether a key identifies the value: a device array, a number, True, False or None. Only of the exact classes, and of
/// no class that may be freed, as another may then have its address.
bool isIdentifiable(PyObject *value);

/// Of a number as an argument; nothing for other identifiable values.
std::optional<NumberCode> numberCodeOf(PyObject *value);

/// An array is identified by its serial number, which none but a living array has; True, False and None by their
/// addresses; other values by their types. Keys of values that are not identifiable fit no launch that has only
/// identifiable ones.
class ArgumentKey {
public:
  static constexpr size_t most = 64;

  /// Precondition: at most that many.
  explicit ArgumentKey(std::span<PyObject *const> arguments);
  ArgumentKey(const ArgumentKey &) = delete;
  ArgumentKey &operator=(const ArgumentKey &) = delete;

  LaunchKey key() const { return std::as_bytes(std::span(words, count)); }
  /// For RepeatedLaunch::parameters.
  const void *const *numbers() const { return values; }

private:
  const size_t count;
  uint64_t words[most];
  const void *values[most];
  int64_t integers[most]; ///< some of `values` point here
};

} // namespace treadle::python
