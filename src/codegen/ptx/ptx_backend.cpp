// LLVM's NVPTX back end: target machine, passes, text.
#include "codegen/ptx/ptx_backend.h"

#include "border/compile_options.h"
#include "border/target.h"
#include "codegen/emit_file.h"
#include "codegen/llvm_option.h"
#include "codegen/ptx/machine_passes.h"
#include "codegen/ptx/unroll_loops.h"
#include "codegen/ptx/wide_divisions.h"
#include "codegen/roundings.h"
#include "passes/pipeline.h"
#include "support/error.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <algorithm>
#include <fmt/core.h>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace treadle::codegen::ptx {

namespace {

constexpr const char *triple = "nvptx64-nvidia-cuda";

/// In ascending order, which gpuName() relies on. A later PTX version would exclude older drivers.
constexpr GpuName gpuNames[] = {
    {75, "sm_75", "+ptx63"}, {80, "sm_80", "+ptx70"}, {86, "sm_86", "+ptx71"},
    {87, "sm_87", "+ptx74"}, {89, "sm_89", "+ptx78"}, {90, "sm_90", "+ptx78"},
};

/// Registered once per process. Only what assembly text needs is initialised: no parser, no disassembler.
const llvm::Target &nvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Pointers into shared, constant and local memory have 32 bits. Nothing else in the process emits PTX.
    setLlvmOption("nvptx-short-ptr", "true");
  });
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw InternalError("LLVM has no NVPTX target: " + error);
  return *target;
}

/// Operations that ptxas does not fuse either: `.rn` specifies their rounding.
llvm::Value *makeRounded(llvm::IRBuilder<> &b, unsigned opcode, llvm::Value *left, llvm::Value *right) {
  const bool isProduct = opcode == llvm::Instruction::FMul;
  if (opcode == llvm::Instruction::FSub)
    right = b.CreateFNeg(right);
  llvm::Type *type = left->getType();
  if (type->isFloatTy())
    return b.CreateIntrinsic(isProduct ? llvm::Intrinsic::nvvm_mul_rn_f : llvm::Intrinsic::nvvm_add_rn_f, {},
                             {left, right});
  auto *bits = b.getInt16Ty();
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(bits, {bits, bits}, false),
                                        isProduct ? "mul.rn.f16 $0, $1, $2;" : "add.rn.f16 $0, $1, $2;", "=h,h,h",
                                        /*hasSideEffects=*/false);
  llvm::Value *made = b.CreateCall(assembly, {b.CreateBitCast(left, bits), b.CreateBitCast(right, bits)});
  return b.CreateBitCast(made, type);
}

/// Before InstCombine, which would narrow such operations to ones that ptxas may fuse.
struct NarrowRounded : llvm::PassInfoMixin<NarrowRounded> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    // Fast math may drop roundings.
    if (function.hasFnAttribute("denormal-fp-math-f32"))
      return llvm::PreservedAnalyses::all();
    narrowRounded(function, makeRounded);
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// A condition may be speculated: GPUs have predicates where CPUs have branch prediction.
llvm::SimplifyCFGOptions plainBranches() { return llvm::SimplifyCFGOptions().bonusInstThreshold(8); }

llvm::FunctionPassManager cleanUp(const llvm::SimplifyCFGOptions &branches) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(NarrowRounded());
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::SimplifyCFGPass(branches));
  return passes;
}

/// The full O3 pipeline would gain a few percent on our code, at twice the time: the emitter rotates loops and inlines
/// calls already, and ptxas optimises again.
/// Address spaces are inferred in any case: generic accesses would work, but take longer. With debuggers, variables
/// stay in memory. Divisions are narrowed after all passes that make them, and before the check of what NVPTX can
/// select.
llvm::FunctionPassManager functionPasses(unsigned level, bool keepsVariables) {
  llvm::FunctionPassManager passes;
  if (!keepsVariables)
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::InferAddressSpacesPass());
  if (level == 0)
    return passes;
  passes.addPass(cleanUp(plainBranches()));
  llvm::LoopPassManager hoist, unroll;
  // Full unrolling does nothing unless loops are rotated.
  hoist.addPass(llvm::LoopRotatePass());
  hoist.addPass(llvm::LICMPass(llvm::LICMOptions()));
  unroll.addPass(llvm::IndVarSimplifyPass());
  unroll.addPass(llvm::LoopDeletionPass());
  if (level > 1)
    unroll.addPass(llvm::LoopFullUnrollPass(int(level)));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(unroll)));
  if (level > 1)
    passes.addPass(UnrollLoops());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(cleanUp(plainBranches().hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(WideDivisions());
  // For vectors of neighbouring loads, which the back end forms.
  passes.addPass(llvm::InferAlignmentPass());
  return passes;
}

llvm::TargetOptions targetOptions() {
  llvm::TargetOptions result;
  // Like nvcc's -fmad=true: `mul` and `add` without `.rn`, so that ptxas also fuses them across blocks.
  result.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  result.MCOptions.AsmVerbose = false;
  return result;
}

} // namespace

const GpuName &gpuName(unsigned computeCapability) {
  const GpuName *found = nullptr;
  // The newest that the GPU has: code for an older one runs on it, code for a newer one may not.
  for (const GpuName &name : gpuNames)
    if (name.computeCapability <= computeCapability)
      found = &name;
  if (!found)
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("compute capability {}.{} is not supported: give 7.5 or later", computeCapability / 10,
                                 computeCapability % 10));
  return *found;
}

namespace {

/// All that a machine is made from is in the key.
TargetMachines::Lent machineFor(TargetMachines &machines, const GpuName &gpu, const CompileOptions &options) {
  const bool isOptimized = options.optimization != 0;
  // LLVM takes the highest of several versions.
  const std::string asked = options.ptxVersion ? fmt::format(",+ptx{}", options.ptxVersion) : "";
  const std::string features = gpu.features + asked;
  return machines.take(gpu.processor + features + (isOptimized ? "" : " plain"), [&] {
    const auto effort = isOptimized ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
    return std::unique_ptr<llvm::TargetMachine>(nvptx().createTargetMachine(
        triple, gpu.processor, features, targetOptions(), llvm::Reloc::PIC_, std::nullopt, effort));
  });
}

} // namespace

PtxBackend::PtxBackend(TargetMachines &machines, const Target &target, const CompileOptions &options)
    : machine(machineFor(machines, gpuName(target.computeCapability), options)), level(options.optimization),
      keepsVariables(treadle::keepsVariables(options)) {}

/// Before anything is emitted: sizes and alignments of types follow from the layout.
void PtxBackend::prepare(llvm::Module &module) const {
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
}

/// Analyses are declared in the order in which they may be destroyed: each manager refers to those before it.
void PtxBackend::optimize(llvm::Module &module) const {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&*machine);
  functions.registerPass([&] {
    llvm::AAManager aliases = builder.buildDefaultAAPipeline();
    machine->registerDefaultAliasAnalyses(aliases);
    return aliases;
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes;
  // Set if math functions have been linked.
  if (module.getModuleFlag("nvvm-reflect-ftz")) {
    // libdevice queries which variant is wanted.
    if (llvm::Error error = builder.parsePassPipeline(passes, "function(nvvm-reflect)"))
      throw InternalError(llvm::toString(std::move(error)));
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
    passes.addPass(llvm::GlobalDCEPass());
  }
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(functionPasses(level, keepsVariables)));
  passes.run(module, modules);
}

namespace {

/// LLVM numbers calls in comments, process-wide: the text would depend on earlier compilations.
std::string withoutCallNumbers(std::string_view text) {
  constexpr std::string_view comment = "// callseq";
  std::string result;
  result.reserve(text.size());
  for (size_t at = text.find(comment); at != std::string_view::npos; at = text.find(comment)) {
    result.append(text.substr(0, at - 1)); // and the space before it
    text.remove_prefix(std::min(text.find('\n', at), text.size()));
  }
  return result.append(text);
}

/// ptxas before CUDA 13.5 assumes that `neg.s16` and `abs.s16` never see -32768, for which both yield 32768 when
/// widened. It handles products correctly: -x is x * -1, abs(x) the larger of both.
std::string withoutShortNegations(std::string_view text) {
  constexpr std::string_view suffix = ".s16 \t";
  std::string result;
  result.reserve(text.size());
  size_t done = 0;
  for (size_t dot = text.find(suffix); dot != std::string_view::npos; dot = text.find(suffix, dot + 1)) {
    const std::string_view name = text.substr(dot - 3, 3);
    if (name != "neg" && name != "abs")
      continue;
    const size_t operands = dot + suffix.size(), comma = text.find(", ", dot), end = text.find(';', dot);
    const std::string to(text.substr(operands, comma - operands)), x(text.substr(comma + 2, end - comma - 2));
    result.append(text.substr(done, dot - 3 - done));
    result += name == "neg" ? "mul.lo.s16 \t" + to + ", " + x + ", -1;"
                            : "{ .reg .b16 n; mul.lo.s16 n, " + x + ", -1; max.s16 " + to + ", " + x + ", n; }";
    done = end + 1;
  }
  return result.append(text.substr(done));
}

} // namespace

std::string PtxBackend::assemble(llvm::Module &module) const {
  return withoutShortNegations(
      withoutCallNumbers(emitFile(module, *machine, llvm::CodeGenFileType::AssemblyFile, machinePasses(module))));
}

} // namespace treadle::codegen::ptx
