// The one driver of the process: its state, its rules, and the pending work.
#pragma once

#include "ledger.h"
#include "objects.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>

namespace fakecuda {

/// The state of one thread. Cleared after a reset, which is detected by the epoch.
struct ThreadState {
  uint64_t epoch = 0;
  uint64_t number = 0;                            ///< small, from 1
  std::vector<std::shared_ptr<Context>> contexts; ///< the last one is current; null: none was set
  bool inCallback = false;
  bool perThreadDefault = false; ///< inside a _ptsz or _ptds function
  CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  CUresult asyncFailure = CUDA_SUCCESS; ///< injected: the work that the current call queues fails when it runs
  std::string call;                     ///< the driver function being executed
  size_t callIndex = 0;
};
ThreadState &threadState();

/// A pending piece of work on a stream.
struct Queued {
  uint64_t id;
  std::shared_ptr<const Work> work;
  std::shared_ptr<Stream> stream;
  std::vector<uint64_t> waits;        ///< pieces that must run before it
  std::shared_ptr<const Clock> known; ///< what had happened before it, as of its call
  uint64_t tick = 0;
  std::string calledBy;
  std::unique_ptr<RunningWork> active; ///< begun, and not at its end
  bool running = false;                ///< its host function is running, without the lock
};

struct Enqueued {
  CUresult result = CUDA_SUCCESS;
  uint64_t id = 0; ///< 0: it became a node of a graph, or there is no work
};

/// Members are used under `mutex`, which every API function holds, except during host functions and waits.
class Driver {
public:
  std::mutex mutex;
  FakeCudaConfig config;
  Ledger ledger;
  MemoryMap memory;
  bool initialized = false;
  uint64_t threadInstructions = 0; ///< that the machine has run

  void reset(const FakeCudaConfig &wanted);

  // Rules. A violation is recorded under the current call; `result` is what that call returns.
  CUresult violate(Rule rule, std::string text, CUresult result);

  // Devices and contexts.
  int deviceCount() const { return static_cast<int>(devices.size()); }
  DeviceMemory &deviceMemory(int device) { return *devices[static_cast<size_t>(device)].memory; }
  size_t &usedBytes(int device) { return devices[static_cast<size_t>(device)].used; }
  std::shared_ptr<Context> &primary(int device) { return devices[static_cast<size_t>(device)].primary; }
  std::shared_ptr<Context> currentContext();
  /// The pool that a device allocates from; at first it is the default one.
  std::shared_ptr<Pool> &pool(int device) { return devices[static_cast<size_t>(device)].pool; }
  const std::shared_ptr<Pool> &defaultPool(int device) { return devices[static_cast<size_t>(device)].defaultPool; }
  std::shared_ptr<Context> makeContext(int device, bool isPrimary);
  /// Starts a context's lifetime: default stream, id, no error.
  void openContext(Context &context);
  /// Destroys everything in the context.
  void closeContext(const std::shared_ptr<Context> &context);

  // Handles.
  template <class T> std::shared_ptr<T> make(const std::shared_ptr<Context> &context);
  void adopt(const std::shared_ptr<Object> &object);
  /// The live object, or null after a violation.
  template <class T> std::shared_ptr<T> find(const void *handle, Kind kind, bool toDestroy = false);
  void end(Object &object);
  const std::unordered_map<uint64_t, std::shared_ptr<Object>> &objects() const { return handles; }
  /// For 0, 1, 2 or a handle; checks that it belongs to the current context.
  std::shared_ptr<Stream> findStream(CUstream handle, bool anyContext = false);
  std::shared_ptr<Stream> makeStream(const std::shared_ptr<Context> &context, Stream::Role role, unsigned flags);
  void retire(const std::shared_ptr<Stream> &stream);
  std::string here() const; ///< the current call with its number, for "made by"

  // Memory.
  CUresult allocate(std::shared_ptr<Allocation> allocation);
  void release(const std::shared_ptr<Allocation> &allocation, std::string freedBy);
  /// The address at which the stand-in can access these bytes, or null after a violation of a memory rule.
  std::byte *resolve(const Access &access, const std::string &who, Rule outOfBounds);
  uint64_t nextBufferId() { return ++bufferIds; }
  uint64_t nextRegionId() { return ++regionIds; }
  uint64_t nextCaptureId() { return ++captureIds; }

  // Work.
  Enqueued enqueue(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work);
  /// Appends work that follows further pieces, with what is known through them.
  Enqueued enqueueAfter(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work, std::vector<uint64_t> waits,
                        const Clock &known);
  bool isPending(uint64_t id) const { return queue.contains(id); }
  /// Runs these pieces and everything before them, in seeded order.
  /// `limit` not 0: gives up after that time, and returns false.
  bool force(const std::vector<uint64_t> &work, std::chrono::milliseconds limit = {});
  /// Runs what a query asks for, for a while; false: it still runs.
  bool runForQuery(uint64_t id);
  /// Runs up to `count` pieces that are ready; returns how many.
  size_t step(size_t count);
  std::vector<uint64_t> pendingOf(const Context &context) const;
  /// Waits for all work of a context, which the host then knows to have run.
  CUresult synchronize(const std::shared_ptr<Context> &context);
  CUresult synchronize(const std::shared_ptr<Stream> &stream);
  /// A seeded choice.
  size_t pick(size_t count);
  size_t pendingCount() const { return queue.size(); }
  /// Whether this query, the latest of several, is still answered "not ready".
  bool outlasts(uint64_t id, int &queries) const;
  void drop(const Context &context);

  Clock hostClock; ///< what the host knows to have run
  uint64_t nanoseconds = 0;
  uint64_t hostFunctions = 0; ///< host functions that have run
  std::deque<std::string> ran;

  // Graphs. `release` calls functions of the caller on the callback thread.
  void retainUserObjects(const std::vector<HeldObject> &objects);
  void releaseUserObjects(std::vector<HeldObject> &objects);

  // Capture.
  bool isCapturing() const { return !captures.empty(); }
  std::vector<std::shared_ptr<Capture>> captures; ///< active and invalid ones, until they end
  void invalidate(Capture &capture);
  /// Invalidates every capture that forbids such calls on the current thread.
  CUresult checkUnsafeCall();
  /// Invalidates captures of blocking streams of the context when its legacy stream is used.
  CUresult checkImplicit(const Stream &stream);
  CUresult addNode(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work);

  // Reports races of new work with the known past; then adds it to the past.
  void checkRaces(const Work &work, const std::vector<Access> &accesses, const Queued &piece);
  void checkWatches(const Work &work);

  uint64_t epoch = 0;
  int processId = 0;
  std::atomic<bool> exiting = false;
  uint64_t lastCall = 0; ///< counts calls, for the thread that runs work when idle

  uint64_t newThreadNumber() { return ++threads; }
  /// Runs a host function on the callback thread and waits for it. The lock is released meanwhile.
  void runOnCallbackThread(const std::function<void()> &function);
  void startIdleThread();

private:
  struct Device {
    std::unique_ptr<DeviceMemory> memory;
    std::shared_ptr<Context> primary;
    std::shared_ptr<Pool> defaultPool, pool;
    size_t used = 0;
  };

  void makePools();
  void trimPools(int device);
  void checkLife(const Access &access, const Queued &piece);
  void letOthersCall();
  /// Runs it, or a slice of it; false if it has not ended.
  bool run(const std::shared_ptr<Queued> &piece);
  bool runWork(Queued &piece, CUresult &result);
  void finish(const std::shared_ptr<Queued> &piece);
  void watchManaged(bool inFlight);
  void waitForQueueSpace(const std::shared_ptr<Stream> &stream);
  void idleLoop(uint64_t ofEpoch);
  void callbackLoop();

  std::vector<Device> devices;
  std::unordered_map<uint64_t, std::shared_ptr<Object>> handles;
  std::map<Kind, std::vector<uint64_t>> reusable;
  std::map<uint64_t, std::shared_ptr<Queued>> queue;
  std::mt19937_64 random;
  uint64_t handleSerial = 0, workSerial = 0, streamSerial = 0, contextSerial = 0, bufferIds = 0, threads = 0,
           regionIds = 0, captureIds = 0;
  bool managedHidden = false;

  std::condition_variable progress; ///< some piece has finished on another thread
  std::condition_variable callbacks;
  const std::function<void()> *callback = nullptr; ///< pending or running on the callback thread
  bool callbackThread = false;
};

Driver &driver();

template <class T> std::shared_ptr<T> Driver::make(const std::shared_ptr<Context> &context) {
  auto object = std::make_shared<T>();
  object->context = context;
  adopt(object);
  return object;
}

std::shared_ptr<Object> findObject(Driver &driver, const void *handle, Kind kind, bool toDestroy);

template <class T> std::shared_ptr<T> Driver::find(const void *handle, Kind kind, bool toDestroy) {
  return std::static_pointer_cast<T>(findObject(*this, handle, kind, toDestroy));
}

} // namespace fakecuda
