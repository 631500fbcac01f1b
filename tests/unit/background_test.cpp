// Work that nobody waits for: its order, who waits for it, forks, the end of a process, and no threads to be had.
#include "support/background.h"

#include "tests/unit/sanitizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace treadle {
namespace {

Background &background() { return Background::instance(); }

/// Work that another thread lets go on.
struct Gate {
  std::atomic<bool> isOpen{false};
  void wait() { isOpen.wait(false); }
  void open() {
    isOpen = true;
    isOpen.notify_all();
  }
};

/// What a child of a fork returns.
template <typename Body> int inChild(const Body &body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

using BackgroundOfChildren = ThreadsOfChildren;

TEST(Background, WorkIsDoneInItsOrder) {
  std::vector<int> done; // no lock: one thread does all
  const int owner = 0;
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(background().add(&owner, "name", [&done, i] { done.push_back(i); }));
  background().finish(&owner);
  ASSERT_EQ(done.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

TEST(Background, NobodyWaitsForTheWorkOfOthers) {
  Gate gate;
  const int owner = 0, other = 0;
  background().add(&owner, "held", [&gate] { gate.wait(); });
  background().finish(&other);
  background().finish(&owner, "another name");
  std::atomic<bool> isDone{false};
  std::thread waiting([&] {
    background().finish(&owner);
    isDone = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(isDone) << "it waits for what is being done";
  gate.open();
  waiting.join();
}

TEST(Background, WorkItselfDoesNotWait) {
  const int owner = 0;
  bool isDone = false;
  background().add(&owner, "name", [&] {
    background().finish(&owner);
    isDone = true;
  });
  background().finish(&owner);
  EXPECT_TRUE(isDone);
}

TEST(Background, WhatWaitsTooLongIsRefused) {
  Gate gate;
  const int owner = 0;
  int refused = 0, count = 0;
  background().add(&owner, "held", [&gate] { gate.wait(); });
  for (int i = 0; i < 5000; ++i)
    refused += !background().add(&owner, "more", [&count] { ++count; });
  EXPECT_GT(refused, 0);
  gate.open();
  background().finish(&owner);
  EXPECT_EQ(count + refused, 5000);
}

TEST(Background, SignalsOfTheProcessAreForOtherThreads) {
  sigset_t blocked;
  sigemptyset(&blocked);
  const int owner = 0;
  background().add(&owner, "name", [&blocked] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  background().finish(&owner);
  EXPECT_TRUE(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM));
}

TEST_F(BackgroundOfChildren, AChildHasNothingOfItsParentsWork) {
  Gate gate;
  const int owner = 0;
  int count = 0;
  background().add(&owner, "first", [&count] { ++count; });
  // A fork waits for what is being done, so the parent opens the gate before it.
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  background().add(&owner, "held", [&gate] { gate.wait(); });
  for (int i = 0; i < 50; ++i)
    background().add(&owner, "more", [&count] { ++count; });
  const int status = inChild([&] {
    const int before = count;
    background().finish(&owner);
    if (count != before)
      return false;
    background().add(&owner, "own", [&count] { count = 1000; });
    background().finish(&owner);
    return count == 1000;
  });
  EXPECT_EQ(status, 0);
  opener.join();
  background().finish(&owner);
  EXPECT_EQ(count, 51);
}

TEST_F(BackgroundOfChildren, ForksAtAnyTime) {
  const int owner = 0;
  std::atomic<int> count{0};
  for (int i = 0; i < 50; ++i) {
    for (int more = 0; more < 20; ++more)
      background().add(&owner, "name", [&count] { ++count; });
    const int status = inChild([&] {
      std::atomic<int> own{0};
      for (int more = 0; more < 20; ++more)
        background().add(&owner, "name", [&own] { ++own; });
      background().finish(&owner);
      return own == 20;
    });
    ASSERT_EQ(status, 0) << i;
  }
  background().finish(&owner);
  EXPECT_EQ(count, 50 * 20);
}

/// In a process of its own, which writes a byte for each piece of work and then ends as programs do.
TEST_F(BackgroundOfChildren, NothingIsLostWhenAProcessEnds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::fflush(nullptr); // the child's exit must not write it again
  const pid_t child = fork();
  if (child == 0) {
    const int owner = 0;
    for (int i = 0; i < 100; ++i)
      background().add(&owner, "name", [&ends] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        (void)!write(ends[1], "x", 1);
      });
    std::exit(0);
  }
  close(ends[1]);
  std::string written(200, 0);
  size_t count = 0;
  while (const ssize_t got = read(ends[0], written.data(), written.size()))
    count += size_t(std::max<ssize_t>(got, 0));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(count, 100u);
}

} // namespace
} // namespace treadle
