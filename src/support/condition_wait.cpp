// std::condition_variable::wait for libstdc++ before 12: GCC 12 gave that one symbol a new version (GLIBCXX_3.4.30),
// which systems with GCC 11's library (RHEL 9) lack. Each of our libraries carries this hidden definition and binds to
// it.
#include <condition_variable>
#include <mutex>
#include <pthread.h>

extern "C" __attribute__((visibility("hidden"))) void waitForCondition(std::condition_variable *condition,
                                                                       std::unique_lock<std::mutex> &lock) noexcept
    __asm__("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

void waitForCondition(std::condition_variable *condition, std::unique_lock<std::mutex> &lock) noexcept {
  pthread_cond_wait(condition->native_handle(), lock.mutex()->native_handle());
}
