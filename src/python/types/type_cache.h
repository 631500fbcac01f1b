// TypeCache: a direct-mapped cache keyed by Python types.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace treadle::python {

/// A slot holds a reference to its type, so that its address is not reused. Needs the GIL; never destroyed, as Python
/// may be gone by then.
template <typename Answer, size_t size> class TypeCache {
public:
  /// Null: a miss.
  const Answer *find(PyTypeObject *type) const {
    const Slot &slot = slots[place(type)];
    return slot.type.ptr() == reinterpret_cast<PyObject *>(type) ? &slot.answer : nullptr;
  }
  void keep(PyTypeObject *type, const Answer &answer) {
    Slot &slot = slots[place(type)];
    // Dropped last: it may run Python code, which finds the slot complete.
    const nanobind::object replaced = std::exchange(slot.type, nanobind::borrow(reinterpret_cast<PyObject *>(type)));
    slot.answer = answer;
  }

private:
  struct Slot {
    nanobind::object type;
    Answer answer{};
  };
  static size_t place(PyTypeObject *type) { return (reinterpret_cast<uintptr_t>(type) >> 5) % size; }

  Slot slots[size];
};

} // namespace treadle::python
