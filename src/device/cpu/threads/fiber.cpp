// Fibers: the stack switch, and its annotations for sanitizers.
#include "device/cpu/threads/fiber.h"

#include "border/kernel_abi.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TREADLE_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TREADLE_TSAN 1
#endif
#endif
#ifdef TREADLE_ASAN
#include <sanitizer/asan_interface.h>
/// What instrumented code calls. `__asan_unpoison_memory_region` does nothing with allow_user_poisoning=0, which the
/// tests need as LLVM's headers poison memory.
extern "C" void __asan_unpoison_stack_memory(uintptr_t address, uintptr_t bytes);
#endif
#ifdef TREADLE_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)
#define TREADLE_SANITIZES_STACKS 1
#endif

extern "C" void *treadleSwitchStack(void **from, void *to, void *value);
extern "C" void treadleEnterFiber();

// Saves the callee-saved registers (System V ABI: rbx, rbp, r12 to r15, the control words of SSE and x87), switches the
// stack, and returns `value` there. A new fiber returns into treadleEnterFiber, which calls r12 with that value.
asm(".text\n"
    ".globl treadleSwitchStack\n.hidden treadleSwitchStack\n.type treadleSwitchStack,@function\n"
    "treadleSwitchStack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  movq %rdx, %rax\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size treadleSwitchStack,.-treadleSwitchStack\n"
    ".globl treadleEnterFiber\n.hidden treadleEnterFiber\n.type treadleEnterFiber,@function\n"
    "treadleEnterFiber:\n"
    "  movq %rax, %rdi\n  call *%r12\n  ud2\n"
    ".size treadleEnterFiber,.-treadleEnterFiber\n");

namespace treadle::cpu {

namespace {

constexpr size_t guardBytes = 4096;

/// Copies frames. Not by a library call, as sanitizers would check the frames' red zones.
void copyFrames(void *to, const void *from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/// What treadleSwitchStack pops when a fiber starts, from the lowest address up.
struct FirstFrame {
  uint32_t sseControl, x87Control;
  void *r15, *r14, *r13, *r12, *rbx, *rbp;
  void (*returnTo)();
  void *alignment[2];
};

} // namespace

/// Most kernels need some KB; those that need more also have room for some levels of a recursion.
size_t FiberStack::bytesFor(size_t callBytes) {
  constexpr size_t usual = size_t(1) << 20, levels = 16;
  const size_t needed = stackReserve + levels * callBytes;
  return std::max(usual, (needed + guardBytes - 1) / guardBytes * guardBytes);
}

FiberStack::FiberStack(size_t callBytes) : bytes(bytesFor(callBytes)) {
  void *mapped = mmap(nullptr, bytes + 2 * guardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<char *>(mapped) + guardBytes;
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, bytes + 2 * guardBytes);
    throw std::bad_alloc();
  }
}

FiberStack::~FiberStack() { munmap(memory - guardBytes, bytes + 2 * guardBytes); }

struct Fiber::Residence {
  Fiber *resident;
};

Fiber::Fiber(std::shared_ptr<FiberStack> stackToUse, void (*entry)(void *))
    : stack(std::move(stackToUse)), residence(std::make_shared<Residence>(Residence{this})) {
  auto *frame = reinterpret_cast<FirstFrame *>(stack->top()) - 1;
  *frame = {};
  asm volatile("stmxcsr %0" : "=m"(frame->sseControl));
  asm volatile("fnstcw %0" : "=m"(frame->x87Control));
  frame->r12 = reinterpret_cast<void *>(entry);
  frame->returnTo = &treadleEnterFiber;
  position = frame;
#ifdef TREADLE_TSAN
  sanitizerFiber = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (residence && residence->resident == this)
    residence->resident = nullptr;
#ifdef TREADLE_TSAN
  if (sanitizerFiber)
    __tsan_destroy_fiber(sanitizerFiber);
#endif
}

std::unique_ptr<Fiber> Fiber::split() {
  std::unique_ptr<Fiber> other(new Fiber);
  other->stack = stack;
  other->residence = residence;
  other->position = position;
  other->resumerBase = resumerBase;
  other->resumerBytes = resumerBytes;
  other->frames.resize(frameBytes());
  if (residence->resident == this)
    copyFrames(other->frames.data(), position, frameBytes());
  else
    other->frames = frames;
#ifdef TREADLE_TSAN
  other->sanitizerFiber = __tsan_create_fiber(0);
#endif
  return other;
}

/// Copies the fiber's frames onto the stack.
void Fiber::moveIn() {
  if (residence->resident == this)
    return;
  if (Fiber *other = residence->resident) {
    other->frames.resize(other->frameBytes());
    copyFrames(other->frames.data(), other->position, other->frameBytes());
  }
  copyFrames(position, frames.data(), frames.size());
  residence->resident = this;
}

void Fiber::resume(void *value) {
  moveIn();
#ifdef TREADLE_SANITIZES_STACKS
  outer = running();
  running() = this;
#endif
#ifdef TREADLE_TSAN
  sanitizerResumer = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizerFiber, 0);
#endif
#ifdef TREADLE_ASAN
  __sanitizer_start_switch_fiber(&resumerFakeStack, stack->base(), stack->size());
#endif
  treadleSwitchStack(&resumer, position, value);
#ifdef TREADLE_ASAN
  __sanitizer_finish_switch_fiber(resumerFakeStack, nullptr, nullptr);
#endif
#ifdef TREADLE_SANITIZES_STACKS
  running() = outer;
#endif
}

TREADLE_ON_FIBER void Fiber::enter() {
#ifdef TREADLE_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &resumerBase, &resumerBytes);
#endif
}

TREADLE_ON_FIBER void *Fiber::suspend() {
#ifdef TREADLE_TSAN
  __tsan_switch_to_fiber(sanitizerResumer, 0);
#endif
#ifdef TREADLE_ASAN
  __sanitizer_start_switch_fiber(nullptr, resumerBase, resumerBytes);
#endif
  void *value = treadleSwitchStack(&position, resumer, nullptr);
#ifdef TREADLE_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  return value;
}

Fiber *&Fiber::running() {
  static thread_local Fiber *fiber = nullptr;
  return fiber;
}

Fiber *&Fiber::left() {
  static thread_local Fiber *fiber = nullptr;
  return fiber;
}

TREADLE_ON_FIBER void Fiber::beginJump([[maybe_unused]] void *frame) {
#ifdef TREADLE_SANITIZES_STACKS
  for (; running(); running() = running()->outer) {
    left() = running();
#ifdef TREADLE_ASAN
    __asan_unpoison_stack_memory(reinterpret_cast<uintptr_t>(left()->stack->base()), left()->stack->size());
#endif
  }
  if (!left())
    return;
#ifdef TREADLE_TSAN
  __tsan_switch_to_fiber(left()->sanitizerResumer, 0);
#endif
#ifdef TREADLE_ASAN
  // The frames that the jump skips on the thread's own stack.
  const auto resumer = reinterpret_cast<uintptr_t>(left()->resumer);
  __asan_unpoison_stack_memory(resumer, reinterpret_cast<uintptr_t>(frame) - resumer);
  __sanitizer_start_switch_fiber(nullptr, left()->resumerBase, left()->resumerBytes);
#endif
#endif
}

void Fiber::endJump() {
#ifdef TREADLE_ASAN
  if (left())
    __sanitizer_finish_switch_fiber(left()->resumerFakeStack, nullptr, nullptr);
#endif
  left() = nullptr;
}

} // namespace treadle::cpu
