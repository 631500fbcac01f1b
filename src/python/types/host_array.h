// HostArray: an array in memory of the host, by the buffer protocol, with the type of its elements.
#pragma once

#include "launch/type_code.h"
#include "memory/array_view.h"

#include <Python.h>

#include <span>
#include <string>

namespace treadle::python {

/// One buffer, given back at the end. It never moves: the extents and strides that an exporter gives may lie in the
/// Py_buffer itself.
class HostArray {
public:
  HostArray() {}
  HostArray(const HostArray &) = delete;
  HostArray &operator=(const HostArray &) = delete;
  ~HostArray() { PyBuffer_Release(&view); }

  /// Once. `flags`: PyBUF_WRITABLE, or none. False: a Python error is set, as the exporter's or BufferError.
  bool take(PyObject *object, int flags);
  /// After `take` has failed: drops the error that says that the exporter has no such buffer. False: it is another.
  static bool forgetRefusal();

  char *data() const { return static_cast<char *>(view.buf); }
  bool isReadOnly() const { return view.readonly != 0; }
  StridedExtents extents() const { return {shape, strides, view.itemsize}; }
  /// None: elements that arrays do not have.
  NumberCode number() const { return code; }
  /// The elements' type where they are no numbers: records, or what kernels do not have. Else null.
  const Type *otherElement() const { return otherType; }
  /// Null: elements that arrays do not have.
  const Type *element() const;
  /// What the elements are, for messages.
  std::string typeText() const;

private:
  bool fail(const char *format, long long number);
  bool readExtents();
  /// Text of the struct module; "B" where the exporter has none, as the protocol says.
  const char *format() const { return view.format ? view.format : "B"; }

  Py_buffer view{}; ///< without an object until it is taken
  std::span<const int64_t> shape, strides;
  int64_t length = 0;            ///< the extent, where the exporter gives none
  int64_t packed[maxDimensions]; ///< strides, where it gives none
  NumberCode code = NumberCode::None;
  const Type *otherType = nullptr;
};

} // namespace treadle::python
