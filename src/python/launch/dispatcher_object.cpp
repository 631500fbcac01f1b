// The C type Dispatcher: made from a Python function and the options of its compilation.
#include "python/launch/dispatcher_object.h"

#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/launch/bound_object.h"
#include "python/launch/launcher_object.h"
#include "python/launch/python_program.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <structmember.h>

namespace treadle::python {

namespace {

PyTypeObject *&typeSlot() {
  static PyTypeObject *type = nullptr;
  return type;
}

DispatcherObject &fields(PyObject *self) { return *reinterpret_cast<DispatcherObject *>(self); }

struct MakeOptions {
  PyObject *function = nullptr;
  const char *rules = "numba";
  int isDevice = 0;
  PyObject *compile = nullptr; ///< a CompileOptions
  const char *shown = "";      ///< PythonProgram::Options::shown
  int isKept = 1;
};

bool parse(PyObject *arguments, MakeOptions &options) {
  if (!PyArg_ParseTuple(arguments, "O!spO|sp:Dispatcher", &PyFunction_Type, &options.function, &options.rules,
                        &options.isDevice, &options.compile, &options.shown, &options.isKept))
    return false;
  if (!nanobind::isinstance<CompileOptions>(options.compile))
    PyErr_SetString(PyExc_TypeError, "Dispatcher takes a function, its rules, device and CompileOptions");
  return !PyErr_Occurred();
}

void makeDispatcher(DispatcherObject &made, const MakeOptions &given) {
  DispatcherOptions options;
  PyObject *name = reinterpret_cast<PyFunctionObject *>(given.function)->func_name;
  options.name = utf8Of(name);
  options.compile = *nanobind::inst_ptr<CompileOptions>(given.compile);
  PythonProgram::Options program;
  program.rules = ruleSetNamed(given.rules);
  program.isKernel = options.isKernel = given.isDevice == 0;
  program.debug = options.compile.debug;
  program.shown = given.shown;
  program.isKept = given.isKept != 0;
  auto source = std::make_unique<PythonProgram>(given.function, given.function, std::move(program));
  made.program = source.get();
  made.counts = new LaunchCounts;
  made.dispatcher = new Dispatcher(nullptr, std::move(source), std::move(options));
}

PyObject *makeObject(PyTypeObject *type, PyObject *arguments, PyObject *) {
  MakeOptions options;
  if (!parse(arguments, options))
    return nullptr;
  nanobind::object self = nanobind::steal(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  DispatcherObject &made = fields(self.ptr());
  try {
    makeDispatcher(made, options);
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  made.function = Py_NewRef(options.function);
  const auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(options.function));
  made.parameters = unsigned(code->co_argcount);
  made.takesMore = (code->co_flags & CO_VARARGS) != 0;
  return self.release().ptr();
}

/// tp_new has handled the options; a Python subclass may take more.
int initObject(PyObject *, PyObject *, PyObject *) { return 0; }

PyObject *callUnconfigured(PyObject *self, PyObject *, PyObject *) {
  const DispatcherOptions &options = fields(self).dispatcher->options();
  const char *name = options.name.c_str();
  if (!options.isKernel)
    return PyErr_Format(PyExc_TypeError, "%s is a device function: only kernels can call it", name);
  return PyErr_Format(PyExc_ValueError,
                      "launch configuration was not specified: write %s[blocks, threads_per_block](...)", name);
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(fields(self).function);
  Py_VISIT(reinterpret_cast<PyObject *>(fields(self).last));
  Py_VISIT(Py_TYPE(self));
  return fields(self).program ? fields(self).program->traverse(visit, arg) : 0;
}

/// It can no longer be launched: a launcher, or a queued launch, would hold a reference.
int clear(PyObject *self) {
  Py_CLEAR(fields(self).last);
  if (fields(self).program)
    fields(self).program->dropReferences();
  return 0;
}

void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (fields(self).weakReferences)
    PyObject_ClearWeakRefs(self);
  clear(self);
  // The program refers to the function without owning it.
  delete fields(self).dispatcher;
  delete fields(self).counts;
  Py_CLEAR(fields(self).function);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"py_func", T_OBJECT_EX, offsetof(DispatcherObject, function), READONLY, "The Python function."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(DispatcherObject, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("Compiles one function and launches it: the base of kernels and device functions.")},
    {Py_tp_new, reinterpret_cast<void *>(makeObject)},
    {Py_tp_init, reinterpret_cast<void *>(initObject)},
    {Py_tp_call, reinterpret_cast<void *>(callUnconfigured)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_members, members},
    {Py_mp_subscript, reinterpret_cast<void *>(configure)},
    {0, nullptr},
};

PyType_Spec spec = {"treadle._core.Dispatcher", sizeof(DispatcherObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

PyTypeObject *dispatcherType() { return typeSlot(); }

Dispatcher &dispatcherOf(PyObject *object) {
  if (!PyObject_TypeCheck(object, typeSlot()))
    throw nanobind::type_error("expected a function made by cuda.jit");
  return *fields(object).dispatcher;
}

const LaunchCounts &launchCountsOf(PyObject *object) {
  dispatcherOf(object);
  return *fields(object).counts;
}

bool addDispatcherTypes(PyObject *module) {
  typeSlot() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return typeSlot() && PyModule_AddObjectRef(module, "Dispatcher", reinterpret_cast<PyObject *>(typeSlot())) == 0 &&
         addLauncherType(module) && addBoundType(module);
}

} // namespace treadle::python
