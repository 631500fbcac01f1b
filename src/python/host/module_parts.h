// The parts of treadle._core: each function adds its classes and functions to the module, once.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds two functions: `exec_texts(file, needle, limit=0) ->
/// list`: references to the texts that were compiled under that file name and contain `needle`, latest first;
/// `exec_text(reference) -> str`. To be called as early as possible: earlier texts are missed. Throws
/// nanobind::python_error.
void installExecHook(nanobind::module_ &module);
/// The classes Type and Signature and their makers.
void addTypeObjects(nanobind::module_ &module);
/// `element_type`, and the functions that treadle/typing/dtypes.py needs.
void addDtypeFunctions(nanobind::module_ &module);
/// `declare_argument(class, kind)`: declareKind for classes made in Python; `enumeration_of(type)`.
void addKindFunctions(nanobind::module_ &module);
/// `types_of(*values)` and `array_type_of(array)`.
void addArgumentTypes(nanobind::module_ &module);
/// Queries of dispatchers, and compilation without a launch.
void addDispatcherFunctions(nanobind::module_ &module);
/// `file_of_images`: the file format of saved kernels.
void addImageFunctions(nanobind::module_ &module);
/// Devices and their attributes, their memory, and PinnedRange: page-locked host memory.
void addDeviceFunctions(nanobind::module_ &module);
/// The class LoadedCode: foreign PTX and binaries, loaded on a device.
void addLoadedCode(nanobind::module_ &module);
/// The class GraphCapture, and `is_captured(stream)`.
void addGraphObjects(nanobind::module_ &module);
/// With TREADLE_LEAK_REPORT: calls treadle/devices/leaks.py.
void reportLeaksAtExit();
/// `trace_start`, `trace_stop`, `is_tracing`.
void addTrace(nanobind::module_ &module);

} // namespace treadle::python
