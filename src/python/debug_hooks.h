// What tests ask of the front end, as functions of treadle._core.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to `module`: syntax(function) -> str, the syntax tree as text; resolve(function, "name.attribute...") -> dict,
/// what a captured name means (type, and where they are set: value, items, shape, strides, data, pointer), None where
/// there is no such name; called_function(function, "name...") -> dict, the function behind a name and its options;
/// parameter_default(function, name) -> dict or None; fallbacks() -> dict[str, int], Runtime::fallbacks;
/// and what debug_images.h lists.
void registerDebugHooks(nanobind::module_ &module);

} // namespace treadle::python
