// Starts threads with pthread_create, which reports why it failed.
#include "support/threads.h"

#include "support/error.h"

#include <cstring>
#include <memory>
#include <pthread.h>
#include <string>

namespace treadle {

SignalsBlocked::SignalsBlocked() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

namespace {

void *runBody(void *argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()> *>(argument));
  (*body)();
  return nullptr;
}

} // namespace

void startThread(const char *purpose, std::function<void()> body, size_t stackBytes) {
  auto own = std::make_unique<std::function<void()>>(std::move(body));
  const SignalsBlocked blocked;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stackBytes)
    pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  const int status = pthread_create(&thread, &attributes, runBody, own.get());
  pthread_attr_destroy(&attributes);
  if (status != 0)
    throw Error("the system gives no more threads, and " + std::string(purpose) + " needs one (" +
                std::strerror(status) +
                "): see the limits on threads (ulimit -u, a cgroup's pids.max) and on address "
                "space (ulimit -v)");
  [[maybe_unused]] const std::function<void()> *passed = own.release(); // now owned by the thread
}

} // namespace treadle
