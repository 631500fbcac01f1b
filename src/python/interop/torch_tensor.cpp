// Queries PyTorch's tensors for what their exports omit.
#include "python/interop/torch_tensor.h"

#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/types/type_cache.h"
#include "python/types/value_kinds.h"
#include "support/error.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Interned once.
struct TorchNames {
  PyObject *requiresGrad = PyUnicode_InternFromString("requires_grad");
  PyObject *isConjugated = PyUnicode_InternFromString("is_conj");
  PyObject *isNegated = PyUnicode_InternFromString("is_neg");
  PyObject *layout = PyUnicode_InternFromString("layout");

  static const TorchNames &instance() {
    static const auto *const names = new TorchNames;
    return *names;
  }
};

bool isSo(nb::object answer) {
  const int truth = answer.is_valid() ? PyObject_IsTrue(answer.ptr()) : -1;
  if (truth < 0)
    throw nb::python_error();
  return truth == 1;
}

bool attribute(nb::handle tensor, PyObject *name) { return isSo(nb::steal(PyObject_GetAttr(tensor.ptr(), name))); }
bool method(nb::handle tensor, PyObject *name) {
  return isSo(nb::steal(PyObject_CallMethodNoArgs(tensor.ptr(), name)));
}

[[noreturn]] void fail(const char *message) { throw UsageError(UsageError::Kind::Buffer, message); }

void checkLayout(nb::handle tensor) {
  const nb::object layout = checked(PyObject_GetAttr(tensor.ptr(), TorchNames::instance().layout));
  if (const std::string name = utf8Of(nb::str(layout)); name != "torch.strided")
    throw UsageError(UsageError::Kind::Buffer,
                     "the tensor's layout is " + name + ", and arrays have strides: pass tensor.to_dense()");
}

} // namespace

bool isTorchTensor(nb::handle object) {
  static auto &known = *new TypeCache<bool, 16>;
  PyTypeObject *const type = Py_TYPE(object.ptr());
  if (const bool *const answer = known.find(type)) [[likely]]
    return *answer;
  const bool isTensor = derivesFromClass(type, "torch", "Tensor");
  if (PyErr_Occurred())
    throw nb::python_error();
  known.keep(type, isTensor);
  return isTensor;
}

void checkTorchTensor(nb::handle tensor, const Type *element) {
  const TorchNames &names = TorchNames::instance();
  const bool mayBeComplex = !element || element->isComplex();
  if (element && !element->isFloat() && !element->isComplex() && !element->isOpaque())
    return;
  if (!element)
    checkLayout(tensor);
  if (attribute(tensor, names.requiresGrad))
    fail("the tensor requires gradients, of which kernels know nothing: pass tensor.detach()");
  if (mayBeComplex && method(tensor, names.isConjugated))
    fail("the tensor is conjugated when PyTorch reads it, not in memory: pass tensor.resolve_conj()");
  if (method(tensor, names.isNegated))
    fail("the tensor is negated when PyTorch reads it, not in memory: pass tensor.resolve_neg()");
}

} // namespace treadle::python
