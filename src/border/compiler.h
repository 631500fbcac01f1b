// The interface between the two libraries: what libtreadle.so may call in libtreadle-compiler.so, which it opens at the
// first compile.
#pragma once

#include "border/image.h"
#include "types/number_rules.h"
#include "types/signature.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

class NameResolver;
class SyntaxFunction;
class TypedFunction;

/// What to infer. The resolver is called during `infer` only.
struct InferRequest {
  std::shared_ptr<const SyntaxFunction> function;
  uint64_t handle = 0; ///< the resolver's handle of the function
  NameResolver *names = nullptr;
  Signature signature;
  RuleSet rules = RuleSet::Numba;
  bool isKernel = true;
  bool debug = false;
};

using TypedRef = std::shared_ptr<const TypedFunction>;

struct InferResult {
  TypedRef function;
  const Type *result = nullptr;
  /// Lossy conversions and the like: each is warned about once (treadle.TreadleWarning).
  std::vector<std::string> warnings;
  /// The addresses of captured device arrays, by CapturedArray::position: what Device::load needs.
  std::vector<uint64_t> capturedPointers;
  RowArrays rows;
};

struct GenerateRequest {
  TypedRef function;
  Target target;
  Facts facts;
  CompileOptions options;
  bool keepStages = false; ///< fill Image::stages
};

/// Thread-safe; compilations may run concurrently. Every exception thrown derives from treadle::Error.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Needs the GIL, since it calls the resolver.
  virtual InferResult infer(const InferRequest &request) = 0;
  /// The caller must not hold the GIL. Compiles on a thread of its own while the calling thread polls `goesOn` about 20
  /// times a second. Once that is false, returns nothing at once; the compiling thread runs to its end and its result
  /// is discarded.
  virtual std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &goesOn) = 0;
  virtual std::string printTyped(const TypedRef &function) = 0;
  /// Target::features of the setting TREADLE_CPU_FEATURES, or of the processor that TREADLE_CPU names as far as this
  /// machine has them (`here`, as Target::features), with what they imply. One of the two must be set.
  virtual std::string chosenFeatures(const std::string &here) = 0;
  /// Target::features of a processor as LLVM names it, "x86-64-v3", whatever this machine is. `what`: what names it,
  /// for the UsageError (Value) about one that LLVM does not know.
  virtual std::string processorFeatures(const std::string &processor, const std::string &what) = 0;
};

/// The only symbol that libtreadle-compiler.so exports, "treadle_compiler_create".
using CreateCompiler = Compiler *(*)(const char *buildId);

} // namespace treadle
