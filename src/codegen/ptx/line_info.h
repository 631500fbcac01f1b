// LineInfo: which line of the source each instruction comes from, for profilers (`.loc` in PTX, no debug sections).
#pragma once

#include "codegen/emitter.h"

#include <memory>

namespace llvm {
class DIBuilder;
class DICompileUnit;
class DIFile;
class DILocation;
class DISubprogram;
class Function;
} // namespace llvm

namespace treadle::codegen::ptx {

class LineInfo {
public:
  LineInfo(llvm::Module &module, const SourceRef &source);
  ~LineInfo();

  /// Begins an LLVM function for this function; before anything is emitted into it.
  void attach(llvm::Function &code, const TypedFunction &function);
  /// The position `span` in a function that was inlined at `callSite` (nullptr: it is an LLVM function of its own).
  llvm::DILocation *at(const TypedFunction &function, const SourceSpan &span, llvm::DILocation *callSite);
  /// The call site of an inlined call: distinct for each call.
  llvm::DILocation *callSite(const TypedFunction &caller, const SourceSpan &span, llvm::DILocation *callersSite);
  /// After the last function.
  void finish();

private:
  llvm::DIFile *fileOf(const TypedFunction &function);
  llvm::DISubprogram *scopeOf(const TypedFunction &function);

  llvm::Module &module;
  std::unique_ptr<llvm::DIBuilder> builder;
  llvm::DICompileUnit *unit;
  std::map<const TypedFunction *, llvm::DISubprogram *> scopes;
};

} // namespace treadle::codegen::ptx
