// Math for PTX: finds libdevice or uses our own bitcode, and links the functions that a module uses.
#include "codegen/ptx/device_math.h"

#include "border/libdevice_file.h"
#include "codegen/ptx/device_math_bitcode.h"
#include "support/error.h"
#include "support/hash.h"
#include "support/settings.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

namespace treadle::codegen::ptx {

namespace {

constexpr llvm::StringLiteral prefix = "__nv_";

/// Functions that replace libdevice's, whose results are off by one bit where floats represent them exactly: powers of
/// integers, logarithms of powers, factorials.
constexpr llvm::StringLiteral alwaysOwn[] = {"__nv_hypot", "__nv_log10f", "__nv_log2",   "__nv_pow",
                                             "__nv_powf",  "__nv_tgamma", "__nv_tgammaf"};

llvm::MemoryBufferRef ownBitcode() {
  const std::string_view own = builtInDeviceMath();
  return {llvm::StringRef(own.data(), own.size()), "treadle device math"};
}

bool isWanted(const llvm::Function &function) {
  return function.isDeclaration() && !function.use_empty() && function.getName().starts_with(prefix);
}

std::unique_ptr<llvm::Module> readModule(llvm::MemoryBufferRef bytes, llvm::LLVMContext &context,
                                         const std::string &path) {
  auto module = llvm::getLazyBitcodeModule(bytes, context);
  if (!module)
    throw Error((path.empty() ? "the built-in device math" : path) +
                " is no LLVM bitcode that can be read: " + llvm::toString(module.takeError()));
  return std::move(*module);
}

/// Code of another compilation can be inlined only if both have the same features, so linked code adopts its callers'.
void adoptTarget(llvm::Function &function) {
  function.removeFnAttr("target-cpu");
  function.removeFnAttr("target-features");
  function.removeFnAttr("frame-pointer");
}

} // namespace

/// Never shrinks: there are as many slices as functions at most, and views of their bytes are handed out.
struct DeviceMath::Slices {
  std::mutex mutex;
  llvm::StringMap<std::string> byName;
};

/// A libdevice that was found and cannot be read is an error only if the user named it; one that is just installed
/// somewhere is passed over.
DeviceMath::DeviceMath() : libdevice(libdevicePath()), slices(std::make_unique<Slices>()) {
  if (!libdevice.empty())
    read();
  if (bitcode)
    return;
  if (!settingText(Setting::Libdevice).empty())
    throw Error("TREADLE_LIBDEVICE names " + libdevice + ", which cannot be read: give the path of " + libdeviceName +
                ", or unset it");
  libdevice.clear();
  bitcode = llvm::MemoryBuffer::getMemBuffer(ownBitcode());
}

DeviceMath::~DeviceMath() = default;

void DeviceMath::read() {
  const std::string bytes = libdeviceBytes(libdevice);
  if (bytes.empty())
    return;
  bitcode = llvm::MemoryBuffer::getMemBufferCopy(bytes, libdevice);
  hash = hashBytes(bytes);
}

/// Bitcode of one function and its callees; empty if the library lacks it.
std::string DeviceMath::cut(llvm::StringRef name) const {
  llvm::LLVMContext context;
  // Functions are parsed lazily, when the linker needs them.
  const bool isOwn = llvm::is_contained(alwaysOwn, name);
  std::unique_ptr<llvm::Module> library =
      readModule(isOwn ? ownBitcode() : bitcode->getMemBufferRef(), context, isOwn ? "" : libdevice);
  llvm::Function *function = library->getFunction(name);
  if (!function || function->isDeclaration())
    return {};
  llvm::Module slice(name, context);
  slice.setDataLayout(library->getDataLayout());
  slice.setTargetTriple(library->getTargetTriple());
  llvm::Function::Create(function->getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, slice);
  auto internalize = [&](llvm::Module &linked, const llvm::StringSet<> &taken) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) { return value.getName() == name; });
    for (const auto &other : taken.keys())
      if (llvm::Function *definition = linked.getFunction(other))
        adoptTarget(*definition);
  };
  TREADLE_CHECK(!llvm::Linker::linkModules(slice, std::move(library), llvm::Linker::LinkOnlyNeeded, internalize));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(slice, stream);
  return bytes;
}

/// Cut under the lock: two compilations that need a function at once would otherwise both read the library.
std::string_view DeviceMath::slice(llvm::StringRef name) const {
  std::lock_guard lock(slices->mutex);
  auto [entry, isNew] = slices->byName.try_emplace(name);
  if (isNew)
    entry->second = cut(name);
  if (entry->second.empty())
    throw InternalError("device math has no function " + name.str());
  // Entries never move or change.
  return entry->second;
}

/// The names are collected first, as linking adds functions to the module. Linked code takes the module's triple and
/// layout, as LLVM warns of others.
void DeviceMath::link(llvm::Module &module, bool fastMath) const {
  llvm::SmallVector<llvm::Function *> wanted;
  for (llvm::Function &function : module)
    if (isWanted(function))
      wanted.push_back(&function);
  if (wanted.empty())
    return;
  for (llvm::Function *function : wanted) {
    std::string name = function->getName().str();
    std::string_view bytes = slice(name);
    std::unique_ptr<llvm::Module> library =
        readModule({llvm::StringRef(bytes.data(), bytes.size()), name}, module.getContext(), libdevice);
    library->setDataLayout(module.getDataLayout());
    library->setTargetTriple(module.getTargetTriple());
    TREADLE_CHECK(!llvm::Linker::linkModules(module, std::move(library)));
    module.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", fastMath ? 1 : 0);
}

} // namespace treadle::codegen::ptx
