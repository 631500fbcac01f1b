// The three kinds of error, chosen where they are raised: the user's, the device's, ours.
#pragma once

#include "support/cuda_result.h"
#include "support/export.h"
#include "support/source.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Base of everything Treadle throws. `what()` is the whole text a user sees.
class TREADLE_API Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// The Python class that a CompileError becomes; each is a subclass of treadle.CompileError (python/treadle/errors.py).
enum class CompileErrorKind : uint8_t {
  Typing,      ///< TypingError: a value of a type that does not fit
  Unsupported, ///< UnsupportedError: a construct that kernels cannot have
  Name,        ///< NotDefinedError: a name without a definition
  Constant,    ///< ConstantInferenceError: a compile-time constant was required
  Value,       ///< NumbaValueError: a constant outside what is allowed
  Index,       ///< NumbaIndexError: a constant index outside its tuple or shape
  Type,        ///< NumbaTypeError: wrong arity, or a kernel that returns something
  Source,      ///< SourceError: the source text cannot be found
  Limit,       ///< CompileLimitError: nested too deep or too large to compile
};

/// The content of a CompileError; `render` makes text of it.
struct Diagnostic {
  CompileErrorKind kind = CompileErrorKind::Typing;
  std::string message; ///< what is wrong, in the user's terms, without a full stop
  SourceSpan span;
  SourceRef source;
  std::string found = {};     ///< what the source has (a type, a value); may be empty
  std::string expected = {};  ///< what would have been correct; may be empty
  std::string remedy = {};    ///< what to do; may be empty
  bool needsConstant = false; ///< it would be valid if some value were a compile-time constant
  bool needsHeap = false;     ///< it would be valid in a function that may make arrays of shapes known only at run time
  /// It would be valid if this parameter of the function being compiled were a literal: `literally` asks for that.
  std::optional<uint32_t> literalParameter = {};
  bool isOfCall = false; ///< written for the caller of a library function: not explained any further
  /// Call sites, innermost first, when the mistake is inside a device function called from a kernel.
  struct Site {
    SourceSpan span;
    SourceRef source;
  };
  std::vector<Site> calledFrom;
};

/// The text of a diagnostic: file:line:column, the line, a caret, found, expected, remedy; at most 15 lines.
TREADLE_API std::string render(const Diagnostic &diagnostic);

/// The user's mistake in a kernel, found while compiling it.
class TREADLE_API CompileError : public Error {
public:
  explicit CompileError(Diagnostic diagnostic);
  ~CompileError() override;
  const Diagnostic &diagnostic() const { return found; }

private:
  Diagnostic found;
};

/// A device refused an operation.
class TREADLE_API DeviceError : public Error {
public:
  DeviceError(std::string_view operation, CudaResult result, std::string_view message);
  ~DeviceError() override;
  CudaResult result() const { return given; }
  /// what() without the code.
  const std::string &reason() const { return text; }

private:
  std::string text;
  CudaResult given;
};

/// The user's mistake outside kernels: a bad argument or launch configuration. Carries the Python class it becomes.
class TREADLE_API UsageError : public Error {
public:
  enum class Kind : uint8_t { Type, Value, Index, Overflow, NotImplemented, Runtime, Buffer };
  UsageError(Kind kind, const std::string &message);
  ~UsageError() override;
  Kind kind() const { return category; }

private:
  Kind category;
};

/// A bug in Treadle. Never reported as anything else.
class TREADLE_API InternalError : public Error {
public:
  using Error::Error;
  ~InternalError() override;
};

[[noreturn]] TREADLE_API void failCheck(const char *condition, const char *file, int line);

} // namespace treadle

/// Asserts an invariant; a violation is a bug in Treadle and throws an InternalError.
#define TREADLE_CHECK(condition)                                                                                       \
  (static_cast<bool>(condition) ? void(0) : ::treadle::failCheck(#condition, __FILE__, __LINE__))
