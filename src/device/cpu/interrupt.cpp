// Signal handlers: SIGINT protects the poll page, SIGSEGV on that page leaves generated code.
#include "device/cpu/interrupt.h"

#include "support/error.h"

#include <csetjmp>
#include <cstring>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace treadle::cpu {

namespace {

constexpr size_t pageBytes = 4096;

using Handler = void (*)(int, siginfo_t *, void *);

/// Where generated code is left to.
struct LaunchFrame {
  sigjmp_buf position;
  KernelFailure *failure;
};

/// The frame of the kernel that the calling thread runs; null outside of one.
LaunchFrame *&launchFrame() {
  static thread_local LaunchFrame *frame = nullptr;
  return frame;
}

bool isHandler(const struct sigaction &action, Handler handler) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler;
}

/// Calls what was there before us. A fault nobody handles is left to the default action: the faulting
/// instruction runs again after the return.
void passOn(const struct sigaction *previous, int signal, siginfo_t *info, void *context) {
  if (previous && (previous->sa_flags & SA_SIGINFO) != 0)
    return previous->sa_sigaction(signal, info, context);
  if (previous && previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN)
    return previous->sa_handler(signal);
  if (signal != SIGSEGV)
    return;
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0)
    raise(signal); // sent by a process: no instruction runs again
}

/// Puts `handler` in the place of `current`. Async-signal-safe.
void install(int signal, Handler handler, const struct sigaction &current, int flags) {
  struct sigaction ours = {};
  ours.sa_sigaction = handler;
  ours.sa_mask = current.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
  sigaction(signal, &ours, nullptr);
}

} // namespace

InterruptWatch &InterruptWatch::instance() {
  static InterruptWatch *const watch = new InterruptWatch;
  return *watch;
}

InterruptWatch::InterruptWatch() {
  void *mapped = mmap(nullptr, pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  pollPage = static_cast<char *>(mapped);
}

void InterruptWatch::enter() {
  watchInterrupts();
  for (;;) {
    active.fetch_add(1);
    if (!isRaised())
      return;
    leave();
    sched_yield();
  }
}

void InterruptWatch::leave() {
  if (active.fetch_sub(1) == 1 && isRaised())
    lower();
}

void InterruptWatch::lower() {
  const std::lock_guard lock(changing);
  // Another launch may have entered meanwhile, and a new interrupt may be meant for it.
  if (active.load() != 0 || !isRaised())
    return;
  mprotect(pollPage, pageBytes, PROT_READ | PROT_WRITE);
  raised.store(0);
}

/// The one object for a handler: programs that exchange two handlers for ever must not fill the memory. Under
/// `changing`.
const struct sigaction *InterruptWatch::kept(const struct sigaction &action) {
  for (const auto &known : handlers)
    if (known->sa_sigaction == action.sa_sigaction && known->sa_flags == action.sa_flags)
      return known.get();
  return handlers.emplace_back(std::make_unique<struct sigaction>(action)).get();
}

void InterruptWatch::watchInterrupts() {
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) != 0 || isHandler(current, onInterrupt))
    return;
  // Nobody wants to hear of SIGINT: it ends the process or is ignored, and that is right.
  if ((current.sa_flags & SA_SIGINFO) == 0 && (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN))
    return;
  const std::lock_guard lock(changing);
  struct sigaction fault;
  sigaction(SIGSEGV, nullptr, &fault);
  if (!previousFault.load())
    previousFault.store(new struct sigaction(fault));
  previousInterrupt.store(kept(current));
  install(SIGINT, onInterrupt, current, current.sa_flags & SA_RESTART);
}

void InterruptWatch::onInterrupt(int signal, siginfo_t *info, void *context) {
  InterruptWatch &watch = instance();
  // Handlers that chain to each other in a circle must not do so for ever.
  if (watch.chaining.fetch_add(1) > 16) {
    watch.chaining.fetch_sub(1);
    return;
  }
  if (watch.active.load() != 0) {
    struct sigaction current;
    // Checked here and not at each launch: faulthandler and others may have come after us.
    if (sigaction(SIGSEGV, nullptr, &current) == 0 && !isHandler(current, onFault)) {
      *const_cast<struct sigaction *>(watch.previousFault.load()) = current;
      install(SIGSEGV, onFault, current, SA_NODEFER);
    }
    // In this order: `raised` with a readable page is put right by the next launch, the opposite would end it.
    mprotect(watch.pollPage, pageBytes, PROT_NONE);
    watch.count.fetch_add(1);
    watch.raised.store(1);
  }
  passOn(watch.previousInterrupt.load(), signal, info, context);
  watch.chaining.fetch_sub(1);
}

void InterruptWatch::onFault(int signal, siginfo_t *info, void *context) {
  InterruptWatch &watch = instance();
  const char *address = static_cast<const char *>(info->si_addr);
  if (address >= watch.pollPage && address < watch.pollPage + pageBytes && launchFrame()) {
    watch.raised.store(1);
    siglongjmp(launchFrame()->position, 1);
  }
  passOn(watch.previousFault.load(), signal, info, context);
}

bool runUntilCut(const KernelCall &call) {
  LaunchFrame here;
  here.failure = call.failure;
  // The mask is not saved (a system call): the fault handler runs without changing it.
  if (sigsetjmp(here.position, 0) != 0) {
    launchFrame() = nullptr;
    return false;
  }
  launchFrame() = &here;
  call.function(call.parameters, call.geometry, call.first, call.last, call.arena);
  launchFrame() = nullptr;
  return true;
}

void *pollPage() { return InterruptWatch::instance().page(); }

} // namespace treadle::cpu

/// Called by generated code whose check has failed (kernel_abi.h, failSymbol).
extern "C" [[noreturn]] TREADLE_API void treadle_cpu_fail(const treadle::cpu::FailureCall *call) {
  treadle::cpu::LaunchFrame *frame = treadle::cpu::launchFrame();
  treadle::cpu::KernelFailure &failure = *frame->failure;
  if (failure.isTaken.exchange(1) == 0)
    failure.call = *call;
  siglongjmp(frame->position, 1);
}
