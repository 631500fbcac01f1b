// The race checker: what counts as ordered and what does not, between streams and between the host and streams.
#include "fake_driver_test.h"

#include <thread>

namespace fakecuda::testing {

class Races : public FakeDriver {
protected:
  void SetUp() override {
    FakeDriver::SetUp();
    first = stream(CU_STREAM_NON_BLOCKING);
    second = stream(CU_STREAM_NON_BLOCKING);
    x = alloc(64);
  }

  CUstream first = nullptr, second = nullptr;
  CUdeviceptr x = 0;
};

TEST_F(Races, RaceOfTwoWrites) {
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceOfAReadAndAWrite) {
  CU_OK(launch("copy", first, alloc(64), x, 4u));
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceOfCopies) {
  CU_OK(cuMemsetD8Async(x, 1, 64, first));
  CU_OK(cuMemcpyDtoDAsync_v2(alloc(64), x, 64, second));
  expectBroken("race");
}

TEST_F(Races, RaceIsFoundWhateverHasRunBefore) {
  CU_OK(launch("iota", first, x, 4u));
  fakeCudaStep(10);
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceOfAnEventThatCameTooEarly) {
  const CUevent e = event();
  CU_OK(cuEventRecord(e, first));
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(cuStreamWaitEvent(second, e, 0));
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceOfAnEventThatWasRecordedAgain) {
  const CUevent e = event();
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(cuStreamWaitEvent(second, e, 0));
  CU_OK(cuEventRecord(e, first));
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceWithTheLegacyStreamOfANonBlockingOne) {
  CU_OK(launch("iota", nullptr, x, 4u));
  CU_OK(launch("increment", second, x, 4u));
  expectBroken("race");
}

TEST_F(Races, RaceOfAFreeInStreamOrder) {
  CUdeviceptr y;
  CU_OK(cuMemAllocAsync(&y, 16, first));
  CU_OK(launch("iota", first, y, 4u));
  CU_OK(cuMemFreeAsync(y, second));
  expectBroken("race");
}

TEST_F(Races, RaceOfAnAllocationInStreamOrder) {
  CUdeviceptr y;
  CU_OK(cuMemAllocAsync(&y, 16, first));
  CU_OK(launch("iota", second, y, 4u));
  expectBroken("race");
}

TEST_F(Races, ReadsDoNotRace) {
  CU_OK(launch("copy", first, alloc(64), x, 4u));
  CU_OK(launch("copy", second, alloc(64), x, 4u));
}

TEST_F(Races, DisjointBytesDoNotRace) {
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(launch("iota", second, x + 16, 4u));
}

TEST_F(Races, RowsOfAPitchedCopyAreApart) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = alloc(64);
  copy.dstDevice = x;
  copy.srcPitch = copy.dstPitch = 16;
  copy.WidthInBytes = 8;
  copy.Height = 4;
  CU_OK(cuMemcpy2DAsync_v2(&copy, first));
  copy.dstXInBytes = copy.srcXInBytes = 8;
  CU_OK(cuMemcpy2DAsync_v2(&copy, second));
  expectNothingBroken();
  copy.dstXInBytes = 4;
  CU_OK(cuMemcpy2DAsync_v2(&copy, second));
  expectBroken("race");
}

TEST_F(Races, WhatOrdersThem) {
  const CUevent e = event();
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuStreamWaitEvent(second, e, 0));
  CU_OK(launch("increment", second, x, 4u)); // an event
  CU_OK(cuStreamSynchronize(second));
  CU_OK(launch("iota", first, x, 4u)); // waiting for a stream
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuEventSynchronize(e));
  CU_OK(launch("increment", second, x, 4u)); // waiting for an event
  CU_OK(cuCtxSynchronize());
  CU_OK(launch("increment", first, x, 4u)); // waiting for the context
  while (cuStreamQuery(first) == CUDA_ERROR_NOT_READY) {
  }
  CU_OK(launch("increment", second, x, 4u)); // a query that returned "done"
  const CUdeviceptr other = alloc(4);
  CU_OK(cuMemFree_v2(other));
  CU_OK(launch("increment", first, x, 4u)); // a free that waits
}

TEST_F(Races, OrderGoesThroughThirdStreams) {
  const CUstream third = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event(), f = event();
  CU_OK(launch("iota", first, x, 4u));
  CU_OK(cuEventRecord(e, first));
  CU_OK(cuStreamWaitEvent(third, e, 0));
  CU_OK(cuEventRecord(f, third));
  CU_OK(cuStreamWaitEvent(second, f, 0));
  CU_OK(launch("increment", second, x, 4u));
}

TEST_F(Races, OrderGoesThroughTheLegacyStream) {
  const CUstream one = stream(), two = stream();
  CU_OK(launch("iota", one, x, 4u));
  CU_OK(launch("increment", nullptr, x, 4u));
  CU_OK(launch("increment", two, x, 4u));
}

TEST_F(Races, OneThreadsWaitCountsForAll) {
  CU_OK(launch("iota", first, x, 4u));
  std::thread([&] {
    CU_OK(cuCtxSetCurrent(context));
    CU_OK(cuStreamSynchronize(first));
  }).join();
  CU_OK(launch("increment", second, x, 4u));
}

TEST_F(Races, HostRaceOfASourceThatChanges) {
  float *host = pinned(4);
  host[0] = 1;
  CU_OK(cuMemcpyHtoDAsync_v2(x, host, 16, first));
  host[0] = 2;
  CU_OK(cuStreamSynchronize(first));
  expectBroken("host-race");
}

TEST_F(Races, HostRaceOfADestinationThatIsWritten) {
  float *host = pinned(4);
  CU_OK(cuMemcpyDtoHAsync_v2(host, x, 16, first));
  host[3] = 2;
  CU_OK(cuStreamSynchronize(first));
  expectBroken("host-race");
}

TEST_F(Races, HostRaceOfAnAnnouncedRead) {
  float *host = pinned(4);
  CU_OK(cuMemcpyDtoHAsync_v2(host, x, 16, first));
  fakeCudaHostAccess(host, 4, 0);
  expectBroken("host-race");
  CU_OK(cuStreamSynchronize(second));
  fakeCudaHostAccess(host, 4, 0);
  expectBroken("host-race");
  CU_OK(cuStreamSynchronize(first));
  fakeCudaHostAccess(host, 4, 1);
}

TEST_F(Races, HostRaceOfAnAnnouncedWriteOfAnotherPartIsNone) {
  float *host = pinned(8);
  CU_OK(cuMemcpyDtoHAsync_v2(host, x, 16, first));
  fakeCudaHostAccess(host + 4, 16, 1);
}

TEST_F(Races, WorkMayChangeWhatQueuedCopiesRead) {
  float *host = pinned(4);
  CU_OK(cuMemsetD32_v2(x, 0, 16));
  CU_OK(cuMemcpyDtoHAsync_v2(host, x, 16, nullptr));
  CU_OK(cuMemcpyHtoDAsync_v2(alloc(16), host, 16, nullptr));
  CU_OK(cuCtxSynchronize());
}

TEST_F(Races, HostFunctionsMayChangeWhatQueuedCopiesRead) {
  float *host = pinned(1);
  CU_OK(cuLaunchHostFunc(first, [](void *data) { *static_cast<float *>(data) = 9; }, host));
  CU_OK(cuMemcpyHtoDAsync_v2(x, host, 4, first));
  CU_OK(cuStreamSynchronize(first));
  EXPECT_EQ(readFloats(x, 1), std::vector<float>{9});
}

} // namespace fakecuda::testing
