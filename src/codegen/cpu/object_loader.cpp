// Object files of images to functions in this process.
#include "codegen/cpu/cpu_backend.h"

#include "codegen/cpu/vector_math.h"
#include "device/cpu/kernel_abi.h"
#include "support/error.h"

#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// What LLVM itself may call for operations that it has no instructions for.
void *libraryFunction(StringRef name) {
  using Unary = float (*)(float);
  using UnaryDouble = double (*)(double);
  static const std::map<StringRef, void *> table = {
      {"memcpy", reinterpret_cast<void *>(&std::memcpy)},
      {"memset", reinterpret_cast<void *>(&std::memset)},
      {"memmove", reinterpret_cast<void *>(&std::memmove)},
      {"floorf", reinterpret_cast<void *>(static_cast<Unary>(&std::floor))},
      {"floor", reinterpret_cast<void *>(static_cast<UnaryDouble>(&std::floor))},
      {"ceilf", reinterpret_cast<void *>(static_cast<Unary>(&std::ceil))},
      {"ceil", reinterpret_cast<void *>(static_cast<UnaryDouble>(&std::ceil))},
      {"truncf", reinterpret_cast<void *>(static_cast<Unary>(&std::trunc))},
      {"trunc", reinterpret_cast<void *>(static_cast<UnaryDouble>(&std::trunc))},
      {"roundevenf", reinterpret_cast<void *>(static_cast<Unary>(&std::nearbyint))},
      {"roundeven", reinterpret_cast<void *>(static_cast<UnaryDouble>(&std::nearbyint))},
      {"fminf", reinterpret_cast<void *>(static_cast<float (*)(float, float)>(&std::fmin))},
      {"fmin", reinterpret_cast<void *>(static_cast<double (*)(double, double)>(&std::fmin))},
      {"fmaxf", reinterpret_cast<void *>(static_cast<float (*)(float, float)>(&std::fmax))},
      {"fmax", reinterpret_cast<void *>(static_cast<double (*)(double, double)>(&std::fmax))},
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

void *addressOf(StringRef name) {
  if (name == cpu::pollPageSymbol)
    return cpu::pollPage();
  if (void *address = libraryFunction(name))
    return address;
  return cpu::vectorRoutineAddress(std::string_view(name.data(), name.size()));
}

class Resolver : public LegacyJITSymbolResolver {
public:
  JITSymbol findSymbol(const std::string &name) override {
    void *address = addressOf(name);
    if (!address)
      return nullptr;
    return {uint64_t(reinterpret_cast<uintptr_t>(address)), JITSymbolFlags::Exported};
  }
  JITSymbol findSymbolInLogicalDylib(const std::string &) override { return nullptr; }
};

struct LoadedObject : LoadedCode {
  SectionMemoryManager memory;
};

} // namespace

std::unique_ptr<LoadedCode> loadObject(const Image &image) {
  auto loaded = std::make_unique<LoadedObject>();
  Resolver resolver;
  RuntimeDyld linker(loaded->memory, resolver);
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(image.code, image.entry));
  if (!object)
    throw InternalError("the image of " + image.entry + " is no object file: " + toString(object.takeError()));
  linker.loadObject(**object);
  linker.resolveRelocations();
  if (linker.hasError())
    throw InternalError("the image of " + image.entry + " does not link: " + linker.getErrorString().str());
  std::string error;
  if (loaded->memory.finalizeMemory(&error))
    throw InternalError("memory for code: " + error);
  loaded->entry = reinterpret_cast<void *>(linker.getSymbol(image.entry).getAddress());
  TREADLE_CHECK(loaded->entry != nullptr);
  return loaded;
}

} // namespace treadle::codegen
