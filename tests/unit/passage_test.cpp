// Nobody is inside while a passage is closed.
#include "support/passage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace treadle {
namespace {

struct Walker {
  explicit Walker(Passage &passage) : place(passage.enter()) {}
  ~Walker() { Passage::leave(place); }
  Passage::Place &place;
};

class PassageTest : public testing::Test {
protected:
  /// Threads that go through it, each in its own way, until `ends`.
  void walk(bool nested) {
    while (!ends) {
      const Walker walker(passage);
      wrong += isClosed.load();
      if (nested) {
        const Walker inner(passage);
        wrong += isClosed.load();
      }
      wrong += isClosed.load();
      ++walks;
    }
  }

  Passage passage;
  std::atomic<bool> isClosed{false}, ends{false};
  std::atomic<int> wrong{0}, walks{0};
};

TEST_F(PassageTest, NobodyIsInsideWhileItIsClosed) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] { walk(i % 2 != 0); });
  for (int turn = 0; turn < 300; ++turn) {
    {
      const Passage::Closed closed(passage);
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
TEST_F(PassageTest, ThreadsInsideAnotherOneSeeThatItIsClosed) {
  Passage other;
  std::atomic<int> stage{0};
  std::thread thread([&] {
    const Walker walker(other);
    wrong += !passage.isOpenToCaller();
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
    wrong += passage.isOpenToCaller();
    stage = 3;
  });
  while (stage != 1)
    std::this_thread::yield();
  std::thread closer([&] {
    const Passage::Closed closed(passage); // waits for the thread, which is inside `other`
    wrong += stage != 3;
    wrong += !passage.isOpenToCaller(); // to the one who has closed it
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  while (passage.isOpenToCaller())
    std::this_thread::yield();
  stage = 2;
  thread.join();
  closer.join();
  EXPECT_TRUE(passage.isOpenToCaller());
  EXPECT_EQ(wrong, 0);
}

TEST_F(PassageTest, TwoThreadsCloseInTurn) {
  std::atomic<int> inside{0};
  auto close = [&] {
    for (int turn = 0; turn < 200; ++turn) {
      const Passage::Closed closed(passage);
      wrong += ++inside != 1;
      const Walker walker(passage); // it may itself
      --inside;
    }
  };
  std::thread other(close);
  close();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(PassageTest, ThreadsThatAreInsideMayEnterAgain) {
  std::atomic<int> stage{0};
  std::thread other([&] {
    const Walker walker(passage);
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the passage is being closed
    const Walker again(passage);
    stage = 3;
  });
  while (stage != 1)
    std::this_thread::yield();
  stage = 2;
  const Passage::Closed closed(passage);
  EXPECT_EQ(stage, 3);
  other.join();
}

TEST_F(PassageTest, ThreadsThatHaveEndedLeaveTheirPlaces) {
  auto placeOfNewThread = [this] {
    const void *place = nullptr;
    std::thread([&] { place = &Walker(passage).place; }).join();
    return place;
  };
  const void *const first = placeOfNewThread();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(placeOfNewThread(), first);
}

} // namespace
} // namespace treadle
