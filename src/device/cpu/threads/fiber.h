// Fibers: cooperatively scheduled computations on one thread, each with its own stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// For functions that are on a fiber's stack when it suspends: frames that are copied must not be instrumented.
#define TREADLE_ON_FIBER __attribute__((disable_sanitizer_instrumentation, noinline))

namespace treadle::cpu {

/// A stack between two guard pages. Its pages are committed when first touched.
class FiberStack {
public:
  /// For calls of generated code that need `callBytes` of stack. Throws std::bad_alloc.
  explicit FiberStack(size_t callBytes = 0);
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;
  ~FiberStack();

  char *base() const { return memory; }
  char *top() const { return memory + bytes; }
  size_t size() const { return bytes; }
  bool isEnoughFor(size_t callBytes) const { return bytesFor(callBytes) <= bytes; }

private:
  static size_t bytesFor(size_t callBytes);
  const size_t bytes;
  char *memory;
};

/// A suspended computation: the lowest address of its frames on a stack.
///
/// Several fibers may share one stack, as copies of one another do: frames contain pointers into themselves, so a copy
/// must run where its original ran. The frames of the non-resident fibers are saved in `frames`.
class Fiber {
public:
  /// Starts as entry(value of the first `resume`) on `stack`; `entry` must never return.
  Fiber(std::shared_ptr<FiberStack> stack, void (*entry)(void *));
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// A second fiber in the same state. Precondition: this one is suspended.
  std::unique_ptr<Fiber> split();

  /// Runs the fiber on the calling thread until it suspends itself. `value` is the result of its `suspend`.
  void resume(void *value);
  /// Called on the fiber itself: `enter` first, `suspend` to return to the caller of `resume`.
  void enter();
  void *suspend();

  /// Announces to sanitizers a jump from the calling thread's fiber to `frame`, on the thread's own stack. The jump
  /// ends that fiber and those that resumed it. `endJump` is called where the jump lands.
  static void beginJump(void *frame);
  static void endJump();

  const FiberStack &where() const { return *stack; }

private:
  struct Residence; ///< which fiber's frames are on a stack
  Fiber() = default;
  void moveIn();
  size_t frameBytes() const { return size_t(stack->top() - static_cast<char *>(position)); }

  std::shared_ptr<FiberStack> stack;
  std::shared_ptr<Residence> residence;
  std::vector<char> frames; ///< unused while resident
  void *position = nullptr;
  void *resumer = nullptr;
  // Only for sanitizers.
  static Fiber *&running();                ///< of the calling thread: the innermost
  static Fiber *&left();                   ///< of the calling thread: the outermost fiber that a jump has left
  [[maybe_unused]] Fiber *outer = nullptr; ///< the fiber that resumed this one: null on the thread's own stack
  [[maybe_unused]] void *sanitizerFiber = nullptr, *sanitizerResumer = nullptr;
  [[maybe_unused]] void *resumerFakeStack = nullptr;
  [[maybe_unused]] const void *resumerBase = nullptr;
  [[maybe_unused]] size_t resumerBytes = 0;
};

} // namespace treadle::cpu
