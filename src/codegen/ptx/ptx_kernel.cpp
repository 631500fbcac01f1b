// Entries of PTX code: declarations, parameters, and which of them are read-only.
#include "codegen/ptx/ptx_kernel.h"

#include "border/compile_options.h"
#include "border/image.h"
#include "codegen/parameters.h"
#include "passes/analyses/short_rows.h"
#include "passes/analyses/written_arrays.h"
#include "support/error.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;
using Source = ParameterLeaf::Source;

namespace {

constexpr unsigned globalSpace = 1;

/// Follows all uses of a pointer; a use that cannot be followed counts as a write.
/// On optimised code, where accesses are more direct than in the tree: what is only read may be loaded through the
/// read-only cache, and needs no copy back to the host.
class WriteSearch {
public:
  bool mayWrite(Value &pointer) {
    follow(pointer);
    while (!open.empty())
      if (isWrite(*open.pop_back_val()))
        return true;
    return false;
  }

private:
  SmallVector<Use *, 16> open;
  SmallPtrSet<Value *, 16> seen;

  void follow(Value &value) {
    if (!seen.insert(&value).second)
      return;
    for (Use &use : value.uses())
      open.push_back(&use);
  }

  /// A comparison reads the pointer only. Of calls, the callee's parameter is followed; what a declaration does is
  /// unknown.
  bool isWrite(Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    switch (user->getOpcode()) {
    case Instruction::Load:
    case Instruction::ICmp:
      return false;
    case Instruction::GetElementPtr:
    case Instruction::AddrSpaceCast:
    case Instruction::PHI:
    case Instruction::Select:
      follow(*user);
      return false;
    case Instruction::Call: {
      auto &call = cast<CallInst>(*user);
      Function *callee = call.getCalledFunction();
      if (!callee || callee->isDeclaration() || !call.isDataOperand(&use))
        return true;
      follow(*callee->getArg(call.getArgOperandNo(&use)));
      return false;
    }
    default:
      return true;
    }
  }
};

/// Pointers that a launch passes are to global memory, which LLVM cannot know of a generic one. An i1 has no size in
/// `.param`.
llvm::Type *parameterType(LLVMContext &context, const ParameterLeaf &leaf, llvm::Type *leafType) {
  if (leaf.source == Source::Pointer || leaf.source == Source::GridBarrier)
    return PointerType::get(context, globalSpace);
  if (leaf.source == Source::Extent)
    return llvm::Type::getIntNTy(context, leaf.bytes * 8);
  return leafType->isIntegerTy(1) ? llvm::Type::getInt8Ty(context) : leafType;
}

/// Under the fact, extents are read in 32 bits: with 64-bit bounds, comparisons and loops would have 64 bits as well.
unsigned extentBytes(const TypedFunction &function, const Facts &facts) {
  return function.isKernel && facts.offsetsFitInt32 ? 4 : 8;
}

std::string suffix(const ParameterLeaf &leaf) {
  switch (leaf.source) {
  case Source::Scalar:
    return leaf.index == 0 ? "" : ".imag";
  case Source::HasValue:
    return ".given";
  case Source::Pointer:
    return "";
  case Source::Extent:
    return ".shape." + std::to_string(leaf.index);
  case Source::Stride:
    return ".stride." + std::to_string(leaf.index);
  case Source::GridBarrier:
    return "";
  }
  return "";
}

/// C's promotion of small integers passed to device functions.
Attribute::AttrKind extension(const Type *type) { return type->isSigned() ? Attribute::SExt : Attribute::ZExt; }

bool isSmallInteger(const Type *type) { return type && type->isInteger() && type->bits() < 32; }

} // namespace

/// PTX names have ASCII letters, digits, `_` and `$`, and no digit at the beginning; Python's may have other letters.
std::string ptxName(const std::string &name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) || c == '_' || c == '$' ? c : '_';
  if (result.empty() || isDigit(result.front()))
    result.insert(result.begin(), '_');
  // A single underscore is not a valid name.
  return result == "_" || result == "$" ? result + "0" : result;
}

/// The word of the grid's barrier is the last leaf, of no argument.
PtxEntry::PtxEntry(Emitter &emitter, const TypedFunction &function, const CompileOptions &options)
    : module(emitter.module), typed(function), facts(emitter.options.facts), options(options),
      leaves(parameterLeaves(function.signature, extentBytes(function, facts))) {
  if (hasGridBarrier())
    leaves.push_back({Source::GridBarrier, 0, 0, 8});
  bool isNamed = !function.isKernel && !options.abiName.empty();
  declare(emitter, ptxName(isNamed ? options.abiName : function.name));
}

/// Types are the leaves' own for a device function, which C code calls, and those of `.param` for a kernel. Convergent,
/// so that LLVM keeps barriers and warp functions in the branches that they are in.
void PtxEntry::declare(Emitter &emitter, const std::string &name) {
  LLVMContext &context = module.getContext();
  SmallVector<llvm::Type *, 16> types;
  for (const Type *argument : typed.signature.arguments)
    emitter.leafTypes(argument, types);
  if (hasGridBarrier())
    types.push_back(PointerType::get(context, globalSpace));
  TREADLE_CHECK(types.size() == leaves.size());
  for (unsigned i = 0; typed.isKernel && i < types.size(); ++i)
    types[i] = parameterType(context, leaves[i], types[i]);
  SmallVector<llvm::Type *, 4> results;
  if (!typed.isKernel && typed.signature.result)
    emitter.leafTypes(typed.signature.result, results);
  llvm::Type *result = llvm::Type::getVoidTy(context);
  if (!results.empty())
    result = results.size() == 1 ? results.front() : StructType::get(context, results);
  function = Function::Create(FunctionType::get(result, types, false), GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr(Attribute::NoUnwind);
  if (typed.hasBarrier || typed.hasWarpOps)
    function->addFnAttr(Attribute::Convergent);
  nameParameters();
  if (typed.isKernel)
    declareKernelParameters();
  else
    declareCParameters();
}

// Names for readers of the stages: "x", "x.shape.0", "z.imag"; items of a tuple "t.0", "t.1".
void PtxEntry::nameParameters() {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < typed.parameterCount; ++i) {
    std::string name(typed.slots[i]->name);
    const Type *type = typed.slots[i]->type;
    if (!type->isTuple())
      names.push_back(name);
    else
      for (unsigned item = 0, count = argumentLeaves(type); item < count; ++item)
        names.push_back(name + "." + std::to_string(item));
  }
  for (unsigned i = 0; i < leaves.size(); ++i)
    function->getArg(i)->setName(
        leaves[i].source == Source::GridBarrier ? "grid.barrier" : names[leaves[i].argument] + suffix(leaves[i]));
}

void PtxEntry::declareKernelParameters() {
  function->setCallingConv(CallingConv::PTX_Kernel);
  // LLVM assumes that no call, and hence no barrier, changes memory to which only such a parameter points.
  const bool mayChange = communicates(typed, true);
  const llvm::BitVector written = writtenParameters(typed);
  const std::vector<unsigned> parameterOf = parametersOf(typed);
  for (unsigned i = 0; i < leaves.size(); ++i) {
    if (leaves[i].source != Source::Pointer)
      continue;
    if (facts.noOverlap && !(mayChange && written.test(parameterOf[leaves[i].argument])))
      function->addParamAttr(i, Attribute::NoAlias);
    if (facts.aligned16)
      function->addParamAttr(i, Attribute::getWithAlignment(module.getContext(), Align(16)));
  }
}

/// C callers extend smaller integers, and expect the same of the result.
void PtxEntry::declareCParameters() {
  std::vector<const Type *> arguments;
  for (const Type *type : typed.signature.arguments)
    if (!type->isTuple())
      arguments.push_back(type);
  // Items of tuples are passed unchanged: C has no tuples.
  for (unsigned i = 0; i < leaves.size() && arguments.size() == typed.signature.arguments.size(); ++i)
    if (leaves[i].source == Source::Scalar && isSmallInteger(arguments[leaves[i].argument]))
      function->addParamAttr(i, extension(arguments[leaves[i].argument]));
  if (isSmallInteger(typed.signature.result))
    function->addRetAttr(extension(typed.signature.result));
}

Value *PtxEntry::gridBarrierWord() const {
  return hasGridBarrier() ? function->getArg(unsigned(leaves.size()) - 1) : nullptr;
}

/// Extents that the facts state are constants, and their parameters then unread. Generic pointers from here on: LLVM
/// infers the address space again where it follows from this cast.
SmallVector<Lanes, 8> PtxEntry::arguments(Emitter &emitter) const {
  IRBuilder<> &builder = emitter.builder;
  SmallVector<Lanes, 8> result;
  unsigned next = 0;
  const KnownExtents extents(typed, typed.isKernel ? facts : Facts{});
  for (uint32_t i = 0; i < typed.signature.arguments.size(); ++i) {
    SmallVector<llvm::Type *, 8> types;
    emitter.leafTypes(typed.signature.arguments[i], types);
    Lanes &lanes = result.emplace_back();
    for (llvm::Type *wanted : types) {
      Value *argument = function->getArg(next++);
      const ParameterLeaf &leaf = leaves[next - 1];
      if (const int64_t extent = leaf.source == Source::Extent ? extents.ofParameter(*typed.slots[i], leaf.index) : 0)
        argument = emitter.int64(extent);
      else if (argument->getType()->isPointerTy())
        argument = builder.CreateAddrSpaceCast(argument, wanted);
      else if (argument->getType() != wanted)
        argument = wanted->isIntegerTy(1) ? builder.CreateICmpNE(argument, builder.getInt8(0))
                                          : builder.CreateZExt(argument, wanted, "", /*IsNonNeg=*/true);
      lanes.push_back(argument);
    }
  }
  return result;
}

/// Writes are found while every leaf of the arguments still has its parameter.
void PtxEntry::finish() {
  findWrites();
  if (!typed.isKernel)
    return;
  dropUnusedParameters();
  // Not earlier: LLVM's passes cache annotations by the function's address.
  if (options.maxThreadsPerBlock)
    annotate("maxntidx", options.maxThreadsPerBlock);
  if (options.minBlocksPerSm)
    annotate("minctasm", options.minBlocksPerSm);
  if (options.maxClusterRank)
    annotate("maxclusterrank", options.maxClusterRank);
  if (options.maxRegisters)
    annotate("maxnreg", options.maxRegisters);
}

/// If variables are in memory, uses of pointers cannot be tracked through the code.
void PtxEntry::findWritesInTree() { writes = writtenLeaves(typed, leaves); }

/// A leaf of no argument has no entry. With the attribute, the back end loads through the read-only cache where nothing
/// overlaps.
void PtxEntry::findWrites() {
  if (keepsVariables(options))
    return findWritesInTree();
  for (unsigned i = 0; i < leaves.size(); ++i) {
    if (leaves[i].source == Source::GridBarrier)
      continue;
    writes.resize(std::max<size_t>(writes.size(), leaves[i].argument + 1u));
    if (leaves[i].source != Source::Pointer)
      continue;
    Argument *pointer = function->getArg(i);
    if (WriteSearch().mayWrite(*pointer))
      writes[leaves[i].argument] = true;
    else
      pointer->addAttr(Attribute::ReadOnly);
  }
}

/// LLVM cannot change a function's type, so its body moves to a new one, which takes the name last.
void PtxEntry::dropUnusedParameters() {
  std::vector<ParameterLeaf> used;
  SmallVector<llvm::Type *, 16> types;
  SmallVector<AttributeSet, 16> attributes;
  SmallVector<Argument *, 16> arguments;
  AttributeList old = function->getAttributes();
  for (Argument &argument : function->args()) {
    if (argument.use_empty())
      continue;
    used.push_back(leaves[argument.getArgNo()]);
    types.push_back(argument.getType());
    attributes.push_back(old.getParamAttrs(argument.getArgNo()));
    arguments.push_back(&argument);
  }
  auto *type = FunctionType::get(function->getReturnType(), types, false);
  Function *smaller = Function::Create(type, function->getLinkage(), "", module);
  smaller->setCallingConv(function->getCallingConv());
  smaller->setAttributes(AttributeList::get(module.getContext(), old.getFnAttrs(), old.getRetAttrs(), attributes));
  smaller->setSubprogram(function->getSubprogram());
  // LLVM allows a description for one function only.
  function->setSubprogram(nullptr);
  smaller->splice(smaller->begin(), function);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    smaller->getArg(i)->takeName(arguments[i]);
    arguments[i]->replaceAllUsesWith(smaller->getArg(i));
  }
  smaller->takeName(function);
  function->eraseFromParent();
  function = smaller;
  leaves = std::move(used);
}

/// NVPTX reads a kernel's limits from this metadata, as nvcc writes it.
void PtxEntry::annotate(const char *key, unsigned value) {
  LLVMContext &context = module.getContext();
  Metadata *items[] = {ValueAsMetadata::get(function), MDString::get(context, key),
                       ConstantAsMetadata::get(ConstantInt::get(llvm::Type::getInt32Ty(context), value))};
  module.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(context, items));
}

/// After dropUnusedParameters(), so that offsets are those of the leaves that are left.
void PtxEntry::describe(Image &image) const {
  image.entry = function->getName().str();
  image.parameters = layOut(leaves);
  image.writes = writes;
}

} // namespace treadle::codegen::ptx
