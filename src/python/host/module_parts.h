// The parts of treadle._core: each function adds its classes and functions to the module, once.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds two functions: `exec_texts(file, needle, limit=0) ->
/// list`: references to the texts that were compiled under that file name and contain `needle`, latest first;
/// `exec_text(reference) -> str`. As early as possible: texts compiled before are not seen. Throws
/// nanobind::python_error.
void installExecHook(nanobind::module_ &module);
/// The classes Type and Signature and their makers.
void addTypeObjects(nanobind::module_ &module);
/// `element_type`, and what treadle/dtypes.py needs.
void addDtypeFunctions(nanobind::module_ &module);
/// `declare_argument(class, kind)`: declareKind for classes made in Python; `enumeration_of(type)`.
void addKindFunctions(nanobind::module_ &module);
/// `types_of(*values)` and `array_type_of(array)`.
void addArgumentTypes(nanobind::module_ &module);
/// What Python asks of dispatchers besides launching, and compilation without a launch.
void addDispatcherFunctions(nanobind::module_ &module);
/// `file_of_images`: what kernels are saved as.
void addImageFunctions(nanobind::module_ &module);
/// Devices and their attributes, their memory, and PinnedRange: memory of the host that is page-locked.
void addDeviceFunctions(nanobind::module_ &module);
/// The class LoadedCode: PTX and binaries of others that a device has loaded.
void addLoadedCode(nanobind::module_ &module);
/// The class GraphCapture, and `is_captured(stream)`.
void addGraphObjects(nanobind::module_ &module);
/// With TREADLE_LEAK_REPORT: what treadle/leaks.py does.
void reportLeaksAtExit();
/// `trace_start`, `trace_stop`, `is_tracing`.
void addTrace(nanobind::module_ &module);

} // namespace treadle::python
