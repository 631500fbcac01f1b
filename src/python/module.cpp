// The extension module treadle._core.
#include "python/arrays/device_array_object.h"
#include "python/arrays/python_memory.h"
#include "python/arrays/shared_memory.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "python/host/stream_object.h"
#include "python/interop/array_interface.h"
#include "python/interop/dlpack.h"
#include "python/launch/dispatcher_object.h"
#include "runtime/runtime.h"
#include "support/background.h"
#include "support/files/build_id.h"
#include "types/texts.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <dlfcn.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// A second copy of libtreadle.so with the same name in one process is silently shared, so the builds are compared. A
/// program's copy may lack the compiler library, which this package has.
void shareLibrary() {
  Dl_info extension{}, library{};
  dladdr(reinterpret_cast<const void *>(&shareLibrary), &extension);
  if (std::strcmp(buildId(), ownBuildId) == 0) {
    const std::string own = extension.dli_fname;
    return Runtime::instance().offerCompiler(own.substr(0, own.rfind('/') + 1));
  }
  dladdr(reinterpret_cast<const void *>(&buildId), &library);
  PyErr_Format(PyExc_ImportError,
               "%s and %s belong to different builds of Treadle: reinstall the package, or remove "
               "one of two installations",
               extension.dli_fname, library.dli_fname);
  throw nb::python_error();
}

/// A second import in one interpreter, as after `del sys.modules["treadle"]`, returns the existing module: types exist
/// once, and objects of them may still live.
bool isMadeBefore(nb::module_ &module) {
  const nb::handle modules = PyInterpreterState_GetDict(PyInterpreterState_Get());
  const char *const key = "treadle._core";
  if (PyObject *made = PyDict_GetItemString(modules.ptr(), key)) {
    if (PyDict_Merge(PyModule_GetDict(module.ptr()), PyModule_GetDict(made), 0) != 0)
      throw nb::python_error();
    return true;
  }
  if (PyDict_SetItemString(modules.ptr(), key, module.ptr()) != 0)
    throw nb::python_error();
  return false;
}

/// Flushes pending writes; Treadle's other handlers add none.
void finishBackgroundAtExit() {
  const auto finish = [] { Background::instance().finishAll(); };
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(finish));
}

/// The numbers of CudaAPIError, under the driver's names.
void addCudaResults(nb::module_ &module) {
  nb::dict numbers;
#define TREADLE_NUMBER(name, number, driver) numbers[#driver] = number;
  TREADLE_CUDA_RESULTS(TREADLE_NUMBER)
#undef TREADLE_NUMBER
  const nb::handle type(reinterpret_cast<PyObject *>(&PyType_Type));
  module.attr("CudaResult") = type("CudaResult", nb::tuple(), numbers);
}

} // namespace

NB_MODULE(_core, module) {
  shareLibrary();
  if (isMadeBefore(module))
    return;
  module.doc() = "The core of Treadle. Private: use treadle and treadle.cuda.";
  // Types live as long as the process, and so do objects that refer to them.
  nb::set_leak_warnings(false);
  registerErrors();
  installExecHook(module);
  finishBackgroundAtExit();
  reportLeaksAtExit(); // before the others, so that it is the last of Treadle's handlers except for that one
  watchForExit();
  addTypeObjects(module);
  addDtypeFunctions(module);
  addKindFunctions(module);
  addArgumentTypes(module);
  addDispatcherFunctions(module);
  addImageFunctions(module);
  addDeviceFunctions(module);
  addLoadedCode(module);
  addGraphObjects(module);
  addTrace(module);
  addStreamObjects(module);
  addCudaResults(module);
  addDeviceArrays(module);
  addPythonMemory(module);
  addSharedMemory(module);
  addDlpack(module);
  addArrayInterface(module);
  if (!addDispatcherTypes(module.ptr()))
    throw nb::python_error();
  module.attr("__version__") = TREADLE_VERSION;
  module.attr("MOST_CHARACTERS") = types::mostCharacters;
}

} // namespace treadle::python
