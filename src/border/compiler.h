// The door between the two libraries: what libtreadle.so may ask of libtreadle-compiler.so, which it opens at the first
// compile.
#pragma once

#include "border/native_code.h"
#include "types/number_rules.h"
#include "types/signature.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

class Buffer;
class NameResolver;
class SyntaxFunction;
class TypedFunction;

/// What to infer. The resolver is asked during `infer` only.
struct InferRequest {
  std::shared_ptr<const SyntaxFunction> function;
  uint64_t handle = 0; ///< the function, as the resolver knows it
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
  /// Coercions that lose information and the like: each is warned about once (treadle.TreadleWarning).
  std::vector<std::string> warnings;
  /// Memory of devices whose addresses are in the code. Who asked for the inference adds them.
  std::vector<std::shared_ptr<Buffer>> captured;
  /// What types and code refer to outside: it lives as long as they do. From who asked, too.
  std::shared_ptr<const void> references;
};

struct GenerateRequest {
  TypedRef function;
  Target target;
  Facts facts;
  CompileOptions options;
  bool keepStages = false; ///< fill Image::stages
};

/// Thread-safe; two compilations may run at once. Everything it throws derives from treadle::Error.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Needs the GIL (it asks the resolver).
  virtual InferResult infer(const InferRequest &request) = 0;
  /// Must not hold the GIL. Works on a thread of its own, and asks on the caller's, some 20 times a second, whether it
  /// shall go on. Where not, nothing is returned at once; that thread goes on to its end, and what it makes is dropped.
  virtual std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &goesOn) = 0;
  virtual std::string printTyped(const TypedRef &function) = 0;
  /// For images of kind Cpu, on this machine.
  virtual NativeLinker &linker() = 0;
};

/// The only symbol that libtreadle-compiler.so exports, "treadle_compiler_create".
using CreateCompiler = Compiler *(*)(const char *buildId);

} // namespace treadle
