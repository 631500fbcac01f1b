// Debug information as LLVM metadata, which the back ends emit as `.loc` and DWARF.
#include "codegen/debug_info.h"

#include "border/compile_options.h"
#include "support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <utility>

namespace treadle::codegen {

using namespace llvm;
using treadle::Type;

namespace {

/// NVPTX's spelling of names with a dot, which the second function of a name gets.
std::string symbolOf(const Function &code) {
  std::string name;
  for (const char c : code.getName())
    name += c == '.' || c == '@' ? "_$_" : std::string(1, c);
  return name;
}

/// Columns count from 1 in debug information.
unsigned columnOf(const SourceSpan &span) { return span.isKnown() ? span.column + 1 : 0; }

StringRef pathOf(const SourceText *source) { return source ? StringRef(source->file) : "<unknown>"; }

/// The DWARF language: not Python, for which debuggers could not evaluate expressions.
unsigned languageOf(DebugInfo::Detail detail) {
  return detail == DebugInfo::Detail::Full ? dwarf::DW_LANG_C99 : dwarf::DW_LANG_Python;
}

} // namespace

/// Lines alone are for profilers, whose code is optimised as any other.
std::optional<DebugInfo::Wanted> DebugInfo::wantedBy(const CompileOptions &options, unsigned dwarfVersion) {
  if (!options.debug && !options.lineInfo)
    return std::nullopt;
  return Wanted{options.debug ? Detail::Full : Detail::Lines, options.optimization > 0 || !options.debug, dwarfVersion};
}

DebugInfo::DebugInfo(Module &module, const SourceRef &source, const Wanted &wanted)
    : module(module), detail(wanted.detail), isOptimized(wanted.isOptimized), lanes(wanted.lanes),
      hasVersions(wanted.hasVersions), builder(std::make_unique<DIBuilder>(module)), types(*builder) {
  module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  if (detail == Detail::Full)
    module.addModuleFlag(Module::Warning, "Dwarf Version", wanted.dwarfVersion);
  const StringRef path = pathOf(source.get());
  DIFile *file = builder->createFile(sys::path::filename(path), sys::path::parent_path(path));
  const auto emission = detail == Detail::Full ? DICompileUnit::FullDebug : DICompileUnit::DebugDirectivesOnly;
  // Without name tables, which PTX cannot express before version 7.5.
  unit = builder->createCompileUnit(languageOf(detail), file, "treadle", isOptimized, "", 0, "", emission, 0, true,
                                    false, DICompileUnit::DebugNameTableKind::None);
}

DebugInfo::~DebugInfo() = default;

// Functions.

DIFile *DebugInfo::fileOf(const SourceText *source) {
  if (!source)
    return unit->getFile();
  const StringRef path = pathOf(source);
  return builder->createFile(sys::path::filename(path), sys::path::parent_path(path));
}

DISubprogram *DebugInfo::scope(const std::string &name, DIFile *file, uint32_t line, const Signature *signature) {
  SmallVector<Metadata *, 8> described;
  if (signature && detail == Detail::Full) {
    described.push_back(signature->result ? types.of(signature->result).type : nullptr);
    for (const Type *argument : signature->arguments)
      if (DIType *type = types.of(argument).type)
        described.push_back(type);
  }
  const DISubprogram::DISPFlags optimized = isOptimized ? DISubprogram::SPFlagOptimized : DISubprogram::SPFlagZero;
  return builder->createFunction(unit, name, name, file, line,
                                 builder->createSubroutineType(builder->getOrCreateTypeArray(described)), line,
                                 DINode::FlagZero, DISubprogram::SPFlagDefinition | optimized);
}

DISubprogram *DebugInfo::scopeOf(const Version &version) {
  DISubprogram *&known = scopes[version];
  const TypedFunction &function = *version.first;
  if (!known)
    known = scope(function.name, fileOf(function.source.get()), function.span.line, &function.signature);
  return known;
}

/// One for each text, whatever types it was inlined with: there is no function of it whose signature could be
/// described.
DISubprogram *DebugInfo::scopeOf(const ExpandedFunction &function) {
  DISubprogram *&known = expandedScopes[function.source.get()];
  if (!known) {
    const std::string qualified = function.source ? function.source->function : "";
    known = scope(qualified.substr(qualified.rfind('.') + 1), fileOf(function.source.get()),
                  function.source ? function.source->firstLine : 0, nullptr);
  }
  return known;
}

/// Functions of the library have no scope: users see a call of them as one line of theirs.
const Function *DebugInfo::attach(Function &code, const TypedFunction &function) {
  const Function *before = std::exchange(current, hasVersions ? &code : nullptr);
  if (function.isLibrary)
    return before;
  DISubprogram *own = scopeOf(versionOf(function, nullptr));
  if (hasVersions) // debuggers would show that name
    own->replaceRawLinkageName(nullptr);
  else if (detail == Detail::Full)
    own->replaceRawLinkageName(MDString::get(module.getContext(), symbolOf(code)));
  code.setSubprogram(own);
  return before;
}

// Lines.

/// The user-visible location of a span; nullopt: in Treadle's own library. Users see that as the call in their text,
/// and not at all if it is a separate LLVM function.
std::optional<DebugInfo::Position> DebugInfo::positionOf(const TypedFunction &function, uint32_t origin,
                                                         DILocation *callSite) {
  if (origin == 0)
    return function.isLibrary ? std::nullopt
                              : std::optional(Position{scopeOf(versionOf(function, callSite)), callSite});
  const ExpandedFunction &expanded = function.expanded[origin - 1];
  if (expanded.isLibrary)
    return std::nullopt;
  DILocation *&site = expandedSites[{versionOf(function, callSite), origin, callSite}];
  if (!site)
    site = this->callSite(function, expanded.site, callSite);
  return Position{scopeOf(expanded), site};
}

DILocation *DebugInfo::located(const SourceSpan &span, const Position &position) {
  return DILocation::get(module.getContext(), span.line, columnOf(span), position.scope, position.callSite);
}

/// Goes outward from the library's code to the first call that is the user's.
DILocation *DebugInfo::at(const TypedFunction &function, const SourceSpan &span, DILocation *callSite) {
  if (const std::optional<Position> position = positionOf(function, span.origin, callSite))
    return located(span, *position);
  return span.origin ? at(function, function.expanded[span.origin - 1].site, callSite) : callSite;
}

DILocation *DebugInfo::callSite(const TypedFunction &caller, const SourceSpan &span, DILocation *callersSite) {
  if (const std::optional<Position> position = positionOf(caller, span.origin, callersSite))
    return DILocation::getDistinct(module.getContext(), span.line, columnOf(span), position->scope, position->callSite);
  return span.origin ? callSite(caller, caller.expanded[span.origin - 1].site, callersSite) : callersSite;
}

// Variables.

/// One type, or a structure of all: the tag, then each.
DIType *DebugInfo::layOut(DebugVariable &variable, const Slots &slots) {
  if (slots.size() == 1) {
    const DebugShape &shape = types.of(slots.front()->type);
    variable.bytes = shape.bytes;
    variable.alignment = shape.alignment;
    variable.parts.push_back({slots.front(), &shape, 0});
    return shape.type;
  }
  std::vector<std::string> members{"unassigned"};
  for (const typed::Slot *slot : slots) {
    std::string member = "_" + slot->type->name();
    for (unsigned number = 2; is_contained(members, member); ++number)
      member = "_" + slot->type->name() + "_" + std::to_string(number);
    members.push_back(member);
  }
  const DebugShape tag = types.names("assigned type", members);
  std::vector<DebugField> fields{{"type", tag}};
  uint32_t end = tag.bytes;
  for (size_t i = 0; i < slots.size(); ++i) {
    const DebugShape &shape = types.of(slots[i]->type);
    fields.push_back({members[i + 1], shape});
    const auto offset = uint32_t(alignTo(end, shape.alignment));
    variable.parts.push_back({slots[i], &shape, offset});
    end = offset + shape.bytes;
  }
  const DebugShape all = types.structure("variable of several types", fields);
  variable.bytes = all.bytes;
  variable.alignment = all.alignment;
  return all.type;
}

/// Preserved: LLVM describes the variable even after all instructions that mention it are gone.
DebugVariable DebugInfo::describe(const Version &version, const Slots &slots) {
  DebugVariable variable;
  const typed::Slot &first = *slots.front();
  variable.span = first.span;
  DIType *one = layOut(variable, slots), *type = types.ofLanes(one, variable.bytes, lanes);
  const bool isExpanded = first.span.origin != 0;
  DISubprogram *scope = isExpanded ? scopeOf(version.first->expanded[first.span.origin - 1]) : scopeOf(version);
  const StringRef name(first.name.data(), first.name.size());
  constexpr bool isPreserved = true;
  variable.description =
      // Arguments count from 1 in LLVM's description, where 0 is a variable.
      first.isParameter
          ? builder->createParameterVariable(scope, name, first.index + 1, scope->getFile(), first.span.line, type,
                                             isPreserved)
          : builder->createAutoVariable(scope, name, scope->getFile(), first.span.line, type, isPreserved);
  return variable;
}

DebugVariable DebugInfo::describe(const Version &version, const ConstantVariable &constant) {
  DebugVariable variable;
  const DebugShape &shape = types.of(constant.value.type);
  variable.span = constant.span;
  variable.bytes = shape.bytes;
  variable.alignment = shape.alignment;
  variable.constant = &constant.value;
  DISubprogram *scope = scopeOf(version);
  DIType *type = types.ofLanes(shape.type, shape.bytes, lanes);
  constexpr bool isPreserved = true;
  variable.description =
      builder->createAutoVariable(scope, constant.name, scope->getFile(), constant.span.line, type, isPreserved);
  variable.parts.push_back({nullptr, &shape, 0});
  return variable;
}

/// Slots of one name are one variable to users, whose type changes. The same name in a function that was inlined is
/// another variable. Slots without a name are the compiler's.
const std::vector<DebugVariable> &DebugInfo::variablesOf(const TypedFunction &function, DILocation *callSite) {
  const Version version = versionOf(function, callSite);
  const auto [entry, isNew] = variables.try_emplace(version);
  if (!isNew || detail == Detail::Lines)
    return entry->second;
  std::vector<Slots> groups;
  for (const typed::Slot *slot : function.slots) {
    const uint32_t origin = slot->span.origin;
    const bool isLibrary = origin ? function.expanded[origin - 1].isLibrary : function.isLibrary;
    if (slot->name.empty() || isLibrary || !types.of(slot->type).type)
      continue;
    const auto same = llvm::find_if(groups, [&](const Slots &group) {
      return group.front()->name == slot->name && group.front()->span.origin == origin;
    });
    if (same == groups.end())
      groups.push_back({slot});
    else
      same->push_back(slot);
  }
  for (const Slots &slots : groups)
    entry->second.push_back(describe(version, slots));
  for (const ConstantVariable &constant : function.constants)
    if (!function.isLibrary)
      entry->second.push_back(describe(version, constant));
  return entry->second;
}

/// Directly after the memory in the entry block, so that the variable is there in the whole function.
void DebugInfo::declare(const DebugVariable &variable, AllocaInst &memory, const TypedFunction &function,
                        DILocation *callSite) {
  DILocation *location = at(function, variable.span, callSite);
  TREADLE_CHECK(location != nullptr); // the library has no variables
  if (Instruction *next = memory.getNextNode())
    builder->insertDeclare(&memory, variable.description, builder->createExpression(), location, next);
  else
    builder->insertDeclare(&memory, variable.description, builder->createExpression(), location, memory.getParent());
}

void DebugInfo::finish() { builder->finalize(); }

} // namespace treadle::codegen
