// Loads the object files of images as functions of this process. With RuntimeDyld, which links one object in one call;
// JITLink, its successor, wants a session and a context for what is here a table of some twenty symbols.
#include "codegen/cpu/cpu_backend.h"

#include "border/kernel_abi.h"
#include "codegen/cpu/half_calls.h"
#include "codegen/cpu/vector_math.h"
#include "support/error.h"

#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

using namespace llvm;

extern "C" void treadle_cpu_safepoint();
extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call);
extern "C" void treadle_cpu_print(const treadle::cpu::PrintCall *call);
extern "C" void treadle_cpu_allocate(const treadle::cpu::HeapCall *call);
extern "C" uint64_t treadle_cpu_nanoseconds();
extern "C" void treadle_cpu_run_block(const treadle::cpu::BlockCall *call);
extern "C" uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const treadle::cpu::BarrierCall *call);
extern "C" uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const treadle::cpu::GatherCall *call);
extern "C" void treadle_cpu_grid_barrier();
extern "C" void treadle_cpu_cluster_barrier();
extern "C" void treadle_cpu_breakpoint();
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
      {"__extendhfsf2", addressAs(&extendHalf)},
      {"__truncsfhf2", addressAs(&truncateToHalf)},
      {"__truncdfhf2", addressAs(&truncateDoubleToHalf)},
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
      {cpu::allocateSymbol, addressAs(&treadle_cpu_allocate)},
      {cpu::timerSymbol, addressAs(&treadle_cpu_nanoseconds)},
      {cpu::runBlockSymbol, addressAs(&treadle_cpu_run_block)},
      {cpu::barrierSymbol, addressAs(&treadle_cpu_barrier)},
      {cpu::gatherSymbol, addressAs(&treadle_cpu_gather)},
      {cpu::yieldSymbol, addressAs(&treadle_cpu_yield)},
      {cpu::gridBarrierSymbol, addressAs(&treadle_cpu_grid_barrier)},
      {cpu::clusterBarrierSymbol, addressAs(&treadle_cpu_cluster_barrier)},
      {cpu::breakpointSymbol, addressAs(&treadle_cpu_breakpoint)},
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

/// The sections of one object in one mapping: code reaches its constants over at most 2 GB, and where other libraries
/// or devices have reserved most of the addresses nearby, mappings made one by one can be farther apart.
class ObjectMemory final : public RTDyldMemoryManager {
public:
  ~ObjectMemory() override { [[maybe_unused]] const std::error_code error = sys::Memory::releaseMappedMemory(mapping); }

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(uintptr_t codeBytes, Align, uintptr_t constantBytes, Align, uintptr_t dataBytes,
                              Align) override {
    const size_t page = sys::Process::getPageSizeEstimate();
    const size_t sizes[] = {alignTo(codeBytes, page), alignTo(constantBytes, page), alignTo(dataBytes, page)};
    std::error_code error;
    mapping = sys::Memory::allocateMappedMemory(sizes[0] + sizes[1] + sizes[2], nullptr, writable, error);
    if (error)
      throw std::bad_alloc();
    auto *next = static_cast<char *>(mapping.base());
    for (unsigned i = 0; i < 3; ++i, next += sizes[i - 1])
      parts[i] = {next, sizes[i], 0};
  }
  uint8_t *allocateCodeSection(uintptr_t bytes, unsigned alignment, unsigned, StringRef) override {
    return parts[0].take(bytes, alignment);
  }
  uint8_t *allocateDataSection(uintptr_t bytes, unsigned alignment, unsigned, StringRef, bool isConstant) override {
    return parts[isConstant ? 1 : 2].take(bytes, alignment);
  }
  bool finalizeMemory(std::string *message) override {
    return !protect(parts[0], sys::Memory::MF_READ | sys::Memory::MF_EXEC, message) ||
           !protect(parts[1], sys::Memory::MF_READ, message);
  }

private:
  static constexpr unsigned writable = sys::Memory::MF_READ | sys::Memory::MF_WRITE;

  struct Part {
    char *begin = nullptr;
    size_t bytes = 0, used = 0; ///< whole pages

    uint8_t *take(size_t wanted, size_t alignment) {
      const size_t start = alignTo(used, std::max<size_t>(alignment, 1));
      TREADLE_CHECK(start + wanted <= bytes);
      used = start + wanted;
      return reinterpret_cast<uint8_t *>(begin + start);
    }
  };
  static bool protect(const Part &part, unsigned rights, std::string *message) {
    if (part.bytes == 0)
      return true;
    const std::error_code error = sys::Memory::protectMappedMemory({part.begin, part.bytes}, rights);
    if (error && message)
      *message = error.message();
    return !error;
  }

  sys::MemoryBlock mapping;
  Part parts[3]; ///< code, constants, data
};

bool hasDebugSections(const object::ObjectFile &object) {
  return any_of(object.sections(), [](const object::SectionRef &section) {
    return expectedToOptional(section.getName()).value_or("") == ".debug_info";
  });
}

/// What must live as long as the code may run.
struct LoadedObject {
  explicit LoadedObject(std::span<const uint64_t> captured) : captured(captured.begin(), captured.end()) {}
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;
  ~LoadedObject() {
    if (isAnnounced)
      JITEventListener::createGDBRegistrationListener()->notifyFreeingObject(key());
  }

  /// By the interface that gdb and lldb have for code made at run time.
  void announce(const object::ObjectFile &object, const RuntimeDyld::LoadedObjectInfo &info) {
    JITEventListener::createGDBRegistrationListener()->notifyObjectLoaded(key(), object, info);
    isAnnounced = true;
  }

  ObjectMemory memory;
  const std::vector<uint64_t> captured; ///< read by the code

private:
  JITEventListener::ObjectKey key() const { return reinterpret_cast<uintptr_t>(this); }
  bool isAnnounced = false;
};

} // namespace

NativeCode loadObject(const Image &image, std::span<const uint64_t> captured) {
  TREADLE_CHECK(captured.size() >= image.captured.size());
  const auto loaded = std::make_shared<LoadedObject>(captured);
  Resolver resolver(loaded->captured);
  RuntimeDyld linker(loaded->memory, resolver);
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(image.code, image.entry));
  if (!object)
    throw InternalError("the image of " + image.entry + " is no object file: " + toString(object.takeError()));
  const std::unique_ptr<RuntimeDyld::LoadedObjectInfo> info = linker.loadObject(**object);
  linker.resolveRelocations();
  if (linker.hasError())
    throw InternalError("the image of " + image.entry + " does not link: " + linker.getErrorString().str());
  std::string error;
  if (loaded->memory.finalizeMemory(&error))
    throw Error("this system does not let the process run machine code that it has made (" + error +
                "), which the CPU device needs: systemd's MemoryDenyWriteExecute or a rule of SELinux forbids it");
  if (hasDebugSections(**object))
    loaded->announce(**object, *info);
  void *const entry = reinterpret_cast<void *>(linker.getSymbol(image.entry).getAddress());
  TREADLE_CHECK(entry != nullptr);
  return {entry, loaded};
}

} // namespace treadle::codegen
