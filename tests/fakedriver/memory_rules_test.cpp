// A violation of each memory rule, which must be detected; and the permitted uses of host and device pointers.
#include "fake_driver_test.h"

#include <cstring>

namespace fakecuda::testing {

class MemoryRules : public FakeDriver {};
using MemoryDeathTest = MemoryRules;

TEST_F(MemoryDeathTest, TheHostCannotTouchDeviceMemory) {
  const auto *pointer = reinterpret_cast<volatile char *>(alloc(64));
  EXPECT_EXIT(static_cast<void>(*pointer), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(MemoryDeathTest, TheHostCannotTouchManagedMemoryInUse) {
  start([](FakeCudaConfig &config) { config.concurrentManagedAccess = 0; });
  CUdeviceptr pointer;
  CU_OK(cuMemAllocManaged(&pointer, 4, CU_MEM_ATTACH_GLOBAL));
  auto *host = reinterpret_cast<volatile int *>(pointer);
  *host = 4;
  CU_OK(launch("increment", nullptr, pointer, 1u));
  EXPECT_EXIT(static_cast<void>(*host), ::testing::KilledBySignal(SIGSEGV), "");
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(*host, 5);
}

TEST_F(MemoryDeathTest, FreedHostMemoryIsGone) {
  volatile float *host = pinned(4);
  *host = 1;
  CU_OK(cuMemFreeHost(const_cast<float *>(host)));
  EXPECT_EXIT(static_cast<void>(*host), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(MemoryRules, OutOfBounds) {
  const CUdeviceptr x = alloc(16);
  char bytes[32] = {};
  EXPECT_NE(cuMemcpyHtoD_v2(x, bytes, 17), CUDA_SUCCESS);
  expectBroken("out-of-bounds");
  EXPECT_NE(cuMemcpyDtoH_v2(bytes, x + 8, 9), CUDA_SUCCESS);
  expectBroken("out-of-bounds");
  EXPECT_NE(cuMemsetD8_v2(x, 0, 17), CUDA_SUCCESS);
  expectBroken("out-of-bounds");
  EXPECT_NE(cuMemsetD8_v2(x + 16, 0, 1), CUDA_SUCCESS);
  expectBroken("out-of-bounds");
}

TEST_F(MemoryRules, OutOfBoundsOfTheLastRow) {
  const CUdeviceptr x = alloc(100);
  std::vector<char> host(120);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = 30;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = x;
  copy.dstPitch = 30;
  copy.WidthInBytes = 10;
  copy.Height = 4;
  CU_OK(cuMemcpy2D_v2(&copy));
  copy.WidthInBytes = 11;
  EXPECT_NE(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  expectBroken("out-of-bounds");
}

TEST_F(MemoryRules, KernelOutOfBounds) {
  const CUdeviceptr x = alloc(16);
  CU_OK(launch("iota", nullptr, x, 5u));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  expectBroken("kernel-out-of-bounds");
}

TEST_F(MemoryRules, Misaligned) {
  EXPECT_EQ(cuMemsetD32_v2(alloc(16) + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  expectBroken("misaligned");
}

TEST_F(MemoryRules, MisalignedInAKernel) {
  CU_OK(launch("iota", nullptr, alloc(16) + 1, 1u));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
  expectBroken("misaligned");
}

TEST_F(MemoryRules, UseAfterFree) {
  const CUdeviceptr x = alloc(16);
  CU_OK(cuMemFree_v2(x));
  EXPECT_NE(cuMemsetD8_v2(x, 0, 1), CUDA_SUCCESS);
  expectBroken("use-after-free");
}

TEST_F(MemoryRules, UseAfterFreeByAKernel) {
  const CUdeviceptr x = alloc(16);
  CU_OK(cuMemFree_v2(x));
  CU_OK(launch("iota", nullptr, x, 1u));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  expectBroken("use-after-free");
}

TEST_F(MemoryRules, UseAfterFreeInStreamOrder) {
  const CUstream s = stream();
  CUdeviceptr x;
  CU_OK(cuMemAllocAsync(&x, 16, s));
  CU_OK(launch("iota", s, x, 4u));
  CU_OK(cuMemFreeAsync(x, s));
  CU_OK(launch("iota", s, x, 4u));
  expectBroken("use-after-free");
  cuCtxSynchronize();
  expectBroken("use-after-free");
}

TEST_F(MemoryRules, InvalidFreeTwice) {
  const CUdeviceptr x = alloc(16);
  CU_OK(cuMemFree_v2(x));
  EXPECT_EQ(cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-free");
}

TEST_F(MemoryRules, InvalidFreeTwiceInStreamOrder) {
  CUdeviceptr x;
  CU_OK(cuMemAllocAsync(&x, 16, nullptr));
  CU_OK(cuMemFreeAsync(x, nullptr));
  EXPECT_EQ(cuMemFreeAsync(x, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-free");
}

TEST_F(MemoryRules, InvalidFreeOfTheInside) {
  EXPECT_EQ(cuMemFree_v2(alloc(16) + 4), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-free");
}

TEST_F(MemoryRules, InvalidFreeOfTheWrongKind) {
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pinned(1))), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-free");
  EXPECT_EQ(cuMemFreeAsync(alloc(4), nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-free");
}

TEST_F(MemoryRules, FreeInUse) {
  float *host = pinned(4);
  const CUdeviceptr x = alloc(16);
  CU_OK(cuMemcpyHtoDAsync_v2(x, host, 16, stream()));
  CU_OK(cuMemFreeHost(host));
  expectBroken("free-in-use");
}

TEST_F(MemoryRules, NotDeviceMemory) {
  int host = 0;
  EXPECT_NE(cuMemsetD32_v2(reinterpret_cast<CUdeviceptr>(&host), 0, 1), CUDA_SUCCESS);
  expectBroken("not-device-memory");
}

TEST_F(MemoryRules, NotDeviceMemoryInAKernel) {
  int host = 0;
  CU_OK(launch("iota", nullptr, &host, 1u));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  expectBroken("not-device-memory");
}

TEST_F(MemoryRules, NotHostMemory) {
  const CUdeviceptr x = alloc(16), y = alloc(16);
  EXPECT_NE(cuMemcpyHtoD_v2(x, reinterpret_cast<void *>(y), 16), CUDA_SUCCESS);
  expectBroken("not-host-memory");
}

TEST_F(MemoryRules, HostRegistrationTwice) {
  alignas(64) char bytes[64];
  CU_OK(cuMemHostRegister_v2(bytes, 64, 0));
  EXPECT_EQ(cuMemHostRegister_v2(bytes + 32, 8, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  expectBroken("host-registration");
  CU_OK(cuMemHostUnregister(bytes));
  EXPECT_EQ(cuMemHostUnregister(bytes), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  expectBroken("host-registration");
}

TEST_F(MemoryRules, PeerAccess) {
  start([](FakeCudaConfig &config) { config.deviceCount = 2; });
  const CUdeviceptr theirs = alloc(16);
  const CUcontext owner = context;
  retain(1);
  CU_OK(launch("iota", nullptr, theirs, 1u));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  expectBroken("peer-access");
  static_cast<void>(owner);
}

TEST_F(MemoryRules, PeersThatEnabledAccessMayUseEachOthersMemory) {
  start([](FakeCudaConfig &config) { config.deviceCount = 2; });
  const CUdeviceptr theirs = alloc(8);
  const CUcontext owner = context;
  retain(1);
  CU_OK(cuCtxEnablePeerAccess(owner, 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(owner, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  CU_OK(launch("iota", nullptr, theirs, 2u));
  EXPECT_EQ(read(theirs, 2), (std::vector<int>{0, 1}));
}

TEST_F(MemoryRules, PeerAccessEndsWithThePeersContext) {
  start([](FakeCudaConfig &config) { config.deviceCount = 2; });
  const CUcontext owner = context;
  retain(1);
  CU_OK(cuCtxEnablePeerAccess(owner, 0));
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  CUcontext again = nullptr;
  CU_OK(cuDevicePrimaryCtxRetain(&again, 0));
  CU_OK(cuCtxEnablePeerAccess(again, 0));
  CU_OK(cuCtxDisablePeerAccess(again));
  EXPECT_EQ(cuCtxDisablePeerAccess(again), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

TEST_F(MemoryRules, PeersThatCannotReachEachOther) {
  start([](FakeCudaConfig &config) {
    config.deviceCount = 2;
    config.peerAccess = 0;
  });
  const CUcontext owner = context;
  EXPECT_EQ(cuCtxEnablePeerAccess(owner, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) << "a context is no peer of itself";
  retain(1);
  EXPECT_EQ(cuCtxEnablePeerAccess(owner, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_EQ(cuCtxEnablePeerAccess(nullptr, 0), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("invalid-handle");
  EXPECT_EQ(cuCtxEnablePeerAccess(owner, 1), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  EXPECT_EQ(cuCtxDisablePeerAccess(owner), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

TEST_F(MemoryRules, MemoryRunsOut) {
  start([](FakeCudaConfig &config) { config.memoryBytes = 1000; });
  const CUdeviceptr x = alloc(900);
  CUdeviceptr y;
  EXPECT_EQ(cuMemAlloc_v2(&y, 101), CUDA_ERROR_OUT_OF_MEMORY);
  size_t free, total;
  CU_OK(cuMemGetInfo_v2(&free, &total));
  EXPECT_EQ(free, 100u);
  EXPECT_EQ(total, 1000u);
  CU_OK(cuMemFree_v2(x));
  CU_OK(cuMemAlloc_v2(&y, 1000));
}

TEST_F(MemoryRules, FreshMemoryIsNotZero) { EXPECT_EQ(read(alloc(4), 1)[0], static_cast<int>(0xCBCBCBCB)); }

TEST_F(MemoryRules, FreedAddressesComeBackOnRequest) {
  const CUdeviceptr first = alloc(100);
  CU_OK(cuMemFree_v2(first));
  EXPECT_NE(alloc(100), first);
  start([](FakeCudaConfig &config) { config.reuse = 1; });
  const CUdeviceptr second = alloc(100);
  const CUstream gone = stream();
  CU_OK(cuMemFree_v2(second));
  CU_OK(cuStreamDestroy_v2(gone));
  EXPECT_EQ(alloc(100), second);
  EXPECT_EQ(stream(), gone);
}

TEST_F(MemoryRules, PointersAreKnown) {
  const CUdeviceptr x = alloc(64);
  CUdeviceptr base;
  size_t bytes;
  CU_OK(cuMemGetAddressRange_v2(&base, &bytes, x + 60));
  EXPECT_EQ(base, x);
  EXPECT_EQ(bytes, 64u);
  unsigned type = 0;
  CU_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x + 1));
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  CU_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pinned(1))));
  EXPECT_EQ(type, CU_MEMORYTYPE_HOST);
  int local;
  const auto unknown = reinterpret_cast<CUdeviceptr>(&local);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, unknown), CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void *places[] = {&type};
  CU_OK(cuPointerGetAttributes(1, wanted, places, unknown));
  EXPECT_EQ(type, 0u);
}

TEST_F(MemoryRules, RegisteredMemoryIsUsedInPlace) {
  int values[2] = {3, 4};
  CU_OK(cuMemHostRegister_v2(values, sizeof values, CU_MEMHOSTREGISTER_DEVICEMAP));
  CUdeviceptr device;
  CU_OK(cuMemHostGetDevicePointer_v2(&device, values, 0));
  CU_OK(launch("increment", nullptr, device, 2u));
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(values[1], 5);
  CU_OK(cuMemHostUnregister(values));
}

TEST_F(MemoryRules, ModulesHaveVariables) {
  CUmodule module;
  CUdeviceptr table;
  size_t bytes;
  CU_OK(cuModuleLoadData(&module, kernelsPtx));
  CU_OK(cuModuleGetGlobal_v2(&table, &bytes, module, "table"));
  EXPECT_EQ(bytes, 64u);
  EXPECT_EQ(read(table, 1), std::vector<int>{0});
  EXPECT_EQ(cuModuleGetGlobal_v2(&table, &bytes, module, "none"), CUDA_ERROR_NOT_FOUND);
  CU_OK(cuModuleUnload(module));
  EXPECT_NE(cuMemsetD8_v2(table, 0, 1), CUDA_SUCCESS);
  expectBroken("use-after-free");
}

TEST_F(MemoryRules, IpcMemoryIsSharedWithAnotherProcess) {
  const CUdeviceptr x = allocFilled({41});
  CUipcMemHandle handle;
  CU_OK(cuIpcGetMemHandle(&handle, x));
  CUdeviceptr opened;
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&opened, handle, 1), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("invalid-argument");
  std::string errors;
  const int code = runForked(
      [&] {
        // As in a new process, which a fork is not.
        start([](FakeCudaConfig &) {});
        CUdeviceptr theirs;
        if (cuIpcOpenMemHandle_v2(&theirs, handle, 1) != CUDA_SUCCESS)
          std::_Exit(2);
        launch("increment", nullptr, theirs, 1u);
        CUdeviceptr again = 0;
        if (cuIpcOpenMemHandle_v2(&again, handle, 1) != CUDA_SUCCESS || again != theirs)
          std::_Exit(4); // opened twice, it is counted
        if (cuIpcCloseMemHandle(theirs) != CUDA_SUCCESS)
          std::_Exit(5);
        launch("increment", nullptr, theirs, 1u);
        if (cuIpcCloseMemHandle(theirs) != CUDA_SUCCESS)
          std::_Exit(3);
        expectNothingBroken();
        cuIpcCloseMemHandle(theirs);
        expectBroken("invalid-free");
        std::_Exit(HasFailure() ? 6 : 7);
      },
      errors);
  EXPECT_EQ(code, 7) << errors;
  EXPECT_EQ(read(x, 1), std::vector<int>{43});
  CUdeviceptr async;
  CU_OK(cuMemAllocAsync(&async, 4, nullptr));
  EXPECT_EQ(cuIpcGetMemHandle(&handle, async), CUDA_ERROR_INVALID_VALUE);
}

} // namespace fakecuda::testing
