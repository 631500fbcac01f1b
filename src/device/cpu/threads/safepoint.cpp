// Safepoints: generated code calls in when a word is nonzero; all its registers are preserved.
#include "device/cpu/threads/safepoint.h"

#include "device/cpu/threads/block_fibers.h"
#include "device/cpu/threads/fiber.h"
#include "device/cpu/threads/grid_fibers.h"
#include "support/fork_gate.h"

#include <cpuid.h>
#include <csetjmp>
#include <sched.h>

extern "C" {
/// The size of the registers that XSAVE saves, in bytes; 0 if the machine has only FXSAVE. Read by
/// treadle_cpu_safepoint, written before any code can call that.
__attribute__((visibility("hidden"))) uint64_t treadleStateBytes = 0;
__attribute__((visibility("hidden"), used)) void treadleAtSafepoint();
}

namespace treadle::cpu {

namespace {

/// The target of jumps out of generated code.
struct LaunchFrame {
  sigjmp_buf position;
  KernelFailure *failure;
  SafepointListener *listener;
};

/// The frame of the calling thread's kernel; null outside kernels.
LaunchFrame *&launchFrame() {
  static thread_local LaunchFrame *frame = nullptr;
  return frame;
}

/// Jumps back to the caller of generated code, from the thread's stack or a fiber's.
[[noreturn]] TREADLE_ON_FIBER void leave(LaunchFrame *frame) {
  Fiber::beginJump(frame);
  siglongjmp(frame->position, 1);
}

uint64_t extendedStateBytes() {
  constexpr unsigned osxsave = 1u << 27;
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0 || __get_cpuid_count(0xd, 0, &a, &b, &c, &d) == 0)
    return 0;
  return b;
}

} // namespace

bool runUntilCut(const KernelCall &call) {
  LaunchFrame here;
  here.failure = call.failure;
  here.listener = call.listener;
  // The signal mask is not saved: that would be a system call, and nothing changes the mask.
  if (sigsetjmp(here.position, 0) != 0) {
    Fiber::endJump();
    launchFrame() = nullptr;
    BlockFibers::current() = nullptr;
    return false;
  }
  launchFrame() = &here;
  call.function(call.parameters, call.geometry, call.first, call.last, call.arena);
  launchFrame() = nullptr;
  return true;
}

uint32_t *pollWord() {
  static uint32_t *const word = [] {
    treadleStateBytes = extendedStateBytes();
    auto *made = new uint32_t(0); // never freed, as code may read it at exit
    // The threads that made requests do not exist in a child.
    new AtForks(made, {nullptr, nullptr, [](void *requests) { *static_cast<uint32_t *>(requests) = 0; }});
    return made;
  }();
  return word;
}

void serveSafepoint() {
  LaunchFrame *frame = launchFrame();
  if (!frame->listener->lendThread())
    leave(frame);
}

} // namespace treadle::cpu

// void treadle_cpu_safepoint(): preserves every register, so that generated code saves none around the call. The mask
// 0xe7 selects the registers of x87, SSE, AVX and AVX-512; the 64 bytes after the first 512 must be 0 for XRSTOR.
asm(".text\n"
    ".globl treadle_cpu_safepoint\n.hidden treadle_cpu_safepoint\n.type treadle_cpu_safepoint,@function\n"
    "treadle_cpu_safepoint:\n"
    "  pushq %rbp\n  movq %rsp, %rbp\n  pushfq\n  cld\n"
    "  pushq %rax\n  pushq %rcx\n  pushq %rdx\n  pushq %rsi\n  pushq %rdi\n"
    "  pushq %r8\n  pushq %r9\n  pushq %r10\n  pushq %r11\n  pushq %rbx\n"
    "  movq treadleStateBytes(%rip), %rbx\n"
    "  leaq -576(%rsp), %rsp\n  subq %rbx, %rsp\n  andq $-64, %rsp\n"
    "  testq %rbx, %rbx\n  jz 1f\n"
    "  xorl %eax, %eax\n"
    "  movq %rax, 512(%rsp)\n  movq %rax, 520(%rsp)\n  movq %rax, 528(%rsp)\n  movq %rax, 536(%rsp)\n"
    "  movq %rax, 544(%rsp)\n  movq %rax, 552(%rsp)\n  movq %rax, 560(%rsp)\n  movq %rax, 568(%rsp)\n"
    "  xorl %edx, %edx\n  movl $0xe7, %eax\n  xsave64 (%rsp)\n"
    "  call treadleAtSafepoint\n"
    "  xorl %edx, %edx\n  movl $0xe7, %eax\n  xrstor64 (%rsp)\n"
    "  jmp 2f\n"
    "1:\n  fxsave64 (%rsp)\n  call treadleAtSafepoint\n  fxrstor64 (%rsp)\n"
    "2:\n  leaq -88(%rbp), %rsp\n"
    "  popq %rbx\n  popq %r11\n  popq %r10\n  popq %r9\n  popq %r8\n"
    "  popq %rdi\n  popq %rsi\n  popq %rdx\n  popq %rcx\n  popq %rax\n  popfq\n  popq %rbp\n  ret\n"
    ".size treadle_cpu_safepoint,.-treadle_cpu_safepoint\n");

/// On a fiber the safepoint is served after a stack switch, as the host may use the thread only on its own stack.
extern "C" TREADLE_ON_FIBER void treadleAtSafepoint() {
  using namespace treadle::cpu;
  LaunchFrame *frame = launchFrame();
  if (frame->listener->isEnded())
    leave(frame);
  if (!frame->listener->wantsThread()) {
    sched_yield(); // to the requested thread: until it arrives all kernels are slow
    return;
  }
  if (BlockFibers *block = BlockFibers::current())
    block->stopAtSafepoint();
  else if (GridFibers *grid = GridFibers::current())
    grid->yield();
  else
    serveSafepoint();
}

/// Called by generated code after a failed check (kernel_abi.h, failSymbol).
extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call) {
  treadle::cpu::LaunchFrame *frame = treadle::cpu::launchFrame();
  treadle::cpu::KernelFailure &failure = *frame->failure;
  if (failure.isTaken.exchange(1) == 0)
    failure.call = *call;
  leave(frame);
}
