// The C type HostMemory.
#include "python/arrays/host_memory.h"

#include "python/host/held_reference.h"

#include <new>

namespace treadle::python {

namespace {

/// Every device array over the buffer has a reference to it.
struct HostMemoryObject {
  PyObject_HEAD std::shared_ptr<Buffer> buffer; ///< holds the one reference to `host` that is told to the collector
  PyObject *host;                               ///< as long as the buffer lives
};

HostMemoryObject &fields(PyObject *self) { return *reinterpret_cast<HostMemoryObject *>(self); }

int visitHost(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(fields(self).host);
  return 0;
}

// There is no tp_clear: nothing else breaks before the host object's own attributes are cleared, and what is queued may
// still need the memory then.
void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  fields(self).buffer.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);
  releaseHeldReferences();
}

PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(visitHost)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {0, nullptr},
};

PyType_Spec spec = {"treadle._core.HostMemory", sizeof(HostMemoryObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyTypeObject *&typeSlot() {
  static PyTypeObject *type = nullptr;
  return type;
}

} // namespace

PyObject *hostMemory(const std::shared_ptr<Buffer> &buffer, PyObject *host) {
  PyObject *self = typeSlot()->tp_alloc(typeSlot(), 0);
  if (!self)
    return nullptr;
  new (&fields(self).buffer) std::shared_ptr<Buffer>(buffer);
  fields(self).host = host;
  return self;
}

bool addHostMemoryType() {
  typeSlot() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return typeSlot() != nullptr;
}

} // namespace treadle::python
