// What inference asks Python: the meaning of names outside the kernel. Implemented in python/, called with the GIL
// held.
#pragma once

#include "types/number_rules.h"
#include "types/type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

class SyntaxFunction;

/// A captured value. Numbers, strings and tuples of them are constants; anything else is represented by its type.
struct CapturedValue {
  /// The value's type; nullptr: there is no such name or attribute.
  const Type *type = nullptr;
  /// A Python int, float, complex or bool: a literal under the cuda-python rules. NumPy scalars are not.
  bool isLiteral = false;
  bool isNumpy = false; ///< a NumPy scalar
  int64_t integer = 0;  ///< Bool, Int (unsigned 64-bit values as their bits)
  double real = 0;      ///< Float, real part of Complex
  double imag = 0;
  std::vector<CapturedValue> items; ///< Tuple
  /// Array: the object, kept alive so that its address is not reused while this value exists.
  std::shared_ptr<const void> object;
  /// Array: its extents, byte strides and contents in C order (host), or its address (device).
  std::vector<int64_t> shape, strides;
  std::shared_ptr<const std::vector<std::byte>> data;
  std::optional<uint64_t> devicePointer;
  /// Object, or no type: why kernels cannot use it, if known.
  std::string problem;
};

/// A variable that code run by Python may read.
struct ConstevalName {
  enum class Kind : uint8_t {
    Known,
    RunTime, ///< only the type of `value` is known
    Unset,   ///< nothing has been assigned to it
  };
  std::string_view name;
  Kind kind = Kind::Unset;
  CapturedValue value;
};

struct ConstevalRequest {
  const void *code = nullptr; ///< syntax::Consteval::code
  bool wantsItems = false;
  std::vector<ConstevalName> names;
};

struct ConstevalResult {
  CapturedValue value;
  std::string kind; ///< of the error: "constant", "limit" or "value"; empty: there is none
  std::string problem, remedy;
  uint32_t line = 0; ///< of the error, as the ast has it; 0: unknown
};

/// A Python function that kernels may call.
struct CalledFunction {
  std::shared_ptr<const SyntaxFunction> syntax;
  uint64_t handle = 0;
  RuleSet rules = RuleSet::Numba;
  bool forceInline = false;
  bool neverInline = false;
  /// The user's name for it, "np.sum()": its number rules are its caller's, and errors in it are reported at the call.
  /// Empty: the function is the user's own.
  std::string libraryName;
  bool isElementwise = false; ///< a library function that is applied elementwise to arrays
  /// A library function's output parameter, whose elements it stores while it reads the other parameters; empty: none.
  /// With one other array it reads an element before it stores to the same position, with several it may read all.
  std::string into;
  /// Explicit signatures of the device function; empty if it is specialised per call.
  std::vector<std::vector<const Type *>> signatures;
};

/// Resolves the names of one compilation. Handles stay valid until the compilation ends.
class NameResolver {
public:
  virtual ~NameResolver() = default;
  /// A name that is not local to `function`: closure, then globals, then builtins. A name that Python would find but
  /// kernels cannot use has a type of kind Object.
  virtual CapturedValue resolve(uint64_t function, std::string_view name) = 0;
  /// `module.name` and `object.name`; also attributes of functions and classes. The name may be a path: "HIGH.label".
  virtual CapturedValue attribute(uint64_t handle, std::string_view name) = 0;
  /// For a class that is an enumeration, in this order: how it is called ("enum"; "flags", whose members combine;
  /// "numbers", where every number from 0 on is a member; "own", known only to Python); its bases, itself first; the
  /// plain type as which its members may arrive ("int"; "object": any; "": none); which of "truth", "equality" and
  /// "data" (members may equal values of other classes) it defines; the bits that ~ of an IntFlag may have, None for
  /// others; what a loop over it iterates over; then (name, member) for each, in order. Type nullptr for anything else.
  virtual CapturedValue members(uint64_t /*handle*/) { return {}; }
  /// The function of a type of kind Function. Throws CompileError if its source is not available.
  virtual CalledFunction function(uint64_t handle) = 0;
  /// The same without `syntax`; does not look for the source.
  virtual CalledFunction described(uint64_t handle) {
    CalledFunction called = function(handle);
    called.syntax = nullptr;
    return called;
  }
  /// Bytes that are equal only for functions of equal syntax, at the same place of a file of the same name, in any
  /// process. Empty: unknown.
  virtual std::string sourceKey(uint64_t /*handle*/) { return {}; }
  /// The default of parameter `name` of the outermost function `function`; type nullptr if it has none.
  virtual CapturedValue parameterDefault(uint64_t function, std::string_view name) = 0;
  /// The path by which another process finds a captured class: "module:Class.Inner"; empty if `handle` is no class.
  virtual std::string qualifiedName(uint64_t handle) = 0;
  /// The name, for the error message, of an undecorated Python function (which resolves to an Object), or "".
  virtual std::string_view undecoratedFunction(uint64_t handle) = 0;
  struct Advice {
    std::string message; ///< follows its name: "belongs to the host"; may be empty
    std::string remedy;
  };
  /// For an object that kernels cannot call, or an attribute that it does not have. Asked only while an error is
  /// reported; affects nothing but its text.
  virtual Advice adviceOn(uint64_t /*handle*/, std::string_view /*attribute*/) { return {}; }
  /// The dtype that a string names ("float32", "f4"): its type; or nullptr, and the problem if known.
  virtual CapturedValue dtypeNamed(std::string_view text) = 0;
  /// The Python implementation of a builtin ("math.ldexp"), or of a method or attribute of arrays ("array.sum"); type
  /// nullptr if there is none.
  virtual CapturedValue libraryFunction(std::string_view key) = 0;
  /// Has Python run code of `function`; the result is a captured value. Arrays in it have `object`.
  virtual ConstevalResult evaluate(uint64_t /*function*/, const ConstevalRequest & /*request*/) { return {}; }
};

} // namespace treadle
