// TypeCache: a direct-mapped cache keyed by Python types.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace treadle::python {

/// A slot holds a reference to its type, so that its address is not reused. Needs the GIL.
template <typename Answer, size_t size> class TypeCache {
public:
  /// Null: a miss.
  const Answer *find(PyTypeObject *type) const {
    const Slot &slot = slots[place(type)];
    return slot.type == type ? &slot.answer : nullptr;
  }
  void keep(PyTypeObject *type, const Answer &answer) {
    Slot &slot = slots[place(type)];
    PyTypeObject *const replaced = slot.type;
    Py_INCREF(type);
    slot = {type, answer};
    Py_XDECREF(replaced);
  }

private:
  struct Slot {
    PyTypeObject *type = nullptr;
    Answer answer{};
  };
  static size_t place(PyTypeObject *type) { return (reinterpret_cast<uintptr_t>(type) >> 5) % size; }

  Slot slots[size];
};

} // namespace treadle::python
