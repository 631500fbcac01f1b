// DebugInfo: the source line of each instruction, for profilers, and for debuggers also the user's variables. Shared by
// both generators.
#pragma once

#include "codegen/debug_types.h"
#include "typed/typed.h"

#include <memory>
#include <optional>
#include <tuple>

namespace llvm {
class AllocaInst;
class DIBuilder;
class DICompileUnit;
class DIFile;
class DILocalVariable;
class DILocation;
class DISubprogram;
class Function;
class Module;
} // namespace llvm

namespace treadle {
struct CompileOptions;
}

namespace treadle::codegen {

/// A user's variable: one slot, or several if its type changes, or a constant. Several are members of a structure whose
/// first one tells which of them was assigned last.
struct DebugVariable {
  struct Part {
    const typed::Slot *slot; ///< nullptr: the constant
    const DebugShape *shape;
    uint32_t offset; ///< bytes
  };
  llvm::DILocalVariable *description = nullptr;
  SourceSpan span;
  uint32_t bytes = 0, alignment = 1; ///< of one lane
  std::vector<Part> parts;
  const typed::Const *constant = nullptr;
  bool hasTag() const { return parts.size() > 1; } ///< an int32 at offset 0: 0, or 1 + the position in `parts`
};

class DebugInfo {
public:
  enum class Detail : uint8_t {
    Lines, ///< `.loc` in PTX, no sections
    Full,  ///< functions, types and variables
  };
  struct Wanted {
    Detail detail;
    bool isOptimized;
    unsigned dwarfVersion;
    unsigned lanes = 1; ///< number of values of a variable
    /// LLVM functions are versions of their function, with symbols that users do not know.
    bool hasVersions = false;
  };
  /// The options' request; nothing unless `debug` or `lineInfo` is set.
  static std::optional<Wanted> wantedBy(const CompileOptions &options, unsigned dwarfVersion);

  DebugInfo(llvm::Module &module, const SourceRef &source, const Wanted &wanted);
  ~DebugInfo();

  /// Starts an LLVM function for this function, before anything is emitted into it. If functions have versions, what
  /// follows refers to this one until `resume` of the returned one.
  const llvm::Function *attach(llvm::Function &code, const TypedFunction &function);
  void resume(const llvm::Function *version) { current = version; }
  /// The position `span` in a function that was inlined at `callSite` (nullptr: it is a separate LLVM function).
  /// nullptr: not visible to users.
  llvm::DILocation *at(const TypedFunction &function, const SourceSpan &span, llvm::DILocation *callSite);
  /// The call site of an inlined call: distinct for each call.
  llvm::DILocation *callSite(const TypedFunction &caller, const SourceSpan &span, llvm::DILocation *callersSite);

  /// Whether variables are in memory wherever they are in scope, so that debuggers find them: without optimisation.
  bool keepsVariables() const { return detail == Detail::Full && !isOptimized; }
  /// The variables that users see, none with Detail::Lines. They are described even if they have no storage.
  const std::vector<DebugVariable> &variablesOf(const TypedFunction &function, llvm::DILocation *callSite);
  /// The variable is in `memory`, which has its bytes for each lane, in the function inlined at `callSite`.
  void declare(const DebugVariable &variable, llvm::AllocaInst &memory, const TypedFunction &function,
               llvm::DILocation *callSite);
  /// Call after the last function.
  void finish();

private:
  using Slots = std::vector<const typed::Slot *>;
  struct Position {
    llvm::DISubprogram *scope;
    llvm::DILocation *callSite;
  };
  llvm::DIFile *fileOf(const SourceText *source);
  /// A function, in one of its versions; nullptr: inlined, or the only one.
  using Version = std::pair<const TypedFunction *, const llvm::Function *>;
  Version versionOf(const TypedFunction &function, llvm::DILocation *callSite) const {
    return {&function, callSite ? nullptr : current};
  }
  llvm::DISubprogram *scopeOf(const Version &version);
  llvm::DISubprogram *scopeOf(const ExpandedFunction &function);
  llvm::DISubprogram *scope(const std::string &name, llvm::DIFile *file, uint32_t line, const Signature *signature);
  std::optional<Position> positionOf(const TypedFunction &function, uint32_t origin, llvm::DILocation *callSite);
  llvm::DILocation *located(const SourceSpan &span, const Position &position);
  DebugVariable describe(const Version &version, const Slots &slots);
  DebugVariable describe(const Version &version, const ConstantVariable &constant);
  llvm::DIType *layOut(DebugVariable &variable, const Slots &slots);

  llvm::Module &module;
  const Detail detail;
  const bool isOptimized;
  const unsigned lanes;
  const bool hasVersions;
  const llvm::Function *current = nullptr;
  std::unique_ptr<llvm::DIBuilder> builder;
  DebugTypes types;
  llvm::DICompileUnit *unit;
  std::map<Version, llvm::DISubprogram *> scopes;
  std::map<const SourceText *, llvm::DISubprogram *> expandedScopes;
  std::map<Version, std::vector<DebugVariable>> variables;
  /// Of calls inlined by passes: by function, origin, and the function's own call site.
  std::map<std::tuple<Version, uint32_t, llvm::DILocation *>, llvm::DILocation *> expandedSites;
};

} // namespace treadle::codegen
