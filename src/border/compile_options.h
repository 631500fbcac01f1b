// CompileOptions: what a function's decorator specifies about its code.
#pragma once

#include <string>
#include <tuple>

namespace treadle {

/// Options of one function that change its code; the same for all compilations of a dispatcher.
struct CompileOptions {
#define OPTION(type, name, pythonName, unset) type name = unset;
#include "border/compile_options.inc"

  bool operator==(const CompileOptions &) const = default;
};

constexpr auto fieldsOf(const CompileOptions *) {
  return std::tuple_cat(
#define OPTION(type, name, pythonName, unset) std::tuple(&CompileOptions::name),
#include "border/compile_options.inc"
      std::tuple());
}

/// Whether debuggers must find the user's variables in memory, with the values that they have in the source.
inline bool keepsVariables(const CompileOptions &options) { return options.debug && options.optimization == 0; }

} // namespace treadle
