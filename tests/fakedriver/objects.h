// What handles denote: contexts, streams, events, modules, functions, graphs.
#pragma once

#include "jit_options.h"
#include "memory.h"
#include "ptx.h"

#include <functional>
#include <optional>
#include <set>

namespace ptxmachine {
class Program;
}

namespace fakecuda {

class Driver;
struct Capture;
struct NativeKernel;
class SharedEvent;

enum class Kind : uint8_t { Context, Stream, Event, Module, Function, Graph, GraphExec, Link, Pool, UserObject };
const char *kindName(Kind kind);

struct Object {
  Kind kind;
  uint64_t handle = 0;
  std::shared_ptr<Context> context; ///< null for contexts
  std::string madeBy;
  std::string endedBy; ///< empty: alive

  explicit Object(Kind kind) : kind(kind) {}
  virtual ~Object();
  bool alive() const { return endedBy.empty(); }
};

/// Bytes of host memory used by a queued copy: the host must not access them until the copy has run.
struct HostWatch {
  std::shared_ptr<Allocation> allocation;
  uint64_t address;
  size_t bytes;
  uint64_t hash;
  uint64_t workWrites;    ///< of the allocation, at the call
  uint64_t hostFunctions; ///< host functions that had run at the call; they may write in stream order
};

/// Work that runs a slice at a time, so that others get their turns.
class RunningWork {
public:
  virtual ~RunningWork() = default;
  /// True when it has ended.
  virtual bool step(Driver &driver, CUresult &result) = 0;
  /// What it has accessed.
  virtual std::vector<Access> accesses() const = 0;
};

/// One requested piece of work. Shared by graph launches, hence immutable once queued.
struct Work {
  std::string name;
  std::vector<Access> accesses;
  std::function<CUresult(Driver &)> run;
  std::function<std::unique_ptr<RunningWork>(Driver &)> begin; ///< in place of `run`
  std::function<void()> host;          ///< runs on the callback thread, without the driver's lock
  std::function<bool(Driver &)> ready; ///< null: ready whenever its turn comes
  int extraQueries = 0;                ///< queries that it outlasts beyond the configured patience
  uint64_t nanoseconds = 1000;         ///< of device time
  std::vector<HostWatch> watches;
  CUresult failure = CUDA_SUCCESS; ///< injected: it fails when it runs
  bool unsafeInCapture = false;    ///< cannot be a node of a graph
};

struct Stream : Object {
  Stream() : Object(Kind::Stream) {}

  enum class Role : uint8_t { Created, Legacy, PerThread } role = Role::Created;
  unsigned flags = 0;
  int priority = 0;
  uint64_t number = 0;
  uint64_t tick = 0;
  uint64_t last = 0; ///< the newest piece of work, 0: none
  size_t pending = 0;
  int queries = 0; ///< since the last one answered "done"
  Clock clock;     ///< after its newest piece
  std::shared_ptr<Capture> capture;
  std::vector<size_t> captureTips;     ///< nodes that its next node must follow
  std::vector<CUgraphNode> tipHandles; ///< those that cuStreamGetCaptureInfo told last

  bool isBlocking() const { return role != Role::Legacy && !(flags & CU_STREAM_NON_BLOCKING); }
};

struct Context : Object {
  Context() : Object(Kind::Context) {}

  int device = 0;
  bool primary = false;
  int retained = 0;
  unsigned flags = 0;
  uint64_t id = 0; ///< changes with each reset: a primary context keeps its handle across resets
  CUresult lost = CUDA_SUCCESS;
  std::string lostBy;
  bool lossTold = false; ///< some call has returned `lost`
  std::shared_ptr<Stream> legacy;
  std::map<uint64_t, std::shared_ptr<Stream>> perThread;
  std::map<uint64_t, std::shared_ptr<Stream>> streams; ///< those that are alive or have pending work, by number
  std::map<CUlimit, size_t> limits;                    ///< those that were set
  CUfunc_cache cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  bool hasFixedLimits = false; ///< a kernel that prints or allocates was launched
  size_t heapBytes = 0;        ///< what kernels have allocated and not freed
  std::set<uint64_t> peers;    ///< handles of contexts whose memory it may access
};

/// The result of cuEventRecord; recording again replaces it.
struct EventRecord {
  uint64_t work = 0;
  bool done = false;
  uint64_t nanoseconds = 0;
  Clock clock;
  std::weak_ptr<Capture> capture; ///< recorded into a capture
  bool captured = false;
  std::vector<size_t> tips;
};

struct Event : Object {
  Event() : Object(Kind::Event) {}

  unsigned flags = 0;
  int queries = 0;
  std::shared_ptr<EventRecord> record; ///< null: never recorded
  std::shared_ptr<SharedEvent> shared; ///< null: no other process has it
};

struct Module : Object {
  Module() : Object(Kind::Module) {}

  PtxModule ptx;
  std::map<std::string, std::shared_ptr<Allocation>> globals;
  std::shared_ptr<const ptxmachine::Program> program;
  std::map<std::string, uint64_t> functions; ///< handles returned so far
};

struct Function : Object {
  Function() : Object(Kind::Function) {}

  std::shared_ptr<Module> module;
  const PtxEntry *entry = nullptr;      ///< into the module's text
  const NativeKernel *native = nullptr; ///< null: the machine runs it
  int maxDynamicShared = 0;
  int carveout = -1; ///< preferred, in percent
  bool allowsLargeClusters = false;
};

/// Bytes of the caller's to read, in pages that become inaccessible with it.
class MappedBytes {
public:
  MappedBytes() = default;
  explicit MappedBytes(const std::vector<std::byte> &bytes);
  MappedBytes(MappedBytes &&other) noexcept { *this = std::move(other); }
  MappedBytes &operator=(MappedBytes &&other) noexcept;
  ~MappedBytes();

  void *data() const { return start; }
  bool empty() const { return !size; }

private:
  void *start = nullptr;
  size_t size = 0;
};

struct Link : Object {
  Link() : Object(Kind::Link) {}

  JitOptions options;
  std::vector<std::string> texts;
  MappedBytes cubin; ///< when it is complete
};

struct GraphNode {
  std::shared_ptr<const Work> work;
  std::vector<size_t> after;
  std::vector<bool> ancestors; ///< by index of node
};

/// An object of the caller, and what to call when nobody refers to it any more.
struct UserObject : Object {
  UserObject() : Object(Kind::UserObject) {}

  void *what = nullptr;
  void (*destroy)(void *) = nullptr;
  unsigned references = 0;
};

struct HeldObject {
  std::shared_ptr<UserObject> object;
  unsigned count;
};

struct Graph : Object {
  Graph() : Object(Kind::Graph) {}

  std::vector<GraphNode> nodes;
  std::vector<HeldObject> objects;
};

struct GraphExec : Object {
  GraphExec() : Object(Kind::GraphExec) {}

  std::vector<GraphNode> nodes;
  std::vector<HeldObject> objects;
  uint64_t last = 0; ///< its newest launch: launches of one graph never overlap
  Clock clock;       ///< after that launch
};

struct Capture {
  CUstreamCaptureMode mode;
  uint64_t thread;
  std::shared_ptr<Stream> origin;
  std::vector<std::shared_ptr<Stream>> joined; ///< including the origin
  std::vector<GraphNode> nodes;
  uint64_t id = 0;              ///< never used again
  std::shared_ptr<Graph> graph; ///< made early if someone asked for its handle
  bool invalid = false;
  std::string invalidatedBy;
};

} // namespace fakecuda
