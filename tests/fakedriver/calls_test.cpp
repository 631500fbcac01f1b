// Calls about contexts, functions, captures, managed memory and copies of other shapes.
#include "fake_driver_test.h"

#include <cstdlib>
#include <numeric>
#include <thread>
#include <unistd.h>

namespace fakecuda::testing {

class Calls : public FakeDriver {
protected:
  static size_t limit(CUlimit which) {
    size_t value = 0;
    EXPECT_EQ(cuCtxGetLimit(&value, which), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Calls, LimitsOfContexts) {
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 1024u);
  EXPECT_EQ(limit(CU_LIMIT_MALLOC_HEAP_SIZE), size_t{8} << 20);
  CU_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 5000));
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 5008u) << "whole units of 16 bytes";
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, size_t{1} << 30), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 5008u);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
  CUcontext other;
  CU_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 1024u) << "another context has its own";
  CU_OK(cuCtxDestroy_v2(other));
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  retain(0);
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 1024u) << "a reset forgets them";
}

TEST_F(Calls, AResetContextIsStillRetained) {
  retain(0);
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  CU_OK(cuDevicePrimaryCtxRelease_v2(0));
  CUcontext primary;
  CU_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  CU_OK(cuDevicePrimaryCtxRelease_v2(0));
  CU_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("double-destroy");
}

TEST_F(Calls, TheBufferOfPrintfIsFixedByAKernelThatPrints) {
  CUmodule module;
  CUfunction quiet = function("empty"), printing;
  CU_OK(cuModuleLoadData(&module, R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.visible .entry f() { ret; })"));
  CU_OK(cuModuleGetFunction(&printing, module, "f"));
  CU_OK(cuLaunchKernel(quiet, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CU_OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4 << 20));
  CU_OK(cuLaunchKernel(printing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 8 << 20), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  CU_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
  EXPECT_EQ(limit(CU_LIMIT_PRINTF_FIFO_SIZE), size_t{4} << 20);
}

TEST_F(Calls, PreferencesAndTheProfiler) {
  CUfunc_cache config;
  CU_OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  CU_OK(cuCtxGetCacheConfig(&config));
  EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_L1);
  EXPECT_EQ(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(9)), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  CU_OK(cuFuncSetCacheConfig(function("empty"), CU_FUNC_CACHE_PREFER_SHARED));
  EXPECT_EQ(cuFuncSetCacheConfig(function("empty"), static_cast<CUfunc_cache>(9)), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  CU_OK(cuProfilerStart());
  CU_OK(cuProfilerStop());
  const void *table = &config;
  const CUuuid id = {};
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

TEST_F(Calls, WhatFunctionsAre) {
  const CUfunction kernel = function("marked");
  const char *name = nullptr;
  CU_OK(cuFuncGetName(&name, kernel));
  EXPECT_STREQ(name, "marked");
  size_t offset = 0, bytes = 0;
  CU_OK(cuFuncGetParamInfo(kernel, 0, &offset, &bytes));
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(bytes, 24u);
  CU_OK(cuFuncGetParamInfo(kernel, 1, &offset, nullptr));
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(cuFuncGetParamInfo(kernel, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
  CU_OK(cuFuncLoad(kernel));
  CU_OK(cuFuncIsLoaded(&state, kernel));
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
  int value;
  EXPECT_EQ(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(77), kernel), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
}

TEST_F(Calls, WhatAStreamCaptures) {
  const CUstream one = stream(), two = stream();
  CUstreamCaptureStatus status;
  uint64_t id = 0, again = 0, next = 0;
  CU_OK(cuStreamGetCaptureInfo(one, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  CU_OK(cuStreamBeginCapture_v2(one, CU_STREAM_CAPTURE_MODE_RELAXED));
  CU_OK(cuStreamBeginCapture_v2(two, CU_STREAM_CAPTURE_MODE_RELAXED));
  CU_OK(launch("empty", one));
  CUgraph graph = nullptr, ended = nullptr;
  const CUgraphNode *nodes = nullptr;
  const CUgraphEdgeData *edges = reinterpret_cast<const CUgraphEdgeData *>(&id);
  size_t count = 0;
  CU_OK(cuStreamGetCaptureInfo_v3(one, &status, &id, &graph, &nodes, &edges, &count));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(edges, nullptr);
  ASSERT_EQ(count, 1u);
  const CUgraphNode first = nodes[0];
  CU_OK(launch("empty", one));
  CU_OK(cuStreamGetCaptureInfo_v2(one, &status, &again, nullptr, &nodes, &count));
  EXPECT_NE(nodes[0], first);
  EXPECT_EQ(again, id);
  CU_OK(cuStreamGetCaptureInfo(two, &status, &next));
  EXPECT_NE(next, id);
  CU_OK(cuStreamEndCapture(two, &ended));
  CU_OK(cuStreamEndCapture(one, &ended));
  EXPECT_EQ(ended, graph) << "its handle was known before";
  CUgraphNode all[2];
  count = 2;
  CU_OK(cuGraphGetNodes(graph, all, &count));
  EXPECT_EQ(all[0], first);
}

TEST_F(Calls, TheLegacyStreamWouldWaitForACapture) {
  const CUstream one = stream();
  CUstreamCaptureStatus status;
  uint64_t id;
  CUgraph graph;
  CU_OK(cuStreamBeginCapture_v2(one, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuStreamGetCaptureInfo(nullptr, &status, &id), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CU_OK(cuStreamEndCapture(one, &graph));
}

TEST_F(Calls, ManagedMemory) {
  CUdeviceptr managed;
  CU_OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
  const CUstream own = stream();
  CU_OK(cuMemPrefetchAsync(managed, 4096, 0, own));
  CU_OK(cuMemPrefetchAsync_v2(managed, 100, host, 0, own));
  EXPECT_EQ(cuMemPrefetchAsync(managed, 4096, 5, own), CUDA_ERROR_INVALID_DEVICE);
  CU_OK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  CU_OK(cuMemAdvise_v2(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
  CU_OK(cuStreamAttachMemAsync(own, managed, 0, CU_MEM_ATTACH_HOST));
  CU_OK(cuStreamSynchronize(own));
  EXPECT_EQ(ran(), (std::vector<std::string>{"prefetch", "prefetch", "attach"}));
  EXPECT_EQ(cuMemAdvise(managed, 4096, static_cast<CUmem_advise>(50), 0), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  EXPECT_EQ(cuStreamAttachMemAsync(own, managed + 8, 0, CU_MEM_ATTACH_HOST), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  EXPECT_EQ(cuStreamAttachMemAsync(nullptr, managed, 0, 4), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  for (const auto [pointer, bytes] : {std::pair{managed, size_t{4097}}, {alloc(64), size_t{64}}}) {
    EXPECT_EQ(cuMemPrefetchAsync(pointer, bytes, 0, own), CUDA_ERROR_INVALID_VALUE);
    expectBroken("not-device-memory");
  }
  start([](FakeCudaConfig &config) { config.concurrentManagedAccess = 0; });
  CU_OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(cuMemPrefetchAsync(managed, 4096, 0, nullptr), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Calls, CopiesOfThreeDimensions) {
  std::vector<int> host(4 * 5 * 6), back(2 * 3 * 4, -1);
  std::iota(host.begin(), host.end(), 0);
  const CUdeviceptr device = alloc(host.size() * 4);
  CU_OK(cuMemcpyHtoD_v2(device, host.data(), host.size() * 4));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device;
  copy.srcPitch = 6 * 4;
  copy.srcHeight = 5;
  copy.srcXInBytes = 4;
  copy.srcY = 2;
  copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.WidthInBytes = 4 * 4;
  copy.Height = 3;
  copy.Depth = 2;
  CU_OK(cuMemcpy3D_v2(&copy));
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 3; ++y)
      for (size_t x = 0; x < 4; ++x)
        EXPECT_EQ(back[(z * 3 + y) * 4 + x], host[((z + 1) * 5 + y + 2) * 6 + x + 1]);
  copy.srcZ = 3;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  expectBroken("out-of-bounds");
  copy.srcZ = 1;
  copy.srcHeight = 2;
  EXPECT_EQ(cuMemcpy3DAsync_v2(&copy, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  copy.dstLOD = 1;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Calls, SlicesThatDoNotOverlapDoNotRace) {
  const CUdeviceptr cube = alloc(4 * 8 * 8), from = alloc(4 * 8 * 8);
  CU_OK(cuMemsetD8_v2(from, 1, 4 * 8 * 8));
  CU_OK(cuCtxSynchronize());
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = cube;
  copy.srcPitch = copy.dstPitch = 8;
  copy.srcHeight = copy.dstHeight = 8;
  copy.WidthInBytes = copy.Height = 4;
  copy.Depth = 4;
  CU_OK(cuMemcpy3DAsync_v2(&copy, stream(CU_STREAM_NON_BLOCKING)));
  copy.dstXInBytes = 4;
  CU_OK(cuMemcpy3DAsync_v2(&copy, stream(CU_STREAM_NON_BLOCKING)));
  expectNothingBroken();
  copy.dstXInBytes = 3;
  CU_OK(cuMemcpy3DAsync_v2(&copy, stream(CU_STREAM_NON_BLOCKING)));
  CU_OK(cuCtxSynchronize());
  expectBroken("race");
}

TEST_F(Calls, CopiesBetweenDevices) {
  start([](FakeCudaConfig &config) { config.deviceCount = 2; });
  const CUcontext first = context;
  const CUdeviceptr from = allocFilled({1, 2, 3});
  const CUcontext second = retain(1);
  const CUdeviceptr to = alloc(12);
  CU_OK(cuMemcpyPeer(to, second, from, first, 12));
  EXPECT_EQ(read(to, 3), (std::vector{1, 2, 3}));
  EXPECT_EQ(cuMemcpyPeer(to, first, from, second, 12), CUDA_ERROR_INVALID_VALUE);
  expectBroken("context-mismatch");
}

TEST_F(Calls, MemoryWhoseCopiesWait) {
  const CUdeviceptr x = alloc(64);
  unsigned on = 1, is = 0;
  CU_OK(cuMemsetD8_v2(x, 1, 64));
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, x));
  CU_OK(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, x));
  EXPECT_EQ(is, 1u);
  CU_OK(cuMemsetD8Async(x, 2, 64, nullptr));
  EXPECT_EQ(fakeCudaPending(), 0u);
  EXPECT_EQ(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_BUFFER_ID, x), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
}

TEST_F(Calls, MemsetsOfHostMemoryWait) {
  float *const host = pinned(4);
  const auto pointer = reinterpret_cast<CUdeviceptr>(host);
  CU_OK(cuMemsetD8Async(pointer, 0, 16, nullptr));
  EXPECT_EQ(fakeCudaPending(), 1u);
  CU_OK(cuMemsetD32_v2(pointer, 0x3F800000, 4));
  EXPECT_EQ(fakeCudaPending(), 0u);
  EXPECT_EQ(host[3], 1.0f);
  CUdeviceptr managed;
  CU_OK(cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL));
  CU_OK(cuMemsetD8_v2(managed, 0, 16));
  EXPECT_EQ(fakeCudaPending(), 0u);
}

/// What was registered is ordinary memory again, and what comes where pinned memory was is the process's own.
TEST_F(Calls, HostMemoryThatIsNoLongerTheDrivers) {
  std::vector<int> values{1, 2, 3, 4};
  const CUdeviceptr device = alloc(16);
  CU_OK(cuMemHostRegister_v2(values.data(), 16, 0));
  CU_OK(cuMemHostUnregister(values.data()));
  CU_OK(cuMemcpyHtoD_v2(device, values.data(), 16));
  EXPECT_EQ(read(device, 4), values);
  float *const gone = pinned(4);
  CU_OK(cuMemFreeHost(gone));
  EXPECT_EQ(cuMemcpyHtoD_v2(device, gone, 16), CUDA_ERROR_INVALID_VALUE);
  expectBroken("use-after-free");
}

TEST_F(Calls, EventsAreSharedWithAnotherProcess) {
  int toChild[2], toParent[2];
  ASSERT_EQ(pipe(toChild), 0);
  ASSERT_EQ(pipe(toParent), 0);
  const CUevent own = event(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
  CUipcEventHandle handle;
  CU_OK(cuIpcGetEventHandle(&handle, own));
  CUevent opened;
  EXPECT_EQ(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("invalid-argument");
  const CUdeviceptr x = alloc(16);
  CU_OK(cuMemsetD8_v2(x, 1, 16));
  CU_OK(cuEventRecord(own, nullptr));
  std::thread parent([&] { // runs the event's work when the child has seen that it is pending
    char byte;
    EXPECT_EQ(::read(toParent[0], &byte, 1), 1);
    fakeCudaStep(10);
    EXPECT_EQ(write(toChild[1], &byte, 1), 1);
  });
  std::string ignored;
  const int code = runForked(
      [&] {
        FakeCudaConfig config;
        fakeCudaDefaults(&config);
        fakeCudaReset(&config);
        CUcontext theirs;
        CUevent other;
        char byte = 1;
        if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&theirs, 0) != CUDA_SUCCESS ||
            cuCtxSetCurrent(theirs) != CUDA_SUCCESS || cuIpcOpenEventHandle(&other, handle) != CUDA_SUCCESS)
          std::_Exit(1);
        if (cuEventQuery(other) != CUDA_ERROR_NOT_READY || cuStreamWaitEvent(nullptr, other, 0) != CUDA_SUCCESS)
          std::_Exit(2);
        if (fakeCudaStep(1) != 0)
          std::_Exit(3);
        if (write(toParent[1], &byte, 1) != 1 || cuEventSynchronize(other) != CUDA_SUCCESS ||
            cuStreamSynchronize(nullptr) != CUDA_SUCCESS || ::read(toChild[0], &byte, 1) != 1)
          std::_Exit(4);
        std::_Exit(cuEventRecord(other, nullptr) == CUDA_SUCCESS ? 7 : 5);
      },
      ignored);
  parent.join();
  EXPECT_EQ(code, 7) << ignored;
  EXPECT_EQ(cuEventQuery(own), CUDA_ERROR_NOT_READY) << "the child recorded it again and never ran that";
  for (const int end : {toChild[0], toChild[1], toParent[0], toParent[1]})
    close(end);
}

class UndefinedCopies : public FakeDriver {
protected:
  void SetUp() override {
    FakeDriver::SetUp();
    ASSERT_TRUE(fakeCudaSetRule("undefined-copy", 1));
  }
};

TEST_F(UndefinedCopies, AreAllowedUnlessAskedFor) {
  ASSERT_TRUE(fakeCudaSetRule("undefined-copy", 0));
  read(alloc(16), 4);
}

TEST_F(UndefinedCopies, OfFreshMemory) {
  const CUdeviceptr x = alloc(16);
  read(x, 4);
  expectBroken("undefined-copy");
  CU_OK(cuMemsetD8_v2(x, 0, 15));
  read(x, 4);
  expectBroken("undefined-copy");
  CU_OK(cuMemsetD8_v2(x + 15, 0, 1));
  read(x, 4);
}

TEST_F(UndefinedCopies, OfWhatKernelsLeft) {
  const CUdeviceptr x = alloc(40 * 4);
  CU_OK(launch("iota", nullptr, x, 31u));
  EXPECT_EQ(read(x, 31).back(), 30);
  read(x, 32);
  expectBroken("undefined-copy");
}

TEST_F(UndefinedCopies, ToPinnedMemory) {
  CU_OK(cuMemcpyDtoHAsync_v2(pinned(4), alloc(16), 16, nullptr));
  expectNothingBroken();
  CU_OK(cuCtxSynchronize());
  expectBroken("undefined-copy");
}

TEST_F(UndefinedCopies, ThroughOtherMemory) {
  const CUdeviceptr x = alloc(16), y = alloc(16);
  CU_OK(cuMemsetD32_v2(x, 7, 2));
  CU_OK(cuMemsetD32_v2(y, 8, 4));
  CU_OK(cuMemcpyDtoD_v2(y, x, 16));
  EXPECT_EQ(read(y, 2), (std::vector{7, 7}));
  read(y, 3);
  expectBroken("undefined-copy");
}

TEST_F(UndefinedCopies, OfRowsAlone) {
  const CUdeviceptr x = alloc(64);
  std::vector<char> rows(4 * 4);
  for (unsigned row = 0; row < 4; ++row)
    CU_OK(cuMemsetD8_v2(x + row * 16, 1, 4));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = x;
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = rows.data();
  copy.dstPitch = copy.WidthInBytes = copy.Height = 4;
  CU_OK(cuMemcpy2D_v2(&copy));
  expectNothingBroken();
  copy.srcXInBytes = 1;
  CU_OK(cuMemcpy2D_v2(&copy));
  expectBroken("undefined-copy");
}

} // namespace fakecuda::testing
