// HostBuffer: memory of a Python object by the buffer protocol.
#pragma once

#include "memory/array_view.h"

#include <Python.h>

#include <span>

namespace treadle::python {

/// One buffer, given back at the end. It never moves: the extents and strides that an exporter gives may lie in the
/// Py_buffer itself.
class HostBuffer {
public:
  HostBuffer() {}
  HostBuffer(const HostBuffer &) = delete;
  HostBuffer &operator=(const HostBuffer &) = delete;
  ~HostBuffer() { PyBuffer_Release(&view); }

  /// Once. `flags`: PyBUF_WRITABLE, PyBUF_FORMAT, or none; extents and strides are there in any case. False: a Python
  /// error is set, as the exporter's or BufferError.
  bool take(PyObject *object, int flags);

  char *data() const { return static_cast<char *>(view.buf); }
  bool isReadOnly() const { return view.readonly != 0; }
  size_t itemBytes() const { return size_t(view.itemsize); }
  StridedExtents extents() const { return {shape, strides, view.itemsize}; }
  /// Text of the struct module; "B" where the exporter has none, as the protocol says. Only with PyBUF_FORMAT.
  const char *format() const { return view.format ? view.format : "B"; }

private:
  bool fail(const char *format, long long number);

  Py_buffer view{}; ///< without an object until it is taken
  std::span<const int64_t> shape, strides;
  int64_t length = 0;            ///< the extent, where the exporter gives none
  int64_t packed[maxDimensions]; ///< strides, where it gives none
};

} // namespace treadle::python
