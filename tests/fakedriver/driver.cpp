// The driver's state: handles, contexts, allocations, and their destruction.
#include "driver.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace fakecuda {

Object::~Object() = default;

const char *kindName(Kind kind) {
  static constexpr const char *names[] = {"context", "stream",     "event", "module", "function",
                                          "graph",   "graph-exec", "link",  "pool",   "user-object"};
  return names[static_cast<size_t>(kind)];
}

Driver &driver() {
  // Leaked: threads and exit handlers may call until the very end.
  static Driver &instance = *[] {
    auto *made = new Driver;
    FakeCudaConfig defaults;
    fakeCudaDefaults(&defaults);
    made->reset(defaults);
    return made;
  }();
  return instance;
}

ThreadState &threadState() {
  static thread_local ThreadState *state = new ThreadState; // leaked: used by destructors of other thread locals
  return *state;
}

void Driver::reset(const FakeCudaConfig &wanted) {
  for (Device &device : devices)
    if (device.primary)
      device.primary->perThread.clear();
  queue.clear();
  for (auto &[value, object] : handles)
    if (object->kind == Kind::Context) {
      auto &context = static_cast<Context &>(*object);
      context.legacy.reset();
      context.perThread.clear();
      context.streams.clear();
    }
  handles.clear();
  captures.clear();
  reusable.clear();
  memory = MemoryMap();
  devices.clear();
  config = wanted;
  ledger.configure(config.abortOnViolation);
  devices.resize(static_cast<size_t>(std::max(config.deviceCount, 0)));
  for (Device &device : devices)
    device.memory = std::make_unique<DeviceMemory>();
  hostClock = Clock();
  random.seed(config.seed);
  ran.clear();
  handleSerial = workSerial = streamSerial = contextSerial = bufferIds = nanoseconds = hostFunctions = 0;
  initialized = managedHidden = false;
  makePools();
  processId = getpid();
  ++epoch;
  startIdleThread();
}

CUresult Driver::violate(Rule rule, std::string text, CUresult result) {
  ledger.violate(rule, std::move(text), here());
  return result;
}

std::string Driver::here() const {
  const ThreadState &thread = threadState();
  if (thread.call.empty())
    return "no call";
  return thread.call + " #" + std::to_string(thread.callIndex);
}

std::shared_ptr<Context> Driver::currentContext() {
  const ThreadState &thread = threadState();
  return thread.contexts.empty() ? nullptr : thread.contexts.back();
}

void Driver::adopt(const std::shared_ptr<Object> &object) {
  std::vector<uint64_t> &free = reusable[object->kind];
  if (config.reuse && !free.empty()) {
    object->handle = free.back();
    free.pop_back();
  } else {
    // Not a valid x86-64 address, so that dereferencing a handle crashes; and not negative, since Python wrappers store
    // handles as signed integers.
    object->handle = 0x7ADE000000000000ull | static_cast<uint64_t>(object->kind) << 40 | ++handleSerial << 4;
  }
  object->madeBy = here();
  handles[object->handle] = object;
}

std::shared_ptr<Object> findObject(Driver &driver, const void *handle, Kind kind, bool toDestroy) {
  const auto value = reinterpret_cast<uint64_t>(handle);
  const std::string name = std::string(kindName(kind)) + " " + hex(value);
  const auto found = driver.objects().find(value);
  if (found == driver.objects().end()) {
    driver.violate(Rule::InvalidHandle, name + " is no handle that this driver gave out", CUDA_ERROR_INVALID_HANDLE);
    return nullptr;
  }
  std::shared_ptr<Object> object = found->second;
  if (object->kind != kind) {
    driver.violate(Rule::WrongKind, name + " is a " + kindName(object->kind) + ", made by " + object->madeBy,
                   CUDA_ERROR_INVALID_HANDLE);
    return nullptr;
  }
  if (!object->alive()) {
    const bool twice = toDestroy && object->endedBy.find("Destroy") != std::string::npos;
    driver.violate(twice || (toDestroy && kind == Kind::Module) ? Rule::DoubleDestroy : Rule::UseAfterDestroy,
                   name + ", made by " + object->madeBy + ", was ended by " + object->endedBy,
                   CUDA_ERROR_INVALID_HANDLE);
    return nullptr;
  }
  return object;
}

void Driver::end(Object &object) {
  object.endedBy = here();
  if (object.kind != Kind::Context)
    reusable[object.kind].push_back(object.handle);
}

std::shared_ptr<Stream> Driver::makeStream(const std::shared_ptr<Context> &context, Stream::Role role, unsigned flags) {
  auto stream = std::make_shared<Stream>();
  stream->context = context;
  stream->role = role;
  stream->flags = flags;
  stream->number = ++streamSerial;
  if (role == Stream::Role::Created)
    adopt(stream);
  context->streams[stream->number] = stream;
  return stream;
}

/// A destroyed stream counts until its work has run.
void Driver::retire(const std::shared_ptr<Stream> &stream) {
  if (!stream->alive() && !stream->pending)
    stream->context->streams.erase(stream->number);
}

std::shared_ptr<Stream> Driver::findStream(CUstream handle, bool anyContext) {
  const auto value = reinterpret_cast<uint64_t>(handle);
  const std::shared_ptr<Context> current = currentContext();
  if (value > 2) {
    std::shared_ptr<Stream> stream = find<Stream>(handle, Kind::Stream);
    if (!stream || anyContext || stream->context == current)
      return stream;
    violate(Rule::ContextMismatch, "stream " + hex(value) + " belongs to another context than the current one",
            CUDA_ERROR_INVALID_HANDLE);
    return nullptr;
  }
  const ThreadState &thread = threadState();
  if (value == 1 || (value == 0 && !thread.perThreadDefault))
    return current->legacy;
  std::shared_ptr<Stream> &own = current->perThread[thread.number];
  if (!own)
    own = makeStream(current, Stream::Role::PerThread, CU_STREAM_DEFAULT);
  return own;
}

std::shared_ptr<Context> Driver::makeContext(int device, bool isPrimary) {
  auto context = std::make_shared<Context>();
  context->device = device;
  context->primary = isPrimary;
  adopt(context);
  if (!isPrimary)
    openContext(*context);
  else
    context->endedBy = "never retained";
  return context;
}

void Driver::openContext(Context &context) {
  context.endedBy.clear();
  context.madeBy = here();
  context.id = ++contextSerial;
  context.lost = CUDA_SUCCESS;
  context.lossTold = false;
  context.peers.clear();
  context.limits.clear();
  context.cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  context.hasFixedLimits = false;
  context.heapBytes = 0;
  context.legacy = makeStream(std::static_pointer_cast<Context>(handles[context.handle]), Stream::Role::Legacy, 0);
}

void Driver::closeContext(const std::shared_ptr<Context> &context) {
  drop(*context);
  for (const auto &[value, object] : handles)
    if (object->context == context && object->alive())
      end(*object);
  // Access to its memory ends with it, and is not that of a context to come with the same handle.
  for (const auto &[value, object] : handles)
    if (object->kind == Kind::Context)
      static_cast<Context &>(*object).peers.erase(context->handle);
  std::vector<std::shared_ptr<Allocation>> owned;
  for (const auto &[address, allocation] : memory.all())
    if (allocation->context == context)
      owned.push_back(allocation);
  for (const std::shared_ptr<Allocation> &allocation : owned)
    release(allocation, here());
  std::erase_if(captures, [&](const auto &capture) { return capture->origin->context == context; });
  context->streams.clear();
  context->perThread.clear();
  context->legacy.reset();
  end(*context);
}

} // namespace fakecuda
