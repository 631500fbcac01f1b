// The interface between the two libraries: what libtreadle.so may call in libtreadle-compiler.so, which it opens at the
// first compile.
#pragma once

#include "types/number_rules.h"
#include "types/signature.h"
#include "types/wanted_facts.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

struct GenerateRequest;
struct Image;
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
  /// Lossy conversions and the like, one warning for each (treadle.TreadleWarning).
  std::vector<std::string> warnings;
  /// The addresses of captured device arrays, by CapturedArray::position: what Device::load needs.
  std::vector<uint64_t> capturedPointers;
  WantedFacts wanted;
};

/// Thread-safe; compilations may run concurrently. Every exception thrown derives from treadle::Error.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Needs the GIL, since it calls the resolver.
  virtual InferResult infer(const InferRequest &request) = 0;
  /// The caller must not hold the GIL. Compiles on a separate thread while the calling thread polls `shouldContinue`
  /// about 20 times a second. When that returns false, returns nothing at once; the compiling thread runs to its end
  /// and its result is discarded.
  virtual std::optional<Image> generate(const GenerateRequest &request,
                                        const std::function<bool()> &shouldContinue) = 0;
  virtual std::string printTyped(const TypedRef &function) = 0;
  /// Target::features of the setting TREADLE_CPU_FEATURES, or of the processor that TREADLE_CPU names, restricted to
  /// those that this machine has (`here`, as Target::features), with those they imply. One of the two must be set.
  virtual std::string chosenFeatures(const std::string &here) = 0;
  /// Target::features of a processor by LLVM's name, "x86-64-v3", independent of this machine. `what`: the source of
  /// the name, for the UsageError (Value) about an unknown one.
  virtual std::string processorFeatures(const std::string &processor, const std::string &what) = 0;
};

/// The only symbol that libtreadle-compiler.so exports, "treadle_compiler_create".
using CreateCompiler = Compiler *(*)(const char *buildId);

} // namespace treadle
