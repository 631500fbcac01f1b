// The entry of PTX code: a kernel's parameters, which are only those leaves that it reads, or a device function for C.
#pragma once

#include "border/parameter_layout.h"
#include "codegen/emitter.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace treadle {
struct Image;
}

namespace treadle::codegen::ptx {

/// The entry of an image.
///
/// A kernel's parameters are the leaves of its arguments in order (codegen/parameters.h), each a `.param` of its own
/// size, then, if the grid synchronises, the address of a 32-bit word that is 0 when the launch begins: pointers and
/// strides `.u64`, extents `.u64` or, under Facts::offsetsFitInt32, `.u32`, bools and "has a value" `.u8`. A device
/// function takes all leaves, bools as C passes them, and returns its result by value (several leaves as a struct).
class PtxEntry {
public:
  /// `emitter` is used for types only.
  PtxEntry(Emitter &emitter, const TypedFunction &function, const CompileOptions &options);

  llvm::Function &code() const { return *function; }
  /// The parameters' leaves; emits code that makes them from LLVM's arguments.
  llvm::SmallVector<Lanes, 8> arguments(Emitter &emitter) const;

  /// The word in which the blocks of a grid count arrivals; nullptr if they never wait for each other. Call before
  /// `finish`.
  llvm::Value *gridBarrierWord() const;

  /// Call after the passes: removes unread parameters of a kernel; marks read-only ones, and the kernel's limits.
  void finish();
  /// Fills entry, parameters and writes. Call after `finish`.
  void describe(Image &image) const;

private:
  bool hasGridBarrier() const { return typed.isKernel && typed.hasGridBarrier; }
  void declare(Emitter &emitter, const std::string &name);
  void nameParameters();
  void declareKernelParameters();
  void declareCParameters();
  void dropUnusedParameters();
  void findWrites();
  void findWritesInTree();
  void annotate(const char *key, unsigned value);

  llvm::Module &module;
  const TypedFunction &typed;
  Facts facts;
  const CompileOptions &options;
  std::vector<ParameterLeaf> leaves; ///< one per argument of `function`
  std::vector<bool> writes;
  llvm::Function *function = nullptr;
};

/// The name restricted to PTX's characters: others become underscores.
std::string ptxName(const std::string &name);

} // namespace treadle::codegen::ptx
