// The worker pool: every unit runs exactly once, on several threads at once, and after a fork.
#include "device/cpu/threads/worker_pool.h"

#include "tests/unit/sanitizers.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace treadle::cpu {
namespace {

/// Counts how often each unit ran, and on which threads.
class CountingWork final : public Work {
public:
  explicit CountingWork(uint64_t units) : Work(units), times(units) {}
  void run(uint64_t first, uint64_t last) noexcept override {
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    for (uint64_t unit = first; unit < last; ++unit)
      times[unit].fetch_add(1);
    // With two workers each must get a turn, however few cores there are.
    if (waitForOthers)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool eachRanOnce() const {
    return std::all_of(times.begin(), times.end(), [](const std::atomic<int> &count) { return count.load() == 1; });
  }

  std::vector<std::atomic<int>> times;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  bool waitForOthers = false;
};

TEST(WorkerPool, RunsEachUnitOnce) {
  WorkerPool pool(4);
  for (const uint64_t units : {1, 2, 3, 31, 1000, 100'000}) {
    CountingWork work(units);
    pool.share(work, 3);
    EXPECT_TRUE(work.eachRanOnce()) << units << " units";
  }
}

TEST(WorkerPool, HelpersTakePart) {
  WorkerPool pool(3);
  CountingWork work(400);
  work.waitForOthers = true;
  pool.share(work, 2);
  EXPECT_TRUE(work.eachRanOnce());
  EXPECT_EQ(work.threads.size(), 3u);
}

TEST(WorkerPool, WithoutHelpersNobodyIsWoken) {
  WorkerPool pool(4);
  CountingWork work(1000);
  pool.share(work, 0);
  EXPECT_TRUE(work.eachRanOnce());
  EXPECT_EQ(work.threads.size(), 1u);
  EXPECT_EQ(pool.wakeUps(), 0u);
}

TEST(WorkerPool, ServesSeveralCallersAtOnce) {
  WorkerPool pool(4);
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        CountingWork work(257);
        pool.share(work, 3);
        right += work.eachRanOnce();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right.load(), 8 * 200);
}

TEST(WorkerPool, StopsBetweenChunks) {
  class StoppingWork final : public Work {
  public:
    StoppingWork() : Work(1'000'000) {}
    void run(uint64_t first, uint64_t last) noexcept override {
      ran += last - first;
      stop = 1;
    }
    std::atomic<uint64_t> ran{0};
  } work;
  WorkerPool pool(2);
  pool.share(work, 1);
  EXPECT_LT(work.ran.load(), 1'000'000u);
}

TEST(WorkerPool, ChunksShrinkAndCoverEverything) {
  CountingWork work(1000);
  work.participantsExpected = 2;
  work.smallestChunk = 7;
  uint64_t first, last, expected = 0, length = 1000;
  while (work.take(first, last)) {
    EXPECT_EQ(first, expected);
    EXPECT_LE(last - first, length);
    EXPECT_TRUE(last - first >= 7 || last == 1000);
    length = last - first;
    expected = last;
  }
  EXPECT_EQ(expected, 1000u);
}

using PoolOfChild = ThreadsOfChildren;

TEST_F(PoolOfChild, IsOneOfItsOwn) {
  PoolOfProcess pools(3);
  CountingWork before(1000);
  pools.get().share(before, 2);
  const pid_t child = fork();
  if (child == 0) {
    CountingWork work(400);
    work.waitForOthers = true;
    pools.get().share(work, 2);
    _exit(work.eachRanOnce() && work.threads.size() == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  CountingWork after(1000);
  pools.get().share(after, 2);
  EXPECT_TRUE(after.eachRanOnce());
}

} // namespace
} // namespace treadle::cpu
