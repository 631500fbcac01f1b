// Loads the object files of images as functions of this process.
#include "codegen/cpu/cpu_backend.h"

#include "border/kernel_abi.h"
#include "codegen/cpu/vector_math.h"
#include "support/error.h"

#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstring>

using namespace llvm;

extern "C" void treadle_cpu_safepoint();
extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call);
extern "C" void treadle_cpu_print(const treadle::cpu::PrintCall *call);
extern "C" uint64_t treadle_cpu_nanoseconds();
extern "C" void treadle_cpu_run_block(const treadle::cpu::BlockCall *call);
extern "C" uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const treadle::cpu::BarrierCall *call);
extern "C" uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const treadle::cpu::GatherCall *call);
extern "C" void treadle_cpu_grid_barrier();
extern "C" void treadle_cpu_block_yield();
extern "C" uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive);

namespace treadle::codegen {

namespace {

struct LibraryFunction {
  const char *name;
  void *address;
};

template <typename Signature> void *addressAs(Signature *function) { return reinterpret_cast<void *>(function); }

/// Functions that LLVM may call for operations without instructions.
void *libraryFunction(StringRef name) {
  const LibraryFunction table[] = {
      {"memcpy", addressAs(&std::memcpy)},
      {"memset", addressAs(&std::memset)},
      {"memmove", addressAs(&std::memmove)},
      {"floorf", addressAs<float(float)>(&std::floor)},
      {"floor", addressAs<double(double)>(&std::floor)},
      {"ceilf", addressAs<float(float)>(&std::ceil)},
      {"ceil", addressAs<double(double)>(&std::ceil)},
      {"truncf", addressAs<float(float)>(&std::trunc)},
      {"trunc", addressAs<double(double)>(&std::trunc)},
      {"roundevenf", addressAs<float(float)>(&std::nearbyint)},
      {"roundeven", addressAs<double(double)>(&std::nearbyint)},
      {"fmaf", addressAs<float(float, float, float)>(&std::fma)},
      {"fma", addressAs<double(double, double, double)>(&std::fma)},
      {"fminf", addressAs<float(float, float)>(&std::fmin)},
      {"fmin", addressAs<double(double, double)>(&std::fmin)},
      {"fmaxf", addressAs<float(float, float)>(&std::fmax)},
      {"fmax", addressAs<double(double, double)>(&std::fmax)},
  };
  for (const LibraryFunction &function : table)
    if (name == function.name)
      return function.address;
  return nullptr;
}

/// The functions of libtreadle that generated code may call.
void *runtimeFunction(StringRef name) {
  const LibraryFunction table[] = {
      {cpu::failSymbol, addressAs(&treadle_cpu_fail)},
      {cpu::safepointSymbol, addressAs(&treadle_cpu_safepoint)},
      {cpu::printSymbol, addressAs(&treadle_cpu_print)},
      {cpu::timerSymbol, addressAs(&treadle_cpu_nanoseconds)},
      {cpu::runBlockSymbol, addressAs(&treadle_cpu_run_block)},
      {cpu::barrierSymbol, addressAs(&treadle_cpu_barrier)},
      {cpu::gatherSymbol, addressAs(&treadle_cpu_gather)},
      {cpu::yieldSymbol, addressAs(&treadle_cpu_yield)},
      {cpu::gridBarrierSymbol, addressAs(&treadle_cpu_grid_barrier)},
      {cpu::blockYieldSymbol, addressAs(&treadle_cpu_block_yield)},
  };
  for (const LibraryFunction &function : table)
    if (name == function.name)
      return function.address;
  return nullptr;
}

void *addressOf(StringRef name) {
  if (name == cpu::pollWordSymbol)
    return cpu::pollWord();
  if (void *address = runtimeFunction(name))
    return address;
  if (void *address = libraryFunction(name))
    return address;
  return vectorRoutineAddress(std::string_view(name.data(), name.size()));
}

class Resolver : public LegacyJITSymbolResolver {
public:
  explicit Resolver(std::span<const uint64_t> captured) : captured(captured) {}

  JITSymbol findSymbol(const std::string &name) override {
    const void *word = capturedWord(name);
    const void *address = word ? word : addressOf(name);
    if (!address)
      return nullptr;
    return {uint64_t(reinterpret_cast<uintptr_t>(address)), JITSymbolFlags::Exported};
  }
  JITSymbol findSymbolInLogicalDylib(const std::string &) override { return nullptr; }

private:
  const void *capturedWord(StringRef name) const {
    size_t position;
    if (!name.consume_front(CapturedDeviceArray::symbolPrefix) || name.getAsInteger(10, position))
      return nullptr;
    return position < captured.size() ? &captured[position] : nullptr;
  }

  std::span<const uint64_t> captured;
};

/// What must live as long as the code may run.
struct LoadedObject {
  SectionMemoryManager memory;
  const std::vector<uint64_t> captured; ///< read by the code
};

} // namespace

NativeCode loadObject(const Image &image, std::span<const uint64_t> captured) {
  TREADLE_CHECK(captured.size() >= image.captured.size());
  const auto loaded = std::shared_ptr<LoadedObject>(new LoadedObject{{}, {captured.begin(), captured.end()}});
  Resolver resolver(loaded->captured);
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
    throw Error("this system does not let the process run machine code that it has made (" + error +
                "), which the CPU device needs: systemd's MemoryDenyWriteExecute or a rule of SELinux forbids it");
  void *const entry = reinterpret_cast<void *>(linker.getSymbol(image.entry).getAddress());
  TREADLE_CHECK(entry != nullptr);
  return {entry, loaded};
}

} // namespace treadle::codegen
