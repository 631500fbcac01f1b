// Forks: mutexes that are free in the child, with what they guard whole; and gates that nobody is in.
#include "support/asymmetric_gate.h"
#include "support/fork_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace treadle {
namespace {

/// Whether the function returns true in a child of a fork, in time.
bool holdsInChild(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ForkMutex, IsFreeInTheChildAndWhatItGuardsWhole) {
  ForkMutex mutex;
  std::atomic<bool> ended{false};
  volatile int first = 0, second = 0; // equal, but for who has the mutex
  std::thread busy([&] {
    while (!ended) {
      const std::lock_guard lock(mutex);
      first = first + 1;
      second = second + 1;
    }
  });
  bool isFine = true;
  for (int i = 0; i < 100; ++i)
    isFine &= holdsInChild([&] { return mutex.try_lock() && first == second; });
  ended = true;
  busy.join();
  EXPECT_TRUE(isFine);
}

TEST(ForkMutex, HeldOverWorkHoldsUpNoFork) {
  ForkMutex mutex(ForkMutex::Held::OverWork);
  std::atomic<bool> isHeld{false}, ended{false};
  std::thread busy([&] {
    const std::lock_guard lock(mutex);
    isHeld = true;
    while (!ended)
      std::this_thread::yield();
  });
  while (!isHeld)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] { return mutex.try_lock(); }));
  EXPECT_FALSE(mutex.try_lock()) << "the parent's thread still has it";
  ended = true;
  busy.join();
}

TEST(ForkMutex, CanBeMadeAndDroppedInAnyOrder) {
  auto first = std::make_unique<ForkMutex>(), second = std::make_unique<ForkMutex>(),
       third = std::make_unique<ForkMutex>();
  second.reset();
  EXPECT_TRUE(holdsInChild([&] { return first->try_lock() && third->try_lock(); }));
  first.reset();
  EXPECT_TRUE(holdsInChild([&] { return third->try_lock(); }));
  third.reset();
  EXPECT_TRUE(holdsInChild([] { return ForkMutex().try_lock(); }));
}

/// Threads that are inside never leave in the child.
TEST(AsymmetricGate, CanBeClosedInTheChildOfAParentWhoseThreadIsInside) {
  AsymmetricGate gate;
  std::atomic<bool> isInside{false}, ended{false};
  std::thread busy([&] {
    AsymmetricGate::Slot &place = gate.enter();
    isInside = true;
    while (!ended)
      std::this_thread::yield();
    AsymmetricGate::leave(place);
  });
  while (!isInside)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] {
    gate.beginChild();
    const AsymmetricGate::Closed closed(gate);
    return true;
  }));
  ended = true;
  busy.join();
}

TEST(AsymmetricGate, IsOpenInTheChildOfAParentWhoseThreadHasClosedIt) {
  AsymmetricGate gate;
  std::atomic<bool> isClosed{false}, ended{false};
  std::thread busy([&] {
    const AsymmetricGate::Closed closed(gate);
    isClosed = true;
    while (!ended)
      std::this_thread::yield();
  });
  while (!isClosed)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] {
    gate.beginChild();
    AsymmetricGate::leave(gate.enter());
    const AsymmetricGate::Closed closed(gate);
    return true;
  }));
  ended = true;
  busy.join();
}

} // namespace
} // namespace treadle
