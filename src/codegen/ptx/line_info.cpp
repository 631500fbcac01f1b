// Line information as LLVM's metadata, which its back end turns into `.loc`.
#include "codegen/ptx/line_info.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

namespace treadle::codegen::ptx {

namespace {

constexpr bool isOptimized = true;

} // namespace

LineInfo::LineInfo(llvm::Module &module, const SourceRef &source)
    : module(module), builder(std::make_unique<llvm::DIBuilder>(module)) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::StringRef path = source ? llvm::StringRef(source->file) : "<unknown>";
  llvm::DIFile *file = builder->createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  unit = builder->createCompileUnit(llvm::dwarf::DW_LANG_Python, file, "treadle", isOptimized, "", 0, "",
                                    llvm::DICompileUnit::DebugDirectivesOnly);
}

LineInfo::~LineInfo() = default;

llvm::DIFile *LineInfo::fileOf(const TypedFunction &function) {
  if (!function.source)
    return unit->getFile();
  llvm::StringRef path = function.source->file;
  return builder->createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
}

llvm::DISubprogram *LineInfo::scopeOf(const TypedFunction &function) {
  llvm::DISubprogram *&scope = scopes[&function];
  if (!scope)
    scope = builder->createFunction(unit, function.name, function.name, fileOf(function), function.span.line,
                                    builder->createSubroutineType(builder->getOrCreateTypeArray({})),
                                    function.span.line, llvm::DINode::FlagZero,
                                    llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  return scope;
}

void LineInfo::attach(llvm::Function &code, const TypedFunction &function) { code.setSubprogram(scopeOf(function)); }

llvm::DILocation *LineInfo::at(const TypedFunction &function, const SourceSpan &span, llvm::DILocation *callSite) {
  // Columns count from 1 in debug information.
  return llvm::DILocation::get(module.getContext(), span.line, span.isKnown() ? span.column + 1 : 0, scopeOf(function),
                               callSite);
}

llvm::DILocation *LineInfo::callSite(const TypedFunction &caller, const SourceSpan &span,
                                     llvm::DILocation *callersSite) {
  return llvm::DILocation::getDistinct(module.getContext(), span.line, span.isKnown() ? span.column + 1 : 0,
                                       scopeOf(caller), callersSite);
}

void LineInfo::finish() { builder->finalize(); }

} // namespace treadle::codegen::ptx
