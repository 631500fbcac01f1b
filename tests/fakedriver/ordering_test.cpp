// When work runs: as late as possible, in the order that streams and events require, otherwise in seeded order.
#include "fake_driver_test.h"

#include <algorithm>
#include <set>
#include <thread>

#include "per_thread_api.h"

namespace fakecuda::testing {

class Ordering : public FakeDriver {
protected:
  /// Whether running a piece on `second`, queued after one on `first`, requires that one to run first.
  bool follows(CUstream first, CUstream second) {
    cuCtxSynchronize();
    const size_t before = ran().size();
    launch("empty", first);
    launch("slow", second, 0u);
    // Only what is necessary runs.
    cuStreamSynchronize(second);
    const std::vector<std::string> now = ran();
    return std::find(now.begin() + static_cast<ptrdiff_t>(before), now.end(), "empty") != now.end();
  }
};

TEST_F(Ordering, NothingRunsBeforeItMust) {
  const CUdeviceptr x = allocFilled({1});
  const CUstream s = stream();
  CU_OK(launch("increment", s, x, 1u));
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 1);
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuStreamSynchronize(stream()));
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 1) << "another stream was waited for";
  EXPECT_EQ(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 1);
  EXPECT_EQ(cuStreamQuery(s), CUDA_SUCCESS) << "patience has an end";
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 2);
}

TEST_F(Ordering, LegacyStreamAndBlockingOnesFollowEachOther) {
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  EXPECT_TRUE(follows(nullptr, blocking));
  EXPECT_TRUE(follows(blocking, nullptr));
  EXPECT_TRUE(follows(blocking, CU_STREAM_LEGACY));
}

TEST_F(Ordering, NonBlockingStreamsFollowNobody) {
  const CUstream apart = stream(CU_STREAM_NON_BLOCKING);
  EXPECT_FALSE(follows(nullptr, apart));
  EXPECT_FALSE(follows(apart, nullptr));
}

TEST_F(Ordering, BlockingStreamsDoNotFollowEachOther) { EXPECT_FALSE(follows(stream(), stream())); }

TEST_F(Ordering, BlockingStreamsFollowEachOtherThroughTheLegacyOne) {
  const CUstream first = stream(), second = stream();
  CU_OK(launch("empty", first));
  CU_OK(launch("increment", nullptr, alloc(4), 1u));
  CU_OK(launch("slow", second, 0u));
  CU_OK(cuStreamSynchronize(second));
  EXPECT_EQ(ran(), (std::vector<std::string>{"empty", "increment", "slow"}));
}

TEST_F(Ordering, PerThreadStreamsAreBlockingOnes) {
  EXPECT_TRUE(follows(nullptr, CU_STREAM_PER_THREAD));
  EXPECT_FALSE(follows(stream(), CU_STREAM_PER_THREAD));
}

TEST_F(Ordering, EachThreadHasItsOwnPerThreadStream) {
  CU_OK(launch("empty", CU_STREAM_PER_THREAD));
  std::thread([&] {
    CU_OK(cuCtxSetCurrent(context));
    CU_OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  }).join();
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuStreamSynchronize_ptsz(nullptr));
  EXPECT_EQ(fakeCudaPending(), 0u);
}

TEST_F(Ordering, PerThreadVariantsTakeZeroForTheThreadsOwnStream) {
  CU_OK(cuEventRecord_ptsz(event(), nullptr));
  CU_OK(cuStreamSynchronize(CU_STREAM_LEGACY));
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  EXPECT_EQ(fakeCudaPending(), 0u);
}

TEST_F(Ordering, EventsOrderStreams) {
  const CUstream first = stream(CU_STREAM_NON_BLOCKING), second = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event();
  const CUdeviceptr x = allocFilled({5});
  CU_OK(launch("increment", first, x, 1u));
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuStreamWaitEvent(second, e, 0));
  CU_OK(launch("read_modify_write", second, x, 1u));
  CU_OK(cuStreamSynchronize(second));
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 13);
}

TEST_F(Ordering, AWaitIsForTheRecordAtItsCall) {
  const CUstream first = stream(CU_STREAM_NON_BLOCKING), second = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event();
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuStreamWaitEvent(second, e, 0));
  CU_OK(launch("empty", first));
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuStreamSynchronize(second));
  EXPECT_EQ(fakeCudaPending(), 2u);
}

TEST_F(Ordering, FreesWait) {
  const CUdeviceptr x = alloc(4), y = alloc(4);
  CU_OK(launch("iota", stream(CU_STREAM_NON_BLOCKING), x, 1u));
  CU_OK(cuMemFree_v2(y));
  EXPECT_EQ(fakeCudaPending(), 0u);
}

TEST_F(Ordering, PageableSourcesAreCapturedAtTheCallPinnedOnesWhenTheyRun) {
  const CUdeviceptr x = alloc(4), y = alloc(4);
  float pageable = 1, *locked = pinned(1);
  *locked = 1;
  CU_OK(cuMemcpyHtoDAsync_v2(x, &pageable, 4, stream()));
  CU_OK(cuMemcpyHtoDAsync_v2(y, locked, 4, stream()));
  EXPECT_EQ(fakeCudaPending(), 2u);
  pageable = *locked = 2;
  CU_OK(cuCtxSynchronize());
  expectBroken("host-race");
  EXPECT_EQ(readFloats(x, 1), std::vector<float>{1});
  EXPECT_EQ(readFloats(y, 1), std::vector<float>{2});
}

TEST_F(Ordering, SynchronousCopiesReturnWhenTheyPromiseTo) {
  const CUdeviceptr x = alloc(4), y = alloc(4);
  float value = 1, *locked = pinned(1);
  *locked = 3;
  CU_OK(cuMemcpyDtoD_v2(x, y, 4));
  CU_OK(cuMemsetD32_v2(y, 0, 1));
  EXPECT_EQ(fakeCudaPending(), 2u) << "between device memory nothing is promised";
  CU_OK(cuMemcpyHtoD_v2(x, &value, 4));
  EXPECT_EQ(fakeCudaPending(), 1u) << "a pageable source is staged";
  CU_OK(cuMemcpyHtoD_v2(x, locked, 4));
  EXPECT_EQ(fakeCudaPending(), 0u);
  CU_OK(cuMemcpyDtoHAsync_v2(locked, x, 4, nullptr));
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuMemcpyDtoHAsync_v2(&value, x, 4, nullptr));
  EXPECT_EQ(fakeCudaPending(), 0u) << "a pageable destination is written before the call returns";
  EXPECT_EQ(value, 3);
}

TEST_F(Ordering, TimeIsTheDevices) {
  const CUevent from = event(CU_EVENT_DEFAULT), to = event(CU_EVENT_DEFAULT);
  float milliseconds;
  CU_OK(cuEventRecord(from, nullptr));
  CU_OK(launch("slow", nullptr, 7u));
  CU_OK(cuEventRecord(to, nullptr));
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, from, to), CUDA_ERROR_NOT_READY);
  CU_OK(cuEventSynchronize(to));
  CU_OK(cuEventElapsedTime(&milliseconds, from, to));
  EXPECT_FLOAT_EQ(milliseconds, 7);
}

TEST_F(Ordering, EventsAreQueriedWithPatience) {
  const CUevent e = event();
  EXPECT_EQ(cuEventQuery(e), CUDA_SUCCESS) << "never recorded";
  CU_OK(cuEventRecord(e, nullptr));
  EXPECT_EQ(cuEventQuery(e), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(e), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(e), CUDA_SUCCESS);
}

TEST_F(Ordering, AFullQueueBlocksUntilItsOldestHasRun) {
  start([](FakeCudaConfig &config) { config.queueDepth = 3; });
  const CUstream s = stream();
  for (int at = 0; at < 5; ++at)
    CU_OK(launch("empty", s));
  EXPECT_EQ(fakeCudaPending(), 3u);
}

TEST_F(Ordering, WorkOutlivesItsStream) {
  const CUdeviceptr x = allocFilled({1});
  const CUstream s = stream();
  CU_OK(launch("increment", s, x, 1u));
  CU_OK(cuStreamDestroy_v2(s));
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(read(x, 1), std::vector<int>{2});
}

TEST_F(Ordering, StepsRunOneByOne) {
  CU_OK(launch("empty", stream()));
  CU_OK(launch("empty", stream()));
  EXPECT_EQ(fakeCudaStep(1), 1u);
  EXPECT_EQ(fakeCudaPending(), 1u);
  EXPECT_EQ(fakeCudaStep(5), 1u);
}

TEST_F(Ordering, IdleWorkRunsByItselfOnRequest) {
  start([](FakeCudaConfig &config) { config.patienceMs = 5; });
  const CUdeviceptr x = allocFilled({1});
  CU_OK(launch("increment", stream(), x, 1u));
  while (fakeCudaPending())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 2);
}

TEST_F(Ordering, UnwantedWorkRunsTooWhenEager) {
  start([](FakeCudaConfig &config) { config.eagerness = 100; });
  CU_OK(launch("empty", stream()));
  const CUstream s = stream();
  CU_OK(launch("empty", s));
  CU_OK(cuStreamSynchronize(s));
  EXPECT_EQ(fakeCudaPending(), 0u);
}

class Seeds : public FakeDriver {
protected:
  std::vector<std::string> orderOf(uint64_t seed) {
    start([&](FakeCudaConfig &config) { config.seed = seed; });
    const char *const names[] = {"increment", "iota", "read_modify_write"};
    for (const char *name : names) {
      const CUstream s = stream();
      for (int repeat = 0; repeat < 3; ++repeat)
        EXPECT_EQ(launch(name, s, alloc(4), 1u), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    return ran();
  }
};

TEST_F(Seeds, GiveTheSameOrderAgainAndManyOrdersTogether) {
  std::set<std::vector<std::string>> orders;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::string> order = orderOf(seed);
    EXPECT_EQ(order, orderOf(seed));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15u);
}

} // namespace fakecuda::testing
