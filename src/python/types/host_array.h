// HostArray: an array in host memory, through the buffer protocol, with its element type.
#pragma once

#include "memory/array_view.h"
#include "types/names/type_code.h"

#include <Python.h>

#include <span>
#include <string>

namespace treadle::python {

/// One buffer, released at the end. Not movable: the extents and strides of an exporter may lie in the Py_buffer
/// itself.
class HostArray {
public:
  HostArray() {}
  HostArray(const HostArray &) = delete;
  HostArray &operator=(const HostArray &) = delete;
  ~HostArray() { PyBuffer_Release(&view); }

  /// May be called once. `flags`: PyBUF_WRITABLE, or none. False: a Python error is set, the exporter's or BufferError.
  bool take(PyObject *object, int flags);
  /// After `take` has failed: clears the error if it says that the exporter has no such buffer. False: it is another.
  static bool forgetRefusal();

  char *data() const { return static_cast<char *>(view.buf); }
  bool isReadOnly() const { return view.readonly != 0; }
  StridedExtents extents() const { return {shape, strides, view.itemsize}; }
  /// None: not an element type.
  NumberCode number() const { return code; }
  /// The element type if it is not a number: records, or opaque types. Else null.
  const Type *otherElement() const { return otherType; }
  /// Null: not an element type.
  const Type *element() const;
  /// The elements' type, for messages.
  std::string typeText() const;

private:
  bool fail(const char *format, long long number);
  bool readExtents();
  /// The struct module's format; "B" if the exporter has none, as the protocol says.
  const char *format() const { return view.format ? view.format : "B"; }

  Py_buffer view{}; ///< without an object until `take`
  std::span<const int64_t> shape, strides;
  int64_t length = 0;            ///< the extent, if the exporter omits it
  int64_t packed[maxDimensions]; ///< strides, if it omits them
  NumberCode code = NumberCode::None;
  const Type *otherType = nullptr;
};

} // namespace treadle::python
