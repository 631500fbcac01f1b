// Linker: one module of several, as the driver's linker and nvJitLink make it.
#pragma once

#include "module.h"

namespace ptxmachine {

/// Joins definitions and declarations of one name; names that are internal to a text stay apart. Throws LoadError for
/// two definitions. A name that nobody defines is an error where it is used, which the decoder finds.
Module link(std::vector<Module> modules);

} // namespace ptxmachine
