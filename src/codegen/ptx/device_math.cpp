// Math for PTX: finds libdevice or takes our own bitcode, and links from it what a module uses.
#include "codegen/ptx/device_math.h"

#include "codegen/ptx/device_math_bitcode.h"
#include "support/error.h"
#include "support/settings.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <dlfcn.h>

namespace treadle::ptx {

namespace {

constexpr llvm::StringLiteral prefix = "__nv_";
constexpr const char *fileName = "libdevice.10.bc";

/// The folder that Python packages stand in beside ours, or empty.
std::string packagesFolder() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&packagesFolder), &self) || !self.dli_fname)
    return {};
  llvm::StringRef package = llvm::sys::path::parent_path(self.dli_fname);
  return llvm::sys::path::parent_path(package).str();
}

/// Path of libdevice where it is usually installed, or empty.
std::string findLibdevice() {
  llvm::SmallVector<std::string, 8> folders = {"/usr/local/cuda/nvvm/libdevice", "/opt/cuda/nvvm/libdevice",
                                               "/usr/lib/nvidia-cuda-toolkit/libdevice"};
  if (std::string packages = packagesFolder(); !packages.empty())
    for (const char *wheel : {"cu13", "cuda_nvcc", "cuda_nvvm"})
      folders.push_back(packages + "/nvidia/" + wheel + "/nvvm/libdevice");
  for (const std::string &folder : folders)
    if (std::string path = folder + "/" + fileName; llvm::sys::fs::exists(path))
      return path;
  return {};
}

std::unique_ptr<llvm::MemoryBuffer> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? std::move(*buffer) : nullptr;
}

bool isWanted(const llvm::Function &function) {
  return function.isDeclaration() && !function.use_empty() && function.getName().starts_with(prefix);
}

[[noreturn]] void failToRead(const std::string &path, llvm::Error error) {
  std::string where = path.empty() ? "the built-in device math" : path;
  throw Error(where + " is no LLVM bitcode that can be read: " + llvm::toString(std::move(error)));
}

/// Code of another compilation may be inlined only where both name the same features; linked code has to take the
/// features of what calls it.
void adoptTarget(llvm::Function &function) {
  function.removeFnAttr("target-cpu");
  function.removeFnAttr("target-features");
  function.removeFnAttr("frame-pointer");
}

} // namespace

DeviceMath::DeviceMath() : libdevicePath(settingText(Setting::Libdevice)) {
  if (!libdevicePath.empty()) {
    bitcode = readFile(libdevicePath);
    if (!bitcode)
      throw Error("TREADLE_LIBDEVICE names " + libdevicePath + ", which cannot be read: give the path of " + fileName +
                  ", or unset it");
    return;
  }
  libdevicePath = findLibdevice();
  if (!libdevicePath.empty())
    bitcode = readFile(libdevicePath);
  if (bitcode)
    return;
  libdevicePath.clear();
  std::string_view own = builtInDeviceMath();
  bitcode = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(own.data(), own.size()), "treadle device math");
}

DeviceMath::~DeviceMath() = default;

void DeviceMath::link(llvm::Module &module, bool fastMath) const {
  if (llvm::none_of(module, isWanted))
    return;
  // Functions are parsed only when the linker takes them.
  auto library = llvm::getLazyBitcodeModule(bitcode->getMemBufferRef(), module.getContext());
  if (!library)
    failToRead(libdevicePath, library.takeError());
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());

  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &taken) {
    for (const auto &name : taken.keys())
      if (llvm::Function *function = linked.getFunction(name))
        adoptTarget(*function);
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) { return !taken.contains(value.getName()); });
  };
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded, internalize))
    throw InternalError("device math cannot be linked");
  for (const llvm::Function &function : module)
    if (isWanted(function))
      throw InternalError("device math has no function " + function.getName().str());
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", fastMath ? 1 : 0);
}

} // namespace treadle::ptx
