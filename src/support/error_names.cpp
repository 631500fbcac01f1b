// One class for each kind of compile error.
#include "support/error_names.h"

namespace treadle {

const char *errorName(CompileErrorKind kind) {
  switch (kind) {
  case CompileErrorKind::Typing:
    return "TypingError";
  case CompileErrorKind::Unsupported:
    return "UnsupportedError";
  case CompileErrorKind::Name:
    return "NotDefinedError";
  case CompileErrorKind::Constant:
    return "ConstantInferenceError";
  case CompileErrorKind::Value:
    return "NumbaValueError";
  case CompileErrorKind::Index:
    return "NumbaIndexError";
  case CompileErrorKind::Type:
    return "NumbaTypeError";
  case CompileErrorKind::Source:
    return "SourceError";
  case CompileErrorKind::Limit:
    return "CompileLimitError";
  }
  return "CompileError";
}

} // namespace treadle
