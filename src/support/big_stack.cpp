// Large stacks: that of a new thread, or memory that the calling thread switches to.
#include "support/big_stack.h"

#include "support/threads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define TREADLE_ASAN 1
#endif
#endif

extern "C" __attribute__((visibility("hidden"))) void treadleCallOnStack(void *top, void (*function)(void *),
                                                                         void *argument);

// No exception may propagate through it.
asm(".text\n"
    ".globl treadleCallOnStack\n.hidden treadleCallOnStack\n.type treadleCallOnStack,@function\n"
    "treadleCallOnStack:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  movq %rdi, %rsp\n  movq %rdx, %rdi\n  call *%rsi\n"
    "  movq %rbp, %rsp\n  popq %rbp\n  .cfi_def_cfa %rsp, 8\n  ret\n"
    "  .cfi_endproc\n"
    ".size treadleCallOnStack,.-treadleCallOnStack\n");

namespace treadle {

namespace {

constexpr std::chrono::milliseconds betweenLooks{50};
constexpr size_t threadStackBytes = size_t(512) << 20;
constexpr size_t leastBytes = size_t(64) << 20, guardBytes = 4096;

std::exception_ptr failureOf(const std::function<void()> &work) {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Work of a thread that may outlive the caller waiting for it.
struct Task {
  std::function<void()> work;
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr failure; ///< guarded by mutex, as is isDone
  bool isDone = false;

  void run() {
    const std::exception_ptr found = failureOf(work);
    work = nullptr;
    const std::lock_guard lock(mutex);
    failure = found;
    isDone = true;
    finished.notify_all();
  }
};

/// The stack that the calling thread has switched to; null while it is on its own.
const StackExtent *&otherStack() {
  static thread_local const StackExtent *stack = nullptr;
  return stack;
}

StackExtent findThreadStack() {
  pthread_attr_t attributes;
  void *start = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return {};
  const bool isKnown = pthread_attr_getstack(&attributes, &start, &size) == 0;
  pthread_attr_destroy(&attributes);
  return isKnown ? StackExtent{static_cast<char *>(start), size} : StackExtent();
}

/// A stack above a guard page. Reserved, not committed.
class StackMemory {
public:
  explicit StackMemory(size_t bytes)
      : bytes(bytes), memory(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0)) {
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(memory, guardBytes, PROT_NONE);
  }
  ~StackMemory() { munmap(memory, bytes); }
  StackMemory(const StackMemory &) = delete;
  StackMemory &operator=(const StackMemory &) = delete;
  StackExtent extent() const { return {static_cast<char *>(memory) + guardBytes, bytes - guardBytes}; }

private:
  static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  const size_t bytes;
  void *const memory;
};

struct Visit {
  const std::function<void()> &work;
  std::exception_ptr failure;
  [[maybe_unused]] const void *callerBase = nullptr;
  [[maybe_unused]] size_t callerBytes = 0;

  static void run(void *self) {
    auto *visit = static_cast<Visit *>(self);
#ifdef TREADLE_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &visit->callerBase, &visit->callerBytes);
#endif
    visit->failure = failureOf(visit->work);
#ifdef TREADLE_ASAN
    __sanitizer_start_switch_fiber(nullptr, visit->callerBase, visit->callerBytes);
#endif
  }
};

} // namespace

bool runOnBigStack(std::function<void()> work, const std::function<bool()> &shouldContinue) {
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  startThread("the compiler", [task] { task->run(); }, threadStackBytes);
  std::unique_lock lock(task->mutex);
  while (!task->finished.wait_for(lock, betweenLooks, [&] { return task->isDone; })) {
    lock.unlock();
    if (shouldContinue && !shouldContinue())
      return false;
    lock.lock();
  }
  if (task->failure)
    std::rethrow_exception(std::exchange(task->failure, nullptr));
  return true;
}

void runWithEnoughStack(const std::function<void()> &work, size_t bytes) {
  if (currentStack().hasLeft(bytes))
    return work();
  // More than requested: the work may need the same amount again.
  const StackMemory memory(std::max(leastBytes, (2 * bytes + guardBytes - 1) / guardBytes * guardBytes));
  const StackExtent stack = memory.extent();
  Visit visit{work, nullptr};
  const StackExtent *const outer = std::exchange(otherStack(), &stack);
#ifdef TREADLE_ASAN
  void *fakeStack = nullptr;
  __sanitizer_start_switch_fiber(&fakeStack, stack.base, stack.bytes);
#endif
  treadleCallOnStack(stack.base + stack.bytes, &Visit::run, &visit);
#ifdef TREADLE_ASAN
  __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr);
#endif
  otherStack() = outer;
  if (visit.failure)
    std::rethrow_exception(visit.failure);
}

/// Determined once per thread: for the main thread the answer is parsed from /proc/self/maps, which takes longer than
/// inferring a small kernel.
const StackExtent &threadStack() {
  thread_local const StackExtent stack = findThreadStack();
  return stack;
}

const StackExtent &currentStack() { return otherStack() ? *otherStack() : threadStack(); }

} // namespace treadle
