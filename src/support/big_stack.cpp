// Runs work on a thread with a large stack.
#include "support/big_stack.h"

#include "support/error.h"

#include <exception>
#include <pthread.h>

namespace treadle {

namespace {

struct Task {
  const std::function<void()> &work;
  std::exception_ptr failure;
};

void *runTask(void *argument) {
  auto *task = static_cast<Task *>(argument);
  try {
    task->work();
  } catch (...) {
    task->failure = std::current_exception();
  }
  return nullptr;
}

} // namespace

void runOnBigStack(const std::function<void()> &work) {
  constexpr size_t stackBytes = size_t(512) << 20;
  Task task{work, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  const int status = pthread_create(&thread, &attributes, runTask, &task);
  pthread_attr_destroy(&attributes);
  if (status != 0)
    throw Error("the compiler's thread could not be started (pthread_create: " + std::to_string(status) + ")");
  pthread_join(thread, nullptr);
  if (task.failure)
    std::rethrow_exception(task.failure);
}

} // namespace treadle
