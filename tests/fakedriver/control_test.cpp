// The control API: trace, counts, live resources, faults and where they occur, names of functions and results.
#include "fake_driver_test.h"

#include <dlfcn.h>
#include <set>
#include <thread>

namespace fakecuda::testing {

class Control : public FakeDriver {
protected:
  void fail(const char *function, uint64_t nth, CUresult result, FakeCudaFaultMode mode = FAKE_CUDA_FAULT_PLAIN) {
    const FakeCudaFault fault = {function, nth, result, mode};
    fakeCudaInjectFault(&fault);
  }
};

TEST_F(Control, TheTraceHasEveryCall) {
  fakeCudaClearTrace();
  CUdeviceptr x = alloc(32);
  CU_OK(cuMemFree_v2(x));
  CU_OK(cuEventRecord(event(), nullptr));
  FakeCudaCall call;
  ASSERT_EQ(fakeCudaCallCount(), 4u);
  ASSERT_TRUE(fakeCudaCallAt(0, &call));
  EXPECT_STREQ(call.name, "cuMemAlloc");
  EXPECT_STREQ(call.arguments, "bytes=32");
  EXPECT_EQ(call.result, CUDA_SUCCESS);
  EXPECT_FALSE(fakeCudaCallAt(4, &call));
  EXPECT_EQ(fakeCudaCallsOf("cuMemFree"), 1u);
  EXPECT_EQ(fakeCudaCallsOf("cuMemAllocAsync"), 0u);
}

TEST_F(Control, LiveThingsSayWhereTheyWereMade) {
  EXPECT_EQ(fakeCudaLiveCount("context"), 1u);
  const CUdeviceptr x = alloc(40);
  const CUstream s = stream();
  float *host = pinned(1);
  EXPECT_EQ(fakeCudaLiveCount("device"), 1u);
  EXPECT_EQ(fakeCudaLiveCount("pinned"), 1u);
  EXPECT_EQ(fakeCudaLiveCount("stream"), 1u);
  EXPECT_EQ(fakeCudaLiveCount(nullptr), 4u);
  FakeCudaLive live;
  bool found = false;
  for (size_t at = 0; fakeCudaLiveAt(at, &live); ++at)
    if (live.handle == x) {
      found = true;
      EXPECT_EQ(live.bytes, 40u);
      EXPECT_STREQ(live.madeBy, "cuMemAlloc #3");
    }
  EXPECT_TRUE(found);
  CU_OK(cuStreamDestroy_v2(s));
  CU_OK(cuMemFree_v2(x));
  CU_OK(cuMemFreeHost(host));
  EXPECT_EQ(fakeCudaLiveCount(nullptr), 1u);
  CU_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(fakeCudaLiveCount(nullptr), 0u);
}

TEST_F(Control, TheNthCallFailsOnce) {
  fail("cuMemAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY);
  CUdeviceptr x;
  CU_OK(cuMemAlloc_v2(&x, 4));
  EXPECT_EQ(cuMemAlloc_v2(&x, 4), CUDA_ERROR_OUT_OF_MEMORY);
  CU_OK(cuMemAlloc_v2(&x, 4));
  EXPECT_EQ(fakeCudaFaultsHappened(), 1u);
}

TEST_F(Control, AStickyFaultLosesTheContextUntilItsReset) {
  fail("cuStreamSynchronize", 1, CUDA_ERROR_ECC_UNCORRECTABLE, FAKE_CUDA_FAULT_STICKY);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ECC_UNCORRECTABLE);
  CUevent e;
  EXPECT_EQ(cuEventCreate(&e, 0), CUDA_ERROR_ECC_UNCORRECTABLE);
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  retain(0);
  CU_OK(cuEventCreate(&e, 0));
}

TEST_F(Control, AnAsynchronousFaultSurfacesAtTheNextWait) {
  const CUdeviceptr x = alloc(4);
  fail("cuLaunchKernel", 1, CUDA_ERROR_ILLEGAL_ADDRESS, FAKE_CUDA_FAULT_ASYNC);
  CU_OK(launch("iota", nullptr, x, 1u));
  EXPECT_EQ(fakeCudaLostBy(), nullptr);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_STREQ(fakeCudaLostBy(), "iota on the legacy default stream");
}

TEST_F(Control, AFailedFreeLeavesTheResourceAlive) {
  const CUdeviceptr x = alloc(4);
  fail("cuMemFree", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemFree_v2(x), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(fakeCudaFailedFrees(), 1u);
  EXPECT_EQ(fakeCudaLiveCount("device"), 1u);
}

TEST_F(Control, EveryPlaceOfAScenarioFailsInTurn) {
  struct State {
    size_t prepared = 0, checked = 0, failures = 0;
    std::set<std::pair<std::string, CUresult>> seen;
  } state;
  const auto scenario = [](void *data) {
    // A program that frees what it allocated, whatever fails.
    auto &s = *static_cast<State *>(data);
    CUdeviceptr x = 0;
    if (cuMemAlloc_v2(&x, 16) != CUDA_SUCCESS) {
      ++s.failures;
      return;
    }
    s.failures += cuMemsetD8_v2(x, 0, 16) != CUDA_SUCCESS;
    s.failures += cuMemsetD8_v2(x, 0, 16) != CUDA_SUCCESS;
    s.failures += cuMemFree_v2(x) != CUDA_SUCCESS;
  };
  const auto prepare = [](void *data, const FakeCudaFault *) { ++static_cast<State *>(data)->prepared; };
  const auto check = [](void *data, const FakeCudaFault *fault) {
    auto &s = *static_cast<State *>(data);
    ++s.checked;
    EXPECT_EQ(s.failures, s.checked) << fault->function << " #" << fault->nth;
    s.seen.insert({fault->function, fault->result});
    EXPECT_EQ(fakeCudaLiveCount("device"), fakeCudaFailedFrees()) << "lost only what could not be freed";
  };
  const size_t places = fakeCudaForEachFault(scenario, prepare, check, &state);
  EXPECT_EQ(places, 8u) << "four calls with two plausible errors each";
  EXPECT_EQ(state.prepared, places + 1);
  EXPECT_EQ(state.checked, places);
  EXPECT_EQ(state.seen.size(), 6u);
  EXPECT_EQ(fakeCudaFaultsHappened(), places);
}

TEST_F(Control, FunctionsAreFoundByNameAndVersion) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  CU_OK(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
  EXPECT_EQ(found, reinterpret_cast<void *>(&cuMemAlloc_v2));
  CU_OK(cuGetProcAddress_v2("cuEventElapsedTime", &found, 12000, 0, &status));
  EXPECT_EQ(found, reinterpret_cast<void *>(&cuEventElapsedTime));
  CU_OK(cuGetProcAddress_v2("cuEventElapsedTime", &found, 12080, 0, &status));
  EXPECT_EQ(found, reinterpret_cast<void *>(&cuEventElapsedTime_v2));
  CU_OK(cuGetProcAddress_v2("cuStreamSynchronize", &found, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                            &status));
  EXPECT_EQ(found, dlsym(RTLD_DEFAULT, "cuStreamSynchronize_ptsz"));
  CU_OK(cuGetProcAddress_v2("cuMemAllocAsync", &found, 11000, 0, &status));
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  CU_OK(cuGetProcAddress_v2("cuNothing", &found, 12000, 0, &status));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(cuGetProcAddress("cuNothing", &found, 12000, 0), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Control, ResultsHaveNames) {
  const char *name = nullptr;
  CU_OK(cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Control, DevicesAreAsConfigured) {
  start([](FakeCudaConfig &config) {
    config.deviceCount = 3;
    config.computeCapability = 75;
    config.memoryBytes = 12345678;
  });
  int value;
  size_t bytes;
  CU_OK(cuDeviceGetCount(&value));
  EXPECT_EQ(value, 3);
  CU_OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 2));
  EXPECT_EQ(value, 5);
  CU_OK(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_EQ(bytes, 12345678u);
  EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 3), CUDA_ERROR_INVALID_DEVICE);
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, kernelsPtx), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(Control, BadImagesAreRefusedWithAMessage) {
  char log[64] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUmodule module;
  EXPECT_EQ(cuModuleLoadDataEx(&module, "no PTX", 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_STREQ(log, "line 1: the directive 'no' is not known here");
  EXPECT_EQ(cuModuleLoadData(&module, ".version 9.9\n.target sm_80\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST_F(Control, WithoutDevicesThereIsNothingToInitialise) {
  FakeCudaConfig config;
  fakeCudaDefaults(&config);
  config.deviceCount = 0;
  config.abortOnViolation = 0;
  fakeCudaReset(&config);
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST_F(Control, APrimaryContextHasManyLives) {
  unsigned long long first, second;
  unsigned flags;
  int active;
  CU_OK(cuCtxGetId(nullptr, &first));
  CU_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_TRUE(active);
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  CU_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_FALSE(active);
  EXPECT_EQ(retain(0), context);
  CU_OK(cuCtxGetId(nullptr, &second));
  EXPECT_NE(first, second);
}

TEST_F(Control, ManyThreadsMayCallAtOnce) {
  function("increment");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      const CUstream own = stream(CU_STREAM_NON_BLOCKING);
      const CUdeviceptr x = alloc(4);
      EXPECT_EQ(cuMemsetD32Async(x, 0, 1, own), CUDA_SUCCESS);
      for (int at = 0; at < 200; ++at) {
        EXPECT_EQ(launch("increment", own, x, 1u), CUDA_SUCCESS);
        EXPECT_EQ(cuLaunchHostFunc(own, [](void *) {}, nullptr), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuStreamSynchronize(own), CUDA_SUCCESS);
      EXPECT_EQ(*static_cast<int *>(fakeCudaPeek(x)), 200);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace fakecuda::testing
