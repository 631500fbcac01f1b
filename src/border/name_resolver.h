// What inference must ask Python: what a name outside the kernel means. Implemented in python/, called with the GIL
// held.
#pragma once

#include "types/number_rules.h"
#include "types/type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace treadle {

class SyntaxFunction;

/// A captured value. Numbers, strings and tuples of them are constants; everything else is its type.
struct CapturedValue {
  /// The value's type; nullptr: there is no such name or attribute.
  const Type *type = nullptr;
  /// A Python int, float, complex or bool: it counts as a literal under the cuda-python rules. A NumPy scalar does not.
  bool isLiteral = false;
  bool isNumpy = false; ///< a NumPy scalar
  int64_t integer = 0; ///< Bool, Int (unsigned 64-bit by its bits)
  double real = 0;     ///< Float, real part of Complex
  double imag = 0;
  std::vector<CapturedValue> items; ///< Tuple
  /// Array: the object, which is kept alive, so that no other one can have its address while this value lives.
  std::shared_ptr<const void> object;
  /// Array: its extents, byte strides and contents in C order (host), or its pointer (device).
  std::vector<int64_t> shape, strides;
  std::vector<std::byte> data;
  uint64_t devicePointer = 0;
};

/// A Python function that kernels may call.
struct CalledFunction {
  std::shared_ptr<const SyntaxFunction> syntax;
  uint64_t handle = 0;
  RuleSet rules = RuleSet::Numba;
  bool forceInline = false;
  bool neverInline = false;
  /// Explicit signatures of the device function, empty for one specialised by its calls.
  std::vector<std::vector<const Type *>> signatures;
};

/// Answers for the names of one compilation. Handles stay valid until the compilation ends.
class NameResolver {
public:
  virtual ~NameResolver() = default;
  /// A name that is no local of function `function`: closure, then globals, then builtins.
  /// A name Python would find but that cannot be used gives a type of kind Object.
  virtual CapturedValue resolve(uint64_t function, std::string_view name) = 0;
  /// `module.name` and `object.name`; also of functions and classes.
  virtual CapturedValue attribute(uint64_t handle, std::string_view name) = 0;
  /// The function behind a type of kind Function. Throws CompileError where its source cannot be had.
  virtual CalledFunction function(uint64_t handle) = 0;
  /// The default of parameter `name` of the outermost function `function`; type nullptr: it has none.
  virtual CapturedValue parameterDefault(uint64_t function, std::string_view name) = 0;
  /// A plain function nobody decorated (resolve gave an Object): its name for the error message, or "".
  virtual std::string_view undecoratedFunction(uint64_t handle) = 0;
  /// The type that a string names as a dtype ("float32", "f4"), or nullptr.
  virtual const Type *dtypeNamed(std::string_view text) = 0;
};

} // namespace treadle
