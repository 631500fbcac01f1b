// Nobody is inside while a gate is closed.
#include "support/asymmetric_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace treadle {
namespace {

struct Walker {
  explicit Walker(AsymmetricGate &gate) : place(gate.enter()) {}
  ~Walker() { AsymmetricGate::leave(place); }
  AsymmetricGate::Slot &place;
};

class AsymmetricGateTest : public testing::Test {
protected:
  /// Threads that go through it, each in its own way, until `ends`.
  void walk(bool nested) {
    while (!ends) {
      const Walker walker(gate);
      wrong += isClosed.load();
      if (nested) {
        const Walker inner(gate);
        wrong += isClosed.load();
      }
      wrong += isClosed.load();
      ++walks;
    }
  }

  AsymmetricGate gate;
  std::atomic<bool> isClosed{false}, ends{false};
  std::atomic<int> wrong{0}, walks{0};
};

TEST_F(AsymmetricGateTest, NobodyIsInsideWhileItIsClosed) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] { walk(i % 2 != 0); });
  for (int turn = 0; turn < 300; ++turn) {
    {
      const AsymmetricGate::Closed closed(gate);
      isClosed = true;
      for (int step = 0; step < 50; ++step)
        std::this_thread::yield();
      isClosed = false;
    }
    for (const int before = walks; walks < before + 3;)
      std::this_thread::yield();
  }
  ends = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Being inside one does not stop a thread at another, so it has to look.
TEST_F(AsymmetricGateTest, ThreadsInsideAnotherOneSeeThatItIsClosed) {
  AsymmetricGate other;
  std::atomic<int> stage{0};
  std::thread thread([&] {
    const Walker walker(other);
    wrong += !gate.isOpenToCaller();
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
    wrong += gate.isOpenToCaller();
    stage = 3;
  });
  while (stage != 1)
    std::this_thread::yield();
  std::thread closer([&] {
    const AsymmetricGate::Closed closed(gate); // waits for the thread, which is inside `other`
    wrong += stage != 3;
    wrong += !gate.isOpenToCaller(); // to the one who has closed it
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  while (gate.isOpenToCaller())
    std::this_thread::yield();
  stage = 2;
  thread.join();
  closer.join();
  EXPECT_TRUE(gate.isOpenToCaller());
  EXPECT_EQ(wrong, 0);
}

TEST_F(AsymmetricGateTest, TwoThreadsCloseInTurn) {
  std::atomic<int> inside{0};
  auto close = [&] {
    for (int turn = 0; turn < 200; ++turn) {
      const AsymmetricGate::Closed closed(gate);
      wrong += ++inside != 1;
      const Walker walker(gate); // it may itself
      --inside;
    }
  };
  std::thread other(close);
  close();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(AsymmetricGateTest, ThreadsThatAreInsideMayEnterAgain) {
  std::atomic<int> stage{0};
  std::thread other([&] {
    const Walker walker(gate);
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the gate is being closed
    const Walker again(gate);
    stage = 3;
  });
  while (stage != 1)
    std::this_thread::yield();
  stage = 2;
  const AsymmetricGate::Closed closed(gate);
  EXPECT_EQ(stage, 3);
  other.join();
}

TEST_F(AsymmetricGateTest, ThreadsThatHaveEndedLeaveTheirPlaces) {
  auto placeOfNewThread = [this] {
    const void *place = nullptr;
    std::thread([&] { place = &Walker(gate).place; }).join();
    return place;
  };
  const void *const first = placeOfNewThread();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(placeOfNewThread(), first);
}

} // namespace
} // namespace treadle
